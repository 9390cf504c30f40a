//! The registered bundles of a world.
//!
//! The number of bundle types is limited by the program, but the number of bundles that are assembled at run time is not. So bundles that
//! are assembled at run time have separate numbers, and can be removed.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;

use hashbrown::HashMap;

use super::Bundle;
use crate::component::{BundleContents, ComponentId, Components, NewRequirements, Required, SlotMap};
use crate::util::alloc_error::try_shrink;
use crate::util::origin::{ByOrigin, Origin};

/// Set in the number of a bundle that was assembled at run time.
const DYNAMIC: u32 = 1 << 28;

/// The metadata of a bundle.
struct BundleInfo {
    /// The components, in the order of the bundle's leaves.
    ids: Box<[ComponentId]>,
    /// The components that the bundle requires.
    required: Box<[Required]>,
    /// The sparse components of the bundle that an entity already has: see [`BundleContents::held`].
    held: Box<[ComponentId]>,
}

impl BundleInfo {
    fn new(ids: &[ComponentId], components: &Components) -> Self {
        Self { ids: ids.into(), required: components.required_by(ids), held: Box::default() }
    }
}

/// All registered bundles of a world: types, and sets of components that were assembled at run time.
#[derive(Default)]
pub(crate) struct Bundles {
    infos: Vec<BundleInfo>,
    numbers: SlotMap,
    /// The bundles that were assembled at run time.
    dynamic_infos: Vec<BundleInfo>,
    dynamic_numbers: HashMap<Box<[ComponentId]>, u32>,
    /// The numbers of the variants of bundles for entities that already have some sparse components. A key is the number of a bundle, and
    /// these components.
    held_numbers: HashMap<(u32, Box<[ComponentId]>), u32>,
}

impl Bundles {
    /// Returns the number of a bundle, if it is registered.
    #[inline]
    pub(crate) fn number<B: Bundle>(&self) -> Option<u32> {
        self.numbers.get::<B>(B::slot())
    }

    /// Registers a bundle and returns its number. The components of the bundle, and the components that they require, are registered and
    /// have storages. `by` is the code that uses the bundle.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    #[cold]
    #[inline(never)]
    pub(crate) fn register<B: Bundle>(&mut self, ids: &[ComponentId], components: &Components, by: Origin) -> u32 {
        if let Some(twice) = first_duplicate(ids) {
            refuse::<B>(components.name(twice), by);
        }
        self.numbers.register(B::slot(), &mut self.infos, |number| {
            assert!(number < DYNAMIC, "a world cannot have more than {DYNAMIC} types of bundles");
            BundleInfo::new(ids, components)
        })
    }

    /// Returns the number of a set of components that was assembled at run time.
    pub(crate) fn register_dynamic(&mut self, ids: &[ComponentId], components: &Components) -> u32 {
        if let Some(&number) = self.dynamic_numbers.get(ids) {
            return number;
        }
        debug_assert!(first_duplicate(ids).is_none());
        let (key, info) = (ids.into(), BundleInfo::new(ids, components));
        self.dynamic_numbers.reserve(1);
        let number = self.push_dynamic(info);
        self.dynamic_numbers.insert(key, number);
        number
    }

    /// Returns the number of the variant of a bundle for entities that already have the sparse components `held` of the bundle.
    pub(crate) fn register_held(&mut self, bundle: u32, held: Box<[ComponentId]>, components: &Components) -> u32 {
        let key = (bundle, held);
        if let Some(&number) = self.held_numbers.get(&key) {
            return number;
        }
        let mut info = BundleInfo::new(self.contents(bundle).explicit, components);
        info.held = key.1.clone();
        self.held_numbers.reserve(1);
        let number = self.push_dynamic(info);
        self.held_numbers.insert(key, number);
        number
    }

    fn push_dynamic(&mut self, info: BundleInfo) -> u32 {
        let at = self.dynamic_infos.len();
        assert!(at < DYNAMIC as usize, "a world cannot have more than {DYNAMIC} bundles that were put together");
        self.dynamic_infos.push(info);
        at as u32 | DYNAMIC
    }

    /// Returns the components of the bundle with this number.
    pub(crate) fn contents(&self, number: u32) -> BundleContents<'_> {
        let infos = if number & DYNAMIC == 0 { &self.infos } else { &self.dynamic_infos };
        let info = &infos[(number & !DYNAMIC) as usize];
        BundleContents { explicit: &info.ids, required: &info.required, held: &info.held }
    }

    /// Returns the requirements that all bundles get by additional requirements of components, for [`Bundles::adopt_requirements`].
    pub(crate) fn requirements_with(&self, components: &Components, more: &NewRequirements) -> Vec<Box<[Required]>> {
        let infos = self.infos.iter().chain(&self.dynamic_infos);
        infos.map(|info| components.required_by_with(&info.ids, more)).collect()
    }

    /// Replaces the requirements of all bundles. Needs no memory.
    pub(crate) fn adopt_requirements(&mut self, all: Vec<Box<[Required]>>) {
        let infos = self.infos.iter_mut().chain(&mut self.dynamic_infos);
        infos.zip(all).for_each(|(info, required)| info.required = required);
    }

    /// Removes all bundles that were assembled at run time. Their numbers will be reused. Bundles that are types keep their numbers.
    pub(crate) fn forget_dynamic(&mut self) {
        self.dynamic_infos = Vec::new();
        self.dynamic_numbers = HashMap::default();
        self.held_numbers = HashMap::default();
    }

    /// Frees spare capacity.
    pub(crate) fn shrink_to_fit(&mut self) {
        try_shrink(&mut self.infos);
    }

    /// Returns the bytes that the bundles have allocated, without the map from types, whose size is limited by the program.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let infos = self.infos.iter().chain(&self.dynamic_infos);
        let keys = self.dynamic_numbers.keys().chain(self.held_numbers.keys().map(|(_, held)| held));
        let of_info =
            |info: &BundleInfo| size_of_val(&*info.ids) + size_of_val(&*info.required) + size_of_val(&*info.held);
        infos.map(of_info).sum::<usize>()
            + keys.map(|ids| size_of_val(&**ids)).sum::<usize>()
            + self.held_numbers.allocation_size()
            + (self.infos.capacity() + self.dynamic_infos.capacity()) * size_of::<BundleInfo>()
            + self.dynamic_numbers.allocation_size()
    }
}

/// Panics with the name of the component that a bundle has twice, and the place where the bundle is used, if that is known.
#[cold]
fn refuse<B: Bundle>(twice: &str, by: Origin) -> ! {
    let bundle = type_name::<B>();
    if by.is_known() {
        panic!("bundle `{bundle}`, used{}, has component `{twice}` twice: keep one of the two", ByOrigin(by));
    }
    panic!(
        "bundle `{bundle}` has component `{twice}` twice: keep one of the two (with the feature `track_location` this message says \
         where the bundle is used)"
    )
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
        let components = Components::default();
        let unit = bundles.register::<()>(&[], &components, Origin::UNKNOWN);
        let [a, b] = [[ComponentId(0)], [ComponentId(1)]];
        let [first, second] = [&a, &b].map(|ids| bundles.register_dynamic(ids, &components));
        assert_eq!(bundles.register_dynamic(&a, &components), first);
        let ids = |bundles: &Bundles, number| bundles.contents(number).explicit.to_vec();
        assert_eq!([first, second, unit].map(|number| ids(&bundles, number)), [a.to_vec(), b.to_vec(), Vec::new()]);
        bundles.forget_dynamic();
        assert_eq!(bundles.register_dynamic(&b, &components), first);
        assert_eq!([first, unit].map(|number| ids(&bundles, number)), [b.to_vec(), Vec::new()]);
        assert_eq!(bundles.number::<()>(), Some(unit));
    }
}
