//! What the macros' output refers to, and nothing else. Not part of the public API: it may change in any release.

pub use core::clone::Clone;
pub use core::convert::Infallible;
pub use core::default::Default;
pub use core::marker::{Copy, PhantomData, Send, Sized, Sync};
pub use core::ops::Deref;
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{u128, usize};
pub use core::result::Result::{self, Err, Ok};
pub use core::{column, concat, line, module_path, option_env};

// A function with `cfg`s is handed back to the compiler with the attribute once more.
pub use strata_ecs_derive::system;

pub use crate::bundle::{Bundle, BundleParts};
pub use crate::component::{
    CloneProbe, Cloner, Component, ComponentKey, DefaultValue, RequirementList, StorageType, TypeSlot,
};
pub use crate::const_access::check_system;
pub use crate::query::{Fetch, Or, Query, QueryData, ReadOnlyFetch, With, Without};
pub use crate::resource::Resource;
pub use crate::rows::{Rows, SliceOf, chunks};
pub use crate::system::SystemOutput as RowOutput;
pub use crate::system::{
    BoxedSystem, IntoSystem, MacroMarker, Reborrow, filter_access, function_system, param_access, row_access,
};

/// What row systems return.
pub type SystemResult = crate::system::Result;
