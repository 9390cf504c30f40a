//! What can be made an observer.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;

use super::id::ObserverId;
use super::input::{EventOf, ObserverInput};
use super::matched::MatchFilter;
use super::observers::{NewObserver, Observe, Observers, RareObserver, Watched, typed};
use super::rare::Rare;
use crate::change::WriteEntity;
use crate::command::apply_observer_commands;
use crate::component::{Component, HookContext, Kinds};
use crate::entity::{Entity, EntityHashSet};
use crate::error::ErrorHandler;
use crate::event::{EntityEvent, Event, EventPattern};
use crate::store::{LifecycleEvents, Store, Structure, bundle_components};
use crate::system::{
    FunctionMarker, IntoSystem, MacroMarker, NotifySystem, SystemCondition, SystemCore, SystemFacts, SystemOutput,
    WithNotifySystem,
};
use crate::world::{DeferredMarker, DeferredWorld, World, notify_observers};

/// An observer that is not in a world yet: a system, what it watches, and conditions.
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
/// It is a component, too: an entity that gets it keeps the observer, which goes when the component is removed or replaced, or the entity
/// ends. So an observer can be spawned along with what it belongs to, as a child of it, or with a [`Name`](crate::name::Name). It is added
/// by a command of the operation that inserts it. The system cannot be cloned; one that has been taken out of a world observes nothing any more.
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
    state: State,
    entities: Vec<Entity>,
    /// Whether it is told of what exists already.
    existing: bool,
}

enum State {
    /// It has not been added to a world.
    Unregistered(Box<dyn Registration>, Option<Box<Rare>>),
    /// It was added to a world as a component.
    Added(Box<(ObserverId, Box<str>)>),
}

/// Adds the observer that an entity has got.
fn start(mut world: DeferredWorld<'_>, context: HookContext) {
    world.commands().queue(move |world: &mut World| {
        let store = &mut world.store;
        let Some(mut observer) = WriteEntity::new(store, context.entity).into_mut_told::<Observer>() else { return };
        let State::Unregistered(system, _) = &observer.state else { return };
        let id = ObserverId::next();
        let added = State::Added(Box::new((id, Box::from(system.name()))));
        let waiting = Observer {
            state: core::mem::replace(&mut observer.state, added),
            entities: observer.entities.clone(),
            existing: observer.existing,
        };
        waiting.register(store, id);
    });
}

/// Removes the observer that an entity loses.
fn stop(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Some(id) = world.get::<Observer>(context.entity).and_then(Observer::id) {
        world.commands().remove_observer(id);
    }
}

impl_debug!([] Observer => |this, f|
    f.debug_struct("Observer").field("system", &this.system_name()).field("entities", &this.entities).finish());

/// An observer, of whatever type of event.
trait Registration: Send + Sync {
    fn name(&self) -> &str;

    /// Prepares the system for a store and adds it, for entities. If the flag is set, it is notified of what exists already.
    fn register(self: Box<Self>, store: &mut Store, id: ObserverId, rare: Option<Box<Rare>>, of: (Vec<Entity>, bool));
}

/// An observer with this input.
struct WithInput<I: ObserverInput>(Box<dyn Observe<EventOf<I>>>);

impl<I: ObserverInput> Registration for WithInput<I> {
    fn name(&self) -> &str {
        self.0.facts().name
    }

    fn register(self: Box<Self>, store: &mut Store, id: ObserverId, rare: Option<Box<Rare>>, of: (Vec<Entity>, bool)) {
        // It is notified of what happens from now on. What an operation that was broken off has left comes before.
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
        register::<I>(NewObserver { observer, id, pattern: type_name::<I::Pattern>() }, store, of);
    }
}

/// Prepares a system that observes for a store.
fn prepare(system: &mut dyn SystemCore, store: &mut Store) {
    let world = store.id();
    system.prepare(store);
    let facts = system.facts();
    // What systems are made of others is known now.
    let conditions = facts.conditions.iter().map(|condition| condition.facts());
    for facts in core::iter::once(facts).chain(conditions) {
        facts.access.expect_agreement();
        assert_keeps_structure(facts);
    }
    assert!(world == store.id(), "observer `{}`: a parameter has replaced the world", facts.name);
}

/// Adds an observer that has been prepared.
fn register<I: ObserverInput>(
    mut new: NewObserver<EventOf<I>>,
    store: &mut Store,
    (entities, existing): (Vec<Entity>, bool),
) {
    let id = new.id;
    // `()` is the bundle of no components.
    let mut components = bundle_components::<<I::Pattern as EventPattern>::Components>(store).0;
    let mut filter = None;
    if let Some(of_pattern) = <I::Pattern as EventPattern>::FILTER {
        match MatchFilter::new(of_pattern, store) {
            Ok(new) => components.clone_from(&filter.insert(new).components),
            Err(wrong) => panic!("observer `{}`: {wrong}", new.observer.facts().name),
        }
    }
    let slot = EventOf::<I>::slot();
    let event = store.events.dispatch.register(slot, Observers::<EventOf<I>>::new);
    let Store { structure: Structure { entities: living, .. }, events, .. } = store;
    let observers = match events.dispatch.of(event) {
        Some(observers) => typed::<EventOf<I>>(observers),
        None => None,
    };
    // Observers are added by code that has the world, and such code does not run while an event is told.
    let Some(observers) = observers else { unreachable!("the event is being told") };
    let existing = if existing { Some(entities.clone()) } else { None };
    let watched = Watched { entities, components: components.clone(), filter };
    observers.share_meta(&mut *new.observer);
    // Those are dropped when all is done.
    let removed = observers.add(new, watched, living);
    events.dispatch.forget(&removed);
    events.dispatch.enter(id.0, event);
    let Some(moment) = EventOf::<I>::MOMENT else { return };
    let kinds = moment.kinds();
    store.events.dispatch.register_lifecycle(event, kinds);
    let any = components.is_empty().then_some(None);
    store.refresh_observed(components.iter().copied().map(Some).chain(any).chain(removed.unwatched));
    let is_after = kinds.intersects(Kinds::COMES);
    if let Some(entities) = existing.filter(|_| is_after) {
        let events = LifecycleEvents::of_existing(
            &store.structure,
            &components,
            kinds.difference(Kinds::GONE),
            &distinct(entities),
        );
        let at = Kinds::DISPATCHED.iter().position(|&dispatched| dispatched == kinds);
        let caller = store.structure.entities.caller();
        at.into_iter().for_each(|at| notify_observers(store, &events, at, Some(id.0), caller));
        apply_observer_commands(store);
    }
}

/// Each entity once.
fn distinct(mut entities: Vec<Entity>) -> Vec<Entity> {
    let mut met = EntityHashSet::default();
    entities.retain(|&entity| met.insert(entity));
    entities
}

impl Observer {
    /// A system as an observer of all events of its type.
    pub fn new<I, Out, M, S>(system: S) -> Self
    where
        I: ObserverInput,
        Out: SystemOutput,
        M: ObserverKind,
        S: IntoSystem<I, Out, M>,
    {
        let () = S::CHECKED;
        let state = State::Unregistered(S::with_notify_system(system, Describing), None);
        Self { state, entities: Vec::new(), existing: false }
    }

    /// Has it watch the events of an entity, and no longer those of all.
    #[must_use]
    pub fn with_entity(mut self, entity: Entity) -> Self {
        self.watch_entity(entity);
        self
    }

    /// As [`with_entity`](Self::with_entity), of several.
    #[must_use]
    pub fn with_entities(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        self.watch_entities(entities);
        self
    }

    /// As [`with_entity`](Self::with_entity).
    pub fn watch_entity(&mut self, entity: Entity) {
        self.entities.push(entity);
    }

    /// As [`with_entities`](Self::with_entities).
    pub fn watch_entities(&mut self, entities: impl IntoIterator<Item = Entity>) {
        self.entities.extend(entities);
    }

    /// Has it run only if a condition holds. All conditions are asked at each event.
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
        if let State::Unregistered(_, rare) = &mut self.state {
            rare.get_or_insert_default().conditions.push(condition.into_condition());
        }
        self
    }

    /// Has it be told, when it is added, of what is there already: an observer of [`Add`](crate::event::Add) or
    /// [`Insert`](crate::event::Insert) of the entities that have one of its components, one of
    /// [`BeginMatch`](crate::event::BeginMatch) of those that match. Others are not told of anything then. `O(tables)`, and
    /// `O(entities)` if sparse components are among them, beside telling.
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

    /// Sets the function that handles the errors of this observer: those that it returns, and missing parameters. Without it they go to the
    /// [error handler](ErrorHandler) of the world or, if there is none, where those of commands go: see
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
        if let State::Unregistered(_, rare) = &mut self.state {
            rare.get_or_insert_default().handler = Some(handler);
        }
        self
    }

    /// The name of the system.
    #[must_use]
    pub fn system_name(&self) -> &str {
        match &self.state {
            State::Unregistered(system, _) => system.name(),
            State::Added(added) => &added.1,
        }
    }

    /// Its handle, if it was added to a world as a component.
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
            State::Unregistered(..) => None,
            State::Added(added) => Some(added.0),
        }
    }

    /// The entities that it watches; it watches all events if there are none.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Adds it to a store.
    pub(super) fn register(self, store: &mut Store, id: ObserverId) {
        let Self { state, entities, existing } = self;
        if let State::Unregistered(system, rare) = state {
            system.register(store, id, rare, (entities, existing));
        }
    }
}

/// Makes an observer of a system.
struct Describing;

impl<I: ObserverInput> WithNotifySystem<I> for Describing {
    type Out = Box<dyn Registration>;

    fn with(self, system: impl NotifySystem<In = I>) -> Box<dyn Registration> {
        assert_keeps_structure(system.facts());
        Box::new(WithInput::<I>(Box::new(system)))
    }
}

/// An operation goes on while observers are told: what they and their conditions are must not change entities.
///
/// # Panics
///
/// If the system may do that.
fn assert_keeps_structure(SystemFacts { name, access, .. }: SystemFacts<'_>) {
    assert!(
        access.keeps_structure(),
        "observer `{name}` takes `&mut World`, which it cannot have while an event is told: take a `DeferredWorld` to change values, or \
         `Commands` for what changes the structure"
    );
}

/// Keeps functions that can observe apart from those that take `&mut World`.
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

/// What can be made an [`Observer`]: a system whose first parameter is [`On`](super::On) or [`OnBatch`](super::OnBatch).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no observer",
    label = "not an observer",
    note = "an observer is a function whose first parameter is `On<E>`, where `E` is an event, and whose others, at most 16, implement \
            `SystemParam`",
    note = "write `#[observer]` above the function to see which parameter is wrong"
)]
pub trait IntoObserver<Marker>: Sized {
    /// The observer.
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

/// What can be made an observer of one entity: as [`IntoObserver`], for events that have a target.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot observe an entity",
    label = "not an observer of an event with a target",
    note = "its first parameter is `On<E>`, where `E` is an event with `#[derive(EntityEvent)]`; the others, at most 16, implement \
            `SystemParam`",
    note = "write `#[observer]` above the function to see which parameter is wrong"
)]
pub trait IntoEntityObserver<Marker>: Sized {
    /// The observer of the entity.
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

/// A system that observes if a condition holds: see [`ObserverSystemExt::run_if`].
pub struct ObserverWithCondition<I> {
    observer: Observer,
    marker: PhantomData<fn(I)>,
}

/// Conditions for systems that observe.
pub trait ObserverSystemExt<I: ObserverInput, Out, M>: Sized {
    /// Has the observer run only if a condition holds: as [`Observer::run_if`].
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
    /// Has it run only if another condition holds as well.
    #[must_use]
    pub fn run_if<C>(self, condition: impl SystemCondition<C>) -> Self {
        Self { observer: self.observer.run_if(condition), ..self }
    }
}

/// Keeps observers with conditions apart from systems.
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
