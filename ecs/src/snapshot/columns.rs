//! The values of one component, as data that a format can write or has read.

use alloc::vec::Vec;
use core::fmt;

use crate::column::{Column, ColumnCopy, ColumnParts, NewValues};
use crate::component::{Component, ComponentDescriptor, ComponentId, ErasedSlice, ErasedVec, WrongTypeError};
use crate::relation::{PairSource, PairTarget, Relation};
use crate::sparse::{SparseCopy, SparseStorage};
use crate::tick::{ComponentTicks, RunTicks, Tick};
use crate::tracking::Which;
use crate::world::World;

/// The values of one component in a snapshot: of one table, or all of them.
#[derive(Clone, Copy)]
pub struct ColumnContents<'s>(Values<'s>);

#[derive(Clone, Copy)]
enum Values<'s> {
    /// With where ticks are that do not lie as the values do.
    Copied(&'s ColumnCopy, Option<&'s SparseCopy>),
    Living(ErasedSlice<'s>, &'s Column, Option<&'s SparseStorage>),
}

impl<'s> ColumnContents<'s> {
    /// Those of a copy, whose ticks lie as the values do, unless it is said how they do.
    pub(super) fn of_copy(column: &'s ColumnCopy, storage: Option<&'s SparseCopy>) -> Self {
        Self(Values::Copied(column, storage))
    }

    /// The same of a living world.
    pub(super) fn of_living(values: ErasedSlice<'s>, column: &'s Column, storage: Option<&'s SparseStorage>) -> Self {
        Self(Values::Living(values, column, storage))
    }

    /// The values.
    #[must_use]
    pub fn values(self) -> ErasedSlice<'s> {
        match self.0 {
            Values::Copied(column, _) => column.values(),
            Values::Living(values, ..) => values,
        }
    }

    /// Whether a snapshot can have the values: they are known to be `Clone`.
    #[must_use]
    pub fn can_be_restored(self) -> bool {
        self.values().descriptor().functions().copying().is_some()
    }

    /// When a caller last had mutable access to values.
    #[must_use]
    pub fn stamp(self) -> Tick {
        match self.0 {
            Values::Copied(column, _) => column.visited(),
            Values::Living(_, column, _) => column.visited(),
        }
    }

    /// Whether it was kept when each value was added and changed.
    #[must_use]
    pub fn is_tracked(self) -> bool {
        match self.0 {
            Values::Copied(column, _) => column.is_tracked(),
            Values::Living(_, column, _) => column.tracking().is_some(),
        }
    }

    /// The places of values that are new, or all; `latest` is when one last came otherwise than by a visit.
    pub(super) fn places_since(self, since: Option<RunTicks>, latest: Option<Tick>) -> Vec<u32> {
        let len = self.values().len();
        let all = || Vec::from_iter(0..len as u32);
        let Some(since) = since else { return all() };
        let stamps = [Some(self.stamp()), latest];
        match self.0 {
            Values::Living(_, column, storage) if let Some(tracking) = column.tracking() => match storage {
                None => tracking.new_rows(len, since),
                Some(storage) => {
                    if !tracking.any_new(Which::Changed, since) && !tracking.any_new(Which::Added, since) {
                        return Vec::new();
                    }
                    let indexes = storage.indexes().into_iter().enumerate();
                    let is_new = |row: usize| {
                        let ticks = tracking.get(row);
                        since.is_new(ticks.changed) || since.is_new(ticks.added)
                    };
                    let new = indexes.filter(|(_, index)| storage.tick_row(*index).is_none_or(is_new));
                    new.map(|(place, _)| place as u32).collect()
                }
            },
            _ if stamps.into_iter().flatten().any(|stamp| since.is_new(stamp)) => all(),
            _ => Vec::new(),
        }
    }

    /// When each value was added and changed; `None` if that was not kept, since no consumer had asked.
    #[must_use]
    pub fn ticks(self) -> Option<Vec<ComponentTicks>> {
        match self.0 {
            Values::Copied(column, _) if !column.is_tracked() => None,
            Values::Copied(column, Some(storage)) => {
                let rows = storage.indexes().into_iter().enumerate();
                rows.map(|(at, index)| column.ticks(storage.tick_row(at, index))).collect()
            }
            Values::Copied(column, None) => (0..column.len()).map(|row| column.ticks(row)).collect(),
            Values::Living(values, column, storage) => {
                let tracking = column.tracking()?;
                let rows = match storage {
                    Some(storage) => {
                        storage.indexes().into_iter().filter_map(|index| storage.tick_row(index)).collect()
                    }
                    None => Vec::from_iter(0..values.len()),
                };
                Some(rows.into_iter().map(|row| tracking.get(row)).collect())
            }
        }
    }
}

impl ColumnContents<'_> {
    /// Clones of the values of a snapshot, with their ticks.
    pub(super) fn to_new(self) -> NewColumnContents {
        let Values::Copied(column, _) = self.0 else { unreachable!("a snapshot has copies of the values") };
        let values = column.new_values(0).unwrap_or_else(|error| error.raise());
        let parts = ColumnParts::new(values, self.stamp());
        NewColumnContents(ColumnParts { ticks: self.ticks(), clone: column.clone_fn(), ..parts })
    }
}

/// Values of one component, for a [`SnapshotBuilder`](super::SnapshotBuilder).
pub struct NewColumnContents(ColumnParts);

impl NewColumnContents {
    /// The values of a vector, which have changed last at a tick.
    #[must_use]
    pub fn of<C: Component>(values: Vec<C>, stamp: Tick) -> Self {
        Self(ColumnParts::new(NewValues::Vec(ErasedVec::of_vec(values)), stamp))
    }

    /// The values of a vector, which need not be known to be `Clone` by the definition of their type: the bounds of a type with parameters
    /// may not say so. If the definition [forbids clones](crate::component::ComponentFunctions::forbids_clone) this changes nothing.
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

    pub(super) fn into_parts(self) -> ColumnParts {
        self.0
    }

    /// The values of a vector, of a component that has values of type `T`.
    ///
    /// # Errors
    ///
    /// If the component has values of another type. The vector is in the error.
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

    /// The values with these bytes, in the order of this machine, of a component of which
    /// [any bytes](crate::component::ComponentFunctions::take_any_bytes) are a value; `None` of another one, and if the bytes are not
    /// those of whole values.
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
    /// If there is no memory.
    #[must_use]
    pub fn of_plain_bytes(descriptor: &'static ComponentDescriptor, bytes: &[u8], stamp: Tick) -> Option<Self> {
        let values = NewValues::of_bytes(descriptor, bytes).unwrap_or_else(|error| error.raise())?;
        Some(Self(ColumnParts::new(values, stamp)))
    }

    /// Values of a component for groups of entities, made by the constructors with which other components require it. A group has the
    /// components that its entities have, and the number of entities. `None` if the components of some group do not require the component,
    /// directly or through others.
    ///
    /// The component need not be `Clone`: a snapshot with such values can be restored [once](World::restore_from).
    ///
    /// # Panics
    ///
    /// If a constructor does, or there is no memory.
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

    pub(super) fn into_new_values(self) -> NewValues {
        self.0.values
    }

    pub(super) fn parts(&self) -> &NewValues {
        &self.0.values
    }

    pub(super) fn parts_mut(&mut self) -> &mut NewValues {
        &mut self.0.values
    }

    /// Values for which no time is known.
    pub(super) fn of_parts(values: NewValues) -> Self {
        Self(ColumnParts::new(values, Tick::default()))
    }

    pub(super) fn of_values(values: ErasedVec) -> Self {
        Self::of_parts(NewValues::Vec(values))
    }

    /// The component [`PairSource`] of so many sources of pairs.
    #[must_use]
    pub fn of_sources<R: Relation>(count: usize, stamp: Tick) -> Self {
        Self::of(alloc::vec![PairSource::<R>::new(); count], stamp)
    }

    /// The component [`PairTarget`] of so many targets of pairs.
    #[must_use]
    pub fn of_targets<R: Relation>(count: usize, stamp: Tick) -> Self {
        Self::of(alloc::vec![PairTarget::<R>::new(); count], stamp)
    }

    /// When each value was added and changed.
    #[must_use]
    pub fn with_ticks(mut self, ticks: Vec<ComponentTicks>) -> Self {
        self.0.ticks = Some(ticks);
        self
    }
}

impl fmt::Debug for NewColumnContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = &self.0.values;
        let mut shown = f.debug_struct("NewColumnContents");
        shown.field("component", &values.descriptor().name()).field("len", &values.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ColumnContents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values();
        f.debug_struct("ColumnContents")
            .field("component", &values.descriptor().name())
            .field("values", &values)
            .finish()
    }
}
