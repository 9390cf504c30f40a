//! What a relation is.

use core::marker::PhantomData;

use crate::component::{ComponentKey, Description, TypeSlot, UpgradeList};

/// What becomes of a pair whose target is despawned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnTargetDespawn {
    /// It is removed.
    Release,
    /// Its source is despawned as well.
    Cascade,
    /// It stays, with a target that is not alive, until its source goes.
    Ignore,
}

/// What may be between two entities, a *source* and a *target*, with a value of this type: a pair.
///
/// Between the same source and the same target there is one pair of a relation at most. An entity may be the source of many pairs, and
/// the target of many. Derive it:
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
/// | `on_target_despawn = "release"` | a pair whose target is despawned is removed; this is so without the option |
/// | `on_target_despawn = "cascade"` | the source of such a pair is despawned |
/// | `on_target_despawn = "ignore"` | such a pair stays until its source goes |
/// | `exclusive` | a source has one pair at most: another one takes its place |
/// | `symmetric` | a pair has no direction: both entities are source and target, and find the same value |
/// | `acyclic` | a pair that would close a circle is not made; finding out takes `O(pairs that lead on from the target)` |
/// | `clone`, `hash`, `serialize` | the type must be `Clone`, `Hash`, or `Serialize` and `DeserializeOwned`, also if the bounds of its parameters do not say so |
///
/// A pair that cannot be is not made, and reported as a [`CommandError`](crate::store::CommandError) of `relate`: one of an entity that is
/// not alive, one that closes a circle of an `acyclic` relation, one from an entity to itself if the relation is `symmetric`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation: add `#[derive(Relation)]` to it",
    label = "not a relation",
    note = "a relation is a struct with `#[derive(Relation)]`, whose values stand between two entities; a component that names its \
            target, as `ChildOf` does, is a `Relationship`"
)]
pub trait Relation: Send + Sync + Sized + 'static {
    /// What becomes of a pair whose target is despawned.
    const ON_TARGET_DESPAWN: OnTargetDespawn = OnTargetDespawn::Release;

    /// Whether a source has one target at most.
    const EXCLUSIVE: bool = false;

    /// Whether a pair has no direction.
    const SYMMETRIC: bool = false;

    /// Whether no chain of pairs leads back to where it began.
    const ACYCLIC: bool = false;

    /// Tells this relation from others while the program is compiled. The derive writes it.
    const KEY: ComponentKey = ComponentKey::UNKNOWN;

    /// What else is known of the type: its stable name, functions, and fields.
    const DESCRIPTION: Description<Self> = Description::new();

    /// Clones a value, if that is possible: pairs are cloned with their source.
    const CLONE: Option<fn(&Self) -> Self> = None;

    /// Lists what makes values of this version of those of older ones: the option `upgrade` of the derive.
    fn upgrades<L: UpgradeList<Self>>(_: &mut L) {}

    /// Where the process remembers a number for this type, if it has such a place: types with parameters have none.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// Asks whether values of a type can be cloned. The constant of the probe is its own if they can, and else that of [`NoClone`].
#[doc(hidden)]
#[derive(Debug)]
pub struct CloneProbe<T>(PhantomData<fn() -> T>);

/// What a [`CloneProbe`] answers if values cannot be cloned.
#[doc(hidden)]
pub trait NoClone {
    /// The type that is asked about.
    type Type;

    /// `Clone`
    const CLONE: Option<fn(&Self::Type) -> Self::Type> = None;
}

impl<T> NoClone for CloneProbe<T> {
    type Type = T;
}

impl<T: Clone> CloneProbe<T> {
    /// They can.
    pub const CLONE: Option<fn(&T) -> T> = Some(T::clone);
}
