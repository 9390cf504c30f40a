//! Declares which types may contain cells, that is, whether a value can change through a shared reference.
//!
//! The derives list the types of all fields. A type has no cells if its author declares that, or if no type in it has cells. No unsafe code
//! depends on this. If a type is wrongly declared to have no cells, frames of a [`SnapshotRing`](crate::snapshot::SnapshotRing) may show a
//! value of another frame.
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

/// States which cells, locks and atomics the values of a type may contain: see [`TypeCells`].
#[derive(Clone, Copy)]
pub struct Cells(Kind);

#[derive(Clone, Copy)]
enum Kind {
    /// Values may contain cells.
    Possible,
    /// Values contain no cells of their own. They may share cells with their clones, such as those in an `Arc`.
    None,
    /// Values contain cells only within values of these types.
    In(&'static [Part]),
    /// Values contain cells only within values of this type. This is a function because a type may contain a list of its own type.
    InContent(fn() -> Part),
}

/// A type that is part of another one.
#[derive(Clone, Copy)]
pub struct Part {
    type_id: TypeId,
    type_name: fn() -> &'static str,
    cells: Cells,
}

/// A type that declares whether its values may contain cells, locks or atomics. The trait is implemented for all types that derive
/// `Component` or [`Describe`](derive@crate::component::Describe), for numbers, `bool`, `char`, `String` and `Entity`, and for `Box`es,
/// `Vec`s, `Option`s and other collections of these.
///
/// Values without cells do not change through a shared reference, so frames of a [`SnapshotRing`](crate::snapshot::SnapshotRing) can share
/// them. For a type with parameters only the bounds of its definition count:
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
    /// The cells that values may contain.
    const CELLS: Cells;
}

impl Cells {
    /// Values may contain cells: nothing else is known.
    pub const POSSIBLE: Self = Self(Kind::Possible);

    /// Values contain no cells.
    pub const NONE: Self = Self(Kind::None);

    /// Values contain cells only within values of these types. The derives list the types of all fields.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_parts(parts: &'static [Part]) -> Self {
        Self(Kind::In(parts))
    }

    /// Values contain cells only within values of `T`.
    const fn of_content<T: TypeCells + ?Sized>() -> Self {
        Self(Kind::InContent(Part::of::<T>))
    }

    /// Returns the name of the first type in a value that may contain a cell. `whole` is the name of the type of the value.
    pub(super) fn find(&self, whole: fn() -> &'static str) -> Option<&'static str> {
        self.find_outside(whole, &mut Vec::new())
    }

    /// Like [`find`](Self::find). `seen` lists the content types that have been searched already; they are skipped.
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

    /// Returns the part for a type that declares its cells.
    pub(super) const fn of<T: TypeCells + ?Sized>() -> Self {
        Self::new::<T>(T::CELLS)
    }

    /// Returns the part for a type that does not declare its cells. A zero-sized value has no state, so it has no cells.
    pub(super) const fn unknown<T: 'static>() -> Self {
        Self::new::<T>(if size_of::<T>() == 0 { Cells::NONE } else { Cells::POSSIBLE })
    }

    /// Marks the part as free of cells if the type is `Copy`: cells are not `Copy`, and a copy of a reference to a cell refers to the same
    /// cell.
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
