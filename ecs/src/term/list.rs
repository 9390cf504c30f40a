//! What the terms of a query say in a world.

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
    /// The full name of its type.
    pub(crate) name: &'static str,
    /// Nothing if the world has never met it.
    pub(crate) id: Option<ComponentId>,
    /// The number of its storage, if it is stored outside the tables and the world has met it.
    pub(crate) sparse: Option<u32>,
}

impl TermComponent {
    /// A component of a world.
    pub(crate) fn of(info: &ComponentInfo) -> Self {
        let sparse = (info.storage() == StorageType::Sparse).then(|| info.sparse_index() as u32);
        Self { name: info.name(), id: Some(info.id()), sparse }
    }

    /// A component that a world has never met.
    pub(crate) fn unmet(component: &ConstComponent) -> Self {
        Self { name: (component.name)(), id: None, sparse: None }
    }
}

/// An entry of a list of terms.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TermEntry {
    /// A term that every entity matches.
    Entity,
    /// Entities that are new match.
    Spawned,
    /// When an entity was spawned.
    SpawnDetails,
    /// A term about one component.
    Component(Usage, TermComponent),
    /// Several terms, whose entries stand behind this one: so many entries.
    Group(Group, usize),
    /// A query of other entities, whose terms are in the entries behind this one: so many entries.
    Nested(usize),
}

/// The terms of a query in a world: each group before its members, in one piece of memory.
#[derive(Debug)]
pub(crate) struct Terms {
    nodes: Vec<TermEntry>,
    /// Where the group begins of what was added to the query when it was made.
    added: usize,
    /// Where the group begins of what is excluded without being named. It is the last one.
    excluded: usize,
}

impl Terms {
    /// The terms of a query, its data first. `find` says which component of the world a type is, and what is known at run
    /// time only is taken from `made`, in order.
    ///
    /// Returns nothing if `find` does, or if `made` has too few or too many.
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

    /// The list of which these are the group of all terms, the data and the filter.
    fn of_nodes(mut nodes: Vec<TermEntry>) -> Self {
        let added = nodes.len();
        nodes.extend([TermEntry::Group(Group::All, 0); 2]);
        nodes[0] = TermEntry::Group(Group::All, nodes.len() - 1);
        Self { nodes, added, excluded: added + 1 }
    }

    /// Adds terms that every matched entity matches as well. Tables decide about them.
    pub(crate) fn add(&mut self, terms: &[TermEntry]) {
        self.nodes.splice(self.excluded..self.excluded, terms.iter().copied());
        self.excluded += terms.len();
        self.nodes[self.added] = TermEntry::Group(Group::All, self.excluded - self.added - 1);
        self.nodes[0] = TermEntry::Group(Group::All, self.nodes.len() - 1);
    }

    /// The terms of a nested query, as those of a query by itself.
    pub(crate) fn of_nested(term: Term<'_>) -> Self {
        // Its terms are one group; what is excluded without being named stands at its end.
        Self::of_nodes(term.query().0.to_vec())
    }

    /// Adds that entities with this component do not match, unless a term names it.
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

    /// All of them as one.
    #[inline]
    pub(crate) fn all(&self) -> Term<'_> {
        Term(&self.nodes)
    }

    /// The data of a query.
    pub(crate) fn data(&self) -> Term<'_> {
        self.all().members().one()
    }

    /// The filter of a query.
    pub(crate) fn filter(&self) -> Term<'_> {
        let mut members = self.all().members();
        members.one();
        members.one()
    }

    /// What was added to the query when it was made.
    pub(crate) fn added(&self) -> Term<'_> {
        Term(&self.nodes[self.added..self.excluded])
    }

    /// What no term names and is excluded nevertheless: the disabling components of the world.
    pub(crate) fn excluded(&self) -> Term<'_> {
        Term(&self.nodes[self.excluded..])
    }
}

/// Makes a list of terms that are types.
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

/// One term, with everything in it.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a>(&'a [TermEntry]);

/// The members of a term.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a>(&'a [TermEntry]);

impl<'a> Members<'a> {
    /// The next one.
    ///
    /// # Panics
    ///
    /// If there is none: a group in a list has as many members as the constant that it was made of.
    pub(crate) fn one(&mut self) -> Term<'a> {
        self.next().expect("a group has the members of its constant")
    }
}

impl<'a> Iterator for Members<'a> {
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

/// The single terms that are demanded together: the members of tuples, and of tuples in these.
#[derive(Clone, Debug)]
pub(crate) struct Singles<'a>(&'a [TermEntry]);

impl<'a> Iterator for Singles<'a> {
    type Item = Term<'a>;

    #[inline]
    fn next(&mut self) -> Option<Term<'a>> {
        // The entries of a tuple's members stand behind its own.
        while let [TermEntry::Group(Group::All, _), members @ ..] = self.0 {
            self.0 = members;
        }
        let mut terms = Members(self.0);
        let single = terms.next();
        self.0 = terms.0;
        single
    }
}

impl<'a> Term<'a> {
    /// A term of which these are the entries.
    pub(crate) fn of(entries: &'a [TermEntry]) -> Self {
        Self(entries)
    }

    /// The entries of the list, its own first.
    pub(crate) fn entries(self) -> &'a [TermEntry] {
        self.0
    }

    /// What it says, but for its members.
    pub(crate) fn node(self) -> &'a TermEntry {
        self.0.first().unwrap_or(&TermEntry::Entity)
    }

    /// The members of a group.
    #[inline]
    pub(crate) fn members(self) -> Members<'a> {
        Members(self.0.get(1..).unwrap_or_default())
    }

    /// The single terms that it demands together: itself, unless it is a tuple.
    #[inline]
    pub(crate) fn singles(self) -> Singles<'a> {
        Singles(self.0)
    }

    /// Its components and what it does with them, those of its members included.
    pub(crate) fn components(self) -> impl Iterator<Item = (Usage, &'a TermComponent)> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            loop {
                match rest {
                    [TermEntry::Component(usage, component), others @ ..] => {
                        rest = others;
                        return Some((*usage, component));
                    }
                    // They are components of other entities.
                    [TermEntry::Nested(len), others @ ..] => rest = &others[*len..],
                    [_, others @ ..] => rest = others,
                    [] => return None,
                }
            }
        })
    }

    /// The same, with those of nested queries.
    pub(crate) fn all_components(self) -> impl Iterator<Item = (Usage, &'a TermComponent)> {
        self.0.iter().filter_map(|node| match node {
            TermEntry::Component(usage, component) => Some((*usage, component)),
            _ => None,
        })
    }

    /// Whether it has to be known when entities were spawned.
    pub(crate) fn asks_spawns(self) -> bool {
        self.0.iter().any(|node| matches!(node, TermEntry::Spawned | TermEntry::SpawnDetails))
    }

    /// What it borrows and demands.
    pub(crate) fn access(self) -> FilteredAccess {
        let mut access = FilteredAccess::default();
        self.add_to(&mut access, true);
        let is_sparse =
            |id| self.components().any(|(_, component)| component.id == Some(id) && component.sparse.is_some());
        access.drop_impossible(is_sparse);
        access
    }

    /// Adds what it borrows, and, unless an entity need not match it, what it demands.
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

    /// All terms of a nested query.
    pub(crate) fn query(self) -> Self {
        self.members().one()
    }

    /// What any of the members borrows, and what all of them demand.
    fn access_of_either(self) -> FilteredAccess {
        let mut members = self.members().map(Self::access);
        let mut either = members.next().unwrap_or_default();
        members.for_each(|other| either.or(&other));
        either
    }

    /// Calls `each` with every component that a matched entity must have, as far as the world has met it.
    pub(crate) fn required(self, each: &mut dyn FnMut(&TermComponent)) {
        for single in self.singles() {
            match single.node() {
                TermEntry::Component(usage, component) if usage.demands() && component.id.is_some() => each(component),
                TermEntry::Group(Group::AnyOf | Group::FirstOf, _) => single.required_by_either(each),
                _ => {}
            }
        }
    }

    /// Calls `each` with every component that an entity must have whichever member it matches.
    fn required_by_either(self, each: &mut dyn FnMut(&TermComponent)) {
        let mut members = self.members();
        let Some(first) = members.next() else { return };
        first.required(&mut |component| {
            if members.clone().all(|member| member.requires(component)) {
                each(component);
            }
        });
    }

    /// Whether every entity that it matches has a component, which the world has met.
    fn requires(self, component: &TermComponent) -> bool {
        let mut found = false;
        self.required(&mut |other| found |= other.id == component.id);
        found
    }

    /// As a user writes it, with the names of types without their modules.
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

/// Adds what a term about one component borrows, and, if an entity must match it, what it demands.
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

/// The name of a type without the modules of the types in it.
pub(crate) fn short_name(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let mut word = 0;
    for (at, letter) in name.char_indices() {
        if name[at..].starts_with("::") {
            // What has been written of this word was a module, or a type with something inside.
            if !short.ends_with('>') {
                short.truncate(word);
            }
        } else if letter != ':' {
            short.push(letter);
            if !(letter.is_alphanumeric() || letter == '_') {
                word = short.len();
            }
        }
    }
    short
}
