//! Everything that most programs need: `use strata_ecs::prelude::*;`.

pub use strata_ecs_derive::{Bundle, Component, QueryData, Resource, system};

pub use crate::bundle::Bundle;
pub use crate::change::Mut;
pub use crate::command::{CommandQueue, Commands, EntityCommands};
pub use crate::component::Component;
pub use crate::entity::Entity;
pub use crate::query::{Has, Or, Query, QueryData, QueryFilter, QueryState, With, Without};
pub use crate::resource::Resource;
pub use crate::schedule::{IntoScheduleConfigs, Schedule};
pub use crate::store::EntityBuilder;
pub use crate::system::{BoxError, IntoSystem, Local, Res, ResMut, Result, SystemParam};
pub use crate::world::{EntityMut, EntityRef, EntityWorldMut, FromWorld, RunSystemOnce, World};
