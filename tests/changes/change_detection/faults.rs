//! Panics in the middle: rows and their ticks stay together.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

use super::parts::{Aside, Health, Marked, Other, Tag};
use super::watcher::Watcher;

/// A component whose `Drop` may panic.
#[derive(Component)]
struct Held(Token);

/// As `Held`, outside of tables.
#[derive(Component)]
#[component(storage = "sparse")]
struct HeldAside(Token);

struct Scene {
    world: World,
    entities: Vec<Entity>,
    held: Watcher<Changed<Held>>,
    aside: Watcher<Changed<HeldAside>>,
    health: Watcher<Changed<Health>>,
}

fn scene() -> Scene {
    drops::reset();
    let mut world = World::new();
    let bundles = (0..200).map(|value| (Held(Token::new()), HeldAside(Token::new()), Health(value)));
    let entities = world.spawn_batch(bundles).collect();
    let (held, aside, health) = (Watcher::of(&mut world), Watcher::of(&mut world), Watcher::of(&mut world));
    Scene { world, entities, held, aside, health }
}

impl Scene {
    /// Checks the changes that each watcher detects, and advances.
    fn expect(mut self, held: &[Entity], aside: &[Entity], health: &[Entity]) {
        let world = &mut self.world;
        world.check_invariants();
        assert_eq!(self.held.sees(world), held);
        assert_eq!(self.aside.sees(world), aside);
        assert_eq!(self.health.sees(world), health);
        // Rows are added after the existing rows, and removed.
        let bundles = (0..300).map(|value| (Held(Token::new()), HeldAside(Token::new()), Health(value), Other(1)));
        let mut new: Vec<Entity> = world.spawn_batch(bundles).collect();
        new.extend(
            world.spawn_batch((0..300).map(|value| (Held(Token::new()), HeldAside(Token::new()), Health(value)))),
        );
        world.many(&new[100..200]).despawn();
        new.drain(100..200);
        new.sort_unstable();
        assert_eq!(self.held.sees(world), new);
        assert_eq!(self.aside.sees(world), new);
        assert_eq!(self.health.sees(world), new);
        world.check_invariants();
        drop(self);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn an_old_value_whose_drop_panics_has_been_replaced_and_is_a_change() {
    let mut scene = scene();
    let entity = scene.entities[3];
    drops::fuse(Some(0));
    expect_panic(|| {
        scene.world.entity_mut(entity).insert((Held(Token::new()), HeldAside(Token::new())));
    });
    drops::disarm();
    scene.expect(&[entity], &[entity], &[]);
}

#[test]
fn an_old_value_whose_drop_panics_while_the_entity_moves_is_a_change() {
    let mut scene = scene();
    let entity = scene.entities[3];
    drops::fuse(Some(0));
    expect_panic(|| {
        scene.world.entity_mut(entity).insert((Held(Token::new()), HeldAside(Token::new()), Other(1)));
    });
    drops::disarm();
    assert!(scene.world.entity(entity).contains::<Other>());
    scene.expect(&[entity], &[entity], &[]);
}

#[test]
fn a_removed_value_whose_drop_panics_is_gone_and_its_place_has_the_right_ticks() {
    let mut scene = scene();
    let (entity, last) = (scene.entities[3], scene.entities[199]);
    scene.world.get_mut::<Health>(last).expect("present").0 += 1;
    drops::fuse(Some(0));
    expect_panic(|| {
        scene.world.entity_mut(entity).remove::<(Held, HeldAside)>();
    });
    drops::disarm();
    scene.expect(&[], &[], &[last]);
}

#[test]
fn despawned_values_whose_drop_panics_leave_the_ticks_of_the_others() {
    let mut scene = scene();
    let last = scene.entities[199];
    scene.world.get_mut::<Held>(last).expect("present").set_changed();
    scene.world.get_mut::<HeldAside>(last).expect("present").set_changed();
    for at in [3, 70] {
        drops::fuse(Some(0));
        expect_panic(|| scene.world.despawn(scene.entities[at]));
        drops::disarm();
    }
    scene.expect(&[last], &[last], &[]);
}

#[test]
fn an_iterator_that_panics_leaves_the_rows_so_far_and_they_are_new() {
    let mut scene = scene();
    let bundles = (0..100).map(|value| {
        assert!(value != 70, "on purpose");
        (Held(Token::new()), HeldAside(Token::new()), Health(value))
    });
    let before = scene.world.len();
    expect_panic(|| scene.world.spawn_batch(bundles).len());
    assert_eq!(scene.world.len(), before + 70);
    let mut new: Vec<Entity> = scene.world.query_filtered::<Entity, With<Held>>().iter(&scene.world).collect();
    new.retain(|entity| !scene.entities.contains(entity));
    new.sort_unstable();
    scene.expect(&new, &new, &new);
}

#[test]
fn a_closure_that_panics_for_one_of_many_rows_leaves_the_others_their_ticks() {
    let mut scene = scene();
    let some: Vec<Entity> = scene.entities.iter().copied().step_by(2).collect();
    scene.world.get_mut::<Health>(some[5]).expect("present").0 += 1;
    let mut calls = 0;
    let make = |_| {
        calls += 1;
        assert!(calls != 50, "on purpose");
        (Other(1), Marked)
    };
    expect_panic(|| scene.world.many(&some).insert_with(make));
    scene.expect(&[], &[], &some[5..6]);
}

#[test]
fn a_selection_whose_old_values_panic_has_new_ones_that_are_seen() {
    let mut scene = scene();
    let some: Vec<Entity> = scene.entities.iter().copied().step_by(2).collect();
    drops::fuse(Some(20));
    expect_panic(|| scene.world.many(&some).insert_with(|_| (Held(Token::new()), Other(1))));
    drops::disarm();
    scene.expect(&some, &[], &[]);
}

#[test]
fn commands_whose_old_values_panic_have_been_carried_out_and_are_seen() {
    let mut scene = scene();
    let some = scene.entities[10..60].to_vec();
    for &entity in &some {
        scene.world.commands().entity(entity).remove::<Held>().insert((Held(Token::new()), Other(1)));
    }
    drops::fuse(Some(7));
    expect_panic(|| scene.world.flush());
    drops::disarm();
    scene.world.flush();
    scene.expect(&some, &[], &[]);
}

#[test]
fn a_system_that_panics_has_seen_what_was_new_and_what_it_wrote_is_seen() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(|value| (Health(value), Tag, Aside(1)))).collect();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut new: Query<&mut Health, Changed<Health>>| {
        for mut health in &mut new {
            health.0 += 1000;
            assert!(health.0 != 1050, "on purpose");
        }
    });
    expect_panic(|| schedule.run(&mut world));
    assert_eq!(watcher.sees(&mut world), entities[..51]);
    schedule.run(&mut world);
    assert_eq!(watcher.sees(&mut world), []);
}
