//! Errors of taking and restoring snapshots.
//!
//! Tests: tests/snapshots/limits.rs

use alloc::vec::Vec;

use crate::structure::store::{BuildError, NotTaken};

/// The reason why a [snapshot](super) cannot be taken. Nothing has changed.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::{NotTaken, SnapshotError};
///
/// #[derive(Component)]
/// struct Connection;
///
/// let mut world = World::new();
/// world.spawn(Connection);
/// let Err(SnapshotError::NotTaken(what)) = world.snapshot() else { unreachable!() };
/// assert!(matches!(what[..], [NotTaken::Component(name)] if name.ends_with("Connection")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A schedule is running or taken out of the world, a frame that was opened by
    /// [`World::frame`](crate::world::World::frame) has not ended, or an observer or hook is running.
    Busy,
    /// A resource is missing because a scope has taken it out. The text is the type name of the resource.
    Lent(&'static str),
    /// Some data of the world cannot be copied.
    NotTaken(Vec<NotTaken>),
    /// A [copy](crate::world::World::try_clone) of the world cannot be built. For instance, a program has swapped the
    /// lists of two targets of a relationship, so that the sides of the relationship disagree.
    Contents(BuildError),
}

impl_error! {
    [] SnapshotError => |this, f| match this {
        Self::Busy => f.write_str("a snapshot cannot be taken while a schedule, a frame or an observer is running"),
        Self::Lent(name) => {
            write!(f, "a snapshot cannot be taken while resource `{name}` is taken out by `resource_scope`")
        }
        Self::NotTaken(all) => {
            f.write_str("a snapshot cannot take ")?;
            for (at, one) in all.iter().enumerate() {
                write!(f, "{}{one}", if at == 0 { "" } else { "; " })?;
            }
            f.write_str("; derive `Clone`, or leave something out: `SnapshotOptions`")
        }
        Self::Contents(error) => write!(f, "the world cannot be copied: {error}"),
    }
}

/// The reason why a world cannot be restored. Nothing has changed.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::RestoreError;
///
/// let snapshot = World::new().snapshot().unwrap();
/// assert!(matches!(World::new().restore(&snapshot), Err(RestoreError::OtherWorld)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// A schedule is running or taken out of the world, a frame that was opened by
    /// [`World::frame`](crate::world::World::frame) has not ended, or an observer or hook is running.
    Busy,
    /// A resource is missing because a scope has taken it out. The text is the type name of the resource.
    Lent(&'static str),
    /// The snapshot was taken of another world.
    OtherWorld,
    /// A `Clone` panicked while the snapshot was being overwritten.
    Unfinished,
    /// The world in which a snapshot is to be [restored](crate::world::World::restore_into) cannot hold the contents of
    /// the snapshot.
    Contents(BuildError),
    /// The snapshot contains values of a component that is not `Clone`. They were made by
    /// [constructors](super::NewColumnContents::of_required). Such a snapshot can only be restored once, by
    /// [`World::restore_from`](crate::world::World::restore_from). The text is the type name of the component.
    NotClone(&'static str),
}

impl_error! {
    [] RestoreError => |this, f| match this {
        Self::Busy => f.write_str("a world cannot be restored while a schedule, a frame or an observer is running"),
        Self::Lent(name) => {
            write!(f, "a world cannot be restored while resource `{name}` is taken out by `resource_scope`")
        }
        Self::OtherWorld => f.write_str(
            "the snapshot was taken of another world\nhelp: `World::restore_into` restores a snapshot of any world",
        ),
        Self::Unfinished => f.write_str("the snapshot is not complete: a `Clone` panicked when it was taken"),
        Self::Contents(error) => write!(f, "the world cannot hold what the snapshot does: {error}"),
        Self::NotClone(name) => write!(
            f,
            "the snapshot has values of `{name}`, which is not known to be `Clone`: restore it once, by `World::restore_from`"
        ),
    }
}
