//! Types that describe themselves, and probes for the traits of other types.
//!
//! Tests: tests/storage/descriptors/functions.rs, tests/storage/descriptors/fields.rs

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use super::Component;
use super::description::{Description, FoundFunction, Marked};
use super::field::{Described, FieldOf, FieldTypeOf, Fields, fields, pub_field};
use super::functions::{CloneFn, DebugFn, DefaultFn, EqFn, HashFn};
use super::name::{NameParameter, StableName};
use crate::entity::{Entity, MapEntities, Mapping};

/// A type that declares its [stable name](StableName) and its [fields](crate::component::Field): every component, types with
/// [`#[derive(Describe)]`](derive@crate::component::Describe), numbers, `bool`, `char`, `String`, `Entity`, and arrays, `Vec`s, `Option`s
/// and tuples of up to eight of these.
///
/// A field whose type describes itself is described with its fields. A type with parameters has a stable name if its own bounds require
/// that its type parameters describe themselves:
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Describe};
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(name = "sword")]
/// struct Sword;
///
/// #[derive(Component)]
/// #[component(name = "inventory")]
/// struct Inventory<T: Describe + Send + Sync, const SLOTS: usize>([Option<T>; SLOTS]);
///
/// #[derive(Component)]
/// struct Pile<T>(Vec<T>);
///
/// let name = ComponentDescriptor::of::<Inventory<Sword, 4>>().stable_name().unwrap();
/// assert_eq!(name, *"inventory<sword, 4>");
/// assert!(ComponentDescriptor::of::<Pile<Sword>>().stable_name().is_none());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe itself: derive `Describe` for it, or `Component`",
    label = "has no description"
)]
pub trait Describe: Sized + 'static {
    /// The name of the type in files.
    const NAME: Option<StableName>;

    /// The fields of the type.
    const FIELDS: Fields<Self> = Fields::NONE;
}

#[diagnostic::do_not_recommend]
impl<AnyComponent: Component> Describe for AnyComponent {
    const NAME: Option<StableName> = AnyComponent::DESCRIPTION.name;
    const FIELDS: Fields<Self> = AnyComponent::DESCRIPTION.fields;
}

impl Describe for Entity {
    const NAME: Option<StableName> = Some(StableName::by_path("strata_ecs::entity::Entity"));
    const FIELDS: Fields<Self> = Fields::of_plain().with_entities(true);
}

impl Describe for String {
    const NAME: Option<StableName> = Some(StableName::by_path("String"));
}

macro_rules! simple_types {
    ($of:ident: $($Type:ty)*) => { $(
        impl Describe for $Type {
            const NAME: Option<StableName> = Some(StableName::by_path(stringify!($Type)));
            const FIELDS: Fields<Self> = Fields::$of();
        }
    )* };
}

simple_types! { of_any_bytes: u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }
simple_types! { of_plain: usize isize bool char }

impl<T: Describe, const N: usize> Describe for [T; N] {
    const NAME: Option<StableName> = StableName::by_path("array")
        .with_parameters(const { &[NameParameter::Type(T::NAME), NameParameter::Const(N as i128)] });
    const FIELDS: Fields<Self> = T::FIELDS.of_array();
}

/// It has no stable name.
impl<T: Describe> Describe for Vec<T> {
    const NAME: Option<StableName> = None;
    const FIELDS: Fields<Self> = Fields::of_elements();
}

/// It has no stable name.
impl<T: Describe> Describe for Option<T> {
    const NAME: Option<StableName> = None;
    const FIELDS: Fields<Self> = Fields::of_elements();
}

/// Holder for the fields of a tuple.
struct TupleFields<T>(PhantomData<T>);

macro_rules! tuples {
    ($($Tuple:ty: $($T:ident $at:tt),+;)+) => { $(
        impl<$($T: Describe),+> TupleFields<$Tuple> {
            const LIST: &'static [FieldOf<$Tuple>] = &[$(pub_field(
                stringify!($at),
                core::mem::offset_of!($Tuple, $at),
                "",
                |tuple: &$Tuple| (&raw const tuple.$at).cast_mut(),
                FieldTypeOf::new($T::FIELDS),
            )),+];
        }

        /// It has no stable name.
        impl<$($T: Describe),+> Describe for $Tuple {
            const NAME: Option<StableName> = None;
            const FIELDS: Fields<Self> = fields(TupleFields::<Self>::LIST).not_plain();
        }
    )+ };
}

tuples! {
    (A,): A 0;
    (A, B): A 0, B 1;
    (A, B, C): A 0, B 1, C 2;
    (A, B, C, D): A 0, B 1, C 2, D 3;
    (A, B, C, D, E): A 0, B 1, C 2, D 3, E 4;
    (A, B, C, D, E, F): A 0, B 1, C 2, D 3, E 4, F 5;
    (A, B, C, D, E, F, G): A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    (A, B, C, D, E, F, G, H): A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

impl<T: Describe> Described for T {
    const ALL_FIELDS: Fields<Self> = T::FIELDS;
}

/// Tests whether bounds hold for a type. If they do, a constant of a probe is an inherent one, and otherwise the constant of
/// [`Unproved`], which every probe has. If the type has parameters, only the bounds in scope count.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

/// The constants of a [`Probe`] whose bounds are not known to hold.
pub trait Unproved {
    /// The tested type.
    type Type: 'static;

    /// `Clone`
    const CLONE: FoundFunction<Self::Type, CloneFn> = FoundFunction::NONE;
    /// `Copy`
    const COPY: Marked<Self::Type> = Marked::NO;
    /// `Default`
    const DEFAULT: FoundFunction<Self::Type, DefaultFn> = FoundFunction::NONE;
    /// `PartialEq`
    const EQ: FoundFunction<Self::Type, EqFn> = FoundFunction::NONE;
    /// `Hash`
    const HASH: FoundFunction<Self::Type, HashFn> = FoundFunction::NONE;
    /// `Debug`
    const DEBUG: FoundFunction<Self::Type, DebugFn> = FoundFunction::NONE;
    /// The parameter of a stable name: a type without one.
    const PARAMETER: NameParameter = NameParameter::Type(None);
    /// The type of a field, whose own fields are not known.
    const FIELD_TYPE: FieldTypeOf<Self::Type> = FieldTypeOf::new(Fields::NONE);
}

impl<T: 'static> Unproved for Probe<T> {
    type Type = T;
}

/// The constant of a [`Probe`] if the type is not known to be `MapEntities`. Unlike [`Unproved`] it accepts types that borrow.
pub trait Unmapped {
    /// The tested type.
    type Inside;

    /// `MapEntities`
    const MAP_ENTITIES: Mapping<Self::Inside> = Mapping::Unknown;
}

impl<T> Unmapped for Probe<T> {
    type Inside = T;
}

impl<T: Clone> Probe<T> {
    /// It is `Clone`.
    pub const CLONE: FoundFunction<T, CloneFn> =
        FoundFunction::new(Description::<T>::new().with_clone().functions.clone);
}

impl<T: Copy> Probe<T> {
    /// It is `Copy`.
    pub const COPY: Marked<T> = Marked::copy();
}

impl<T: Default> Probe<T> {
    /// It is `Default`.
    pub const DEFAULT: FoundFunction<T, DefaultFn> =
        FoundFunction::new(Description::<T>::new().with_default().functions.default);
}

impl<T: PartialEq> Probe<T> {
    /// It is `PartialEq`.
    pub const EQ: FoundFunction<T, EqFn> = FoundFunction::new(Description::<T>::new().with_eq().functions.eq);
}

impl<T: Hash> Probe<T> {
    /// It is `Hash`.
    pub const HASH: FoundFunction<T, HashFn> = FoundFunction::new(Description::<T>::new().with_hash().functions.hash);
}

impl<T: fmt::Debug> Probe<T> {
    /// It is `Debug`.
    pub const DEBUG: FoundFunction<T, DebugFn> =
        FoundFunction::new(Description::<T>::new().with_debug().functions.debug);
}

impl<T: MapEntities> Probe<T> {
    /// It is `MapEntities`.
    pub const MAP_ENTITIES: Mapping<T> = Mapping::new();
}

impl<T: Describe> Probe<T> {
    /// The parameter of a stable name.
    pub const PARAMETER: NameParameter = NameParameter::Type(T::NAME);
    /// The type of a field, with its fields.
    pub const FIELD_TYPE: FieldTypeOf<T> = FieldTypeOf::new(T::FIELDS);
}
