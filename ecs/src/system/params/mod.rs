//! The parameters that there are.

mod commands;
mod local;
mod query;
mod lookup;
mod resource;
mod set;
mod tuples;

pub use self::local::Local;
pub use self::lookup::Lookup;
pub use self::resource::{Res, ResMut};
pub use self::set::ParamSet;
