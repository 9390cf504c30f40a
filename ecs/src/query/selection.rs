//! Changing many entities at once.
//!
//! [`World::all`](crate::world::World::all) selects the entities that match a filter, [`World::many`](crate::world::World::many) the
//! entities of a list. The operations of an [`EntitySelection`] run table by table: rows move as blocks, one for each column. If all rows
//! of a table move to an empty table, the two exchange the memory of their columns. This costs a fraction of the same changes entity by
//! entity.
// Tests: tests/storage/selections

use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;

use crate::component::Component;
use crate::entity::{Entity, EntityMap};
use crate::query::{QueryState, ReadOnlyQueryData, SelectionReader};
use crate::structure::bundle::{Bundle, OneOfEach};
use crate::structure::store::{
    DispatchVTable, LifecycleEvents, Selection, Store, forget_selections, move_selections_to,
};

/// Selected entities of a world, to change all of them. Made by [`World::all`](crate::world::World::all) and
/// [`World::many`](crate::world::World::many).
///
/// The order in which entities are visited, and the order of their rows afterwards, are not specified. They are always the same for
/// the same world.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Enemy;
/// #[derive(Component, Clone)]
/// struct Frozen(u32);
/// #[derive(Component)]
/// struct Boss;
///
/// let mut world = World::new();
/// world.spawn_batch((0..100).map(|_| Enemy));
/// world.spawn((Enemy, Boss));
/// assert_eq!(world.all::<(With<Enemy>, Without<Boss>)>().insert(Frozen(5)), 100);
/// assert_eq!(world.all::<With<Frozen>>().despawn(), 100);
/// assert_eq!(world.len(), 1);
/// ```
#[must_use = "a selection does nothing by itself"]
#[doc(alias("EntityQuery"))]
pub struct EntitySelection<'w> {
    store: &'w mut Store,
    selections: Vec<Selection>,
}

impl<'w> EntitySelection<'w> {
    pub(crate) fn new(store: &'w mut Store, selections: Vec<Selection>) -> Self {
        Self { store, selections }
    }

    /// Returns the number of selected entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.selections.iter().map(|selection| selection.len(self.store)).sum()
    }

    /// Returns whether no entity is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the selected entities, table by table.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let enemy = world.spawn(Enemy).id();
    /// assert_eq!(world.all::<With<Enemy>>().ids(), [enemy]);
    /// ```
    #[must_use]
    pub fn ids(&self) -> Vec<Entity> {
        self.selections.iter().flat_map(|selection| selection.entities(self.store)).collect()
    }

    /// Inserts a clone of a bundle into each entity, and returns the number of entities. Existing values are replaced.
    ///
    /// If a clone panics, tables that are not finished are unchanged, except in two cases: if the entities of a table already have
    /// all components of the bundle, or if a component of the bundle is sparse (unless it is the only component and the entities do
    /// not have it). In these cases the entities of a table are changed one by one, and those before the panic keep the bundle. If
    /// the `Drop` of a replaced value panics, the same holds in these two cases; otherwise the whole table has been changed.
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, Clone, PartialEq, Debug)] struct Frozen(u32);
    /// # let mut world = World::new();
    /// let enemy = world.spawn(Enemy).id();
    /// assert_eq!(world.all::<With<Enemy>>().insert(Frozen(5)), 1);
    /// assert_eq!(world.get(enemy), Some(&Frozen(5)));
    /// ```
    #[doc(alias("AddComponent"))]
    #[track_caller]
    pub fn insert<B: Bundle + Clone>(self, bundle: B) -> usize {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.insert_with(|_| bundle.clone())
    }

    /// Inserts the bundle that a function makes for each entity, and returns the number of entities. The function is called once for each
    /// entity, table by table, and within a table in the order of [`EntitySelection::ids`].
    ///
    /// If the function panics, the effect is the same as for [`EntitySelection::insert`].
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, PartialEq, Debug)] struct Number(u32);
    /// # let mut world = World::new();
    /// let enemy = world.spawn(Enemy).id();
    /// world.all::<With<Enemy>>().insert_with(|entity| Number(entity.index()));
    /// assert_eq!(world.get(enemy), Some(&Number(enemy.index())));
    /// ```
    #[track_caller]
    pub fn insert_with<B: Bundle>(mut self, mut make: impl FnMut(Entity) -> B) -> usize {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.sort_for::<B>();
        let Self { store, selections } = self;
        let insert =
            |store: &mut Store, selection: &Selection| store.insert_into(selection, |_, entity, _| make(entity));
        for_all(store, &selections, Store::collect_insertion::<B>, insert)
    }

    /// Inserts the bundle that a function makes from other components of each entity. Entities without these components are
    /// skipped. Returns the number of entities that got a bundle.
    ///
    /// If the function panics, the effect is the same as for [`EntitySelection::insert`].
    ///
    /// # Panics
    ///
    /// If the bundle has a component twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Speed(f32);
    /// # #[derive(Component, PartialEq, Debug)] struct Energy(f32);
    /// # let mut world = World::new();
    /// let fast = world.spawn(Speed(3.0)).id();
    /// world.spawn_empty();
    /// let count = world.all::<()>().insert_from::<&Speed, _>(|speed| Energy(speed.0 * speed.0 / 2.0));
    /// assert_eq!((count, world.get(fast)), (1, Some(&Energy(4.5))));
    /// ```
    #[track_caller]
    pub fn insert_from<D: ReadOnlyQueryData, B: Bundle>(self, mut make: impl FnMut(D::Item<'_, '_>) -> B) -> usize {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        let () = QueryState::<D>::FITS_ONE_ENTITY;
        let lookup = SelectionReader::<D>::new(self.store);
        let mut entities = self.ids();
        entities.retain(|&entity| lookup.contains(self.store, entity));
        let mut narrowed = Self { selections: self.store.select(&entities), store: self.store };
        narrowed.sort_for::<B>();
        let Self { store, selections } = narrowed;
        let mut make = |store: &Store, entity, _| match lookup.get(store, entity) {
            Some(item) => make(item),
            None => unreachable!("the entity has been asked for what is read, and has not changed since"),
        };
        for_all(store, &selections, Store::collect_insertion::<B>, |store, selection| {
            store.insert_into(selection, &mut make)
        })
    }

    /// Inserts bundles whose components are in slices, one slice for each component, and returns the number of entities. The first values
    /// are for the first entity of [`EntitySelection::ids`], and so on; values are cloned.
    ///
    /// If a clone panics, the effect is the same as for [`EntitySelection::insert`].
    ///
    /// # Errors
    ///
    /// If the length of a slice differs from the number of entities. Then nothing has changed.
    ///
    /// # Panics
    ///
    /// If a component occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, Clone, PartialEq, Debug)] struct Health(u32);
    /// # #[derive(Component, Clone)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// let enemies = world.all::<With<Enemy>>();
    /// let last = enemies.ids()[1];
    /// enemies.insert_columns((&[Health(1), Health(2)][..], &[Mana(3), Mana(4)][..])).unwrap();
    /// assert_eq!(world.get(last), Some(&Health(2)));
    /// assert!(world.all::<With<Enemy>>().insert_columns(&[Health(5)][..]).is_err());
    /// ```
    pub fn insert_columns<S: SliceBundle>(mut self, slices: S) -> Result<usize, InsertColumnsError> {
        let entities = self.len();
        let mut odd = None;
        slices.lengths(&mut |component, values| {
            if values != entities {
                odd = odd.or(Some(InsertColumnsError { component, values, entities }));
            }
        });
        if let Some(error) = odd {
            return Err(error);
        }
        self.sort_for::<S::Bundle>();
        let Self { store, selections } = self;
        let insert =
            |store: &mut Store, selection: &Selection| store.insert_into(selection, |_, _, nth| slices.bundle(nth));
        Ok(for_all(store, &selections, Store::collect_insertion::<S::Bundle>, insert))
    }

    /// Sorts the tables: those in which the change leaves the entities come first, since the other tables may add rows to them.
    fn sort_for<B: Bundle>(&mut self) {
        self.store.order_for_insert::<B>(&mut self.selections);
    }

    /// Removes the components of a bundle from each entity, and drops them. An entity may have only some of the components. Returns
    /// the number of selected entities.
    ///
    /// If a `Drop` panics, the table of the value is finished, and later tables are unchanged.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Frozen(u32);
    /// # let mut world = World::new();
    /// let enemy = world.spawn((Enemy, Frozen(2))).id();
    /// assert_eq!(world.all::<With<Frozen>>().remove::<Frozen>(), 1);
    /// assert!(world.entity(enemy).contains::<Enemy>() && !world.entity(enemy).contains::<Frozen>());
    /// ```
    #[track_caller]
    pub fn remove<B: Bundle>(mut self) -> usize {
        OneOfEach::<B>::check();
        self.store.order_for_removal::<B>(&mut self.selections);
        let Self { store, selections } = self;
        for_all(store, &selections, Store::collect_removal::<B>, Store::remove_from::<B>)
    }

    /// Despawns the entities without notifying listeners.
    pub(crate) fn forget_in_store(self, quiet: &'static DispatchVTable<Store>) -> usize {
        let Self { store, selections } = self;
        forget_selections(store, &selections, quiet)
    }

    /// Moves the entities into another world, where they get other ids.
    pub(crate) fn move_to_store(self, to: &mut Store) -> EntityMap {
        let Self { store, selections } = self;
        EntityMap::new(move_selections_to(store, &selections, to))
    }

    /// Despawns the entities and drops their components. Returns their number.
    ///
    /// If a `Drop` panics, the table of the value is finished, and later tables are unchanged.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// assert_eq!(world.all::<With<Enemy>>().despawn(), 2);
    /// assert!(world.is_empty());
    /// ```
    #[doc(alias("delete_with", "DestroyEntity"))]
    pub fn despawn(self) -> usize {
        let Self { store, selections } = self;
        for_all(store, &selections, Store::collect_end_of, |store, selection| store.despawn_all(selection, None))
    }
}

/// Carries out one operation on all selections, and returns the number of entities. `collect` collects the events of a selection
/// that are sent before the operation.
fn for_all(
    store: &mut Store,
    selections: &[Selection],
    collect: impl Fn(&mut Store, &mut LifecycleEvents, &Selection),
    mut operation: impl FnMut(&mut Store, &Selection) -> usize,
) -> usize {
    if let [selection] = selections {
        return operation(store, selection);
    }
    let collect_all = |store: &mut Store, events: &mut LifecycleEvents| {
        selections.iter().for_each(|selection| collect(store, events, selection));
    };
    store.notify_and_batch(collect_all, |store| selections.iter().map(|selection| operation(store, selection)).sum())
}

/// Slices of components with one value for each entity, for [`EntitySelection::insert_columns`]: a slice, or a tuple of up to 15 slices.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone, Debug, PartialEq)] struct Health(u32);
/// # #[derive(Component, Clone)] struct Mana(u32);
///
/// let mut world = World::new();
/// let ids: Vec<Entity> = (0..3).map(|_| world.spawn_empty().id()).collect();
/// let healths = vec![Health(1), Health(2), Health(3)];
/// let mana = vec![Mana(0); 3];
/// world.many(&ids).insert_columns((&healths[..], &mana[..])).unwrap();
/// assert_eq!(world.get(ids[2]), Some(&Health(3)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice of components that can be cloned: give `&values[..]`, or a tuple of such slices",
    label = "not slices of components",
    note = "the components must be `Clone`, and up to 16 slices go into a tuple"
)]
pub trait SliceBundle {
    /// The bundle for one entity.
    type Bundle: Bundle;

    /// Calls `each` with the name of every component and the length of its slice.
    #[doc(hidden)]
    fn lengths(&self, each: &mut dyn FnMut(&'static str, usize));

    /// Returns the bundle with this index.
    #[doc(hidden)]
    fn bundle(&self, number: usize) -> Self::Bundle;
}

impl<C: Component + Clone> SliceBundle for &[C] {
    type Bundle = C;

    fn lengths(&self, each: &mut dyn FnMut(&'static str, usize)) {
        each(type_name::<C>(), self.len());
    }

    #[inline]
    fn bundle(&self, number: usize) -> C {
        self[number].clone()
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: SliceBundle),*> SliceBundle for ($($T,)*) {
            type Bundle = ($($T::Bundle,)*);

            fn lengths(&self, each: &mut dyn FnMut(&'static str, usize)) {
                $(self.$at.lengths(each);)*
            }

            #[inline]
            fn bundle(&self, number: usize) -> Self::Bundle {
                ($(self.$at.bundle(number),)*)
            }
        }
    };
}

all_tuples!(tuples);

/// The length of a slice differs from the number of entities. Nothing has changed.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone)] struct Health(u32);
/// # let mut world = World::new();
/// world.spawn_empty();
/// let error = world.all::<()>().insert_columns(&[Health(1), Health(2)][..]).unwrap_err();
/// assert!(error.to_string().ends_with("Health` has 2 values for 1 entities"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InsertColumnsError {
    component: &'static str,
    values: usize,
    entities: usize,
}

impl fmt::Display for InsertColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the slice of `{}` has {} values for {} entities", self.component, self.values, self.entities)
    }
}

impl core::error::Error for InsertColumnsError {}

impl fmt::Debug for EntitySelection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.ids()).finish()
    }
}
