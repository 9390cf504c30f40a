//! Values of types that a format does not know, kept as bytes: see [`WorldFormat::keeping_unknown`](crate::WorldFormat::keeping_unknown).

use std::sync::Arc;

use strata_ecs::prelude::{Component, Resource};

/// The values of unknown components that an entity had in the file that it was loaded from. They move and end with the entity, are
/// cloned with it, and are saved with it by a format that [keeps them](crate::WorldFormat::keeping_unknown).
///
/// Ids of entities within the bytes are not seen: they are right as long as entities keep their ids.
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(storage = "sparse", name = "strata.unknown_components")]
pub struct UnknownComponents(pub(crate) Vec<UnknownValue>);

/// The values of unknown resources of the file that a world was loaded from.
#[derive(Resource, Clone, PartialEq, Eq, Hash, Debug)]
#[resource(name = "strata.unknown_resources")]
pub struct UnknownResources(pub(crate) Vec<UnknownValue>);

/// A value of a component or resource that is unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnknownValue {
    pub(crate) ty: Arc<UnknownType>,
    /// Whether the bytes are those of a plain value.
    pub(crate) is_plain: bool,
    pub(crate) bytes: Arc<[u8]>,
}

/// What a file says of a type.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct UnknownType {
    pub(crate) name: String,
    pub(crate) version: u32,
}

impl UnknownComponents {
    /// The values, each of another component.
    #[must_use]
    pub fn values(&self) -> &[UnknownValue] {
        &self.0
    }

    /// Keeps the values of which a function says so.
    pub fn retain(&mut self, keep: impl FnMut(&UnknownValue) -> bool) {
        self.0.retain(keep);
    }
}

impl UnknownResources {
    /// The values, each of another resource.
    #[must_use]
    pub fn values(&self) -> &[UnknownValue] {
        &self.0
    }

    /// Keeps the values of which a function says so.
    pub fn retain(&mut self, keep: impl FnMut(&UnknownValue) -> bool) {
        self.0.retain(keep);
    }
}

impl UnknownValue {
    /// The name of the type in files.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.ty.name
    }

    /// The version of the type that the value is of.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.ty.version
    }

    /// The bytes of the value in the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
