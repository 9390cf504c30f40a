//! Filters that observers watch, and the search for entities that begin or stop matching them.
//!
//! Tests: tests/observers/matches.rs

use alloc::vec::Vec;

use crate::access::term::{ConstTerm, Group, Term, TermEntry, Terms};
use crate::component::{ComponentId, LifecycleMask};
use crate::entity::Entity;
use crate::query::registered_terms;
use crate::structure::store::{AffectedEntities, EventBatch, Store};

/// A filter that depends only on which components an entity has.
pub(super) struct MatchFilter {
    terms: Terms,
    pub(super) components: Vec<ComponentId>,
    /// Whether the result may differ between entities of one table.
    is_per_entity: bool,
}

impl MatchFilter {
    /// Creates the filter of a constant, and registers its components.
    ///
    /// # Errors
    ///
    /// If the filter contains something that is not allowed. The error describes it.
    pub(super) fn new(filter: &ConstTerm, store: &mut Store) -> Result<Self, &'static str> {
        let terms = registered_terms(store, &ConstTerm::Entity, filter, &[], &[]);
        let all = || terms.filter().components().chain(terms.excluded().components());
        if terms.filter().asks_spawns() || all().any(|(usage, _)| usage.selects_changes()) {
            return Err("its filter asks when something happened: it can say which components an entity has");
        }
        let is_per_entity = all().any(|(_, component)| component.sparse.is_some());
        let mut components: Vec<ComponentId> = all().filter_map(|(_, component)| component.id).collect();
        components.sort_unstable();
        components.dedup();
        let filter = Self { terms, components, is_per_entity };
        if filter.holds(|_| false) {
            return Err("its filter matches entities without components: add `With<C>` of a component `C`");
        }
        Ok(filter)
    }

    /// Returns the components in the user's filter, without those that disable entities.
    pub(super) fn named(&self) -> Vec<ComponentId> {
        self.terms.filter().components().filter_map(|(_, component)| component.id).collect()
    }

    /// Returns whether an entity with these components matches.
    fn holds(&self, has: impl Fn(ComponentId) -> bool + Copy) -> bool {
        holds(self.terms.filter(), has) && holds(self.terms.excluded(), has)
    }

    /// Calls `each` with the entities of a batch that begin or stop matching the filter because of an operation.
    pub(super) fn for_each_turned(
        &self,
        batch: EventBatch<'_>,
        affected: AffectedEntities<'_>,
        store: &mut Store,
        mut each: impl FnMut(AffectedEntities<'_>, &mut Store),
    ) {
        // The end of a match is dispatched before the operation, the beginning after it. In both cases the entity
        // matches in the current store, and does not match on the other side of the operation: there it has the
        // components of the kinds `COMING` or `GONE`, and lacks the components of the kinds `REMOVE` or `ADD`.
        let turns = |entity: Entity, store: &Store| {
            let now = |id: ComponentId| store.structure.has(entity, id);
            let other = |id: ComponentId| match batch.kinds_of(id) {
                kinds if kinds.intersects(LifecycleMask::COMING.union(LifecycleMask::GONE)) => true,
                kinds if kinds.intersects(LifecycleMask::REMOVE.union(LifecycleMask::ADD)) => false,
                _ => now(id),
            };
            self.holds(now) && !self.holds(other)
        };
        if !self.is_per_entity {
            // All affected entities have the same components, because they are in one table and the filter has no sparse components. So one
            // of them is tested for all.
            if affected.get(0, &store.structure.archetypes.tables).is_some_and(|entity| turns(entity, store)) {
                each(affected, store);
            }
            return;
        }
        let entities = affected.entities(&store.structure.archetypes.tables).iter().copied();
        let turned: Vec<Entity> = entities.filter(|&entity| turns(entity, store)).collect();
        if turned.len() == affected.len() {
            each(affected, store);
        } else if !turned.is_empty() {
            each(AffectedEntities::Listed(&turned), store);
        }
    }
}

/// Returns whether an entity with these components matches a term. The term only tests for the presence of components.
fn holds(term: Term<'_>, has: impl Fn(ComponentId) -> bool + Copy) -> bool {
    match term.node() {
        TermEntry::Component(usage, _) if usage.is_open() => true,
        TermEntry::Component(usage, component) => component.id.is_some_and(has) != usage.excludes(),
        TermEntry::Group(Group::All, _) => term.members().all(|member| holds(member, has)),
        TermEntry::Group(Group::Optional | Group::ReadAll | Group::WriteAll, _) => true,
        TermEntry::Group(..) => term.members().any(|member| holds(member, has)),
        TermEntry::Entity | TermEntry::SpawnDetails | TermEntry::Spawned | TermEntry::Nested(_) => true,
    }
}
