//! The commands of a system, as a parameter.

use core::marker::PhantomData;

#[cfg(feature = "std")]
use crate::entity::IdSource;
use crate::structure::cell::StoreCell;
use crate::structure::store::{Store, TargetWorld};
use crate::system::commands::{self, CommandQueue, Commands};
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;
#[cfg(feature = "std")]
use crate::util::origin::SystemOrigin;
#[cfg(feature = "std")]
use crate::util::parallel::Parallel;

/// The queues of a parameter that records commands: one, or one for each thread.
#[doc(hidden)]
pub trait CommandQueues: Default + Send + Sync + 'static {
    /// The parameter.
    type Commands<'w, 's>;

    /// Borrows the queues, to record commands of the system that uses the cell.
    fn record<'w, 's>(&'s mut self, cell: StoreCell<'w>) -> Self::Commands<'w, 's>;

    /// Moves all commands into one queue and returns it; `None` if there are no commands.
    fn join(&mut self) -> Option<&mut CommandQueue>;
}

impl CommandQueues for CommandQueue {
    type Commands<'w, 's> = Commands<'w, 's>;

    #[inline]
    fn record<'w, 's>(&'s mut self, cell: StoreCell<'w>) -> Commands<'w, 's> {
        Commands::from_parts(&mut self.queue, cell.ids(), cell.run_ticks().system)
    }

    #[inline]
    fn join(&mut self) -> Option<&mut Self> {
        (!self.is_empty()).then_some(self)
    }
}

/// The recorded commands of a system, and the world that they are for.
#[doc(hidden)]
pub struct RecordedCommands<Q> {
    queues: Q,
    target_world: TargetWorld,
}

/// The source of [`Commands`] and [`ParallelCommands`], which have the queues `Q`.
#[doc(hidden)]
pub struct CommandsSource<Q = CommandQueue>(PhantomData<Q>);

// SAFETY: borrows only the entity index, to reserve ids, which any number of threads may do.
unsafe impl<Q: CommandQueues> ParamSource for CommandsSource<Q> {
    type State = RecordedCommands<Q>;
    type Got<'w, 's> = Q::Commands<'w, 's>;

    const COUNT: usize = 1;
    const RECORDERS: usize = 1;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> RecordedCommands<Q> {
        meta.next_param();
        meta.access.add_deferred();
        RecordedCommands { queues: Q::default(), target_world: TargetWorld::new(store) }
    }

    #[inline]
    unsafe fn get<'w, 's>(
        state: &'s mut RecordedCommands<Q>,
        cell: StoreCell<'w>,
    ) -> Result<Q::Commands<'w, 's>, ParamError> {
        Ok(state.queues.record(cell))
    }

    #[inline]
    fn apply(state: &mut RecordedCommands<Q>, meta: &SystemMeta, store: &mut Store) {
        let Some(queue) = state.queues.join() else { return };
        if state.target_world.is(store) {
            commands::apply(&mut queue.queue, store, Some(meta.name()));
        } else {
            state.target_world.send(&mut queue.queue, Some(meta.name()));
        }
    }

    #[cold]
    fn discard(state: &mut RecordedCommands<Q>) {
        state.queues = Q::default();
    }
}

params! {
    [] Commands<'_, '_> => Commands<'w, 's>, CommandsSource, |got| got;
}

/// Records commands on the threads of a parallel loop, such as [`Query::par_iter`](crate::query::Query::par_iter).
///
/// The commands are applied at the same point as those of [`Commands`]. Commands that one thread records are applied in their
/// order. Not determined are the order between threads, the entities that each thread visits, and the id that a spawned entity
/// gets. Commands that only affect the visited entity do not depend on this. For other commands pass [`Commands`] to
/// [`for_each_with`](crate::query::QueryParIter::for_each_with), which applies the commands of all threads in the order of the
/// entities: the result is the same as in a plain loop, on any number of threads.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn bury(all: Query<(Entity, &Health)>, commands: ParallelCommands) {
///     all.par_iter().for_each(|(entity, health)| {
///         if health.0 == 0 {
///             commands.command_scope(|mut commands| commands.entity(entity).despawn());
///         }
///     });
/// }
///
/// let mut world = World::new();
/// world.spawn_batch((0..1000).map(|n| Health(n % 2)));
/// world.run_system_once(bury).unwrap();
/// assert_eq!(world.len(), 500);
/// ```
#[cfg(feature = "std")]
#[derive(Clone, Copy)]
pub struct ParallelCommands<'w, 's> {
    queues: &'s Parallel<CommandQueue>,
    ids: IdSource<'w>,
    /// The system that records.
    system: SystemOrigin,
}

#[cfg(feature = "std")]
impl ParallelCommands<'_, '_> {
    /// Calls a function with `Commands` that no other call uses.
    ///
    /// Takes a lock briefly, twice. The commands of one call are applied one after the other.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn spawn_two(commands: ParallelCommands) {
    ///     let id = commands.command_scope(|mut commands| commands.spawn(Health(1)).id());
    ///     commands.command_scope(|mut commands| _ = commands.entity(id).with_children(|children| _ = children.spawn(Health(2))));
    /// }
    /// # let mut world = World::new();
    /// # world.run_system_once(spawn_two).unwrap();
    /// # assert_eq!(world.len(), 2);
    /// ```
    pub fn command_scope<R>(&self, scope: impl FnOnce(Commands<'_, '_>) -> R) -> R {
        self.queues.scope(|queue| scope(Commands::from_parts(&mut queue.queue, self.ids, self.system)))
    }
}

#[cfg(feature = "std")]
impl_debug_of_fields! { [] ParallelCommands<'_, '_> {} }

#[cfg(feature = "std")]
impl CommandQueues for Parallel<CommandQueue> {
    type Commands<'w, 's> = ParallelCommands<'w, 's>;

    #[inline]
    fn record<'w, 's>(&'s mut self, cell: StoreCell<'w>) -> ParallelCommands<'w, 's> {
        ParallelCommands { queues: self, ids: cell.ids(), system: cell.run_ticks().system }
    }

    fn join(&mut self) -> Option<&mut CommandQueue> {
        let mut queues = self.iter_mut();
        let first = queues.next()?;
        queues.for_each(|queue| first.append(queue));
        first.join()
    }
}

params! {
    #[cfg(feature = "std")]
    [] ParallelCommands<'_, '_> => ParallelCommands<'w, 's>, CommandsSource<Parallel<CommandQueue>>, |got| got;
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::entity::{Entity, Location, TableId};

    /// Runs two systems at the same time, each of which spawns on its turns. The commands of both are applied in order.
    fn run(store: &mut Store, turns: &[usize]) -> Vec<(Entity, Location)> {
        let mut queues: [RecordedCommands<CommandQueue>; 2] = core::array::from_fn(|_| RecordedCommands {
            queues: CommandQueue::default(),
            target_world: TargetWorld::new(store),
        });
        let mut ids = Vec::new();
        store.open_id_streams([2, 0].into_iter());
        {
            let cell = StoreCell::shared(store);
            let mut got = queues.iter_mut().zip(0..).map(|(queue, number)| {
                let mut cell = cell;
                cell.set_stream(Some(number));
                // SAFETY: commands borrow nothing but the entity index.
                unsafe { CommandsSource::get(queue, cell) }.unwrap_or_else(|_| unreachable!())
            });
            let mut commands: [Commands<'_, '_>; 2] = core::array::from_fn(|_| got.next().unwrap());
            for &turn in turns {
                let id = commands[turn].spawn_empty().id();
                assert!(commands[turn].get_entity(id).is_ok());
                ids.push(id);
            }
        }
        assert_eq!(store.structure.close_id_streams(), Ok(()));
        for queue in &mut queues {
            commands::apply(&mut queue.queues.queue, store, None);
        }
        store.structure.entities.check_invariants();
        ids.sort_unstable();
        ids.into_iter().map(|id| (id, store.structure.entities.get(id).unwrap())).collect()
    }

    #[test]
    fn spawned_entities_are_the_same_in_whatever_order_systems_reserve() {
        let mut stores: [Store; 3] = core::array::from_fn(|_| Store::new());
        for _ in 0..3 {
            let orders = [[0, 0, 0, 1, 1], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0]];
            let mut outcomes = stores.iter_mut().zip(orders).map(|(store, turns)| run(store, &turns));
            let first = outcomes.next().unwrap();
            assert!(outcomes.all(|outcome| outcome == first));
        }
        // An id that was reserved outside of the systems, before the id streams were opened, becomes an entity before the ids of the
        // streams do.
        let [store, ..] = &mut stores;
        let before = store.structure.entities.reserve().unwrap();
        assert_eq!(run(store, &[1]).len(), 1);
        assert_eq!(store.structure.entities.get(before).unwrap().table, TableId::EMPTY);
    }
}
