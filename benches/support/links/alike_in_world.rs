//! The hierarchies of this library.

#[path = "alike.rs"]
mod alike;

mod ecs {
    pub(super) use strata_ecs::prelude::*;
}

pub(crate) use alike::{alone, despawn, re_parent, re_parent_together, sibling, spawn, walk};
