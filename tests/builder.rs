//! Bundles made at run time.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};

#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Speed(f64);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Flag;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[repr(align(256))]
struct Wide(u8);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Aside(u16);
#[derive(Component)]
struct Held(#[expect(dead_code, reason = "counts its drop")] Token);
#[derive(Component)]
struct HeldToo(#[expect(dead_code, reason = "counts its drop")] Token);

#[test]
fn what_is_added_is_spawned() {
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    builder.add(Name(String::from("ann"))).add(Speed(2.5)).add(Flag).add(Wide(7)).add(Aside(9));
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get::<Name>(entity), Some(&Name(String::from("ann"))));
    assert_eq!(world.get::<Speed>(entity), Some(&Speed(2.5)));
    assert_eq!(world.get::<Flag>(entity), Some(&Flag));
    assert_eq!(world.get::<Wide>(entity), Some(&Wide(7)));
    assert_eq!(std::ptr::from_ref(world.get::<Wide>(entity).expect("present")).addr() % 256, 0);
    assert_eq!(world.get::<Aside>(entity), Some(&Aside(9)));
    world.check_invariants();
}

#[test]
fn the_builder_is_empty_after_a_spawn_and_can_be_used_again() {
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    for round in 0..10_u16 {
        assert!(builder.is_empty());
        builder.add(Aside(round)).add(Speed(f64::from(round)));
        assert_eq!(builder.len(), 2);
        let entity = world.spawn_dynamic(&mut builder).id();
        assert_eq!(world.get::<Aside>(entity), Some(&Aside(round)));
    }
    assert_eq!(world.len(), 10);
    world.check_invariants();
}

#[test]
fn an_empty_builder_spawns_an_empty_entity() {
    let mut world = World::new();
    let entity = world.spawn_dynamic(&mut EntityBuilder::new()).id();
    assert!(world.contains(entity));
    world.check_invariants();
}

#[test]
fn the_last_of_two_values_of_a_type_counts() {
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    builder.add(Name(String::from("first"))).add(Flag).add(Name(String::from("second")));
    assert_eq!(builder.len(), 2);
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get::<Name>(entity), Some(&Name(String::from("second"))));
    world.check_invariants();
}

#[test]
fn a_builder_says_what_it_holds() {
    let mut builder = EntityBuilder::new();
    builder.add(Name(String::from("ann"))).add(Speed(1.0)).add(Aside(2)).add(Flag);
    assert_eq!(builder.len(), 4);
    assert!(builder.has::<Name>());
    assert!(builder.has::<Aside>());
    assert!(!builder.has::<Wide>());
    let mut world = World::new();
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get::<Speed>(entity), Some(&Speed(1.0)));
}

#[test]
fn an_entity_built_at_run_time_shares_the_table_of_one_spawned_by_type() {
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    builder.add(Speed(1.0)).add(Flag);
    world.spawn_dynamic(&mut builder);
    world.spawn((Flag, Speed(2.0)));
    let mut query = world.query::<&Speed>();
    assert_eq!(query.contiguous_iter(&world).count(), 1);
    world.check_invariants();
}

#[test]
fn a_builder_is_inserted_into_a_living_entity() {
    let mut world = World::new();
    let entity = world.spawn((Name(String::from("old")), Wide(1))).id();
    let mut builder = EntityBuilder::new();
    builder.add(Name(String::from("new"))).add(Speed(3.0)).add(Aside(4));
    world.entity_mut(entity).insert_dynamic(&mut builder);
    assert!(builder.is_empty());
    assert_eq!(world.get::<Name>(entity), Some(&Name(String::from("new"))));
    assert_eq!(world.get::<Wide>(entity), Some(&Wide(1)));
    assert_eq!(world.get::<Speed>(entity), Some(&Speed(3.0)));
    assert_eq!(world.get::<Aside>(entity), Some(&Aside(4)));
    world.check_invariants();
}

#[test]
fn clear_drop_and_overwriting_drop_each_value_once() {
    drops::reset();
    let mut builder = EntityBuilder::new();
    builder.add(Held(Token::new())).add(HeldToo(Token::new()));
    builder.clear();
    assert_eq!((drops::alive(), drops::dropped()), (0, 2));
    assert!(builder.is_empty());
    builder.add(Held(Token::new())).add(Held(Token::new()));
    assert_eq!((drops::alive(), drops::dropped()), (1, 3));
    builder.add(HeldToo(Token::new()));
    drop(builder);
    assert_eq!(drops::dropped(), 5);
    drops::assert_all_dropped_once();
}

#[test]
fn spawned_values_belong_to_the_world_alone() {
    drops::reset();
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    builder.add(Held(Token::new())).add(HeldToo(Token::new()));
    world.spawn_dynamic(&mut builder);
    drop(builder);
    assert_eq!((drops::alive(), drops::dropped()), (2, 0));
    drop(world);
    drops::assert_all_dropped_once();
}
