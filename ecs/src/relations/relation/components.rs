//! The components that mark the entities in pairs.
//!
//! Tests: tests/relationships/pairs/operations.rs, tests/relationships/pairs/queries.rs

use core::marker::PhantomData;

use super::traits::Relation;
use crate::component::{Component, ComponentKey, Description, Immutable, RelationSide, StorageType};

/// A component of each entity that is the source of a pair of `R`. Queries can use it in filters like any other component:
/// `With<PairSource<Hunting>>`.
///
/// The component is added with the first pair and removed with the last pair. Removing the component, or all components, from an entity
/// removes the pairs. The component cannot be created by hand, and is stored outside of the tables.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::relation::{PairSource, PairTarget};
///
/// #[derive(Relation)]
/// struct Hunting;
///
/// let mut world = World::new();
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting, rabbit);
/// assert_eq!(world.query_filtered::<Entity, With<PairSource<Hunting>>>().single(&world), Ok(wolf));
/// assert_eq!(world.query_filtered::<Entity, With<PairTarget<Hunting>>>().single(&world), Ok(rabbit));
/// world.entity_mut(wolf).remove::<PairSource<Hunting>>();
/// assert_eq!(world.pair_count::<Hunting>(), 0);
/// ```
pub struct PairSource<R>(PhantomData<fn() -> R>);

/// A component of each entity that is the target of a pair of `R`. See [`PairSource`].
pub struct PairTarget<R>(PhantomData<fn() -> R>);

/// Implements the common parts of both components.
macro_rules! ends {
    ($($End:ident: $key:literal, $is_source:literal;)*) => { $(
        impl<R: Relation> $End<R> {
            /// Creates the component. Only the code that keeps it consistent with the pairs may call this.
            pub(crate) const fn new() -> Self {
                Self(PhantomData)
            }
        }

        impl<R: Relation> Component for $End<R> {
            type Mutability = Immutable;

            const STORAGE_TYPE: StorageType = StorageType::Sparse;
            const KEY: ComponentKey = R::KEY.mix($key);
            // A snapshot stores this component with the pairs, and a clone of an entity gets it with its own pairs. So it is cloned only in
            // copies of worlds.
            const DESCRIPTION: Description<Self> = Description::new()
                .with_copy()
                .with_clone_only_in_copies()
                .with_relation(RelationSide::of_pairs($is_source));
        }

        impl_copy! { [R] $End<R>; }

        impl_debug_as_type_name! { [R] $End<R>; }
    )* };
}

ends! {
    PairSource: 1, true;
    PairTarget: 2, false;
}
