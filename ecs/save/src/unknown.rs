//! Values whose types a format does not know, and which are kept as bytes: see
//! [`WorldFormat::keeping_unknown`](crate::WorldFormat::keeping_unknown).
//!
//! Tests: tests/snapshots/unknown.rs

use std::sync::Arc;

use strata_ecs::prelude::{Component, Resource};

/// The values of unknown components that an entity had in the file from which it was loaded. They are moved, cloned and dropped with the
/// entity, and a format that [keeps them](crate::WorldFormat::keeping_unknown) saves them with it.
///
/// Ids of entities inside the bytes are not mapped: they are valid as long as entities keep their ids.
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(storage = "sparse", name = "strata.unknown_components")]
pub struct UnknownComponents(pub(crate) Vec<UnknownValue>);

/// The values of unknown resources in the file from which a world was loaded.
#[derive(Resource, Clone, PartialEq, Eq, Hash, Debug)]
#[resource(name = "strata.unknown_resources")]
pub struct UnknownResources(pub(crate) Vec<UnknownValue>);

/// A value of an unknown component or resource.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnknownValue {
    pub(crate) ty: Arc<UnknownType>,
    /// Whether the value is encoded as a plain value.
    pub(crate) is_plain: bool,
    pub(crate) bytes: Arc<[u8]>,
}

/// The name and version of a type in a file.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct UnknownType {
    pub(crate) name: String,
    pub(crate) version: u32,
}

impl UnknownComponents {
    /// Returns the values. Each is the value of another component.
    #[must_use]
    pub fn values(&self) -> &[UnknownValue] {
        &self.0
    }

    /// Keeps the values for which a function returns true.
    pub fn retain(&mut self, keep: impl FnMut(&UnknownValue) -> bool) {
        self.0.retain(keep);
    }
}

impl UnknownResources {
    /// Returns the values. Each is the value of another resource.
    #[must_use]
    pub fn values(&self) -> &[UnknownValue] {
        &self.0
    }

    /// Keeps the values for which a function returns true.
    pub fn retain(&mut self, keep: impl FnMut(&UnknownValue) -> bool) {
        self.0.retain(keep);
    }
}

impl UnknownValue {
    /// Returns the name of the type in files.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.ty.name
    }

    /// Returns the version of the type.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.ty.version
    }

    /// Returns the bytes of the value in the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
