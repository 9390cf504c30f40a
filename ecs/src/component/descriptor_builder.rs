//! Descriptors of components that are made at run time.
//!
//! The identity of such a component is its name. The operations on its values are proved by a [`Description`] of their type, or
//! ensured by the caller of the unsafe [`LayoutDescription::new`]. Equal definitions give one descriptor in the whole process, so
//! a program may build a descriptor repeatedly, and descriptors can be compared by address.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::hash::{Hash, Hasher};

use super::constructor::Constructor;
use super::description::Description;
use super::descriptor::{ComponentDescriptor, ComponentIdentity, RequiredByDefinition, SlotNumber};
use super::functions::LayoutDescription;
use super::name::StableName;
use super::slot::next_number;
use super::{ChangeTracking, Component, StorageType};
use crate::util::interner::{InternedValue, Interner};

/// The names of all components that were made at run time.
static NAMES: Interner<str> = Interner::new();

/// All components that were made at run time.
static DEFINITIONS: Interner<Definition> = Interner::new();

type RequiredList = Vec<(&'static ComponentDescriptor, Constructor)>;

/// A descriptor of a component that was made at run time, compared by its content.
struct Definition {
    descriptor: ComponentDescriptor,
    requires: RequiredList,
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        // The slot number and the requirement list of the descriptor are not compared, because they follow from the compared fields.
        let (own, others) = (&self.descriptor, &other.descriptor);
        own.identity == others.identity
            && own.value_type == others.value_type
            && own.layout == others.layout
            && own.functions.agree(&others.functions, own.value_type.is_some())
            && own.fields.len() == others.fields.len()
            && own.storage == others.storage
            && own.track == others.track
            && own.mutable == others.mutable
            && self.requires.len() == other.requires.len()
            && self
                .requires
                .iter()
                .zip(&other.requires)
                .all(|(own, other)| own.0.is_same(other.0) && own.1.calls_the_same(&other.1))
    }
}

impl Eq for Definition {}

impl Hash for Definition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.descriptor.identity.hash(state);
    }
}

/// Makes the descriptor of a component at run time: see [`ComponentDescriptor::builder`].
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Description, StorageType};
/// use strata_ecs::prelude::*;
///
/// let description = Description::<f32>::new().with_clone().with_debug();
/// let heat = ComponentDescriptor::builder("mod:heat", description).storage(StorageType::Sparse).build();
///
/// let mut world = World::new();
/// let heat = world.register_component_with_descriptor(heat).unwrap();
/// let entity = world.spawn_empty().insert_by_id(heat, 21.5_f32).unwrap().id();
/// assert_eq!(world.get_by_id(entity, heat).unwrap().downcast_ref(), Some(&21.5_f32));
/// ```
#[must_use = "a builder does nothing before `build`"]
pub struct ComponentDescriptorBuilder {
    name: Cow<'static, str>,
    /// Without a name and requirements.
    descriptor: ComponentDescriptor,
    requires: RequiredList,
}

impl ComponentDescriptor {
    /// Starts the descriptor of a component that is made at run time. Its identity is the name. Its values are of type `T`, with
    /// the operations of the description. Several components may have values of one type.
    ///
    /// The defaults are table storage and tracking on demand. The name is also the [stable name](StableName) of the component; a
    /// stable name in the description is ignored.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, Description};
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// assert_eq!(heat.identity(), ComponentIdentity::Name("mod:heat"));
    /// assert_eq!(heat.stable_name().unwrap(), *"mod:heat");
    /// ```
    pub fn builder<T: Send + Sync + 'static>(
        name: impl Into<Cow<'static, str>>,
        description: Description<T>,
    ) -> ComponentDescriptorBuilder {
        ComponentDescriptorBuilder::new(name.into(), Self::of_resource_type(&description))
    }

    /// Starts the descriptor of a component that is made at run time, with values whose type is not known, only their description.
    /// Otherwise like [`ComponentDescriptor::builder`].
    ///
    /// ```
    /// use std::alloc::Layout;
    /// use strata_ecs::component::{ComponentDescriptor, LayoutDescription, StorageType};
    ///
    /// // SAFETY: no function is added, and values have no bytes.
    /// let description = unsafe { LayoutDescription::new(Layout::new::<()>()) };
    /// let tag = ComponentDescriptor::builder_of_layout("script:tag", description).storage(StorageType::Sparse).build();
    /// assert_eq!(tag.name(), "script:tag");
    /// ```
    pub fn builder_of_layout(
        name: impl Into<Cow<'static, str>>,
        description: LayoutDescription,
    ) -> ComponentDescriptorBuilder {
        let LayoutDescription { layout, functions } = description;
        let untyped = Self {
            value_type: None,
            type_name: || "a type that the program does not know",
            layout,
            functions,
            fields: &[],
            ..Self::of_resource_type(&Description::<()>::new())
        };
        ComponentDescriptorBuilder::new(name.into(), untyped)
    }
}

impl ComponentDescriptorBuilder {
    fn new(name: Cow<'static, str>, of_values: ComponentDescriptor) -> Self {
        let descriptor = ComponentDescriptor {
            identity: ComponentIdentity::Name(""),
            storage: Some(StorageType::Table),
            track: ChangeTracking::OnDemand,
            ..of_values
        };
        Self { name, descriptor, requires: Vec::new() }
    }

    /// Sets where the values are stored.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description, StorageType};
    ///
    /// let tag = ComponentDescriptor::builder("mod:burning", Description::<()>::new()).storage(StorageType::Sparse).build();
    /// assert_eq!(tag.storage(), Some(StorageType::Sparse));
    /// ```
    pub fn storage(mut self, storage: StorageType) -> Self {
        self.descriptor.storage = Some(storage);
        self
    }

    /// Sets when changes are tracked.
    ///
    /// ```
    /// use strata_ecs::component::{ChangeTracking, ComponentDescriptor, Description};
    ///
    /// let scratch = ComponentDescriptor::builder("mod:scratch", Description::<[f32; 4]>::new());
    /// assert_eq!(scratch.tracking(ChangeTracking::Never).build().tracking(), ChangeTracking::Never);
    /// ```
    pub fn tracking(mut self, tracking: ChangeTracking) -> Self {
        self.descriptor.track = tracking;
        self
    }

    /// Makes the component immutable: a value can only be replaced by inserting another one. Borrowing one mutably, with
    /// [`World::get_mut_by_id`](crate::world::World::get_mut_by_id) for instance, is an error.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::store::ErasedAccessError;
    ///
    /// let seed = ComponentDescriptor::builder("mod:seed", Description::<u64>::new()).immutable().build();
    /// let mut world = World::new();
    /// let seed = world.register_component_with_descriptor(seed).unwrap();
    /// let entity = world.spawn_empty().insert_by_id(seed, 3_u64).unwrap().insert_by_id(seed, 4_u64).unwrap().id();
    /// assert_eq!(world.get_by_id(entity, seed).unwrap().downcast_ref(), Some(&4_u64));
    /// assert!(matches!(world.get_mut_by_id(entity, seed), Err(ErasedAccessError::Immutable { .. })));
    /// ```
    pub fn immutable(mut self) -> Self {
        self.descriptor.mutable = false;
        self
    }

    /// Adds a required component: if this component is added to an entity that lacks the other one, that one is added, too, with
    /// the value that `make` returns. The function captures nothing.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Default)]
    /// struct Health(u32);
    ///
    /// let orc = ComponentDescriptor::builder("mod:orc", Description::<()>::new()).require(Health::default).build();
    /// let mut world = World::new();
    /// let orc = world.register_component_with_descriptor(orc).unwrap();
    /// assert!(world.spawn_empty().insert_by_id(orc, ()).unwrap().contains::<Health>());
    /// ```
    pub fn require<C: Component>(mut self, make: impl Fn() -> C + Copy + Send + Sync + 'static) -> Self {
        self.requires.push((ComponentDescriptor::of::<C>(), captures_nothing(make)));
        self
    }

    /// Adds a required component that is itself made at run time. Like [`require`](Self::require), with values of type `T`.
    ///
    /// # Panics
    ///
    /// If the values of the required component are not of type `T`.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let fire = ComponentDescriptor::builder("mod:fire", Description::<()>::new()).require_by(heat, || 400_f32).build();
    /// let mut world = World::new();
    /// let [fire, heat] = [fire, heat].map(|it| world.register_component_with_descriptor(it).unwrap());
    /// let entity = world.spawn_empty().insert_by_id(fire, ()).unwrap().id();
    /// assert_eq!(world.get_by_id(entity, heat).unwrap().downcast_ref(), Some(&400_f32));
    /// ```
    pub fn require_by<T: 'static>(
        mut self,
        required: &'static ComponentDescriptor,
        make: impl Fn() -> T + Copy + Send + Sync + 'static,
    ) -> Self {
        assert!(
            required.holds::<T>(),
            "component `{}` cannot require `{}` with values of type `{}`: it has values of type `{}`",
            self.name,
            required.name(),
            type_name::<T>(),
            required.value_type_name(),
        );
        self.requires.push((required, captures_nothing(make)));
        self
    }

    /// Returns the descriptor. Equal definitions give the same one, which exists until the program ends: a program has as many as
    /// it has different definitions. `O(length of the name)`.
    ///
    /// Definitions are equal if the name, the type or layout of the values, the functions, the storage, the tracking, the
    /// mutability and the required components are. Two descriptors with one name can exist, but not in one world.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    ///
    /// let build = || ComponentDescriptor::builder(format!("mod:{}", "heat"), Description::<f32>::new()).build();
    /// assert!(std::ptr::eq(build(), build()));
    /// ```
    #[must_use]
    pub fn build(self) -> &'static ComponentDescriptor {
        let Self { name, mut descriptor, requires } = self;
        let name = NAMES.intern(&name).get();
        descriptor.identity = ComponentIdentity::Name(name);
        descriptor.stable_name = Some(StableName::given(name));
        let definition = Definition { descriptor, requires };
        let kept = DEFINITIONS.intern_with(&definition, || {
            let list: &'static [_] = definition.requires.clone().leak();
            let descriptor = ComponentDescriptor {
                slot: SlotNumber::OfDescriptor(next_number()),
                requirements: RequiredByDefinition::List(list),
                ..definition.descriptor
            };
            InternedValue::Boxed(Box::new(Definition { descriptor, requires: list.to_vec() }))
        });
        &kept.get().descriptor
    }
}

/// A constructor for a function that captures nothing, so its type identifies it.
fn captures_nothing<T, F: Fn() -> T + Copy + Send + Sync + 'static>(make: F) -> Constructor {
    const { assert!(size_of::<F>() == 0, "the function of a required component captures nothing and is no function pointer") }
    Constructor::new(make)
}

impl_debug_of_fields! { [] ComponentDescriptorBuilder { name } }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_definitions_have_one_descriptor_and_others_have_their_own() {
        let builder = || ComponentDescriptor::builder("builder:a", Description::<u32>::new());
        let plain = builder().build();
        assert!(core::ptr::eq(plain, builder().build()));
        let others = [
            builder().storage(StorageType::Sparse),
            builder().tracking(ChangeTracking::Never),
            builder().immutable(),
            ComponentDescriptor::builder("builder:b", Description::<u32>::new()),
            ComponentDescriptor::builder("builder:a", Description::<i32>::new()),
            ComponentDescriptor::builder("builder:a", Description::<u32>::new().with_clone()),
            builder().require_by(plain, || 1_u32),
        ];
        let mut all: Vec<_> = others.into_iter().map(ComponentDescriptorBuilder::build).collect();
        all.push(plain);
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| !one.is_same(other) && one.slot() != other.slot()));
        }
    }
}
