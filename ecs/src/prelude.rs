//! Everything that most programs need: `use strata_ecs::prelude::*;`.
//!
//! ```
//! use strata_ecs::prelude::*;
//!
//! #[derive(Component)]
//! struct Position(f32);
//! #[derive(Component)]
//! struct Velocity(f32);
//!
//! #[system]
//! fn movement(position: &mut Position, velocity: &Velocity) {
//!     position.0 += velocity.0;
//! }
//!
//! let mut world = World::new();
//! let entity = world.spawn((Position(1.0), Velocity(2.0))).id();
//! world.run_system_once(movement).unwrap();
//! assert_eq!(world.get::<Position>(entity).unwrap().0, 3.0);
//! ```

pub use strata_ecs_derive::{
    Bundle, Component, Event, Message, QueryData, QueryFilter, Resource, ScheduleLabel, SystemParam, SystemSet, system,
};

pub use crate::bundle::{Bundle, ColumnBatch};
pub use crate::change::{DetectChanges, DetectChangesMut, Mut, Ref};
pub use crate::command::{CommandQueue, Commands, EntityCommands, SelectionCommands};
pub use crate::component::Component;
pub use crate::entity::Entity;
pub use crate::event::Event;
pub use crate::label::{ScheduleLabel, SystemSet};
pub use crate::message::{Message, Messages};
pub use crate::query::{Added, AnyOf, Changed, Has, Or, Query, QueryData, QueryFilter, QueryState, With, Without};
pub use crate::resource::Resource;
pub use crate::schedule::{IntoScheduleConfigs, Schedule};
pub use crate::selection::EntitySelection;
pub use crate::store::EntityBuilder;
pub use crate::system::{
    BoxError, In, IntoSystem, Local, Lookup, MessageMutator, MessageReader, MessageWriter, ParamSet, RemovedComponents,
    RemovedValues, Res, ResMut, Result, SystemCondition, SystemParam, not,
};
#[cfg(feature = "std")]
pub use crate::system::{NonSend, NonSendMut};
pub use crate::world::{EntityMut, EntityRef, EntityWorldMut, FromWorld, RunSystemOnce, World};
