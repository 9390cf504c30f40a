//! Parallel loops with parameters.
//!
//! Tests: tests/systems/parallel/systems.rs

use core::convert::Infallible;

use super::tasks::{TaskParam, run_tasks};
use crate::query::{MatchPosition, QueryData, QueryFilter, QueryParIter};

impl<'w, 's, D: QueryData, F: QueryFilter> QueryParIter<'w, 's, D, F> {
    /// Calls a function with each entity's item and with parameters of the system. These are parameters that only read, and
    /// [`Commands`](crate::command::Commands) and [`MessageWriter`](crate::system::MessageWriter)s, of which each task has its own.
    /// The commands and messages are recorded in the order of entities, as in a plain loop, on any number of threads. ([`iter_mut`]
    /// may visit entities in the order in which they were [`Changed`]; this method visits them in the order of rows.)
    ///
    /// [`iter_mut`]: crate::query::Query::iter_mut
    /// [`Changed`]: crate::query::Changed
    ///
    /// # Panics
    ///
    /// If the function panics for one entity. The recorded commands and messages are then discarded.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Fuse(u32);
    /// # #[derive(Resource)] struct Speed(u32);
    ///
    /// fn burn(mut fuses: Query<(Entity, &mut Fuse)>, commands: Commands, speed: Res<Speed>) {
    ///     fuses.par_iter_mut().for_each_with((commands, speed), |(commands, speed), (entity, mut fuse)| {
    ///         fuse.0 = fuse.0.saturating_sub(speed.0);
    ///         if fuse.0 == 0 {
    ///             commands.entity(entity).despawn();
    ///         }
    ///     });
    /// }
    /// # let mut world = World::new();
    /// # world.insert_resource(Speed(3));
    /// # world.spawn_batch((1..=10).map(Fuse));
    /// # world.run_system_once(burn).unwrap();
    /// # assert_eq!(world.len(), 7);
    /// ```
    pub fn for_each_with<'p, 'q, P: TaskParam<'p, 'q>>(
        self,
        params: P,
        each: impl for<'t> Fn(&mut P::Item<'t, 't>, D::Item<'w, 's>) + Send + Sync,
    ) {
        let (pool, tasks, partition) = self.partition();
        let done = run_tasks::<P::Source, MatchPosition, Infallible>(
            pool,
            tasks,
            &mut params.into_got(),
            |reached, rows, got| {
                let mut params = P::item(got);
                // SAFETY: the access is granted (contract of `QueryParIter::new`); each task is run once, and `self` is consumed.
                unsafe { partition.for_each::<D>(reached, rows, |item| each(&mut params, item)) }
                Ok(())
            },
        );
        let Ok(()) = done;
    }
}
