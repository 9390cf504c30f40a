//! In which sparse storages entities have components that somebody listens to.

use crate::component::{ComponentId, Components};
use crate::entity::SparseSummary;

/// The sparse storages of observed components, by what an operation has to know of them. A component is observed if it has an observer or a
/// hook, or if it is a side of a relationship or relation. Listeners are observers and hooks.
#[derive(Default)]
pub(crate) struct ObservedStorages {
    /// All of them.
    pub(super) all: SparseSummary,
    /// Those from which a removal may notify a listener. The removal of a source may change the list of its target, so if any list has
    /// listeners, all components that name targets are among them.
    pub(super) notifying: SparseSummary,
    /// Those of components that name targets and do not notify: an added source only has to be linked.
    pub(super) only_linked: SparseSummary,
    /// Those of components that list sources.
    pub(crate) lists: SparseSummary,
    /// Those of components that name targets.
    pub(crate) sources: SparseSummary,
    /// Those of components with listeners, or of pairs: entities in them do not end by `end_linked`.
    pub(super) ends: SparseSummary,
}

impl ObservedStorages {
    /// Looks at all sparse components.
    pub(super) fn of(components: &Components) -> Self {
        let storages_of = |holds: &dyn Fn(ComponentId) -> bool| {
            let storages = components.sparse().iter().enumerate().filter(|(_, id)| holds(**id));
            storages.fold(SparseSummary::default(), |all, (number, _)| all.with(number))
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
