//! The types and options of a saved world, and the functions that save and load.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, PersistenceKind};
use strata_ecs::prelude::{Component, Messages, Relation, Resource, World};
use strata_ecs::snapshot::{PairsContents, SnapshotBuilder, SnapshotOptions};

use crate::bytes::Writer;
use crate::consumers::{self, ConsumersData, LocalType};
use crate::error::{LoadError, SaveError, VerifyError};
use crate::requests::{LoadFailed, RegisteredFormat, SaveFailed, WorldLoaded, WorldSaved};
use crate::selected::Selected;
use crate::types::{ComponentType, RelationType, ResourceType};
use crate::unknown::UnknownResources;
use crate::{compressed, file, read, write};

/// The types that are saved of worlds, and the options: see [the crate](crate).
///
/// The programs that save and load must list the same types, in any order.
#[derive(Clone, Default, Debug)]
pub struct WorldFormat {
    pub(crate) components: Vec<ComponentType>,
    pub(crate) resources: Vec<ResourceType>,
    pub(crate) relations: Vec<RelationType>,
    pub(crate) new_consumers: bool,
    /// Types of values that systems keep.
    pub(crate) locals: Vec<LocalType>,
    /// Whether `Local`s of other types are left out.
    pub(crate) skips_locals: bool,
    /// Components and relations that are not saved.
    left_out: HashSet<ComponentIdentity>,
    /// Whether only types that the format knows are saved.
    only_known: bool,
    /// Whether types in files that the format does not know are skipped.
    pub(crate) skips_unknown: bool,
    /// Whether values in files whose types the format does not know are kept.
    pub(crate) keeps_unknown: bool,
    /// Whether entities that are loaded into a world with entities keep their ids.
    pub(crate) keeps_ids: bool,
    /// Whether resources in files replace those of the world into which entities are loaded.
    pub(crate) replaces_resources: bool,
    /// Whether tables with different left-out components stay separate.
    pub(crate) keeps_tables: bool,
    /// Whether consumer state that cannot be saved is left out.
    pub(crate) skips_consumers: bool,
    /// The entities that are saved; `None` saves all.
    pub(crate) only: Option<Selected>,
    #[cfg(feature = "lz4")]
    compresses: bool,
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

    /// Leaves out a component, like one with `#[component(save = "skip")]` that this format does not list. The loaded world is as if the
    /// component had been removed from all entities before the save. For a component of a relationship, neither side is saved.
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

    /// Saves only the types that this format knows. Other components and pairs are left out, as if each were
    /// [named](Self::without_component), and other resources [are unchanged](Self::without_resource) when a world is loaded. Without this,
    /// saving a world with other data is an error.
    #[must_use]
    pub fn with_known_only(mut self) -> Self {
        self.only_known = true;
        self
    }

    /// Skips components, relations and resources in files that this format does not know, as if they had been removed before the save. If
    /// one side of a relationship is unknown, both are skipped. Skipped data are lost when the world is saved again. Without this, such
    /// files are rejected.
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

    /// Keeps values in files whose component or resource this format does not know: as bytes that belong to their entities
    /// ([`UnknownComponents`](crate::UnknownComponents)) or the world ([`UnknownResources`]), and are saved again. A format that knows the
    /// type later reads them as if they had been inserted when the file was written, so consumers see them as new.
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

    /// Whether a component or relation of a world that this format does not know is left out.
    pub(crate) fn leaves_out(&self, descriptor: &ComponentDescriptor) -> bool {
        self.only_known || !descriptor.is_saved() || self.left_out.contains(&descriptor.identity())
    }

    /// Whether a component or relation that this format knows is saved.
    pub(crate) fn saves(&self, descriptor: &ComponentDescriptor) -> bool {
        !self.left_out.contains(&descriptor.identity())
    }

    /// The options of a snapshot that leave out data.
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

    /// Saves the [`Local`](strata_ecs::system::Local)s of a type, in systems in schedules of the world, under a name in files. Numbers,
    /// `bool`, `char`, `String`, `Duration` and `Entity`, `Option`s and `Vec`s of these, and types that are
    /// [registered](World::register_local) with the world, like `Timer` and `Stopwatch` of `strata-app`, are always saved.
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

    /// Leaves out [`Local`](strata_ecs::system::Local)s whose types are not [named](Self::with_local), in the world and in files: loading
    /// does not change them. Without this, an error names them.
    #[must_use]
    pub fn without_unknown_locals(mut self) -> Self {
        self.skips_locals = true;
        self.options = self.options.without_uncloneable_locals();
        self
    }

    /// Does not save the state of systems and readers of removals, including `Local`s, and skips it in files. In the loaded world systems
    /// are prepared again, see everything as new, and do not read earlier removals. Without this, it is an error to save a world if
    /// consumers other than systems of its schedules have not read all removals.
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

    /// Saves a world as bytes.
    ///
    /// # Errors
    ///
    /// If the world cannot be copied now, if this format does not know some of its data (all of them are named), or if a value cannot be
    /// serialised.
    pub fn save(&self, world: &mut World) -> Result<Vec<u8>, SaveError> {
        let mut bytes = Vec::new();
        self.save_into(world, &mut bytes)?;
        Ok(bytes)
    }

    /// Like [`save`](Self::save), but replaces the contents of a vector and reuses its memory.
    ///
    /// # Errors
    ///
    /// See [`save`](Self::save). On an error the vector is empty.
    pub fn save_into(&self, world: &mut World, bytes: &mut Vec<u8>) -> Result<(), SaveError> {
        let mut out = Writer::new(std::mem::take(bytes));
        let written = self.write(world, &mut out);
        *bytes = out.bytes;
        #[cfg(feature = "lz4")]
        if self.compresses && written.is_ok() {
            *bytes = compressed::compress(bytes);
        }
        written.inspect_err(|_| bytes.clear())
    }

    fn write(&self, world: &mut World, out: &mut Writer) -> Result<(), SaveError> {
        let format = self.for_world(world);
        match format.only {
            Some(selected) => {
                let consumers = format.consumers_of(world)?;
                format.write_whole(&mut format.part_of(world, selected)?, Some(consumers), out)
            }
            None => format.write_whole(world, None, out),
        }
    }

    /// Writes all entities, with the given consumer state or the state of the consumers of the world.
    pub(crate) fn write_whole(
        &self,
        world: &mut World,
        consumers: Option<ConsumersData>,
        out: &mut Writer,
    ) -> Result<(), SaveError> {
        self.check_names().map_err(SaveError::SameName)?;
        let options = self.snapshot_options();
        let living = world.living_contents(&options).map_err(SaveError::Snapshot)?;
        write::write(self, living.contents(), consumers, out)
    }

    /// Whether a world has left-out data other than resources.
    pub(crate) fn leaves_out_any(&self, world: &mut World) -> Result<bool, SaveError> {
        let living = world.living_contents(&self.snapshot_options()).map_err(SaveError::Snapshot)?;
        Ok(write::leaves_out_any(self, living.contents()))
    }

    /// The state of the consumers of a world.
    pub(crate) fn consumers_of(&self, world: &mut World) -> Result<ConsumersData, SaveError> {
        let living = world.living_contents(&self.snapshot_options()).map_err(SaveError::Snapshot)?;
        consumers::of(self, living.contents())
    }

    /// Saves a world, loads the bytes into a new world, and saves that again: for tests of a program. The state of systems is left out,
    /// since the new world has no systems.
    ///
    /// # Errors
    ///
    /// If one of these steps fails, or if bytes differ. The first type with different values is named.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{VerifyError, WorldFormat, components};
    ///
    /// /// In an order that is another one in each map: a `BTreeMap` has one of its own.
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Prices(HashMap<u32, u32>);
    ///
    /// let mut world = World::new();
    /// world.spawn(Prices((0..100).map(|at| (at, 7)).collect()));
    /// let format = WorldFormat::new().with_components(components![Prices]);
    /// let Err(VerifyError::Differs(name)) = format.verify(&mut world) else { unreachable!() };
    /// assert!(name.ends_with("Prices"));
    /// ```
    pub fn verify(&self, world: &mut World) -> Result<(), VerifyError> {
        let format = self.for_world(world).with_new_consumers();
        let mut first = Writer::new(Vec::new());
        format.write(world, &mut first).map_err(VerifyError::Save)?;
        let mut loaded = World::new();
        format.load(&mut loaded, &first.bytes).map_err(VerifyError::Load)?;
        let mut again = Writer::new(Vec::new());
        format.write_whole(&mut loaded, None, &mut again).map_err(VerifyError::Save)?;
        let again = again.bytes;
        // If the worlds differ, their checksums differ too, so these are excluded.
        let (own, other) = (read::without_checksum(&first.bytes), read::without_checksum(&again));
        let differs = own.zip(other).find(|(own, other)| own.1 != other.1).map(|((at, _), _)| at);
        let ends = first.bytes.len().min(again.len());
        match differs.or((first.bytes.len() != again.len()).then_some(ends)) {
            None => Ok(()),
            Some(at) => Err(first.type_at(at).map_or(VerifyError::DiffersAt(at), VerifyError::Differs)),
        }
    }

    /// Loads a world: see [`World::restore`]. The previous contents are removed, except for schedules, observers, and resources that [are
    /// not saved](Self::without_resource).
    ///
    /// Systems in schedules of the world get their saved state: their last run, what they have read, their `Local`s. They are found by the
    /// `Debug` output of the schedule's label, by their names, and by their index among the systems of the same name, so
    /// [add](World::add_schedule) the schedules before loading. A system that the file does not know, or that has other parameters now, is
    /// prepared again; the saved state of missing systems is ignored.
    ///
    /// Resources with a [text form](strata_ecs::component::TextForm) are loaded without being listed if the world has registered their
    /// types, and skipped otherwise: so first add the plugin or state of `strata-app` that registers them. A resource whose type the file
    /// does not know is unchanged.
    ///
    /// If a loaded component [requires](strata_ecs::component::Component) a component that the file does not know, because it was left out
    /// or is newer, the required component is constructed as if it had been inserted then.
    ///
    /// # Errors
    ///
    /// If the bytes are not a world in this format, or something is running in the world. The contents of the world are unchanged; only
    /// components and resources may have been registered, and schedules prepared.
    pub fn load(&self, world: &mut World, bytes: &[u8]) -> Result<(), LoadError> {
        let format = self.for_world(world);
        let builder = format.read(world, bytes)?;
        format.restore(world, builder)
    }

    /// Reads bytes. Missing components that the components of a file require are constructed.
    pub(crate) fn read(&self, world: &mut World, bytes: &[u8]) -> Result<SnapshotBuilder, LoadError> {
        self.check_names().map_err(LoadError::SameName)?;
        read::read(self, world, &compressed::decompressed(bytes)?)
    }

    pub(crate) fn restore(&self, world: &mut World, builder: SnapshotBuilder) -> Result<(), LoadError> {
        let snapshot = builder.build(world, &self.snapshot_options()).map_err(LoadError::Build)?;
        world.restore_from(snapshot).map_err(LoadError::Restore)
    }

    /// Saves a world to a file, which is replaced atomically: if the save or the machine fails, the old file remains.
    ///
    /// # Errors
    ///
    /// See [`save`](Self::save); also if the file cannot be written.
    pub fn save_to_file(&self, world: &mut World, path: impl AsRef<Path>) -> Result<(), SaveError> {
        Ok(file::replace(path.as_ref(), &self.save(world)?)?)
    }

    /// Loads a world from a file.
    ///
    /// # Errors
    ///
    /// See [`load`](Self::load); also if the file cannot be read.
    pub fn load_from_file(&self, world: &mut World, path: impl AsRef<Path>) -> Result<(), LoadError> {
        self.load(world, &file::read(path.as_ref())?)
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
