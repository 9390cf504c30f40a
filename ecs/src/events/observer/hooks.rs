//! Adds hooks to components at run time.
//!
//! Tests: tests/storage/hooks.rs

use crate::component::{Component, ComponentHook, ComponentId, LifecycleMask};
use crate::structure::store::{Store, Structure};
use crate::world::World;

/// The hooks of a component in a world: see [`World::register_component_hooks`].
///
/// Each component has at most one hook of each kind, including the hooks of its definition: see [`ComponentHook`]. The
/// number of observers is not limited: see [`Add`](crate::event::Add) and the other lifecycle events.
pub struct ComponentHooks<'w> {
    store: &'w mut Store,
    id: ComponentId,
}

impl World {
    /// Returns the hooks of a component, in order to set them. A hook runs in all operations after it was set. Setting
    /// the first hook is `O(columns)` of the world; running a hook costs a function call per entity.
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

    /// Returns the hooks of the component with this id, in order to set them; `None` if the world does not have the
    /// component.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let mut world = World::new();
    /// let heat = world.register_component_with_descriptor(heat).unwrap();
    /// world.register_component_hooks_by_id(heat).unwrap().on_add(|mut world, context| {
    ///     world.commands().entity(context.entity).insert(Name::new("hot"));
    /// });
    /// let stone = world.spawn_empty().insert_by_id(heat, 300_f32).unwrap().id();
    /// assert_eq!(world.get::<Name>(stone).unwrap().as_str(), "hot");
    /// ```
    pub fn register_component_hooks_by_id(&mut self, id: ComponentId) -> Option<ComponentHooks<'_>> {
        self.store.structure.archetypes.components.info(id)?;
        Some(ComponentHooks { store: &mut self.store, id })
    }
}

impl ComponentHooks<'_> {
    #[track_caller]
    fn set(&mut self, kind: LifecycleMask, hook: ComponentHook) -> &mut Self {
        let is_new = self.try_set(kind, hook);
        let component = self.store.structure.archetypes.components.name(self.id);
        assert!(is_new, "component `{component}` has an `{}` hook already", kind.hook_name());
        self
    }

    fn try_set(&mut self, kind: LifecycleMask, hook: ComponentHook) -> bool {
        let Store { structure: Structure { archetypes, .. }, events, .. } = &mut *self.store;
        let is_new = archetypes.add_hook(self.id, kind, hook);
        if is_new {
            events.refresh_observed(&archetypes.components);
        }
        is_new
    }
}

macro_rules! hooks {
    ($($(#[$of_hook:meta])* $kind:ident: fn $on:ident, fn $try_on:ident;)*) => {
        impl ComponentHooks<'_> {$(
            $(#[$of_hook])*
            ///
            /// # Panics
            ///
            /// If the component already has a hook of this kind.
            #[track_caller]
            pub fn $on(&mut self, hook: ComponentHook) -> &mut Self {
                self.set(LifecycleMask::$kind, hook)
            }

            #[doc = concat!("As [`", stringify!($on), "`](Self::", stringify!($on), "); `None`, and nothing has changed, if the component \
                             has such a hook.")]
            pub fn $try_on(&mut self, hook: ComponentHook) -> Option<&mut Self> {
                self.try_set(LifecycleMask::$kind, hook).then_some(self)
            }
        )*}
    };
}

hooks! {
    /// Sets the hook that runs after an operation has added the component to an entity without it. It runs before
    /// observers of [`Add`](crate::event::Add).
    ADD: fn on_add, fn try_on_add;

    /// Sets the hook that runs after an operation has added the component to an entity or replaced its value. It runs
    /// before observers of [`Insert`](crate::event::Insert).
    INSERT: fn on_insert, fn try_on_insert;

    /// Sets the hook that runs before an operation removes or replaces a value of the component. It runs after
    /// observers of [`Discard`](crate::event::Discard).
    DISCARD: fn on_discard, fn try_on_discard;

    /// Sets the hook that runs before an operation removes the component from an entity. It runs after observers of
    /// [`Remove`](crate::event::Remove).
    REMOVE: fn on_remove, fn try_on_remove;

    /// Sets the hook that runs before an operation despawns an entity with the component. It runs after observers of
    /// [`Despawn`](crate::event::Despawn).
    DESPAWN: fn on_despawn, fn try_on_despawn;
}
