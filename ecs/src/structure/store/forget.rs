//! Removes entities without any notification or cascade, while a world is being assembled.
//!
//! Tests: tests/snapshots/selected.rs

use super::Store;
use super::dispatch::DispatchVTable;
use super::lifecycle_events::LifecycleEvents;
use super::selection::Selection;
use crate::util::guard::DeferredPanic;

/// Despawns selected entities and returns their number. `quiet` has functions that keep links and notify no listener. Entities that are
/// linked to one of the removed entities lose the link and stay.
pub(crate) fn forget_selections(
    store: &mut Store,
    selections: &[Selection],
    quiet: &'static DispatchVTable<Store>,
) -> usize {
    let vtable = store.events.dispatch.vtable.replace(quiet);
    let mut count = 0;
    // The vtable is restored even if the `Drop` of a value panics.
    let panicked = DeferredPanic::catch(|| {
        let collect = |store: &mut Store, events: &mut LifecycleEvents| {
            selections.iter().for_each(|selection| store.collect_end_of(events, selection));
        };
        // Entities that are linked to the forgotten ones are not despawned, as when entities move to another world.
        store.events.links.is_moving = true;
        count = store.notify_and_batch(collect, |store| {
            store.events.links.is_moving = false;
            selections.iter().map(|selection| store.despawn_all(selection, None)).sum()
        });
    });
    store.events.dispatch.vtable = vtable;
    panicked.go_on();
    count
}
