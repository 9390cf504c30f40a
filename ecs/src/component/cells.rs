//! Cells in values: whether a value can change through a shared reference.
//!
//! The derives list the types of all fields. A type is free of cells if its author says so, or if all types in it are. No unsafe code depends
//! on this: if a type is wrongly said to have no cells, frames of a [`SnapshotRing`](crate::snapshot::SnapshotRing) show an older value.
//!
//! Tests: tests/snapshots/shared.rs

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{TypeId, type_name};
#[cfg(feature = "std")]
use std::collections::{HashMap, HashSet};

use crate::entity::Entity;

/// The cells, locks and atomics that values of a type may contain: see [`TypeCells`].
#[derive(Clone, Copy)]
pub struct Cells(Kind);

#[derive(Clone, Copy)]
enum Kind {
    /// Values may contain some.
    Possible,
    /// Values contain none, or only share some that their clones share too.
    None,
    /// Only values of these types can contain some.
    In(&'static [Part]),
    /// Only values of this type can contain some. A function, since a type may contain a list of itself.
    InContent(fn() -> Part),
}

/// A type that is part of another one.
#[derive(Clone, Copy)]
pub struct Part {
    type_id: TypeId,
    type_name: fn() -> &'static str,
    cells: Cells,
}

/// A type that declares whether its values may contain cells, locks or atomics: all types that derive `Component` or
/// [`Describe`](derive@crate::component::Describe), numbers, `bool`, `char`, `String`, `Entity`, and `Box`es, `Vec`s, `Option`s and other
/// collections of these.
///
/// Values without cells do not change through a shared reference, so frames of a [`SnapshotRing`](crate::snapshot::SnapshotRing) can share
/// them. For a type with parameters only its own bounds count:
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, TypeCells};
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Slots<T: TypeCells + Send + Sync>(Vec<T>);
///
/// #[derive(Component)]
/// struct Pile<T>(Vec<T>);
///
/// assert_eq!(ComponentDescriptor::of::<Slots<u32>>().possible_cell(), None);
/// assert!(ComponentDescriptor::of::<Pile<u32>>().possible_cell().is_some());
/// ```
#[diagnostic::on_unimplemented(
    message = "whether values of `{Self}` contain cells is not known: add `#[derive(Describe)]` to it",
    label = "may contain cells"
)]
pub trait TypeCells: 'static {
    /// What values may contain.
    const CELLS: Cells;
}

impl Cells {
    /// Values may contain some, for all that is known.
    pub const POSSIBLE: Self = Self(Kind::Possible);

    /// Values contain none.
    pub const NONE: Self = Self(Kind::None);

    /// Only values of these types can contain some. The derives list the types of all fields.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_parts(parts: &'static [Part]) -> Self {
        Self(Kind::In(parts))
    }

    /// Only values of `T` can contain some.
    const fn of_content<T: TypeCells + ?Sized>() -> Self {
        Self(Kind::InContent(Part::of::<T>))
    }

    /// Returns the name of the first type in a value that may contain a cell. `whole` is the name of the type of the value.
    pub(super) fn find(&self, whole: fn() -> &'static str) -> Option<&'static str> {
        self.find_outside(whole, &mut Vec::new())
    }

    /// Like [`find`](Self::find). `seen` has the types that are searched already.
    fn find_outside(&self, whole: fn() -> &'static str, seen: &mut Vec<TypeId>) -> Option<&'static str> {
        match self.0 {
            Kind::Possible => Some(whole()),
            Kind::None => None,
            Kind::In(parts) => parts.iter().find_map(|part| part.cells.find_outside(part.type_name, seen)),
            Kind::InContent(content) => {
                let Part { type_id, type_name, cells } = content();
                if seen.contains(&type_id) {
                    return None;
                }
                seen.push(type_id);
                cells.find_outside(type_name, seen)
            }
        }
    }
}

impl Part {
    const fn new<T: 'static + ?Sized>(cells: Cells) -> Self {
        Self { type_id: TypeId::of::<T>(), type_name: type_name::<T>, cells }
    }

    /// A type whose parts are known.
    pub(super) const fn of<T: TypeCells + ?Sized>() -> Self {
        Self::new::<T>(T::CELLS)
    }

    /// A type of which nothing is known. A value without a size has no state, so it has no cells.
    pub(super) const fn unknown<T: 'static>() -> Self {
        Self::new::<T>(if size_of::<T>() == 0 { Cells::NONE } else { Cells::POSSIBLE })
    }

    /// The part, without cells if the type is `Copy`: a cell is not `Copy`, and a copy of a reference to a cell refers to the same cell.
    #[must_use]
    pub const fn or_copy(self, is_copy: bool) -> Self {
        if is_copy { Self { cells: Cells::NONE, ..self } } else { self }
    }
}

macro_rules! without_cells {
    ($($Type:ty)*) => { $(
        impl TypeCells for $Type {
            const CELLS: Cells = Cells::NONE;
        }
    )* };
}

without_cells! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str String Entity Cow<'static, str> }

/// All clones share the value.
impl<T: ?Sized + 'static> TypeCells for Arc<T> {
    const CELLS: Cells = Cells::NONE;
}

macro_rules! containers {
    ($([$($parameters:tt)*] $Type:ty;)*) => { $(
        impl<$($parameters)*> TypeCells for $Type {
            const CELLS: Cells = Cells::of_content::<T>();
        }
    )* };
}

containers! {
    [T: TypeCells] [T];
    [T: TypeCells, const N: usize] [T; N];
    [T: TypeCells + ?Sized] Box<T>;
    [T: TypeCells] Vec<T>;
    [T: TypeCells] VecDeque<T>;
    [T: TypeCells] Option<T>;
    [T: TypeCells] BTreeSet<T>;
}

#[cfg(feature = "std")]
containers! {
    [T: TypeCells] HashSet<T>;
}

impl<K: TypeCells, V: TypeCells> TypeCells for BTreeMap<K, V> {
    const CELLS: Cells = Cells::of_content::<(K, V)>();
}

#[cfg(feature = "std")]
impl<K: TypeCells, V: TypeCells> TypeCells for HashMap<K, V> {
    const CELLS: Cells = Cells::of_content::<(K, V)>();
}

macro_rules! tuples {
    ($(($($T:ident),*))+) => { $(
        impl<$($T: TypeCells),*> TypeCells for ($($T,)*) {
            const CELLS: Cells = Cells::of_parts(const { &[$(Part::of::<$T>()),*] });
        }
    )+ };
}

tuples! {
    ()
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
}

impl_debug!([] Cells => |this, f| f.debug_tuple("Cells").field(&this.find(|| "the type")).finish());

impl_debug!([] Part => |this, f| f.write_str((this.type_name)()));
