//! Buffers that systems fill during a run, and that are applied to the world afterwards.
//!
//! Tests: tests/systems/params/deferred.rs

use super::cast::World;
use super::deferred::DeferredWorld;
use super::systems::FromWorld;
use crate::structure::store::Store;
use crate::system::commands::CommandQueue;
use crate::system::{AppliedToStore, SystemMeta};

/// A buffer that a system fills through the parameter [`Deferred`](crate::system::Deferred). When the commands of the
/// system are applied, the buffer is applied to the world, too.
///
/// The buffer is created when the system is initialized, and applied after each run. If a run panics, the content of
/// the buffer is kept, and applied together with the content of the next run.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{Deferred, SystemBuffer, SystemMeta};
/// use strata_ecs::world::DeferredWorld;
/// # #[derive(Component)] struct Coin;
///
/// /// How many coins are to be there.
/// #[derive(Default)]
/// struct Mint(usize);
///
/// impl SystemBuffer for Mint {
///     fn queue(&mut self, _: &SystemMeta, mut world: DeferredWorld) {
///         world.commands().spawn_batch((0..self.0).map(|_| Coin));
///         self.0 = 0;
///     }
/// }
///
/// fn strike(mut mint: Deferred<Mint>) {
///     mint.0 += 1000;
/// }
///
/// let mut world = World::new();
/// world.run_system_once(strike).unwrap();
/// assert_eq!(world.len(), 1000);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be applied to a world: implement `SystemBuffer` for it",
    label = "nothing says what becomes of it when the system has run"
)]
pub trait SystemBuffer: FromWorld + Send + Sync + 'static {
    /// Applies the content of the buffer, with the whole world. The default calls [`queue`](Self::queue).
    ///
    /// If the system is an observer, `queue` is called instead, since the operation that it observes has not ended.
    fn apply(&mut self, system_meta: &SystemMeta, world: &mut World) {
        self.queue(system_meta, world.into());
    }

    /// Applies the content of the buffer, or records commands that do so. The commands are applied immediately. If the
    /// system is an observer, they are applied after the outermost event.
    fn queue(&mut self, system_meta: &SystemMeta, world: DeferredWorld<'_>);
}

impl SystemBuffer for CommandQueue {
    fn apply(&mut self, _: &SystemMeta, world: &mut World) {
        Self::apply(self, world);
    }

    fn queue(&mut self, _: &SystemMeta, mut world: DeferredWorld<'_>) {
        world.commands().append(self);
    }
}

impl<T: SystemBuffer> AppliedToStore for T {
    fn apply_to_store(&mut self, meta: &SystemMeta, store: &mut Store) {
        if store.events.dispatch.is_running() {
            return self.queue(meta, World::from_store_mut(store).into());
        }
        // The buffer gets the whole world, in which ids that other systems have reserved must be entities.
        store.structure.make_reserved_pending();
        store.place_pending();
        let world = World::from_store_mut(store);
        self.apply(meta, world);
        world.flush();
    }
}
