//! The slot of an index, and the location that it contains.
//!
//! Tests: ecs/src/entity/allocator/tests.rs, tests/storage/entities.rs

use alloc::vec::Vec;

use super::Entity;
use super::life::EntityOrigins;

/// The index of a table in its world, from 0. Table 0 contains the entities without table-stored components.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let [a, b] = [Health(1), Health(2)].map(|health| world.spawn(health).id());
/// assert_eq!(world.entity(a).location().table, world.entity(b).location().table);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[doc(alias("ArchetypeId"))]
pub struct TableId(pub(crate) u32);

impl TableId {
    /// The table of entities without table-stored components.
    pub const EMPTY: Self = Self(0);
    /// In a slot: no entity has the index.
    pub(super) const NONE: Self = Self(u32::MAX);
    /// In a slot: the id is pending and not yet placed.
    pub(super) const PENDING: Self = Self(u32::MAX - 1);
    /// Never in a slot: this is no table, and differs from the other special values.
    pub(crate) const UNUSED: Self = Self(u32::MAX - 2);
    /// The exclusive upper bound of table indexes.
    pub(crate) const LIMIT: u32 = Self::UNUSED.0;

    /// Returns the index of the table as a number.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The location of an entity's table components: a table and a row.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let location = world.entity(entity).location();
/// let table = world.tables().get(location.table).unwrap();
/// assert_eq!(table.entities()[location.row as usize], entity);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The table.
    pub table: TableId,
    /// The row, which is the same in every column of the table.
    pub row: u32,
}

/// The state of an index: its generation, and the location of its entity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The generation of the entity with this index or, if there is no entity, of the next entity with this index. 0 if the index is
    /// retired.
    pub(super) generation: u32,
    pub(super) table: TableId,
    /// The row of a live entity. For a free index, its position in the free list. For a pending id it is unused, except to mark claimed
    /// ids.
    pub(super) row: u32,
}

impl Slot {
    /// The slot of a retired index.
    pub(super) const RETIRED: Self = Self { generation: 0, table: TableId::NONE, row: 0 };

    /// Returns whether the index is free: no entity has it, and it is not retired.
    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.table == TableId::NONE && self.generation != 0
    }

    /// Returns the location in the slot of an id; `None` if the generation differs. If the id is not alive, the location has a table that
    /// does not exist. So this function is only for callers that check whether the table exists.
    #[inline]
    pub(crate) fn find(slots: &[Self], entity: Entity) -> Option<Location> {
        let slot = slots.get(entity.index() as usize)?;
        if slot.generation != entity.generation() {
            return None;
        }
        Some(Location { table: slot.table, row: slot.row })
    }

    /// Returns the row of an entity; `None` if the entity is not in this table. Generation and table are compared at once.
    #[inline(always)]
    pub(crate) fn row_in(slots: &[Self], entity: Entity, table: TableId) -> Option<u32> {
        let slot = slots.get(entity.index() as usize)?;
        let pair = |generation: u32, table: TableId| u64::from(table.0) << 32 | u64::from(generation);
        (pair(slot.generation, slot.table) == pair(entity.generation(), table)).then_some(slot.row)
    }
}

/// The slot of a live entity without sparse components, whose id can be freed without an allocation.
pub(crate) struct FreeableSlot<'e> {
    pub(super) slots: &'e mut [Slot],
    pub(super) free: &'e mut Vec<u32>,
    pub(super) cursor: &'e mut i64,
    pub(super) live: &'e mut u32,
    pub(super) lives: &'e mut EntityOrigins,
    pub(super) entity: Entity,
    pub(super) location: Location,
}

impl FreeableSlot<'_> {
    #[inline(always)]
    pub(crate) fn location(&self) -> Location {
        self.location
    }

    /// Frees the id. `last` is the entity of the last row of the table, which moves into the freed row. It may be the freed entity itself.
    #[inline(always)]
    pub(crate) fn end(self, last: Entity) {
        let Self { slots, free, cursor, live, lives, entity, location } = self;
        let generation = entity.generation().wrapping_add(1);
        let row = free.len() as u32;
        if generation != 0 {
            free.push(entity.index());
            *cursor = free.len() as i64;
        }
        // This row is overwritten below if `last` is the entity itself.
        slots[last.index() as usize].row = location.row;
        slots[entity.index() as usize] = Slot { generation, table: TableId::NONE, row };
        *live -= 1;
        lives.note_despawned(entity);
    }
}
