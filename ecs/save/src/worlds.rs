//! Saving and loading of worlds.
//!
//! To save only some of the entities of a world, the whole world is written and read into a separate world. The other entities are removed
//! there, and the separate world is saved.
//!
//! Tests: tests/snapshots/saves.rs, tests/snapshots/selected.rs

use std::collections::HashSet;
use std::path::Path;

use strata_ecs::prelude::{Entity, World};
use strata_ecs::snapshot::SnapshotBuilder;

use crate::bytes::Writer;
use crate::consumers::{self, ConsumersData};
use crate::error::{LoadError, SaveError, VerifyError};
use crate::format::{Selected, WorldFormat};
use crate::layout::without_checksum;
use crate::{compressed, file, read, write};

impl WorldFormat {
    /// Saves a world as bytes.
    ///
    /// # Errors
    ///
    /// If the world cannot be copied now, if this format does not know some of its data (the error lists all of them), or if a value cannot
    /// be serialised.
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

    /// Writes all entities. The consumer state is `consumers`, or if that is `None` the state of the consumers of the world.
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

    /// Returns whether a world has left-out data other than resources.
    pub(crate) fn leaves_out_any(&self, world: &mut World) -> Result<bool, SaveError> {
        let living = world.living_contents(&self.snapshot_options()).map_err(SaveError::Snapshot)?;
        Ok(write::leaves_out_any(self, living.contents()))
    }

    /// Returns the state of the consumers of a world.
    pub(crate) fn consumers_of(&self, world: &mut World) -> Result<ConsumersData, SaveError> {
        let living = world.living_contents(&self.snapshot_options()).map_err(SaveError::Snapshot)?;
        consumers::of(self, living.contents())
    }

    /// Saves a world, loads the bytes into a new world, saves that world, and compares the bytes. Use it in tests of a program. The state
    /// of systems is left out, because the new world has no systems.
    ///
    /// # Errors
    ///
    /// If one of these steps fails, or if bytes differ. The error names the first type with different values.
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
        let (own, other) = (without_checksum(&first.bytes), without_checksum(&again));
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
    /// Systems in schedules of the world get their saved state: their last run, what they have read, and their `Local`s. A system is found
    /// by the `Debug` output of the label of its schedule, by its name, and by its index among the systems with this name, so
    /// [add](World::add_schedule) the schedules before loading. A system that the file does not know, or that has other parameters now, is
    /// prepared again. The saved state of systems that the world does not have is ignored.
    ///
    /// Resources with a [text form](strata_ecs::component::TextForm) need not be listed. They are loaded if their types are registered in
    /// the world, and skipped otherwise, so first add the plugin or state of `strata-app` that registers them. A resource whose type the
    /// file does not know is unchanged.
    ///
    /// If a loaded component [requires](strata_ecs::component::Component) a component that the file does not know, because it was left out
    /// or is newer than the file, the required component is constructed as if it were inserted by the load.
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

    /// Reads the bytes of a world, compressed or not. Missing components that the components of the file require are constructed.
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

    /// Returns a world with the selected entities of another one, and all of its other saved data.
    pub(crate) fn part_of(&self, world: &mut World, selected: Selected) -> Result<World, SaveError> {
        let kept: HashSet<Entity> = selected(world).into_iter().collect();
        let mut whole = Writer::new(Vec::new());
        // The consumer state is taken from the original world.
        self.write_whole(world, Some(ConsumersData::default()), &mut whole)?;
        let mut part = World::new();
        self.load(&mut part, &whole.bytes).map_err(SaveError::Load)?;
        let all = part.tables().iter().flat_map(|table| table.entities()).copied();
        let others: Vec<Entity> = all.filter(|entity| !kept.contains(entity)).collect();
        part.many(&others).forget();
        Ok(part)
    }
}
