//! What borrowed values tell of changes.

use crate::origin::Origin;
use crate::tick::Tick;
use alloc::borrow::ToOwned;

/// A borrowed component or resource that knows when it was added and changed.
///
/// The page on [change detection](crate::change_detection) says what counts as a change and for which systems it is new. A
/// value without ticks counts as new: that of a component for which no system has asked so far (the first question begins
/// to keep ticks), of one with `#[component(track = "never")]`, and a reference that was made by hand for a test.
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
    /// Whether it was added since the system ran last, or ever if this is its first run.
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

    /// Whether it was added or changed since the system ran last, or ever if this is its first run.
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

    /// Whether it was added after a tick.
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

    /// Whether it was added or changed after a tick: to derive one value from another only if that is newer.
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

    /// When it was changed last; adding it is a change.
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

    /// When it was added.
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

    /// The origin of its last change; adding it is one. Known with the feature `track_location` only.
    ///
    /// Not known, too, of a component with `#[component(track = "never")]` and of a reference that was made by hand.
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

/// A mutably borrowed component or resource that knows when it was added and changed.
///
/// To dereference it mutably is a change, whatever is done then.
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

    /// Notes a change that was done behind the reference's back, or none.
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

    /// Notes that it is as good as new: added, and so changed.
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

    /// Sets when it was changed last, to undo a change for systems that have not seen it. A tick of the future counts as now.
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

    /// Sets when it was added and changed last.
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

    /// The plain reference, for a change that no system is to see.
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

    /// Writes a value if it differs from the old one, and says whether it did. If not there is no change.
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

    /// Writes a value if it differs from the old one, and returns that. If not there is no change.
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

    /// Writes what a borrowed value is the borrowed form of, if it differs from the old one, and says whether it did. If not there is no
    /// change, and nothing is cloned.
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

/// [`DetectChanges`] for references with `ticks`.
macro_rules! detect_changes {
    ($([$($generics:tt)*] $Type:ty),*) => {
        $(impl<$($generics)*> $crate::change::DetectChanges for $Type {
            #[inline]
            fn is_added(&self) -> bool {
                self.ticks.is_added()
            }

            #[inline]
            fn is_changed(&self) -> bool {
                self.ticks.is_changed()
            }

            #[inline]
            fn is_added_after(&self, other: $crate::change::Tick) -> bool {
                self.ticks.is_added_after(other)
            }

            #[inline]
            fn is_changed_after(&self, other: $crate::change::Tick) -> bool {
                self.ticks.is_changed_after(other)
            }

            #[inline]
            fn last_changed(&self) -> $crate::change::Tick {
                self.ticks.get_or_now().changed
            }

            #[inline]
            fn added(&self) -> $crate::change::Tick {
                self.ticks.get_or_now().added
            }

            fn changed_by(&self) -> $crate::change::Origin {
                self.ticks.changed_by()
            }
        })*
    };
}

/// [`DetectChangesMut`] for references with `ticks` and a `value`.
macro_rules! detect_changes_mut {
    ($([$($generics:tt)*] $Type:ty => $Inner:ty),*) => {
        $(impl<$($generics)*> $crate::change::DetectChangesMut for $Type {
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
            fn set_last_changed(&mut self, tick: $crate::change::Tick) {
                self.ticks.set_changed(tick);
            }

            #[cfg_attr(feature = "track_location", track_caller)]
            fn set_last_added(&mut self, tick: $crate::change::Tick) {
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
