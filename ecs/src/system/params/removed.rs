//! Removals as parameters.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use crate::cell::StoreCell;
use crate::component::Component;
use crate::removal::{Log, RemovedComponentReader, RemovedIter, RemovedValueIter, RemovedValueReader};
use crate::store::Store;
use crate::system::base::{ParamError, SystemMeta};
use crate::system::param::{ParamSource, SystemParam};

/// Which entities have lost a component, each time once: because it was removed or taken, because they were despawned, or
/// because they went to another world. [`crate::removal`] says it exactly.
///
/// The system keeps how far it has come from run to run. It begins when it is prepared for a world: at the beginning of
/// the first run of its schedule, also if a condition keeps it from running, or by
/// [`Schedule::initialize`](crate::schedule::Schedule::initialize). What was removed before that nobody has recorded; so a
/// system that is run by `run_system_once` sees nothing. From then on it sees each
/// removal once, however rarely it runs, or counts it as [`missed`](Self::missed) because too many newer ones have come:
/// see [`World::set_removed_limit`](crate::world::World::set_removed_limit).
///
/// An entity that has lost the component may have it again, or be gone. What the value was, [`RemovedValues`] tells.
///
/// It borrows no component, so it may stand beside any other parameter, and in a condition. In a `#[system]` over components
/// all rows share it: what one row has read the next does not see.
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
pub struct RemovedComponents<'w, 's, T> {
    log: &'w Log,
    reader: &'s mut RemovedComponentReader<T>,
}

/// The last values of a component, each with the entity that had it: what [`RemovedComponents`] tells of, without the values
/// that somebody has taken ([`take`](crate::world::EntityWorldMut::take) and the like, or another world).
///
/// A value is not cloned but kept. It is dropped when all systems that read such values have passed it and the
/// [frame](crate::world::World::frame) has ended, or another removal is recorded. Otherwise everything is as it is for [`RemovedComponents`].
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
pub struct RemovedValues<'w, 's, T> {
    log: &'w Log,
    reader: &'s mut RemovedValueReader<T>,
}

/// What both can do.
macro_rules! reading {
    ($Param:ident, $Source:ident, $Reader:ident, $find:ident, $new:ident) => {
        impl<T> $Param<'_, '_, T> {
            /// How many removals there are that the system has not read.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!("fn count(removed: ", stringify!($Param), "<Health>) {")]
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
                self.reader.len_in(self.log)
            }

            /// Whether the system has read all removals that there are.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!("fn nothing_lost(removed: ", stringify!($Param), "<Health>) -> bool {")]
            ///     removed.is_empty()
            /// }
            /// assert!(World::new().run_system_once(nothing_lost).unwrap());
            /// ```
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Passes over all removals that there are. They do not count as missed.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!("fn ignore(mut removed: ", stringify!($Param), "<Health>) {")]
            ///     removed.clear();
            ///     assert!(removed.is_empty());
            /// }
            /// # World::new().run_system_once(ignore).unwrap();
            /// ```
            pub fn clear(&mut self) {
                self.reader.clear_in(self.log);
            }

            /// How many removals were gone before the system could read them: since it was prepared, or since the last
            /// [`take_missed`](Self::take_missed). It does not matter whether it has read others meanwhile.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!("fn count(removed: ", stringify!($Param), "<Health>) {")]
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
                self.reader.missed_in(self.log)
            }

            /// The same, and counts from 0 again: how many were missed since this was last asked.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!("fn complain(mut removed: ", stringify!($Param), "<Health>) {")]
            ///     let missed = removed.take_missed();
            ///     if missed > 0 {
            ///         eprintln!("{missed} removals have been overlooked");
            ///     }
            /// }
            /// # World::new().run_system_once(complain).unwrap();
            /// ```
            pub fn take_missed(&mut self) -> u64 {
                self.reader.take_missed_in(self.log)
            }

            /// The same parameter for a shorter time; what is read through it has been read.
            ///
            /// ```
            /// use strata_ecs::prelude::*;
            /// # #[derive(Component)] struct Health(u32);
            ///
            #[doc = concat!("fn first(mut removed: ", stringify!($Param), "<Health>) -> bool {")]
            ///     removed.read().next().is_some()
            /// }
            ///
            #[doc = concat!("fn first_or_second(mut removed: ", stringify!($Param), "<Health>) -> bool {")]
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
            /// The parameter of a reader of this list.
            #[inline]
            pub(crate) fn from_parts(log: &'w Log, reader: &'s mut $Reader<T>) -> Self {
                Self { log, reader }
            }
        }

        impl<T> fmt::Debug for $Param<'_, '_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let name = format_args!("{}<{}>", stringify!($Param), type_name::<T>());
                write!(f, "{name} {{ len: {} }}", self.len())
            }
        }

        /// How it is fetched.
        #[doc(hidden)]
        pub struct $Source<T>(PhantomData<fn() -> T>);

        // SAFETY: borrows a list of removals, which only changes while nothing of the store is borrowed.
        unsafe impl<T: Component> ParamSource for $Source<T> {
            type State = $Reader<T>;
            type Got<'w, 's> = $Param<'w, 's, T>;

            const COUNT: usize = 1;

            fn init(store: &mut Store, meta: &mut SystemMeta) -> $Reader<T> {
                meta.next_param();
                store.$new()
            }

            #[inline]
            unsafe fn get<'w, 's>(
                reader: &'s mut $Reader<T>,
                cell: StoreCell<'w>,
            ) -> Result<$Param<'w, 's, T>, ParamError> {
                match cell.store().listeners.removals.$find(reader.number_of_list()) {
                    Some(log) => Ok($Param::from_parts(log, reader)),
                    None => unreachable!("the system was prepared for this world"),
                }
            }
        }

        impl<T: Component> SystemParam for $Param<'_, '_, T> {
            type Source = $Source<T>;
            type Item<'w, 's> = $Param<'w, 's, T>;

            #[inline]
            fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                got
            }
        }
    };
}

reading!(RemovedComponents, RemovedSource, RemovedComponentReader, entities, removed_reader);
reading!(RemovedValues, RemovedValuesSource, RemovedValueReader, values, removed_value_reader);

impl<T> RemovedComponents<'_, '_, T> {
    /// The entities that have lost the component since the system last read, the earliest first. An entity that has lost it
    /// twice comes twice. What the iterator has not given stays unread.
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
    /// The same as [`read`](Self::read), for as long as the parameter could be used.
    pub(crate) fn into_values(self) -> RemovedValueIter<'a, T> {
        self.reader.read_in(self.log)
    }
}

impl<T> RemovedValues<'_, '_, T> {
    /// The values that entities have lost since the system last read, the earliest first. What the iterator has not given
    /// stays unread.
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
