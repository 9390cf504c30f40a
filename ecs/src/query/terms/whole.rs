//! Whole entities: `EntityRef`, `EntityMut` and those that leave some components out.

use core::marker::PhantomData;

use crate::bundle::{Bundle, BundleParts};
use crate::cell::StoreCell;
use crate::change::{ReadEntity, WriteEntity};
use crate::entity::Entity;
use crate::query::fetch::{Fetch, ReadOnlyFetch, Rows};
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term};

/// All components of an entity but those of `B`, to read. What is made of its items keeps them out.
#[doc(hidden)]
pub struct ReadAllBut<B>(PhantomData<fn() -> B>);

/// All components of an entity but those of `B`, to write. What is made of its items keeps them out.
#[doc(hidden)]
pub struct WriteAllBut<B>(PhantomData<fn() -> B>);

/// What both have in common: every entity matches.
macro_rules! whole_entity {
    ($Entity:ident, $Group:ident) => {
        type State = ();
        type Column = ();
        type Ready<'w> = StoreCell<'w>;
        type Item<'w> = $Entity<'w>;
        type ReadOnly = ReadAllBut<B>;

        const TERM: ConstTerm = ConstTerm::Group(Group::$Group, &[<B::Parts as BundleParts>::COMPONENTS]);

        fn state(_: Term<'_>) {}

        fn column((): &(), _: &Table) -> Option<()> {
            Some(())
        }

        #[inline]
        unsafe fn ready<'w>(cell: StoreCell<'w>, (): &(), (): (), _: &'w Table) -> StoreCell<'w> {
            cell
        }

        #[inline]
        fn contains(_: StoreCell<'_>, _: Entity) -> bool {
            true
        }

        #[inline]
        unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
            // SAFETY: the caller promises that the row exists, and that what the term borrows of it is allowed for 'w: all but
            // the components of `B`, which what is made of the item keeps out.
            unsafe { $Entity::in_cell(ready, rows.entity(row)) }
        }
    };
}

// SAFETY: reads all components but those of `B`, and says so; no component is demanded.
unsafe impl<B: Bundle> Fetch for ReadAllBut<B> {
    whole_entity!(ReadEntity, ReadAll);
}

// SAFETY: only reads.
unsafe impl<B: Bundle> ReadOnlyFetch for ReadAllBut<B> {}

// SAFETY: writes all components but those of `B`, and says so; no component is demanded.
unsafe impl<B: Bundle> Fetch for WriteAllBut<B> {
    whole_entity!(WriteEntity, WriteAll);
}
