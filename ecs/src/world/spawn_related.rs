//! Bundles that spawn other entities: `children![..]`, `related![..]`, and the types that they consist of.
//!
//! Inserting such a bundle gives the entity a helper component. After observers and hooks have been notified of the
//! insertion, the helper component is removed, and the entities are spawned.
//!
//! Tests: tests/relationships/bundles.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::cast::World;
use super::related::{RelatedSpawner, expect_same_world};
use crate::component::{ChangeTracking, Component, ComponentHook, DeferredWorld, HookContext, Immutable, StorageType};
use crate::entity::Entity;
use crate::relations::relationship::{Relationship, RelationshipTarget};
use crate::structure::bundle::{Bundle, BundleField};

/// An item of a list that spawns an entity with a bundle.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::spawn::Spawn;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
///
/// let mut world = World::new();
/// let root = world.spawn(Children::spawn((Spawn(Health(1)), Spawn(Health(2))))).id();
/// assert_eq!(world.get::<Children>(root).unwrap().len(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spawn<B: Bundle>(pub B);

/// An item of a list that spawns an entity for each bundle of an iterator.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::spawn::SpawnIter;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
///
/// let mut world = World::new();
/// let root = world.spawn(Children::spawn(SpawnIter((0..3).map(Health)))).id();
/// assert_eq!(world.get::<Children>(root).unwrap().len(), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpawnIter<I>(pub I);

/// An item of a list that calls a function, which spawns entities.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::relationship::RelatedSpawner;
/// use strata_ecs::spawn::SpawnWith;
///
/// let mut world = World::new();
/// let root = world.spawn(Children::spawn(SpawnWith(|parent: &mut RelatedSpawner<'_, ChildOf>| {
///     parent.spawn_empty();
/// }))).id();
/// assert_eq!(world.get::<Children>(root).unwrap().len(), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpawnWith<F>(pub F);

/// An item of a list that links existing entities.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::spawn::{Spawn, WithRelated};
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// let root = world.spawn(Children::spawn((WithRelated::new([b, a]), Spawn(())))).id();
/// assert_eq!(world.get::<Children>(root).unwrap()[..2], [b, a]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithRelated<I>(pub I);

impl<I> WithRelated<I> {
    /// Creates the item from anything that can be iterated.
    pub fn new(iter: impl IntoIterator<IntoIter = I>) -> Self {
        Self(iter.into_iter())
    }
}

/// An item of a list that links one existing entity.
#[derive(Clone, Copy, Debug)]
pub struct WithOneRelated(pub Entity);

/// A list of entities that are linked by `R` to another one: the argument of [`SpawnRelated::spawn`]. The entities of
/// the list are spawned, or exist already. The list is a [`Spawn`], [`SpawnIter`], [`SpawnWith`], [`WithRelated`],
/// [`WithOneRelated`], a vector of bundles, or a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of entities to spawn",
    label = "not a list",
    note = "write `children![..]`, or `Spawn(bundle)`, `SpawnIter(bundles)`, `SpawnWith(function)`, or a tuple of at most 16 of \
            these, which may contain further tuples"
)]
pub trait SpawnableList<R>: Sized {
    /// Spawns the entities, and links them to `entity`.
    fn spawn(self, world: &mut World, entity: Entity);

    /// Returns an estimate of the number of entities. The default is one.
    fn size_hint(&self) -> usize {
        1
    }
}

impl<R: Relationship, B: Bundle> SpawnableList<R> for Vec<B> {
    fn spawn(self, world: &mut World, entity: Entity) {
        world.spawn_batch(self.into_iter().map(|bundle| (R::from(entity), bundle)));
    }

    fn size_hint(&self) -> usize {
        self.len()
    }
}

impl<R: Relationship, B: Bundle> SpawnableList<R> for Spawn<B> {
    fn spawn(self, world: &mut World, entity: Entity) {
        world.spawn((R::from(entity), self.0));
    }
}

impl<R, I, B> SpawnableList<R> for SpawnIter<I>
where
    R: Relationship,
    I: Iterator<Item = B> + Send + Sync + 'static,
    B: Bundle,
{
    fn spawn(self, world: &mut World, entity: Entity) {
        let of = world.id();
        self.0.for_each(|bundle| {
            expect_same_world(world, of, entity);
            world.spawn((R::from(entity), bundle));
        });
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint().0
    }
}

impl<R, F> SpawnableList<R> for SpawnWith<F>
where
    R: Relationship,
    F: FnOnce(&mut RelatedSpawner<'_, R>) + Send + Sync + 'static,
{
    fn spawn(self, world: &mut World, entity: Entity) {
        (self.0)(&mut RelatedSpawner::new(world, entity));
    }
}

impl<R: Relationship, I: Iterator<Item = Entity>> SpawnableList<R> for WithRelated<I> {
    fn spawn(self, world: &mut World, entity: Entity) {
        let related: Vec<Entity> = self.0.collect();
        if let Ok(mut target) = world.get_entity_mut(entity) {
            target.add_related::<R>(&related);
        }
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint().0
    }
}

impl<R: Relationship> SpawnableList<R> for WithOneRelated {
    fn spawn(self, world: &mut World, entity: Entity) {
        if let Ok(mut target) = world.get_entity_mut(entity) {
            target.add_one_related::<R>(self.0);
        }
    }
}

macro_rules! lists {
    ($($T:ident $at:tt)*) => {
        #[allow(unused_variables, reason = "the empty tuple has no members")]
        impl<R: Relationship, $($T: SpawnableList<R>),*> SpawnableList<R> for ($($T,)*) {
            fn spawn(self, world: &mut World, entity: Entity) {
                let of = world.id();
                $(
                    expect_same_world(world, of, entity);
                    self.$at.spawn(world, entity);
                )*
            }

            fn size_hint(&self) -> usize {
                0 $(+ self.$at.size_hint())*
            }
        }
    };
}

lists!();
all_tuples!(lists);

/// A bundle that spawns the entities of a list, and links them by `R` to the entity into which the bundle is inserted.
/// `children![..]` and `related![..]` make such a bundle.
///
/// The entities are spawned after observers and hooks have been notified of the insertion of the bundle. A bundle can
/// contain only one `SpawnRelatedBundle` for each relationship.
pub struct SpawnRelatedBundle<R: Relationship, L> {
    made: RelatedSpawns<R, L>,
}

enum RelatedSpawns<R: Relationship, L> {
    List(L),
    Pending(Pending<R>),
}

/// A bundle that spawns one entity.
pub type SpawnOneRelated<R, B> = SpawnRelatedBundle<R, Spawn<B>>;

impl_debug_of_fields! { [R: Relationship, L] SpawnRelatedBundle<R, L> {} }

/// A function that spawns entities and links them to the given entity.
type SpawnFn = Box<dyn FnOnce(&mut World, Entity) + Send + Sync>;

/// The helper component, which holds the function that spawns the entities.
pub struct Pending<R: Relationship> {
    /// The function; `None` if it has been called.
    spawn: Option<SpawnFn>,
    marker: PhantomData<R>,
}

impl<R: Relationship> Component for Pending<R> {
    type Mutability = Immutable;

    const STORAGE_TYPE: StorageType = StorageType::Sparse;

    const TRACK: ChangeTracking = ChangeTracking::Never;

    const ACTS: bool = true;

    fn on_insert() -> Option<ComponentHook> {
        Some(spawn_pending::<R>)
    }
}

/// Records a command that spawns the entities. It is applied after observers and hooks have been notified.
fn spawn_pending<R: Relationship>(mut world: DeferredWorld<'_>, context: HookContext) {
    let entity = context.entity;
    world.commands().queue(move |world: &mut World| {
        if let Some(spawn) = take_pending::<R>(world, entity) {
            spawn(world, entity);
        }
    });
}

/// Removes the helper component from an entity and returns the function in it.
fn take_pending<R: Relationship>(world: &mut World, entity: Entity) -> Option<SpawnFn> {
    let spawn = world.store.sole_mut::<Pending<R>>(entity).and_then(|pending| pending.spawn.take());
    if spawn.is_some() && world.store.remove_untold::<Pending<R>>(entity) {
        return spawn;
    }
    let pending = world.get_entity_mut(entity).ok()?.take::<Pending<R>>()?;
    spawn.or(pending.spawn)
}

impl<R: Relationship, L: SpawnableList<R> + Send + Sync + 'static> Bundle for SpawnRelatedBundle<R, L> {
    type Parts = BundleField<Pending<R>>;

    fn into_parts(self) -> Self::Parts {
        BundleField::new(match self.made {
            RelatedSpawns::List(list) => {
                Pending { spawn: Some(Box::new(move |world, entity| list.spawn(world, entity))), marker: PhantomData }
            }
            RelatedSpawns::Pending(pending) => pending,
        })
    }

    fn from_parts(parts: Self::Parts) -> Self {
        Self { made: RelatedSpawns::Pending(parts.into_inner()) }
    }
}

/// Makes bundles that spawn the sources of a [`RelationshipTarget`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::spawn::Spawn;
///
/// let mut world = World::new();
/// let root = world.spawn(Children::spawn((Spawn(()), Spawn(Children::spawn_one(()))))).id();
/// assert_eq!(world.get::<Children>(root).unwrap().len(), 2);
/// assert_eq!(world.len(), 4);
/// ```
pub trait SpawnRelated: RelationshipTarget {
    /// Makes a bundle that spawns the entities of a list, and links them to the entity into which the bundle is
    /// inserted.
    fn spawn<L: SpawnableList<Self::Relationship>>(list: L) -> SpawnRelatedBundle<Self::Relationship, L>;

    /// Makes a bundle that spawns one entity, and links it to the entity into which the bundle is inserted.
    fn spawn_one<B: Bundle>(bundle: B) -> SpawnOneRelated<Self::Relationship, B>;
}

impl<T: RelationshipTarget> SpawnRelated for T {
    fn spawn<L: SpawnableList<Self::Relationship>>(list: L) -> SpawnRelatedBundle<Self::Relationship, L> {
        SpawnRelatedBundle { made: RelatedSpawns::List(list) }
    }

    fn spawn_one<B: Bundle>(bundle: B) -> SpawnOneRelated<Self::Relationship, B> {
        SpawnRelatedBundle { made: RelatedSpawns::List(Spawn(bundle)) }
    }
}
