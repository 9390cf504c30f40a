//! Destructors that panic.

use std::sync::Arc;

use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;
use strata_tests::process;

use super::*;

#[derive(Component)]
struct First(Token);
#[derive(Component)]
struct Middle(Token);
#[derive(Component)]
struct Last(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside(Token);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Mark(u32);
#[derive(Component)]
struct Unit;
#[derive(Resource)]
struct Kept(Token);

fn quiet() -> (First, Middle, Last, Aside) {
    (First(Token::new()), Middle(Token::new()), Last(Token::new()), Aside(Token::new()))
}

/// A bundle whose component number `n` explodes.
fn armed(n: usize) -> (First, Middle, Last, Aside) {
    let token = |i| if i == n { Token::armed() } else { Token::new() };
    (First(token(0)), Middle(token(1)), Last(token(2)), Aside(token(3)))
}

#[test]
fn a_panic_in_the_drop_of_an_overwritten_value_leaves_the_new_one() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((First(Token::armed()), Mark(1))).id();
    let new = Token::new();
    let id = new.id();
    let text = expect_panic(|| world.entity_mut(entity).insert(First(new)).id());
    assert!(text.contains("exploded"), "{text}");
    assert_eq!(world.get::<First>(entity).expect("the new value is there").0.id(), id);
    assert_eq!(drops::alive(), 1);
    assert_eq!(world.get::<Mark>(entity), Some(&Mark(1)));
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_panic_in_the_drop_of_an_overwritten_sparse_value_leaves_the_new_one() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((Aside(Token::armed()), Mark(1))).id();
    let new = Token::new();
    let id = new.id();
    expect_panic(|| world.entity_mut(entity).insert(Aside(new)).id());
    assert_eq!(world.get::<Aside>(entity).expect("the new value is there").0.id(), id);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_panic_in_the_drop_of_one_overwritten_value_of_a_bundle_leaves_all_the_new_ones() {
    for n in 0..4 {
        drops::reset();
        let mut world = World::new();
        let entity = world.spawn(armed(n)).id();
        let bundle = quiet();
        let ids = [bundle.0.0.id(), bundle.1.0.id(), bundle.2.0.id(), bundle.3.0.id()];
        expect_panic(|| world.entity_mut(entity).insert(bundle).id());
        let found = [
            world.get::<First>(entity).expect("present").0.id(),
            world.get::<Middle>(entity).expect("present").0.id(),
            world.get::<Last>(entity).expect("present").0.id(),
            world.get::<Aside>(entity).expect("present").0.id(),
        ];
        assert_eq!(found, ids, "component {n} exploded");
        assert_eq!(drops::alive(), 4);
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn a_panic_in_a_drop_during_a_move_leaves_both_tables_right() {
    drops::reset();
    let mut world = World::new();
    let before = world.spawn((First(Token::new()), Mark(0))).id();
    let entity = world.spawn((First(Token::armed()), Mark(1))).id();
    let after = world.spawn((First(Token::new()), Mark(2))).id();
    // Overwrites `First` and adds `Unit`: the entity changes tables.
    expect_panic(|| world.entity_mut(entity).insert((First(Token::new()), Unit)).id());
    for (mark, entity) in [(0, before), (1, entity), (2, after)] {
        assert_eq!(world.get::<Mark>(entity), Some(&Mark(mark)));
        assert!(world.get::<First>(entity).is_some());
    }
    assert!(world.entity(entity).contains::<Unit>());
    assert_eq!(drops::alive(), 3);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_panic_in_the_drop_of_any_column_during_despawn_ends_the_entity_and_drops_the_others() {
    for n in 0..4 {
        for place in 0..3 {
            drops::reset();
            let mut world = World::new();
            let entities: Vec<Entity> = (0..3)
                .map(|i| world.spawn((if i == place { armed(n) } else { quiet() }, Mark(i as u32))).id())
                .collect();
            let victim = entities[place];
            expect_panic(|| world.despawn(victim));
            assert!(!world.contains(victim), "component {n}, row {place}");
            assert!(world.get::<Mark>(victim).is_none());
            assert_eq!(world.len(), 2);
            assert_eq!(drops::alive(), 8, "the other columns of the row are dropped too");
            for (mark, entity) in (0..).zip(&entities) {
                if *entity != victim {
                    assert_eq!(world.get::<Mark>(*entity), Some(&Mark(mark)));
                    assert!(drops::is_alive(world.get::<Last>(*entity).expect("present").0.id()));
                }
            }
            assert_eq!(world.query::<&First>().iter(&world).count(), 2);
            assert_usable(&mut world);
            finish(world);
        }
    }
}

#[test]
fn a_panic_in_the_drop_of_a_removed_value_removes_it_and_keeps_the_swapped_row_reachable() {
    for n in 0..4 {
        drops::reset();
        let mut world = World::new();
        let entity = world.spawn((armed(n), Mark(0))).id();
        let swapped = world.spawn((quiet(), Mark(1))).id();
        expect_panic(|| {
            let mut entity = world.entity_mut(entity);
            match n {
                0 => entity.remove::<First>().id(),
                1 => entity.remove::<Middle>().id(),
                2 => entity.remove::<Last>().id(),
                _ => entity.remove::<Aside>().id(),
            }
        });
        let left = world.entity(entity);
        let present =
            [left.contains::<First>(), left.contains::<Middle>(), left.contains::<Last>(), left.contains::<Aside>()];
        let mut expected = [true; 4];
        expected[n] = false;
        assert_eq!(present, expected);
        assert_eq!(world.get::<Mark>(entity), Some(&Mark(0)));
        assert_eq!(world.get::<Mark>(swapped), Some(&Mark(1)));
        assert!(world.get::<Last>(swapped).is_some());
        assert_eq!(drops::alive(), 7);
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn a_panic_while_a_bundle_is_removed_removes_all_of_it() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((armed(1), Mark(0))).id();
    expect_panic(|| world.entity_mut(entity).remove::<(First, Middle, Last, Aside)>().id());
    assert!(!world.entity(entity).contains::<First>());
    assert!(!world.entity(entity).contains::<Aside>());
    assert_eq!(world.get::<Mark>(entity), Some(&Mark(0)));
    assert_eq!(drops::alive(), 0);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_panic_while_the_world_is_cleared_leaves_no_row() {
    for n in 0..4 {
        drops::reset();
        let mut world = World::new();
        world.spawn_batch((0..5).map(|i| if i == 2 { armed(n) } else { quiet() }));
        world.spawn((Mark(1), First(Token::new())));
        expect_panic(|| world.clear_entities());
        assert_eq!(world.len(), 0, "component {n}");
        assert_eq!(world.query::<Entity>().iter(&world).count(), 0);
        assert_eq!(world.query::<&First>().iter(&world).count(), 0);
        drops::assert_none_twice();
        assert_usable(&mut world);
        finish_with_leaks(world);
    }
}

/// Ends a test of which a panic may have leaked values, but dropped none twice.
fn finish_with_leaks(world: World) {
    drops::disarm();
    drop(world);
    drops::assert_none_twice();
}

#[test]
fn a_panic_while_the_world_is_dropped_drops_the_rest_and_frees_the_memory() {
    // That the memory is freed is what the leak checker of the sanitizer run sees.
    for n in 0..5 {
        drops::reset();
        let mut world = World::new();
        world.insert_resource(Kept(if n == 4 { Token::armed() } else { Token::new() }));
        world.spawn_batch((0..5).map(|i| if i == 2 { armed(n) } else { quiet() }));
        world.spawn((Mark(1), Last(Token::new())));
        assert!(drops::is_alive(world.resource::<Kept>().0.id()));
        expect_panic(|| drop(world));
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_panic_while_a_resource_is_replaced_leaves_the_new_one() {
    drops::reset();
    let mut world = World::new();
    world.insert_resource(Kept(Token::armed()));
    let new = Token::new();
    let id = new.id();
    expect_panic(|| world.insert_resource(Kept(new)));
    assert_eq!(world.resource::<Kept>().0.id(), id);
    assert_eq!(drops::alive(), 1);
    assert_usable(&mut world);
    finish(world);
}

/// A value whose drop panics even while another panic unwinds.
#[derive(Component)]
struct Grenade<const N: usize>;

impl<const N: usize> Drop for Grenade<N> {
    fn drop(&mut self) {
        panic!("grenade {N}");
    }
}

#[test]
fn two_panicking_drops_in_one_operation_abort_as_documented() {
    const NAME: &str = "destructors::two_panicking_drops_in_one_operation_abort_as_documented";
    if process::is_child_for(NAME) {
        let mut world = World::new();
        let entity = world.spawn((Grenade::<1>, Grenade::<2>, Mark(0))).id();
        world.despawn(entity);
        return;
    }
    process::assert_aborted(&process::run_in_child(NAME));
}

#[test]
fn a_builder_survives_a_panic_in_the_drop_of_an_overwritten_value() {
    drops::reset();
    let mut builder = EntityBuilder::new();
    builder.add(First(Token::armed())).add(Middle(Token::new()));
    let new = Token::new();
    let id = new.id();
    expect_panic(|| {
        builder.add(First(new));
    });
    drops::assert_none_twice();
    assert_eq!(builder.len(), 2);
    let mut world = World::new();
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(world.get::<First>(entity).expect("the new value is there").0.id(), id);
    drop(builder);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_builder_is_empty_after_a_panic_in_clear() {
    for n in 0..4 {
        drops::reset();
        let mut builder = EntityBuilder::new();
        let (first, middle, last, aside) = armed(n);
        builder.add(first).add(middle).add(last).add(aside);
        expect_panic(|| builder.clear());
        assert_eq!(builder.len(), 0);
        assert!(builder.is_empty());
        assert!(!builder.has::<First>());
        drops::assert_none_twice();
        builder.add(Mark(1));
        let mut world = World::new();
        let entity = world.spawn_dynamic(&mut builder).id();
        assert_eq!(world.get::<Mark>(entity), Some(&Mark(1)));
        drop(builder);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_builder_inserted_over_an_exploding_value_is_used_up() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((First(Token::armed()), Aside(Token::new()))).id();
    let mut builder = EntityBuilder::new();
    let (first, middle, last, aside) = quiet();
    builder.add(first).add(middle).add(last).add(aside);
    expect_panic(|| world.entity_mut(entity).insert_dynamic(&mut builder).id());
    assert!(builder.is_empty());
    drop(builder);
    assert_eq!(drops::alive(), 4);
    assert!(world.entity(entity).contains::<Last>());
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn what_exchange_takes_out_is_dropped_if_what_it_replaces_panics() {
    #[derive(Component)]
    struct Given(Arc<()>);
    #[derive(Component)]
    struct Panics(bool);

    impl Drop for Panics {
        fn drop(&mut self) {
            assert!(!self.0, "it is dropped");
        }
    }

    for is_observed in [false, true] {
        let mut world = World::new();
        if is_observed {
            world.add_observer(|_: On<'_, '_, Insert<Panics>>| {});
        }
        let count = Arc::new(());
        let entity = world.spawn((Given(Arc::clone(&count)), Panics(true))).id();
        assert_eq!(Arc::strong_count(&world.get::<Given>(entity).expect("it is there").0), 2);
        expect_panic(|| world.entity_mut(entity).exchange::<Given, Panics>(Panics(false)).is_ok());
        assert_eq!(Arc::strong_count(&count), 1);
        assert!(world.get::<Given>(entity).is_none() && !world.get::<Panics>(entity).expect("it is there").0);
        world.check_invariants();
    }
}
