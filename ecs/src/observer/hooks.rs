//! Hooks: functions of a component that run whenever it comes or goes.

use alloc::sync::Arc;

use super::lifecycle::TELL;
use crate::command::defer_direct;
use crate::component::{Component, ComponentId, Kinds};
use crate::entity::Entity;
use crate::store::{Affected, Store};
use crate::world::{DeferredWorld, World};

/// A hook: it is told of one entity at a time. What it wants of the structure of the world it records with
/// [`DeferredWorld::commands`].
pub type ComponentHook = for<'w> fn(DeferredWorld<'w>, HookContext);

/// What a hook is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HookContext {
    /// The entity.
    pub entity: Entity,
    /// The component.
    pub component_id: ComponentId,
}

/// The hooks of a component in a world: see [`World::register_component_hooks`].
///
/// Each component has one hook of each kind at most. Observers can be any number: [`Add`](crate::event::Add) and the others.
pub struct ComponentHooks<'w> {
    store: &'w mut Store,
    id: ComponentId,
}

impl World {
    /// The hooks of a component, to be set. They run in all operations from now on, whatever they are.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Name(&'static str);
    /// #[derive(Resource, Default)]
    /// struct Directory(Vec<&'static str>);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Directory>();
    /// world
    ///     .register_component_hooks::<Name>()
    ///     .on_add(|mut world, context| {
    ///         let name = world.get::<Name>(context.entity).unwrap().0;
    ///         world.resource_mut::<Directory>().0.push(name);
    ///     })
    ///     .on_remove(|mut world, context| {
    ///         let name = world.get::<Name>(context.entity).unwrap().0;
    ///         world.resource_mut::<Directory>().0.retain(|other| *other != name);
    ///     });
    /// let ann = world.spawn(Name("Ann")).id();
    /// world.spawn(Name("Bob"));
    /// world.despawn(ann);
    /// assert_eq!(world.resource::<Directory>().0, ["Bob"]);
    /// ```
    pub fn register_component_hooks<C: Component>(&mut self) -> ComponentHooks<'_> {
        let id = self.store.register_component::<C>();
        ComponentHooks { store: &mut self.store, id }
    }
}

impl ComponentHooks<'_> {
    #[track_caller]
    fn set(&mut self, kind: Kinds, name: &str, hook: ComponentHook) -> &mut Self {
        let is_new = self.try_set(kind, hook);
        let component = self.store.archetypes.components.name(self.id);
        assert!(is_new, "component `{component}` has an `{name}` hook already");
        self
    }

    fn try_set(&mut self, kind: Kinds, hook: ComponentHook) -> bool {
        let kind = kind.of_hooks();
        let for_each = move |store: &mut Store, affected: Affected<'_>, component_id: ComponentId| {
            affected.for_each(store, |store, entity| {
                hook(DeferredWorld::from(World::from_store_mut(store)), HookContext { entity, component_id });
                defer_direct(store);
            });
        };
        if !self.store.reactions.set_hook(self.id, kind, Arc::new(for_each)) {
            return false;
        }
        self.store.set_tell(TELL);
        self.store.hear_anew([Some(self.id)]);
        true
    }

    /// Runs when an entity has got the component and had not, after the operation, before observers of [`Add`](crate::event::Add).
    ///
    /// # Panics
    ///
    /// If the component has such a hook.
    #[track_caller]
    pub fn on_add(&mut self, hook: ComponentHook) -> &mut Self {
        self.set(Kinds::ADD, "on_add", hook)
    }

    /// Runs when an entity has got a value of the component, after the operation, before observers of
    /// [`Insert`](crate::event::Insert).
    ///
    /// # Panics
    ///
    /// If the component has such a hook.
    #[track_caller]
    pub fn on_insert(&mut self, hook: ComponentHook) -> &mut Self {
        self.set(Kinds::INSERT, "on_insert", hook)
    }

    /// Runs when a value of the component is about to go, or to be replaced, before the operation, after observers of
    /// [`Discard`](crate::event::Discard).
    ///
    /// # Panics
    ///
    /// If the component has such a hook.
    #[track_caller]
    pub fn on_discard(&mut self, hook: ComponentHook) -> &mut Self {
        self.set(Kinds::DISCARD, "on_discard", hook)
    }

    /// Runs when an entity is about to lose the component, before the operation, after observers of
    /// [`Remove`](crate::event::Remove).
    ///
    /// # Panics
    ///
    /// If the component has such a hook.
    #[track_caller]
    pub fn on_remove(&mut self, hook: ComponentHook) -> &mut Self {
        self.set(Kinds::REMOVE, "on_remove", hook)
    }

    /// Runs when an entity with the component is about to end, before the operation, after observers of
    /// [`Despawn`](crate::event::Despawn).
    ///
    /// # Panics
    ///
    /// If the component has such a hook.
    #[track_caller]
    pub fn on_despawn(&mut self, hook: ComponentHook) -> &mut Self {
        self.set(Kinds::DESPAWN, "on_despawn", hook)
    }

    /// As [`on_add`](Self::on_add); `None`, and nothing has changed, if the component has such a hook.
    pub fn try_on_add(&mut self, hook: ComponentHook) -> Option<&mut Self> {
        self.try_set(Kinds::ADD, hook).then_some(self)
    }

    /// As [`on_insert`](Self::on_insert); `None`, and nothing has changed, if the component has such a hook.
    pub fn try_on_insert(&mut self, hook: ComponentHook) -> Option<&mut Self> {
        self.try_set(Kinds::INSERT, hook).then_some(self)
    }

    /// As [`on_discard`](Self::on_discard); `None`, and nothing has changed, if the component has such a hook.
    pub fn try_on_discard(&mut self, hook: ComponentHook) -> Option<&mut Self> {
        self.try_set(Kinds::DISCARD, hook).then_some(self)
    }

    /// As [`on_remove`](Self::on_remove); `None`, and nothing has changed, if the component has such a hook.
    pub fn try_on_remove(&mut self, hook: ComponentHook) -> Option<&mut Self> {
        self.try_set(Kinds::REMOVE, hook).then_some(self)
    }

    /// As [`on_despawn`](Self::on_despawn); `None`, and nothing has changed, if the component has such a hook.
    pub fn try_on_despawn(&mut self, hook: ComponentHook) -> Option<&mut Self> {
        self.try_set(Kinds::DESPAWN, hook).then_some(self)
    }
}
