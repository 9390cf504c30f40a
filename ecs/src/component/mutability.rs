//! Whether the values of a component can be changed in place.
//!
//! Each function that returns `&mut T` or `Mut<T>` of a component in a world requires [`MutableComponent`](super::MutableComponent). A
//! component implements it if its type [`Component::Mutability`](super::Component::Mutability) is [`Mutable`]; the only other possible type
//! is [`Immutable`]. If the type of the component is not known at compile time, `ComponentDescriptor::mutable` returns whether it is
//! mutable.
//!
//! Tests: tests/storage/immutable.rs

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Mutable {}
    impl Sealed for super::Immutable {}
}

/// States whether the values of a component can be changed in place. Implemented by [`Mutable`] and [`Immutable`] only.
///
/// ```
/// use strata_ecs::component::ComponentMutability;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// #[component(immutable)]
/// struct Parent(Entity);
///
/// fn is_mutable<T: Component>() -> bool {
///     T::Mutability::MUTABLE
/// }
/// assert!(is_mutable::<Health>());
/// assert!(!is_mutable::<Parent>());
/// ```
pub trait ComponentMutability: sealed::Sealed + 'static {
    /// Whether the type is [`Mutable`].
    const MUTABLE: bool;
}

/// The [`Mutability`](super::Component::Mutability) of components whose values can be changed in place. This is the default.
///
/// Generic code that changes a component needs this type in its bound:
///
/// ```
/// use strata_ecs::component::Mutable;
/// use strata_ecs::prelude::*;
///
/// fn reset<T: Component<Mutability = Mutable> + Default>(world: &mut World, entity: Entity) {
///     if let Some(mut value) = world.get_mut::<T>(entity) {
///         *value = T::default();
///     }
/// }
///
/// #[derive(Component, Default, Debug, PartialEq)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// reset::<Health>(&mut world, entity);
/// assert_eq!(world.get(entity), Some(&Health(0)));
/// ```
#[derive(Debug)]
pub enum Mutable {}

/// The [`Mutability`](super::Component::Mutability) of components whose values do not change: a value can only be replaced by inserting
/// another one. `#[component(immutable)]` selects it.
///
/// ```
/// use strata_ecs::component::Immutable;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(immutable)]
/// struct Parent(Entity);
///
/// /// The key under which an index has an entity, until the component is inserted again or removed.
/// fn key<T: Component<Mutability = Immutable>>(world: &World, entity: Entity) -> Option<&T> {
///     world.get(entity)
/// }
///
/// let mut world = World::new();
/// let [old, new] = [world.spawn_empty().id(), world.spawn_empty().id()];
/// let child = world.spawn(Parent(old)).id();
/// world.entity_mut(child).insert(Parent(new));
/// assert_eq!(key::<Parent>(&world, child).unwrap().0, new);
/// ```
#[derive(Debug)]
pub enum Immutable {}

impl ComponentMutability for Mutable {
    const MUTABLE: bool = true;
}

impl ComponentMutability for Immutable {
    const MUTABLE: bool = false;
}

/// A mutability that allows changes in place. The parameter `C` is the component, for the error message in generic code without the bound.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{C}` may be an immutable component: write the bound `{C}: Component<Mutability = Mutable>`",
    label = "changes `{C}` in place",
    note = "`Mutable` is in `strata_ecs::component`"
)]
pub trait Changeable<C>: ComponentMutability {}

impl<C> Changeable<C> for Mutable {}

// `InPlace` is never implemented. With this bound rustc reports the message of `InPlace` for an immutable component, and the message of
// `Changeable` only for generic code.
impl<C> Changeable<C> for Immutable where Immutable: InPlace<C> {}

/// Never implemented. The parameter `C` is the component, for the error message about immutable components.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{C}` is an immutable component: `insert` another value instead of changing the one that is there",
    label = "changes `{C}` in place",
    note = "to read it, write `&{C}` or `Ref<{C}>`; to change it, `commands.entity(id).insert(..)` or `world.entity_mut(id).insert(..)`",
    note = "`#[component(immutable)]` at its definition makes it immutable"
)]
pub trait InPlace<C>: sealed::Sealed {}
