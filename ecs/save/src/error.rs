//! Errors of saving and loading.
//!
//! Tests: tests/snapshots/hostile.rs, tests/snapshots/saves.rs

use std::fmt;
use std::io;

use strata_ecs::snapshot::{BuildError, LeftOut, NotTaken, RestoreError, SnapshotError};

/// A world cannot be saved. Nothing has been written.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// The world cannot be snapshotted.
    Snapshot(SnapshotError),
    /// The format does not know some data of the world; the error lists all of them.
    NotSaved(Vec<NotSaved>),
    /// No format is [registered](crate::WorldFormat::register) for the requested save.
    NoFormat,
    /// Two types of the format have the same name in files.
    SameName(String),
    /// A value cannot be serialised: the name of its type, and the reason.
    Value(&'static str, String),
    /// The written bytes cannot be read, which is necessary to [leave out entities](crate::WorldFormat::with_only_entities): the
    /// `Deserialize` of a type does not read the output of its `Serialize`.
    Load(LoadError),
    /// The file cannot be written. An existing file is unchanged.
    Io(io::Error),
}

/// Data of a world that a [format](crate::WorldFormat) does not save.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotSaved {
    /// Values of a component that the format does not know: its type name.
    Component(&'static str),
    /// Pairs of a relation that the format does not know: its type name.
    Relation(&'static str),
    /// A resource that the format does not know: its type name.
    Resource(&'static str),
    /// The format saves only one side of a relationship with links: the type name of the component on that side.
    OtherSide(&'static str),
    /// Values of a component with `#[component(clone = "never")]`, which cannot be loaded: its type name.
    NotClone(&'static str),
    /// Values of types that were unknown when the world was loaded. This format does not keep such values.
    Unknown,
    /// Data that files cannot contain.
    LeftOut(LeftOut),
}

/// A world cannot be loaded. The world is unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are not a saved world, or are damaged.
    Bytes {
        /// The number of valid bytes before the problem.
        offset: usize,
        /// The name in files of the component or resource that the problem concerns.
        name: Option<String>,
        /// The problem.
        problem: Problem,
    },
    /// The parts of the world contradict each other.
    Build(BuildError),
    /// No format is [registered](crate::WorldFormat::register) for the requested load.
    NoFormat,
    /// Something is running in the world, so it cannot be restored now.
    Restore(RestoreError),
    /// Two types of the format have the same name in files.
    SameName(String),
    /// The file cannot be read.
    Io(io::Error),
}

/// A world differs from the original after it has been saved and loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// The world cannot be saved.
    Save(SaveError),
    /// The saved bytes cannot be loaded.
    Load(LoadError),
    /// The values of a component, relation or resource have other bytes when the loaded world is saved: the name of its type. Such values
    /// have no fixed order, like the contents of a `HashMap`, or lose data when they are saved or loaded.
    Differs(&'static str),
    /// The bytes of other data differ, from this offset on.
    DiffersAt(usize),
}

/// The reason why bytes cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes do not begin like a saved world.
    NoSave,
    /// The bytes do not begin like a replay.
    NoReplay,
    /// The bytes do not begin like a delta.
    NoDelta,
    /// The new entity with this id has a component, but the bytes contain no value of that component.
    Missing(u64),
    /// The layout of the bytes has this version, which is not supported.
    Version(u32),
    /// The bytes are compressed, and this program does not have the feature `lz4`.
    Compressed,
    /// The checksum does not match.
    Checksum,
    /// The bytes end too early, or contain a length past their end.
    Ended,
    /// Further bytes follow the world.
    TooLong,
    /// A text is not UTF-8.
    Text,
    /// A flag is neither 0 nor 1.
    Flag,
    /// The form of some values is unknown.
    Form,
    /// The state of a system is invalid.
    Kept,
    /// The format does not know the type of a `Local` of a system: see [`with_local`](crate::WorldFormat::with_local).
    UnknownLocal,
    /// The ends of pairs or links are not an even number of entities.
    Odd,
    /// No entity has this id. In a delta: the replica does not know this entity, or the entity should be new and the replica already has
    /// it.
    Entity(u64),
    /// No component, resource, relation or entity of a block has this number, or the component with this number is not allowed here.
    Number(u32),
    /// The format does not know the component, resource or relation.
    UnknownName,
    /// The bytes contain values of an unknown relation, or of a side of an unknown relationship. They cannot be kept, because the entities
    /// at their other ends may be despawned.
    NotKept,
    /// This type and the type with the problem are read as one type, and the bytes contain values of both.
    Same(String),
    /// The bytes contain too many unknown values that take no bytes.
    TooMany,
    /// A table has two columns of one component, an entity has two values of it, or a resource or relation occurs twice.
    Twice,
    /// A replay has a checksum for this frame, which is not after the frame of the previous checksum, or is after the last frame.
    Frame(u64),
    /// Values have this version, which is not supported.
    ValueVersion(u32),
    /// The resource was saved by a format that lists the type of the resource. This format does not list it.
    NotListed,
    /// A value cannot be deserialised, for this reason.
    Value(String),
    /// The values are shorter than their bytes.
    ValuesTooLong,
}

impl fmt::Display for NotSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(name) => write!(f, "component `{name}` (`with_components`, or `without_component`)"),
            Self::Relation(name) => write!(f, "pairs of relation `{name}` (`with_relations`, or `without_relation`)"),
            Self::NotClone(name) => write!(f, "component `{name}`, whose values are not to be cloned"),
            Self::OtherSide(name) => write!(f, "component `{name}` without the other side of its relationship"),
            // `strata-app` implements serde's traits for its types only with its feature `serde`.
            Self::Resource(name) if name.contains("strata_app::") => write!(
                f,
                "resource `{name}` (`with_resources`, which needs the feature `serde` of `strata-app`, or `without_resource`)"
            ),
            Self::Resource(name) => write!(f, "resource `{name}` (`with_resources`, or `without_resource`)"),
            Self::Unknown => f.write_str(
                "values of unknown types (`keeping_unknown`, or `without_component::<UnknownComponents>` and `without_resource::<UnknownResources>`)",
            ),
            Self::LeftOut(what @ (LeftOut::Systems(_) | LeftOut::Removals(_) | LeftOut::IdForecasts)) => {
                write!(f, "{what} (`with_new_consumers`)")
            }
            Self::LeftOut(what) => what.fmt(f),
        }
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Snapshot(SnapshotError::NotTaken(all)) => {
                list(f, "the format cannot save ", all.iter().map(|what| fmt::from_fn(move |f| not_taken(f, what))))
            }
            Self::Snapshot(error) => error.fmt(f),
            Self::NotSaved(all) => list(f, "the format does not save ", all.iter()),
            Self::NoFormat => f.write_str(NO_FORMAT),
            Self::SameName(name) => same_name(f, name),
            Self::Value(name, error) => write!(f, "a value of `{name}` cannot be serialised: {error}"),
            Self::Load(error) => write!(f, "the world cannot be read again to leave out entities: {error}"),
            Self::Io(error) => write!(f, "the file cannot be written: {error}"),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes { offset, name: Some(name), problem } => write!(f, "at byte {offset}, of `{name}`: {problem}"),
            Self::Bytes { offset, name: None, problem } => write!(f, "at byte {offset}: {problem}"),
            Self::Build(error) => write!(f, "the saved world contradicts itself: {error}"),
            Self::Restore(error) => error.fmt(f),
            Self::NoFormat => f.write_str(NO_FORMAT),
            Self::SameName(name) => same_name(f, name),
            Self::Io(error) => write!(f, "the file cannot be read: {error}"),
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Save(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
            Self::Differs(name) => write!(f, "values of `{name}` are others when they are loaded and saved once more"),
            Self::DiffersAt(at) => write!(f, "byte {at} is another one when the world is loaded and saved once more"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSave => f.write_str("this is no saved world"),
            Self::NoDelta => f.write_str("this is no delta"),
            Self::Missing(bits) => write!(f, "the new entity {bits:#x} has no value of it"),
            Self::NoReplay => f.write_str("this is no replay"),
            Self::Version(version) => write!(f, "the bytes are in version {version} of the format"),
            Self::Compressed => f.write_str("the world is compressed: turn on the feature `lz4` of `strata-save`"),
            Self::Checksum => f.write_str("the bytes are damaged: their checksum is another one"),
            Self::Ended => f.write_str("more should follow than does"),
            Self::TooLong => f.write_str("more follows than should"),
            Self::Text => f.write_str("a name is not UTF-8"),
            Self::Flag => f.write_str("a number is neither 0 nor 1"),
            Self::Form => f.write_str("there is no such form of values"),
            Self::Kept => f.write_str("no system keeps anything like that"),
            Self::UnknownLocal => {
                f.write_str("the format does not know the type of this `Local` (`with_local`, or `without_unknown_locals`)")
            }
            Self::Odd => f.write_str("pairs have two ends each"),
            Self::Entity(bits) => write!(f, "no entity has the id {bits:#x}"),
            Self::Number(number) => write!(f, "there is no such type with number {number}"),
            Self::NotKept => f.write_str(
                "values of unknown relations and relationships cannot be kept (`skipping_unknown` passes over them)",
            ),
            Self::Same(other) => {
                write!(f, "these values and those of `{other}` are both read as one type (`with_alias`), so that they cannot be told apart")
            }
            Self::TooMany => f.write_str("there are more values that take no bytes than a file of this size may have"),
            Self::Twice => f.write_str("it is there twice: a table has two columns of it, an entity two values, or the world two such resources"),
            Self::Frame(frame) => write!(f, "the checksum of frame {frame} is out of order, or there is no such frame"),
            Self::UnknownName => {
                f.write_str(
                    "the format does not know a type with this name, nor one that had it (`with_alias`, `keeping_unknown`, or `skipping_unknown`)",
                )
            }
            Self::ValueVersion(version) => {
                write!(f, "the values were saved in version {version} of the type, which is not read (`with_upgrade`)")
            }
            Self::NotListed => f.write_str(
                "the value was saved by a format that lists this resource: list it in `with_resources(resources![..])` here, too",
            ),
            Self::Value(error) => write!(f, "a value cannot be deserialised: {error}"),
            Self::ValuesTooLong => f.write_str("there are more bytes than the values take"),
        }
    }
}

/// Writes a text, and then the items of a list, separated by semicolons.
fn list(f: &mut fmt::Formatter<'_>, text: &str, all: impl Iterator<Item: fmt::Display>) -> fmt::Result {
    f.write_str(text)?;
    all.enumerate().try_for_each(|(at, one)| write!(f, "{}{one}", if at == 0 { "" } else { "; " }))
}

/// Describes data that a snapshot cannot contain, and the options of a format that concern them.
fn not_taken(f: &mut fmt::Formatter<'_>, what: &NotTaken) -> fmt::Result {
    match what {
        NotTaken::Local { system, value } => {
            let ways = "`WorldFormat::with_local`, `without_unknown_locals` or `with_new_consumers`";
            write!(f, "`Local<{value}>` of system `{system}` ({ways})")
        }
        NotTaken::Resource(_) => write!(f, "{what} (or `WorldFormat::without_resource`)"),
        NotTaken::EntityObservers => write!(f, "{what} (`WorldFormat::with_new_consumers`)"),
        what => fmt::Display::fmt(what, f),
    }
}

const NO_FORMAT: &str = "the world has no registered format: call `WorldFormat::register` first";

fn same_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(
        f,
        "two types of the format have the name \"{name}\" in files: give one of them another one, `#[component(name = \"..\")]`"
    )
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Load(error) => error.source(),
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Save(error) => error.source(),
            Self::Load(error) => error.source(),
            _ => None,
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for SaveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
