//! The terms of a query in a world.
//!
//! Tests: ecs/src/world/tests/dynamic_terms.rs, tests/queries/explain.rs

use crate::util::type_name::short_name;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

use super::constant::{ConstComponent, ConstTerm};
use super::usage::{Group, Usage};
use crate::access::FilteredAccess;
use crate::component::{ComponentId, ComponentInfo, StorageType};

/// The component of a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermComponent {
    /// The full name of the type of the component.
    pub(crate) name: &'static str,
    /// The id of the component; `None` if the component is not registered in the world.
    pub(crate) id: Option<ComponentId>,
    /// The index of the sparse storage; `None` if the component is stored in tables or not registered.
    pub(crate) sparse: Option<u32>,
}

impl TermComponent {
    /// Returns the component of a term, for a component that is registered in the world.
    pub(crate) fn of(info: &ComponentInfo) -> Self {
        let sparse = (info.storage() == StorageType::Sparse).then(|| info.sparse_index() as u32);
        Self { name: info.name(), id: Some(info.id()), sparse }
    }

    /// Returns the component of a term, for a component that is not registered in the world.
    pub(crate) fn unmet(component: &ConstComponent) -> Self {
        Self { name: (component.name)(), id: None, sparse: None }
    }
}

/// An entry in the list of terms of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TermEntry {
    /// A term that every entity matches.
    Entity,
    /// Only new entities match.
    Spawned,
    /// `SpawnDetails`: every entity matches, and the item contains the tick of its spawn.
    SpawnDetails,
    /// A term about one component.
    Component(Usage, TermComponent),
    /// Several terms. The number is the number of following entries that contain the members.
    Group(Group, usize),
    /// A query of other entities. The number is the number of following entries that contain the terms of this query.
    Nested(usize),
}

/// The terms of a query in a world, as a list in one allocation. Each group precedes its members.
#[derive(Debug)]
pub(crate) struct Terms {
    nodes: Vec<TermEntry>,
    /// The index of the group of terms that were added when the query was made.
    added: usize,
    /// The index of the group of default exclusions, which is the last group.
    excluded: usize,
}

impl Terms {
    /// Returns the terms of a query; the terms of its data come first. `find` returns the component of the world for a component type.
    /// Terms that are known only at run time are taken from `made`, in order.
    ///
    /// Returns `None` if `find` returns `None`, or if `made` has too few or too many terms.
    pub(crate) fn of_query(
        data: &ConstTerm,
        filter: &ConstTerm,
        made: &[(Usage, TermComponent)],
        find: &mut dyn FnMut(&ConstComponent) -> Option<TermComponent>,
    ) -> Option<Self> {
        let mut nodes = Vec::with_capacity(4 + data.entries() + filter.entries());
        nodes.push(TermEntry::Group(Group::All, 0));
        let mut resolver = Resolver { nodes, made: made.iter(), find };
        resolver.add(data)?;
        resolver.add(filter)?;
        let Resolver { nodes, made, .. } = resolver;
        made.as_slice().is_empty().then(|| Self::of_nodes(nodes))
    }

    /// Completes a list of terms. The first entry of the list must be the group of all terms, with the data and the filter as members.
    fn of_nodes(mut nodes: Vec<TermEntry>) -> Self {
        let added = nodes.len();
        nodes.extend([TermEntry::Group(Group::All, 0); 2]);
        nodes[0] = TermEntry::Group(Group::All, nodes.len() - 1);
        Self { nodes, added, excluded: added + 1 }
    }

    /// Adds terms that every matched entity must also match. They are evaluated per table.
    pub(crate) fn add(&mut self, terms: &[TermEntry]) {
        self.nodes.splice(self.excluded..self.excluded, terms.iter().copied());
        self.excluded += terms.len();
        self.nodes[self.added] = TermEntry::Group(Group::All, self.excluded - self.added - 1);
        self.nodes[0] = TermEntry::Group(Group::All, self.nodes.len() - 1);
    }

    /// Returns the terms of a nested query, as the terms of a separate query.
    pub(crate) fn of_nested(term: Term<'_>) -> Self {
        // The entries of a nested query are one group with the data and the filter as members, as `of_nodes` requires.
        Self::of_nodes(term.query().0.to_vec())
    }

    /// Excludes entities with this component, unless a term turns the default exclusion of the component off: see [`Usage::names`].
    pub(crate) fn exclude_unless_named(&mut self, component: TermComponent) {
        if self.all().components().any(|(usage, named)| usage.names() && named.id == component.id) {
            return;
        }
        self.nodes.push(TermEntry::Component(Usage::Without, component));
        let behind = |head: usize| TermEntry::Group(Group::All, self.nodes.len() - head - 1);
        let [all, excluded] = [behind(0), behind(self.excluded)];
        self.nodes[0] = all;
        self.nodes[self.excluded] = excluded;
    }

    /// Returns all terms as one group.
    #[inline]
    pub(crate) fn all(&self) -> Term<'_> {
        Term(&self.nodes)
    }

    /// Returns the term of the data of the query.
    pub(crate) fn data(&self) -> Term<'_> {
        self.all().members().one()
    }

    /// Returns the term of the filter of the query.
    pub(crate) fn filter(&self) -> Term<'_> {
        let mut members = self.all().members();
        members.one();
        members.one()
    }

    /// Returns the terms that were added when the query was made.
    pub(crate) fn added(&self) -> Term<'_> {
        Term(&self.nodes[self.added..self.excluded])
    }

    /// Returns the default exclusions: the disabling components of the world that no term turns off.
    pub(crate) fn excluded(&self) -> Term<'_> {
        Term(&self.nodes[self.excluded..])
    }
}

/// Converts constant terms into entries of a list.
struct Resolver<'a, 'f> {
    nodes: Vec<TermEntry>,
    made: slice::Iter<'a, (Usage, TermComponent)>,
    find: &'f mut dyn FnMut(&ConstComponent) -> Option<TermComponent>,
}

impl Resolver<'_, '_> {
    fn add(&mut self, term: &ConstTerm) -> Option<()> {
        match term {
            ConstTerm::Entity => self.nodes.push(TermEntry::Entity),
            ConstTerm::Spawned => self.nodes.push(TermEntry::Spawned),
            ConstTerm::SpawnDetails => self.nodes.push(TermEntry::SpawnDetails),
            ConstTerm::Component(usage, component) => {
                self.nodes.push(TermEntry::Component(*usage, (self.find)(component)?));
            }
            ConstTerm::Group(group, members) => {
                let head = self.nodes.len();
                self.nodes.push(TermEntry::Group(*group, 0));
                members.iter().try_for_each(|member| self.add(member))?;
                self.nodes[head] = TermEntry::Group(*group, self.nodes.len() - head - 1);
            }
            ConstTerm::Nested(query) => {
                let head = self.nodes.len();
                self.nodes.push(TermEntry::Nested(0));
                self.add(query)?;
                self.nodes[head] = TermEntry::Nested(self.nodes.len() - head - 1);
            }
            ConstTerm::AtRunTime => {
                let (usage, component) = self.made.next()?;
                self.nodes.push(TermEntry::Component(*usage, *component));
            }
        }
        Some(())
    }
}

/// One term with all its members.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a>(&'a [TermEntry]);

/// An iterator over the members of a term.
#[derive(Clone, Debug)]
pub(crate) struct TermMembers<'a>(&'a [TermEntry]);

impl<'a> TermMembers<'a> {
    /// Returns the next member.
    ///
    /// # Panics
    ///
    /// If there is no next member. The caller knows their number: a group in a list has as many members as the constant from which it was
    /// made.
    pub(crate) fn one(&mut self) -> Term<'a> {
        self.next().expect("a group has the members of its constant")
    }
}

impl<'a> Iterator for TermMembers<'a> {
    type Item = Term<'a>;

    #[inline]
    fn next(&mut self) -> Option<Term<'a>> {
        let len = match self.0.first()? {
            TermEntry::Group(_, len) | TermEntry::Nested(len) => 1 + len,
            _ => 1,
        };
        let (first, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(Term(first))
    }
}

/// An iterator over single terms that must all match: the members of a tuple, and of the tuples in it.
#[derive(Clone, Debug)]
pub(crate) struct SingleTerms<'a>(&'a [TermEntry]);

impl<'a> Iterator for SingleTerms<'a> {
    type Item = Term<'a>;

    #[inline]
    fn next(&mut self) -> Option<Term<'a>> {
        // The entries of a tuple's members follow the entry of the tuple.
        while let [TermEntry::Group(Group::All, _), members @ ..] = self.0 {
            self.0 = members;
        }
        let mut terms = TermMembers(self.0);
        let single = terms.next();
        self.0 = terms.0;
        single
    }
}

impl<'a> Term<'a> {
    /// Returns the term that consists of these entries.
    pub(crate) fn of(entries: &'a [TermEntry]) -> Self {
        Self(entries)
    }

    /// Returns the entries of the term. The entry of the term itself comes first.
    pub(crate) fn entries(self) -> &'a [TermEntry] {
        self.0
    }

    /// Returns the entry of the term itself, without its members.
    pub(crate) fn node(self) -> &'a TermEntry {
        self.0.first().unwrap_or(&TermEntry::Entity)
    }

    /// Iterates over the members of a group.
    #[inline]
    pub(crate) fn members(self) -> TermMembers<'a> {
        TermMembers(self.0.get(1..).unwrap_or_default())
    }

    /// Iterates over the single terms that must all match: the members of a tuple, or the term itself if it is not a tuple.
    #[inline]
    pub(crate) fn singles(self) -> SingleTerms<'a> {
        SingleTerms(self.0)
    }

    /// Iterates over the components of the term and of its members, with their usages. Nested queries are skipped.
    pub(crate) fn components(self) -> impl Iterator<Item = (Usage, &'a TermComponent)> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            loop {
                match rest {
                    [TermEntry::Component(usage, component), others @ ..] => {
                        rest = others;
                        return Some((*usage, component));
                    }
                    // Skips the components of a nested query, which belong to other entities.
                    [TermEntry::Nested(len), others @ ..] => rest = &others[*len..],
                    [_, others @ ..] => rest = others,
                    [] => return None,
                }
            }
        })
    }

    /// Iterates over the components of the term, of its members and of nested queries, with their usages.
    pub(crate) fn all_components(self) -> impl Iterator<Item = (Usage, &'a TermComponent)> {
        self.0.iter().filter_map(|node| match node {
            TermEntry::Component(usage, component) => Some((*usage, component)),
            _ => None,
        })
    }

    /// Returns whether the term needs the spawn ticks of entities.
    pub(crate) fn asks_spawns(self) -> bool {
        self.0.iter().any(|node| matches!(node, TermEntry::Spawned | TermEntry::SpawnDetails))
    }

    /// Returns the access of a query with this term.
    pub(crate) fn access(self) -> FilteredAccess {
        let mut access = FilteredAccess::default();
        self.add_to(&mut access, true);
        let is_sparse =
            |id| self.components().any(|(_, component)| component.id == Some(id) && component.sparse.is_some());
        access.drop_impossible(is_sparse);
        access
    }

    /// Adds the borrows of the term to `access`. If `must_match` is true, an entity must match the term, so its requirements are added,
    /// too.
    fn add_to(self, access: &mut FilteredAccess, must_match: bool) {
        for single in self.singles() {
            match single.node() {
                TermEntry::Entity
                | TermEntry::Spawned
                | TermEntry::SpawnDetails
                | TermEntry::Component(_, TermComponent { id: None, .. }) => {}
                TermEntry::Component(usage, TermComponent { id: Some(id), .. }) => {
                    add_component(*usage, *id, access, must_match);
                }
                TermEntry::Nested(_) => access.add_nested(single.query().access()),
                TermEntry::Group(group, _) if let Some(writes) = group.all_but_members() => {
                    let except = single.components().filter_map(|(_, component)| component.id);
                    access.add_borrows_of(&FilteredAccess::all_but(except, writes));
                }
                TermEntry::Group(Group::FirstOf, _) => {
                    let either = single.access_of_either();
                    access.add_borrows_of(&either);
                    if must_match {
                        access.add_demands_of(&either);
                    }
                }
                TermEntry::Group(group, _) => {
                    single.members().for_each(|member| member.add_to(access, false));
                    if must_match && matches!(group, Group::Or | Group::AnyOf) {
                        access.add_demands_of(&single.access_of_either());
                    }
                }
            }
        }
    }

    /// Returns these terms as the terms of one nested query.
    pub(crate) fn query(self) -> Self {
        self.members().one()
    }

    /// Returns an access with the borrows of all members, and with the requirements of a term that matches if any member matches.
    fn access_of_either(self) -> FilteredAccess {
        let mut members = self.members().map(Self::access);
        let mut either = members.next().unwrap_or_default();
        members.for_each(|other| either.or(&other));
        either
    }

    /// Calls `each` with every registered component that a matched entity must have.
    pub(crate) fn required(self, each: &mut dyn FnMut(&TermComponent)) {
        for single in self.singles() {
            match single.node() {
                TermEntry::Component(usage, component) if usage.demands() && component.id.is_some() => each(component),
                TermEntry::Group(Group::AnyOf | Group::FirstOf, _) => single.required_by_either(each),
                _ => {}
            }
        }
    }

    /// Calls `each` with every registered component that all members require.
    fn required_by_either(self, each: &mut dyn FnMut(&TermComponent)) {
        let mut members = self.members();
        let Some(first) = members.next() else { return };
        first.required(&mut |component| {
            if members.clone().all(|member| member.requires(component)) {
                each(component);
            }
        });
    }

    /// Returns whether every entity that matches the term has a component. The component must be registered.
    fn requires(self, component: &TermComponent) -> bool {
        let mut found = false;
        self.required(&mut |other| found |= other.id == component.id);
        found
    }

    /// Returns the text of the term as a user writes it. Names of types are shown without their modules.
    pub(crate) fn text(self) -> String {
        match self.node() {
            TermEntry::Entity => String::from("Entity"),
            TermEntry::Spawned => String::from("Spawned"),
            TermEntry::SpawnDetails => String::from("SpawnDetails"),
            TermEntry::Nested(_) => {
                let mut members = self.query().members();
                let [data, filter] = [members.one(), members.one()].map(Self::text);
                if filter == "()" { format!("NestedQuery<{data}>") } else { format!("NestedQuery<{data}, {filter}>") }
            }
            TermEntry::Component(usage, component) => {
                let [before, behind] = usage.text();
                format!("{before}{}{behind}", short_name(component.name))
            }
            TermEntry::Group(group, _) => {
                let [before, behind] = group.text();
                let members: Vec<String> = self.members().map(Self::text).collect();
                match &members[..] {
                    [] if matches!(group, Group::ReadAll) => String::from("EntityRef"),
                    [] if matches!(group, Group::WriteAll) => String::from("EntityMut"),
                    [only] => format!("{before}{only}{behind}"),
                    _ => format!("{before}({}){behind}", members.join(", ")),
                }
            }
        }
    }
}

/// Adds the borrow of a term about one component. If `must_match` is true, an entity must match the term, so its requirement is added, too.
fn add_component(usage: Usage, id: ComponentId, access: &mut FilteredAccess, must_match: bool) {
    if usage.reads() {
        access.add_read(id);
    }
    if usage.writes() {
        access.add_write(id);
    }
    if usage.selects_changes() {
        access.add_ticks(id);
    }
    if must_match && usage.demands() {
        access.add_with(id);
    }
    if must_match && usage.excludes() {
        access.add_without(id);
    }
}
