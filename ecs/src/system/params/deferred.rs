//! Values that a system fills and that are applied afterwards. `SystemBuffer`, in a higher layer, defines how such a value is
//! applied.
//!
//! Tests: tests/systems/params/deferred.rs

use core::fmt;
use core::marker::PhantomData;

use super::local::kept_values;
use super::world::MadeFromStore;
use crate::structure::cell::StoreCell;
use crate::structure::store::{Store, TargetWorld};
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// A buffer that the system owns and fills. It is applied to the world at the point where commands are applied: see
/// [`SystemBuffer`](crate::system::SystemBuffer).
///
/// The buffer borrows nothing of the world, so the system may run at the same time as others that use buffers. For any change that
/// has a command, use [`Commands`](crate::command::Commands). A buffer is worthwhile if many values are summed up or written to one
/// place, and commands would need one command for each value.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{Deferred, SystemBuffer, SystemMeta};
/// use strata_ecs::world::DeferredWorld;
/// # #[derive(Component)] struct Wheat(u32);
///
/// #[derive(Resource, Default)]
/// struct Granary(u32);
///
/// #[derive(Default)]
/// struct Harvest(u32);
///
/// impl SystemBuffer for Harvest {
///     fn queue(&mut self, _: &SystemMeta, mut world: DeferredWorld) {
///         world.resource_mut::<Granary>().0 += std::mem::take(&mut self.0);
///     }
/// }
///
/// fn reap(fields: Query<&Wheat>, mut harvest: Deferred<Harvest>) {
///     harvest.0 += fields.iter().map(|wheat| wheat.0).sum::<u32>();
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Granary>();
/// world.spawn_batch([Wheat(3), Wheat(4)]);
/// world.run_system_once(reap).unwrap();
/// assert_eq!(world.resource::<Granary>().0, 7);
/// ```
pub struct Deferred<'s, T> {
    value: &'s mut T,
}

impl<T> Deferred<'_, T> {
    /// Reborrows with a shorter lifetime.
    ///
    /// ```
    /// # use strata_ecs::system::Deferred;
    /// fn note(mut lines: Deferred<Vec<&str>>) {
    ///     lines.push("noted");
    /// }
    ///
    /// fn note_twice(mut lines: Deferred<Vec<&str>>) {
    ///     note(lines.reborrow());
    ///     note(lines);
    /// }
    /// # let mut lines = Vec::new();
    /// # note_twice(Deferred::from(&mut lines));
    /// # assert_eq!(lines.len(), 2);
    /// ```
    pub fn reborrow(&mut self) -> Deferred<'_, T> {
        Deferred { value: self.value }
    }
}

kept_values!(Deferred);

/// A buffer that can be applied to a store. Implemented for every [`SystemBuffer`](crate::system::SystemBuffer), in the layer that
/// defines worlds.
#[doc(hidden)]
pub trait AppliedToStore: MadeFromStore + Send + Sync + 'static {
    fn apply_to_store(&mut self, meta: &SystemMeta, store: &mut Store);
}

/// The buffer of a system, and the world that the buffer is for.
#[doc(hidden)]
pub struct FilledBuffer<T> {
    value: T,
    target_world: TargetWorld,
}

/// The source of a [`Deferred`].
#[doc(hidden)]
pub struct DeferredSource<T>(PhantomData<fn() -> T>);

// SAFETY: borrows nothing of the world.
unsafe impl<T: AppliedToStore> ParamSource for DeferredSource<T> {
    type State = FilledBuffer<T>;
    type Got<'w, 's> = Deferred<'s, T>;

    const COUNT: usize = 1;
    const RECORDERS: usize = 1;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> FilledBuffer<T> {
        meta.next_param();
        meta.access.add_deferred();
        let target_world = TargetWorld::new(store);
        let value = T::made_from_store(store);
        // As with a `Local`, state that was initialised before this call belongs to the old world.
        assert!(target_world.is(store), "system `{}`: a `Deferred` has replaced the world", meta.name());
        FilledBuffer { value, target_world }
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut FilledBuffer<T>, _: StoreCell<'w>) -> Result<Deferred<'s, T>, ParamError> {
        Ok(Deferred { value: &mut state.value })
    }

    /// If the buffer's world has been replaced by another one, the buffer is kept for the next run.
    fn apply(state: &mut FilledBuffer<T>, meta: &SystemMeta, store: &mut Store) {
        if state.target_world.is(store) {
            state.value.apply_to_store(meta, store);
        }
    }
}

params! {
    [T: AppliedToStore] Deferred<'_, T> => Deferred<'s, T>, DeferredSource<T>, |got| got;
}
