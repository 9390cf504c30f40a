//! Planning: follows all components through the steps of a change, and computes the plan for the entities of a table.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::plan::{ChangeStep, ComponentSource, ComponentTarget, MovePlan, PlanFlags, RequiredComponent};
use crate::component::transition::Transition;
use crate::component::{BundleContents, ComponentId, ComponentInfo, Components, Constructor, Required, StorageType};
use crate::entity::{SparseMask, TableId};
use crate::storage::table::{ColumnMove, Tables};

/// Computes the effect of steps on the entities of a table.
pub(super) struct Planner<'a, 'b> {
    pub(super) from: TableId,
    pub(super) steps: &'b [ChangeStep],
    pub(super) contents: &'b dyn Fn(u32) -> BundleContents<'a>,
    pub(super) components: &'b Components,
}

/// The effect of the steps on one component.
struct ComponentOutcome {
    id: ComponentId,
    /// The number of the component's sparse storage, if it has one.
    sparse: Option<u32>,
    /// Whether a step names the component. Steps that retain a bundle do not count.
    is_named: bool,
    /// Whether a step so far inserts or removes the component, even if the step has no effect.
    touched: bool,
    /// How many steps have removed the component.
    removals: u32,
    /// How many values have been written since the last removal.
    writes: u32,
    /// The constructor of the final value, if a step adds the component because its bundle requires it; and whether an earlier step touches
    /// the component.
    required: Option<(Constructor, bool)>,
    /// Whether the source has a column for the component.
    was_there: bool,
    /// Whether the entity still has an old value, which a write would replace.
    stays: bool,
    /// Whether the entity is known to have the component. For a sparse component that no earlier step names, this is not known.
    present: bool,
    /// Whether a step removes the component, and no later step inserts it.
    leaves: bool,
}

impl ComponentOutcome {
    fn remove(&mut self, leaves: bool) {
        self.removals += 1;
        (self.writes, self.required) = (0, None);
        (self.present, self.leaves, self.touched) = (false, leaves, true);
    }

    /// Returns the transition of a table-stored component that is added or replaced.
    fn comes(&self) -> Option<Transition> {
        let is_written = self.writes != 0 || self.required.is_some();
        match self.sparse {
            Some(_) => None,
            None if !self.present => None,
            None if !self.was_there => Some(Transition::Gained(self.id)),
            None if self.is_removed() => Some(Transition::Renewed(self.id)),
            None => is_written.then_some(Transition::Replaced(self.id)),
        }
    }

    /// Returns whether a step removes the component.
    fn is_removed(&self) -> bool {
        self.removals != 0
    }

    /// Returns whether the entity is removed from the component's sparse storage, by steps that name the component.
    fn leaves_storage(&self) -> bool {
        self.is_named && self.sparse.is_some() && self.leaves
    }
}

/// A value that a step inserts.
struct StepWrite {
    outcome: usize,
    /// Whether the value is written. False if the step keeps an existing value.
    is_wanted: bool,
    /// How often the component has been removed before.
    removals: u32,
    /// The number of values of the component that earlier steps have written since the last removal. The write replaces the last of them.
    nth: u32,
    /// Whether the entity may have a value from before the change that the table does not show. If it has one, that value is kept.
    if_new: bool,
}

/// The effect of the steps on all components.
struct ComponentOutcomes {
    /// The outcomes of the components of the source and of the components that steps name, in ascending order of the components. If a step
    /// retains a bundle, all sparse components are included.
    all: Vec<ComponentOutcome>,
    /// The write of each component of each bundle that is inserted, step by step.
    writes: Vec<StepWrite>,
}

impl ComponentOutcomes {
    fn at(&self, id: ComponentId) -> usize {
        let found = self.all.binary_search_by_key(&id, |outcome| outcome.id);
        let Ok(at) = found else { unreachable!("the components of all steps have been listed") };
        at
    }

    fn of(&self, id: ComponentId) -> &ComponentOutcome {
        &self.all[self.at(id)]
    }

    /// Inserts the components of a bundle. Returns the components that are written.
    fn add(&mut self, contents: BundleContents<'_>, if_new: bool) -> Vec<ComponentId> {
        let mut written = Vec::with_capacity(contents.explicit.len());
        for &id in contents.explicit {
            let at = self.at(id);
            let outcome = &mut self.all[at];
            let touched = core::mem::replace(&mut outcome.touched, true);
            outcome.present |= !touched && contents.held.contains(&id);
            let is_wanted = !(if_new && outcome.present);
            let if_new = if_new && outcome.writes == 0 && !touched;
            let (removals, nth) = (outcome.removals, outcome.writes);
            self.writes.push(StepWrite { outcome: at, is_wanted, removals, nth, if_new });
            if !is_wanted {
                continue;
            }
            written.push(id);
            outcome.writes += 1;
            (outcome.present, outcome.required, outcome.leaves) = (true, None, false);
        }
        written
    }

    /// Adds those of these required components that are missing.
    fn require(&mut self, all: &[Required]) {
        for required in all {
            let at = self.at(required.id);
            let outcome = &mut self.all[at];
            if !outcome.present {
                let constructor = required.constructor;
                (outcome.present, outcome.required, outcome.leaves) =
                    (true, Some((constructor, outcome.touched)), false);
            }
        }
    }

    /// Applies a step.
    fn go_through(&mut self, step: ChangeStep, contents: BundleContents<'_>, components: &Components) {
        match step {
            ChangeStep::Insert(_) => {
                self.add(contents, false);
                self.require(contents.required);
            }
            ChangeStep::InsertIfNew(_) => {
                // The entity keeps its own value of a component that it already has, so the requirements of that component do not count.
                let new = self.add(contents, true);
                self.require(&components.required_by(&new));
            }
            ChangeStep::InsertExactly(_) => drop(self.add(contents, false)),
            ChangeStep::Take(_) => {
                for &id in contents.explicit {
                    let at = self.at(id);
                    // The caller that takes the component also removes it from its storage, so the plan does not.
                    self.all[at].remove(false);
                    self.all[at].stays = false;
                }
            }
            ChangeStep::Remove(_) => {
                for &id in contents.explicit {
                    let at = self.at(id);
                    self.all[at].remove(true);
                }
            }
            ChangeStep::Retain(_) => {
                let gone = self.all.iter_mut().filter(|outcome| !contents.keeps(outcome.id));
                gone.for_each(|outcome| outcome.remove(true));
            }
        }
    }
}

impl Planner<'_, '_> {
    fn sparse(&self, id: ComponentId) -> Option<u32> {
        let info = self.components.info(id).filter(|info| info.storage() == StorageType::Sparse)?;
        Some(info.sparse_index() as u32)
    }

    /// Returns the components that the steps name. Steps that retain a bundle are ignored.
    fn named(&self) -> Vec<ComponentId> {
        let mut named = Vec::new();
        for step in self.steps {
            let contents = (self.contents)(step.bundle());
            match step {
                ChangeStep::Retain(_) => {}
                ChangeStep::Insert(_) | ChangeStep::InsertIfNew(_) => {
                    named.extend(contents.explicit.iter().copied().chain(contents.required.iter().map(|all| all.id)));
                }
                ChangeStep::InsertExactly(_) | ChangeStep::Remove(_) | ChangeStep::Take(_) => {
                    named.extend(contents.explicit)
                }
            }
        }
        named.sort_unstable();
        named.dedup();
        named
    }

    fn says_what_stays(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, ChangeStep::Retain(_)))
    }

    fn outcomes(&self, old: &[ComponentId]) -> ComponentOutcomes {
        let named = self.named();
        let sparse = if self.says_what_stays() { self.components.sparse() } else { &[] };
        let mut ids: Vec<ComponentId> = named.iter().chain(old).chain(sparse).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let outcome = |id| {
            let is_old = old.binary_search(&id).is_ok();
            ComponentOutcome {
                id,
                sparse: self.sparse(id),
                is_named: named.binary_search(&id).is_ok(),
                touched: false,
                removals: 0,
                writes: 0,
                required: None,
                was_there: is_old,
                stays: is_old,
                present: is_old,
                leaves: false,
            }
        };
        let mut outcomes = ComponentOutcomes { all: ids.into_iter().map(outcome).collect(), writes: Vec::new() };
        for &step in self.steps {
            outcomes.go_through(step, (self.contents)(step.bundle()), self.components);
        }
        outcomes
    }

    pub(super) fn plan(&self, tables: &mut Tables) -> MovePlan {
        let old: Vec<ComponentId> = tables.get(self.from).map_or(Vec::new(), |table| table.components().to_vec());
        let outcomes = self.outcomes(&old);
        let all = outcomes.all.iter().filter(|outcome| outcome.sparse.is_none() && outcome.present);
        let all: Vec<ComponentId> = all.map(|outcome| outcome.id).collect();
        let to = tables.find_or_create(&all, self.components);
        let targets = self.targets(&outcomes, tables, to);
        let required = self.required(&outcomes, tables, to);
        let moves = self.moves(&outcomes, tables, to);
        let left = || outcomes.all.iter().filter(|outcome| outcome.leaves_storage());
        let lost = moves.iter().filter(|step| !step.is_kept()).map(|step| (step.from, old[step.from as usize]));
        let mut plan = MovePlan {
            replaces: self.replaces(&targets, &required, tables, to),
            added_storages: summary(targets.iter().chain(required.iter().map(|required| &required.target))),
            lost: lost.filter(|(_, id)| all.binary_search(id).is_err()).collect(),
            transitions: outcomes.all.iter().filter_map(ComponentOutcome::comes).collect(),
            targets,
            required,
            sources: self.sources(tables),
            left_storages: left().filter_map(|outcome| outcome.sparse).collect(),
            retains: self.retains(&outcomes),
            renewed: self.renewed(&outcomes, tables, to),
            ..MovePlan::to_table(to)
        };
        let needs_drop = |id: ComponentId| self.components.info(id).is_some_and(ComponentInfo::needs_drop);
        let drops = moves.iter().any(|step| step.needs_drop) || left().any(|outcome| needs_drop(outcome.id));
        plan.flags = self.flags(&plan, (&old, &all), drops);
        plan.set_moves(moves).unwrap_or_else(|error| error.raise());
        plan
    }

    /// Returns the flags of a plan that do not depend on listeners or moves. `tables` are the components of the source and of the
    /// destination, and `drops` is true if values that are removed have to be dropped.
    fn flags(&self, plan: &MovePlan, tables: (&[ComponentId], &[ComponentId]), drops: bool) -> PlanFlags {
        let is_switched = |id: &ComponentId| tables.0.binary_search(id).is_ok() != tables.1.binary_search(id).is_ok();
        let is_sparse = !plan.added_storages.is_empty()
            || !plan.left_storages.is_empty()
            || plan.retains.is_some()
            || plan.sources.iter().any(|source| matches!(source, ComponentSource::Sparse(_)));
        // If the row stays in its table, required components are not constructed in the row.
        let stays = plan.table == self.from && !plan.required.is_empty();
        let goes_elsewhere = stays || plan.required.iter().any(|required| required.new_column().is_none());
        let names_sources = matches!(self.steps.first(), Some(ChangeStep::Remove(_) | ChangeStep::Take(_)));
        let is_complete = names_sources && !plan.sources.contains(&ComponentSource::Absent);
        PlanFlags::MOVES
            .only_if(plan.table != self.from)
            .union(PlanFlags::REQUIRES.only_if(!plan.required.is_empty()))
            .union(PlanFlags::REQUIRES_ELSEWHERE.only_if(goes_elsewhere))
            .union(PlanFlags::SPARSE.only_if(is_sparse))
            .union(PlanFlags::RENEWS.only_if(!plan.renewed.is_empty()))
            .union(PlanFlags::DISABLES.only_if(self.components.disabling().iter().any(is_switched)))
            .union(PlanFlags::DROPS.only_if(drops || plan.retains.is_some()))
            .union(PlanFlags::REPLACES.only_if(!plan.replaces.is_empty()))
            .union(PlanFlags::COMPLETE.only_if(is_complete))
    }

    /// Returns the targets of components that one step removes and a later step inserts again.
    fn renewed(&self, outcomes: &ComponentOutcomes, tables: &Tables, to: TableId) -> Box<[ComponentTarget]> {
        let renewed = outcomes.all.iter().filter(|outcome| outcome.is_removed() && outcome.present);
        let target = |outcome: &ComponentOutcome| match outcome.sparse {
            Some(number) => ComponentTarget::Sparse(number),
            None => ComponentTarget::Column { index: column(tables, to, outcome.id), replace: outcome.stays },
        };
        renewed.map(target).collect()
    }

    fn targets(&self, outcomes: &ComponentOutcomes, tables: &Tables, to: TableId) -> Box<[ComponentTarget]> {
        let target = |write: &StepWrite| {
            let outcome = &outcomes.all[write.outcome];
            // A sequence may insert a component several times. The last value is written, and the others have the target `Nowhere`.
            let is_only = self.steps.len() == 1;
            let is_last = outcome.removals == write.removals && outcome.writes == write.nth + 1;
            match outcome.sparse {
                Some(number) if !write.is_wanted && is_only => ComponentTarget::SparseIfNew(number),
                None if !write.is_wanted && is_only => ComponentTarget::Kept(column(tables, to, outcome.id)),
                _ if !write.is_wanted || !is_last => ComponentTarget::Nowhere,
                Some(number) if write.if_new => ComponentTarget::SparseIfNew(number),
                Some(number) => ComponentTarget::Sparse(number),
                None => ComponentTarget::Column { index: column(tables, to, outcome.id), replace: outcome.stays },
            }
        };
        outcomes.writes.iter().map(target).collect()
    }

    /// Returns the columns of the destination with a replaced or unwritten value that has to be dropped.
    fn replaces(
        &self,
        targets: &[ComponentTarget],
        required: &[RequiredComponent],
        tables: &Tables,
        to: TableId,
    ) -> Box<[u32]> {
        let targets = targets.iter().chain(required.iter().map(|required| &required.target));
        let columns = targets.filter_map(|target| match *target {
            ComponentTarget::Column { index, replace: true } | ComponentTarget::Kept(index) => Some(index),
            _ => None,
        });
        let needs_drop = |index: &u32| {
            let table = tables.get(to);
            table.is_some_and(|table| table.column(*index as usize).drop_fn().is_some())
        };
        columns.filter(needs_drop).collect()
    }

    /// Returns the required components that the steps add.
    fn required(&self, outcomes: &ComponentOutcomes, tables: &Tables, to: TableId) -> Box<[RequiredComponent]> {
        let required = |outcome: &ComponentOutcome| {
            let (constructor, touched) = outcome.required?;
            let target = match outcome.sparse {
                // The entity may already have a value in the sparse set, unless an earlier step has removed it.
                Some(number) if !touched => ComponentTarget::SparseIfNew(number),
                Some(number) => ComponentTarget::Sparse(number),
                None => ComponentTarget::Column { index: column(tables, to, outcome.id), replace: outcome.stays },
            };
            Some(RequiredComponent { id: outcome.id, constructor, target })
        };
        outcomes.all.iter().filter_map(required).collect()
    }

    /// Returns the moves of the columns of the source, if the entity moves to another table.
    fn moves(&self, outcomes: &ComponentOutcomes, tables: &Tables, to: TableId) -> Vec<ColumnMove> {
        let (Some(source), Some(target)) = (tables.get(self.from), tables.get(to)) else { return Vec::new() };
        if self.from == to {
            return Vec::new();
        }
        let step = |(at, &id): (usize, &ComponentId)| {
            let column = source.column(at);
            let (size, needs_drop) = (column.item_size(), column.drop_fn().is_some());
            match target.column_index(id).filter(|_| outcomes.of(id).stays) {
                Some(to) => ColumnMove::kept(at as u32, to as u32, size),
                None => ColumnMove::left(at as u32, size, needs_drop),
            }
        };
        let mut moves: Vec<ColumnMove> = source.components().iter().enumerate().map(step).collect();
        // The moves are sorted by size, because consecutive moves of the same size are copied by the same code.
        moves.sort_unstable_by_key(|step| (!step.is_kept(), step.size(), step.from));
        moves
    }

    fn sources(&self, tables: &Tables) -> Box<[ComponentSource]> {
        let Some(&(ChangeStep::Remove(bundle) | ChangeStep::Take(bundle))) = self.steps.first() else {
            return Box::default();
        };
        let has = |id| tables.get(self.from).is_some_and(|table| table.contains(id));
        let sources = (self.contents)(bundle).explicit.iter().map(|&id| match self.sparse(id) {
            Some(number) => ComponentSource::Sparse(number),
            None if has(id) => ComponentSource::Column(column(tables, self.from, id)),
            None => ComponentSource::Absent,
        });
        sources.collect()
    }

    /// If a step retains a bundle: returns the numbers of the sparse storages that may hold an entity afterwards.
    fn retains(&self, outcomes: &ComponentOutcomes) -> Option<Box<[u32]>> {
        if !self.says_what_stays() {
            return None;
        }
        let kept = outcomes.all.iter().filter(|outcome| outcome.present || !outcome.is_removed());
        Some(kept.filter_map(|outcome| outcome.sparse).collect())
    }
}

fn summary<'t>(targets: impl Iterator<Item = &'t ComponentTarget>) -> SparseMask {
    targets.fold(SparseMask::default(), |summary, target| match target {
        ComponentTarget::Sparse(number) | ComponentTarget::SparseIfNew(number) => summary.with(*number as usize),
        ComponentTarget::Column { .. } | ComponentTarget::Kept(_) | ComponentTarget::Nowhere => summary,
    })
}

/// Returns the column of a component. The table must have it.
fn column(tables: &Tables, table: TableId, id: ComponentId) -> u32 {
    let found = tables.get(table).and_then(|table| table.column_index(id));
    let Some(index) = found else { unreachable!("the table was made with this component") };
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Component;

    #[derive(Component, Default)]
    struct Position(f32);

    #[derive(Component, Default)]
    struct Name(alloc::string::String);

    #[derive(Component, Default)]
    #[component(storage = "sparse")]
    struct Marked(u8);

    #[derive(Component, Default)]
    #[require(Position, Marked)]
    struct Body;

    /// Bundles by number, and the tables and components that their plans are for.
    #[derive(Default)]
    struct Setup {
        components: Components,
        bundles: Vec<(Vec<ComponentId>, Vec<Required>)>,
    }

    impl Setup {
        fn id<C: Component>(&mut self) -> ComponentId {
            self.components.register::<C>()
        }

        /// Adds a bundle and returns its number.
        fn bundle(&mut self, ids: &[ComponentId]) -> u32 {
            let required = self.components.required_by(ids).to_vec();
            self.bundles.push((ids.to_vec(), required));
            self.bundles.len() as u32 - 1
        }

        fn plan(&self, tables: &mut Tables, from: TableId, steps: &[ChangeStep]) -> MovePlan {
            let contents = |bundle: u32| {
                let (explicit, required) = &self.bundles[bundle as usize];
                BundleContents { explicit, required, held: &[] }
            };
            Planner { from, steps, contents: &contents, components: &self.components }.plan(tables)
        }
    }

    fn columns(tables: &Tables, table: TableId) -> Vec<ComponentId> {
        tables.get(table).map_or(Vec::new(), |table| table.components().to_vec())
    }

    #[test]
    fn an_insertion_leads_to_the_table_with_both_sets_of_components() {
        let mut setup = Setup::default();
        let (position, name) = (setup.id::<Position>(), setup.id::<Name>());
        let (first, second) = (setup.bundle(&[position]), setup.bundle(&[name]));
        let mut tables = Tables::new(&setup.components);
        let spawn = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(first)]);
        assert_eq!(columns(&tables, spawn.table), [position]);
        assert_eq!(*spawn.targets, [ComponentTarget::Column { index: 0, replace: false }]);
        assert!(spawn.all_moves().next().is_none() && spawn.flags.intersects(PlanFlags::MOVES));

        let insert = setup.plan(&mut tables, spawn.table, &[ChangeStep::Insert(second)]);
        assert_eq!(columns(&tables, insert.table), [position, name]);
        assert_eq!(*insert.targets, [ComponentTarget::Column { index: 1, replace: false }]);
        assert_eq!(insert.kept().map(|step| (step.from, step.to)).collect::<Vec<_>>(), [(0, 0)]);
        assert!(insert.lost.is_empty() && insert.flags.special() == PlanFlags::NONE);
    }

    #[test]
    fn an_insertion_over_a_value_stays_in_the_table_and_replaces_what_has_to_be_dropped() {
        let mut setup = Setup::default();
        let (position, name) = (setup.id::<Position>(), setup.id::<Name>());
        let both = setup.bundle(&[name, position]);
        let mut tables = Tables::new(&setup.components);
        let from = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(both)]).table;
        let insert = setup.plan(&mut tables, from, &[ChangeStep::Insert(both)]);
        assert!(insert.table == from && !insert.flags.intersects(PlanFlags::MOVES));
        let replaced = |index| ComponentTarget::Column { index, replace: true };
        assert_eq!(*insert.targets, [replaced(1), replaced(0)], "the targets are in the order of the bundle");
        assert_eq!(*insert.replaces, [1], "a position need not be dropped");
        assert!(insert.flags.special() == PlanFlags::REPLACES);
        let if_new = setup.plan(&mut tables, from, &[ChangeStep::InsertIfNew(both)]);
        assert_eq!(*if_new.targets, [ComponentTarget::Kept(1), ComponentTarget::Kept(0)]);
        assert_eq!(*if_new.replaces, [1], "the unwanted name goes past the end");
    }

    #[test]
    fn a_removal_leaves_values_behind_and_names_what_is_lost() {
        let mut setup = Setup::default();
        let (position, name) = (setup.id::<Position>(), setup.id::<Name>());
        let (both, one) = (setup.bundle(&[position, name]), setup.bundle(&[name]));
        let mut tables = Tables::new(&setup.components);
        let from = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(both)]).table;
        let removal = setup.plan(&mut tables, from, &[ChangeStep::Remove(one)]);
        assert_eq!(columns(&tables, removal.table), [position]);
        assert_eq!(*removal.lost, [(1, name)]);
        assert_eq!(removal.left().collect::<Vec<_>>(), [1]);
        assert_eq!(*removal.sources, [ComponentSource::Column(1)]);
        assert!(removal.flags.intersects(PlanFlags::DROPS) && removal.flags.intersects(PlanFlags::COMPLETE));
        let nothing = setup.plan(&mut tables, removal.table, &[ChangeStep::Remove(one)]);
        assert!(nothing.table == removal.table && *nothing.sources == [ComponentSource::Absent]);
        assert!(nothing.lost.is_empty() && !nothing.flags.intersects(PlanFlags::DROPS.union(PlanFlags::COMPLETE)));
    }

    #[test]
    fn sparse_components_change_no_table() {
        let mut setup = Setup::default();
        let marked = setup.id::<Marked>();
        let bundle = setup.bundle(&[marked]);
        let mut tables = Tables::new(&setup.components);
        let insert = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(bundle)]);
        assert_eq!((insert.table, &*insert.targets), (TableId::EMPTY, &[ComponentTarget::Sparse(0)][..]));
        assert!(insert.flags.intersects(PlanFlags::SPARSE) && !insert.flags.intersects(PlanFlags::MOVES));
        let removal = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Remove(bundle)]);
        assert_eq!(*removal.left_storages, [0]);
        assert_eq!(*removal.sources, [ComponentSource::Sparse(0)]);
    }

    #[test]
    fn what_a_bundle_requires_is_constructed_unless_the_entity_has_it() {
        let mut setup = Setup::default();
        let body = setup.id::<Body>();
        let (position, marked) = (setup.id::<Position>(), setup.id::<Marked>());
        let (bodies, positions) = (setup.bundle(&[body]), setup.bundle(&[position]));
        let mut tables = Tables::new(&setup.components);
        let spawn = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(bodies)]);
        let mut required: Vec<_> = spawn.required.iter().map(|required| required.id).collect();
        required.sort_unstable();
        let mut expected = [position, marked];
        expected.sort_unstable();
        assert_eq!(required, expected);
        assert!(spawn.flags.intersects(PlanFlags::REQUIRES_ELSEWHERE), "one of them is sparse");
        let from = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(positions)]).table;
        let insert = setup.plan(&mut tables, from, &[ChangeStep::Insert(bodies)]);
        assert_eq!(insert.required.iter().map(|required| required.id).collect::<Vec<_>>(), [marked]);
        let exactly = setup.plan(&mut tables, from, &[ChangeStep::InsertExactly(bodies)]);
        assert!(exactly.required.is_empty());
    }

    #[test]
    fn a_component_that_is_removed_and_inserted_again_is_renewed() {
        let mut setup = Setup::default();
        let position = setup.id::<Position>();
        let bundle = setup.bundle(&[position]);
        let mut tables = Tables::new(&setup.components);
        let from = setup.plan(&mut tables, TableId::EMPTY, &[ChangeStep::Insert(bundle)]).table;
        let both = setup.plan(&mut tables, from, &[ChangeStep::Remove(bundle), ChangeStep::Insert(bundle)]);
        assert_eq!((both.table, both.renewed.len()), (from, 1));
        assert!(both.lost.is_empty() && both.flags.intersects(PlanFlags::RENEWS));
        assert_eq!(*both.transitions, [Transition::Renewed(position)]);
    }
}
