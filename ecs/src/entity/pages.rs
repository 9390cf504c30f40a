//! Maps entity indexes to values, in pages that are allocated on first use.
//!
//! Tests: tests/storage/sparse.rs, tests/relationships/histories.rs, tests/observers/entities.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Entity;
use crate::util::alloc_error::{AllocError, or_raise, try_reserve, try_reserve_exact, try_shrink};

/// A map from indexes, usually entity indexes, to values. Values are stored in pages of `N` values. A page is allocated when one of its
/// indexes is first used.
#[derive(Clone)]
pub(crate) struct Pages<T, const N: usize>(Vec<Option<Box<[T; N]>>>);

impl_default!([T, const N: usize] Pages<T, N> => Self(Vec::new()));

impl<T: Copy, const N: usize> Pages<T, N> {
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let page = self.0.get(index as usize / N)?.as_deref()?;
        Some(&page[index as usize % N])
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        let page = self.0.get_mut(index as usize / N)?.as_deref_mut()?;
        Some(&mut page[index as usize % N])
    }

    /// Returns whether the page of an index exists.
    #[inline]
    pub(crate) fn has_page(&self, index: u32) -> bool {
        matches!(self.0.get(index as usize / N), Some(Some(_)))
    }

    /// Returns the value at an index. If the page is missing, it is created and filled with `empty`.
    #[inline]
    pub(crate) fn get_or_add(&mut self, index: u32, empty: T) -> &mut T {
        or_raise(self.try_get_or_add(index, empty))
    }

    /// Like [`get_or_add`](Self::get_or_add), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    #[inline]
    pub(crate) fn try_get_or_add(&mut self, index: u32, empty: T) -> Result<&mut T, AllocError> {
        self.reserve(index, empty)?;
        match &mut self.0[index as usize / N] {
            Some(page) => Ok(&mut page[index as usize % N]),
            None => unreachable!("a page that has been added"),
        }
    }

    /// Creates the page of an index, filled with `empty`, unless the page exists.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    #[inline]
    pub(crate) fn reserve(&mut self, index: u32, empty: T) -> Result<(), AllocError> {
        if self.has_page(index) { Ok(()) } else { self.add_page(index as usize / N, empty) }
    }

    #[cold]
    #[inline(never)]
    fn add_page(&mut self, page: usize, empty: T) -> Result<(), AllocError> {
        if self.0.len() <= page {
            let missing = page + 1 - self.0.len();
            try_reserve(&mut self.0, missing)?;
            self.0.resize_with(page + 1, || None);
        }
        let mut values = Vec::new();
        try_reserve_exact(&mut values, N)?;
        values.resize(N, empty);
        self.0[page] = values.into_boxed_slice().try_into().ok();
        Ok(())
    }

    /// Calls `each` with the values of entities, in order. Entities whose page does not exist are skipped.
    #[inline]
    pub(crate) fn for_each_of(&mut self, entities: &[Entity], mut each: impl FnMut(Entity, &mut T)) {
        if let &[entity] = entities {
            self.get_mut(entity.index()).into_iter().for_each(|value| each(entity, value));
            return;
        }
        let page_of = |entity: &Entity| entity.index() as usize / N;
        // Adjacent entities often share a page, which is then looked up once.
        for some in entities.chunks(64) {
            let at = page_of(&some[0]);
            if some.iter().fold(true, |same, entity| same & (page_of(entity) == at)) {
                if let Some(Some(page)) = self.0.get_mut(at) {
                    some.iter().for_each(|entity| each(*entity, &mut page[entity.index() as usize % N]));
                }
                continue;
            }
            for entity in some {
                if let Some(value) = self.get_mut(entity.index()) {
                    each(*entity, value);
                }
            }
        }
    }

    /// Iterates over the values of all pages, each with its index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let pages = self.0.iter().enumerate().filter_map(|(at, page)| Some((at * N, page.as_deref()?)));
        pages.flat_map(|(first, page)| (first as u32..).zip(page))
    }

    /// Iterates over the values of all pages, each with its index.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        let pages = self.0.iter_mut().enumerate().filter_map(|(at, page)| Some((at * N, page.as_deref_mut()?)));
        pages.flat_map(|(first, page)| (first as u32..).zip(page))
    }

    /// Creates the pages that exist in `others` and are missing here, filled with `empty`.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn reserve_as(&mut self, others: &Self, empty: T) -> Result<(), AllocError> {
        let mut pages = (0..others.0.len()).filter(|&page| others.0[page].is_some());
        pages.try_for_each(|page| self.reserve((page * N) as u32, empty))
    }

    /// Copies the values of `others`. Values of pages that do not exist in `others` become `empty`. [`reserve_as`](Self::reserve_as) must
    /// have created all pages of `others` here.
    pub(crate) fn copy_from(&mut self, others: &Self, empty: T) {
        for (at, page) in self.0.iter_mut().enumerate() {
            match (page, others.0.get(at)) {
                (Some(page), Some(Some(other))) => page.copy_from_slice(&**other),
                (Some(page), _) => page.fill(empty),
                (None, _) => {}
            }
        }
    }

    /// Removes all values.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Frees the pages whose values are all empty.
    pub(crate) fn shrink_to_fit(&mut self, is_empty: impl Fn(&T) -> bool) {
        for page in &mut self.0 {
            if page.as_ref().is_some_and(|values| values.iter().all(&is_empty)) {
                *page = None;
            }
        }
        let used = self.0.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.0.truncate(used);
        try_shrink(&mut self.0);
    }

    /// Returns the number of allocated bytes.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Option<Box<[T; N]>>>() + self.0.iter().flatten().count() * size_of::<[T; N]>()
    }
}
