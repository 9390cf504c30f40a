//! Removals as parameters.
//!
//! Tests: tests/changes/removed/params.rs

use core::any::type_name;
use core::marker::PhantomData;

use crate::access::const_access::{ConstAccess, YieldedOnce};
use crate::component::Component;
use crate::structure::cell::StoreCell;
use crate::structure::removal::{
    RemovalLog, RemovedComponentReader, RemovedIter, RemovedValueIter, RemovedValueReader,
};
use crate::structure::store::{Store, removed_reader, removed_value_reader};
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// The entities that have lost a component, once for each loss: because it was removed or taken, because they were despawned, or
/// because they were moved to another world. [`crate::removal`] has the exact rules.
///
/// The system keeps its position from run to run. The position begins when the system is prepared for a world. This happens at the
/// beginning of the first run of its schedule, even if a condition keeps the system from running, or in
/// [`Schedule::initialize`](crate::schedule::Schedule::initialize). Earlier removals are not recorded, so a system that is run by
/// `run_system_once` sees nothing. From then on the system sees each removal once, however rarely it runs, or counts it as
/// [`missed`](Self::missed) because too many newer ones followed: see
/// [`World::set_removed_limit`](crate::world::World::set_removed_limit).
///
/// An entity that has lost the component may have it again, or may be despawned. [`RemovedValues`] also gives the removed values.
///
/// The parameter borrows no component, so it does not conflict with other parameters, and may be used in a condition. A `#[system]`
/// over components cannot have it, since only the first row would see the removals. Read them in a world system, which has a
/// `Query`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Collider(u32);
///
/// #[derive(Resource, Default)]
/// struct Physics {
///     bodies: Vec<Entity>,
/// }
///
/// fn forget_bodies(mut removed: RemovedComponents<Collider>, mut physics: ResMut<Physics>) {
///     for entity in removed.read() {
///         physics.bodies.retain(|&body| body != entity);
///     }
/// }
///
/// let mut world = World::new();
/// let bodies: Vec<Entity> = world.spawn_batch((0..3).map(Collider)).collect();
/// world.insert_resource(Physics { bodies: bodies.clone() });
/// let mut schedule = Schedule::default();
/// schedule.add_systems(forget_bodies);
/// schedule.run(&mut world);
/// world.despawn(bodies[0]);
/// world.entity_mut(bodies[1]).remove::<Collider>();
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Physics>().bodies, [bodies[2]]);
/// ```
#[doc(alias("OnRemove", "ICleanupComponentData", "track_all", "RemovalDetection"))]
pub struct RemovedComponents<'w, 's, T> {
    log: &'w RemovalLog,
    reader: &'s mut RemovedComponentReader<T>,
}

/// The last values of a component, each with the entity that had it. It reads the same removals as [`RemovedComponents`], except
/// values that left the world: those that a caller has taken ([`take`](crate::world::EntityWorldMut::take) and the like), and those
/// of entities that were moved to another world.
///
/// Values are moved into the removal log, not cloned. A value is dropped when all systems that read such values have passed it and
/// the [frame](crate::world::World::frame) has ended, or another removal is recorded. In all other respects it works like
/// [`RemovedComponents`].
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Sound {
///     channel: usize,
/// }
///
/// #[derive(Resource)]
/// struct Mixer([bool; 8]);
///
/// fn silence(mut removed: RemovedValues<Sound>, mut mixer: ResMut<Mixer>) {
///     for (_entity, sound) in removed.read() {
///         mixer.0[sound.channel] = false;
///     }
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Mixer([true; 8]));
/// let entity = world.spawn(Sound { channel: 5 }).id();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(silence);
/// schedule.initialize(&mut world);
/// world.despawn(entity);
/// schedule.run(&mut world);
/// assert!(!world.resource::<Mixer>().0[5]);
/// ```
#[doc(alias("OnRemove", "ICleanupComponentData"))]
pub struct RemovedValues<'w, 's, T> {
    log: &'w RemovalLog,
    reader: &'s mut RemovedValueReader<T>,
}

/// Defines the methods that both parameters have.
macro_rules! reader_methods {
    ($($Param:ident of $Reader:ident;)*) => { $(
        impl<T> $Param<'_, '_, T> {
            /// Returns the number of removals that the system has not read.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!(" fn count(removed: ", stringify!($Param), "<Health>) {")]
            ///     assert_eq!(removed.len(), 2);
            /// }
            ///
            /// let mut world = World::new();
            /// world.spawn_batch([Health(3), Health(4)]);
            /// let mut schedule = Schedule::default();
            /// schedule.add_systems(count);
            /// schedule.initialize(&mut world);
            /// world.clear_entities();
            /// schedule.run(&mut world);
            /// ```
            #[must_use]
            pub fn len(&self) -> usize {
                self.reader.cursor.len(self.log)
            }

            /// Returns whether the system has read all removals.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!(" fn nothing_lost(removed: ", stringify!($Param), "<Health>) -> bool {")]
            ///     removed.is_empty()
            /// }
            /// assert!(World::new().run_system_once(nothing_lost).unwrap());
            /// ```
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Skips all unread removals. They do not count as missed.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!(" fn ignore(mut removed: ", stringify!($Param), "<Health>) {")]
            ///     removed.clear();
            ///     assert!(removed.is_empty());
            /// }
            /// # World::new().run_system_once(ignore).unwrap();
            /// ```
            pub fn clear(&mut self) {
                self.reader.cursor.clear(self.log);
            }

            /// Returns the number of removals that were dropped before the system could read them, since it was prepared or since
            /// the last [`take_missed`](Self::take_missed). Reading other removals does not change the number.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!(" fn count(removed: ", stringify!($Param), "<Health>) {")]
            ///     assert_eq!((removed.len(), removed.missed()), (10, 90));
            /// }
            ///
            /// let mut world = World::new();
            /// world.set_removed_limit::<Health>(10);
            /// world.spawn_batch((0..100).map(Health));
            /// let mut schedule = Schedule::default();
            /// schedule.add_systems(count);
            /// schedule.initialize(&mut world);
            /// world.clear_entities();
            /// schedule.run(&mut world);
            /// ```
            #[must_use]
            pub fn missed(&self) -> u64 {
                self.reader.cursor.missed(self.log)
            }

            /// Returns the number of [`missed`](Self::missed) removals, and resets it to 0.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!(" fn complain(mut removed: ", stringify!($Param), "<Health>) {")]
            ///     let missed = removed.take_missed();
            ///     if missed > 0 {
            ///         eprintln!("{missed} removals have been overlooked");
            ///     }
            /// }
            /// # World::new().run_system_once(complain).unwrap();
            /// ```
            pub fn take_missed(&mut self) -> u64 {
                self.reader.cursor.take_missed(self.log)
            }

            /// Reborrows the parameter with a shorter lifetime; removals that are read through it count as read.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!(" fn first(mut removed: ", stringify!($Param), "<Health>) -> bool {")]
            ///     removed.read().next().is_some()
            /// }
            ///
            #[doc = concat!(" fn first_or_second(mut removed: ", stringify!($Param), "<Health>) -> bool {")]
            ///     first(removed.reborrow()) || first(removed)
            /// }
            /// # assert!(!World::new().run_system_once(first_or_second).unwrap());
            /// ```
            #[inline]
            pub fn reborrow(&mut self) -> $Param<'_, '_, T> {
                $Param { log: self.log, reader: self.reader }
            }
        }

        impl<'w, 's, T> $Param<'w, 's, T> {
            /// Returns the parameter for a reader of this log.
            #[inline]
            pub(crate) fn from_parts(log: &'w RemovalLog, reader: &'s mut $Reader<T>) -> Self {
                Self { log, reader }
            }
        }

        impl_debug!([T] $Param<'_, '_, T> => |this, f|
            write!(f, "{}<{}> {{ len: {} }}", stringify!($Param), type_name::<T>(), this.len()));
    )* };
}

reader_methods! {
    RemovedComponents of RemovedComponentReader;
    RemovedValues of RemovedValueReader;
}

/// The source of either parameter.
#[doc(hidden)]
pub struct RemovedSource<R>(PhantomData<fn() -> R>);

/// The reader that a system keeps for such a parameter.
#[doc(hidden)]
pub trait RemovalReader: Send + Sync + 'static {
    /// The parameter.
    type Param<'w, 's>;

    /// Creates a reader that begins with the next removal.
    fn begin(store: &mut Store) -> Self;

    /// Visits the number of missed entries. The log holds the position of the reader.
    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>);

    /// Returns the parameter, if the reader belongs to this store.
    fn param<'w, 's>(&'s mut self, store: &'w Store) -> Option<Self::Param<'w, 's>>;
}

macro_rules! removal_readers {
    ($($Reader:ident of $Param:ident: $begin:ident, $list:ident, $of_values:literal;)*) => { $(
        impl<T: Component> RemovalReader for $Reader<T> {
            type Param<'w, 's> = $Param<'w, 's, T>;

            fn begin(store: &mut Store) -> Self {
                $begin(store)
            }

            fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
                keeper.reader(&mut self.cursor, $of_values);
            }

            #[inline]
            fn param<'w, 's>(&'s mut self, store: &'w Store) -> Option<Self::Param<'w, 's>> {
                let log = store.events.removals.$list(self.cursor.list())?;
                Some($Param { log, reader: self })
            }
        }
    )* };
}

removal_readers! {
    RemovedComponentReader of RemovedComponents: removed_reader, entities, false;
    RemovedValueReader of RemovedValues: removed_value_reader, values, true;
}

// SAFETY: borrows a removal log, which only changes while nothing else of the store is borrowed.
unsafe impl<R: RemovalReader> ParamSource for RemovedSource<R> {
    type State = R;
    type Got<'w, 's> = R::Param<'w, 's>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::Once(YieldedOnce::Removals, &ConstAccess::Nothing);

    fn init(store: &mut Store, meta: &mut SystemMeta) -> R {
        meta.next_param();
        R::begin(store)
    }

    fn visit_state(reader: &mut R, keeper: &mut StateVisitor<'_>) {
        reader.visit_state(keeper);
    }

    #[inline]
    unsafe fn get<'w, 's>(reader: &'s mut R, cell: StoreCell<'w>) -> Result<R::Param<'w, 's>, ParamError> {
        match reader.param(cell.store()) {
            Some(param) => Ok(param),
            None => unreachable!("the system was prepared for this world"),
        }
    }
}

params! {
    [T: Component] RemovedComponents<'_, '_, T> => RemovedComponents<'w, 's, T>, RemovedSource<RemovedComponentReader<T>>, |got| got;
    [T: Component] RemovedValues<'_, '_, T> => RemovedValues<'w, 's, T>, RemovedSource<RemovedValueReader<T>>, |got| got;
}

impl<T> RemovedComponents<'_, '_, T> {
    /// Iterates over the entities that have lost the component since the system last read, the earliest loss first. An entity that
    /// has lost it twice occurs twice. Removals that the iterator has not yielded stay unread.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Resource, Default)] struct Graves(Vec<Entity>);
    ///
    /// fn bury(mut dead: RemovedComponents<Health>, mut graves: ResMut<Graves>) {
    ///     graves.0.extend(dead.read());
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Graves>();
    /// # world.run_system_once(bury).unwrap();
    /// ```
    #[inline]
    pub fn read(&mut self) -> RemovedIter<'_> {
        self.reader.read_in(self.log)
    }
}

impl<'a, T> RemovedValues<'a, 'a, T> {
    /// Like [`read`](Self::read), with the lifetime of the parameter.
    pub(crate) fn into_values(self) -> RemovedValueIter<'a, T> {
        self.reader.read_in(self.log)
    }
}

impl<T> RemovedValues<'_, '_, T> {
    /// Iterates over the values that entities have lost since the system last read, the earliest loss first. Values that the
    /// iterator has not yielded stay unread.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Gold(u32);
    /// # #[derive(Resource, Default)] struct Treasure(u32);
    ///
    /// fn inherit(mut lost: RemovedValues<Gold>, mut treasure: ResMut<Treasure>) {
    ///     treasure.0 += lost.read().map(|(_, gold)| gold.0).sum::<u32>();
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Treasure>();
    /// # world.run_system_once(inherit).unwrap();
    /// ```
    #[inline]
    pub fn read(&mut self) -> RemovedValueIter<'_, T> {
        self.reborrow().into_values()
    }
}
