//! Defines how resources and messages take part in snapshots, files and comparisons.
//!
//! Tests: tests/snapshots/bounds.rs, tests/snapshots/apps.rs

use alloc::string::String;
use core::any::Any;

use super::functions::WriteTextFn;

/// States how a resource, or the list of the messages of a type, takes part in snapshots, files and comparisons.
///
/// [`Resource::persistence`](crate::resource::Resource::persistence()) and [`Message::persistence`](crate::message::Message::persistence())
/// return it. The options `transient`, `save = "skip"` and `persistence = function` of the derives choose it.
///
/// | | [snapshots](crate::snapshot) | files and deltas | checksums and differences |
/// |---|---|---|---|
/// | `Listed` | yes | if the format lists the type | yes |
/// | `Text` | yes | yes | yes |
/// | `Skipped` | yes | only if the format lists the type | no |
/// | `Transient` | no | no | no |
///
/// If a resource does not take part, it is unchanged when a world is restored or loaded.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// /// Belongs to the process, not to the state of the world.
/// #[derive(Resource)]
/// #[resource(transient)]
/// struct Window {
///     width: u32,
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Window { width: 640 });
/// let snapshot = world.snapshot()?; // `Window` need not be `Clone`.
/// world.resource_mut::<Window>().width = 800;
/// world.restore(&snapshot)?;
/// assert_eq!(world.resource::<Window>().width, 800);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Persistence<R> {
    /// A file contains the value if the format lists the type.
    Listed,
    /// A file contains the value as text, even if the format does not list the type. If the format lists the type, the format decides how
    /// the value is written.
    Text(TextForm<R>),
    /// A file contains the value only if the format lists the type. Comparisons ignore it.
    Skipped,
    /// The value belongs to the process, such as a window or the clock of the machine.
    Transient,
}

/// A [`Persistence`] without the type of the resource.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, PersistenceKind};
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource)]
/// #[resource(transient)]
/// struct Window;
///
/// assert_eq!(ComponentDescriptor::of_resource::<Window>().persistence(), PersistenceKind::Transient);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PersistenceKind {
    /// [`Persistence::Listed`]
    Listed,
    /// [`Persistence::Text`]
    Text,
    /// [`Persistence::Skipped`]
    Skipped,
    /// [`Persistence::Transient`]
    Transient,
}

impl<R> Persistence<R> {
    /// Returns the persistence without the type of the resource.
    #[must_use]
    pub fn kind(&self) -> PersistenceKind {
        match self {
            Self::Listed => PersistenceKind::Listed,
            Self::Text(_) => PersistenceKind::Text,
            Self::Skipped => PersistenceKind::Skipped,
            Self::Transient => PersistenceKind::Transient,
        }
    }
}

/// The functions that write a value as text and read it from text.
///
/// A text form does not need `serde`, so resources of a library can be saved in every program. Reading a text that was written from a value
/// must return an equal value.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Persistence, TextForm};
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource, Clone, PartialEq, Debug)]
/// #[resource(persistence = Score::persistence)]
/// struct Score(u32);
///
/// impl Score {
///     fn persistence() -> Persistence<Self> {
///         Persistence::Text(TextForm::new(
///             |score, text| text.push_str(&score.0.to_string()),
///             |text| text.parse().map(Score).map_err(|error| format!("{error}")),
///         ))
///     }
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let snapshot = world.snapshot()?;
/// let score = snapshot.contents().resources().find_map(|resource| resource.text());
/// assert_eq!(score.as_deref(), Some("3"));
/// # Ok::<(), strata_ecs::snapshot::SnapshotError>(())
/// ```
pub struct TextForm<R> {
    write: fn(&R, &mut String),
    read: fn(&str) -> Result<R, String>,
}

impl<R> TextForm<R> {
    /// Returns the text form with these functions. `write` appends to the string. An error of `read` describes the problem.
    #[must_use]
    pub const fn new(write: fn(&R, &mut String), read: fn(&str) -> Result<R, String>) -> Self {
        Self { write, read }
    }

    /// Writes a value.
    pub fn write(&self, value: &R, text: &mut String) {
        (self.write)(value, text);
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// If the text is not valid, with a description of the problem.
    pub fn read(&self, text: &str) -> Result<R, String> {
        (self.read)(text)
    }
}

impl_copy! { [R] TextForm<R>; }

impl_debug_of_fields! { [R] TextForm<R> {} }

/// A type-erased [`Persistence`].
#[derive(Clone, Copy)]
pub(crate) struct ErasedPersistence {
    pub(crate) kind: fn() -> PersistenceKind,
    pub(crate) write: WriteTextFn,
    /// Reads a value of the type from text and appends it to a list. The creator of the function determines the type of the list.
    pub(crate) read: fn(&str, &mut dyn Any) -> Result<(), String>,
}

impl ErasedPersistence {
    /// The persistence of all components.
    pub(super) const LISTED: Self = Self {
        kind: || PersistenceKind::Listed,
        write: |_| None,
        read: |_, _| Err(String::from("the type has no text form")),
    };
}
