//! The types and options of a saved world.
//!
//! Tests: tests/snapshots/parts.rs, tests/snapshots/selected.rs

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, PersistenceKind};
use strata_ecs::prelude::{Component, Entity, Messages, Relation, Resource, World};
use strata_ecs::query::QueryFilter;
use strata_ecs::snapshot::{PairsContents, SnapshotOptions};

use crate::local_types::LocalType;
use crate::requests::{LoadFailed, SaveFailed, WorldLoaded, WorldSaved};
use crate::types::{ComponentType, RelationType, ResourceType};
use crate::unknown::UnknownResources;

/// The entities of a world that match a filter.
pub(crate) type Selected = fn(&mut World) -> Vec<Entity>;

/// The types of data that are saved, and the options: see [the crate](crate).
///
/// The saving program and the loading program must list the same types, in any order.
#[derive(Clone, Default, Debug)]
pub struct WorldFormat {
    pub(crate) components: Vec<ComponentType>,
    pub(crate) resources: Vec<ResourceType>,
    pub(crate) relations: Vec<RelationType>,
    pub(crate) new_consumers: bool,
    /// The types of `Local`s that are saved.
    pub(crate) locals: Vec<LocalType>,
    /// Whether `Local`s whose types are not in `locals` are left out.
    pub(crate) skips_locals: bool,
    /// Components and relations that are not saved.
    left_out: HashSet<ComponentIdentity>,
    /// Whether types that the format does not know are left out without an error.
    only_known: bool,
    /// Whether a load skips types that the format does not know.
    pub(crate) skips_unknown: bool,
    /// Whether a load keeps values whose types the format does not know.
    pub(crate) keeps_unknown: bool,
    /// Whether entities that are loaded into a world with entities keep their ids.
    pub(crate) keeps_ids: bool,
    /// Whether the resources in files replace the resources of the world into which entities are loaded.
    pub(crate) replaces_resources: bool,
    /// Whether tables that differ only in left-out components stay separate.
    pub(crate) keeps_tables: bool,
    /// Whether consumer state that cannot be saved is left out.
    pub(crate) skips_consumers: bool,
    /// The entities that are saved; `None` saves all.
    pub(crate) only: Option<Selected>,
    #[cfg(feature = "lz4")]
    pub(crate) compresses: bool,
    pub(crate) options: SnapshotOptions,
}

impl WorldFormat {
    /// Creates a format without components and resources.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds components that are saved, see [`components!`](crate::components).
    #[must_use]
    pub fn with_components(mut self, components: impl IntoIterator<Item = ComponentType>) -> Self {
        self.components.extend(components);
        self
    }

    /// Adds resources that are saved, see [`resources!`](crate::resources).
    #[must_use]
    pub fn with_resources(mut self, resources: impl IntoIterator<Item = ResourceType>) -> Self {
        for ty in resources {
            self.options = (ty.with_clone)(self.options);
            self.resources.push(ty);
        }
        self
    }

    /// Adds relations whose pairs are saved, see [`relations!`](crate::relations).
    #[must_use]
    pub fn with_relations(mut self, relations: impl IntoIterator<Item = RelationType>) -> Self {
        for ty in relations {
            self.options = (ty.with_clone)(self.options);
            self.relations.push(ty);
        }
        self
    }

    /// Leaves out a resource. It is unchanged when a world is loaded.
    #[must_use]
    pub fn without_resource<R: Resource>(mut self) -> Self {
        self.options = self.options.without_resource::<R>();
        self
    }

    /// Leaves out a component, as if it had `#[component(save = "skip")]` and this format did not list it. The loaded world is as if the
    /// component had been removed from all entities before the save. If the component is one side of a relationship, neither side is saved.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Position(f32);
    /// /// It is made anew from what the world holds.
    /// #[derive(Component)]
    /// struct Sprite(u32);
    ///
    /// let format = WorldFormat::new().with_components(components![Position]).without_component::<Sprite>();
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..3).map(|at| (Position(0.5), Sprite(at)))).collect();
    /// let bytes = format.save(&mut world)?;
    /// format.load(&mut world, &bytes)?;
    /// assert!(world.get::<Position>(ids[2]).is_some() && world.get::<Sprite>(ids[2]).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_component<C: Component>(mut self) -> Self {
        self.left_out.insert(ComponentDescriptor::of::<C>().identity());
        self
    }

    /// Leaves out the pairs of a relation.
    #[must_use]
    pub fn without_relation<R: Relation>(mut self) -> Self {
        self.left_out.insert(PairsContents::descriptor_of::<R>().identity());
        self
    }

    /// Returns a function that tests whether a component, relation or resource is left out.
    pub(crate) fn left_out_types(&self) -> impl Fn(&ComponentDescriptor) -> bool + Send + Sync + 'static {
        let ends = self.relations.iter().flat_map(|ty| ty.ends.iter().map(|end| (end.descriptor, ty.descriptor)));
        let components = self.components.iter().map(|ty| (ty.descriptor, ty.descriptor));
        let relations = self.relations.iter().map(|ty| (ty.descriptor, ty.descriptor));
        let known = components.chain(relations).chain(ends);
        let saves: HashMap<ComponentIdentity, bool> =
            known.map(|(known, by)| (known.identity(), self.saves(by))).collect();
        let resources: HashSet<ComponentIdentity> = self.resources.iter().map(|ty| ty.descriptor.identity()).collect();
        let (left_out, only_known, options) = (self.left_out.clone(), self.only_known, self.snapshot_options());
        move |descriptor| {
            let identity = descriptor.identity();
            let leaves_out = only_known || !descriptor.is_saved() || left_out.contains(&identity);
            match saves.get(&identity) {
                Some(saves) => !saves,
                None if resources.contains(&identity) => options.leaves_out_resource(descriptor),
                None if descriptor.storage().is_some() => leaves_out,
                // Resources with a text form are saved without being listed: see `for_world`.
                None if descriptor.persistence() == PersistenceKind::Text => {
                    left_out.contains(&identity) || options.leaves_out_resource(descriptor)
                }
                None => leaves_out || options.leaves_out_resource(descriptor),
            }
        }
    }

    /// Saves only the types that this format knows. Other components and pairs are left out, as by
    /// [`without_component`](Self::without_component), and other resources [are unchanged](Self::without_resource) when a world is loaded.
    /// Without this option, saving a world with other data is an error.
    #[must_use]
    pub fn with_known_only(mut self) -> Self {
        self.only_known = true;
        self
    }

    /// Skips components, relations and resources in files that this format does not know, as if they had been removed before the save. If
    /// one side of a relationship is unknown, both are skipped. Skipped data are lost when the world is saved again. Without this option,
    /// such files are rejected.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Position(f32);
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct OfAMod(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn((Position(0.5), OfAMod(3))).id();
    /// let bytes = WorldFormat::new().with_components(components![Position, OfAMod]).save(&mut world)?;
    ///
    /// // The mod has been removed.
    /// let format = WorldFormat::new().with_components(components![Position]);
    /// assert!(format.load(&mut world, &bytes).is_err());
    /// format.skipping_unknown().load(&mut world, &bytes)?;
    /// assert!(world.get::<Position>(id).is_some() && world.get::<OfAMod>(id).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn skipping_unknown(mut self) -> Self {
        self.skips_unknown = true;
        self
    }

    /// When a world is loaded, keeps the values of components and resources that this format does not know. They are kept as bytes that
    /// belong to their entities ([`UnknownComponents`](crate::UnknownComponents)) or to the world ([`UnknownResources`]), and that are
    /// saved again. A format that knows the type later reads the values as if they had been inserted when the file was written, so
    /// consumers see them as new.
    ///
    /// Pairs of unknown relations and sides of unknown relationships cannot be kept, since the entity at the other end may be despawned
    /// before the next save: a file with such data is rejected, unless [`skipping_unknown`](Self::skipping_unknown) is also called.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Position(f32);
    /// #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// struct OfAMod(u32);
    ///
    /// let with_mod = WorldFormat::new().with_components(components![Position, OfAMod]);
    /// let mut world = World::new();
    /// let id = world.spawn((Position(0.5), OfAMod(3))).id();
    /// let bytes = with_mod.save(&mut world)?;
    ///
    /// // The mod is gone for a while, and what it had is not.
    /// let format = WorldFormat::new().with_components(components![Position]).keeping_unknown();
    /// let mut world = World::new();
    /// format.load(&mut world, &bytes)?;
    /// world.get_mut::<Position>(id).unwrap().0 = 1.5;
    /// let bytes = format.save(&mut world)?;
    ///
    /// let mut world = World::new();
    /// with_mod.load(&mut world, &bytes)?;
    /// assert_eq!(world.get(id), Some(&OfAMod(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keeping_unknown(mut self) -> Self {
        self.keeps_unknown = true;
        self
    }

    /// Returns whether a component or relation is left out if this format does not know it.
    pub(crate) fn leaves_out(&self, descriptor: &ComponentDescriptor) -> bool {
        self.only_known || !descriptor.is_saved() || self.left_out.contains(&descriptor.identity())
    }

    /// Returns whether a component or relation that this format knows is saved.
    pub(crate) fn saves(&self, descriptor: &ComponentDescriptor) -> bool {
        !self.left_out.contains(&descriptor.identity())
    }

    /// Returns the options of a snapshot that leaves out the data that this format leaves out.
    pub(crate) fn snapshot_options(&self) -> SnapshotOptions {
        // The registered format and the messages about saving are not state of the world, so they are left out.
        let options = self
            .options
            .clone()
            .without_resource::<RegisteredFormat>()
            .without_resource::<Messages<WorldSaved>>()
            .without_resource::<Messages<WorldLoaded>>()
            .without_resource::<Messages<SaveFailed>>()
            .without_resource::<Messages<LoadFailed>>();
        match self.only_known {
            // The values of unknown resource types come from the file that the world was loaded from, and are saved again.
            true => options.with_only_resources(
                self.resources
                    .iter()
                    .filter_map(|ty| ty.descriptor.value_type_id())
                    .chain([TypeId::of::<UnknownResources>()]),
            ),
            false => options,
        }
    }

    /// Saves the [`Local`](strata_ecs::system::Local)s of a type. `name` is the name of the type in files. This concerns the systems in the
    /// schedules of the world. Numbers, `bool`, `char`, `String`, `Duration` and `Entity`, `Option`s and `Vec`s of these, and types that
    /// are [registered](World::register_local) with the world, like `Timer` and `Stopwatch` of `strata-app`, are always saved.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, resources};
    ///
    /// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Update;
    /// #[derive(Clone, Default, Serialize, Deserialize)]
    /// struct Runs(u32);
    /// #[derive(Resource, Clone, Default, Serialize, Deserialize)]
    /// struct Total(u32);
    ///
    /// fn count(mut runs: Local<Runs>, mut total: ResMut<Total>) {
    ///     runs.0 += 1;
    ///     total.0 = runs.0;
    /// }
    ///
    /// fn game() -> World {
    ///     let mut update = Schedule::new(Update);
    ///     update.add_systems(count);
    ///     let mut world = World::new();
    ///     world.add_schedule(update);
    ///     world.init_resource::<Total>();
    ///     world
    /// }
    ///
    /// let format = WorldFormat::new().with_resources(resources![Total]);
    /// let mut world = game();
    /// world.run_schedule(Update);
    /// assert!(format.save(&mut world).unwrap_err().to_string().contains("Runs"));
    ///
    /// let format = format.with_local::<Runs>("runs");
    /// let bytes = format.save(&mut world)?;
    /// let mut loaded = game();
    /// format.load(&mut loaded, &bytes)?;
    /// loaded.run_schedule(Update);
    /// assert_eq!(loaded.resource::<Total>().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_local<T>(mut self, name: &'static str) -> Self
    where
        T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.locals.push(LocalType::of::<T>(name));
        self.options = self.options.with_local::<T>();
        self
    }

    /// Leaves out [`Local`](strata_ecs::system::Local)s whose types this format does not [know](Self::with_local), both of the world and of
    /// files: a load does not change them. Without this option, saving or loading them is an error, which names them.
    #[must_use]
    pub fn without_unknown_locals(mut self) -> Self {
        self.skips_locals = true;
        self.options = self.options.without_uncloneable_locals();
        self
    }

    /// Does not save the state of systems and of readers of removals, including `Local`s, and skips it in files. In the loaded world,
    /// systems are prepared again, see everything as new, and do not read earlier removals. Without this option, saving a world is an error
    /// if there are unread removals for consumers that are not systems of its schedules.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use strata_ecs::prelude::*;
    /// use strata_save::{SaveError, WorldFormat};
    ///
    /// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Update;
    ///
    /// struct Socket;
    ///
    /// let mut world = World::new();
    /// let mut update = Schedule::new(Update);
    /// update.add_systems(|_: Local<Option<Arc<Socket>>>| {});
    /// world.add_schedule(update);
    /// world.run_schedule(Update);
    /// assert!(matches!(WorldFormat::new().save(&mut world), Err(SaveError::Snapshot(_))));
    /// assert!(WorldFormat::new().with_new_consumers().save(&mut world).is_ok());
    /// ```
    #[must_use]
    pub fn with_new_consumers(mut self) -> Self {
        self.new_consumers = true;
        self.options = self.options.without_uncloneable_locals().without_entity_observers();
        self
    }

    /// Saves only the entities that a query with this filter yields. The loaded world is as if the other entities had [never
    /// existed](strata_ecs::selection::EntitySelection::forget): values that name such an entity name a dead entity, and links and pairs
    /// with such an entity are removed. The components in the filter need not be saved.
    ///
    /// Data that the format does not know must be left out even if only unsaved entities have them: see
    /// [`with_known_only`](Self::with_known_only). `O(world)`: the world is written, read, and the selected part is written again.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Health(u32);
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Hit(Entity);
    /// #[derive(Component)]
    /// struct Saved;
    ///
    /// let mut world = World::new();
    /// let spark = world.spawn(Health(1)).id();
    /// let ann = world.spawn((Health(9), Hit(spark), Saved)).id();
    ///
    /// let format = WorldFormat::new()
    ///     .with_components(components![Health, Hit])
    ///     .with_known_only()
    ///     .with_only_entities::<With<Saved>>();
    /// let bytes = format.save(&mut world)?;
    /// let mut loaded = World::new();
    /// format.load(&mut loaded, &bytes)?;
    /// assert_eq!(loaded.len(), 1);
    /// let hit = loaded.get::<Hit>(ann).unwrap().0;
    /// loaded.spawn_batch((0..10).map(Health));
    /// assert!(!loaded.contains(hit));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_only_entities<F: QueryFilter + 'static>(mut self) -> Self {
        self.only = Some(|world| world.query_filtered::<Entity, F>().iter(world).collect());
        self
    }

    /// Compresses the bytes of saved worlds by LZ4. Compressed and uncompressed bytes can be loaded regardless of this option. The offset
    /// of an error in compressed bytes is an offset in the decompressed bytes.
    ///
    /// [Deltas](Self::delta_since) are not compressed: they are small, and the sender may compress several together.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..100).map(|_| Health(3))).collect();
    /// let format = WorldFormat::new().with_components(components![Health]);
    /// let bytes = format.clone().with_compression().save(&mut world)?;
    /// assert!(bytes.len() < format.save(&mut world)?.len());
    /// format.load(&mut world, &bytes)?;
    /// assert_eq!(world.get(ids[7]), Some(&Health(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "lz4")]
    #[must_use]
    pub fn with_compression(mut self) -> Self {
        self.compresses = true;
        self
    }

    /// Registers this format for requested saves and loads: see [`SaveCommands`](crate::SaveCommands). It replaces an earlier registration.
    /// The registration is not saved, and a load does not change it.
    pub fn register(self, world: &mut World) {
        world.insert_resource(RegisteredFormat(Arc::new(self)));
    }

    /// Checks that all types have different names.
    pub(crate) fn check_names(&self) -> Result<(), String> {
        let (mut components, mut resources, mut relations) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut of_components = self.components.iter().flat_map(ComponentType::names);
        let mut of_resources = self.resources.iter().flat_map(ResourceType::names);
        let twice = of_components.find(|name| !components.insert(name.clone()));
        let mut of_relations = self.relations.iter().flat_map(RelationType::names);
        let twice = twice.or_else(|| of_resources.find(|name| !resources.insert(name.clone())));
        match twice.or_else(|| of_relations.find(|name| !relations.insert(name.clone()))) {
            Some(name) => Err(name),
            None => self.check_locals(),
        }
    }

    fn check_locals(&self) -> Result<(), String> {
        let mut names = HashSet::new();
        let mut all = LocalType::simple().chain(self.locals.iter().cloned()).map(|local| local.name());
        match all.find(|name| !names.insert(*name)) {
            Some(name) => Err(name.to_owned()),
            None => Ok(()),
        }
    }
}

/// The format for requested saves and loads. It belongs to the program, so it is not saved.
#[derive(Resource, Clone)]
#[resource(name = "strata.registered_format", transient)]
pub(crate) struct RegisteredFormat(pub(crate) Arc<WorldFormat>);

impl Hash for RegisteredFormat {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
