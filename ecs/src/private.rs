//! What the macros' output refers to, and nothing else. Not part of the public API: it may change in any release.

pub use alloc::boxed::Box;
pub use core::clone::Clone;
pub use core::cmp::{Eq, PartialEq};
pub use core::convert::Infallible;
pub use core::default::Default;
pub use core::fmt::{Debug, Formatter, Result as FmtResult};
pub use core::hash::{Hash, Hasher};
pub use core::marker::{Copy, PhantomData, Send, Sized, Sync};
pub use core::ops::Deref;
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, str, u128, usize};
pub use core::result::Result::Ok;
pub use core::{column, concat, line, module_path, option_env};

// A function with `cfg`s is handed back to the compiler with the attribute once more.
pub use strata_ecs_derive::system;

pub use crate::bundle::{Bundle, BundleParts};
pub use crate::component::{
    ChangeTracking, CloneProbe, Cloner, Component, ComponentKey, DefaultValue, RequirementList, StorageType, TypeSlot,
};
pub use crate::const_access::{Differ, Pair, Twin, check_system};
pub use crate::entity::Entity;
pub use crate::event::Event;
pub use crate::generated::{
    LendNothing, OtherRow, ParParam, Param, Refused, RefusedRows, Row, RowData, RowParam, RowSystem, WorldSystem,
    condition, filter_access, input, lend, marked_row, mut_row, param_access, ref_row, refused_system, row_access,
    run_if, skipped,
};
pub use crate::label::{LabelLacks, LabelParts, LabelProbe, ScheduleLabel, SystemSet, demand_label};
pub use crate::message::Message;
pub use crate::query::{
    Added, Alternative, Changed, Fetch, FilterTerms, FirstOf, MutSlice, Or, QueryData, QueryFilter, ReadOnlyFetch,
    RefSlice, With, Without,
};
pub use crate::resource::Resource;
pub use crate::simd::{Narrow, Shaped, Wide};
pub use crate::system::SystemOutput as RowOutput;
pub use crate::system::for_macros::{Field, FieldNames, FieldParam, Fields, Reborrow, RowOptions, SliceOf};
pub use crate::system::{BoxedSystem, In, InMut, InRef, IntoSystem, MacroMarker, ParamSource, SystemItem, SystemParam};

/// What row systems return.
pub type SystemResult = crate::system::Result;
