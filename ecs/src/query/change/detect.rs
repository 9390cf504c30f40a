//! Traits for references that detect changes.
//!
//! Tests: tests/changes/change_detection/detect.rs

use crate::storage::tick::Tick;
use crate::util::origin::Origin;
use alloc::borrow::ToOwned;

/// Gives access to the ticks of a component or resource: when it was added, and when it was last changed.
///
/// The page on [change detection](crate::change_detection) describes which operations count as changes and which systems see them.
/// A value without ticks counts as new. There are no ticks in three cases: no system has checked the component for changes so far
/// (the first check begins to track them), the component has `#[component(track = "never")]`, or the reference was made directly
/// for a test.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
///
/// fn show(score: Res<Score>) -> bool {
///     score.is_changed()
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let mut schedule = Schedule::default();
/// schedule.add_systems(show.map(|changed: bool| assert!(changed)));
/// schedule.run(&mut world);
/// ```
pub trait DetectChanges {
    /// Returns whether the value was added since the last run of the system. In the first run of the system, every value counts as
    /// added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn welcome(healths: Query<Ref<Health>>) -> usize {
    ///     healths.iter().filter(|health| health.is_added()).count()
    /// }
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert_eq!(world.run_system_once(welcome).unwrap(), 1);
    /// ```
    fn is_added(&self) -> bool;

    /// Returns whether the value was added or changed since the last run of the system. In the first run of the system, every value
    /// counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<Ref<Health>>();
    /// world.clear_trackers();
    /// assert!(!query.single(&world).unwrap().is_changed());
    /// world.get_mut::<Health>(entity).unwrap().0 += 1;
    /// assert!(query.single(&world).unwrap().is_changed());
    /// ```
    fn is_changed(&self) -> bool;

    /// Returns whether the value was added after a tick.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// let before = world.change_tick();
    /// world.increment_change_tick();
    /// world.insert_resource(Score(3));
    /// let score = world.resource_mut::<Score>();
    /// assert!(score.is_added_after(before));
    /// assert!(!score.is_added_after(score.added()));
    /// ```
    fn is_added_after(&self, other: Tick) -> bool;

    /// Returns whether the value was added or changed after a tick. Use this to recompute a derived value only if its source is
    /// newer.
    ///
    /// A value without ticks counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Source(u32);
    /// # #[derive(Component)] struct Derived(u32);
    ///
    /// fn square(mut values: Query<(Ref<Source>, Mut<Derived>)>) {
    ///     for (source, mut derived) in &mut values {
    ///         if source.is_changed_after(derived.last_changed()) {
    ///             derived.0 = source.0 * source.0;
    ///         }
    ///     }
    /// }
    /// # let mut world = World::new();
    /// # let entity = world.spawn((Source(3), Derived(0))).id();
    /// # let mut schedule = Schedule::default();
    /// # schedule.add_systems(square);
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.get::<Derived>(entity).unwrap().0, 0);
    /// # world.get_mut::<Source>(entity).unwrap().0 = 4;
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.get::<Derived>(entity).unwrap().0, 16);
    /// ```
    fn is_changed_after(&self, other: Tick) -> bool;

    /// Returns the tick of the last change. Adding the value counts as a change.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let now = world.change_tick();
    /// assert_eq!(world.resource_mut::<Score>().last_changed(), now);
    /// ```
    fn last_changed(&self) -> Tick;

    /// Returns the tick at which the value was added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let now = world.change_tick();
    /// world.increment_change_tick();
    /// world.resource_mut::<Score>().0 += 1;
    /// assert_eq!(world.resource_mut::<Score>().added(), now);
    /// ```
    fn added(&self) -> Tick;

    /// Returns the origin of the last change. Adding the value counts as a change. The origin is only known with the feature
    /// `track_location`.
    ///
    /// The origin is unknown for a component with `#[component(track = "never")]` and for a reference that was made directly.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// world.resource_mut::<Score>().0 += 1;
    /// println!("changed last at {}", world.resource_mut::<Score>().changed_by());
    /// ```
    fn changed_by(&self) -> Origin;
}

/// A mutable reference to a component or resource that records changes.
///
/// Dereferencing the reference mutably is a change, even if the value stays the same.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, PartialEq)] struct Health(u32);
///
/// #[system]
/// fn cap(mut health: Mut<Health>) {
///     if health.0 > 100 {
///         health.0 = 100; // Only such a row is changed.
///     }
/// }
/// ```
pub trait DetectChangesMut: DetectChanges {
    /// The component or resource.
    type Inner: ?Sized;

    /// Marks the value as changed. Use this for changes that the reference cannot detect.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    /// world.clear_trackers();
    /// world.get_mut::<Health>(entity).unwrap().set_changed();
    /// assert_eq!(changed.iter(&world).count(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    fn set_changed(&mut self);

    /// Marks the value as added, and therefore as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut added = world.query_filtered::<Entity, Added<Health>>();
    /// world.clear_trackers();
    /// world.get_mut::<Health>(entity).unwrap().set_added();
    /// assert_eq!(added.iter(&world).count(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    fn set_added(&mut self);

    /// Sets the tick of the last change. An earlier tick hides a change from systems that have not seen it. A tick in the future
    /// counts as the current tick.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    /// let before = world.change_tick();
    /// world.clear_trackers();
    /// let mut health = world.get_mut::<Health>(entity).unwrap();
    /// health.0 = 4;
    /// health.set_last_changed(before);
    /// assert_eq!(changed.iter(&world).count(), 0);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    fn set_last_changed(&mut self, tick: Tick);

    /// Sets the ticks of the addition and of the last change.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// let before = world.change_tick();
    /// world.increment_change_tick();
    /// world.insert_resource(Score(3));
    /// world.resource_mut::<Score>().set_last_added(before);
    /// assert_eq!(world.resource_mut::<Score>().added(), before);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    fn set_last_added(&mut self, tick: Tick);

    /// Returns the plain reference, for a change that no system should see.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = 3;
    /// let mut health = Mut::from(&mut value);
    /// *health.bypass_change_detection() += 1;
    /// assert_eq!(*health, 4);
    /// ```
    fn bypass_change_detection(&mut self) -> &mut Self::Inner;

    /// Writes `value` if it differs from the old value, and returns whether it differs. An equal value is dropped, and nothing
    /// counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = 3;
    /// let mut health = Mut::from(&mut value);
    /// assert!(!health.set_if_neq(3));
    /// assert!(health.set_if_neq(4));
    /// assert_eq!(value, 4);
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn set_if_neq(&mut self, value: Self::Inner) -> bool
    where
        Self::Inner: Sized + PartialEq,
    {
        self.replace_if_neq(value).is_some()
    }

    /// Writes `value` if it differs from the old value, and returns the old value. If both are equal, returns `None`, and nothing
    /// counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = 3;
    /// let mut health = Mut::from(&mut value);
    /// assert_eq!(health.replace_if_neq(3), None);
    /// assert_eq!(health.replace_if_neq(4), Some(3));
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn replace_if_neq(&mut self, value: Self::Inner) -> Option<Self::Inner>
    where
        Self::Inner: Sized + PartialEq,
    {
        let old = self.bypass_change_detection();
        if *old == value {
            return None;
        }
        let old = core::mem::replace(old, value);
        self.set_changed();
        Some(old)
    }

    /// Writes the owned form of a borrowed value if it differs from the old value, and returns whether it differs. An equal value
    /// is not cloned, and nothing counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = String::from("a");
    /// let mut name = Mut::from(&mut value);
    /// assert!(!name.clone_from_if_neq("a"));
    /// assert!(name.clone_from_if_neq("b"));
    /// assert_eq!(value, "b");
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn clone_from_if_neq<T>(&mut self, value: &T) -> bool
    where
        T: ToOwned<Owned = Self::Inner> + ?Sized,
        Self::Inner: PartialEq<T>,
    {
        let old = self.bypass_change_detection();
        if *old == *value {
            return false;
        }
        value.clone_into(old);
        self.set_changed();
        true
    }
}

/// Implements [`DetectChanges`] for references with a `ticks` field.
macro_rules! detect_changes {
    ($([$($generics:tt)*] $Type:ty),*) => {
        $(impl<$($generics)*> $crate::query::change::DetectChanges for $Type {
            #[inline]
            fn is_added(&self) -> bool {
                self.ticks.is_added()
            }

            #[inline]
            fn is_changed(&self) -> bool {
                self.ticks.is_changed()
            }

            #[inline]
            fn is_added_after(&self, other: $crate::query::change::Tick) -> bool {
                self.ticks.is_added_after(other)
            }

            #[inline]
            fn is_changed_after(&self, other: $crate::query::change::Tick) -> bool {
                self.ticks.is_changed_after(other)
            }

            #[inline]
            fn last_changed(&self) -> $crate::query::change::Tick {
                self.ticks.get_or_now().changed
            }

            #[inline]
            fn added(&self) -> $crate::query::change::Tick {
                self.ticks.get_or_now().added
            }

            fn changed_by(&self) -> $crate::query::change::Origin {
                self.ticks.changed_by()
            }
        })*
    };
}

/// Implements [`DetectChangesMut`] for references with a `ticks` and a `value` field.
macro_rules! detect_changes_mut {
    ($([$($generics:tt)*] $Type:ty => $Inner:ty),*) => {
        $(impl<$($generics)*> $crate::query::change::DetectChangesMut for $Type {
            type Inner = $Inner;

            #[inline]
            #[cfg_attr(feature = "track_location", track_caller)]
            fn set_changed(&mut self) {
                self.ticks.mark();
            }

            #[cfg_attr(feature = "track_location", track_caller)]
            fn set_added(&mut self) {
                self.ticks.mark_added();
            }

            #[cfg_attr(feature = "track_location", track_caller)]
            fn set_last_changed(&mut self, tick: $crate::query::change::Tick) {
                self.ticks.set_changed(tick);
            }

            #[cfg_attr(feature = "track_location", track_caller)]
            fn set_last_added(&mut self, tick: $crate::query::change::Tick) {
                self.ticks.set_added(tick);
            }

            #[inline]
            fn bypass_change_detection(&mut self) -> &mut $Inner {
                self.value
            }
        })*
    };
}

pub(crate) use {detect_changes, detect_changes_mut};
