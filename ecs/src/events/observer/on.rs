//! The input of an observer of single events.
//!
//! Tests: tests/observers/params.rs, tests/observers/propagation.rs

use core::fmt;
use core::marker::PhantomData;

use super::id::ObserverId;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::events::event::{EntityEvent, Event, EventPattern, PropagateEntityTrigger, Traversal, Trigger as _};
use crate::system::{SystemInput, WrittenInput};
use crate::util::origin::Origin;

/// The trigger type of the events of a pattern.
pub(super) type TriggerOf<P> = <<P as EventPattern>::Event as Event>::Trigger<'static>;

/// The event, as the first parameter of an observer. It dereferences to the event.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(EntityEvent)]
/// struct Hit {
///     entity: Entity,
///     damage: u32,
/// }
/// #[derive(Component)]
/// struct Armor(u32);
///
/// // It runs before the observers of single entities, and changes what they see.
/// fn absorb(mut hit: On<Hit>, armors: Query<&Armor>) {
///     if let Ok(armor) = armors.get(hit.entity) {
///         hit.damage = hit.damage.saturating_sub(armor.0);
///     }
/// }
///
/// let mut world = World::new();
/// world.add_observer(absorb);
/// let knight = world.spawn(Armor(3)).id();
/// let mut hit = Hit { entity: knight, damage: 5 };
/// world.trigger_ref(&mut hit);
/// assert_eq!(hit.damage, 2);
/// ```
pub struct On<'w, 't, P: EventPattern> {
    given: OnInput<'w, P>,
    marker: PhantomData<&'t ()>,
}

/// The input of an observer system: see [`On`].
pub struct OnInput<'w, P: EventPattern> {
    pub(crate) event: &'w mut P::Event,
    pub(super) trigger: &'w mut TriggerOf<P>,
    pub(super) observer: ObserverId,
    pub(super) caller: Origin,
    /// Set to false if the observer changes the trigger.
    pub(super) is_kept: &'w mut bool,
}

impl<P: EventPattern> OnInput<'_, P> {
    /// Reborrows the input for a shorter lifetime.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> OnInput<'_, P> {
        let Self { event, trigger, observer, caller, is_kept } = self;
        OnInput { event, trigger, observer: *observer, caller: *caller, is_kept }
    }
}

/// The inputs of an observer for several entities of one operation, one after the other.
#[doc(hidden)]
pub struct OnAbout<'a, P: EventPattern> {
    pub(super) event: Option<P::Event>,
    pub(super) trigger: &'a mut TriggerOf<P>,
    /// Whether the components of the trigger are already set for these entities.
    pub(super) is_set: bool,
    pub(super) components: &'a [ComponentId],
    pub(super) observer: ObserverId,
    pub(super) caller: Origin,
}

impl<P: EventPattern> On<'_, '_, P> {
    /// Returns the event.
    #[must_use]
    pub fn event(&self) -> &P::Event {
        self.given.event
    }

    /// Returns mutable access to the event. Changes are visible to the next observers.
    #[must_use]
    pub fn event_mut(&mut self) -> &mut P::Event {
        self.given.event
    }

    /// Returns the trigger, which determines how the event reached the observer.
    #[must_use]
    pub fn trigger(&self) -> &TriggerOf<P> {
        self.given.trigger
    }

    /// Returns mutable access to the trigger. With it, an observer can change where the event propagates to.
    #[must_use]
    pub fn trigger_mut(&mut self) -> &mut TriggerOf<P> {
        *self.given.is_kept = false;
        self.given.trigger
    }

    getters! {
        /// Returns the id of the observer that is running.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Event)]
        /// struct Alarm;
        /// #[derive(Resource, Default)]
        /// struct Alarms(u32);
        ///
        /// // The observer runs once.
        /// fn wake_up(alarm: On<Alarm>, mut alarms: ResMut<Alarms>, mut commands: Commands) {
        ///     alarms.0 += 1;
        ///     commands.remove_observer(alarm.observer());
        /// }
        ///
        /// let mut world = World::new();
        /// world.init_resource::<Alarms>();
        /// world.add_observer(wake_up);
        /// world.trigger(Alarm);
        /// world.trigger(Alarm);
        /// assert_eq!(world.resource::<Alarms>().0, 1);
        /// ```
        pub fn observer(&self) -> ObserverId = self.given.observer;

        /// Returns the origin of the event: a source line, and the system that recorded a command at that line. For a
        /// lifecycle event it is the origin of the operation. It is recorded only with the feature `track_location`.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Event)]
        /// struct Alarm;
        ///
        /// let mut world = World::new();
        /// world.add_observer(|alarm: On<Alarm>| {
        ///     if alarm.caller().is_known() {
        ///         println!("an alarm from {}", alarm.caller()); // src/main.rs:12:7
        ///     }
        /// });
        /// world.trigger(Alarm);
        /// ```
        pub fn caller(&self) -> Origin = self.given.caller;
    }
}

impl<const AUTO: bool, P, T> On<'_, '_, P>
where
    P: EventPattern<Event: EntityEvent + Event<Trigger<'static> = PropagateEntityTrigger<AUTO, P::Event, T>>>,
    T: Traversal<P::Event>,
{
    /// Returns the entity for which the event was triggered. The event may have propagated from there.
    #[must_use]
    pub fn original_event_target(&self) -> Entity {
        self.given.trigger.original_event_target
    }

    /// Sets whether the event propagates further after all observers of the current entity have been notified.
    pub fn propagate(&mut self, goes_on: bool) {
        self.given.trigger.propagate = goes_on;
    }

    /// Returns whether the event propagates to the next entity.
    #[must_use]
    pub fn get_propagate(&self) -> bool {
        self.given.trigger.propagate
    }
}

impl_deref_mut!(#[inline] [P: EventPattern] On<'_, '_, P> => P::Event, |this| *this.given.event);

impl_debug!([P: EventPattern<Event: fmt::Debug>] On<'_, '_, P> => |this, f|
    f.debug_struct("On").field("event", this.event()).field("observer", &this.observer()).finish());

impl<P: EventPattern> SystemInput for On<'_, '_, P> {
    type Param<'i> = On<'i, 'i, P>;
    type Inner<'i> = OnInput<'i, P>;

    #[inline(always)]
    fn wrap(given: Self::Inner<'_>) -> Self::Param<'_> {
        On { given, marker: PhantomData }
    }

    const IS_EVENT: bool = true;

    type About<'a> = OnAbout<'a, P>;

    #[inline(always)]
    fn begin<'b>(about: &'b mut OnAbout<'_, P>) -> OnAbout<'b, P> {
        let &mut OnAbout { ref mut trigger, components, observer, caller, .. } = about;
        trigger.set_components(components);
        OnAbout { event: None, trigger, is_set: true, components, observer, caller }
    }

    #[inline(always)]
    fn about<'i>(about: &'i mut OnAbout<'_, P>, entity: Entity) -> OnInput<'i, P> {
        let OnAbout { event, trigger, is_set, components, observer, caller } = about;
        // The observer may have changed the trigger in the previous call, so the components are set again.
        if !*is_set {
            trigger.set_components(components);
            *is_set = true;
        }
        // The event is written for each row, without a test whether it is present. The test would be a branch per row: an `Entity` has a
        // niche, and the compiler does not know that it is unused in memory.
        let event = event.insert(P::Event::of_operation(entity));
        OnInput { event, trigger, observer: *observer, caller: *caller, is_kept: is_set }
    }
}

impl<P: EventPattern> WrittenInput for On<'_, '_, P> {}
