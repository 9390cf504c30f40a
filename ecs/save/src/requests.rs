//! Requested saves and loads, and their results.
//!
//! Tests: tests/snapshots/requests.rs

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use strata_ecs::message::Message;
use strata_ecs::prelude::Event;

use crate::error::{LoadError, SaveError};

/// The destination of a requested save.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SaveTarget {
    /// A file, which is replaced atomically.
    File(PathBuf),
    /// Memory: [`WorldSaved`] contains the bytes.
    Memory,
}

/// The source of a requested load.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LoadSource {
    /// A file.
    File(PathBuf),
    /// Bytes in memory.
    Bytes(Arc<[u8]>),
}

macro_rules! from_paths {
    ($($Type:ty)*) => {$(
        impl From<$Type> for SaveTarget {
            fn from(path: $Type) -> Self {
                Self::File(path.into())
            }
        }

        impl From<$Type> for LoadSource {
            fn from(path: $Type) -> Self {
                Self::File(path.into())
            }
        }
    )*};
}

from_paths! { &str String &Path PathBuf &PathBuf }

impl From<Arc<[u8]>> for LoadSource {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Vec<u8>> for LoadSource {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl fmt::Display for SaveTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "`{}`", path.display()),
            Self::Memory => f.write_str("memory"),
        }
    }
}

impl fmt::Display for LoadSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "`{}`", path.display()),
            Self::Bytes(_) => f.write_str("memory"),
        }
    }
}

/// An event, and a message for systems: a requested save has succeeded.
#[derive(Event, Message, Clone, PartialEq, Eq, Hash, Debug)]
#[message(transient)]
pub struct WorldSaved {
    /// The destination of the save.
    pub to: SaveTarget,
    /// The saved world, if it was saved to [memory](SaveTarget::Memory).
    pub bytes: Option<Arc<[u8]>>,
}

/// An event, and a message for systems: a requested load has succeeded, and the loaded world is in place. It is triggered after
/// [`Restored`](strata_ecs::snapshot::Restored).
#[derive(Event, Message, Clone, PartialEq, Eq, Hash, Debug)]
#[message(transient)]
pub struct WorldLoaded {
    /// The source of the load.
    pub from: LoadSource,
}

/// An event, and a message for systems: a requested save has failed. An existing file is unchanged. If no observer and no reader of the
/// message exists, the failure is reported like an error of a command.
#[derive(Event, Message, Clone, Debug)]
#[message(transient)]
pub struct SaveFailed {
    /// The destination of the save.
    pub to: SaveTarget,
    /// The error.
    pub error: Arc<SaveError>,
}

/// An event, and a message for systems: a requested load has failed. The world is unchanged. If no observer and no reader of the message
/// exists, the failure is reported like an error of a command.
#[derive(Event, Message, Clone, Debug)]
#[message(transient)]
pub struct LoadFailed {
    /// The source of the load.
    pub from: LoadSource,
    /// The error.
    pub error: Arc<LoadError>,
}

impl fmt::Display for SaveFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the world was not saved to {}: {}", self.to, self.error)
    }
}

impl fmt::Display for LoadFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the world was not loaded from {}: {}", self.from, self.error)
    }
}

impl std::error::Error for SaveFailed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.error)
    }
}

impl std::error::Error for LoadFailed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.error)
    }
}

// `SaveFailed` is hashed as a message in the checksum of a world.
impl Hash for SaveFailed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to.hash(state);
    }
}

impl Hash for LoadFailed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.from.hash(state);
    }
}
