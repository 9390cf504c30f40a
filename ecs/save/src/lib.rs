#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod encoding;
mod bytes;
mod compressed;
mod file;
mod fixed;
mod layout;
mod regroup;
mod values;
#[cfg(feature = "text")]
mod text_values;
mod types;
mod tables;
mod required;
mod unknown;
mod requests;
mod local_types;
mod format;
mod apart;
mod unlisted;
mod consumers;
mod write;
mod read;
mod worlds;
mod living;
mod save_commands;
mod replay;
mod delta;
#[cfg(feature = "text")]
mod text;

pub use self::delta::{Applied, ApplyError, Delta, DeltaError, DeltaMark, Replica};
pub use self::error::{LoadError, NotSaved, Problem, SaveError, VerifyError};
pub use self::format::WorldFormat;
pub use self::replay::{Divergence, Player, Recorder, Replay, ReplayError};
pub use self::requests::{LoadFailed, LoadSource, SaveFailed, SaveTarget, WorldLoaded, WorldSaved};
pub use self::save_commands::SaveCommands;
pub use self::types::{ComponentType, RelationType, ResourceType};
pub use self::unknown::{UnknownComponents, UnknownResources, UnknownValue};

/// Lists the components that a [`WorldFormat`] knows, by their types: `components![Position, Health]`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use strata_ecs::prelude::*;
/// use strata_save::{WorldFormat, components};
///
/// #[derive(Component, Clone, Serialize, Deserialize)]
/// struct Position(f32, f32);
/// #[derive(Component, Clone, Serialize, Deserialize)]
/// struct Health(u32);
///
/// let format = WorldFormat::new().with_components(components![Position, Health]);
/// ```
#[macro_export]
macro_rules! components {
    ($($Component:ty),* $(,)?) => {
        [$($crate::ComponentType::of::<$Component>()),*]
    };
}

/// Lists the relations that a [`WorldFormat`] knows, by their types: `relations![Hunting]`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use strata_ecs::prelude::*;
/// use strata_save::{WorldFormat, relations};
///
/// #[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Hunting {
///     since: u32,
/// }
///
/// let format = WorldFormat::new().with_relations(relations![Hunting]);
/// let mut world = World::new();
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { since: 3 }, rabbit);
///
/// let mut loaded = World::new();
/// format.load(&mut loaded, &format.save(&mut world)?)?;
/// assert_eq!(*loaded.get_pair::<Hunting>(wolf, rabbit).unwrap(), Hunting { since: 3 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! relations {
    ($($Relation:ty),* $(,)?) => {
        [$($crate::RelationType::of::<$Relation>()),*]
    };
}

/// Lists the resources that a [`WorldFormat`] knows, by their types: `resources![Score]`. Lists of messages are also resources:
/// `resources![Messages<Hit>]`.
#[macro_export]
macro_rules! resources {
    ($($Resource:ty),* $(,)?) => {
        [$($crate::ResourceType::of::<$Resource>()),*]
    };
}
