//! The sparse storages of observed components.
//!
//! Tests: tests/storage/lifecycle.rs, tests/relationships/definitions.rs

use crate::component::{ComponentId, Components};
use crate::entity::SparseMask;

/// The sparse storages of observed components, grouped by what an operation has to do. A component is observed if it has an observer or a
/// hook, or if it is a side of a relationship or relation. Listeners are observers and hooks.
#[derive(Default)]
pub(crate) struct ObservedStorages {
    /// All storages of observed components.
    pub(super) all: SparseMask,
    /// The storages from which a removal may notify a listener. The removal of a source may change the list of its target, so if any
    /// component that lists sources has listeners, the storages of all components that name targets are included.
    pub(super) notifying: SparseMask,
    /// The storages of components that name targets and do not notify: an added source only has to be linked.
    pub(super) only_linked: SparseMask,
    /// The storages of components that list sources.
    pub(crate) lists: SparseMask,
    /// The storages of components that name targets.
    pub(crate) sources: SparseMask,
    /// The storages of components with listeners, or of pairs: entities in them are not despawned by `end_linked`.
    pub(super) ends: SparseMask,
}

impl ObservedStorages {
    /// Collects the storages of all sparse components.
    pub(super) fn of(components: &Components) -> Self {
        let storages_of = |holds: &dyn Fn(ComponentId) -> bool| {
            let storages = components.sparse().iter().enumerate().filter(|(_, id)| holds(**id));
            storages.fold(SparseMask::default(), |all, (number, _)| all.with(number))
        };
        let is_observed = |id: ComponentId| !components.observed(id).is_empty();
        let has_listeners = |id: ComponentId| !components.observed(id).of_listeners().is_empty();
        let is_list = |id: ComponentId| is_observed(id) && components.lists_sources(id);
        let has_observed_lists = components.sparse().iter().any(|&id| is_list(id) && has_listeners(id));
        let may_notify = |id| has_observed_lists || !components.names_target(id) || has_listeners(id);
        let notifying = storages_of(&|id| is_observed(id) && may_notify(id));
        let sources = storages_of(&|id| is_observed(id) && components.names_target(id));
        Self {
            all: storages_of(&is_observed),
            notifying,
            only_linked: sources.except(notifying),
            lists: storages_of(&is_list),
            sources,
            ends: storages_of(&|id| is_observed(id) && (has_listeners(id) || components.is_of_pairs(id))),
        }
    }
}
