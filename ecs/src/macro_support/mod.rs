//! Names that macro output refers to, and nothing else. Not part of the public API: it may change in any release.
//!
//! All items that a program can reach without this module and without `unsafe` are API, even if hidden from the documentation, and
//! are sound for every safe use. The value that a source fetches for a parameter (`ParamSource::Got`) is either the parameter itself
//! or an opaque value that only the library converts into a parameter: the item of a `Single` and the query that would yield it
//! again are one value. The query does not run again once code outside has had the item. Traits whose constants or values unsafe
//! code relies on are `unsafe`, sealed (`simd::UnrollWidth`), or take values that have no name outside (`StoreCell`, `Token`,
//! `RowFacts`). A type that represents a value of another type (`SystemId`, `TypeSlot`) is invariant in it. A `ParamSet` and a
//! `SystemState` are `Send` only if the values fetched from them are.
//!
//! Tests: tests/ui/pass

pub(crate) mod macros;
mod runtime;

pub use alloc::boxed::Box;
pub use alloc::format;
pub use core::clone::Clone;
pub use core::cmp::{Eq, PartialEq};
pub use core::convert::{Infallible, Into};
pub use core::default::Default;
pub use core::fmt::{Debug, Formatter, Result as FmtResult};
pub use core::hash::{Hash, Hasher};
pub use core::marker::{Copy, PhantomData, Send, Sized, Sync};
pub use core::mem::offset_of;
pub use core::ops::Deref;
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, i128, str, u128, usize};
pub use core::result::Result::{Err, Ok};
pub use core::{column, concat, line, module_path, option_env, stringify};

// The output for a function with `cfg`s contains the attribute again, below the `cfg`s: the compiler evaluates these first.
pub use strata_ecs_derive::{observer, system};

pub use self::runtime::{
    GivenRows, LendNothing, LinkedData, LinkedItems, LinkedTerm, OtherRow, ParParam, Param, Refused, RefusedPairs, Row,
    RowData, RowParam, RowsOf, TargetSystem, ValueOf, WorldSystem, condition, each_pair, filter_access, has_target,
    input, lend, linked_access, marked_row, mut_row, pair_is_added, pair_is_changed, pair_of, param_access, ref_row,
    refused_system, relationship, row_access, run_if, skipped, target_access,
};
pub use crate::access::const_access::{Pair, SameTypePair, TypesDiffer, check_same_types, check_system};
pub use crate::component::for_macros::{
    NameParameter, Probe, Serializable, Unmapped, Unproved, describe as describe_as, describe_plain,
    describe_serializable, field, fields, name_by_path, name_given, name_with, packed_field, plain_fields, pub_field,
};
pub use crate::component::{
    ChangeTracking, Component, ComponentHook, ComponentKey, DefaultValue, Describe, Description, Fields as TypeFields,
    Immutable, Mutable, Persistence, RequirementList, StableName, StorageType, TypeSlot, UpgradeList,
};
pub use crate::entity::for_macros::{FieldMapping, field_mapping, map_inside};
pub use crate::entity::{ContainsEntity, Entity, EntityMapper, MapEntities};
pub use crate::events::event::{
    AddEvent, EntityEvent, EntityTrigger, Event, GlobalTrigger, PropagateEntityTrigger, SetEntityEventTarget,
};
pub use crate::events::observer::On;
pub use crate::query::change::Ref;
pub use crate::query::{
    Added, Allow, Alternative, AnyOfTerms, Changed, ContiguousFetch, ContiguousQueryData, Fetch, FilterTerms, FirstOf,
    Kept, LinkedRows, MutSlice, Or, PairIter, Pairs, Query, QueryData, QueryFilter, ReadOnlyFetch, ReadPair, RefPair,
    RefSlice, RowList, SliceItem, With, Without, WritePair, listed_rows,
};
pub use crate::relations::hierarchy::{ChildOf, Children};
pub use crate::relations::relation::{CloneProbe, NoClone, OnTargetDespawn, Relation};
pub use crate::relations::relationship::{Relationship, RelationshipTarget, TargetField};
pub use crate::schedule::label::{
    DynHash, Internable, Interned, Interner, LabelLacks, LabelParts, LabelProbe, ScheduleLabel, SystemSet, demand_label,
};
pub use crate::storage::message::Message;
pub use crate::storage::resource::Resource;
pub use crate::structure::bundle::{Bundle, BundleParts};
pub use crate::system::EcsError;
pub use crate::system::SystemOutput as RowOutput;
pub use crate::system::for_macros::{
    Along, BuiltField, Field, FieldBuilder, FieldNames, FieldParam, Fields, LinkedOptions, LinkedParam, LinkedSource,
    LinkedState, LinkedSystem, Reborrow, SliceOf, Targets, Visited, build_fields, infallible,
};
pub use crate::system::{
    BoxedSystem, BuildParam, BuildSite, Built, In, InMut, InRef, IntoSystem, MacroMarker, MacroRows, MacroSystem,
    ParamSource, SystemFn, SystemItem, SystemParam,
};
pub use crate::util::simd::{Narrow, Shaped, Wide};

pub use crate::world::{Spawn, SpawnRelated};

/// The return type of row systems.
pub type SystemResult = crate::system::Result;

/// The [`ComponentKey`] of a type with this name whose derive is at this line and column.
#[doc(hidden)]
#[macro_export]
macro_rules! __strata_key {
    ($name:literal, $place:expr, $copy:literal) => {
        $crate::macro_support::ComponentKey::new(
            $crate::macro_support::option_env!("CARGO_PKG_NAME"),
            $crate::macro_support::option_env!("CARGO_PKG_VERSION"),
            $crate::macro_support::module_path!(),
            $name,
            $crate::macro_support::line!(),
            $crate::macro_support::column!(),
        )
        .derived_at(
            [$crate::macro_support::line!(), $crate::macro_support::column!()],
            $place,
            $copy,
            $crate::macro_support::option_env!("CARGO_BIN_NAME"),
        )
    };
}
pub use __strata_key as key;

/// The path of a system with this name.
#[doc(hidden)]
#[macro_export]
macro_rules! __strata_system_name {
    ($name:literal) => {
        $crate::macro_support::concat!($crate::macro_support::module_path!(), "::", $name)
    };
}
pub use __strata_system_name as system_name;

/// The [`Description`] with the functions that the type supports, given the bounds in scope.
#[doc(hidden)]
#[macro_export]
macro_rules! __strata_describe {
    ($Type:ty, $name:expr, $fields:expr) => {{
        use $crate::macro_support::{Unmapped as _, Unproved as _};
        $crate::macro_support::describe_as(
            $name,
            ($crate::macro_support::Probe::<$Type>::CLONE, $crate::macro_support::Probe::<$Type>::COPY),
            $crate::macro_support::Probe::<$Type>::DEFAULT,
            ($crate::macro_support::Probe::<$Type>::EQ, $crate::macro_support::Probe::<$Type>::HASH),
            $crate::macro_support::Probe::<$Type>::DEBUG,
            $crate::macro_support::Probe::<$Type>::MAP_ENTITIES,
            $fields,
        )
    }};
}
pub use __strata_describe as describe;

/// A list of spawns, as nested tuples, for `children!` and `related!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __strata_spawns {
    () => { () };
    ($a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr, $h:expr, $($rest:expr),+) => {
        ($crate::macro_support::spawns!($a, $b, $c, $d, $e, $f, $g, $h), $crate::macro_support::spawns!($($rest),+))
    };
    ($($a:expr),+) => { ($($crate::macro_support::Spawn($a),)+) };
}
pub use __strata_spawns as spawns;
