#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bytes;
mod error;
mod types;
mod write;
mod read;
mod file;
mod format;

pub use self::error::{LoadError, NotSaved, Problem, SaveError};
pub use self::format::WorldFormat;
pub use self::types::{ComponentType, ResourceType};

/// The components that a [`WorldFormat`] knows, by their types: `components![Position, Health]`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use strata_ecs::prelude::*;
/// use strata_save::{WorldFormat, components};
///
/// #[derive(Component, Clone, Serialize, Deserialize)]
/// struct Position(f32, f32);
/// #[derive(Component, Clone, Serialize, Deserialize)]
/// struct Health(u32);
///
/// let format = WorldFormat::new().with_components(components![Position, Health]);
/// ```
#[macro_export]
macro_rules! components {
    ($($Component:ty),* $(,)?) => {
        [$($crate::ComponentType::of::<$Component>()),*]
    };
}

/// The resources that a [`WorldFormat`] knows, by their types: `resources![Score]`.
#[macro_export]
macro_rules! resources {
    ($($Resource:ty),* $(,)?) => {
        [$($crate::ResourceType::of::<$Resource>()),*]
    };
}
