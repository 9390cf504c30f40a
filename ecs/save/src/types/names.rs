//! The names of types in files.
//!
//! Tests: tests/snapshots/versions.rs

use std::collections::HashMap;

use strata_ecs::component::ComponentDescriptor;

/// Returns the types, by all of their names.
pub(crate) fn by_name<T: Clone>(types: &[T], names: impl Fn(&T) -> Vec<String>) -> HashMap<String, T> {
    types.iter().flat_map(|ty| names(ty).into_iter().map(|name| (name, ty.clone()))).collect()
}

/// Returns the name of a type in files.
pub(crate) fn name_of(descriptor: &ComponentDescriptor) -> String {
    match descriptor.stable_name() {
        Some(name) => name.to_string(),
        None => descriptor.name().to_string(),
    }
}
