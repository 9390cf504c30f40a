//! Observers that have not been added to a world yet, and the conversions into them.
//!
//! Tests: tests/observers/spawned.rs, tests/observers/matches.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;

use super::id::ObserverId;
use super::input::{EventOf, ObserverInput};
use super::matched::MatchFilter;
use super::observers::{ListedObserver, Observe, Observers, RareObserver, WatchedEvents, typed};
use super::rare::RareOptions;
use crate::component::{Component, HookContext, LifecycleMask};
use crate::entity::{Entity, EntityHashSet};
use crate::events::event::{EntityEvent, Event, EventPattern};
use crate::query::change::WriteEntity;
use crate::structure::store::{LifecycleEvents, Store, Structure, bundle_components};
use crate::system::commands::apply_observer_commands;
use crate::system::{
    FunctionMarker, IntoSystem, MacroMarker, NotifySystem, SystemCondition, SystemCore, SystemFacts, SystemOutput,
    WithNotifySystem,
};
use crate::util::error::ErrorHandler;
use crate::world::{DeferredMarker, DeferredWorld, World, notify_observers};

/// An observer that has not been added to a world yet: a system, the entities that it watches, and its run conditions.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(EntityEvent)]
/// struct Click(Entity);
/// #[derive(Resource, Default)]
/// struct Clicks(u32);
///
/// fn count(_: On<Click>, mut clicks: ResMut<Clicks>) {
///     clicks.0 += 1;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Clicks>();
/// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
/// world.add_observer(Observer::new(count).with_entities([a, b]));
/// for entity in [a, b, c] {
///     world.trigger(Click(entity));
/// }
/// assert_eq!(world.resource::<Clicks>().0, 2);
/// ```
///
/// An `Observer` is also a component. An entity with this component owns the observer: if the component is removed or
/// replaced, or the entity is despawned, the observer is removed. So an observer can be spawned together with the
/// entity that it belongs to, as a child of this entity, or with a [`Name`](crate::name::Name). The operation that
/// inserts the component records a command that adds the observer. The component cannot be cloned. If it is taken out
/// of a world, the observer no longer observes anything.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(EntityEvent)]
/// struct Click(Entity);
/// # #[derive(Resource, Default)] struct Clicks(u32);
///
/// let mut world = World::new();
/// # world.init_resource::<Clicks>();
/// let button = world.spawn_empty().id();
/// let count = |_: On<Click>, mut clicks: ResMut<Clicks>| clicks.0 += 1;
/// let observer = world.spawn((Name::new("clicks"), Observer::new(count).with_entity(button), ChildOf(button))).id();
/// world.trigger(Click(button));
/// world.despawn(observer);
/// world.trigger(Click(button));
/// assert_eq!(world.resource::<Clicks>().0, 1);
/// ```
#[derive(Component)]
#[component(storage = "sparse", immutable, on_insert = start, on_discard = stop)]
pub struct Observer {
    state: ObserverState,
    entities: Vec<Entity>,
    /// Whether the observer is notified of existing components or matches when it is added.
    existing: bool,
}

enum ObserverState {
    /// The observer has not been added to a world.
    Unregistered(Box<dyn UnregisteredObserver>, Option<Box<RareOptions>>),
    /// The observer was added to a world as a component.
    Added(Box<(ObserverId, Box<str>)>),
}

/// Hook: adds the observer of an entity to which the component has been added.
fn start(mut world: DeferredWorld<'_>, context: HookContext) {
    world.commands().queue(move |world: &mut World| {
        let store = &mut world.store;
        let Some(mut observer) = WriteEntity::new(store, context.entity).into_mut_told::<Observer>() else { return };
        let ObserverState::Unregistered(system, _) = &observer.state else { return };
        let id = ObserverId::next();
        let added = ObserverState::Added(Box::new((id, Box::from(system.name()))));
        let waiting = Observer {
            state: core::mem::replace(&mut observer.state, added),
            entities: observer.entities.clone(),
            existing: observer.existing,
        };
        waiting.register(store, id);
    });
}

/// Hook: removes the observer of an entity from which the component is removed.
fn stop(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Some(id) = world.get::<Observer>(context.entity).and_then(Observer::id) {
        world.commands().remove_observer(id);
    }
}

impl_debug!([] Observer => |this, f|
    f.debug_struct("Observer").field("system", &this.system_name()).field("entities", &this.entities).finish());

/// An unregistered observer of any type of event.
trait UnregisteredObserver: Send + Sync {
    fn name(&self) -> &str;

    /// Prepares the system for a store, and adds it as an observer. `of` contains the entities to watch, and whether to
    /// notify the observer of what exists already.
    fn register(
        self: Box<Self>,
        store: &mut Store,
        id: ObserverId,
        rare: Option<Box<RareOptions>>,
        of: (Vec<Entity>, bool),
    );
}

/// An observer with input `I`.
struct WithInput<I: ObserverInput>(Box<dyn Observe<EventOf<I>>>);

impl<I: ObserverInput> UnregisteredObserver for WithInput<I> {
    fn name(&self) -> &str {
        self.0.facts().name
    }

    fn register(
        self: Box<Self>,
        store: &mut Store,
        id: ObserverId,
        rare: Option<Box<RareOptions>>,
        of: (Vec<Entity>, bool),
    ) {
        // The new observer must not be notified of earlier events, so the events left by an interrupted operation are dispatched first.
        let world = store.id();
        store.flush_events();
        assert!(
            world == store.id(),
            "observer `{}`: the world was exchanged for another one before it was added",
            self.0.facts().name
        );
        let mut observer = self.0;
        if let Some(mut rare) = rare {
            rare.is_batch = I::IS_BATCH;
            observer = Box::new(RareObserver { observer, rare: *rare });
        }
        prepare(&mut *observer, store);
        register::<I>(observer, id, store, of);
    }
}

/// Prepares an observer system for a store.
fn prepare(system: &mut dyn SystemCore, store: &mut Store) {
    let world = store.id();
    system.prepare(store);
    let facts = system.facts();
    // The access is checked after `prepare`, because the systems that a composed system consists of are only known then.
    let conditions = facts.conditions.iter().map(|condition| condition.facts());
    for facts in core::iter::once(facts).chain(conditions) {
        facts.access.expect_agreement();
        assert_keeps_structure(facts);
    }
    assert!(world == store.id(), "observer `{}`: a parameter has replaced the world", facts.name);
}

/// Adds a prepared observer.
fn register<I: ObserverInput>(
    mut observer: Box<dyn Observe<EventOf<I>>>,
    id: ObserverId,
    store: &mut Store,
    (entities, existing): (Vec<Entity>, bool),
) {
    // A pattern about all components has the bundle `()`, so its list of components is empty.
    let mut components = bundle_components::<<I::Pattern as EventPattern>::Components>(store).0;
    let mut filter = None;
    if let Some(of_pattern) = <I::Pattern as EventPattern>::FILTER {
        match MatchFilter::new(of_pattern, store) {
            Ok(new) => components.clone_from(&filter.insert(new).components),
            Err(wrong) => panic!("observer `{}`: {wrong}", observer.facts().name),
        }
    }
    let slot = EventOf::<I>::slot();
    let event = store.events.dispatch.register(slot, Observers::<EventOf<I>>::new);
    let Store { structure: Structure { entities: living, .. }, events, .. } = store;
    let observers = match events.dispatch.of(event) {
        Some(observers) => typed::<EventOf<I>>(observers),
        None => None,
    };
    // Observers are added by code that has the world, and such code does not run during a dispatch.
    let Some(observers) = observers else { unreachable!("the event is being told") };
    let existing = if existing { Some(entities.clone()) } else { None };
    let watched = WatchedEvents { entities, components: components.clone(), filter };
    observers.share_meta(&mut *observer);
    // `removed` keeps the removed observers until the end of the function, because dropping them may run user code.
    let new = ListedObserver::new(observer, id, type_name::<I::Pattern>());
    let removed = observers.add(new, watched, living);
    events.dispatch.forget(&removed);
    events.dispatch.enter(id.0, event);
    let Some(moment) = EventOf::<I>::MOMENT else { return };
    let kinds = moment.kinds();
    store.events.dispatch.register_lifecycle(event, kinds);
    let any = components.is_empty().then_some(None);
    store.refresh_observed(components.iter().copied().map(Some).chain(any).chain(removed.unwatched));
    let is_after = kinds.intersects(LifecycleMask::COMES);
    if let Some(entities) = existing.filter(|_| is_after) {
        let events = LifecycleEvents::of_existing(
            &store.structure,
            &components,
            kinds.difference(LifecycleMask::GONE),
            &distinct(entities),
        );
        let at = LifecycleMask::DISPATCHED.iter().position(|&dispatched| dispatched == kinds);
        let caller = store.structure.entities.caller();
        at.into_iter().for_each(|at| notify_observers(store, &events, at, Some(id.0), caller));
        apply_observer_commands(store);
    }
}

/// Removes duplicates.
fn distinct(mut entities: Vec<Entity>) -> Vec<Entity> {
    let mut met = EntityHashSet::default();
    entities.retain(|&entity| met.insert(entity));
    entities
}

impl Observer {
    /// Creates an observer of all events of its type from a system.
    pub fn new<I, Out, M, S>(system: S) -> Self
    where
        I: ObserverInput,
        Out: SystemOutput,
        M: ObserverKind,
        S: IntoSystem<I, Out, M>,
    {
        let () = S::CHECKED;
        let state = ObserverState::Unregistered(S::with_notify_system(system, DescribeObserver), None);
        Self { state, entities: Vec::new(), existing: false }
    }

    /// Makes the observer watch the events of an entity, instead of all events.
    #[must_use]
    pub fn with_entity(mut self, entity: Entity) -> Self {
        self.watch_entity(entity);
        self
    }

    /// Makes the observer watch the events of several entities, like [`with_entity`](Self::with_entity).
    #[must_use]
    pub fn with_entities(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        self.watch_entities(entities);
        self
    }

    /// Makes the observer watch the events of an entity, like [`with_entity`](Self::with_entity).
    pub fn watch_entity(&mut self, entity: Entity) {
        self.entities.push(entity);
    }

    /// Makes the observer watch the events of several entities, like [`with_entities`](Self::with_entities).
    pub fn watch_entities(&mut self, entities: impl IntoIterator<Item = Entity>) {
        self.entities.extend(entities);
    }

    /// Makes the observer run only if a condition holds. All conditions of the observer are evaluated for each event.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Tick;
    /// #[derive(Resource, Default)]
    /// struct Count(u32);
    /// #[derive(Resource)]
    /// struct Paused;
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Count>();
    /// let count = |_: On<Tick>, mut count: ResMut<Count>| count.0 += 1;
    /// world.add_observer(Observer::new(count).run_if(not(resource_exists::<Paused>)));
    /// world.trigger(Tick);
    /// world.insert_resource(Paused);
    /// world.trigger(Tick);
    /// assert_eq!(world.resource::<Count>().0, 1);
    /// ```
    #[must_use]
    pub fn run_if<M>(mut self, condition: impl SystemCondition<M>) -> Self {
        if let ObserverState::Unregistered(_, rare) = &mut self.state {
            rare.get_or_insert_default().conditions.push(condition.into_condition());
        }
        self
    }

    /// Notifies the observer, when it is added, of what exists already. An observer of [`Add`](crate::event::Add) or
    /// [`Insert`](crate::event::Insert) is notified of the entities that have one of its components. An observer of
    /// [`BeginMatch`](crate::event::BeginMatch) is notified of the matching entities. Observers of other events are not
    /// notified of anything. Finding the entities is `O(tables)`, or `O(entities)` if some of the components are
    /// sparse.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Lamp;
    /// #[derive(Resource, Default)]
    /// struct Lamps(usize);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Lamps>();
    /// world.spawn_batch([Lamp, Lamp]);
    /// let count = |add: OnBatch<Add<Lamp>>, mut lamps: ResMut<Lamps>| lamps.0 += add.entities().len();
    /// world.add_observer(Observer::new(count).yield_existing());
    /// world.spawn(Lamp);
    /// assert_eq!(world.resource::<Lamps>().0, 3);
    /// ```
    #[must_use]
    pub fn yield_existing(self) -> Self {
        Self { existing: true, ..self }
    }

    /// Sets the function that handles the errors of this observer: errors that the system returns, and missing
    /// parameters. Without this function, errors are passed to the [error handler](ErrorHandler) of the world. If the
    /// world has no handler, they are treated like errors of commands: see
    /// [`World::on_command_error`](crate::world::World::on_command_error).
    ///
    /// ```
    /// use strata_ecs::error::ignore;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Save;
    ///
    /// let mut world = World::new();
    /// let save = |_: On<Save>| -> Result { Err("the disk is full".into()) };
    /// world.add_observer(Observer::new(save).with_error_handler(ignore));
    /// world.trigger(Save);
    /// assert!(world.take_command_errors().0.is_empty());
    /// world.add_observer(save);
    /// world.trigger(Save);
    /// assert!(world.take_command_errors().0[0].to_string().ends_with("the disk is full"));
    /// ```
    #[must_use]
    pub fn with_error_handler(mut self, handler: ErrorHandler) -> Self {
        if let ObserverState::Unregistered(_, rare) = &mut self.state {
            rare.get_or_insert_default().handler = Some(handler);
        }
        self
    }

    /// Returns the name of the system.
    #[must_use]
    pub fn system_name(&self) -> &str {
        match &self.state {
            ObserverState::Unregistered(system, _) => system.name(),
            ObserverState::Added(added) => &added.1,
        }
    }

    /// Returns the id of the observer, if it has been added to a world as a component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Alarm;
    ///
    /// let mut world = World::new();
    /// let watch = world.spawn(Observer::new(|_: On<Alarm>| {})).id();
    /// let id = world.get::<Observer>(watch).and_then(Observer::id).unwrap();
    /// world.entity_mut(watch).remove::<Observer>();
    /// assert!(!world.remove_observer(id));
    /// ```
    #[must_use]
    pub fn id(&self) -> Option<ObserverId> {
        match &self.state {
            ObserverState::Unregistered(..) => None,
            ObserverState::Added(added) => Some(added.0),
        }
    }

    /// Returns the entities that the observer watches. If empty, it watches the events of all entities.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Adds the observer to a store.
    pub(super) fn register(self, store: &mut Store, id: ObserverId) {
        let Self { state, entities, existing } = self;
        if let ObserverState::Unregistered(system, rare) = state {
            system.register(store, id, rare, (entities, existing));
        }
    }
}

/// Turns a system into an unregistered observer.
struct DescribeObserver;

impl<I: ObserverInput> WithNotifySystem<I> for DescribeObserver {
    type Out = Box<dyn UnregisteredObserver>;

    fn with(self, system: impl NotifySystem<In = I>) -> Box<dyn UnregisteredObserver> {
        assert_keeps_structure(system.facts());
        Box::new(WithInput::<I>(Box::new(system)))
    }
}

/// Checks that an observer, or a condition of an observer, makes no structural changes, because the operation that
/// triggers an event continues after the dispatch.
///
/// # Panics
///
/// If the system may make structural changes.
fn assert_keeps_structure(SystemFacts { name, access, .. }: SystemFacts<'_>) {
    assert!(
        access.keeps_structure(),
        "observer `{name}` takes `&mut World`, which it cannot have while an event is told: take a `DeferredWorld` to change values, or \
         `Commands` for what changes the structure"
    );
}

/// Distinguishes functions that can be observers from functions that take `&mut World`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an observer cannot take `&mut World`: the event is being told, so the world keeps its structure",
    label = "takes `&mut World`",
    note = "take a `DeferredWorld` to change values, or `Commands` for what changes the structure"
)]
pub trait ObserverKind {}

impl ObserverKind for () {}
impl<M> ObserverKind for (FunctionMarker, M) {}
impl ObserverKind for MacroMarker {}
impl<M> ObserverKind for (MacroMarker, M) {}
impl<Input, Own> ObserverKind for (DeferredMarker, Input, Own) {}

/// A type that can be converted into an [`Observer`]: a system whose first parameter is [`On`](super::On) or
/// [`OnBatch`](super::OnBatch).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no observer",
    label = "not an observer",
    note = "an observer is a function whose first parameter is `On<E>`, where `E` is an event, and whose others, at most 16, implement \
            `SystemParam`",
    note = "write `#[observer]` above the function to see which parameter is wrong"
)]
pub trait IntoObserver<Marker>: Sized {
    /// Converts the value into an observer.
    fn into_observer(self) -> Observer;
}

impl IntoObserver<()> for Observer {
    fn into_observer(self) -> Observer {
        self
    }
}

impl<I, Out, M, S> IntoObserver<(I, Out, M)> for S
where
    I: ObserverInput,
    Out: SystemOutput,
    M: ObserverKind,
    S: IntoSystem<I, Out, M>,
{
    fn into_observer(self) -> Observer {
        Observer::new(self)
    }
}

/// A type that can be converted into an observer of one entity. Like [`IntoObserver`], but only for events that have a
/// target.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot observe an entity",
    label = "not an observer of an event with a target",
    note = "its first parameter is `On<E>`, where `E` is an event with `#[derive(EntityEvent)]`; the others, at most 16, implement \
            `SystemParam`",
    note = "write `#[observer]` above the function to see which parameter is wrong"
)]
pub trait IntoEntityObserver<Marker>: Sized {
    /// Converts the value into an observer of the entity.
    fn into_observer_for_entity(self, entity: Entity) -> Observer;
}

impl<I, Out, M, S> IntoEntityObserver<(I, Out, M)> for S
where
    I: ObserverInput<Pattern: EventPattern<Event: EntityEvent>>,
    Out: SystemOutput,
    M: ObserverKind,
    S: IntoSystem<I, Out, M>,
{
    fn into_observer_for_entity(self, entity: Entity) -> Observer {
        Observer::new(self).with_entity(entity)
    }
}

/// An observer system with a run condition: see [`ObserverSystemExt::run_if`].
pub struct ObserverWithCondition<I> {
    observer: Observer,
    marker: PhantomData<fn(I)>,
}

/// Adds run conditions to observer systems.
pub trait ObserverSystemExt<I: ObserverInput, Out, M>: Sized {
    /// Makes the observer run only if a condition holds: see [`Observer::run_if`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Tick;
    /// #[derive(Resource, Default)]
    /// struct Count(u32);
    ///
    /// fn count(_: On<Tick>, mut count: ResMut<Count>) {
    ///     count.0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Count>();
    /// world.add_observer(count.run_if(|count: Res<Count>| count.0 < 2));
    /// (0..5).for_each(|_| world.trigger(Tick));
    /// assert_eq!(world.resource::<Count>().0, 2);
    /// ```
    fn run_if<C>(self, condition: impl SystemCondition<C>) -> ObserverWithCondition<I>;
}

impl<I, Out, M, S> ObserverSystemExt<I, Out, M> for S
where
    I: ObserverInput,
    Out: SystemOutput,
    M: ObserverKind,
    S: IntoSystem<I, Out, M>,
{
    fn run_if<C>(self, condition: impl SystemCondition<C>) -> ObserverWithCondition<I> {
        ObserverWithCondition { observer: Observer::new(self).run_if(condition), marker: PhantomData }
    }
}

impl<I> ObserverWithCondition<I> {
    /// Adds another condition: the observer runs only if all conditions hold.
    #[must_use]
    pub fn run_if<C>(self, condition: impl SystemCondition<C>) -> Self {
        Self { observer: self.observer.run_if(condition), ..self }
    }
}

/// Marker type: distinguishes observers with conditions from systems.
#[doc(hidden)]
pub struct ConditionMarker;

impl<I: ObserverInput> IntoObserver<ConditionMarker> for ObserverWithCondition<I> {
    fn into_observer(self) -> Observer {
        self.observer
    }
}

impl<I> IntoEntityObserver<ConditionMarker> for ObserverWithCondition<I>
where
    I: ObserverInput<Pattern: EventPattern<Event: EntityEvent>>,
{
    fn into_observer_for_entity(self, entity: Entity) -> Observer {
        self.observer.with_entity(entity)
    }
}
