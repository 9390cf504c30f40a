//! Hooks: functions that run when a component is added, inserted, replaced or removed, or when an entity with the component is despawned.
//!
//! The definition of a component contains its hooks. So the types of their parameters are defined here, in a lower layer than the world
//! that a hook gets. In this layer a [`DeferredWorld`] is a borrowed value of an unknown type; most of its methods are in
//! `world/deferred.rs`.
//!
//! Tests: tests/storage/hooks.rs

use core::any::Any;

use super::id::ComponentId;
use super::kinds::LifecycleMask;
use crate::entity::Entity;
use crate::util::origin::Origin;

/// A mutably borrowed world without structural changes: it can change components and resources, and record
/// [commands](DeferredWorld::commands), but not spawn, insert, remove or despawn.
///
/// All methods that take `&World` can be called on a `DeferredWorld`.
///
/// A system or an observer takes it as its first parameter, or after its input. Only parameters that borrow nothing of the world may
/// follow: [`Local`](crate::system::Local) and [`SystemName`](crate::system::SystemName). No other system runs at the same time as such a
/// system.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::DeferredWorld;
/// # #[derive(Component)] struct Name(&'static str);
///
/// #[derive(EntityEvent)]
/// struct Greet(Entity);
///
/// let mut world = World::new();
/// world.add_observer(|greet: On<Greet>, mut world: DeferredWorld, mut greeted: Local<u32>| {
///     *greeted += 1;
///     if world.get::<Name>(greet.0).is_none() {
///         world.commands().entity(greet.0).insert(Name("guest"));
///     }
/// });
/// let guest = world.spawn_empty().id();
/// world.trigger(Greet(guest));
/// assert_eq!(world.get::<Name>(guest).unwrap().0, "guest");
/// ```
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::DeferredWorld;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// /// Code that calls this knows that the same entities are alive afterwards.
/// fn hit(mut world: DeferredWorld, target: Entity) {
///     let mut health = world.get_mut::<Health>(target).unwrap();
///     health.0 -= 1;
///     if health.0 == 0 {
///         world.commands().entity(target).despawn();
///     }
/// }
///
/// let mut world = World::new();
/// let target = world.spawn(Health(1)).id();
/// hit(DeferredWorld::from(&mut world), target);
/// assert_eq!(world.get(target), Some(&Health(0)));
/// world.flush();
/// assert!(!world.contains(target));
/// ```
pub struct DeferredWorld<'w> {
    world: &'w mut (dyn Any + Send + Sync),
}

impl<'w> DeferredWorld<'w> {
    /// Borrows a world.
    pub(crate) fn of(world: &'w mut (impl Any + Send + Sync)) -> Self {
        Self { world }
    }

    /// Returns the world, which must be of type `W`.
    #[inline]
    pub(crate) fn world_as<W: Any>(&self) -> &W {
        let Some(world) = self.world.downcast_ref() else { not_a_world() };
        world
    }

    /// Returns the world, which must be of type `W`.
    #[inline]
    pub(crate) fn world_as_mut<W: Any>(&mut self) -> &mut W {
        let Some(world) = self.world.downcast_mut() else { not_a_world() };
        world
    }

    /// Borrows the world again, with a shorter lifetime.
    pub fn reborrow(&mut self) -> DeferredWorld<'_> {
        DeferredWorld { world: self.world }
    }
}

#[cold]
fn not_a_world() -> ! {
    unreachable!("there is one type of worlds")
}

/// A hook, which is called for one entity at a time. It makes structural changes by commands: see [`DeferredWorld::commands`].
///
/// The definition of a component contains its hooks. A world can get others by
/// [`register_component_hooks`](crate::world::World::register_component_hooks).
///
/// ```
/// use strata_ecs::component::HookContext;
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::DeferredWorld;
///
/// #[derive(Resource, Default)]
/// struct Money(u32);
///
/// #[derive(Component)]
/// #[component(immutable, on_insert = earn, on_discard = |mut world, context| {
///     let coin = world.get::<Coin>(context.entity).unwrap().0;
///     world.resource_mut::<Money>().0 -= coin;
/// })]
/// struct Coin(u32);
///
/// fn earn(mut world: DeferredWorld, context: HookContext) {
///     let coin = world.get::<Coin>(context.entity).unwrap().0;
///     world.resource_mut::<Money>().0 += coin;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Money>();
/// let coin = world.spawn(Coin(5)).id();
/// world.entity_mut(coin).insert(Coin(2));
/// assert_eq!(world.resource::<Money>().0, 2);
/// world.despawn(coin);
/// assert_eq!(world.resource::<Money>().0, 0);
/// ```
pub type ComponentHook = for<'w> fn(DeferredWorld<'w>, HookContext);

/// The arguments of a hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HookContext {
    /// The entity.
    pub entity: Entity,
    /// The component.
    pub component_id: ComponentId,
    /// The origin of the operation, or of the command that caused it. Known only with the feature `track_location`.
    pub caller: Origin,
}

/// The hooks of a component: at most one of each kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct Hooks([Option<ComponentHook>; LifecycleMask::COUNT]);

impl Hooks {
    /// Returns the hook of this kind.
    #[inline]
    pub(crate) fn get(&self, kind: LifecycleMask) -> Option<ComponentHook> {
        self.0[kind.number()]
    }

    /// Adds a hook of a kind. If there is already a hook of this kind, returns false without changes.
    pub(super) fn add(&mut self, kind: LifecycleMask, hook: ComponentHook) -> bool {
        let place = &mut self.0[kind.number()];
        let is_free = place.is_none();
        if is_free {
            *place = Some(hook);
        }
        is_free
    }

    /// Returns the kinds that have a hook.
    pub(super) fn kinds(&self) -> LifecycleMask {
        let has = |kind: &LifecycleMask| self.get(*kind).is_some();
        LifecycleMask::EACH.into_iter().filter(has).fold(LifecycleMask::NONE, LifecycleMask::union)
    }
}

impl_debug!([] Hooks => |this, f| this.kinds().fmt(f));
