//! Explains which entities a query matches, and why.
//!
//! Tests: tests/queries/explain.rs

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;

use super::data::QueryData;
use super::fetch::Fetch;
use super::filter::{FilterTerms, QueryFilter};
use super::matching::{TableFilter, is_per_row, looked_up, row_matches};
use crate::access::term::{Group, Term, TermComponent, TermEntry, Terms, Usage};
use crate::storage::table::Table;
use crate::structure::store::Store;
use crate::util::type_name::short_name;

/// Explains which entities a query matches: the tables and entities that remain after each of its terms.
///
/// Made by [`World::explain_query`](crate::world::World::explain_query) and
/// [`World::explain_query_filtered`](crate::world::World::explain_query_filtered); implements `Display`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Frozen;
///
/// let mut world = World::new();
/// world.spawn_batch((0..120).map(|x| (Position(x as f32), Frozen)));
/// let explanation = world.explain_query_filtered::<&Position, Without<Frozen>>();
/// assert!(explanation.is_empty());
/// assert_eq!(explanation.culprit().unwrap().term(), "Without<Frozen>");
/// assert_eq!(
///     explanation.to_string(),
///     "query `&Position` with filter `Without<Frozen>` matches nothing\n\
///      \x20 in the world: 2 tables, 120 entities\n\
///      \x20 &Position: 1 table, 120 entities\n\
///      \x20 Without<Frozen>: nothing\n\
///      nothing is left after `Without<Frozen>`: there was 1 table with 120 entities, all of which have `Frozen`"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct QueryExplanation {
    query: String,
    tables: usize,
    entities: usize,
    steps: Vec<ExplainedTerm>,
    empty_tables: usize,
}

/// One term of an explained query, and the tables and entities that match it and all terms before it.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Enemy;
/// # let mut world = World::new();
/// world.spawn_batch([(Health(1), Enemy), (Health(2), Enemy)]);
/// world.spawn(Health(3));
/// let explanation = world.explain_query_filtered::<&Health, With<Enemy>>();
/// let [health, enemy] = explanation.terms() else { unreachable!("there are two terms") };
/// assert_eq!((health.term(), health.tables(), health.entities()), ("&Health", 2, 3));
/// assert_eq!((enemy.term(), enemy.tables(), enemy.entities()), ("With<Enemy>", 1, 2));
/// ```
#[derive(Clone, Debug)]
pub struct ExplainedTerm {
    term: String,
    tables: usize,
    entities: usize,
    unregistered: Vec<String>,
    /// The reason why nothing matches after this term. Only meaningful if nothing does.
    reason: String,
}

impl ExplainedTerm {
    /// Returns the term as it is written in the query. Type names are given without their modules.
    #[must_use]
    pub fn term(&self) -> &str {
        &self.term
    }

    /// Returns the number of tables that match this term and all before it. Some of them may contain no matching entity.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.tables
    }

    /// Returns the number of entities that match this term and all before it.
    #[must_use]
    pub fn entities(&self) -> usize {
        self.entities
    }

    /// Returns the components of this term that are not registered in the world. No entity ever had such a component, and no system
    /// or query has named one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// let explanation = World::new().explain_query::<&Health>();
    /// assert_eq!(explanation.terms()[0].unregistered(), ["Health"]);
    /// ```
    #[must_use]
    pub fn unregistered(&self) -> &[String] {
        &self.unregistered
    }
}

impl QueryExplanation {
    /// Returns the terms in the order of the query: its data first, then its filters. Each comes with the tables and entities that
    /// remain after it. Members of tuples and structs are separate terms; an `Or`, an `AnyOf` and a query enum are one term each.
    #[must_use]
    pub fn terms(&self) -> &[ExplainedTerm] {
        &self.steps
    }

    /// Returns the number of tables that the query matches.
    #[must_use]
    pub fn matched_tables(&self) -> usize {
        self.steps.last().map_or(self.tables, ExplainedTerm::tables)
    }

    /// Returns the number of entities that the query matches.
    #[must_use]
    pub fn matched_entities(&self) -> usize {
        self.steps.last().map_or(self.entities, ExplainedTerm::entities)
    }

    /// Returns the number of matched tables that have no entities.
    #[must_use]
    pub fn empty_tables(&self) -> usize {
        self.empty_tables
    }

    /// Returns whether no entity matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matched_entities() == 0
    }

    /// Returns the term that excluded everything: the first term after which no entity is left. If the world had no entities, this
    /// is the first term after which no table is left.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(1));
    /// let explanation = world.explain_query::<(&Health, &Mana)>();
    /// assert_eq!(explanation.culprit().unwrap().term(), "&Mana");
    /// assert!(world.explain_query::<&Health>().culprit().is_none());
    /// ```
    #[must_use]
    pub fn culprit(&self) -> Option<&ExplainedTerm> {
        self.steps.iter().find(|step| if self.entities == 0 { step.tables == 0 } else { step.entities == 0 })
    }

    pub(crate) fn of<D: QueryData, F: QueryFilter>(store: &Store) -> Self {
        let terms = looked_up(&store.structure.archetypes.components, &D::Terms::TERM, &F::Terms::TERM);
        // Only a query that a builder has made contains terms that are known only at run time.
        let terms = terms.unwrap_or_else(|| panic!("terms of `{}` are known at run time only", type_name::<D>()));
        Self::of_terms(store, short_name(type_name::<D>()), short_name(type_name::<F>()), &terms)
    }

    /// Returns the explanation of an existing query state.
    #[cfg(test)]
    pub(crate) fn of_state<D: QueryData, F: QueryFilter>(store: &Store, state: &super::QueryState<D, F>) -> Self {
        use crate::access::term::ConstTerm;
        let terms = state.terms();
        let written =
            |term: &ConstTerm, name, made: Term<'_>| if term.is_known() { short_name(name) } else { made.text() };
        let data = written(&D::Terms::TERM, type_name::<D>(), terms.data());
        let filter = written(&F::Terms::TERM, type_name::<F>(), terms.filter());
        Self::of_terms(store, data, filter, terms)
    }

    fn of_terms(store: &Store, data: String, filter: String, terms: &Terms) -> Self {
        let mut query = format!("`{data}`");
        if !matches!(terms.filter().node(), TermEntry::Group(Group::All, 0)) {
            query = format!("{query} with filter `{filter}`");
        }
        let mut left: Vec<CandidateTable<'_>> =
            store.structure.archetypes.tables.iter().map(|table| CandidateTable { table, rows: None }).collect();
        let (tables, entities) = (left.len(), count(&left));
        let named = terms.data().singles().chain(terms.filter().singles()).chain(terms.added().singles());
        let mut steps: Vec<ExplainedTerm> = named.map(|term| explain_term(store, term, &mut left)).collect();
        for term in terms.excluded().singles() {
            let is_there = |id| left.iter().any(|candidate| candidate.table.contains(id));
            if term.components().filter_map(|(_, component)| component.id).any(is_there) {
                let step = explain_term(store, term, &mut left);
                steps.push(ExplainedTerm { term: format!("{}, by default", step.term), ..step });
            }
        }
        let empty_tables = left.iter().filter(|candidate| candidate.table.is_empty()).count();
        Self { query, tables, entities, steps, empty_tables }
    }
}

/// A table that matches all terms so far.
struct CandidateTable<'w> {
    table: &'w Table,
    /// The rows that match all terms so far; `None` stands for all rows.
    rows: Option<Vec<usize>>,
}

impl CandidateTable<'_> {
    fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.table.len(), Vec::len)
    }
}

fn count(candidates: &[CandidateTable<'_>]) -> usize {
    candidates.iter().map(CandidateTable::len).sum()
}

/// Removes the tables and rows that do not match a term from `left`. Returns the explanation of the term.
fn explain_term(store: &Store, term: Term<'_>, left: &mut Vec<CandidateTable<'_>>) -> ExplainedTerm {
    let reason = reason(store, term, left);
    let tables = TableFilter::of_term(term);
    left.retain(|candidate| tables.matches(candidate.table));
    if is_per_row(term) {
        for candidate in &mut *left {
            let table = candidate.table;
            let rows = candidate.rows.take().unwrap_or_else(|| (0..table.len()).collect());
            let matches = |row: &usize| row_matches(store, term, table, table.entities()[*row], *row);
            candidate.rows = Some(rows.into_iter().filter(matches).collect());
        }
    }
    let mut unregistered = Vec::new();
    for (_, component) in term.components().filter(|(_, component)| component.id.is_none()) {
        let name = short_name(component.name);
        if !unregistered.contains(&name) {
            unregistered.push(name);
        }
    }
    ExplainedTerm { tables: left.len(), entities: count(left), unregistered, reason, term: term.text() }
}

/// Returns the number of entities in the world that have a component.
fn population(store: &Store, component: &TermComponent) -> usize {
    match (component.sparse, component.id) {
        (Some(number), _) => store.structure.sparse[number as usize].len(),
        (None, Some(id)) => {
            store.structure.archetypes.tables.iter().filter(|table| table.contains(id)).map(Table::len).sum()
        }
        (None, None) => 0,
    }
}

/// Returns the reason why a term excludes all candidates in `before`. Only meaningful if the term excludes all of them.
fn reason(store: &Store, term: Term<'_>, before: &[CandidateTable<'_>]) -> String {
    let was = if before.len() == 1 { "was" } else { "were" };
    let before = format!("there {was} {}", TableCount(before.len(), count(before)).with());
    let TermEntry::Component(usage, component) = term.node() else {
        return format!("{before}, none of which matches one of these");
    };
    let name = short_name(component.name);
    match usage {
        Usage::Without => format!("{before}, all of which have `{name}`"),
        _ if component.id.is_none() => format!("the world has never met `{name}`: no entity has had one"),
        Usage::AddedPairs | Usage::ChangedPairs if population(store, component) != 0 => {
            let what = if matches!(usage, Usage::AddedPairs) { "made" } else { "made or changed" };
            format!(
                "{before}, and no pair for which one of these has `{name}` was {what} since `World::clear_trackers`"
            )
        }
        Usage::Added | Usage::Changed if population(store, component) != 0 => {
            let what = if matches!(usage, Usage::Added) { "added" } else { "added or changed" };
            format!("{before}, and no `{name}` of these was {what} since `World::clear_trackers`")
        }
        _ => match population(store, component) {
            0 => match store
                .structure
                .archetypes
                .tables
                .iter()
                .filter(|table| component.id.is_some_and(|id| table.contains(id)))
                .count()
            {
                0 => format!("no entity has `{name}`"),
                1 => format!("{before}; 1 table has `{name}`, but no entities"),
                tables => format!("{before}; {tables} tables have `{name}`, but no entities"),
            },
            1 => format!("{before}, none of which has `{name}`; 1 other entity has it"),
            others => format!("{before}, none of which has `{name}`; {others} other entities have it"),
        },
    }
}

/// A number of tables, and the number of their entities.
struct TableCount(usize, usize);

impl TableCount {
    fn tables(&self) -> String {
        if self.0 == 1 { String::from("1 table") } else { format!("{} tables", self.0) }
    }

    fn entities(&self) -> String {
        if self.1 == 1 { String::from("1 entity") } else { format!("{} entities", self.1) }
    }

    fn with(&self) -> String {
        format!("{} with {}", self.tables(), self.entities())
    }
}

impl_display!([] TableCount => |this, f| match this.0 {
    0 => f.write_str("nothing"),
    _ => write!(f, "{}, {}", this.tables(), this.entities()),
});

impl fmt::Display for ExplainedTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.term, TableCount(self.tables, self.entities))?;
        if !self.unregistered.is_empty() {
            write!(f, " (the world has never met `{}`)", self.unregistered.join("`, `"))?;
        }
        Ok(())
    }
}

impl fmt::Display for QueryExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let matched = TableCount(self.matched_tables(), self.matched_entities());
        write!(f, "query {} matches ", self.query)?;
        if self.is_empty() {
            f.write_str("nothing")?
        } else {
            write!(f, "{}", matched.with())?
        }
        write!(f, "\n  in the world: {}", TableCount(self.tables, self.entities))?;
        self.steps.iter().try_for_each(|step| write!(f, "\n  {step}"))?;
        if let Some(culprit) = self.culprit() {
            write!(f, "\nnothing is left after `{}`: {}", culprit.term, culprit.reason)?;
        } else if self.entities == 0 {
            f.write_str("\nthe world has no entities")?;
        } else if self.empty_tables != 0 {
            write!(f, "\n{} of these without entities", TableCount(self.empty_tables, 0).tables())?;
        }
        Ok(())
    }
}
