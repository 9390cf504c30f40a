//! Options of snapshots.
//!
//! Tests: tests/snapshots/limits.rs, tests/snapshots/copies.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::time::Duration;

use crate::component::{ComponentDescriptor, KnownClones, PersistenceKind};
use crate::entity::Entity;
use crate::storage::resource::Resource;
use crate::world::keeps_systems;

type Value = dyn Any + Send + Sync;

/// A type of values, and the function that clones them.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalType {
    pub(super) type_id: TypeId,
    clone: fn(&dyn Any) -> Option<Box<Value>>,
}

impl LocalType {
    pub(super) fn of<T: Clone + Send + Sync + 'static>() -> Self {
        let clone = |value: &dyn Any| {
            let cloned: Box<Value> = Box::new(value.downcast_ref::<T>()?.clone());
            Some(cloned)
        };
        Self { type_id: TypeId::of::<T>(), clone }
    }
}

/// Returns the types whose values can always be cloned.
fn simple_types() -> impl Iterator<Item = LocalType> {
    macro_rules! of {
        ($($T:ty)*) => { [$(LocalType::of::<$T>, LocalType::of::<Option<$T>>, LocalType::of::<Vec<$T>>),*] };
    }
    let types: &[fn() -> LocalType] = &of! {
        () bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Entity Duration
    };
    types.iter().map(|of| of())
}

/// Options that add data to a [snapshot](super), or leave data out.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::SnapshotOptions;
///
/// #[derive(Resource)]
/// struct Window;
/// #[derive(Resource, Clone)]
/// struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Window);
/// world.insert_resource(Score(3));
/// assert!(world.snapshot().is_err()); // A window cannot be cloned.
///
/// let options = SnapshotOptions::new().without_resource::<Window>();
/// let snapshot = world.snapshot_with(&options).unwrap();
/// world.resource_mut::<Score>().0 = 7;
/// world.restore(&snapshot).unwrap();
/// assert_eq!(world.resource::<Score>().0, 3);
/// assert!(world.contains_resource::<Window>());
/// ```
#[derive(Clone, Default, Debug)]
pub struct SnapshotOptions {
    resources: Vec<TypeId>,
    only_resources: Option<Vec<TypeId>>,
    uncloneable: bool,
    locals: Vec<LocalType>,
    pub(super) uncloneable_locals: bool,
    pub(super) observers: bool,
    pub(super) clones: KnownClones,
}

impl SnapshotOptions {
    /// Creates options that leave nothing out.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves a resource out: a restore does not change it.
    #[must_use]
    pub fn without_resource<R: Resource>(mut self) -> Self {
        self.resources.push(TypeId::of::<R>());
        self
    }

    /// Leaves out the resources of some types, like [`without_resource`](Self::without_resource).
    #[must_use]
    pub fn without_resources(mut self, types: impl IntoIterator<Item = TypeId>) -> Self {
        self.resources.extend(types);
        self
    }

    /// Leaves out all resources except those of some types.
    ///
    /// ```
    /// use std::any::TypeId;
    ///
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(Resource)]
    /// struct Window;
    /// #[derive(Resource, Clone)]
    /// struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Window);
    /// world.insert_resource(Score(3));
    /// let options = SnapshotOptions::new().with_only_resources([TypeId::of::<Score>()]);
    /// assert_eq!(world.snapshot_with(&options)?.contents().resources().count(), 1);
    /// # Ok::<(), strata_ecs::snapshot::SnapshotError>(())
    /// ```
    #[must_use]
    pub fn with_only_resources(mut self, types: impl IntoIterator<Item = TypeId>) -> Self {
        self.only_resources = Some(types.into_iter().collect());
        self
    }

    /// Leaves out all resources, messages and non-send values that cannot be cloned.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(Resource)]
    /// struct Window;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Window);
    /// assert!(world.snapshot_with(&SnapshotOptions::new().without_uncloneable_resources()).is_ok());
    /// ```
    #[must_use]
    pub fn without_uncloneable_resources(mut self) -> Self {
        self.uncloneable = true;
        self
    }

    /// Leaves out the observers of single entities: a restore neither adds nor removes such observers. If the entity of
    /// an observer exists after the restore, the observer runs for the events of the entity, unless it has been
    /// [removed](crate::world::World::remove_observer).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(EntityEvent)]
    /// struct Hit(Entity);
    ///
    /// let mut world = World::new();
    /// world.spawn_empty().observe(|_: On<Hit>| {});
    /// assert!(world.snapshot().is_err());
    /// assert!(world.snapshot_with(&SnapshotOptions::new().without_entity_observers()).is_ok());
    /// ```
    #[must_use]
    pub fn without_entity_observers(mut self) -> Self {
        self.observers = true;
        self
    }

    /// Clones the values of a type although its definition does not say that it is `Clone`, for instance because the
    /// bounds of its parameters leave this open. The type is a resource, a relation or a list of messages,
    /// `Messages<M>`. For your own types, write the option `clone` of the derive instead, for instance
    /// `#[resource(clone)]`; this method is for types of other crates. A component needs the option.
    ///
    /// A type with `clone = "never"` is still not cloned.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(Resource, Clone)]
    /// struct Loose<T: Send + Sync + 'static>(T);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Loose(3));
    /// assert!(world.snapshot().is_err());
    /// let snapshot = world.snapshot_with(&SnapshotOptions::new().with_clone::<Loose<i32>>())?;
    /// world.resource_mut::<Loose<i32>>().0 = 4;
    /// world.restore(&snapshot)?;
    /// assert_eq!(world.resource::<Loose<i32>>().0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_clone<T: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.clones.add::<T>();
        self
    }

    /// Includes the [`Local`](crate::system::Local)s of a type, in systems of the schedules of the world. Some types
    /// are always included: numbers, `bool`, `char`, `String`, `Duration` and `Entity`, `Option`s and `Vec`s of these,
    /// and types that are [registered](crate::world::World::register_local) with the world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotOptions;
    ///
    /// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Update;
    /// #[derive(Clone, Default)]
    /// struct Runs(u32);
    /// #[derive(Resource, Clone, Default)]
    /// struct Total(u32);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Total>();
    /// let mut schedule = Schedule::new(Update);
    /// schedule.add_systems(|mut runs: Local<Runs>, mut total: ResMut<Total>| {
    ///     runs.0 += 1;
    ///     total.0 = runs.0;
    /// });
    /// world.add_schedule(schedule);
    /// world.run_schedule(Update);
    /// assert!(world.snapshot().unwrap_err().to_string().contains("Runs"));
    ///
    /// let snapshot = world.snapshot_with(&SnapshotOptions::new().with_local::<Runs>()).unwrap();
    /// world.run_schedule(Update);
    /// world.restore(&snapshot).unwrap();
    /// world.run_schedule(Update);
    /// assert_eq!(world.resource::<Total>().0, 2);
    /// ```
    #[must_use]
    pub fn with_local<T: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.locals.push(LocalType::of::<T>());
        self
    }

    /// Leaves out all [`Local`](crate::system::Local)s whose types are not included by an option or otherwise: a
    /// restore does not change them.
    #[must_use]
    pub fn without_uncloneable_locals(mut self) -> Self {
        self.uncloneable_locals = true;
        self
    }

    /// Includes a type of `Local`s, unless it is already included.
    pub(super) fn add_local(&mut self, ty: LocalType) {
        if !self.locals.iter().any(|known| known.type_id == ty.type_id) {
            self.locals.push(ty);
        }
    }

    /// Clones the value of a `Local`, if its type is included.
    pub(super) fn clone_local(&self, value: &dyn Any) -> Option<Box<Value>> {
        let is_it = |known: &LocalType| known.type_id == (*value).type_id();
        let known = self.locals.iter().copied().find(is_it).or_else(|| simple_types().find(is_it));
        known.and_then(|known| (known.clone)(value))
    }

    /// Returns whether the options leave out a resource.
    #[must_use]
    pub fn leaves_out_resource(&self, descriptor: &ComponentDescriptor) -> bool {
        self.leave_out(descriptor)
    }

    /// Returns whether a snapshot leaves out a resource, because of these options or because the resource contains the
    /// systems of the world.
    pub(super) fn is_apart(&self, descriptor: &ComponentDescriptor) -> bool {
        keeps_systems(descriptor) || self.leave_out(descriptor)
    }

    /// Returns whether the options leave out a resource.
    pub(super) fn leave_out(&self, descriptor: &ComponentDescriptor) -> bool {
        let type_id = descriptor.value_type_id();
        let is_named = type_id.is_some_and(|type_id| self.resources.contains(&type_id));
        let is_other = |only: &Vec<TypeId>| !type_id.is_some_and(|type_id| only.contains(&type_id));
        is_named
            || descriptor.persistence() == PersistenceKind::Transient
            || self.only_resources.as_ref().is_some_and(is_other)
            || (self.uncloneable && !self.clones.can_clone(descriptor))
    }
}
