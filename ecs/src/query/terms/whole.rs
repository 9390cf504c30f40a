//! Whole entities: `EntityRef`, `EntityMut`, those that leave some components out, and those with what a query was given.

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::access::FilteredAccess;
use crate::bundle::{Bundle, BundleParts};
use crate::cell::StoreCell;
use crate::change::{ReadEntity, WriteEntity};
use crate::component::ComponentId;
use crate::query::fetch::{Fetch, ReadOnlyFetch, Rows};
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term};

/// All components of an entity but those of `B`, to read. What is made of its items keeps them out.
#[doc(hidden)]
pub struct ReadAllBut<B>(PhantomData<fn() -> B>);

/// All components of an entity but those of `B`, to write. What is made of its items keeps them out.
#[doc(hidden)]
pub struct WriteAllBut<B>(PhantomData<fn() -> B>);

/// What was added to a query when it was made, of an entity, to read. What is made of its items keeps all else out.
#[doc(hidden)]
pub struct ReadGiven;

/// What was added to a query when it was made, of an entity, to write what was added mutably. What is made of its items keeps all
/// else out.
#[doc(hidden)]
pub struct WriteGiven;

/// What was added to a query: the query borrows it of each entity that has it.
#[doc(hidden)]
#[derive(Default, Debug)]
pub struct Given {
    borrowed: Vec<ComponentId>,
    written: Vec<ComponentId>,
    /// Whether it is all, which no query is given.
    is_all: bool,
}

impl Given {
    /// All components, of an entity that was borrowed without a query.
    pub(crate) fn all() -> &'static Self {
        static ALL: Given = Given { borrowed: Vec::new(), written: Vec::new(), is_all: true };
        &ALL
    }

    fn of(added: &FilteredAccess) -> Self {
        // Nothing, if all components are borrowed, or all but some.
        let borrowed = added.borrowed().unwrap_or_default();
        let written = borrowed.iter().copied().filter(|&id| added.writes(id)).collect();
        Self { borrowed, written, is_all: false }
    }

    /// Whether a component may be read.
    pub(crate) fn reads(&self, id: ComponentId) -> bool {
        self.is_all || self.borrowed.contains(&id)
    }

    /// Whether a component may be written.
    pub(crate) fn writes(&self, id: ComponentId) -> bool {
        self.is_all || self.written.contains(&id)
    }
}

/// What all have in common: every entity matches.
macro_rules! whole_entity {
    ($Entity:ident, $State:ty, $ReadOnly:ty) => {
        type State = $State;
        type TableFetch<'w> = StoreCell<'w>;
        type Item<'w> = $Entity<'w>;
        type ReadOnly = $ReadOnly;

        fn state(_: Term<'_>) -> $State {
            <$State>::default()
        }

        match_each_table!();

        #[inline]
        unsafe fn visit_table<'w>(cell: StoreCell<'w>, _: &$State, (): (), _: &'w Table) -> StoreCell<'w> {
            cell
        }

        #[inline]
        unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
            // SAFETY: the caller promises that the row exists, and that what the term borrows of it is allowed for 'w: all but
            // the components of `B`, which what is made of the item keeps out; or what was added to the query, which borrows it, and
            // what is made of the item keeps all else out.
            unsafe { $Entity::in_cell(ready, rows.entity(row)) }
        }
    };
}

/// The same of what is added to the query.
macro_rules! given_entity {
    ($Entity:ident, $ReadOnly:ty) => {
        const TERM: ConstTerm = ConstTerm::Entity;

        whole_entity!($Entity, Given, $ReadOnly);

        fn give(state: &mut Given, added: &FilteredAccess) -> bool {
            *state = Given::of(added);
            true
        }
    };
}

// SAFETY: reads all components but those of `B`, and says so; no component is demanded.
unsafe impl<B: Bundle> Fetch for ReadAllBut<B> {
    const TERM: ConstTerm = ConstTerm::Group(Group::ReadAll, &[<B::Parts as BundleParts>::COMPONENTS]);

    whole_entity!(ReadEntity, (), Self);
}

// SAFETY: only reads.
unsafe impl<B: Bundle> ReadOnlyFetch for ReadAllBut<B> {}

// SAFETY: writes all components but those of `B`, and says so; no component is demanded.
unsafe impl<B: Bundle> Fetch for WriteAllBut<B> {
    const TERM: ConstTerm = ConstTerm::Group(Group::WriteAll, &[<B::Parts as BundleParts>::COMPONENTS]);

    whole_entity!(WriteEntity, (), ReadAllBut<B>);
}

// SAFETY: borrows nothing by itself. What was added to the query the query borrows, and no other member of its data has been given it;
// what is made of an item reads nothing else.
unsafe impl Fetch for ReadGiven {
    given_entity!(ReadEntity, Self);
}

// SAFETY: only reads.
unsafe impl ReadOnlyFetch for ReadGiven {}

// SAFETY: borrows nothing by itself. What was added to the query the query borrows, and no other member of its data has been given it;
// what is made of an item reads nothing else, and writes nothing but what was added mutably.
unsafe impl Fetch for WriteGiven {
    given_entity!(WriteEntity, ReadGiven);
}
