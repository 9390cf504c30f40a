//! Requests of systems to save or load the world when the frame has ended.
//!
//! Tests: tests/snapshots/requests.rs

use std::sync::Arc;

use strata_ecs::message::Message;
use strata_ecs::prelude::{Commands, Event, Messages, World};

use crate::error::{LoadError, SaveError};
use crate::file;
use crate::format::{RegisteredFormat, WorldFormat};
use crate::requests::{LoadFailed, LoadSource, SaveFailed, SaveTarget, WorldLoaded, WorldSaved};

/// Requests to save or load the world, from any system: an extension of [`Commands`] and [`World`].
///
/// A request is carried out when the frame has ended and nothing runs in the world: see [`World::queue_after_frame`]. Requests of one frame
/// are carried out in order. Events and messages report the result of each: [`WorldSaved`] and [`SaveFailed`], [`WorldLoaded`] and
/// [`LoadFailed`]. Pending requests are not saved.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use strata_ecs::prelude::*;
/// use strata_save::{SaveCommands, WorldFormat, WorldLoaded, WorldSaved, components};
///
/// #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
/// struct Health(u32);
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Update;
/// # #[derive(Resource)]
/// # struct Key(&'static str);
///
/// fn keys(key: Res<Key>, mut commands: Commands) {
///     match key.0 {
///         "save" => commands.save_world("slot.save"),
///         "load" => commands.load_world("slot.save"),
///         _ => {}
///     }
/// }
///
/// fn hurt(mut all: Query<&mut Health>) {
///     all.iter_mut().for_each(|mut health| health.0 -= 1);
/// }
///
/// # std::env::set_current_dir(std::env::temp_dir()).unwrap();
/// let mut world = World::new();
/// WorldFormat::new().with_components(components![Health]).without_resource::<Key>().register(&mut world);
/// world.add_observer(|saved: On<WorldSaved>| println!("saved to {}", saved.to));
/// world.add_observer(|loaded: On<WorldLoaded>| println!("loaded from {}", loaded.from));
/// world.get_resource_or_init::<Schedules>().add_systems(Update, (keys, hurt));
/// let id = world.spawn(Health(9)).id();
/// for key in ["save", "", "", "load"] {
///     world.insert_resource(Key(key));
///     world.frame(|world| world.run_schedule(Update));
/// }
/// assert_eq!(world.get(id), Some(&Health(8))); // As at the end of the first frame.
/// # std::fs::remove_file("slot.save").unwrap();
/// ```
pub trait SaveCommands {
    /// Requests that the world is saved at the end of the frame: to a file, or to [`SaveTarget::Memory`].
    fn save_world(&mut self, to: impl Into<SaveTarget>);

    /// Requests that the world is loaded at the end of the frame: from a file, or from bytes. If the load fails, the world is unchanged.
    fn load_world(&mut self, from: impl Into<LoadSource>);
}

impl SaveCommands for World {
    fn save_world(&mut self, to: impl Into<SaveTarget>) {
        let to = to.into();
        self.queue_after_frame(move |world: &mut Self| save(world, to));
    }

    fn load_world(&mut self, from: impl Into<LoadSource>) {
        let from = from.into();
        self.queue_after_frame(move |world: &mut Self| load(world, from));
    }
}

impl SaveCommands for Commands<'_, '_> {
    fn save_world(&mut self, to: impl Into<SaveTarget>) {
        let to = to.into();
        self.queue_after_frame(move |world: &mut World| save(world, to));
    }

    fn load_world(&mut self, from: impl Into<LoadSource>) {
        let from = from.into();
        self.queue_after_frame(move |world: &mut World| load(world, from));
    }
}

fn registered(world: &World) -> Option<Arc<WorldFormat>> {
    world.get_resource::<RegisteredFormat>().map(|registered| Arc::clone(&registered.0))
}

fn save(world: &mut World, to: SaveTarget) -> Result<(), SaveFailed> {
    let saved = registered(world).ok_or(SaveError::NoFormat).and_then(|format| {
        let bytes = format.save(world)?;
        match &to {
            SaveTarget::File(path) => file::replace(path, &bytes).map(|()| None).map_err(SaveError::Io),
            SaveTarget::Memory => Ok(Some(bytes.into())),
        }
    });
    match saved {
        Ok(bytes) => _ = deliver(world, WorldSaved { to, bytes }),
        Err(error) => {
            let failed = SaveFailed { to, error: Arc::new(error) };
            if !deliver(world, failed.clone()) {
                return Err(failed);
            }
        }
    }
    Ok(())
}

fn load(world: &mut World, from: LoadSource) -> Result<(), LoadFailed> {
    let loaded = registered(world).ok_or(LoadError::NoFormat).and_then(|format| match &from {
        LoadSource::File(path) => format.load_from_file(world, path),
        LoadSource::Bytes(bytes) => format.load(world, bytes),
    });
    match loaded {
        Ok(()) => _ = deliver(world, WorldLoaded { from }),
        Err(error) => {
            let failed = LoadFailed { from, error: Arc::new(error) };
            if !deliver(world, failed.clone()) {
                return Err(failed);
            }
        }
    }
    Ok(())
}

/// Triggers an event, and writes it as a message if there is a list of such messages. Returns whether there is an observer or such a list.
fn deliver<E>(world: &mut World, event: E) -> bool
where
    E: Message + Clone + Event<Trigger<'static>: Default>,
{
    // Without a reader the list would be a useless resource.
    let is_read = world.contains_resource::<Messages<E>>();
    if is_read {
        world.write_message(event.clone());
    }
    let is_observed = world.has_observers::<E>();
    world.trigger(event);
    is_read || is_observed
}
