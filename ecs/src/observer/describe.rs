//! What can be made an observer.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::id::ObserverId;
use super::input::{EventOf, Observed, ObserverInput};
use super::lifecycle::{TELL, tell_of_existing};
use super::matched::MatchFilter;
use super::observers::{Observe, Observers, Watched, typed};
use super::on::TriggerOf;
use crate::change::WriteEntity;
use crate::command::defer_direct;
use crate::component::{Component, ComponentId, HookContext, Kinds};
use crate::entity::{Entity, EntityHashSet};
use crate::error::{EcsError, ErrorContext, ErrorHandler, Severity};
use crate::event::{EntityEvent, Event, EventPattern, Moment};
use crate::store::{Affected, CommandFailure, Store};
use crate::system::{
    BoxedSystem, FunctionMarker, IntoSystem, MacroMarker, NotDone, ParamError, System, SystemCondition, SystemInput,
    SystemMeta, SystemOutput, TellSystem, WithTellSystem,
};
use crate::trace;
use crate::world::{DeferredMarker, DeferredWorld, World};

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
    Waiting(Box<dyn Unregistered>),
    /// It was added to a world as a component.
    Added(Box<(ObserverId, Box<str>)>),
}

/// Adds the observer that an entity has got.
fn start(mut world: DeferredWorld<'_>, context: HookContext) {
    world.commands().queue(move |world: &mut World| {
        let store = &mut world.store;
        let Some(mut observer) = WriteEntity::new(store, context.entity).into_mut_told::<Observer>() else { return };
        let State::Waiting(system) = &observer.state else { return };
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

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").field("system", &self.system_name()).field("entities", &self.entities).finish()
    }
}

/// A system that observes, of whatever type of event.
trait Unregistered: Send + Sync {
    fn name(&self) -> &str;

    fn run_if(&mut self, condition: BoxedSystem<(), bool>);

    fn handle(&mut self, handler: ErrorHandler);

    /// Prepares the system for a store and adds it. It is told of what exists already if that is said.
    fn register(self: Box<Self>, store: &mut Store, id: ObserverId, entities: Vec<Entity>, existing: bool);
}

/// A system that observes.
struct ObserverSystem<I, S> {
    rare: Option<Box<Rare>>,
    system: S,
    marker: PhantomData<fn() -> I>,
}

/// What most observers have not.
#[derive(Default)]
struct Rare {
    conditions: Vec<BoxedSystem<(), bool>>,
    handler: Option<ErrorHandler>,
}

impl Rare {
    /// Evaluates the run conditions of an observer. One that cannot run does not hold, and is reported.
    #[cold]
    fn conditions_hold(&mut self, observer: &str, event: &'static str, store: &mut Store) -> bool {
        // All are evaluated, so that each sees all changes.
        let mut hold = true;
        for condition in &mut self.conditions {
            let held = condition.run_alone((), store);
            condition.apply_deferred(store);
            hold &= held.unwrap_or_else(|error| {
                let failed = Failed { observer, event, handler: self.handler };
                failed.condition_not_run(condition.name().to_string(), error, store);
                false
            });
        }
        hold
    }
}

impl<I: ObserverInput, S: TellSystem<I>> Unregistered for ObserverSystem<I, S> {
    fn name(&self) -> &str {
        self.system.system().name()
    }

    fn run_if(&mut self, condition: BoxedSystem<(), bool>) {
        self.rare.get_or_insert_default().conditions.push(condition);
    }

    fn handle(&mut self, handler: ErrorHandler) {
        self.rare.get_or_insert_default().handler = Some(handler);
    }

    fn register(mut self: Box<Self>, store: &mut Store, id: ObserverId, entities: Vec<Entity>, existing: bool) {
        // It is told of what happens from now on. What an operation that was broken off has left comes before.
        let world = store.id();
        store.react();
        let name = self.system.system().name();
        assert!(world == store.id(), "observer `{name}`: the world was exchanged for another one before it was added");
        let conditions = match &mut self.rare {
            Some(rare) => &mut rare.conditions[..],
            None => &mut [],
        };
        prepare(self.system.system_mut(), conditions, store);
        register::<I>(self, store, id, entities, existing);
    }
}

/// Prepares a system that observes for a store.
fn prepare<I: ObserverInput>(
    system: &mut dyn System<In = I, Out = Result<(), EcsError>>,
    conditions: &mut [BoxedSystem<(), bool>],
    store: &mut Store,
) {
    let world = store.id();
    system.prepare(store);
    conditions.iter_mut().for_each(|condition| condition.prepare(store));
    system.access().expect_agreement();
    conditions.iter().for_each(|condition| condition.access().expect_agreement());
    // What systems are made of others is known now.
    assert_keeps_structure(system);
    conditions.iter().for_each(|condition| assert_keeps_structure(&**condition));
    assert!(world == store.id(), "observer `{}`: a parameter has replaced the world", system.name());
}

/// Adds an observer that has been prepared. It is told of what exists already if that is said.
fn register<I: ObserverInput>(
    mut observer: Box<dyn Observe<EventOf<I>>>,
    store: &mut Store,
    id: ObserverId,
    entities: Vec<Entity>,
    existing: bool,
) {
    // `()` is the bundle of no components.
    let mut components = store.bundle_components::<<I::Pattern as EventPattern>::Components>().0;
    let mut filter = None;
    if let Some(of_pattern) = <I::Pattern as EventPattern>::FILTER {
        match MatchFilter::new(of_pattern, store) {
            Ok(new) => components.clone_from(&filter.insert(new).components),
            Err(wrong) => panic!("observer `{}`: {wrong}", observer.name()),
        }
    }
    let slot = EventOf::<I>::slot();
    let event = store.reactions.register(slot, Observers::<EventOf<I>>::new);
    let Store { reactions, entities: living, .. } = store;
    let observers = match reactions.of(event) {
        Some(observers) => typed::<EventOf<I>>(observers),
        None => None,
    };
    // Observers are added by code that has the world, and such code does not run while an event is told.
    let Some(observers) = observers else { unreachable!("the event is being told") };
    let existing = if existing { Some(entities.clone()) } else { None };
    let watched = Watched { entities, components: components.clone(), filter };
    observers.share_meta(&mut *observer);
    // Those are dropped when all is done.
    let removed = observers.add(id, observer, watched, living);
    reactions.forget(&removed);
    reactions.enter(id.0, event);
    let Some(moment) = EventOf::<I>::MOMENT else { return };
    listen(store, moment, &components, removed.unwatched);
    if let Some(entities) = existing {
        let kinds = moment.kinds().without(Kinds::GONE);
        let news = store.news_of_existing(&components, kinds, &distinct(entities));
        tell_of_existing(store, moment, id, &news.view());
    }
}

/// Has a store report to an observer of these components, or of all entities if there are none.
fn listen(
    store: &mut Store,
    moment: Moment,
    components: &[ComponentId],
    unwatched: impl IntoIterator<Item = Option<ComponentId>>,
) {
    store.reactions.hears_of_matches |= moment.is_of_matches();
    store.set_tell(&TELL);
    let any = components.is_empty().then_some(None);
    store.hear_anew(components.iter().copied().map(Some).chain(any).chain(unwatched));
}

/// Each entity once.
fn distinct(mut entities: Vec<Entity>) -> Vec<Entity> {
    let mut met = EntityHashSet::default();
    entities.retain(|&entity| met.insert(entity));
    entities
}

impl<I: ObserverInput, S: TellSystem<I>> Observe<EventOf<I>> for ObserverSystem<I, S> {
    fn name(&self) -> &str {
        self.system.system().name()
    }

    fn has_conditions(&self) -> bool {
        matches!(&self.rare, Some(rare) if !rare.conditions.is_empty())
    }

    fn share_meta(&mut self, other: Option<&Arc<SystemMeta>>) -> Option<Arc<SystemMeta>> {
        self.system.share_meta(other)
    }

    #[inline]
    fn observe(
        &mut self,
        event: &mut EventOf<I>,
        trigger: &mut TriggerOf<EventOf<I>>,
        id: ObserverId,
        store: &mut Store,
    ) {
        // What is rare, or has to be followed by something, stands elsewhere and does not come back: so the other way saves no registers.
        if self.rare.is_none()
            && !cfg!(feature = "trace")
            && let Some(observed) = I::observe_lightly(&mut self.system, event, trigger, id, store)
        {
            // A system that has only its parameters has recorded nothing beside them.
            return match observed {
                Ok(()) => {}
                Err(not_done) => self.not_done(not_done, store),
            };
        }
        self.observe_with_care(event, trigger, id, store);
    }

    fn observe_all(
        &mut self,
        affected: Affected<'_>,
        components: &[ComponentId],
        trigger: &mut TriggerOf<EventOf<I>>,
        id: ObserverId,
        store: &mut Store,
    ) {
        let _span = trace::observer(self.system.system().name(), type_name::<I::Pattern>());
        let (mut next, count) = (0, affected.len());
        while next < count {
            let mut end = count;
            if self.rare.is_some() {
                end = I::next(affected, next);
                if !self.conditions_hold(store) {
                    next = end;
                    continue;
                }
            }
            let some = (affected, next..end);
            let (behind, observed) = I::observe_next(&mut self.system, some, components, trigger, id, store);
            next = behind;
            self.done(observed, store);
        }
    }
}

impl<I: ObserverInput, S: TellSystem<I>> ObserverSystem<I, S> {
    #[inline(never)]
    fn observe_with_care(
        &mut self,
        event: &mut EventOf<I>,
        trigger: &mut TriggerOf<EventOf<I>>,
        id: ObserverId,
        store: &mut Store,
    ) {
        let _span = trace::observer(self.system.system().name(), type_name::<I::Pattern>());
        if self.rare.is_none() || self.conditions_hold(store) {
            let observed = I::observe(&mut self.system, event, trigger, id, store);
            self.done(observed, store);
        }
    }

    fn conditions_hold(&mut self, store: &mut Store) -> bool {
        let Some(rare) = &mut self.rare else { return true };
        rare.conditions_hold(self.system.system().name(), type_name::<EventOf<I>>(), store)
    }

    fn failed(&self) -> Failed<'_> {
        let handler = match &self.rare {
            Some(rare) => rare.handler,
            None => None,
        };
        Failed { observer: self.system.system().name(), event: type_name::<EventOf<I>>(), handler }
    }

    #[inline(always)]
    fn done(&self, observed: Observed, store: &mut Store) {
        defer_direct(store);
        if let Err(not_done) = observed {
            self.not_done(not_done, store);
        }
    }

    #[cold]
    #[inline(never)]
    #[expect(clippy::boxed_local, reason = "to take it out is done here, and not where observers are told")]
    fn not_done(&self, not_done: Box<NotDone>, store: &mut Store) {
        self.failed().not_done(*not_done, store);
    }
}

/// An observer for which something did not go well.
struct Failed<'o> {
    observer: &'o str,
    event: &'static str,
    handler: Option<ErrorHandler>,
}

impl Failed<'_> {
    fn not_done(&self, not_done: NotDone, store: &mut Store) {
        match not_done {
            NotDone::Failed(error) => self.failed(error, store),
            NotDone::NotRun(error) => self.not_run(error, store),
        }
    }

    /// The system has returned an error.
    #[cold]
    fn failed(&self, error: EcsError, store: &mut Store) {
        let Some(error) = self.handle(error, self.context(), store) else { return };
        match error.severity() {
            Severity::Error | Severity::Panic => self.report(&error.to_string(), store),
            Severity::Warning => trace::warn(&error),
            _ => {}
        }
    }

    /// A parameter could not be fetched.
    #[cold]
    fn not_run(&self, error: ParamError, store: &mut Store) {
        if error.is_skip() {
            return;
        }
        if let Some(error) = self.handle(error.into(), self.context(), store) {
            self.report(&alloc::format!("it could not run: {error}"), store);
        }
    }

    /// A run condition could not run.
    #[cold]
    fn condition_not_run(&self, condition: String, error: ParamError, store: &mut Store) {
        if error.is_skip() {
            return;
        }
        let text = alloc::format!("run condition `{condition}` could not run: ");
        let context =
            ErrorContext::run_condition(condition).of_event(self.event).of_system(Some(self.observer.to_string()));
        if let Some(error) = self.handle(error.into(), context, store) {
            self.report(&(text + &error.to_string()), store);
        }
    }

    fn context(&self) -> ErrorContext {
        ErrorContext::observer(self.observer).of_event(self.event)
    }

    /// Passes an error to the handler of the observer, or else to that of the world; gives it back if there is neither.
    fn handle(&self, error: EcsError, context: ErrorContext, store: &Store) -> Option<EcsError> {
        match self.handler {
            Some(handler) => {
                handler(error, context);
                None
            }
            None => store.command_errors.handle(error, |_| context),
        }
    }

    #[cold]
    fn report(&self, reason: &str, store: &mut Store) {
        let by = store.entities.acting();
        let failure = CommandFailure::Observer { observer: Arc::from(self.observer), reason: Arc::from(reason) };
        store.command_errors.report("trigger", self.event, failure, by);
    }
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
        let state = State::Waiting(S::with_tell_system(system, Describing));
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
        if let State::Waiting(system) = &mut self.state {
            system.run_if(condition.into_condition());
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
        if let State::Waiting(system) = &mut self.state {
            system.handle(handler);
        }
        self
    }

    /// The name of the system.
    #[must_use]
    pub fn system_name(&self) -> &str {
        match &self.state {
            State::Waiting(system) => system.name(),
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
            State::Waiting(_) => None,
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
        if let State::Waiting(system) = self.state {
            system.register(store, id, self.entities, self.existing);
        }
    }
}

/// Makes an observer of a system.
struct Describing;

impl<I: ObserverInput> WithTellSystem<I> for Describing {
    type Out = Box<dyn Unregistered>;

    fn with(self, system: impl TellSystem<I>) -> Box<dyn Unregistered> {
        assert_keeps_structure(system.system());
        Box::new(ObserverSystem { rare: None, system, marker: PhantomData })
    }
}

/// An operation goes on while observers are told: what they and their conditions are must not change entities.
///
/// # Panics
///
/// If the system may do that.
fn assert_keeps_structure<I: SystemInput + 'static, Out: 'static>(system: &dyn System<In = I, Out = Out>) {
    assert!(
        system.access().keeps_structure(),
        "observer `{}` takes `&mut World`, which it cannot have while an event is told: take a `DeferredWorld` to change values, or \
         `Commands` for what changes the structure",
        system.name()
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
