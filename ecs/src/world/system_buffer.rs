//! What systems fill, and how it is applied.

use super::cast::World;
use super::deferred::DeferredWorld;
use super::systems::FromWorld;
use crate::command::CommandQueue;
use crate::store::Store;
use crate::system::{AppliedToStore, SystemMeta};

/// What a system fills by the parameter [`Deferred`](crate::system::Deferred), and how it is applied to the world afterwards: where the
/// commands of the system are applied.
///
/// It is made when the system is prepared, and it is applied after each run. What a run has put into it that ended by a panic stays, and
/// is applied with what the next one adds.
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
    /// Applies what is in the buffer, with the whole world. What [`queue`](Self::queue) does, unless this is implemented.
    ///
    /// For an observer, whose operation is not at its end, `queue` is called instead.
    fn apply(&mut self, system_meta: &SystemMeta, world: &mut World) {
        self.queue(system_meta, world.into());
    }

    /// Applies what is in the buffer, or records commands that do so: they are applied at once, or after the outermost event if the
    /// system is an observer.
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
        // Ids that other systems have reserved are entities, in a world that code of the user sees.
        store.structure.make_reserved_pending();
        store.place_pending();
        let world = World::from_store_mut(store);
        self.apply(meta, world);
        world.flush();
    }
}
