//! The earlier names and versions of types.
//!
//! Tests: tests/snapshots/versions.rs

use std::fmt;

use strata_ecs::component::ComponentDescriptor;

use super::names::name_of;

/// The earlier names and versions of a type, with the functions that read values of these versions.
#[derive(Clone)]
pub(super) struct Earlier<Read> {
    pub(super) names: Vec<String>,
    pub(super) upgrades: Vec<(u32, Read)>,
}

impl<Read: Clone> Earlier<Read> {
    /// Reads the earlier names of a type from its definition.
    pub(super) fn of(descriptor: &'static ComponentDescriptor) -> Self {
        let named = |name: &&'static str| match descriptor.stable_name() {
            Some(own) => own.renamed(name).to_string(),
            // A type without a stable name is in files under its path, with its type parameters.
            None => {
                let parameters = descriptor.name().find('<').map_or("", |at| &descriptor.name()[at..]);
                format!("{name}{parameters}")
            }
        };
        Self { names: descriptor.aliases().iter().map(named).collect(), upgrades: Vec::new() }
    }

    /// Returns the current name and the earlier names of a type in files.
    pub(super) fn names(&self, of: &'static ComponentDescriptor) -> Vec<String> {
        [name_of(of)].into_iter().chain(self.names.iter().cloned()).collect()
    }

    /// Adds the function that reads values of an older version. `own` is the type, and `made` is the type of the values that the function
    /// creates, which must be equal.
    #[track_caller]
    pub(super) fn add(&mut self, version: u32, own: &ComponentDescriptor, made: &ComponentDescriptor, read: Read) {
        assert!(own.identity() == made.identity(), "an upgrade of `{}` makes `{}`", own.name(), made.name());
        // There is at most one upgrade per version.
        let is_there = self.reader(version).is_some();
        assert!(!is_there, "there are two upgrades of version {version} of `{}`", own.name());
        self.upgrades.push((version, read));
    }

    pub(super) fn reader(&self, version: u32) -> Option<Read> {
        self.upgrades.iter().find(|(other, _)| *other == version).map(|(_, read)| read.clone())
    }

    /// Adds the names and versions to the debug output of a type.
    pub(super) fn show(&self, shown: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result {
        let upgrades: Vec<u32> = self.upgrades.iter().map(|(version, _)| *version).collect();
        shown.field("aliases", &self.names).field("upgrades", &upgrades).finish()
    }
}
