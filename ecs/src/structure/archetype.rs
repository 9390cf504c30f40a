//! Archetypes: the components, the tables of sets of components, and the changes that lead from one table to another.
//!
//! Components, bundles, tables and plans refer to each other by numbers: a plan contains numbers of tables and columns, a change contains
//! numbers of bundles, and a bundle contains ids of components. [`Archetypes`] owns all of them and determines the effect of a change on an
//! entity of a table. The result is a [`PlanId`], and [`Archetypes::at`] returns its plan. A `PlanId` is valid until plans are removed. Any
//! user code may cause that, so no `PlanId` is kept while user code runs.
//!
//! This module does not access rows and values.
//!
//! Tests: tests/storage/runs.rs, tests/storage/shrink.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::component::transition::ListenerMask;
use crate::component::{
    BundleContents, Component, ComponentDescriptor, ComponentHook, ComponentId, Components, LifecycleMask, Required,
    RequiredComponentsError, StorageType,
};
use crate::entity::TableId;
use crate::storage::column::ColumnAddress;
use crate::storage::table::Tables;
use crate::structure::bundle::{Bundle, BundleParts, Bundles};
use crate::structure::graph::{ArchetypeGraph, ChangeKey, ChangeStep, MovePlan, PlanFlags, PlanId, PlanKey};
use crate::util::origin::Origin;

/// The components, bundles, tables and edges of a world.
pub(crate) struct Archetypes {
    pub(crate) components: Components,
    pub(crate) tables: Tables,
    bundles: Bundles,
    graph: ArchetypeGraph,
}

/// A plan, and the parts of the world that are needed to carry it out.
pub(crate) struct PlanContext<'a> {
    pub(crate) plan: &'a MovePlan,
    pub(crate) tables: &'a mut Tables,
    pub(crate) components: &'a Components,
}

impl Default for Archetypes {
    fn default() -> Self {
        let components = Components::default();
        let tables = Tables::new(&components);
        Self { components, tables, bundles: Bundles::default(), graph: ArchetypeGraph::default() }
    }
}

impl Archetypes {
    /// Returns the column of a component in a table, if the table exists and has the component. The component is table-stored.
    #[inline]
    pub(crate) fn column_of<C: Component>(&self, table: TableId) -> Option<ColumnAddress> {
        match C::slot() {
            Some(slot) => self.tables.column_of_slot(table, slot.address()),
            None => self.tables.get(table)?.column_address(self.components.id::<C>()?),
        }
    }

    /// Returns the plan for a change of the entities of a table. The plan is made when it is first requested.
    #[inline]
    pub(crate) fn plan(&mut self, from: TableId, change: ChangeKey) -> PlanId {
        match self.graph.cache.find(PlanKey::of_change(change, from)) {
            Some((plan, _)) => plan,
            None => self.find_or_make_plan(from, change),
        }
    }

    #[inline(never)]
    fn find_or_make_plan(&mut self, from: TableId, change: ChangeKey) -> PlanId {
        let Self { components, tables, bundles, graph } = self;
        match graph.find_edge(from, change) {
            Some(plan) => plan,
            None => graph.make(from, change, &|number| bundles.contents(number), tables, components),
        }
    }

    /// Returns the plan with this id.
    ///
    /// # Panics
    ///
    /// If plans have been removed since this plan was found.
    #[inline]
    pub(crate) fn at(&mut self, plan: PlanId) -> PlanContext<'_> {
        PlanContext { plan: self.graph.get(plan), tables: &mut self.tables, components: &self.components }
    }

    /// Returns the plan for a change of the entities of a table, with the parts of the world that are needed to carry it out.
    #[inline]
    pub(crate) fn planned(&mut self, from: TableId, change: ChangeKey) -> PlanContext<'_> {
        let plan = self.plan(from, change);
        self.at(plan)
    }

    /// Returns the plan with a key, if the plan cache has it and its special flags equal those of the key, except flags that the key
    /// tolerates.
    #[inline]
    pub(crate) fn cached(&mut self, key: PlanKey) -> Option<PlanContext<'_>> {
        let Self { components, tables, graph, .. } = self;
        Some(PlanContext { plan: graph.cache.get(key)?, tables, components })
    }

    /// Returns the plan with a key and the special flags of the plan, if the plan cache has it. The flags of the key are ignored.
    #[inline]
    pub(crate) fn find(&self, key: PlanKey) -> Option<(PlanId, PlanFlags)> {
        self.graph.cache.find(key)
    }

    /// Stores a plan in the plan cache under a key. The key belongs to the change of the plan.
    pub(crate) fn add_to_cache(&mut self, key: PlanKey, plan: PlanId) {
        self.graph.add_to_cache(key, plan);
    }

    /// Returns how often plans have been removed. While this number stays the same, the numbers of changes of several steps stay valid.
    #[inline]
    pub(crate) fn epoch(&self) -> u32 {
        self.graph.epoch()
    }

    /// Returns the change that consists of the steps of `first`, followed by `step`.
    pub(crate) fn then(&mut self, first: ChangeKey, step: ChangeStep) -> ChangeKey {
        self.graph.then(first, step)
    }

    /// Returns the change that consists of these steps. The number of steps exceeds the maximum for changes that the graph keeps together
    /// with others.
    pub(crate) fn long(&mut self, steps: Vec<ChangeStep>) -> ChangeKey {
        self.graph.long(steps)
    }

    /// Returns the steps of a change.
    pub(crate) fn steps(&self, change: ChangeKey) -> Vec<ChangeStep> {
        self.graph.steps(change)
    }

    /// Removes all plans and all sequences of steps, if there are more than `most` sequences.
    pub(crate) fn limit_sequences(&mut self, most: usize) {
        if self.graph.sequences() > most {
            self.graph.clear();
        }
    }

    /// Returns the number of a bundle, if it is registered.
    #[inline]
    pub(crate) fn bundle<B: Bundle>(&self) -> Option<u32> {
        self.bundles.number::<B>()
    }

    /// Registers the components of a bundle, in the order of its parts.
    pub(crate) fn register_parts<B: Bundle>(&mut self) -> Vec<ComponentId> {
        let mut ids = Vec::new();
        B::Parts::register(&mut self.components, &mut ids);
        ids
    }

    /// Registers a bundle and returns its number. The storages of its components exist. `by` is the code that uses the bundle.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    pub(crate) fn register_bundle<B: Bundle>(&mut self, ids: &[ComponentId], by: Origin) -> u32 {
        self.bundles.register::<B>(ids, &self.components, by)
    }

    /// Registers the components of some values if necessary, and sorts the values by component. Returns the ids of the components, in this
    /// order.
    pub(crate) fn adopt_values<V>(
        &mut self,
        values: &mut Vec<V>,
        descriptor: impl Fn(&V) -> &'static ComponentDescriptor,
    ) -> Vec<ComponentId> {
        let adopt = |value: V| (self.components.adopt(descriptor(&value)), value);
        let mut parts: Vec<(ComponentId, V)> = values.drain(..).map(adopt).collect();
        parts.sort_unstable_by_key(|(id, _)| *id);
        let ids = parts.iter().map(|(id, _)| *id).collect();
        values.extend(parts.into_iter().map(|(_, value)| value));
        ids
    }

    /// Returns the number of the bundle that consists of these components. Their storages exist.
    pub(crate) fn register_dynamic(&mut self, ids: &[ComponentId]) -> u32 {
        self.bundles.register_dynamic(ids, &self.components)
    }

    /// Returns the number of the variant of a bundle for entities that already have the sparse components `held` of the bundle.
    pub(crate) fn register_held(&mut self, bundle: u32, held: Vec<ComponentId>) -> u32 {
        self.bundles.register_held(bundle, held.into(), &self.components)
    }

    /// Returns the components of the bundle with this number.
    pub(crate) fn contents(&self, bundle: u32) -> BundleContents<'_> {
        self.bundles.contents(bundle)
    }

    /// Returns the sparse components of a bundle that require components which the bundle does not have.
    pub(crate) fn requiring_sparse(&self, bundle: u32) -> impl Iterator<Item = ComponentId> {
        let components = &self.components;
        let contents = self.contents(bundle);
        let explicit = if contents.required.is_empty() { &[] } else { contents.explicit };
        let is_sparse = |id| components.info(id).is_some_and(|info| info.storage() == StorageType::Sparse);
        explicit.iter().copied().filter(move |&id| is_sparse(id) && !components.required(id).is_empty())
    }

    /// Registers that a component requires another one.
    ///
    /// # Errors
    ///
    /// If the component already requires the other one, or the other one requires the component.
    pub(crate) fn require(&mut self, by: ComponentId, required: Required) -> Result<(), RequiredComponentsError> {
        let new = self.components.requirements_with(by, required)?;
        let of_bundles: Vec<Box<[Required]>> = self.bundles.requirements_with(&self.components, &new);
        // From here on nothing can fail.
        self.components.adopt_requirements(new);
        self.bundles.adopt_requirements(of_bundles);
        // The plans were made with the old requirements, so they are discarded.
        self.graph.clear();
        Ok(())
    }

    /// Removes all plans.
    pub(crate) fn forget_plans(&mut self) {
        self.graph.clear();
    }

    /// Removes all plans, and all bundles that were assembled at run time. The numbers of these bundles will be reused.
    pub(crate) fn forget_what_can_be_found_again(&mut self) {
        self.graph.clear();
        self.bundles.forget_dynamic();
    }

    /// Sets the log in which removals of a component are recorded, or `None` if they are not recorded, and updates the tables and plans of
    /// the component. `O(columns + plans)`.
    pub(crate) fn set_removals(&mut self, id: ComponentId, list: Option<u32>) {
        if self.components.removals(id) != list {
            self.components.set_removals(id, list);
            self.update_interest(self.graph.in_all);
        }
    }

    /// Adds a hook to a component, and updates its tables and plans. Returns false, and does nothing, if the component has a hook of this
    /// kind. `O(columns + plans)`.
    pub(crate) fn add_hook(&mut self, id: ComponentId, kind: LifecycleMask, hook: ComponentHook) -> bool {
        let is_new = self.components.add_hook(id, kind, hook);
        if is_new {
            self.update_interest(self.graph.in_all);
        }
        is_new
    }

    /// Sets which lifecycle events of a component, or of any component, are observed, and updates tables and plans. `O(columns + plans)`.
    pub(crate) fn set_observed(&mut self, id: Option<ComponentId>, kinds: LifecycleMask) {
        if self.components.observed_only(id) != kinds {
            self.components.set_observed(id, kinds);
            self.update_interest(self.graph.in_all);
        }
    }

    /// Updates the listeners of tables and plans. `in_all` are the listeners of all operations. `O(columns + plans)`.
    pub(crate) fn update_interest(&mut self, in_all: ListenerMask) {
        self.tables.update_interest(&self.components, in_all);
        self.graph.update_interest(&self.components, in_all);
    }

    /// Must be called when an observed sparse component has been registered: plans that retain a bundle may remove the component.
    pub(crate) fn observe_new_sparse(&mut self) {
        self.update_interest(self.graph.in_all);
    }

    /// Frees spare memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.bundles.shrink_to_fit();
        self.tables.shrink_to_fit();
    }

    /// Returns the bytes that the tables, bundles and plans have allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.tables.allocated_bytes() + self.bundles.allocated_bytes() + self.graph.allocated_bytes()
    }

    /// Panics if a plan differs from the plan that would be made now. Checks only some of the plans; `turn` selects them.
    pub(crate) fn check_plans(&mut self, turn: usize) {
        let Self { components, tables, bundles, graph } = self;
        graph.check_invariants(turn, &|number| bundles.contents(number), tables, components);
    }
}
