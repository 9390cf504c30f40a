//! An engine that re-exports strata-ecs: its users name it by the engine's path.

/// The store.
pub mod ecs {
    pub use strata_ecs::*;
}
