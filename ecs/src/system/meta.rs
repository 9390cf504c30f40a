//! The metadata of a system: its name, its access, and the names of its parameters.
//!
//! Tests: ecs/src/system/tests.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::ops::Range;
use core::panic::Location;

use super::blocks::RowFacts;
use crate::access::{Access, ParamAccess};
use crate::structure::store::Store;
use crate::util::origin::SystemOrigin;

/// The metadata of a system.
#[derive(Debug)]
pub struct SystemMeta {
    name: &'static str,
    /// The name of the system, as it is recorded with changes.
    pub(crate) system: SystemOrigin,
    /// The names of the parameters, if they are known. The names of row parameters come first.
    params: &'static [&'static str],
    /// How many of the parameter names belong to the first parameter, the rows.
    rows: usize,
    /// How many parameters of the function precede the first system parameter. An input counts as such a parameter.
    inputs: usize,
    pub(crate) access: Access,
    /// The number of the parameter that is being initialised.
    param: usize,
    /// The nesting depth inside a parameter that is made of others.
    depth: usize,
    /// Ranges of the access that other members of the enclosing sets have added. These members are not lent out at the same time as
    /// the current member, so they cannot conflict with it.
    hidden: Vec<Range<usize>>,
    /// The names of the fields that lead to the parameter that is being initialised, if it is inside of structs of parameters.
    path: Vec<&'static str>,
    /// For each entry of the access: the path of fields to its parameter.
    paths: Vec<Vec<&'static str>>,
    /// Where the function became a system, if that is known.
    pub(crate) place: Option<&'static Location<'static>>,
    /// Prepares the parameters for the first world, if a builder defines them.
    builder: Option<StateBuilder>,
    /// The properties of a loop over rows, if the system is one and has been prepared.
    pub(super) row_facts: Option<RowFacts>,
}

/// Prepares the state of a system's parameters, a `ParamState`.
pub(crate) struct StateBuilder(Box<BuildState>);

type BuildState = dyn FnOnce(&mut Store, &mut SystemMeta) -> Box<dyn Any> + Send + Sync;

impl_debug_of_fields! { [] StateBuilder {} }

impl SystemMeta {
    pub(crate) fn new(name: &'static str, params: &'static [&'static str], count: usize, inputs: usize) -> Self {
        let rows = if params.len() > count { params.len() + 1 - count } else { 1 };
        Self {
            name,
            system: SystemOrigin::of(name),
            params,
            rows,
            inputs,
            access: Access::default(),
            param: 0,
            depth: 0,
            hidden: Vec::new(),
            path: Vec::new(),
            paths: Vec::new(),
            place: None,
            builder: None,
            row_facts: None,
        }
    }

    /// Sets the builder that prepares the parameters the first time.
    pub(crate) fn set_builder(
        &mut self,
        build: impl FnOnce(&mut Store, &mut Self) -> Box<dyn Any> + Send + Sync + 'static,
    ) {
        self.builder = Some(StateBuilder(Box::new(build)));
    }

    /// Returns the state that the builder prepares. Returns `None` if there is no builder, or if it has been used.
    pub(crate) fn build(&mut self, store: &mut Store) -> Option<Box<dyn Any>> {
        self.builder.take().map(|builder| (builder.0)(store, self))
    }

    /// Returns the metadata that the same system has before it is prepared, without a builder.
    fn unprepared(&self) -> Self {
        let &Self { name, system, params, rows, inputs, place, .. } = self;
        Self { system, rows, place, ..Self::new(name, params, 0, inputs) }
    }

    /// Returns mutable metadata of one system. If the metadata is shared, the other systems keep the shared copy.
    pub(crate) fn make_own(shared: &mut Arc<Self>) -> &mut Self {
        if Arc::get_mut(shared).is_none() {
            *shared = Arc::new(shared.unprepared());
        }
        let Some(own) = Arc::get_mut(shared) else { unreachable!("it has just been made") };
        own
    }

    /// Makes a prepared system share the metadata of another system, if both are equal.
    pub(crate) fn share(own: &mut Arc<Self>, other: &Arc<Self>) {
        let same = |a: &Self, b: &Self| {
            let names = |meta: &Self| (meta.name, meta.params.as_ptr(), meta.rows, meta.inputs, meta.param, meta.depth);
            let has_no_more = |meta: &Self| {
                meta.hidden.is_empty() && meta.path.is_empty() && meta.builder.is_none() && meta.row_facts.is_none()
            };
            names(a) == names(b)
                && has_no_more(a)
                && has_no_more(b)
                && a.place == b.place
                && a.paths == b.paths
                && a.access == b.access
        };
        if same(own, other) {
            own.clone_from(other);
        }
    }

    /// Returns the same metadata with another name and another number of inputs.
    pub(crate) fn renamed(self, name: &'static str, inputs: usize) -> Self {
        Self { name, system: SystemOrigin::of(name), inputs, ..self }
    }

    /// Returns the name of the system.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Clears the access that was recorded for another world.
    pub(crate) fn restart(&mut self) {
        self.access = Access::default();
        self.param = 0;
        self.depth = 0;
        self.hidden.clear();
        self.path.clear();
        self.paths.clear();
        self.row_facts = None;
    }

    /// Frees unused capacity. Called when all parameters have been prepared. A program may have as many systems as it has observers
    /// of single entities.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.access.shrink_to_fit();
        self.hidden.shrink_to_fit();
        self.path.shrink_to_fit();
        self.paths.shrink_to_fit();
    }

    /// Moves to the next parameter, unless the current one is inside of another parameter.
    pub(crate) fn next_param(&mut self) {
        if self.depth == 0 {
            self.param += 1;
        }
    }

    /// Prepares a parameter that is made of others. These count as one parameter.
    pub(crate) fn init_composite<T>(&mut self, init: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let state = init(self);
        self.depth -= 1;
        self.next_param();
        state
    }

    /// Prepares a parameter whose members are lent out one at a time. Each member is prepared in [`SystemMeta::member`].
    pub(crate) fn as_set<T>(&mut self, init: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.access.params().len();
        self.hidden.push(start..start);
        let state = self.init_composite(init);
        self.hidden.pop();
        state
    }

    /// Prepares a member of the innermost set. The members before it are not lent out at the same time.
    pub(crate) fn member<T>(&mut self, init: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.access.params().len();
        if let Some(before) = self.hidden.last_mut() {
            before.end = len;
        }
        init(self)
    }

    /// Prepares a field of a struct of parameters.
    pub(crate) fn field<T>(&mut self, name: &'static str, init: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(name);
        let state = init(self);
        self.path.pop();
        state
    }

    /// Adds the access of the current parameter. If it conflicts with the access of an earlier parameter, the system is refused:
    /// the access then holds the conflict.
    pub(crate) fn add_access(&mut self, access: ParamAccess, store: &Store) {
        let hidden = |at: usize| self.hidden.iter().any(|range| range.contains(&at));
        if let Err(conflict) = self.access.add(self.param, access, &store.structure.archetypes.components, hidden) {
            let both = alloc::format!(
                "{} and {} both borrow {}, one of them mutably; make them disjoint with `With`/`Without` filters, put them into a \
                 `ParamSet`, or borrow it in one parameter only",
                self.describe(self.access.params()[conflict.first].0, &self.paths[conflict.first]),
                self.describe_current(),
                conflict.what,
            );
            self.refuse(&both);
            return;
        }
        self.paths.push(self.path.clone());
    }

    /// Adds more access of the current parameter. Its entities are disjoint from those of the access that the parameter has added
    /// before.
    pub(crate) fn add_disjoint_access(&mut self, access: ParamAccess, store: &Store) {
        let own = self.access.params().iter().position(|(param, _)| *param == self.param);
        let own = own.unwrap_or(self.access.params().len());
        self.hidden.push(own..self.access.params().len());
        self.add_access(access, store);
        self.hidden.pop();
    }

    /// Refuses the system, so that it never runs.
    pub(crate) fn refuse(&mut self, why: &str) {
        self.access.refuse(alloc::format!("system `{}`{}: {why}", self.name, UsedAt(self.place)));
    }

    /// Describes the parameter that is being initialised.
    pub(crate) fn describe_current(&self) -> String {
        self.describe(self.param, &self.path)
    }

    /// Describes a parameter, as in "parameter `health`", "parameter 2", or "parameter `spawner` (field `commands`)".
    fn describe(&self, param: usize, path: &[&'static str]) -> String {
        let mut text = self.describe_param(param);
        if !path.is_empty() {
            text.push_str(&alloc::format!(" (field `{}`)", path.join(".")));
        }
        text
    }

    fn describe_param(&self, param: usize) -> String {
        let number = self.inputs + param + 1;
        if self.params.is_empty() {
            return alloc::format!("parameter {number}");
        }
        let names = match param {
            0 => self.params.get(..self.rows),
            _ => self.params.get(self.rows + param - 1..self.rows + param),
        };
        match names {
            Some([name]) => alloc::format!("parameter `{name}`"),
            Some(names) if !names.is_empty() => alloc::format!("the row parameters `{}`", names.join("`, `")),
            _ => alloc::format!("parameter {number}"),
        }
    }
}

/// Displays a place, as in " (used at src/main.rs:9:5)", if it is known.
struct UsedAt(Option<&'static Location<'static>>);

impl_display!([] UsedAt => |this, f| this.0.map_or(Ok(()), |place| write!(f, " (used at {place})")));
