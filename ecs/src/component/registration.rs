//! Errors of the registration of a component.
//!
//! Tests: tests/storage/erased/descriptors.rs

use alloc::string::String;

use super::name::StableName;

/// The error of registering a component in a world. Nothing has changed.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Description, RegisterComponentError};
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
/// world.register_component_with_descriptor(heat).unwrap();
/// let other = ComponentDescriptor::builder("mod:heat", Description::<u8>::new()).build();
/// let error = world.register_component_with_descriptor(other).unwrap_err();
/// assert_eq!(error, RegisterComponentError::DifferentDefinition("mod:heat"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegisterComponentError {
    /// The descriptor describes a resource. The text is its name.
    NotAComponent(&'static str),
    /// The world has a component with the same name but another definition. The text is the name.
    DifferentDefinition(&'static str),
    /// Two components have the same stable name, which an attribute gave to one of them.
    SameStableName {
        /// The stable name.
        name: StableName,
        /// The full name of the component that is already registered.
        first: &'static str,
        /// The full name of the component that was to be registered.
        second: &'static str,
    },
    /// The requirements of the component are not valid. The text gives the reason.
    Requirements(String),
}

impl_error! {
    [] RegisterComponentError => |this, f| match this {
        Self::NotAComponent(name) => write!(f, "`{name}` is a resource and no component: it has no storage"),
        Self::DifferentDefinition(name) => write!(
            f,
            "the world has a component `{name}` that was defined in another way: with another type or layout of values, other \
             functions, storage, tracking or requirements"
        ),
        Self::SameStableName { name, first, second } => write!(
            f,
            "components `{first}` and `{second}` have the same stable name {name:?}: give one of them another one, \
             `#[component(name = \"..\")]`"
        ),
        Self::Requirements(text) => f.write_str(text),
    }
}
