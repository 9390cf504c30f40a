//! The bundles that a world has met.
//!
//! There are as many bundle types as a program names, but bundles that are put together at run time are without bound.
//! So they have numbers of their own, and can be forgotten.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;

use hashbrown::HashMap;

use super::{Bundle, BundleParts};
use crate::alloc_error::try_shrink;
use crate::component::{ComponentId, Components, SlotMap};

/// Set in the number of a bundle that was put together at run time.
const DYNAMIC: u32 = 1 << 28;

/// What is known of a bundle.
struct BundleInfo {
    /// The components, in the order of the bundle's leaves.
    ids: Box<[ComponentId]>,
}

/// Every bundle that a world has met: types, and sets of components that were put together at run time.
#[derive(Default)]
pub(crate) struct Bundles {
    infos: Vec<BundleInfo>,
    numbers: SlotMap,
    /// The bundles that were put together at run time.
    dynamic_infos: Vec<BundleInfo>,
    dynamic_numbers: HashMap<Box<[ComponentId]>, u32>,
}

impl Bundles {
    /// The number of a bundle, which is registered now if need be.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    #[inline]
    pub(crate) fn register<B: Bundle>(&mut self, components: &mut Components) -> u32 {
        match self.numbers.get::<B>(B::slot()) {
            Some(number) => number,
            None => self.register_new::<B>(components),
        }
    }

    #[cold]
    #[inline(never)]
    fn register_new<B: Bundle>(&mut self, components: &mut Components) -> u32 {
        let mut ids = Vec::new();
        B::Parts::register(components, &mut ids);
        if let Some(twice) = first_duplicate(&ids) {
            panic!("bundle `{}` has component `{}` twice", type_name::<B>(), components.name(twice));
        }
        let number = self.numbers.insert::<B>(B::slot(), self.infos.len() as u32);
        if number as usize == self.infos.len() {
            assert!(number < DYNAMIC, "a world cannot have more than {DYNAMIC} types of bundles");
            self.infos.push(BundleInfo { ids: ids.into() });
        }
        number
    }

    /// The number of a set of components that was put together at run time.
    pub(crate) fn register_dynamic(&mut self, ids: &[ComponentId]) -> u32 {
        if let Some(&number) = self.dynamic_numbers.get(ids) {
            return number;
        }
        debug_assert!(first_duplicate(ids).is_none());
        let at = self.dynamic_infos.len();
        assert!(at < DYNAMIC as usize, "a world cannot have more than {DYNAMIC} bundles that were put together");
        let number = at as u32 | DYNAMIC;
        self.dynamic_infos.push(BundleInfo { ids: ids.into() });
        self.dynamic_numbers.insert(ids.into(), number);
        number
    }

    /// The components of the bundle with this number, in the order of its leaves.
    pub(crate) fn ids(&self, number: u32) -> &[ComponentId] {
        let infos = if number & DYNAMIC == 0 { &self.infos } else { &self.dynamic_infos };
        &infos[(number & !DYNAMIC) as usize].ids
    }

    /// Forgets all bundles that were put together at run time: their numbers will belong to others. Types keep theirs.
    pub(crate) fn forget_dynamic(&mut self) {
        self.dynamic_infos = Vec::new();
        self.dynamic_numbers = HashMap::default();
    }

    /// Gives back the room for bundles that are not there.
    pub(crate) fn shrink_to_fit(&mut self) {
        try_shrink(&mut self.infos);
    }

    /// The bytes that the bundles have allocated, but for the map from types, which is as large as the program.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let infos = self.infos.iter().chain(&self.dynamic_infos);
        let keys = self.dynamic_numbers.keys();
        infos.map(|info| size_of_val(&*info.ids)).sum::<usize>()
            + keys.map(|ids| size_of_val(&**ids)).sum::<usize>()
            + (self.infos.capacity() + self.dynamic_infos.capacity()) * size_of::<BundleInfo>()
            + self.dynamic_numbers.allocation_size()
    }
}

fn first_duplicate(ids: &[ComponentId]) -> Option<ComponentId> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_that_are_put_together_have_numbers_of_their_own_and_can_be_forgotten() {
        let mut bundles = Bundles::default();
        let mut components = Components::default();
        let unit = bundles.register::<()>(&mut components);
        let [a, b] = [[ComponentId(0)], [ComponentId(1)]];
        let (first, second) = (bundles.register_dynamic(&a), bundles.register_dynamic(&b));
        assert_eq!(bundles.register_dynamic(&a), first);
        assert_eq!((bundles.ids(first), bundles.ids(second), bundles.ids(unit)), (&a[..], &b[..], &[][..]));
        bundles.forget_dynamic();
        assert_eq!(bundles.register_dynamic(&b), first);
        assert_eq!((bundles.ids(first), bundles.ids(unit)), (&b[..], &[][..]));
        assert_eq!(bundles.register::<()>(&mut components), unit);
    }
}
