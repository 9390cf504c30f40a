//! The values of one component, as data that a format can write or has read.
//!
//! Tests: tests/snapshots/contents.rs

use alloc::vec::Vec;

use crate::component::{Component, ComponentDescriptor, ComponentId, ErasedSlice, ErasedVec, WrongTypeError};
use crate::relations::relation::{PairSource, PairTarget, Relation};
use crate::storage::column::{Column, ColumnCopy, ColumnParts, NewValues};
use crate::storage::sparse::{StorageMembers, indexes};
use crate::storage::tick::{ComponentTicks, RunTicks, Tick};
use crate::storage::tracking::{TickKind, Tracking};
use crate::world::World;

/// The values of one component in a snapshot: of one table, or all of them if the component is sparse.
#[derive(Clone, Copy)]
pub struct ColumnContents<'s> {
    values: ErasedSlice<'s>,
    visited: Tick,
    /// If ticks were tracked: the ticks, and the number of rows that they cover.
    tracking: Option<(&'s Tracking, usize)>,
    /// The entities of a sparse storage. They are needed for values without size, whose ticks are stored by entity
    /// index.
    members: Option<StorageMembers<'s>>,
    /// The copy of the column in a snapshot; `None` for a living world.
    copy: Option<&'s ColumnCopy>,
}

impl<'s> ColumnContents<'s> {
    /// Returns the values of a snapshot.
    pub(super) fn of_copy(copy: &'s ColumnCopy, members: Option<StorageMembers<'s>>) -> Self {
        let (values, visited, tracking) = (copy.values(), copy.visited(), copy.tracking());
        Self { values, visited, tracking, members, copy: Some(copy) }
    }

    /// Returns the values of a living world.
    pub(super) fn of_living(values: ErasedSlice<'s>, column: &'s Column, members: Option<StorageMembers<'s>>) -> Self {
        let tracking = column.tracking().map(|tracking| (tracking, usize::MAX));
        Self { values, visited: column.visited(), tracking, members, copy: None }
    }

    /// Returns the values.
    #[must_use]
    pub fn values(self) -> ErasedSlice<'s> {
        self.values
    }

    /// Returns whether a snapshot can contain the values: their type must be known to be `Clone`.
    #[must_use]
    pub fn can_be_restored(self) -> bool {
        self.values().descriptor().functions().copying().is_some()
    }

    /// Returns the tick of the last mutable access to the values.
    #[must_use]
    pub fn stamp(self) -> Tick {
        self.visited
    }

    /// Returns whether it was tracked at which tick each value was added and changed.
    #[must_use]
    pub fn is_tracked(self) -> bool {
        self.tracking.is_some()
    }

    /// Returns the rows in which the ticks of the values are stored.
    fn tick_rows(self) -> Vec<usize> {
        match self.members {
            Some(members) if !members.1.is_empty() => {
                indexes(members).into_iter().map(|index| index as usize).collect()
            }
            _ => (0..self.values.len()).collect(),
        }
    }

    /// Returns the positions of new and changed values since a run; all positions if `since` is `None`. `latest` is the
    /// tick at which a row was last added to the table.
    pub(super) fn places_since(self, since: Option<RunTicks>, latest: Option<Tick>) -> Vec<u32> {
        let len = self.values.len();
        let all = || Vec::from_iter(0..len as u32);
        let Some(since) = since else { return all() };
        let stamps = [Some(self.stamp()), latest];
        match self.tracking {
            Some((tracking, _)) if self.members.is_none() => tracking.new_rows(len, since),
            Some((tracking, _)) => {
                if !tracking.any_new(TickKind::Changed, since) && !tracking.any_new(TickKind::Added, since) {
                    return Vec::new();
                }
                let is_new = |row: usize| {
                    let ticks = tracking.get(row);
                    since.is_new(ticks.changed) || since.is_new(ticks.added)
                };
                let new = self.tick_rows().into_iter().zip(0..).filter(|(row, _)| is_new(*row));
                new.map(|(_, place)| place).collect()
            }
            None if stamps.into_iter().flatten().any(|stamp| since.is_new(stamp)) => all(),
            None => Vec::new(),
        }
    }

    /// Returns the ticks at which each value was added and changed; `None` if they were not tracked, because no
    /// consumer needed them.
    #[must_use]
    pub fn ticks(self) -> Option<Vec<ComponentTicks>> {
        let (tracking, rows) = self.tracking?;
        self.tick_rows().into_iter().map(|row| (row < rows).then(|| tracking.get(row))).collect()
    }
}

impl ColumnContents<'_> {
    /// Clones the values of a snapshot, with their ticks.
    pub(super) fn to_new(self) -> NewColumnContents {
        let Some(column) = self.copy else { unreachable!("a snapshot has copies of the values") };
        let values = column.new_values(0).unwrap_or_else(|error| error.raise());
        let parts = ColumnParts::new(values, self.stamp());
        NewColumnContents(ColumnParts { ticks: self.ticks(), clone: column.clone_fn(), ..parts })
    }
}

/// Values of one component, for a [`SnapshotBuilder`](super::SnapshotBuilder).
pub struct NewColumnContents(pub(super) ColumnParts);

impl NewColumnContents {
    /// Creates a column from a vector whose values were last changed at a tick.
    #[must_use]
    pub fn of<C: Component>(values: Vec<C>, stamp: Tick) -> Self {
        Self(ColumnParts::new(NewValues::Vec(ErasedVec::of_vec(values)), stamp))
    }

    /// Creates a column from a vector, for a component whose definition does not say that it is `Clone`: the bounds of
    /// a generic type may leave this open. If the definition [forbids
    /// clones](crate::component::ComponentFunctions::forbids_clone), the values still cannot be cloned.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    ///
    /// #[derive(Component, Clone)]
    /// struct Loose<T: Send + Sync + 'static>(T);
    ///
    /// assert_eq!(NewColumnContents::of_clone(vec![Loose(1), Loose(2)], Tick::new(1)).len(), 2);
    /// ```
    #[must_use]
    pub fn of_clone<C: Component + Clone>(values: Vec<C>, stamp: Tick) -> Self {
        let Self(parts) = Self::of(values, stamp);
        Self(ColumnParts { clone: ComponentDescriptor::of::<C>().functions().clone_fn_for::<C>(), ..parts })
    }

    /// Creates a column from a vector, for a component whose values have the type `T`.
    ///
    /// # Errors
    ///
    /// If the values of the component have another type. The error contains the vector.
    pub fn for_component<T: Send + Sync + 'static>(
        descriptor: &'static ComponentDescriptor,
        values: Vec<T>,
        stamp: Tick,
    ) -> Result<Self, WrongTypeError<Vec<T>>> {
        match ErasedVec::of_vec_for(descriptor, values) {
            Ok(values) => Ok(Self(ColumnParts::new(NewValues::Vec(values), stamp))),
            Err(values) => Err(WrongTypeError::of_values(descriptor, values)),
        }
    }

    /// Creates a column from bytes in the byte order of this machine. [Any
    /// bytes](crate::component::ComponentFunctions::take_any_bytes) must be a valid value of the component. Returns
    /// `None` for other components, or if the length is not a multiple of the size of a value.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    ///
    /// #[derive(Component, Clone)]
    /// #[component(plain)]
    /// #[repr(C)]
    /// struct Position([f32; 3]);
    ///
    /// let position = ComponentDescriptor::of::<Position>();
    /// assert!(NewColumnContents::of_plain_bytes(position, &[0; 24], Tick::new(1)).is_some());
    /// assert!(NewColumnContents::of_plain_bytes(position, &[0; 23], Tick::new(1)).is_none());
    /// ```
    ///
    /// # Panics
    ///
    /// If a memory allocation fails.
    #[must_use]
    pub fn of_plain_bytes(descriptor: &'static ComponentDescriptor, bytes: &[u8], stamp: Tick) -> Option<Self> {
        let values = NewValues::of_bytes(descriptor, bytes).unwrap_or_else(|error| error.raise())?;
        Some(Self(ColumnParts::new(values, stamp)))
    }

    /// Creates values of a required component for groups of entities, with the constructors that the requiring
    /// components declare. A group is given by the components of its entities, and by their number. Returns `None` if,
    /// in some group, no component requires this one, directly or indirectly.
    ///
    /// The component need not be `Clone`. In this case, a snapshot with the values can only be [restored
    /// once](World::restore_from).
    ///
    /// # Panics
    ///
    /// If a constructor panics, or if a memory allocation fails.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::NewColumnContents;
    ///
    /// #[derive(Component)]
    /// #[require(Sprite(7))]
    /// struct Position(f32);
    /// #[derive(Component)]
    /// struct Sprite(u32);
    ///
    /// let mut world = World::new();
    /// let [position, sprite] = [world.register_component::<Position>(), world.register_component::<Sprite>()];
    /// let column = NewColumnContents::of_required(&world, sprite, &[(&[position], 3)], Tick::new(1));
    /// assert_eq!(column.unwrap().len(), 3);
    /// assert!(NewColumnContents::of_required(&world, position, &[(&[sprite], 3)], Tick::new(1)).is_none());
    /// ```
    #[must_use]
    pub fn of_required(
        world: &World,
        component: ComponentId,
        groups: &[(&[ComponentId], usize)],
        stamp: Tick,
    ) -> Option<Self> {
        let values =
            world.store.structure.construct_required(component, groups).unwrap_or_else(|error| error.raise())?;
        Some(Self(ColumnParts { constructed: true, ..ColumnParts::new(NewValues::Vec(values), stamp) }))
    }

    /// Creates a column without ticks.
    pub(super) fn of_parts(values: NewValues) -> Self {
        Self(ColumnParts::new(values, Tick::default()))
    }

    pub(super) fn of_values(values: ErasedVec) -> Self {
        Self::of_parts(NewValues::Vec(values))
    }

    /// Creates `count` values of the component [`PairSource`].
    #[must_use]
    pub fn of_sources<R: Relation>(count: usize, stamp: Tick) -> Self {
        Self::of(alloc::vec![PairSource::<R>::new(); count], stamp)
    }

    /// Creates `count` values of the component [`PairTarget`].
    #[must_use]
    pub fn of_targets<R: Relation>(count: usize, stamp: Tick) -> Self {
        Self::of(alloc::vec![PairTarget::<R>::new(); count], stamp)
    }

    /// Sets the ticks at which each value was added and changed.
    #[must_use]
    pub fn with_ticks(mut self, ticks: Vec<ComponentTicks>) -> Self {
        self.0.ticks = Some(ticks);
        self
    }
}

impl_debug_as_struct! {
    [] NewColumnContents, "NewColumnContents", |this| {
        component: this.0.values.descriptor().name(), len: this.0.values.len()
    } finish_non_exhaustive;
    [] ColumnContents<'_>, "ColumnContents", |this| { component: this.values().descriptor().name(), values: this.values() } finish;
}
