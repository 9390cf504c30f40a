//! The parameters that there are.

mod commands;
mod local;
mod query;
mod lookup;
mod single;
mod resource;
mod message;
mod removed;
mod set;
mod tuples;
mod of_type;

mod read_only;

pub use self::local::Local;
pub use self::lookup::Lookup;
pub use self::message::{MessageMutator, MessageReader, MessageWriter};
pub use self::of_type::StaticSystemParam;
pub use self::read_only::ReadOnlySource;
pub use self::removed::{RemovedComponents, RemovedValues};
pub use self::resource::{Res, ResMut};
pub use self::set::ParamSet;
pub use self::single::{Populated, Single};
