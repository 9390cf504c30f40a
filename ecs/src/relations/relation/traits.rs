//! The trait of relations.
//!
//! Tests: tests/relationships/pairs/operations.rs

use core::marker::PhantomData;

use crate::component::{ComponentKey, Description, TypeSlot, UpgradeList};

/// The policy for a pair whose target is despawned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnTargetDespawn {
    /// The pair is removed.
    Release,
    /// The source of the pair is despawned, too.
    Cascade,
    /// The pair is kept, with a target that is not alive, until its source is despawned.
    Ignore,
}

/// The type of the values of pairs. A pair connects two entities, a *source* and a *target*.
///
/// A relation has at most one pair from a given source to a given target. An entity may be the source of many pairs and the target of many
/// pairs. Derive the trait:
///
/// ```
/// use strata_ecs::prelude::*;
///
/// /// A source has one target at most, and no chain of pairs leads back to where it began.
/// #[derive(Relation)]
/// #[relation(exclusive, acyclic, on_target_despawn = "cascade")]
/// struct MountedOn {
///     slot: u8,
/// }
///
/// let mut world = World::new();
/// let [ship, turret, barrel] = [(); 3].map(|()| world.spawn_empty().id());
/// world.relate(turret, MountedOn { slot: 1 }, ship);
/// world.relate(barrel, MountedOn { slot: 2 }, turret);
/// world.despawn(ship);
/// assert!(world.is_empty());
/// ```
///
/// | option | |
/// |---|---|
/// | `on_target_despawn = "release"` | a pair whose target is despawned is removed; this is the default |
/// | `on_target_despawn = "cascade"` | the source of such a pair is despawned |
/// | `on_target_despawn = "ignore"` | such a pair is kept until its source is despawned |
/// | `exclusive` | a source has at most one pair: a new one replaces it |
/// | `symmetric` | a pair has no direction: both entities are source and target, and find the same value |
/// | `acyclic` | a pair that would close a cycle is not made; the check takes `O(pairs that lead on from the target)` |
/// | `clone`, `hash`, `serialize` | the type must be `Clone`, `Hash`, or `Serialize` and `DeserializeOwned`, even without bounds that prove it |
///
/// An invalid pair is not made; `relate` reports it as a [`CommandError`](crate::store::CommandError). A pair is invalid if one of its
/// entities is not alive, if it would close a cycle of an `acyclic` relation, or if its source and target are the same entity and the
/// relation is `symmetric`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation: add `#[derive(Relation)]` to it",
    label = "not a relation",
    note = "a relation is a struct with `#[derive(Relation)]`, whose values stand between two entities; a component that names its \
            target, as `ChildOf` does, is a `Relationship`"
)]
pub trait Relation: Send + Sync + Sized + 'static {
    /// The policy for a pair whose target is despawned.
    const ON_TARGET_DESPAWN: OnTargetDespawn = OnTargetDespawn::Release;

    /// Whether a source has at most one target.
    const EXCLUSIVE: bool = false;

    /// Whether a pair has no direction.
    const SYMMETRIC: bool = false;

    /// Whether pairs cannot form a cycle.
    const ACYCLIC: bool = false;

    /// Identifies this relation at compile time. The derive writes the key.
    const KEY: ComponentKey = ComponentKey::UNKNOWN;

    /// The other properties of the type: its stable name, functions, and fields.
    const DESCRIPTION: Description<Self> = Description::new();

    /// The function that clones a value; `None` if values cannot be cloned. Pairs are cloned with their source.
    const CLONE: Option<fn(&Self) -> Self> = None;

    /// Lists the functions that convert values of older versions to this version. The option `upgrade` of the derive writes this function.
    fn upgrades<L: UpgradeList<Self>>(_: &mut L) {}

    /// Returns the slot in which the process stores a number for this type; `None` for generic types.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// Tests whether a type is `Clone`, by the constant `CLONE`. If the type is `Clone`, this is an inherent constant of the probe, otherwise
/// the constant of [`NoClone`].
#[doc(hidden)]
#[derive(Debug)]
pub struct CloneProbe<T>(PhantomData<fn() -> T>);

/// Provides the constant of a [`CloneProbe`] for types that are not `Clone`.
#[doc(hidden)]
pub trait NoClone {
    /// The tested type.
    type Type;

    /// `None`, because values cannot be cloned.
    const CLONE: Option<fn(&Self::Type) -> Self::Type> = None;
}

impl<T> NoClone for CloneProbe<T> {
    type Type = T;
}

impl<T: Clone> CloneProbe<T> {
    /// The clone function.
    pub const CLONE: Option<fn(&T) -> T> = Some(T::clone);
}
