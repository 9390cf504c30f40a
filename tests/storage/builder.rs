//! Bundles made at run time.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics;

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
struct Held(Token);
#[derive(Component)]
struct HeldToo(Token);

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

/// A component that no macro made: no process-wide number, and found by its type alone.
#[derive(Debug, PartialEq)]
struct Generic<T>(T);

impl<T: Send + Sync + 'static> Component for Generic<T> {
    type Mutability = strata_ecs::component::Mutable;
    const STORAGE_TYPE: strata_ecs::component::StorageType = strata_ecs::component::StorageType::Table;
    const KEY: strata_ecs::component::ComponentKey =
        strata_ecs::component::ComponentKey::new(None, None, "builder", "Generic", 1, 1).inexact();
}

#[derive(Component)]
#[component(storage = "sparse")]
struct HeldAside(Token);

/// A tag whose drop is counted.
#[derive(Component)]
#[component(storage = "sparse")]
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        COUNTED.set(COUNTED.get() + 1);
    }
}

thread_local! {
    static COUNTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[derive(Component, Clone, PartialEq)]
struct Huge([u8; 1 << 20]);

#[test]
fn values_are_seen_and_taken_by_type() {
    let mut builder = EntityBuilder::new();
    builder.add(Name(String::from("ann"))).add(Speed(2.5)).add(Flag).add(Wide(7)).add(Aside(9));
    assert_eq!(builder.get(), Some(&Name(String::from("ann"))));
    assert_eq!(std::ptr::from_ref(builder.get::<Wide>().expect("added")).addr() % 256, 0);
    assert_eq!(builder.get::<Generic<u8>>(), None);
    assert_eq!(builder.take::<Name>(), Some(Name(String::from("ann"))));
    assert_eq!((builder.take::<Name>(), builder.get::<Name>(), builder.len()), (None, None, 4));
    assert_eq!((builder.take(), builder.take()), (Some(Flag), Some(Wide(7))));
    assert!(builder.remove::<Speed>() && !builder.remove::<Speed>());
    assert_eq!(builder.names().collect::<Vec<_>>(), ["storage::builder::Aside"]);
    assert_eq!(builder.type_ids().collect::<Vec<_>>(), [std::any::TypeId::of::<Aside>()]);
    let mut world = World::new();
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get(entity), Some(&Aside(9)));
    world.check_invariants();
}

#[test]
fn the_components_of_a_bundle_are_added() {
    drops::reset();
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    builder.add(Held(Token::new())).add(Speed(1.0));
    builder
        .add_bundle((Speed(2.0), (HeldToo(Token::new()), Held(Token::new())), Generic(5_u8), Aside(3)))
        .add_bundle(());
    assert_eq!((builder.len(), drops::alive(), drops::dropped()), (5, 2, 1));
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get(entity), Some(&Speed(2.0)));
    assert_eq!(world.get(entity), Some(&Generic(5_u8)));
    assert_eq!(world.get(entity), Some(&Aside(3)));
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_panic_in_the_drop_of_a_replaced_value_loses_nothing() {
    for bundle in [false, true] {
        drops::reset();
        let mut builder = EntityBuilder::new();
        builder.add(Held(Token::armed())).add(HeldToo(Token::new()));
        panics::expect_panic(|| match bundle {
            false => builder.add(Held(Token::new())).len(),
            true => builder.add_bundle((Held(Token::new()), HeldToo(Token::new()))).len(),
        });
        assert_eq!((builder.len(), drops::alive()), (2, 2));
        let mut world = World::new();
        world.spawn_dynamic(&mut builder);
        world.check_invariants();
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_panic_in_a_drop_while_a_builder_goes_drops_the_rest() {
    for way in 0..3 {
        drops::reset();
        let mut builder = EntityBuilder::new();
        builder.add(Held(Token::armed())).add(HeldToo(Token::new())).add(HeldAside(Token::new()));
        panics::expect_panic(|| match way {
            0 => builder.clear(),
            1 => drop(std::mem::take(&mut builder)),
            _ => drop(builder.remove::<Held>()),
        });
        assert_eq!(builder.len(), if way == 2 { 2 } else { 0 });
        drop(builder);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_panic_in_the_drop_of_an_overwritten_value_leaves_the_new_ones() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((Held(Token::armed()), HeldAside(Token::new()))).id();
    let mut builder = EntityBuilder::new();
    builder.add(HeldAside(Token::new())).add(Held(Token::new())).add(Speed(1.0));
    panics::expect_panic(|| world.entity_mut(entity).insert_dynamic(&mut builder).id());
    assert_eq!(drops::alive(), 2);
    assert_eq!(world.get(entity), Some(&Speed(1.0)));
    world.check_invariants();
    drop((world, builder));
    drops::assert_all_dropped_once();
}

#[test]
fn everything_is_taken_out_and_moves_to_another_world() {
    drops::reset();
    COUNTED.set(0);
    let (mut here, mut there) = (World::new(), World::new());
    // The worlds number their components differently.
    there.spawn((Aside(0), Speed(0.0)));
    let neighbour = here.spawn((Held(Token::new()), HeldAside(Token::new()), Wide(1), Generic(1_u8))).id();
    let entity =
        here.spawn((Held(Token::new()), HeldAside(Token::new()), Counted, Wide(7), Flag, Generic(3_u8), Aside(9))).id();
    let last =
        here.spawn((Held(Token::new()), HeldAside(Token::new()), Counted, Wide(8), Flag, Generic(4_u8), Aside(8))).id();
    let mut builder = here.entity_mut(entity).take_all();
    assert_eq!((builder.len(), drops::alive(), COUNTED.get()), (7, 6, 0));
    assert_eq!(here.entity(entity).components().count(), 0);
    assert!(here.get::<Wide>(last) == Some(&Wide(8)) && here.get::<Wide>(neighbour) == Some(&Wide(1)));
    here.check_invariants();
    let arrived = there.spawn_dynamic(&mut builder).id();
    assert_eq!(there.get(arrived), Some(&Wide(7)));
    assert_eq!(there.get(arrived), Some(&Generic(3_u8)));
    assert_eq!(there.get(arrived), Some(&Aside(9)));
    assert!(there.entity(arrived).contains::<Counted>() && there.entity(arrived).contains::<Flag>());
    there.check_invariants();
    assert_eq!(there.query::<(&Generic<u8>, &Wide, &Aside)>().iter(&there).count(), 1);
    // A component that was adopted from data is the component that is registered by type.
    there.spawn((Held(Token::new()), HeldAside(Token::new()), Counted, Generic(5_u8)));
    assert_eq!(there.query::<(&Held, &HeldAside, Has<Counted>, &Generic<u8>)>().iter(&there).count(), 2);
    there.check_invariants();
    drop(here);
    assert_eq!((drops::alive(), COUNTED.get()), (4, 1));
    drop(there);
    assert_eq!(COUNTED.get(), 3);
    drops::assert_all_dropped_once();
}

#[test]
fn an_emptied_entity_can_be_filled_again() {
    let mut world = World::new();
    let mut entity = world.spawn((Name(String::from("ann")), Aside(1)));
    let mut builder = entity.take_all();
    assert!(entity.take_all().is_empty());
    entity.insert(Speed(1.0)).insert_dynamic(&mut builder);
    assert_eq!(entity.get(), Some(&Name(String::from("ann"))));
    let mut only_sparse = entity.world_scope(|world| world.spawn((Aside(5), Counted)).id());
    let mut builder = world.entity_mut(only_sparse).take_all();
    assert_eq!(builder.len(), 2);
    world.check_invariants();
    only_sparse = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get(only_sparse), Some(&Aside(5)));
    world.check_invariants();
}

/// Values of 1 MiB, on a stack that has room for what a build without optimisation copies.
#[test]
fn large_values_go_through_a_builder() {
    let run = || {
        let mut world = World::new();
        let mut builder = EntityBuilder::new();
        builder.add(Huge([3; 1 << 20]));
        builder.add(Huge([4; 1 << 20]));
        let mut entity = world.spawn_dynamic(&mut builder);
        let mut builder = entity.take_all();
        assert!(builder.get::<Huge>().is_some_and(|huge| huge.0.iter().all(|&byte| byte == 4)));
        entity.insert_dynamic(&mut builder);
        assert!(entity.contains::<Huge>());
        world.spawn_columns(vec![Huge([5; 1 << 20]); 3]).expect("one column");
        assert_eq!(world.query::<&Huge>().iter(&world).filter(|huge| huge.0[1 << 19] == 5).count(), 3);
        world.check_invariants();
    };
    std::thread::Builder::new().stack_size(16 << 20).spawn(run).expect("a thread").join().expect("no panic");
}
