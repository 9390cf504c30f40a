//! The parameters that there are.

mod commands;
mod local;
mod query;
mod lookup;
mod resource;
#[cfg(feature = "std")]
mod non_send;
mod message;
mod removed;
mod set;
mod tuples;

mod read_only;

pub use self::local::Local;
pub use self::lookup::Lookup;
pub use self::message::{MessageMutator, MessageReader, MessageWriter};
#[cfg(feature = "std")]
pub use self::non_send::{NonSend, NonSendMarker, NonSendMut};
pub use self::read_only::ReadOnlySource;
pub use self::removed::{RemovedComponents, RemovedValues};
pub use self::resource::{Res, ResMut};
pub use self::set::ParamSet;
