//! The terms of a query in a world, and the tables and rows that match them.
//!
//! Tests: tests/queries/filters.rs, tests/queries/disabling.rs

use alloc::vec::Vec;

use crate::access::term::{ConstTerm, Group, Term, TermComponent, TermEntry, TermMembers, Terms, Usage};
use crate::component::{ComponentId, Components};
use crate::entity::Entity;
use crate::storage::column::Column;
use crate::storage::table::Table;
use crate::storage::tracking::TickKind;
use crate::structure::store::Store;

/// Returns the terms of a query in a world. Registers their components if necessary. `made` are the terms that are only known at
/// run time. `added` are terms that are not part of the query's type.
///
/// # Panics
///
/// If the number of terms in `made` differs from the number of placeholders, or one of them names a component that is not
/// registered.
pub(crate) fn registered(
    store: &mut Store,
    data: &ConstTerm,
    filter: &ConstTerm,
    made: &[(Usage, ComponentId)],
    added: &[TermEntry],
) -> Terms {
    let of_world = |&(usage, id): &(Usage, ComponentId)| match store.structure.archetypes.components.info(id) {
        Some(info) => (usage, TermComponent::of(info)),
        None => panic!("a term is about component number {}, and the world has met no such component", id.index()),
    };
    let made: Vec<(Usage, TermComponent)> = made.iter().map(of_world).collect();
    let terms = Terms::of_query(data, filter, &made, &mut |component| {
        let id = store.register_by(component.register);
        store.structure.archetypes.components.info(id).map(TermComponent::of)
    });
    let mut terms = terms.expect("the terms that are known at run time only are made, each once");
    terms.add(added);
    exclude_disabled(&mut terms, &store.structure.archetypes.components, 0);
    terms
}

/// Returns the terms of a query as written. Returns `None` if a component is not registered, or if its storage does not exist.
pub(crate) fn found(store: &Store, data: &ConstTerm, filter: &ConstTerm) -> Option<Terms> {
    let has_storage =
        |component: &TermComponent| component.sparse.is_none_or(|at| (at as usize) < store.structure.sparse.len());
    Terms::of_query(data, filter, &[], &mut |component| {
        let id = (component.find)(&store.structure.archetypes.components)?;
        store.structure.archetypes.components.info(id).map(TermComponent::of).filter(has_storage)
    })
}

/// Returns the terms of a query, whether or not its components are registered. Returns `None` if some terms are only known at run
/// time.
pub(crate) fn looked_up(components: &Components, data: &ConstTerm, filter: &ConstTerm) -> Option<Terms> {
    let mut terms = Terms::of_query(data, filter, &[], &mut |component| {
        let info = (component.find)(components).and_then(|id| components.info(id));
        Some(info.map_or_else(|| TermComponent::unmet(component), TermComponent::of))
    })?;
    exclude_disabled(&mut terms, components, 0);
    Some(terms)
}

/// Excludes the disabling components of a world that the terms do not name. The first `known` of these components are already
/// excluded. Disabling components are stored in tables.
pub(crate) fn exclude_disabled(terms: &mut Terms, components: &Components, known: usize) {
    let disabling = components.disabling().get(known..).unwrap_or_default();
    for info in disabling.iter().filter_map(|&id| components.info(id)) {
        terms.exclude_unless_named(TermComponent::of(info));
    }
}

/// The tables that terms match, as a decision graph: each test refers to the next test. So testing a table is one short loop, no
/// matter how the terms are nested.
#[derive(Clone)]
pub(crate) struct TableFilter {
    tests: Vec<TableTest>,
    first: NextTest,
}

/// Tests whether a table has a component.
#[derive(Clone, Copy)]
struct TableTest {
    id: ComponentId,
    if_there: NextTest,
    if_not: NextTest,
}

/// The index of the next test, or the result.
type NextTest = u32;

const MATCHES: NextTest = NextTest::MAX;
const FAILS: NextTest = NextTest::MAX - 1;

impl TableFilter {
    /// Creates the table filter of a query's terms. It tests the filter of the query first.
    pub(crate) fn of_query(terms: &Terms) -> Self {
        let mut made = Self { tests: Vec::with_capacity(8), first: MATCHES };
        let disabled = made.add(terms.excluded(), MATCHES, FAILS);
        let added = made.add(terms.added(), disabled, FAILS);
        let data = made.add(terms.data(), added, FAILS);
        made.first = made.add(terms.filter(), data, FAILS);
        made
    }

    /// Creates the table filter of a term.
    pub(crate) fn of_term(term: Term<'_>) -> Self {
        let mut made = Self { tests: Vec::new(), first: MATCHES };
        made.first = made.add(term, MATCHES, FAILS);
        made
    }

    /// Adds the tests of a term and returns the index of the first test.
    fn add(&mut self, term: Term<'_>, if_matches: NextTest, if_not: NextTest) -> NextTest {
        match term.node() {
            TermEntry::Entity | TermEntry::SpawnDetails | TermEntry::Nested(_) => if_matches,
            TermEntry::Group(Group::Optional | Group::ReadAll | Group::WriteAll, _) => if_matches,
            TermEntry::Component(usage, _) if usage.is_open() => if_matches,
            // These terms do not decide about tables: the rows are checked instead.
            TermEntry::Spawned => if_matches,
            TermEntry::Component(_, TermComponent { sparse: Some(_), .. }) => if_matches,
            TermEntry::Component(usage, TermComponent { id, .. }) => {
                let (there, lacking) = if usage.excludes() { (if_not, if_matches) } else { (if_matches, if_not) };
                let Some(id) = *id else { return lacking };
                self.tests.push(TableTest { id, if_there: there, if_not: lacking });
                self.tests.len() as NextTest - 1
            }
            TermEntry::Group(group, _) => self.add_members(*group, term.members(), if_matches, if_not),
        }
    }

    /// Adds the tests of the members of a group. The last member comes first, since the tests of a member refer to those of the
    /// next member.
    fn add_members(
        &mut self,
        group: Group,
        mut members: TermMembers<'_>,
        if_match: NextTest,
        if_not: NextTest,
    ) -> NextTest {
        match (members.next(), group) {
            (Some(member), Group::All) => {
                let others = self.add_members(group, members, if_match, if_not);
                self.add(member, others, if_not)
            }
            (Some(member), _) => {
                let others = self.add_members(group, members, if_match, if_not);
                self.add(member, if_match, others)
            }
            (None, Group::All) => if_match,
            (None, _) => if_not,
        }
    }

    /// Returns whether entities of the table can match.
    #[inline]
    pub(crate) fn matches(&self, table: &Table) -> bool {
        let mut next = self.first;
        while let Some(test) = self.tests.get(next as usize) {
            next = if table.contains(test.id) { test.if_there } else { test.if_not };
        }
        next == MATCHES
    }
}

/// Returns whether some rows of a matching table may match and others not.
pub(crate) fn is_per_row(term: Term<'_>) -> bool {
    match term.node() {
        TermEntry::Entity | TermEntry::SpawnDetails | TermEntry::Nested(_) => false,
        TermEntry::Group(Group::Optional | Group::ReadAll | Group::WriteAll, _) => false,
        TermEntry::Spawned => true,
        TermEntry::Component(usage, _) if usage.is_open() => false,
        TermEntry::Component(usage, component) => component.sparse.is_some() || usage.selects_changes(),
        TermEntry::Group(..) => term.members().any(is_per_row),
    }
}

/// Returns whether an entity in a row of a table matches. For a caller that is not a system.
pub(crate) fn row_matches(store: &Store, term: Term<'_>, table: &Table, entity: Entity, row: usize) -> bool {
    match term.node() {
        TermEntry::Entity | TermEntry::SpawnDetails | TermEntry::Nested(_) => true,
        TermEntry::Group(Group::Optional | Group::ReadAll | Group::WriteAll, _) => true,
        TermEntry::Spawned => {
            store.events.spawns.as_ref().is_none_or(|spawns| store.run_ticks().is_new(spawns.get(entity.index())))
        }
        TermEntry::Component(usage, _) if usage.is_open() => true,
        TermEntry::Component(usage, component) => {
            let has = match component.sparse {
                Some(number) => store.structure.sparse[number as usize].contains(entity.index()),
                None => component.id.is_some_and(|id| table.contains(id)),
            };
            match usage {
                Usage::Without => !has,
                Usage::Added => has && is_new(store, component, TickKind::Added, table, entity, row),
                Usage::Changed => has && is_new(store, component, TickKind::Changed, table, entity, row),
                Usage::AddedPairs => has && has_new_pair(store, component, TickKind::Added, entity),
                Usage::ChangedPairs => has && has_new_pair(store, component, TickKind::Changed, entity),
                _ => has,
            }
        }
        TermEntry::Group(Group::All, _) => term.members().all(|member| row_matches(store, member, table, entity, row)),
        TermEntry::Group(..) => term.members().any(|member| row_matches(store, member, table, entity, row)),
    }
}

/// Returns whether an entity has a new pair. `component` stands for the relation and for the side of the entity.
fn has_new_pair(store: &Store, component: &TermComponent, which: TickKind, entity: Entity) -> bool {
    let end = component.id.and_then(|id| store.relations.end_of(id));
    end.is_some_and(|(number, end)| store.relations.places[number].pairs.has_new(end, entity, which, store.run_ticks()))
}

/// Returns whether a component of an entity is new. Components without ticks count as new.
fn is_new(
    store: &Store,
    component: &TermComponent,
    which: TickKind,
    table: &Table,
    entity: Entity,
    row: usize,
) -> bool {
    let (column, row): (Option<&Column>, _) =
        match component.sparse.map(|number| &store.structure.sparse[number as usize]) {
            Some(storage) => (Some(storage.column()), storage.tick_row(entity.index())),
            None => (component.id.and_then(|id| table.column_index(id)).map(|index| table.column(index)), Some(row)),
        };
    let tracking = column.and_then(Column::tracking);
    tracking.zip(row).is_none_or(|(tracking, row)| tracking.is_new(which, row, store.run_ticks()))
}
