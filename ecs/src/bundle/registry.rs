//! The bundles that a world has met.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;

use hashbrown::HashMap;

use super::{Bundle, BundleParts};
use crate::component::{ComponentId, Components, SlotMap};

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
    dynamic: HashMap<Box<[ComponentId]>, u32>,
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
            self.push(ids.into());
        }
        number
    }

    /// The number of a set of components that was put together at run time.
    pub(crate) fn register_dynamic(&mut self, ids: &[ComponentId]) -> u32 {
        if let Some(&number) = self.dynamic.get(ids) {
            return number;
        }
        debug_assert!(first_duplicate(ids).is_none());
        let number = self.push(ids.into());
        self.dynamic.insert(ids.into(), number);
        number
    }

    fn push(&mut self, ids: Box<[ComponentId]>) -> u32 {
        self.infos.push(BundleInfo { ids });
        self.infos.len() as u32 - 1
    }

    /// The components of the bundle with this number, in the order of its leaves.
    pub(crate) fn ids(&self, number: u32) -> &[ComponentId] {
        &self.infos[number as usize].ids
    }
}

fn first_duplicate(ids: &[ComponentId]) -> Option<ComponentId> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
