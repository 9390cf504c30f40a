//! Tests of the id allocator: which ids it hands out, and which it rejects.

use super::*;

fn place(entities: &mut Entities, entity: Entity) {
    entities.place(entity, Location { table: TableId::EMPTY, row: 0 });
}

#[test]
fn an_index_is_retired_after_its_last_generation() {
    let mut entities = Entities::with_limit(8);
    let first = entities.allocate().unwrap();
    place(&mut entities, first);
    entities.slots[0].generation = u32::MAX;
    let last = Entity::new(0, NonZeroU32::MAX);
    entities.free(last);
    assert_eq!(entities.get(last), None);
    assert_eq!(entities.why_not(last), EntityError::Despawned(last.into()));
    assert_eq!(entities.allocate().unwrap().index(), 1);
    assert_eq!(entities.reserve().unwrap().index(), 2);
}

#[test]
fn running_out_of_indexes_is_an_error_and_changes_nothing() {
    let mut entities = Entities::with_limit(2);
    for _ in 0..2 {
        let entity = entities.allocate().unwrap();
        place(&mut entities, entity);
    }
    assert_eq!(entities.allocate(), Err(EntityIdsExhausted));
    assert_eq!(entities.reserve(), Err(EntityIdsExhausted));
    entities.check_invariants();
    let (first, _) = entities.at_index(0).unwrap();
    entities.free(first);
    assert_eq!(entities.reserve().unwrap().index(), 0);
    assert_eq!(entities.reserve(), Err(EntityIdsExhausted));
}

#[test]
fn reserved_ids_come_from_the_free_list_first() {
    let mut entities = Entities::default();
    let ids: [Entity; 3] = core::array::from_fn(|_| entities.allocate().unwrap());
    for entity in ids {
        place(&mut entities, entity);
    }
    entities.free(ids[1]);
    let again = entities.reserve().unwrap();
    let fresh = entities.reserve().unwrap();
    assert_eq!((again.index(), again.generation(), fresh.index()), (1, 2, 3));
    assert_eq!(entities.why_not(again), EntityError::Reserved(again));
    assert_eq!(entities.why_not(fresh), EntityError::Reserved(fresh));
    let flushed: Vec<_> = core::iter::from_fn(|| entities.next_reserved()).collect();
    assert_eq!(flushed, [again, fresh]);
    assert!(!entities.needs_flush());
}

const HOME: Location = Location { table: TableId::EMPTY, row: 0 };

/// Returns a new entity, which is alive in this row.
fn allocate_at_row(entities: &mut Entities, row: Location) -> Entity {
    assert!(entities.reserve_next().is_ok());
    entities.allocate_at_row(row).unwrap()
}

/// Entities with the indexes `0..count`, in rows of their own.
fn filled(count: u32) -> (Entities, Vec<Entity>) {
    let mut entities = Entities::default();
    let row = |row| Location { table: TableId::EMPTY, row };
    let ids = (0..count).map(|at| allocate_at_row(&mut entities, row(at))).collect();
    (entities, ids)
}

fn index_and_generation(entity: Entity) -> (u32, u32) {
    (entity.index(), entity.generation())
}

#[test]
fn an_id_is_alive_from_its_placement_to_its_end() {
    let mut entities = Entities::default();
    let entity = entities.allocate().unwrap();
    assert_eq!((entities.get(entity), entities.len()), (None, 0));
    assert!(entities.is_pending(entity));
    assert_eq!(entities.why_not(entity), EntityError::Reserved(entity));
    entities.place(entity, HOME);
    assert_eq!((entities.get(entity), entities.len()), (Some(HOME), 1));
    assert!(!entities.is_pending(entity));
    entities.free(entity);
    assert_eq!((entities.get(entity), entities.len()), (None, 0));
    assert_eq!(entities.why_not(entity), EntityError::Despawned(entity.into()));
    entities.check_invariants();
}

#[test]
fn free_indexes_come_again_in_reverse_order_with_the_next_generation() {
    let (mut entities, ids) = filled(3);
    entities.free(ids[0]);
    entities.free(ids[2]);
    let again: Vec<_> = (0..3).map(|_| index_and_generation(allocate_at_row(&mut entities, HOME))).collect();
    assert_eq!(again, [(2, 2), (0, 2), (3, 1)]);
    assert_eq!(entities.get(ids[0]), None);
    entities.check_invariants();
}

#[test]
fn an_id_of_a_later_generation_is_unknown() {
    let (entities, ids) = filled(1);
    let later = Entity::new(0, NonZeroU32::new(2).unwrap());
    assert_eq!(entities.why_not(later), EntityError::Unknown(later));
    assert_eq!(entities.at_index(0), Some((ids[0], HOME)));
    let beyond = Entity::new(1, NonZeroU32::MIN);
    assert_eq!(entities.why_not(beyond), EntityError::Unknown(beyond));
}

#[test]
fn the_last_row_takes_the_place_of_the_ended_one() {
    let (mut entities, ids) = filled(3);
    entities.reserve_free(1).unwrap();
    let ending = entities.begin_end(ids[0]).unwrap();
    assert_eq!(ending.location().row, 0);
    ending.end(ids[2]);
    assert_eq!(entities.get(ids[2]).map(|location| location.row), Some(0));
    assert_eq!((entities.contains(ids[0]), entities.len()), (false, 2));
    entities.check_invariants();
    // The despawned entity is in the last row.
    entities.reserve_free(1).unwrap();
    entities.begin_end(ids[1]).unwrap().end(ids[1]);
    assert_eq!((entities.contains(ids[1]), entities.free.as_slice()), (false, &[0, 1][..]));
    entities.check_invariants();
}

#[test]
fn an_end_that_needs_more_is_refused() {
    let (mut entities, ids) = filled(2);
    assert!(entities.begin_end(ids[0]).is_none(), "no room in the list of free indexes");
    entities.reserve_free(2).unwrap();
    entities.set_sparse_summary(0, SparseMask::default().with(0));
    assert!(entities.begin_end(ids[0]).is_none(), "a sparse component");
    assert!(entities.begin_end(ids[1]).is_some());
    entities.reserve().unwrap();
    assert!(entities.begin_end(ids[1]).is_none(), "a reserved id");
    while let Some(entity) = entities.next_reserved() {
        entities.place(entity, HOME);
    }
    entities.free(ids[1]);
    assert!(entities.begin_end(ids[1]).is_none(), "not alive");
}

/// All ways to end an entity, the last generation of its index included.
#[test]
fn each_way_to_end_an_entity_retires_its_index_after_the_last_generation() {
    let ways: [fn(&mut Entities, Entity); 3] = [
        Entities::free,
        |entities, entity| entities.free_these(&[entity]),
        |entities, entity| {
            entities.reserve_free(1).unwrap();
            entities.begin_end(entity).unwrap().end(entity);
        },
    ];
    for end in ways {
        let (mut entities, _) = filled(2);
        entities.slots[1].generation = u32::MAX;
        let last = Entity::new(1, NonZeroU32::MAX);
        end(&mut entities, last);
        assert!(entities.free.is_empty());
        assert_eq!((entities.get(last), entities.len()), (None, 1));
        assert_eq!(allocate_at_row(&mut entities, HOME).index(), 2);
        entities.check_invariants();
    }
}

#[test]
fn an_allocation_is_refused_where_more_has_to_be_done() {
    let mut entities = Entities::default();
    assert_eq!(entities.allocate_at_row(HOME), None, "no room for a slot");
    entities.reserve_capacity(2);
    let first = entities.allocate_at_row(HOME).unwrap();
    assert_eq!((index_and_generation(first), entities.get(first)), ((0, 1), Some(HOME)));
    let reserved = entities.reserve().unwrap();
    assert_eq!(entities.allocate_at_row(HOME), None, "a reserved id comes first");
    assert_eq!(entities.next_reserved(), Some(reserved));
    entities.place(reserved, HOME);
    entities.free(first);
    let again = entities.allocate_at_row(HOME).unwrap();
    assert_eq!(index_and_generation(again), (0, 2));
    entities.check_invariants();

    let mut limited = Entities::with_limit(1);
    limited.reserve_capacity(4);
    assert!(limited.allocate_at_row(HOME).is_some());
    assert_eq!(limited.allocate_at_row(HOME), None, "the limit");
    assert!(matches!(limited.reserve_next(), Err(ReserveError::IdsExhausted)));
    limited.check_invariants();
}

#[test]
fn an_id_that_is_asked_for_leaves_the_indexes_below_it_free() {
    let mut entities = Entities::default();
    let far = Entity::new(3, NonZeroU32::new(7).unwrap());
    entities.reserve_at(far, 10).unwrap();
    assert_eq!(entities.allocate_at(far, 10), Ok(1));
    entities.place(far, HOME);
    assert_eq!(entities.get(far), Some(HOME));
    let mut below: Vec<_> = (0..3).map(|_| allocate_at_row(&mut entities, HOME).index()).collect();
    below.sort_unstable();
    assert_eq!(below, [0, 1, 2]);
    assert_eq!(allocate_at_row(&mut entities, HOME).index(), 4);
    entities.check_invariants();
}

#[test]
fn an_id_that_cannot_be_had_is_refused_with_the_reason() {
    let (mut entities, ids) = filled(2);
    assert_eq!(entities.allocate_at(ids[0], 10), Err(EntityError::Alive(ids[0])));
    let other = Entity::new(0, NonZeroU32::new(9).unwrap());
    assert_eq!(entities.allocate_at(other, 10), Err(EntityError::Alive(other)), "its index is in use");
    entities.free(ids[0]);
    assert_eq!(entities.allocate_at(ids[0], 10), Err(EntityError::Despawned(ids[0].into())));
    let far = Entity::new(13, NonZeroU32::MIN);
    assert_eq!(entities.allocate_at(far, 10), Err(EntityError::Unknown(far)));
    entities.check_invariants();
    assert_eq!(entities.index_bound(), 2);
}

#[test]
fn an_id_that_is_given_back_before_its_placement_has_not_been_used() {
    let (mut entities, ids) = filled(2);
    entities.free(ids[0]);
    let asked = Entity::new(0, NonZeroU32::new(5).unwrap());
    entities.reserve_at(asked, 0).unwrap();
    let before = entities.allocate_at(asked, 0).unwrap();
    entities.unallocate(asked, before);
    assert_eq!(index_and_generation(allocate_at_row(&mut entities, HOME)), (0, 2));
    entities.check_invariants();
}

#[test]
fn reserving_more_ids_than_there_are_takes_none() {
    let mut entities = Entities::with_limit(3);
    let first = allocate_at_row(&mut entities, HOME);
    entities.free(first);
    assert!(entities.reserve_many(4).is_err());
    assert!(!entities.needs_flush());
    let ids: Vec<_> = entities.reserve_many(3).unwrap().map(index_and_generation).collect();
    assert_eq!(ids, [(0, 2), (1, 1), (2, 1)]);
    assert_eq!(entities.reserve(), Err(EntityIdsExhausted));
    assert_eq!(entities.reserved(), 3);
    let mut flushed = Vec::new();
    while let Some(entity) = entities.next_reserved() {
        entities.place(entity, HOME);
        flushed.push(index_and_generation(entity));
    }
    assert_eq!((flushed, entities.reserved()), (ids, 0));
    entities.check_invariants();
}

#[test]
fn rows_are_found_by_id_and_table() {
    let (mut entities, ids) = filled(2);
    assert_eq!(Slot::row_in(entities.slots(), ids[1], TableId::EMPTY), Some(1));
    assert_eq!(Slot::row_in(entities.slots(), ids[1], TableId(1)), None);
    entities.relocate(ids[1], Location { table: TableId(1), row: 5 });
    assert_eq!(Slot::row_in(entities.slots(), ids[1], TableId(1)), Some(5));
    entities.free(ids[1]);
    assert_eq!(Slot::row_in(entities.slots(), ids[1], TableId(1)), None);
    assert_eq!(Slot::find(entities.slots(), ids[1]), None);
    assert_eq!(Slot::find(entities.slots(), ids[0]), Some(HOME));
}

#[test]
fn a_freed_index_has_no_sparse_components() {
    let (mut entities, ids) = filled(2);
    let summary = SparseMask::default().with(3);
    entities.set_sparse_summary(1, summary);
    assert_eq!([0, 1, 2].map(|index| entities.sparse_summary(index) == summary), [false, true, false]);
    entities.free(ids[1]);
    assert!(entities.sparse_summary(1).is_empty());
    entities.check_invariants();
}

#[test]
fn all_entities_can_be_freed_at_once() {
    let (mut entities, ids) = filled(4);
    entities.free(ids[2]);
    entities.free_all();
    assert_eq!((entities.len(), entities.locations().count()), (0, 0));
    assert!(ids.iter().all(|&id| !entities.contains(id)));
    let generation = allocate_at_row(&mut entities, HOME).generation();
    assert_eq!(generation, 2);
    entities.check_invariants();
}
