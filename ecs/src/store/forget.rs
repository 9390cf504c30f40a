//! PreparedDespawn entities as if they had never been, for a world that is put together: nothing is told, and nothing ends with them.

use super::Store;
use super::dispatch::DispatchVTable;
use super::lifecycle_events::LifecycleEvents;
use super::selection::Selection;
use crate::guard::DeferredPanic;

/// Ends selected entities, and says how many there were. `quiet` keeps links, and tells nothing. What is linked to one of the entities
/// loses its link and stays.
pub(crate) fn forget_selections(
    store: &mut Store,
    selections: &[Selection],
    quiet: &'static DispatchVTable<Store>,
) -> usize {
    let vtable = store.events.dispatch.vtable.replace(quiet);
    let mut count = 0;
    // The `Drop` of a value may panic.
    let panicked = DeferredPanic::catch(|| {
        let collect = |store: &mut Store, events: &mut LifecycleEvents| {
            selections.iter().for_each(|selection| store.collect_end_of(events, selection));
        };
        // As for entities that move: their sources do not end.
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
