//! The definition of components, and the registry of the components of a world.
//!
//! [`Component`] is implemented by the derive macro. At run time a component is identified by its `TypeId`; within one world by a small
//! number, its [`ComponentId`]. The [`ComponentKey`] is used for compile-time checks only.
// Tests: tests/storage/components.rs

mod mutability;
mod key;
mod slot;
mod id;
mod kinds;
mod hooks;
mod relation;

mod constructor;

mod name;
mod functions;
mod field_path;
mod field;
mod description;
mod persistence;
mod unproved;
mod descriptor;
mod descriptor_builder;
mod describe;

mod watch;
mod required;
mod info;
mod registration;
mod registry;
mod erased_ref;
mod erased_slice;
mod erased_vec;
mod known_clones;
mod erased_value;
#[doc(hidden)]
pub mod entity_disabling;
pub(crate) mod transition;

pub(crate) use self::constructor::Constructor;
pub use self::describe::Describe;
pub use self::description::Description;
pub use self::descriptor::{ComponentDescriptor, ComponentIdentity};
pub use self::descriptor_builder::ComponentDescriptorBuilder;
pub use self::erased_ref::{ErasedField, ErasedRef, PlainData};
pub(crate) use self::erased_ref::{ErasedRefMut, panic_on_type};
pub use self::erased_slice::ErasedSlice;
pub(crate) use self::erased_slice::ErasedSliceMut;
pub use self::erased_value::WrongTypeError;
pub use self::erased_vec::ErasedValue;
pub(crate) use self::erased_vec::{ErasedVec, NewColumn, ValueClone};
pub use self::field::{Field, Fields};
pub use self::field_path::FieldError;
pub(crate) use self::functions::CopyMethod;
pub use self::functions::{
    CloneFn, ComponentFunctions, DebugFn, DefaultFn, DropFn, EqFn, HashFn, LayoutDescription, MapEntitiesFn,
};
pub use self::hooks::{ComponentHook, DeferredWorld, HookContext};
pub use self::id::ComponentId;
pub use self::info::ComponentInfo;
pub use self::key::ComponentKey;
pub(crate) use self::kinds::LifecycleMask;
pub(crate) use self::known_clones::KnownClones;
#[doc(hidden)]
pub use self::mutability::{Changeable, InPlace};
pub use self::mutability::{ComponentMutability, Immutable, Mutable};
pub use self::name::{StableName, StableNameError};
pub(crate) use self::persistence::ErasedPersistence;
pub use self::persistence::{Persistence, PersistenceKind, TextForm};
pub use self::registration::RegisterComponentError;
pub use self::registry::Components;
pub(crate) use self::relation::RelationSide;
pub use self::required::RequiredComponentsError;
pub(crate) use self::required::{BundleContents, NewRequirements, Required};
pub(crate) use self::slot::{SlotAddress, type_bits};
pub use self::slot::{SlotMap, TypeSlot};
pub(crate) use self::unproved::UnprovedType;
pub(crate) use self::watch::{TrackingGuard, TrackingRequest};
use crate::entity::EntityMapper;
pub use crate::reexports::component::*;
pub use strata_ecs_derive::Describe;

/// Items that macro output names, through [`__private`](crate::__private). They are not part of the API.
pub(crate) mod for_macros {
    pub use super::describe::{Probe, Unmapped, Unproved};
    pub use super::description::{Serializable, describe, describe_plain, describe_serializable};
    pub use super::field::{field, fields, packed_field, plain_fields, pub_field};
    pub use super::name::{NameParameter, name_by_path, name_given, name_with};
}

/// Where the values of a component are stored.
///
/// ```
/// use strata_ecs::component::StorageType;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Stunned;
///
/// assert_eq!(Health::STORAGE_TYPE, StorageType::Table);
/// assert_eq!(Stunned::STORAGE_TYPE, StorageType::Sparse);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StorageType {
    /// In a column of the entity's table: the fastest to iterate. Adding or removing the component moves the entity
    /// to another table.
    Table,
    /// Outside the tables, found by entity index: cheap to add and remove, slower to iterate. A zero-sized component takes one bit per
    /// entity.
    Sparse,
}

/// When changes of the values of a component are tracked. Tracking costs nine bytes per value, and a few stores for each change.
///
/// ```
/// use strata_ecs::component::ChangeTracking;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// #[component(track = "never")]
/// struct Scratch([f32; 4]);
///
/// assert_eq!(Health::TRACK, ChangeTracking::OnDemand);
/// assert_eq!(Scratch::TRACK, ChangeTracking::Never);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeTracking {
    /// In worlds in which a system uses it: with [`Changed`](crate::query::Changed), [`Added`](crate::query::Added) or
    /// [`Ref`](crate::change::Ref) in a query, or by [`is_changed`](crate::change::DetectChanges::is_changed).
    OnDemand,
    /// In every world from the start. `#[component(track = "always")]`
    Always,
    /// Never: using it is an error. `#[component(track = "never")]`
    Never,
}

/// Data that an entity can have: at most one value of each component type.
///
/// Any `Send + Sync + 'static` type can be a component. Derive it:
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// /// Comes and goes often, so it is kept outside the tables.
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Stunned;
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(3), Stunned)).id();
/// assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component: add `#[derive(Component)]` to it, or to a struct of your own around it",
    label = "not a component",
    note = "a component is named without `&` in `With<T>`, `Has<T>` and `Changed<T>`; the id of an entity is `Entity`, also without `&`",
    note = "a resource (`#[derive(Resource)]`) is not a component: systems take it as `Res<T>` or `ResMut<T>`, and `insert_resource` \
            puts it into the world",
    note = "a type that is not your own, such as `u32` or `Vec<T>`, goes into a struct that is: `#[derive(Component)] struct \
            Health(u32);`"
)]
#[doc(alias("IComponentData", "ISharedComponentData", "tag"))]
pub trait Component: Send + Sync + Sized + 'static {
    /// Whether values can be changed in place: [`Mutable`], or [`Immutable`] by `#[component(immutable)]`.
    type Mutability: ComponentMutability;

    /// Where the values are stored. `#[component(storage = "sparse")]` changes it.
    const STORAGE_TYPE: StorageType;

    /// When changes are tracked. `#[component(track = "always")]` and `"never"` change it.
    const TRACK: ChangeTracking = ChangeTracking::OnDemand;

    /// Distinguishes this component from others at compile time. The derive writes it. For a component without a key, conflicts between the
    /// parameters of a system are found only when the system is built.
    const KEY: ComponentKey = ComponentKey::UNKNOWN;

    /// Other properties of the type: its stable name, functions, and fields.
    const DESCRIPTION: Description<Self> = Description::new();

    /// The hook that runs when the component has been added to an entity that did not have it: see
    /// [`ComponentHooks::on_add`](crate::observer::ComponentHooks::on_add). `#[component(on_add = function)]` writes it.
    #[must_use]
    fn on_add() -> Option<ComponentHook> {
        None
    }

    /// The hook that runs when a value of the component has been inserted. `#[component(on_insert = function)]` writes it.
    #[must_use]
    fn on_insert() -> Option<ComponentHook> {
        None
    }

    /// The hook that runs when a value of the component is about to be removed or replaced. `#[component(on_discard = function)]` writes
    /// it.
    #[must_use]
    fn on_discard() -> Option<ComponentHook> {
        None
    }

    /// The hook that runs when the component is about to be removed from an entity. `#[component(on_remove = function)]` writes it.
    #[must_use]
    fn on_remove() -> Option<ComponentHook> {
        None
    }

    /// The hook that runs when an entity with the component is about to be despawned. `#[component(on_despawn = function)]` writes it.
    #[must_use]
    fn on_despawn() -> Option<ComponentHook> {
        None
    }

    /// Replaces the entities inside of a value in the fields that the type declares: see [`MapEntities`](crate::entity::MapEntities). Other
    /// fields are not changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Follows(Entity);
    ///
    /// let mut world = World::new();
    /// let [old, new] = [(); 2].map(|()| world.spawn_empty().id());
    /// let mut follows = Follows(old);
    /// Component::map_entities(&mut follows, &mut (old, new));
    /// assert_eq!(follows.0, new);
    /// ```
    fn map_entities<M: EntityMapper>(this: &mut Self, mapper: &mut M) {
        Self::DESCRIPTION.map_entities(this, mapper);
    }

    /// Whether inserting a value has an effect. If so, a later command for the same entity does not replace the value before it is
    /// inserted.
    #[doc(hidden)]
    const ACTS: bool = false;

    /// Whether it requires other components. `#[require(..)]` writes it.
    #[doc(hidden)]
    const REQUIRES: bool = false;

    /// Adds the components that this one requires. `#[require(..)]` writes it.
    #[doc(hidden)]
    fn requirements<L: RequirementList>(_: &mut L) {}

    /// Lists the functions that convert values of older versions to this version: the option `upgrade` of the derive.
    fn upgrades<L: UpgradeList<Self>>(_: &mut L) {}

    /// The slot in which the process stores a number for this type; `None` for types with parameters.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// A component whose values can be changed in place: implemented for exactly the types with `Component<Mutability = Mutable>`.
///
/// Methods have this bound because its error message explains the problem. Generic code may have either bound.
///
/// ```
/// use strata_ecs::component::{MutableComponent, Mutable};
/// use strata_ecs::prelude::*;
///
/// fn by_this_bound<T: MutableComponent>(world: &mut World, entity: Entity) -> bool {
///     world.get_mut::<T>(entity).is_some()
/// }
/// fn by_type<T: Component<Mutability = Mutable>>(world: &mut World, entity: Entity) -> bool {
///     by_this_bound::<T>(world, entity)
/// }
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// assert!(by_type::<Health>(&mut world, entity));
/// ```
///
/// An immutable component does not implement it:
///
/// ```compile_fail,E0277
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(immutable)]
/// struct Parent(Entity);
///
/// fn change(world: &mut World, child: Entity) {
///     world.get_mut::<Parent>(child);
/// }
/// ```
pub trait MutableComponent: Component {}

impl<C: Component> MutableComponent for C where C::Mutability: Changeable<C> {}

/// Receives the requirements of a component.
#[doc(hidden)]
pub trait RequirementList {
    /// Adds a required component. Its values are made by a function that captures nothing.
    fn add<C: Component, F: Fn() -> C + Copy + Send + Sync + 'static>(&mut self, make: F);

    /// Adds a required component, with its default value.
    fn add_default<C: Component + DefaultValue>(&mut self) {
        self.add::<C, _>(C::default_value);
    }
}

/// Receives the conversions of values of older versions of a component, resource or relation `T`, for files for instance.
pub trait UpgradeList<T> {
    /// Adds a conversion: values of this version are of type `Old`, and the function converts them to `T`.
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> T);
}

/// The type of values of an older version, which can be deserialised. Without the feature `serde` no type implements it.
#[cfg(feature = "serde")]
pub trait UpgradeSource: serde_core::de::DeserializeOwned + 'static {}
#[cfg(feature = "serde")]
impl<T: serde_core::de::DeserializeOwned + 'static> UpgradeSource for T {}
/// The type of values of an older version, which can be deserialised. Without the feature `serde` no type implements it.
#[cfg(not(feature = "serde"))]
pub trait UpgradeSource: 'static {}

/// Implemented for all `Default` types. Its error message explains what to do if a required component is not `Default`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default value: derive `Default` for it, or say which value is required: `{Self} = ..`",
    label = "required, but without a value"
)]
pub trait DefaultValue: Sized {
    /// Returns the default value.
    fn default_value() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> DefaultValue for T {
    #[inline]
    fn default_value() -> Self {
        Self::default()
    }
}
