//! The contents of a snapshot, as data that a format can write.
//!
//! Tests: tests/snapshots/contents.rs

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::api::{LivingContents, WorldSnapshot};
use super::columns::ColumnContents;
use super::consumers::{RemovalContents, ScheduleContents, SpawnTicks, unread_elsewhere};
use crate::component::{ComponentDescriptor, ErasedRef};
use crate::entity::{Entity, EntityIds};
use crate::relations::relation::{PairContents, PairsCopy, Relation, descriptor_of};
use crate::storage::resource::Resource;
use crate::storage::sparse::{SparseCopy, StorageMembers, indexes};
use crate::storage::table::{Table, TableCopy};
use crate::storage::tick::{ComponentTicks, Tick};
use crate::structure::store::{SnapshotClock, Store, StoreCopy};
use crate::world::{broken_links, listed_sources, other_side};

/// Data of a snapshot that the [contents](SnapshotContents) do not show.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LeftOut {
    /// The state of the systems in schedules whose labels have the same `Debug` output. The text is this output.
    Systems(String),
    /// The expected numbers of reserved ids, for systems in schedules that the world does not have. They affect which
    /// ids these systems get.
    IdForecasts,
    /// Removals of a component that a reader outside of schedules has not read. The text is the type name of the
    /// component.
    Removals(&'static str),
    /// A component of a relationship whose sides disagree, because a program has swapped the lists of two targets. The
    /// text is the type name of the source-side component.
    Side(&'static str),
}

impl_display! {
    [] LeftOut => |this, f| match this {
        Self::Systems(label) => {
            write!(f, "what systems keep of two schedules whose labels are both shown as `{label}`")
        }
        Self::IdForecasts => {
            f.write_str("how many ids systems are expected to reserve whose schedules are not in the world")
        }
        Self::Removals(name) => write!(f, "removals of component `{name}` that a reader has not read"),
        Self::Side(name) => write!(f, "component `{name}`, a side of links that are not right"),
    }
}

/// The contents of a snapshot, as data. See [Contents](super#contents).
#[derive(Clone, Copy)]
pub struct SnapshotContents<'s> {
    snapshot: &'s WorldSnapshot,
    books: ContentsSource<'s>,
}

/// The storage that contains the entities and components.
#[derive(Clone, Copy)]
enum ContentsSource<'s> {
    Copied(&'s StoreCopy),
    Living(&'s Store),
}

/// The rows of a table in a snapshot.
#[derive(Clone, Copy)]
pub struct TableContents<'s> {
    entities: &'s [Entity],
    stamp: Tick,
    rows: TableSource<'s>,
}

#[derive(Clone, Copy)]
enum TableSource<'s> {
    Copied(&'s TableCopy),
    Living(&'s Store, &'s Table),
}

/// The values of a sparse component in a snapshot.
#[derive(Clone, Copy)]
pub struct StorageContents<'s> {
    books: ContentsSource<'s>,
    members: StorageMembers<'s>,
    column: ColumnContents<'s>,
}

/// The pairs of a relation in a snapshot.
///
/// The [storages](SnapshotContents::storages) contain the components [`PairSource`](crate::relation::PairSource) and
/// [`PairTarget`](crate::relation::PairTarget) of the sources and targets.
#[derive(Clone, Copy)]
pub struct PairsContents<'s>(&'s dyn PairsCopy);

/// A resource in a snapshot.
#[derive(Clone, Copy)]
pub struct ResourceContents<'s> {
    value: ErasedRef<'s>,
    ticks: ComponentTicks,
}

impl WorldSnapshot {
    /// Returns the contents as data: see [Contents](super#contents). If the snapshot is incomplete because a `Clone`
    /// panicked, the contents are empty.
    #[must_use]
    pub fn contents(&self) -> SnapshotContents<'_> {
        SnapshotContents { snapshot: self, books: ContentsSource::Copied(&self.copy) }
    }
}

impl LivingContents<'_> {
    /// Returns the contents as data.
    #[must_use]
    pub fn contents(&self) -> SnapshotContents<'_> {
        SnapshotContents { snapshot: &self.around, books: ContentsSource::Living(self.store) }
    }
}

impl ContentsSource<'_> {
    /// Returns the live entity with this index.
    fn at_index(self, index: u32) -> Option<Entity> {
        match self {
            Self::Copied(copy) => copy.entities.at_index(index),
            Self::Living(store) => store.structure.entities.at_index(index).map(|(entity, _)| entity),
        }
    }
}

impl<'s> SnapshotContents<'s> {
    /// Returns the number of the frame, and the change tick.
    #[must_use]
    pub fn clock(self) -> SnapshotClock {
        let StoreCopy { tick, last, checked, .. } = self.snapshot.copy;
        let (frame_number, is_frame_open) = (self.snapshot.frame_number(), self.snapshot.copy.frames.any_ran);
        SnapshotClock { frame_number, is_frame_open, tick, last, checked }
    }

    /// Returns the state of the allocator, which determines the next ids.
    #[must_use]
    pub fn ids(self) -> EntityIds {
        match self.books {
            ContentsSource::Copied(copy) => copy.entities.ids(),
            ContentsSource::Living(store) => store.structure.entities.ids(),
        }
    }

    /// Returns the tables in their order. The first one contains the entities without table-stored components.
    pub fn tables(self) -> impl ExactSizeIterator<Item = TableContents<'s>> {
        let all: Vec<_> = match self.books {
            ContentsSource::Copied(copy) => copy.tables.iter().map(TableContents::of_copy).collect(),
            ContentsSource::Living(store) => TableContents::all_of(store).collect(),
        };
        all.into_iter()
    }

    /// Returns the sparse components that have values.
    pub fn storages(self) -> impl Iterator<Item = StorageContents<'s>> {
        let all: Vec<_> = match self.books {
            ContentsSource::Copied(copy) => {
                copy.sparse.iter().map(|storage| StorageContents::of_copy(copy, storage)).collect()
            }
            ContentsSource::Living(store) => StorageContents::all_of(store).collect(),
        };
        all.into_iter().filter(|storage| !storage.column.values().is_empty())
    }

    /// Returns the resources.
    pub fn resources(self) -> impl Iterator<Item = ResourceContents<'s>> {
        self.snapshot.copy.resources.values().map(|(value, ticks)| ResourceContents { value, ticks })
    }

    /// Returns the pairs of each relation that has pairs.
    pub fn pairs(self) -> impl Iterator<Item = PairsContents<'s>> {
        let all = self.snapshot.copy.pairs.iter().flatten();
        all.filter(|pairs| pairs.index().len() != 0).map(|pairs| PairsContents(&**pairs))
    }

    /// Returns the state of the systems in the schedules of the world.
    pub fn schedules(self) -> impl Iterator<Item = ScheduleContents<'s>> {
        ScheduleContents::all(self.snapshot)
    }

    /// Returns the removals that the systems of these schedules may not have read.
    pub fn removals(self) -> impl Iterator<Item = RemovalContents<'s>> {
        RemovalContents::all(self.snapshot)
    }

    /// Returns the ticks at which entities were spawned, if they are tracked.
    #[must_use]
    pub fn spawns(self) -> Option<SpawnTicks> {
        let (of_indexes, others, newest) = self.snapshot.copy.spawns.as_ref()?.parts();
        Some(SpawnTicks { of_indexes: of_indexes.to_vec(), others, newest })
    }

    /// Returns the data in the snapshot that the other methods do not show.
    #[must_use]
    pub fn left_out(self) -> Vec<LeftOut> {
        let copy = &self.snapshot.copy;
        let mut labels: Vec<String> = self.schedules().map(|schedule| format!("{:?}", schedule.label())).collect();
        labels.sort_unstable();
        let twice: BTreeSet<&String> = labels.windows(2).filter(|two| two[0] == two[1]).map(|two| &two[0]).collect();
        let systems = twice.into_iter().map(|label| LeftOut::Systems(label.clone())).collect::<Vec<_>>().into_iter();
        let removals = unread_elsewhere(self.snapshot).into_iter().map(LeftOut::Removals);
        let side = |storage: &StorageContents<'_>| storage.column().values().descriptor().relation();
        let linked = self.storages().filter(|storage| side(storage).is_some());
        let linked: Vec<_> = linked.map(|storage| (storage.entities(), storage.column().values())).collect();
        let broken = broken_links(linked.iter().map(|(entities, values)| (&entities[..], *values)));
        let relationships = broken.map(LeftOut::Side);
        let of_schedules = self.schedules().flat_map(ScheduleContents::systems);
        let expected = of_schedules.filter(|system| system.expected_ids() != 0).count();
        let forecasts = (copy.id_forecasts.expected() > expected).then_some(LeftOut::IdForecasts);
        systems.chain(forecasts).chain(removals).chain(relationships).collect()
    }
}

impl<'s> TableContents<'s> {
    /// Returns all tables of a store.
    pub(super) fn all_of(store: &'s Store) -> impl ExactSizeIterator<Item = Self> + use<'s> {
        let living = move |table: &'s Table| Self {
            entities: table.entities(),
            stamp: table.stamped(),
            rows: TableSource::Living(store, table),
        };
        store.structure.archetypes.tables.as_slice().iter().map(living)
    }

    fn of_copy(table: &'s TableCopy) -> Self {
        Self { entities: table.entities(), stamp: table.stamped(), rows: TableSource::Copied(table) }
    }

    /// Returns the entities, by row.
    #[must_use]
    pub fn entities(self) -> &'s [Entity] {
        self.entities
    }

    /// Returns the tick at which a row was last added to the table.
    #[must_use]
    pub fn stamp(self) -> Tick {
        self.stamp
    }

    /// Returns the values of each component, in the order in which the world registered the components.
    pub fn columns(self) -> impl ExactSizeIterator<Item = ColumnContents<'s>> {
        let components = match self.rows {
            TableSource::Copied(table) => table.components(),
            TableSource::Living(_, table) => table.components(),
        };
        components.iter().enumerate().map(move |(at, id)| match self.rows {
            TableSource::Copied(table) => ColumnContents::of_copy(&table.columns()[at], None),
            TableSource::Living(store, table) => match store.structure.erased_column(table.id(), *id) {
                Some(values) => ColumnContents::of_living(values, table.column(at), None),
                None => unreachable!("a table has a column of each of its components"),
            },
        })
    }
}

impl<'s> StorageContents<'s> {
    /// Returns all storages of a store that have values.
    pub(super) fn all_of(store: &'s Store) -> impl Iterator<Item = Self> + use<'s> {
        store.structure.sparse.iter().zip(store.structure.archetypes.components.sparse()).filter_map(
            move |(storage, &id)| {
                let values = store.structure.erased_storage(id).filter(|values| !values.is_empty())?;
                let members = storage.members();
                let column = ColumnContents::of_living(values, storage.column(), Some(members));
                Some(Self { books: ContentsSource::Living(store), members, column })
            },
        )
    }

    fn of_copy(copy: &'s StoreCopy, storage: &'s SparseCopy) -> Self {
        let members = storage.members();
        Self {
            books: ContentsSource::Copied(copy),
            members,
            column: ColumnContents::of_copy(storage.values(), Some(members)),
        }
    }

    /// If this is the target-side component of a relationship: returns the sources in the list at an index.
    #[must_use]
    pub fn sources_at(self, place: usize) -> Option<Vec<Entity>> {
        let value = self.column().values().slice(place..place + 1)?;
        listed_sources(value)
    }

    /// Returns the entities, in the order of their values.
    #[must_use]
    pub fn entities(self) -> Vec<Entity> {
        // Only entities that are alive have values.
        indexes(self.members).into_iter().filter_map(|index| self.books.at_index(index)).collect()
    }

    /// Returns the values.
    #[must_use]
    pub fn column(self) -> ColumnContents<'s> {
        self.column
    }

    /// Returns whether this is the component of the sources or targets of pairs.
    #[must_use]
    pub fn is_of_pairs(self) -> bool {
        self.column().values().descriptor().relation().is_some_and(|side| side.is_of_pairs)
    }

    /// If this is a component of a relationship, returns the component of the other side: for the component of the
    /// sources, the one that lists the sources, and vice versa. A snapshot contains both or neither.
    #[must_use]
    pub fn other_side(self) -> Option<&'static ComponentDescriptor> {
        Self::other_side_of(self.column().values().descriptor())
    }

    /// Returns whether a component is the target side of a relationship, which lists the sources.
    #[must_use]
    pub fn lists_sources(component: &ComponentDescriptor) -> bool {
        component.relation().is_some_and(|side| side.lists_sources())
    }

    /// Returns the component of the other side of a relationship, like [`other_side`](Self::other_side), for the
    /// descriptor of a component.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::StorageContents;
    ///
    /// let other = StorageContents::other_side_of(ComponentDescriptor::of::<ChildOf>()).unwrap();
    /// assert_eq!(other.identity(), ComponentDescriptor::of::<Children>().identity());
    /// ```
    #[must_use]
    pub fn other_side_of(component: &ComponentDescriptor) -> Option<&'static ComponentDescriptor> {
        other_side(component)
    }
}

impl<'s> PairsContents<'s> {
    pub(super) fn of_copy(copy: &'s dyn PairsCopy) -> Self {
        Self(copy)
    }

    /// Returns the descriptor of a relation.
    #[must_use]
    pub fn descriptor_of<R: Relation>() -> &'static ComponentDescriptor {
        descriptor_of::<R>()
    }

    /// Returns the descriptor of the relation.
    #[must_use]
    pub fn descriptor(self) -> &'static ComponentDescriptor {
        self.0.descriptor()
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.index().len()
    }

    /// Returns whether the relation has no pairs.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the pairs, without their values.
    #[must_use]
    pub fn pairs(self) -> Vec<PairContents> {
        self.0.contents()
    }

    /// Returns the values, in the order of the pairs, if the relation is `R`.
    #[must_use]
    pub fn values<R: Relation>(self) -> Option<&'s [R]> {
        self.0.values().downcast_ref::<Vec<R>>().map(|values| &values[..])
    }
}

impl<'s> ResourceContents<'s> {
    pub(super) fn of_parts(value: ErasedRef<'s>, ticks: ComponentTicks) -> Self {
        Self { value, ticks }
    }

    /// Returns the descriptor of the resource.
    #[must_use]
    pub fn descriptor(self) -> &'static ComponentDescriptor {
        self.value.descriptor()
    }

    /// Returns the value, if its type is `R`.
    #[must_use]
    pub fn get<R: Resource>(self) -> Option<&'s R> {
        self.value.downcast_ref()
    }

    /// Returns the value as text, if its type has a [text form](crate::component::TextForm).
    #[must_use]
    pub fn text(self) -> Option<String> {
        self.value.text()
    }

    /// Returns the ticks at which the resource was added and changed.
    #[must_use]
    pub fn ticks(self) -> ComponentTicks {
        self.ticks
    }
}

impl_debug_as_struct! {
    [] SnapshotContents<'_>, "SnapshotContents", |this| {
        clock: this.clock(), ids: this.ids(), tables: this.tables().collect::<Vec<_>>(),
        storages: this.storages().collect::<Vec<_>>(), resources: this.resources().collect::<Vec<_>>()
    } finish;
    [] TableContents<'_>, "TableContents", |this| { entities: this.entities(), columns: this.columns().collect::<Vec<_>>() } finish;
    [] StorageContents<'_>, "StorageContents", |this| { entities: this.entities(), column: this.column() } finish;
    [] PairsContents<'_>, "PairsContents", |this| { relation: this.descriptor().name(), pairs: this.pairs() } finish_non_exhaustive;
}

impl_debug!([] ResourceContents<'_> => |this, f| this.value.fmt(f));
