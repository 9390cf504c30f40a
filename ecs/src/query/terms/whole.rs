//! Whole entities: `EntityRef`, `EntityMut`, and their variants without some components or with only the components added to the
//! query.
//!
//! Tests: tests/queries/whole_entities.rs, tests/queries/filtered.rs

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::access::FilteredAccess;
use crate::access::term::{ConstTerm, Group, Term};
use crate::component::ComponentId;
use crate::query::change::{ReadEntity, WriteEntity};
use crate::query::fetch::{Fetch, ReadOnlyFetch, Rows};
use crate::storage::table::Table;
use crate::structure::bundle::{Bundle, BundleParts};
use crate::structure::cell::StoreCell;

/// Reads all components of an entity except those of the bundle `B`. The items give no access to the components of `B`.
#[doc(hidden)]
pub struct ReadAllBut<B>(PhantomData<fn() -> B>);

/// Writes all components of an entity except those of the bundle `B`. The items give no access to the components of `B`.
#[doc(hidden)]
pub struct WriteAllBut<B>(PhantomData<fn() -> B>);

/// Reads those components of an entity that were added to the query. The items give no access to other components.
#[doc(hidden)]
pub struct ReadGiven;

/// Accesses those components of an entity that were added to the query, and writes those that were added mutably. The items give no
/// access to other components.
#[doc(hidden)]
pub struct WriteGiven;

/// The components that were added to a query. The query borrows them from each entity that has them.
#[doc(hidden)]
#[derive(Default, Debug)]
pub struct AddedComponents {
    borrowed: Vec<ComponentId>,
    written: Vec<ComponentId>,
    /// Whether all components may be accessed. This is for entities that were borrowed without a query.
    is_all: bool,
}

impl AddedComponents {
    /// Access to all components, for an entity that was borrowed without a query.
    pub(crate) fn all() -> &'static Self {
        static ALL: AddedComponents = AddedComponents { borrowed: Vec::new(), written: Vec::new(), is_all: true };
        &ALL
    }

    fn of(added: &FilteredAccess) -> Self {
        // The list is empty if the access is to all components, or to all except some.
        let borrowed = added.borrowed().unwrap_or_default();
        let written = borrowed.iter().copied().filter(|&id| added.writes(id)).collect();
        Self { borrowed, written, is_all: false }
    }

    /// Returns whether a component may be read.
    pub(crate) fn reads(&self, id: ComponentId) -> bool {
        self.is_all || self.borrowed.contains(&id)
    }

    /// Returns whether a component may be written.
    pub(crate) fn writes(&self, id: ComponentId) -> bool {
        self.is_all || self.written.contains(&id)
    }
}

/// The common part of all terms for whole entities: every entity matches.
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
        unsafe fn fetch_row<'w, const RECORDED: bool>(
            ready: Self::TableFetch<'w>,
            rows: Rows,
            row: usize,
        ) -> Self::Item<'w> {
            // SAFETY: forwarded: the row exists, and the access that the term declares is allowed for 'w. That is all components
            // except those of `B`, to which the converted item gives no access; or the components that were added to the query,
            // which the query borrows, and the converted item gives access to no others.
            unsafe { $Entity::in_cell(ready, rows.entity(row)) }
        }
    };
}

/// The common part of the terms for components that are added to the query.
macro_rules! given_entity {
    ($Entity:ident, $ReadOnly:ty) => {
        const TERM: ConstTerm = ConstTerm::Entity;

        whole_entity!($Entity, AddedComponents, $ReadOnly);

        fn grant_access(state: &mut AddedComponents, added: &FilteredAccess) -> bool {
            *state = AddedComponents::of(added);
            true
        }
    };
}

// SAFETY: declares that it reads all components except those of `B`; no component is demanded.
unsafe impl<B: Bundle> Fetch for ReadAllBut<B> {
    const TERM: ConstTerm = ConstTerm::Group(Group::ReadAll, &[<B::Parts as BundleParts>::COMPONENTS]);

    whole_entity!(ReadEntity, (), Self);
}

// SAFETY: `ReadEntity` is read-only.
unsafe impl<B: Bundle> ReadOnlyFetch for ReadAllBut<B> {}

// SAFETY: declares that it writes all components except those of `B`; no component is demanded.
unsafe impl<B: Bundle> Fetch for WriteAllBut<B> {
    const TERM: ConstTerm = ConstTerm::Group(Group::WriteAll, &[<B::Parts as BundleParts>::COMPONENTS]);

    whole_entity!(WriteEntity, (), ReadAllBut<B>);
}

// SAFETY: borrows nothing by itself. The query borrows the added components, and no other member of its data has them; converted
// items read nothing else.
unsafe impl Fetch for ReadGiven {
    given_entity!(ReadEntity, Self);
}

// SAFETY: `ReadEntity` is read-only.
unsafe impl ReadOnlyFetch for ReadGiven {}

// SAFETY: borrows nothing by itself. The query borrows the added components, and no other member of its data has them; converted
// items read nothing else, and write only components that were added mutably.
unsafe impl Fetch for WriteGiven {
    given_entity!(WriteEntity, ReadGiven);
}
