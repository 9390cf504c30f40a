//! Components and tags outside tables.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Solid(u32);
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Loose(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Tag2;
#[derive(Component)]
#[component(storage = "sparse")]
struct Held(Token);
#[derive(Component, Debug)]
#[component(storage = "sparse")]
#[repr(align(512))]
struct Wide(u8);
#[derive(Component)]
#[component(storage = "table")]
struct InTable;

/// The place of the entity's table row, which a move to another table changes.
fn place(world: &World, entity: Entity) -> usize {
    std::ptr::from_ref(world.get::<Solid>(entity).expect("every entity here is solid")).addr()
}

#[test]
fn adding_and_removing_moves_nothing() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..10).map(Solid)).collect();
    let before: Vec<usize> = entities.iter().map(|entity| place(&world, *entity)).collect();
    for entity in &entities {
        world.entity_mut(*entity).insert(Tag).insert(Loose(String::from("a")));
    }
    for entity in entities.iter().step_by(2) {
        world.entity_mut(*entity).remove::<Tag>();
        assert!(world.entity_mut(*entity).take::<Loose>().is_some());
    }
    let after: Vec<usize> = entities.iter().map(|entity| place(&world, *entity)).collect();
    assert_eq!(before, after);
    assert_eq!(world.query::<&Solid>().contiguous_iter(&world).count(), 1);
    world.check_invariants();
}

#[test]
fn the_storage_can_be_named_and_defaults_to_tables() {
    let mut world = World::new();
    let entity = world.spawn((Solid(1), InTable)).id();
    world.spawn(Solid(2));
    assert_eq!(world.query::<&Solid>().contiguous_iter(&world).count(), 2);
    assert!(world.entity(entity).contains::<InTable>());
}

#[test]
fn values_are_read_written_overwritten_and_taken() {
    let mut world = World::new();
    let entity = world.spawn((Solid(1), Loose(String::from("a")))).id();
    assert_eq!(world.get::<Loose>(entity), Some(&Loose(String::from("a"))));
    world.get_mut::<Loose>(entity).expect("present").0.push('b');
    assert_eq!(world.get::<Loose>(entity), Some(&Loose(String::from("ab"))));
    world.entity_mut(entity).insert(Loose(String::from("c")));
    assert_eq!(world.entity_mut(entity).take::<Loose>(), Some(Loose(String::from("c"))));
    assert_eq!(world.entity_mut(entity).take::<Loose>(), None);
    world.check_invariants();
}

#[test]
fn an_entity_may_have_nothing_but_sparse_components() {
    let mut world = World::new();
    let tagged = world.spawn(Tag).id();
    let loose = world.spawn((Loose(String::from("x")), Tag)).id();
    let mut query = world.query_filtered::<Entity, With<Tag>>();
    let mut found: Vec<Entity> = query.iter(&world).collect();
    found.sort();
    let mut expected = vec![tagged, loose];
    expected.sort();
    assert_eq!(found, expected);
    world.check_invariants();
}

#[test]
fn a_tag_belongs_to_the_id_not_to_the_index() {
    let mut world = World::new();
    let first = world.spawn((Solid(1), Tag, Loose(String::from("first")))).id();
    world.despawn(first);
    let second = world.spawn(Solid(2)).id();
    assert_eq!(first.index(), second.index());
    assert!(!world.entity(second).contains::<Tag>());
    assert!(world.get::<Loose>(second).is_none());
    assert_eq!(world.query::<&Loose>().iter(&world).count(), 0);
    world.check_invariants();
}

#[test]
fn a_tag_stays_with_its_entity_when_rows_are_swapped() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..6).map(Solid)).collect();
    world.entity_mut(entities[5]).insert((Tag, Loose(String::from("five"))));
    world.despawn(entities[0]);
    world.despawn(entities[2]);
    assert!(world.entity(entities[5]).contains::<Tag>());
    assert_eq!(world.get::<Loose>(entities[5]), Some(&Loose(String::from("five"))));
    let tagged: Vec<u32> = world.query_filtered::<&Solid, With<Tag>>().iter(&world).map(|solid| solid.0).collect();
    assert_eq!(tagged, [5]);
    world.check_invariants();
}

#[test]
fn queries_mix_both_kinds() {
    let mut world = World::new();
    for value in 0..24 {
        let entity = world.spawn(Solid(value)).id();
        if value % 2 == 0 {
            world.entity_mut(entity).insert(Loose(value.to_string()));
        }
        if value % 3 == 0 {
            world.entity_mut(entity).insert(Tag);
        }
        if value % 4 == 0 {
            world.entity_mut(entity).insert(Tag2);
        }
    }
    let even = (0..24).filter(|value| value % 2 == 0).map(|value| (value, value.to_string()));
    let mut both = world.query::<(&Solid, &Loose)>();
    let mut found: Vec<(u32, String)> = both.iter(&world).map(|(solid, loose)| (solid.0, loose.0.clone())).collect();
    found.sort();
    let mut expected: Vec<(u32, String)> = even.collect();
    expected.sort();
    assert_eq!(found, expected);

    let count = |found: usize, test: fn(u32) -> bool| assert_eq!(found, (0..24).filter(|value| test(*value)).count());
    count(world.query_filtered::<&Solid, With<Tag>>().iter(&world).count(), |v| v % 3 == 0);
    count(world.query_filtered::<&Solid, Without<Tag>>().iter(&world).count(), |v| v % 3 != 0);
    count(world.query_filtered::<&Loose, (With<Tag>, Without<Tag2>)>().iter(&world).count(), |v| {
        v % 6 == 0 && v % 4 != 0
    });
    count(world.query_filtered::<Entity, Or<(With<Tag>, With<Tag2>)>>().iter(&world).count(), |v| {
        v % 3 == 0 || v % 4 == 0
    });
    for (solid, loose, tag) in world.query::<(&Solid, Option<&Loose>, Has<Tag>)>().iter(&world) {
        assert_eq!(loose.is_some(), solid.0 % 2 == 0);
        assert_eq!(tag, solid.0 % 3 == 0);
    }
    world.check_invariants();
}

#[test]
fn queries_write_to_sparse_components() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..5).map(|value| (Solid(value), Loose(String::new())))).collect();
    let mut query = world.query::<(&Solid, &mut Loose)>();
    for (solid, mut loose) in query.iter_mut(&mut world) {
        loose.0 = solid.0.to_string();
    }
    query.iter_mut(&mut world).for_each(|(_, mut loose)| loose.0.push('!'));
    assert_eq!(world.get::<Loose>(entities[3]), Some(&Loose(String::from("3!"))));
    let mut optional = world.query::<Option<&mut Loose>>();
    optional.get_mut(&mut world, entities[0]).expect("alive").expect("present").0.clear();
    assert_eq!(world.get::<Loose>(entities[0]), Some(&Loose(String::new())));
}

#[test]
fn over_aligned_sparse_values_stand_aligned() {
    let mut world = World::new();
    world.spawn_batch((0..20).map(Wide));
    for wide in world.query::<&Wide>().iter(&world) {
        assert_eq!(std::ptr::from_ref(wide).addr() % 512, 0, "{wide:?}");
    }
}

#[test]
fn sparse_values_are_dropped_once_however_they_leave() {
    drops::reset();
    let mut world = World::new();
    let spawn = |world: &mut World| world.spawn((Solid(0), Held(Token::new()))).id();
    let (despawned, removed, taken, overwritten, kept) =
        (spawn(&mut world), spawn(&mut world), spawn(&mut world), spawn(&mut world), spawn(&mut world));
    world.despawn(despawned);
    assert_eq!(drops::dropped(), 1);
    world.entity_mut(removed).remove::<Held>();
    assert_eq!(drops::dropped(), 2);
    drop(world.entity_mut(taken).take::<Held>());
    assert_eq!(drops::dropped(), 3);
    world.entity_mut(overwritten).insert(Held(Token::new()));
    assert_eq!(drops::dropped(), 4);
    assert!(world.entity(kept).contains::<Held>());
    world.clear_entities();
    assert_eq!(drops::dropped(), 6);
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn many_sparse_types_on_one_entity_all_leave_with_it() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Many<const I: usize>(Token);
    macro_rules! insert {
        ($world:ident $entity:ident $($i:literal)*) => { $( $world.entity_mut($entity).insert(Many::<$i>(Token::new())); )* };
    }
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn(Solid(1)).id();
    let other = world.spawn(Solid(2)).id();
    // More than 64 and more than 128, so that a summary of the sets that may hold an entity wraps around.
    macro_rules! tens {
        ($($t:literal)*) => { $( insert!(world entity $t); insert!(world other $t); )* };
    }
    tens!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
          40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76
          77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109
          110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135);
    assert_eq!(drops::alive(), 272);
    world.check_invariants();
    world.despawn(entity);
    assert_eq!(drops::alive(), 136);
    assert!(world.entity(other).contains::<Many<135>>());
    world.check_invariants();
    world.despawn(other);
    drops::assert_all_dropped_once();
}
