//! Bundles: several components that are added or removed together.
//!
//! [`Bundle`] is what users see and the derive macro implements, with safe code only: it says how a value falls apart
//! into parts and is put together again. How parts are written to storage is [`BundleParts`], implemented here for
//! components and tuples and nowhere else.

mod row_writer;
mod parts;
mod columns;
mod registry;
mod transfer;

pub(crate) use self::columns::equal_columns;
use self::columns::repeated_column;
pub use self::columns::{ColumnBatch, ColumnBundle, ColumnLengthError, ColumnSource};
pub use self::parts::{BundleParts, Leaf, LeafAt, PartKinds};
pub(crate) use self::parts::{Reader, Token, write_leaves};
pub(crate) use self::registry::Bundles;
pub(crate) use self::row_writer::{RowWriter, Targets};
pub(crate) use self::transfer::{Moved, give, give_here, scatter_into, take_parts, with_parts};
pub use crate::map::bundle::*;

use core::any::type_name;
use core::marker::PhantomData;
use core::mem::forget;

use crate::component::{Component, TypeSlot};
use crate::const_access::{check_one_of_each, may_repeat};

/// What becomes of the components that an entity has already when a bundle is inserted.
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
    /// They get the new values.
    Replace,
    /// They keep the old ones.
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
    /// The components, one by one.
    #[doc(hidden)]
    type Parts: BundleParts;

    #[doc(hidden)]
    fn into_parts(self) -> Self::Parts;

    #[doc(hidden)]
    fn from_parts(parts: Self::Parts) -> Self;

    /// Where the process remembers a number for this type, if it has such a place.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }

    /// As `into_parts`, from address to address: without optimisation, a value that is passed on is a value more on the stack,
    /// and components may be large. The token has no name outside of this crate, so that no other crate can implement this.
    ///
    /// # Safety
    ///
    /// - `this` is a value, which is moved out; `parts` is writable.
    #[doc(hidden)]
    #[inline]
    unsafe fn scatter(this: *mut Self, parts: *mut Self::Parts, _: Token) {
        // SAFETY: the caller's promise.
        unsafe { parts.write(this.read().into_parts()) }
    }

    /// Whether taking the bundle apart is nothing but moving values, so that [`Bundle::write_row`] may be called.
    #[doc(hidden)]
    const IN_PLACE: Option<Token> = None;

    /// Moves the components to where the next targets of a writer say. Not to be called unless `IN_PLACE` says so.
    ///
    /// # Safety
    ///
    /// - `this` is a value, which is moved out. The next targets of the writer are those of its components.
    /// - Unless `IF_NEW`, the plan of the writer is one of an insertion, of which every value is wanted.
    #[doc(hidden)]
    unsafe fn write_row<const IF_NEW: bool>(this: *mut Self, writer: &mut RowWriter<'_>, token: Token) {
        let _ = (this, writer, token);
        unreachable!("a bundle that runs code when it is taken apart is taken apart first");
    }

    /// As `from_parts`, from address to address. The parts are empty afterwards.
    ///
    /// # Safety
    ///
    /// - `parts` are full; `this` is writable.
    #[doc(hidden)]
    #[inline]
    unsafe fn gather(parts: *mut Self::Parts, this: *mut Self, token: Token) {
        // SAFETY: the caller's promise. The parts are marked as empty before user code (a default of an ignored field) runs.
        unsafe {
            let owned = parts.read();
            (*parts).forget(token);
            this.write(Self::from_parts(owned));
        }
    }
}

/// The components of a bundle differ. To be named where a user names the bundle: there the compiler says which one comes twice.
pub(crate) struct OneOfEach<B>(PhantomData<B>);

impl<B: Bundle> OneOfEach<B> {
    pub(crate) const COMPONENTS: () = check_one_of_each("a bundle has", &<B::Parts as BundleParts>::COMPONENTS);

    /// Whether two of them may be one component, as far as the compiler can tell.
    const MAY_REPEAT: bool = may_repeat(&<B::Parts as BundleParts>::COMPONENTS);

    /// The same for components with type parameters, of which the compiler cannot tell. It costs nothing for other bundles, and
    /// with optimisation nothing at all.
    ///
    /// # Panics
    ///
    /// If a component comes twice, at the place of the caller.
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

/// The same for columns: those of a tuple, or of several batches.
pub(crate) struct OneColumnOfEach<C>(PhantomData<C>);

impl<C: ColumnBundle> OneColumnOfEach<C> {
    pub(crate) const COMPONENTS: () = check_one_of_each("a set of columns has", &C::COMPONENTS);

    /// As [`OneOfEach::check`].
    ///
    /// # Panics
    ///
    /// If a component comes twice, at the place of the caller.
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
    type Parts = Leaf<C>;

    #[inline]
    fn into_parts(self) -> Leaf<C> {
        Leaf::new(self)
    }

    #[inline]
    fn from_parts(parts: Leaf<C>) -> Self {
        parts.into_inner()
    }

    #[inline]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        <C as Component>::slot()
    }

    #[inline]
    unsafe fn scatter(this: *mut Self, parts: *mut Leaf<C>, _: Token) {
        // SAFETY: the caller's promise.
        unsafe { Leaf::fill(parts, this) }
    }

    const IN_PLACE: Option<Token> = Some(Token::new());

    #[inline]
    unsafe fn write_row<const IF_NEW: bool>(this: *mut Self, writer: &mut RowWriter<'_>, _: Token) {
        // SAFETY: forwarded: the value, its target, and what `IF_NEW` says of the plan.
        unsafe { writer.write::<C, IF_NEW>(this) }
    }

    #[inline]
    unsafe fn gather(parts: *mut Leaf<C>, this: *mut Self, _: Token) {
        // SAFETY: the caller's promise.
        unsafe { Leaf::empty(parts, this) }
    }
}

/// A value at an address that is dropped with this.
struct DropIfUnwound<T>(*mut T);

impl<T> Drop for DropIfUnwound<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the functions that make one say where a value is that nothing else drops, and forget this to keep it.
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
            unsafe fn scatter(this: *mut Self, parts: *mut Self::Parts, token: Token) {
                // SAFETY: the caller's promise, member by member. A guard drops a member that has not been taken apart, or the
                // parts that one has become, if taking another one apart panics.
                unsafe {
                    $(let $T = DropIfUnwound(&raw mut (*this).$at);)*
                    $(
                        forget($T);
                        $T::scatter(&raw mut (*this).$at, &raw mut (*parts).$at, token);
                        let $T = DropIfUnwound(&raw mut (*parts).$at);
                    )*
                    $(forget($T);)*
                }
            }

            const IN_PLACE: Option<Token> =
                if $($T::IN_PLACE.is_some())&&* { Some(Token::new()) } else { None };

            #[inline]
            unsafe fn write_row<const IF_NEW: bool>(this: *mut Self, writer: &mut RowWriter<'_>, token: Token) {
                // SAFETY: forwarded, member by member: the value, its target, and what `IF_NEW` says of the plan.
                unsafe { $($T::write_row::<IF_NEW>(&raw mut (*this).$at, writer, token);)* }
            }

            #[inline]
            #[expect(non_snake_case, reason = "each guard is named after its type parameter")]
            unsafe fn gather(parts: *mut Self::Parts, this: *mut Self, token: Token) {
                // SAFETY: the caller's promise, member by member. A guard drops a member that has been put together if another
                // one panics.
                unsafe {
                    $(
                        $T::gather(&raw mut (*parts).$at, &raw mut (*this).$at, token);
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
