//! The types that are saved: their names and versions in files, and the functions that write and read their values.
//!
//! Tests: tests/snapshots/versions.rs

mod names;
mod earlier;
mod component;
mod relation;
mod resource;

pub use self::component::ComponentType;
pub(crate) use self::component::{ReadColumn, one_sided};
pub(crate) use self::names::{by_name, name_of};
pub use self::relation::RelationType;
pub(crate) use self::relation::known_components;
pub use self::resource::ResourceType;
pub(crate) use self::resource::TEXT_VERSION;
