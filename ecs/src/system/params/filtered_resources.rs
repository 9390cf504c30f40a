//! Parameters that give access to resources which a builder chooses at run time.
//!
//! Tests: tests/systems/params/filtered_resources.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;

use fixedbitset::FixedBitSet;

use super::resource::{Borrowing, Reads, Writes};
use crate::access::ParamAccess;
use crate::query::change::{Mut, Ref};
use crate::storage::resource::{Resource, ResourceId, Resources};
use crate::structure::cell::{ReadCell, StoreCell};
use crate::structure::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource};
use crate::system::param_error::ParamError;

/// [`FilteredResources`] or [`FilteredResourcesMut`] cannot borrow a resource.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Debug)] struct Score(u32);
/// let error = FilteredResources::from(&World::new()).get::<Score>().unwrap_err();
/// assert!(error.to_string().contains("Score` does not exist"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceFetchError {
    /// The resource does not exist. The string is the name of its type.
    DoesNotExist(&'static str),
    /// The builder of the system did not add this access. The string is the name of the resource type.
    NoResourceAccess(&'static str),
}

impl_display!([] ResourceFetchError => |this, f| match this {
    Self::DoesNotExist(name) => write!(f, "resource `{name}` does not exist"),
    Self::NoResourceAccess(name) => write!(
        f,
        "the parameter may not borrow resource `{name}` so: add the access to its builder with `add_read` or `add_write`"
    ),
});

impl core::error::Error for ResourceFetchError {}

/// A set of resources, or all resources, including resources that are not registered yet.
#[derive(Clone, Default, Debug)]
struct ResourceSet {
    named: FixedBitSet,
    all: bool,
}

impl ResourceSet {
    const ALL: Self = Self { named: FixedBitSet::new(), all: true };
    const NONE: Self = Self { named: FixedBitSet::new(), all: false };

    #[inline]
    fn contains(&self, id: ResourceId) -> bool {
        self.all || self.named.contains(id.0 as usize)
    }
}

/// The resources that may be borrowed.
#[doc(hidden)]
#[derive(Clone, Default, Debug)]
pub struct ResourceRights {
    /// The resources that may be read, including all that may be written.
    reads: ResourceSet,
    writes: ResourceSet,
}

impl ResourceRights {
    /// Adds the right to borrow a resource, or all resources if `id` is `None`.
    fn add(&mut self, id: Option<ResourceId>, write: bool) {
        for set in [Some(&mut self.reads), write.then_some(&mut self.writes)].into_iter().flatten() {
            match id {
                Some(id) => set.named.grow_and_insert(id.0 as usize),
                None => set.all = true,
            }
        }
    }

    /// Adds all rights to the access of the system. The rights belong to one parameter, so they do not conflict with each other.
    fn declare(&self, site: &mut BuildSite<'_, '_>) {
        site.as_set(|site| {
            let Self { reads, writes } = self;
            if reads.all {
                site.member(|site| site.meta.add_access(ParamAccess::AllResources { write: writes.all }, site.store));
            }
            let named = |set: &ResourceSet| if set.all { Vec::new() } else { set.named.ones().collect() };
            for (ids, write) in [(named(reads), false), (named(writes), true)] {
                for index in ids {
                    let id = index as u32;
                    let name = site.store.resources.name(ResourceId(id));
                    let access = ParamAccess::Resource { id, name, write, reads_messages: false };
                    site.member(|site| site.meta.add_access(access, site.store));
                }
            }
        });
    }
}

/// The set of resources that may be borrowed. Only [`ParamSource::get`] and the `of` methods of the parameters make such a set.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AllowedResources<'w, 's> {
    cell: StoreCell<'w>,
    rights: &'s ResourceRights,
}

impl<'w> AllowedResources<'w, '_> {
    fn may_borrow<R: Resource>(&self, write: bool) -> bool {
        let Self { cell, rights: ResourceRights { reads, writes } } = self;
        let set = if write { writes } else { reads };
        cell.store().resources.id::<R>().is_some_and(|id| set.contains(id))
    }

    /// Returns the id of a resource, if the resource may be borrowed.
    fn borrow<R: Resource, B: Borrowing>(&self) -> Result<ResourceId, ResourceFetchError> {
        let absent = ResourceFetchError::DoesNotExist(type_name::<R>());
        let id = self.cell.store().resources.id::<R>().ok_or(absent)?;
        if !self.may_borrow::<R>(B::WRITES) {
            return Err(ResourceFetchError::NoResourceAccess(type_name::<R>()));
        }
        if self.cell.store().resources.raw(id).is_some() { Ok(id) } else { Err(absent) }
    }
}

/// A set of resources that may be read. These are the resources that the builder of the system added
/// ([`FilteredResourcesParamBuilder`]), or those of a borrowed world. Without a builder the set is empty.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{FilteredResourcesParamBuilder, SystemParamBuilder};
/// # #[derive(Resource)] struct Score(u32);
/// # #[derive(Resource)] struct Limit(u32);
///
/// fn show(resources: FilteredResources) -> u32 {
///     assert!(resources.get::<Limit>().is_err()); // It was not added.
///     resources.get::<Score>().map_or(0, |score| score.0)
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// world.insert_resource(Limit(9));
/// let builder = FilteredResourcesParamBuilder::new(|builder| _ = builder.add_read::<Score>());
/// let system = (builder,).build_state(&mut world).build_system(show);
/// assert_eq!(world.run_system_once(system).unwrap(), 3);
/// ```
#[derive(Clone, Copy)]
pub struct FilteredResources<'w, 's> {
    /// The resources. No other code writes the readable ones for `'w`.
    reach: AllowedResources<'w, 's>,
}

impl<'w> FilteredResources<'w, '_> {
    /// Returns all resources of a store.
    pub(crate) fn of(cell: ReadCell<'w>) -> Self {
        const RIGHTS: &ResourceRights = &ResourceRights { reads: ResourceSet::ALL, writes: ResourceSet::NONE };
        Self { reach: AllowedResources { cell: cell.cell(), rights: RIGHTS } }
    }

    /// Returns whether the resource may be read, if it exists.
    #[must_use]
    pub fn has_read<R: Resource>(&self) -> bool {
        self.reach.may_borrow::<R>(false)
    }

    /// Returns a resource.
    ///
    /// # Errors
    ///
    /// If the resource may not be read, or does not exist.
    pub fn get<R: Resource>(&self) -> Result<Ref<'w, R>, ResourceFetchError> {
        let id = self.reach.borrow::<R, Reads>()?;
        // SAFETY: `id` is the id of `R` in the cell's store. `R` is among the rights (checked by `borrow`), so no other code writes
        // it for 'w.
        let got = unsafe { Reads::get::<R>(id, self.reach.cell) };
        let (value, ticks) = got.ok_or(ResourceFetchError::DoesNotExist(type_name::<R>()))?.into_parts();
        Ok(Ref::new(value, ticks))
    }
}

/// A set of resources that may be read and written. These are the resources that the builder of the system added
/// ([`FilteredResourcesMutParamBuilder`]), or those of a borrowed world. Without a builder the set is empty.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{FilteredResourcesMutParamBuilder, SystemParamBuilder};
/// # #[derive(Resource)] struct Score(u32);
/// # #[derive(Resource)] struct Bonus(u32);
///
/// fn add(mut resources: FilteredResourcesMut) {
///     assert!(resources.get_mut::<Bonus>().is_err()); // It may be read only.
///     let bonus = resources.get::<Bonus>().unwrap().0;
///     resources.get_mut::<Score>().unwrap().0 += bonus;
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// world.insert_resource(Bonus(1));
/// let builder = FilteredResourcesMutParamBuilder::new(|builder| {
///     builder.add_write::<Score>().add_read::<Bonus>();
/// });
/// let system = (builder,).build_state(&mut world).build_system(add);
/// world.run_system_once(system).unwrap();
/// assert_eq!(world.resource::<Score>().0, 4);
/// ```
pub struct FilteredResourcesMut<'w, 's> {
    /// The resources. For `'w`, no other code borrows the writable ones, and no other code writes the readable ones.
    reach: AllowedResources<'w, 's>,
}

impl<'w, 's> FilteredResourcesMut<'w, 's> {
    /// Returns all resources of a store.
    pub(crate) fn of(store: &'w mut Store) -> Self {
        const RIGHTS: &ResourceRights = &ResourceRights { reads: ResourceSet::ALL, writes: ResourceSet::ALL };
        Self { reach: AllowedResources { cell: StoreCell::exclusive(store), rights: RIGHTS } }
    }

    /// Returns the same resources, to read.
    #[must_use]
    pub fn as_readonly(&self) -> FilteredResources<'_, 's> {
        FilteredResources { reach: self.reach }
    }

    /// Reborrows with a shorter lifetime.
    #[must_use]
    pub fn reborrow(&mut self) -> FilteredResourcesMut<'_, 's> {
        FilteredResourcesMut { reach: self.reach }
    }

    /// Returns whether the resource may be read, if it exists.
    #[must_use]
    pub fn has_read<R: Resource>(&self) -> bool {
        self.reach.may_borrow::<R>(false)
    }

    /// Returns whether the resource may be written, if it exists.
    #[must_use]
    pub fn has_write<R: Resource>(&self) -> bool {
        self.reach.may_borrow::<R>(true)
    }

    /// Returns a resource, to read.
    ///
    /// # Errors
    ///
    /// If the resource may not be read, or does not exist.
    pub fn get<R: Resource>(&self) -> Result<Ref<'_, R>, ResourceFetchError> {
        self.as_readonly().get()
    }

    /// Returns a resource, to change.
    ///
    /// # Errors
    ///
    /// If the resource may not be written, or does not exist.
    pub fn get_mut<R: Resource>(&mut self) -> Result<Mut<'_, R>, ResourceFetchError> {
        self.reborrow().into_mut()
    }

    /// Returns a resource, to change, for as long as the resources are borrowed.
    ///
    /// # Errors
    ///
    /// If the resource may not be written, or does not exist.
    pub fn into_mut<R: Resource>(self) -> Result<Mut<'w, R>, ResourceFetchError> {
        let id = self.reach.borrow::<R, Writes>()?;
        // SAFETY: `id` is the id of `R` in the cell's store. `R` is among the writable rights (checked by `borrow`), so no other
        // code borrows it for 'w. `self` is consumed, and any value that was fetched through it before borrows it.
        let got = unsafe { Writes::get::<R>(id, self.reach.cell) };
        let (value, ticks) = got.ok_or(ResourceFetchError::DoesNotExist(type_name::<R>()))?.into_parts();
        Ok(Mut::new(value, ticks))
    }
}

impl_from! {
    /// The same resources, to read only.
    ['w, 's] FilteredResourcesMut<'w, 's> => FilteredResources<'w, 's>, |resources| Self { reach: resources.reach };
}

impl_from! {
    /// The same resources, to read only, for as long as `self` is borrowed.
    ['w, 's] &'w FilteredResourcesMut<'_, 's> => FilteredResources<'w, 's>, |resources| resources.as_readonly();
}

impl_debug!([] FilteredResources<'_, '_> => |this, f|
    f.debug_tuple("FilteredResources").field(this.reach.rights).finish());

impl_debug!([] FilteredResourcesMut<'_, '_> => |this, f|
    f.debug_tuple("FilteredResourcesMut").field(this.reach.rights).finish());

/// The source of resources that a builder chooses, to read, or to read and write.
#[doc(hidden)]
pub struct FilteredSource<B>(PhantomData<fn() -> B>);

// SAFETY: without a builder nothing is borrowed; a builder adds the access of the rights that it grants.
unsafe impl<B: Borrowing> ParamSource for FilteredSource<B> {
    type State = ResourceRights;
    type Got<'w, 's> = AllowedResources<'w, 's>;

    const COUNT: usize = 1;

    fn init(_: &mut Store, meta: &mut SystemMeta) -> ResourceRights {
        meta.next_param();
        ResourceRights::default()
    }

    #[inline]
    unsafe fn get<'w, 's>(
        rights: &'s mut ResourceRights,
        cell: StoreCell<'w>,
    ) -> Result<AllowedResources<'w, 's>, ParamError> {
        Ok(AllowedResources { cell, rights })
    }
}

params! {
    [] FilteredResources<'_, '_> => FilteredResources<'w, 's>, FilteredSource<Reads>, |reach| FilteredResources { reach };
    [] FilteredResourcesMut<'_, '_> => FilteredResourcesMut<'w, 's>, FilteredSource<Writes>, |reach| FilteredResourcesMut { reach };
}

/// Adds the resources that a [`FilteredResources`] may read.
pub struct FilteredResourcesBuilder<'w> {
    rights: ResourceRights,
    resources: &'w mut Resources,
}

/// Adds the resources that a [`FilteredResourcesMut`] may read and write.
pub struct FilteredResourcesMutBuilder<'w> {
    rights: ResourceRights,
    resources: &'w mut Resources,
}

/// The methods with which builders add resources.
macro_rules! additions {
    ($($Rights:ident { $($of_all:literal fn $all:ident, $of_one:literal fn $one:ident, $write:literal;)* })*) => { $(
        impl $Rights<'_> {$(
            #[doc = $of_all]
            pub fn $all(&mut self) -> &mut Self {
                self.rights.add(None, $write);
                self
            }

            #[doc = $of_one]
            pub fn $one<R: Resource>(&mut self) -> &mut Self {
                self.rights.add(Some(self.resources.register::<R>()), $write);
                self
            }
        )*}
    )* };
}

additions! {
    FilteredResourcesBuilder {
        "All resources, those that are inserted later included." fn add_read_all,
        "A resource, which need not exist." fn add_read, false;
    }
    FilteredResourcesMutBuilder {
        "All resources, to read." fn add_read_all, "A resource, to read." fn add_read, false;
        "All resources, to read and write." fn add_write_all, "A resource, to read and write." fn add_write, true;
    }
}

macro_rules! builders {
    ($($Builder:ident of $param:literal by $Rights:ident => $Param:ident, $Borrows:ident;)*) => {
        $(
            impl_debug!([] $Rights<'_> => |this, f|
                f.debug_struct(stringify!($Rights)).field("rights", &this.rights).finish_non_exhaustive());

            #[doc = concat!("A builder of a [`", $param, "`], with what a function adds. See")]
            /// [`SystemParamBuilder`](crate::system::SystemParamBuilder).
            #[derive(Clone, Debug)]
            pub struct $Builder<T>(T);

            impl<T: FnOnce(&mut $Rights<'_>)> $Builder<T> {
                /// Creates a builder that calls `add` to add resources.
                pub fn new(add: T) -> Self {
                    Self(add)
                }
            }

            impl<'a> $Builder<Box<dyn FnOnce(&mut $Rights<'_>) + 'a>> {
                /// Like [`new`](Self::new), but the builder has the same type for all functions, so that builders can be put into a
                /// list.
                pub fn new_box(add: impl FnOnce(&mut $Rights<'_>) + 'a) -> Self {
                    Self(Box::new(add))
                }
            }

            impl<T: FnOnce(&mut $Rights<'_>)> BuildParam<$Param<'_, '_>> for $Builder<T> {
                fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, FilteredSource<$Borrows>> {
                    let mut added =
                        $Rights { rights: ResourceRights::default(), resources: &mut site.store.resources };
                    (self.0)(&mut added);
                    let rights = added.rights;
                    rights.declare(site);
                    // SAFETY: the access of the rights was added above; their ids belong to this store.
                    unsafe { Built::new(rights) }
                }
            }
        )*
    };
}

builders! {
    FilteredResourcesParamBuilder of "FilteredResources" by FilteredResourcesBuilder => FilteredResources, Reads;
    FilteredResourcesMutParamBuilder of "FilteredResourcesMut" by FilteredResourcesMutBuilder => FilteredResourcesMut, Writes;
}
