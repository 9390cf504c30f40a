//! Archetypes: which components there are, which sets of them have tables, and which changes lead from one to another.
//!
//! A component, a bundle, a table and a plan are numbers that mean something together: a plan names tables and columns, a
//! change names bundles, a bundle names components. Here they are one part, which answers one question: what does this
//! change do to an entity of that table? The answer is a [`PlanId`], and [`Archetypes::at`] opens it. A `PlanId` is good
//! until plans are forgotten, which any user code may cause, so none is kept across that.
//!
//! Rows and values are not looked at here.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::bundle::{Bundle, BundleParts, Bundles};
use crate::column::ColumnAddress;
use crate::component::{
    Component, ComponentDescriptor, ComponentHook, ComponentId, Components, Contents, Kinds, Required,
    RequiredComponentsError, StorageType,
};
use crate::entity::TableId;
use crate::graph::{Change, ChangeStep, Graph, MovePlan, PlanFlags, PlanId, PlanKey};
use crate::origin::Origin;
use crate::table::Tables;
use crate::transition::Interest;

/// The components, bundles, tables and edges of a world.
pub(crate) struct Archetypes {
    pub(crate) components: Components,
    pub(crate) tables: Tables,
    bundles: Bundles,
    graph: Graph,
}

/// A plan, and what it is carried out with.
pub(crate) struct Planned<'a> {
    pub(crate) plan: &'a MovePlan,
    pub(crate) tables: &'a mut Tables,
    pub(crate) components: &'a Components,
}

impl Default for Archetypes {
    fn default() -> Self {
        let components = Components::default();
        let tables = Tables::new(&components);
        Self { components, tables, bundles: Bundles::default(), graph: Graph::default() }
    }
}

impl Archetypes {
    /// Where the column of a component is in a table, if the table exists and has it. The component is stored in tables.
    #[inline]
    pub(crate) fn column_of<C: Component>(&self, table: TableId) -> Option<ColumnAddress> {
        match C::slot() {
            Some(slot) => self.tables.column_of_slot(table, slot.address()),
            None => self.tables.get(table)?.column_address(self.components.id::<C>()?),
        }
    }

    /// The plan for a change of the entities of a table. It is made the first time.
    #[inline]
    pub(crate) fn plan(&mut self, from: TableId, change: Change) -> PlanId {
        match self.graph.latest(from, change) {
            Some(plan) => plan,
            None => self.find_plan(from, change),
        }
    }

    #[inline(never)]
    fn find_plan(&mut self, from: TableId, change: Change) -> PlanId {
        let Self { components, tables, bundles, graph } = self;
        match graph.find_edge(from, change) {
            Some(plan) => plan,
            None => graph.make(from, change, &|number| bundles.contents(number), tables, components),
        }
    }

    /// A plan, opened.
    ///
    /// # Panics
    ///
    /// If plans have been forgotten since this one was found.
    #[inline]
    pub(crate) fn at(&mut self, plan: PlanId) -> Planned<'_> {
        Planned { plan: self.graph.get(plan), tables: &mut self.tables, components: &self.components }
    }

    /// The plan for a change, opened at once.
    #[inline]
    pub(crate) fn planned(&mut self, from: TableId, change: Change) -> Planned<'_> {
        let plan = self.plan(from, change);
        self.at(plan)
    }

    /// The plan with a key, opened, if the plan cache has it and its special flags are those of the key, apart
    /// from flags that the key tolerates.
    #[inline]
    pub(crate) fn cached(&mut self, key: PlanKey) -> Option<Planned<'_>> {
        let Self { components, tables, graph, .. } = self;
        Some(Planned { plan: graph.cached(key)?, tables, components })
    }

    /// The plan with a key and its special flags, if the plan cache has it, whatever its flags are.
    #[inline]
    pub(crate) fn find(&self, key: PlanKey) -> Option<(PlanId, PlanFlags)> {
        self.graph.find(key)
    }

    /// Has the plan cache find a plan by a key, which is one for the change of the plan.
    pub(crate) fn remember(&mut self, key: PlanKey, plan: PlanId) {
        self.graph.remember(key, plan);
    }

    /// The change that makes another one first and then a step.
    pub(crate) fn then(&mut self, first: Change, step: ChangeStep) -> Change {
        self.graph.then(first, step)
    }

    /// The change that consists of these steps, more than are remembered beside others.
    pub(crate) fn long(&mut self, steps: Vec<ChangeStep>) -> Change {
        self.graph.long(steps)
    }

    /// The steps of a change.
    pub(crate) fn steps(&self, change: Change) -> Vec<ChangeStep> {
        self.graph.steps(change)
    }

    /// Forgets the plans and sequences of changes if there are more than so many of these.
    pub(crate) fn limit_sequences(&mut self, most: usize) {
        if self.graph.sequences() > most {
            self.graph.clear();
        }
    }

    /// The number of a bundle, if it is registered.
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

    /// Registers a bundle whose components have storages. `by` is what uses it.
    ///
    /// # Panics
    ///
    /// If it has a component twice.
    pub(crate) fn register_bundle<B: Bundle>(&mut self, ids: &[ComponentId], by: Origin) -> u32 {
        self.bundles.register::<B>(ids, &self.components, by)
    }

    /// Adopts the components of some values, which are sorted by them. The numbers of the components are returned.
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

    /// The number of the bundle that consists of these components, which have storages.
    pub(crate) fn register_dynamic(&mut self, ids: &[ComponentId]) -> u32 {
        self.bundles.register_dynamic(ids, &self.components)
    }

    /// The number of a bundle for entities that have some of its sparse components already.
    pub(crate) fn register_held(&mut self, bundle: u32, held: Vec<ComponentId>) -> u32 {
        self.bundles.register_held(bundle, held.into(), &self.components)
    }

    /// The components of the bundle with this number.
    pub(crate) fn contents(&self, bundle: u32) -> Contents<'_> {
        self.bundles.contents(bundle)
    }

    /// The sparse components of a bundle that require others which the bundle does not have.
    pub(crate) fn requiring_sparse(&self, bundle: u32) -> impl Iterator<Item = ComponentId> {
        let components = &self.components;
        let contents = self.contents(bundle);
        let explicit = if contents.required.is_empty() { &[] } else { contents.explicit };
        let is_sparse = |id| components.info(id).is_some_and(|info| info.storage() == StorageType::Sparse);
        explicit.iter().copied().filter(move |&id| is_sparse(id) && !components.required(id).is_empty())
    }

    /// Notes that a component requires another one.
    ///
    /// # Errors
    ///
    /// If it requires that already, or that requires the component.
    pub(crate) fn require(&mut self, by: ComponentId, required: Required) -> Result<(), RequiredComponentsError> {
        let new = self.components.requirements_with(by, required)?;
        let of_bundles: Vec<Box<[Required]>> = self.bundles.requirements_with(&self.components, &new);
        // From here on nothing can fail.
        self.components.adopt_requirements(new);
        self.bundles.adopt_requirements(of_bundles);
        // Plans go by what bundles required so far.
        self.graph.clear();
        Ok(())
    }

    /// Forgets all plans.
    pub(crate) fn forget_plans(&mut self) {
        self.graph.clear();
    }

    /// Forgets all plans and all bundles that were put together at run time: their numbers will belong to others.
    pub(crate) fn forget_what_can_be_found_again(&mut self) {
        self.graph.clear();
        self.bundles.forget_dynamic();
    }

    /// Says in which list removals of a component are recorded, if they are, to its tables and plans. `O(columns + plans)`.
    pub(crate) fn set_removals(&mut self, id: ComponentId, list: Option<u32>) {
        if self.components.removals(id) != list {
            self.components.set_removals(id, list);
            self.update_interest(self.graph.in_all());
        }
    }

    /// Gives a component a hook of a kind, and says so to its tables and plans. False, and nothing has happened, if it has one.
    /// `O(columns + plans)`.
    pub(crate) fn add_hook(&mut self, id: ComponentId, kind: Kinds, hook: ComponentHook) -> bool {
        let is_new = self.components.add_hook(id, kind, hook);
        if is_new {
            self.update_interest(self.graph.in_all());
        }
        is_new
    }

    /// Says what observers are told of a component, or of all, to its tables and plans. `O(columns + plans)`.
    pub(crate) fn set_observed(&mut self, id: Option<ComponentId>, kinds: Kinds) {
        if self.components.observed_only(id) != kinds {
            self.components.set_observed(id, kinds);
            self.update_interest(self.graph.in_all());
        }
    }

    /// Sets the listeners of everything, beside those of some components. `O(columns + plans)`.
    pub(crate) fn update_interest(&mut self, in_all: Interest) {
        self.tables.update_interest(&self.components, in_all);
        self.graph.update_interest(&self.components, in_all);
    }

    /// A sparse component has come of which something is told: plans that may take any away have to know.
    pub(crate) fn observe_new_sparse(&mut self) {
        self.update_interest(self.graph.in_all());
    }

    /// Gives back the room that nothing needs.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.bundles.shrink_to_fit();
        self.tables.shrink_to_fit();
    }

    /// The bytes that the tables, bundles and plans have allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.tables.allocated_bytes() + self.bundles.allocated_bytes() + self.graph.allocated_bytes()
    }

    /// Panics if a plan is not the one that would be made now. Looks at some of them: which ones depends on `turn`.
    pub(crate) fn check_plans(&mut self, turn: usize) {
        let Self { components, tables, bundles, graph } = self;
        graph.check_invariants(turn, &|number| bundles.contents(number), tables, components);
    }
}
