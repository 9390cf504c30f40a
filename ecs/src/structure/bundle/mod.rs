//! Bundles: several components that are added or removed together.
//!
//! [`Bundle`] is the public trait, which the derive macro implements with safe code only: it converts a value into parts and back.
//! [`BundleParts`] writes parts to storage; only this module implements it, for components and tuples.
// Tests: tests/storage/bundles.rs

mod row_writer;
mod parts;
mod columns;
mod registry;
mod transfer;

pub(crate) use self::columns::equal_columns;
use self::columns::repeated_column;
pub use self::columns::{ColumnBatch, ColumnBundle, ColumnLengthError, ColumnSource};
pub use self::parts::{BundleField, BundleParts, FieldLayout, PartKinds};
pub(crate) use self::parts::{RowReader, Token, write_leaves};
pub(crate) use self::registry::Bundles;
pub(crate) use self::row_writer::{BundleTargets, RowWriter};
pub(crate) use self::transfer::{
    MovingPtr, scatter_into, take_parts, with_moving_ptr, with_moving_ptr_inline, with_parts,
};
pub use crate::reexports::bundle::*;

use core::any::type_name;
use core::marker::PhantomData;
use core::mem::forget;

use crate::access::const_access::{check_one_of_each, may_repeat};
use crate::component::{Component, TypeSlot};

/// How the insertion of a bundle treats components that the entity already has.
///
/// ```
/// use strata_ecs::bundle::InsertMode;
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::command::insert_batch;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(1)).id();
/// world.commands().queue(insert_batch([(entity, Health(3))], InsertMode::Keep));
/// world.flush();
/// assert_eq!(world.get(entity), Some(&Health(1)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertMode {
    /// The components get the new values.
    Replace,
    /// The components keep the old values.
    Keep,
}

/// Components that are added or removed together: a component, a tuple of up to 16 bundles, or a struct with
/// `#[derive(Bundle)]`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Name(&'static str);
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[derive(Bundle)]
/// struct Monster {
///     name: Name,
///     health: Health,
/// }
///
/// let mut world = World::new();
/// let monster = world.spawn(Monster { name: Name("troll"), health: Health(9) }).id();
/// assert_eq!(world.get::<Health>(monster).unwrap().0, 9);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be inserted: it is neither a type with `#[derive(Component)]` nor a tuple of at most 16 of them",
    label = "not a bundle",
    note = "a tuple may contain further tuples, `((a, b), (c, d))`, and structs with `#[derive(Bundle)]`: this is how to insert more \
            components at once",
    note = "a resource (`#[derive(Resource)]`) is not a component: `insert_resource` puts it into the world, and systems take it as \
            `Res<T>` or `ResMut<T>`",
    note = "a type that is not your own, such as `u32` or `Vec<T>`, goes into a struct that is: `#[derive(Component)] struct \
            Health(u32);`"
)]
#[doc(alias("DynamicBundle", "ComponentTypeSet", "IntoComponentSource"))]
pub trait Bundle: Send + Sync + Sized + 'static {
    /// The parts of the bundle: its components, one by one.
    #[doc(hidden)]
    type Parts: BundleParts;

    #[doc(hidden)]
    fn into_parts(self) -> Self::Parts;

    #[doc(hidden)]
    fn from_parts(parts: Self::Parts) -> Self;

    /// Returns the static in which the process stores a number for this type, if the type has one.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }

    /// Splits the bundle at `this` into its parts at `parts`, as `into_parts` does. It takes addresses because, without optimisation, each
    /// function that passes on a value adds a copy on the stack, and components may be large. The token cannot be named outside of this
    /// crate, so no other crate can implement this.
    ///
    /// # Safety
    ///
    /// - `this` is valid for reads and holds a value, which is moved out; `parts` is valid for writes.
    #[doc(hidden)]
    #[inline]
    unsafe fn split_into(this: *mut Self, parts: *mut Self::Parts, _: Token) {
        // SAFETY: forwarded: `this` is valid for reads and `parts` for writes.
        unsafe { parts.write(this.read().into_parts()) }
    }

    /// `Some` if splitting the bundle only moves values, so that [`Bundle::write_row`] may be called.
    #[doc(hidden)]
    const IN_PLACE: Option<Token> = None;

    /// Moves the components to the next targets of a writer. Must not be called unless `IN_PLACE` is `Some`.
    ///
    /// # Safety
    ///
    /// - `this` is valid for reads and holds a value, which is moved out. The next targets of the writer belong to its components.
    /// - Unless `IF_NEW`, the plan of the writer is the plan of an insertion that writes every value.
    #[doc(hidden)]
    unsafe fn write_row<const IF_NEW: bool>(this: *mut Self, writer: &mut RowWriter<'_>, token: Token) {
        let _ = (this, writer, token);
        unreachable!("a bundle that runs code when it is taken apart is taken apart first");
    }

    /// Joins the parts at `parts` into a bundle at `this`, as `from_parts` does. The parts are empty afterwards.
    ///
    /// # Safety
    ///
    /// - `parts` are full; `this` is valid for writes.
    #[doc(hidden)]
    #[inline]
    unsafe fn join_from(parts: *mut Self::Parts, this: *mut Self, token: Token) {
        // SAFETY: forwarded: `parts` are full and `this` is valid for writes. The parts are marked as empty before user code (a default of
        // an ignored field) runs.
        unsafe {
            let owned = parts.read();
            (*parts).forget(token);
            this.write(Self::from_parts(owned));
        }
    }
}

/// A compile-time check that the components of a bundle differ. It is used where the user names the bundle, so that the error points there.
pub(crate) struct OneOfEach<B>(PhantomData<B>);

impl<B: Bundle> OneOfEach<B> {
    pub(crate) const COMPONENTS: () = check_one_of_each("a bundle has", &<B::Parts as BundleParts>::COMPONENTS);

    /// Whether the compiler cannot rule out that two components are equal.
    const MAY_REPEAT: bool = may_repeat(&<B::Parts as BundleParts>::COMPONENTS);

    /// Checks at run time that the components of the bundle differ, for components with type parameters, which the compiler cannot compare.
    /// The check costs nothing for other bundles, and nothing at all with optimisation.
    ///
    /// # Panics
    ///
    /// If a component occurs twice. The location of the panic is the location of the caller.
    #[inline]
    #[track_caller]
    pub(crate) fn check() {
        if Self::MAY_REPEAT
            && let Some(twice) = B::Parts::repeated::<B::Parts>()
        {
            refuse("bundle", type_name::<B>(), twice);
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn refuse(kind: &str, name: &str, twice: &str) -> ! {
    panic!("{kind} `{name}` has component `{twice}` twice: keep one of the two");
}

/// A check as [`OneOfEach`], for the columns of a tuple or of several batches.
pub(crate) struct OneColumnOfEach<C>(PhantomData<C>);

impl<C: ColumnBundle> OneColumnOfEach<C> {
    pub(crate) const COMPONENTS: () = check_one_of_each("a set of columns has", &C::COMPONENTS);

    /// Checks at run time that the columns have different components, as [`OneOfEach::check`] does for a bundle.
    ///
    /// # Panics
    ///
    /// If a component occurs twice. The location of the panic is the location of the caller.
    #[track_caller]
    pub(crate) fn check(columns: &C) {
        if C::MAY_REPEAT
            && let Some(twice) = repeated_column(columns)
        {
            refuse("columns", type_name::<C>(), twice);
        }
    }
}

impl<C: Component> Bundle for C {
    type Parts = BundleField<C>;

    #[inline]
    fn into_parts(self) -> BundleField<C> {
        BundleField::new(self)
    }

    #[inline]
    fn from_parts(parts: BundleField<C>) -> Self {
        parts.into_inner()
    }

    #[inline]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        <C as Component>::slot()
    }

    #[inline]
    unsafe fn split_into(this: *mut Self, parts: *mut BundleField<C>, _: Token) {
        // SAFETY: forwarded: `this` holds the value, and `parts` is valid for writes.
        unsafe { BundleField::fill(parts, this) }
    }

    const IN_PLACE: Option<Token> = Some(Token::new());

    #[inline]
    unsafe fn write_row<const IF_NEW: bool>(this: *mut Self, writer: &mut RowWriter<'_>, _: Token) {
        // SAFETY: forwarded: `this` holds the value, the next target belongs to it, and `IF_NEW` is the same.
        unsafe { writer.write::<C, IF_NEW>(this) }
    }

    #[inline]
    unsafe fn join_from(parts: *mut BundleField<C>, this: *mut Self, _: Token) {
        // SAFETY: forwarded: the leaf is full, and `this` is valid for writes.
        unsafe { BundleField::empty(parts, this) }
    }
}

/// Drops the value at an address when this is dropped.
struct DropIfUnwound<T>(*mut T);

impl<T> Drop for DropIfUnwound<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: each function that makes this passes the address of a value that nothing else drops, and forgets this to keep the value.
        unsafe { self.0.drop_in_place() }
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: Bundle),*> Bundle for ($($T,)*) {
            type Parts = ($($T::Parts,)*);

            #[inline]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn into_parts(self) -> Self::Parts {
                let ($($T,)*) = self;
                ($($T.into_parts(),)*)
            }

            #[inline]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn from_parts(parts: Self::Parts) -> Self {
                let ($($T,)*) = parts;
                ($($T::from_parts($T),)*)
            }

            #[inline]
            #[expect(non_snake_case, reason = "each guard is named after its type parameter")]
            unsafe fn split_into(this: *mut Self, parts: *mut Self::Parts, token: Token) {
                // SAFETY: forwarded to each member. If splitting a member panics, guards drop the members that have not been split yet and
                // the parts of those that have.
                unsafe {
                    $(let $T = DropIfUnwound(&raw mut (*this).$at);)*
                    $(
                        forget($T);
                        $T::split_into(&raw mut (*this).$at, &raw mut (*parts).$at, token);
                        let $T = DropIfUnwound(&raw mut (*parts).$at);
                    )*
                    $(forget($T);)*
                }
            }

            const IN_PLACE: Option<Token> =
                if $($T::IN_PLACE.is_some())&&* { Some(Token::new()) } else { None };

            #[inline]
            unsafe fn write_row<const IF_NEW: bool>(this: *mut Self, writer: &mut RowWriter<'_>, token: Token) {
                // SAFETY: forwarded to each member: it holds a value, the next targets belong to it, and `IF_NEW` is the same.
                unsafe { $($T::write_row::<IF_NEW>(&raw mut (*this).$at, writer, token);)* }
            }

            #[inline]
            #[expect(non_snake_case, reason = "each guard is named after its type parameter")]
            unsafe fn join_from(parts: *mut Self::Parts, this: *mut Self, token: Token) {
                // SAFETY: forwarded to each member. If joining a member panics, guards drop the members that have been joined.
                unsafe {
                    $(
                        $T::join_from(&raw mut (*parts).$at, &raw mut (*this).$at, token);
                        let $T = DropIfUnwound(&raw mut (*this).$at);
                    )*
                    $(forget($T);)*
                }
            }
        }
    };
}

impl Bundle for () {
    type Parts = ();

    fn into_parts(self) {}

    fn from_parts((): ()) {}

    const IN_PLACE: Option<Token> = Some(Token::new());

    unsafe fn write_row<const IF_NEW: bool>(_: *mut Self, _: &mut RowWriter<'_>, _: Token) {}
}

all_tuples!(tuples);
