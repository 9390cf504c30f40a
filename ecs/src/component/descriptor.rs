//! The description of a component or resource that is independent of a world, without its type.
//!
//! The descriptor of a type is a constant, so it is passed by `&'static` reference, and comparing two of them compares identities,
//! never addresses. The identity is a `TypeId`, or the name of a component that is made at run time. A type that is a component and
//! a resource has two descriptors with one identity.
//!
//! `__strata_describe!` finds the functions: each constant of a `Probe` is inherent if a bound holds, and otherwise the constant of
//! a trait. In a generic `impl` only its bounds count, since the parameters are not known. Only functions that `__private` names
//! create fields, so a `Fields<T>` is a proof. The methods of `Description` have the bounds that they need, so safe code cannot
//! create a wrong description.
//!
//! A stable name that an attribute gave is unique in a world, among components and among resources. Default names may coincide;
//! then nothing is found by them.
//!
//! Tests: tests/storage/descriptors.rs, tests/storage/erased/descriptors.rs

use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::{TypeId, type_name};
use core::ptr;

use super::constructor::Constructor;
use super::description::{Description, SavedForm};
use super::field::Field;
use super::functions::ComponentFunctions;
use super::hooks::{ComponentHook, Hooks};
use super::kinds::LifecycleMask;
use super::name::StableName;
use super::persistence::{ErasedPersistence, PersistenceKind};
use super::relation::RelationSide;
use super::{ChangeTracking, Component, ComponentMutability, RequirementList, SlotAddress, StorageType};

/// The identity of a component or resource in a process.
///
/// ```
/// use std::any::TypeId;
/// use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
/// use strata_ecs::prelude::*;
/// # #[derive(Component)]
/// # struct Health(u32);
///
/// let descriptor = ComponentDescriptor::of::<Health>();
/// assert_eq!(descriptor.identity(), ComponentIdentity::Type(TypeId::of::<Health>()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComponentIdentity {
    /// A type of the program.
    Type(TypeId),
    /// The name of a component that was made at run time: see [`ComponentDescriptor::builder`].
    Name(&'static str),
}

/// A component or a resource as data: equal in every world, and passed by reference.
///
/// The descriptors of types are constants. Nothing has to be registered: [`ComponentDescriptor::of`] and
/// [`ComponentDescriptor::of_resource`] return the descriptor of a type. [`ComponentDescriptor::builder`] makes the descriptor of a
/// component at run time.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, StorageType};
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// let descriptor = ComponentDescriptor::of::<Health>();
/// assert!(descriptor.name().ends_with("::Health"));
/// assert_eq!(descriptor.storage(), Some(StorageType::Table));
/// assert_eq!(descriptor.layout(), std::alloc::Layout::new::<u32>());
///
/// let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let info = world.components().info(id).unwrap();
/// assert_eq!(info.descriptor().identity(), descriptor.identity());
/// ```
// Invariant: all fields describe the same type of values. Only `of_component`, `of_resource_type` and the builder create a descriptor.
pub struct ComponentDescriptor {
    pub(super) identity: ComponentIdentity,
    /// The type of the values; `None` if only their layout is known.
    pub(super) value_type: Option<TypeId>,
    pub(super) type_name: fn() -> &'static str,
    pub(super) stable_name: Option<StableName>,
    pub(super) layout: Layout,
    pub(super) functions: ComponentFunctions,
    pub(super) fields: &'static [Field],
    /// `None` for a resource.
    pub(super) storage: Option<StorageType>,
    pub(super) track: ChangeTracking,
    pub(super) mutable: bool,
    pub(super) slot: SlotNumber,
    pub(super) requirements: RequiredByDefinition,
    /// The hooks of the definition.
    pub(super) hooks: fn() -> Hooks,
    pub(super) relation: Option<RelationSide>,
    pub(super) saving: SavedForm,
    pub(crate) persistence: ErasedPersistence,
}

/// The slot number of a component in this process.
#[derive(Clone, Copy)]
pub(super) enum SlotNumber {
    /// Assigns the number of the slot of the type, if it has one, and returns the address of the slot.
    OfType(fn() -> Option<(u32, SlotAddress)>),
    /// The number of a descriptor that was made at run time, which is unique.
    OfDescriptor(u32),
}

/// The required components of a definition.
#[derive(Clone, Copy)]
pub(super) enum RequiredByDefinition {
    /// This function adds them.
    OfType(fn(&mut DirectRequirements)),
    /// These components, each with a constructor for its values.
    List(&'static [(&'static ComponentDescriptor, Constructor)]),
}

/// The direct requirements of a definition, with the constructors of their values.
#[derive(Default)]
pub(crate) struct DirectRequirements {
    list: Vec<(&'static ComponentDescriptor, Constructor)>,
}

impl RequirementList for DirectRequirements {
    fn add<C: Component, F: Fn() -> C + Copy + Send + Sync + 'static>(&mut self, make: F) {
        self.list.push((ComponentDescriptor::of::<C>(), Constructor::new(make)));
    }
}

impl ComponentDescriptor {
    /// The descriptor of the component `C`.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(u32);
    ///
    /// assert!(ComponentDescriptor::of::<Health>().name().ends_with("Health"));
    /// ```
    #[must_use]
    pub const fn of<C: Component>() -> &'static Self {
        const { &Self::of_component::<C>() }
    }

    const fn of_component<C: Component>() -> Self {
        // The store visits the components of relationships one by one, so they must be sparse.
        let is_outside = C::DESCRIPTION.relation.is_none() || matches!(C::STORAGE_TYPE, StorageType::Sparse);
        assert!(is_outside, "the components of a relationship are stored outside of the tables");
        Self {
            storage: Some(C::STORAGE_TYPE),
            track: C::TRACK,
            mutable: C::Mutability::MUTABLE,
            slot: SlotNumber::OfType(|| C::slot().map(|slot| (slot.number_or_assign(), slot.address()))),
            requirements: RequiredByDefinition::OfType(C::requirements::<DirectRequirements>),
            hooks: || hooks_by_kind([C::on_add(), C::on_insert(), C::on_discard(), C::on_remove(), C::on_despawn()]),
            relation: C::DESCRIPTION.relation,
            ..Self::of_resource_type(&C::DESCRIPTION)
        }
    }

    /// The descriptor of a resource with this description.
    pub(crate) const fn of_resource_type<T: 'static>(description: &Description<T>) -> Self {
        Self {
            identity: ComponentIdentity::Type(TypeId::of::<T>()),
            value_type: Some(TypeId::of::<T>()),
            type_name: type_name::<T>,
            stable_name: description.name,
            layout: Layout::new::<T>(),
            functions: description.functions.with_drop::<T>(),
            fields: description.fields.list(),
            storage: None,
            track: ChangeTracking::Always,
            mutable: true,
            slot: SlotNumber::OfType(|| None),
            requirements: RequiredByDefinition::List(&[]),
            hooks: Hooks::default,
            relation: None,
            saving: description.saving,
            persistence: ErasedPersistence::LISTED,
        }
    }

    /// Sets how resources of the type are written into files.
    pub(crate) const fn with_persistence(self, persistence: ErasedPersistence) -> Self {
        Self { persistence, ..self }
    }

    /// The identity of the component or resource.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(u32);
    /// # #[derive(Component)]
    /// # struct Mana(u32);
    ///
    /// let identity = ComponentDescriptor::of::<Health>().identity();
    /// assert!(matches!(identity, ComponentIdentity::Type(_)));
    /// assert_ne!(identity, ComponentDescriptor::of::<Mana>().identity());
    /// ```
    #[must_use]
    pub const fn identity(&self) -> ComponentIdentity {
        self.identity
    }

    /// The type; `None` for a component that was made at run time.
    #[must_use]
    pub const fn type_id(&self) -> Option<TypeId> {
        match self.identity {
            ComponentIdentity::Type(type_id) => Some(type_id),
            ComponentIdentity::Name(_) => None,
        }
    }

    /// The type of the values: [`type_id`](Self::type_id), or the type that the builder of a component at run time was given;
    /// `None` if only the layout of the values is known.
    ///
    /// ```
    /// use std::any::TypeId;
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// assert_eq!((heat.type_id(), heat.value_type_id()), (None, Some(TypeId::of::<f32>())));
    /// ```
    #[must_use]
    pub const fn value_type_id(&self) -> Option<TypeId> {
        self.value_type
    }

    /// The full name of the type of the values, for messages.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// assert_eq!((heat.name(), heat.value_type_name()), ("mod:heat", "f32"));
    /// ```
    #[must_use]
    pub fn value_type_name(&self) -> &'static str {
        (self.type_name)()
    }

    /// The full name of the type, or the name of a component that was made at run time, for messages. The name of a type may change
    /// with the compiler: in files use [`stable_name`](Self::stable_name).
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.identity {
            ComponentIdentity::Type(_) => (self.type_name)(),
            ComponentIdentity::Name(name) => name,
        }
    }

    /// The version of the values in files: 1, unless the definition has another one.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "game.life", version = 2, alias = "game.health")]
    /// struct Life(f32);
    ///
    /// let life = ComponentDescriptor::of::<Life>();
    /// assert_eq!((life.version(), life.aliases()), (2, &["game.health"][..]));
    /// ```
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.saving.version
    }

    /// Earlier stable names of the type. For a type with parameters they get the parameters by
    /// [`renamed`](crate::component::StableName::renamed).
    #[must_use]
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.saving.aliases
    }

    /// Whether values are saved in files, according to the definition.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(save = "skip")]
    /// struct Sprite(u32);
    ///
    /// assert!(!ComponentDescriptor::of::<Sprite>().is_saved());
    /// ```
    #[must_use]
    pub fn is_saved(&self) -> bool {
        let is_skipped = matches!(self.persistence(), PersistenceKind::Skipped | PersistenceKind::Transient);
        !self.saving.is_skipped && !is_skipped
    }

    /// How a resource takes part in snapshots, files and comparisons: see [`Persistence`](super::Persistence). A component is
    /// [`Listed`](PersistenceKind::Listed).
    #[must_use]
    pub fn persistence(&self) -> PersistenceKind {
        (self.persistence.kind)()
    }

    /// The name for files; `None` if the type does not have a stable name. See [`StableName`].
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "health")]
    /// struct Health(u32);
    ///
    /// assert_eq!(ComponentDescriptor::of::<Health>().stable_name().unwrap().to_string(), "health");
    /// ```
    #[must_use]
    pub const fn stable_name(&self) -> Option<StableName> {
        self.stable_name
    }

    /// Size and alignment of a value.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Where the values of a component are stored; `None` for a resource, which is stored separately.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, StorageType};
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(storage = "sparse")]
    /// struct Stunned;
    ///
    /// assert_eq!(ComponentDescriptor::of::<Stunned>().storage(), Some(StorageType::Sparse));
    /// ```
    #[must_use]
    pub const fn storage(&self) -> Option<StorageType> {
        self.storage
    }

    /// When changes are tracked. For a resource they always are.
    #[must_use]
    pub const fn tracking(&self) -> ChangeTracking {
        self.track
    }

    /// Whether values can be changed in place: true unless the component is `#[component(immutable)]`.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(immutable)]
    /// struct Parent(Entity);
    ///
    /// assert!(!ComponentDescriptor::of::<Parent>().mutable());
    /// ```
    #[must_use]
    pub const fn mutable(&self) -> bool {
        self.mutable
    }

    /// The functions for values, if the type and its bounds prove the required traits.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Connection(u32);
    ///
    /// assert!(ComponentDescriptor::of::<Health>().functions().clone_fn().is_some());
    /// assert!(ComponentDescriptor::of::<Connection>().functions().clone_fn().is_none());
    /// ```
    #[must_use]
    pub const fn functions(&self) -> &ComponentFunctions {
        &self.functions
    }

    /// The fields of a struct, in the order of its definition, public and private ones. Empty for an enum.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position {
    ///     x: f32,
    ///     y: f32,
    /// }
    ///
    /// let fields = ComponentDescriptor::of::<Position>().fields();
    /// assert_eq!((fields[1].name(), fields[1].type_name()), ("y", "f32"));
    /// ```
    #[must_use]
    pub const fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// The number of the slot of the type, or of the descriptor of a component that was made at run time, in this process, if it
    /// has one.
    pub(crate) fn slot(&self) -> Option<u32> {
        match self.slot {
            SlotNumber::OfType(slot) => slot().map(|(number, _)| number),
            SlotNumber::OfDescriptor(number) => Some(number),
        }
    }

    /// The address of the slot of the type, if it has one.
    pub(crate) fn slot_address(&self) -> Option<SlotAddress> {
        match self.slot {
            SlotNumber::OfType(slot) => slot().map(|(_, address)| address),
            SlotNumber::OfDescriptor(_) => None,
        }
    }

    /// The direct requirements of the definition, each with a constructor for its values.
    pub(super) fn requirements(&self) -> Vec<(&'static Self, Constructor)> {
        match self.requirements {
            RequiredByDefinition::OfType(add) => {
                let mut requirements = DirectRequirements::default();
                add(&mut requirements);
                requirements.list
            }
            RequiredByDefinition::List(list) => list.to_vec(),
        }
    }

    /// Whether two descriptors describe the same component, so that values of one are values of the other.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self.identity, other.identity) {
            (ComponentIdentity::Type(own), ComponentIdentity::Type(other)) => own == other,
            // Different definitions may share a name. The builder makes each descriptor only once, so the address identifies the
            // descriptor.
            (ComponentIdentity::Name(_), ComponentIdentity::Name(_)) => ptr::eq(self, other),
            _ => false,
        }
    }

    /// Whether this is a component with values of the type `T`.
    pub(crate) fn holds<T: 'static>(&self) -> bool {
        self.storage.is_some() && self.describes::<T>()
    }

    /// Whether the values are of type `T`: for a component, a resource or a relation.
    pub(super) fn describes<T: 'static>(&self) -> bool {
        self.value_type == Some(TypeId::of::<T>())
    }

    /// Whether this is the component `C`.
    pub(crate) fn is<C: Component>(&self) -> bool {
        self.identity == ComponentIdentity::Type(TypeId::of::<C>())
    }

    /// The side of a relationship that the component is, if it is one.
    #[inline]
    pub(crate) fn relation(&self) -> Option<RelationSide> {
        self.relation
    }

    /// Whether the values are stored outside the tables.
    pub(crate) fn is_sparse(&self) -> bool {
        self.storage == Some(StorageType::Sparse)
    }
}

/// The hooks from a list in the order: add, insert, discard, remove, despawn.
fn hooks_by_kind(named: [Option<ComponentHook>; 5]) -> Hooks {
    let kinds = [
        LifecycleMask::ADD,
        LifecycleMask::INSERT,
        LifecycleMask::DISCARD,
        LifecycleMask::REMOVE,
        LifecycleMask::DESPAWN,
    ];
    let mut hooks = Hooks::default();
    for (kind, hook) in kinds.into_iter().zip(named) {
        if let Some(hook) = hook {
            hooks.add(kind, hook);
        }
    }
    hooks
}

impl_debug!([] ComponentDescriptor => |this, f| {
    let mut shown = f.debug_struct("ComponentDescriptor");
    shown.field("name", &this.name()).field("stable_name", &this.stable_name).field("layout", &this.layout);
    shown.field("storage", &this.storage).field("tracking", &this.track);
    shown.field("mutable", &this.mutable);
    shown.field("functions", &this.functions).field("fields", &this.fields).finish_non_exhaustive()
});
