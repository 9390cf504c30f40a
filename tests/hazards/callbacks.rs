//! Panics in what the user hands in: iterators, constructors, closures, systems, commands; and guards that are forgotten.

use std::cell::Cell;
use std::mem::forget;

use strata_tests::drops::{self, Token};
use strata_tests::panics::{catch, expect_panic};

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Mark(u32);
#[derive(Component)]
struct Held(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside(Token);
#[derive(Resource, Debug, PartialEq)]
struct Score(u32);

/// An iterator that panics at one item and counts how often it is polled.
struct Faulty<'a> {
    next: u32,
    panic_at: u32,
    polls: &'a Cell<u32>,
}

impl Iterator for Faulty<'_> {
    type Item = (Held, Mark, Aside);

    fn next(&mut self) -> Option<Self::Item> {
        self.polls.set(self.polls.get() + 1);
        let value = self.next;
        self.next += 1;
        // It would panic a second time, were it polled again.
        assert!(value != self.panic_at && value != self.panic_at + 1, "the iterator broke at {value}");
        (value < 10).then(|| (Held(Token::new()), Mark(value), Aside(Token::new())))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (10, Some(10))
    }
}

#[test]
fn a_batch_whose_iterator_panics_keeps_the_rows_so_far_and_does_not_poll_again() {
    for panic_at in 0..10 {
        drops::reset();
        let polls = Cell::new(0);
        let mut world = World::new();
        world.spawn((Held(Token::new()), Mark(100), Aside(Token::new())));
        let text = expect_panic(|| world.spawn_batch(Faulty { next: 0, panic_at, polls: &polls }).count());
        assert!(text.contains("the iterator broke"), "{text}");
        assert_eq!(polls.get(), panic_at + 1);
        assert_eq!(world.len() as u32, 1 + panic_at, "no id leaks, no row is lost");
        let mut marks: Vec<u32> =
            world.query_filtered::<&Mark, (With<Held>, With<Aside>)>().iter(&world).map(|mark| mark.0).collect();
        marks.sort_unstable();
        assert!(marks.into_iter().eq((0..panic_at).chain([100])));
        assert_eq!(drops::alive() as u32, 2 * (1 + panic_at));
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn the_ids_of_a_batch_may_be_dropped_unread_without_polling_the_iterator() {
    let polls = Cell::new(0);
    let mut world = World::new();
    world.spawn_batch(Faulty { next: 0, panic_at: 100, polls: &polls });
    assert_eq!(polls.get(), 11);
    assert_eq!(world.len(), 10);
    world.check_invariants();
}

#[test]
fn a_default_that_panics_leaves_no_resource() {
    #[derive(Resource)]
    struct Broken;
    impl Default for Broken {
        fn default() -> Self {
            panic!("no default today");
        }
    }
    let mut world = World::new();
    expect_panic(|| {
        world.init_resource::<Broken>();
    });
    assert!(!world.contains_resource::<Broken>());
    expect_panic(|| {
        world.get_resource_or_insert_with(|| -> Broken { panic!("no value today") }).into_inner() as *mut Broken
    });
    assert!(!world.contains_resource::<Broken>());
    world.insert_resource(Broken);
    assert!(world.contains_resource::<Broken>());
    assert_usable(&mut world);
}

#[test]
fn a_default_that_panics_while_a_bundle_is_taken_loses_no_value_twice() {
    struct Broken;
    impl Default for Broken {
        fn default() -> Self {
            panic!("no default today");
        }
    }
    #[derive(Bundle)]
    struct Taken {
        held: Held,
        #[bundle(ignore)]
        _broken: Broken,
        aside: Aside,
    }
    drops::reset();
    let mut world = World::new();
    let entity =
        world.spawn((Taken { held: Held(Token::new()), _broken: Broken, aside: Aside(Token::new()) }, Mark(1))).id();
    let other = world.spawn((Held(Token::new()), Mark(2))).id();
    expect_panic(|| world.entity_mut(entity).take::<Taken>().map(|taken| (taken.held.0.id(), taken.aside)));
    drops::assert_none_twice();
    assert_eq!(world.get::<Mark>(entity), Some(&Mark(1)));
    assert_eq!(world.get::<Mark>(other), Some(&Mark(2)));
    assert_eq!(drops::alive(), 1 + 2 * usize::from(world.entity(entity).contains::<Held>()));
    assert_usable(&mut world);
    finish(world);
}

fn bomb(mut all: Query<'_, '_, &mut Mark>, mut commands: Commands<'_, '_>, mut score: ResMut<'_, Score>) {
    commands.spawn(Held(Token::new()));
    for mut mark in &mut all {
        mark.0 += 1;
        score.0 += 1;
        assert!(mark.0 != 3, "a mark of three");
    }
}

#[test]
fn a_system_that_panics_gives_its_borrows_back() {
    drops::reset();
    let mut world = World::new();
    world.insert_resource(Score(0));
    world.spawn_batch((0..5).map(Mark));
    let mut schedule = Schedule::default();
    schedule.add_systems(bomb);
    let text = expect_panic(|| schedule.run(&mut world));
    assert!(text.contains("a mark of three"), "{text}");
    world.check_invariants();
    assert_eq!(*world.resource::<Score>(), Score(3));
    for mut mark in world.query::<&mut Mark>().iter_mut(&mut world) {
        mark.0 = 10;
    }
    schedule.run(&mut world);
    assert_eq!(*world.resource::<Score>(), Score(8));
    assert!(world.query::<&Mark>().iter(&world).all(|mark| mark.0 == 11));
    assert_usable(&mut world);
    drop(schedule);
    finish(world);
}

#[test]
fn an_exclusive_system_that_panics_leaves_schedule_and_world_usable() {
    fn exclusive(world: &mut World) {
        world.spawn(Mark(1));
        assert!(world.len() > 1, "too few");
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(exclusive);
    let text = expect_panic(|| schedule.run(&mut world));
    assert!(text.contains("too few"), "{text}");
    schedule.run(&mut world);
    assert_eq!(world.len(), 2);
    assert_usable(&mut world);
}

#[system]
fn row_bomb(mark: &mut Mark, held: &mut Held) {
    held.0 = Token::new();
    mark.0 += 1;
    assert!(mark.0 != 3, "a mark of three");
}

#[test]
fn a_row_system_that_panics_leaves_the_rows_visited_as_they_are() {
    drops::reset();
    let mut world = World::new();
    world.spawn_batch((0..5).map(|value| (Mark(value), Held(Token::new()))));
    let mut schedule = Schedule::default();
    schedule.add_systems(row_bomb);
    expect_panic(|| schedule.run(&mut world));
    let mut marks: Vec<u32> = world.query::<&Mark>().iter(&world).map(|mark| mark.0).collect();
    marks.sort_unstable();
    assert_eq!(marks, [1, 2, 3, 3, 4]);
    assert_eq!(drops::alive(), 5);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_resource_is_back_after_its_scope_panicked() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let text = expect_panic(|| {
        world.resource_scope(|world: &mut World, mut score: Mut<'_, Score>| {
            score.0 = 2;
            world.spawn(Mark(1));
            panic!("in the scope");
        })
    });
    assert!(text.contains("in the scope"), "{text}");
    assert_eq!(*world.resource::<Score>(), Score(2));
    assert_eq!(world.len(), 1);
    assert_usable(&mut world);
}

#[test]
fn after_a_command_panicked_every_other_command_ran_or_was_dropped_once() {
    for bad in 0..5 {
        drops::reset();
        let mut world = World::new();
        let outcome = catch(|| {
            world.run_system_once(move |mut commands: Commands<'_, '_>| {
                for i in 0..5 {
                    commands.spawn((Held(Token::new()), Mark(i)));
                    let extra = Token::new();
                    commands.queue(move |world: &mut World| {
                        assert!(i != bad, "command {i} broke");
                        world.spawn(Held(extra));
                    });
                }
            })
        });
        assert!(outcome.expect_err("a command panics").contains("broke"));
        drops::assert_none_twice();
        world.check_invariants();
        let marks: Vec<u32> = world.query::<&Mark>().iter(&world).map(|mark| mark.0).collect();
        assert!((0..=bad).all(|i| marks.contains(&i)), "what came before the panic has been applied: {marks:?}");
        world.flush();
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn a_command_that_drops_an_exploding_value_is_like_one_that_panics() {
    drops::reset();
    let mut world = World::new();
    let first = world.spawn(Held(Token::armed())).id();
    let second = world.spawn(Held(Token::new())).id();
    expect_panic(|| {
        world.run_system_once(move |mut commands: Commands<'_, '_>| {
            commands.entity(first).despawn();
            commands.entity(second).despawn();
            commands.spawn(Held(Token::new()));
        })
    });
    world.flush();
    assert!(!world.contains(first));
    drops::assert_none_twice();
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn unapplied_commands_that_hold_an_exploding_value_are_dropped_once() {
    drops::reset();
    let mut world = World::new();
    let outcome = catch(|| {
        world
            .run_system_once(|mut commands: Commands<'_, '_>| -> () {
                commands.spawn(Held(Token::new()));
                let armed = Token::armed();
                commands.queue(move |_: &mut World| drop(armed));
                commands.spawn(Held(Token::new()));
                panic!("the system panics before its commands are applied");
            })
            .map_err(|error| error.to_string())
            .map(|(): ()| ())
    });
    assert!(outcome.is_err());
    drops::disarm();
    assert_usable(&mut world);
    finish(world);
}

#[test]
#[expect(clippy::forget_non_drop, reason = "whether a guard has a destructor is not the test's business")]
fn forgotten_guards_and_iterators_only_leave_things_as_they_are() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let entities: Vec<Entity> = (0..10).map(|value| world.spawn(Mark(value)).id()).collect();
    let mut state = world.query::<&mut Mark>();

    let mut iter = state.iter_mut(&mut world);
    iter.next();
    forget(iter);
    forget(state.query_mut(&mut world));
    let mut query = state.query_mut(&mut world);
    let mut many = query.iter_many_mut([entities[0]]).matched();
    many.fetch_next();
    forget(many);
    // Guards that own heap memory (combinations do) are left out: to forget them leaks it, as the leak checker would say.
    forget(world.get_mut::<Mark>(entities[0]));
    forget(world.entity_mut(entities[1]));
    forget(world.resource_mut::<Score>());
    forget(world.iter_entities());
    let mut commands = world.commands();
    commands.spawn(Mark(100));
    forget(commands);
    world.flush();

    assert_eq!(state.iter(&world).filter(|mark| mark.0 < 100).count(), 10);
    assert_eq!(*world.resource::<Score>(), Score(1));
    assert_usable(&mut world);
}

#[test]
#[expect(clippy::forget_non_drop, reason = "whether a guard has a destructor is not the test's business")]
fn forgotten_batch_ids_leave_the_batch_spawned() {
    let mut world = World::new();
    let mut ids = world.spawn_batch((0..10).map(Mark));
    assert!(ids.next().is_some());
    // The iterator may own the ids; it is kept, unread, past the checks, instead of being leaked for the leak checker.
    let kept = std::mem::ManuallyDrop::new(ids.by_ref().count());
    assert_eq!(*kept, 9);
    forget(ids);
    assert_eq!(world.query::<&Mark>().iter(&world).count(), 10);
    assert_usable(&mut world);
}

#[test]
fn an_entry_whose_component_a_listener_has_removed_names_the_component_and_the_cause() {
    #[derive(Component, Default)]
    struct Fleeting(u32);

    const REMOVED: &str = "Fleeting` any more: a hook or observer";
    const DESPAWNED: &str = "does not exist: it was despawned";
    let removes: [(fn(&mut World, Entity), &[&str]); 2] = [
        (|world, entity| _ = world.entity_mut(entity).remove::<Fleeting>(), &[REMOVED]),
        (|world, entity| _ = world.despawn(entity), &[REMOVED, DESPAWNED]),
    ];
    for (remove, expected) in removes {
        let mut world = World::new();
        world.add_observer(move |insert: On<'_, '_, Insert<Fleeting>>, mut commands: Commands<'_, '_>| {
            let entity = insert.entity;
            commands.queue(move |world: &mut World| remove(world, entity));
        });
        let mut looks: [Box<dyn FnMut(&mut EntityWorldMut<'_>)>; 4] = [
            Box::new(|entity| _ = entity.entry::<Fleeting>().or_default().get().0),
            Box::new(|entity| _ = entity.entry::<Fleeting>().or_default().get_mut().0),
            Box::new(|entity| _ = entity.entry::<Fleeting>().or_default().into_mut().0),
            Box::new(|entity| _ = entity.entry::<Fleeting>().or_default().take().0),
        ];
        for look in &mut looks {
            let mut entity = world.spawn_empty();
            let text = expect_panic(|| look(&mut entity));
            assert!(expected.iter().any(|expected| text.contains(expected)), "{text}");
            world.check_invariants();
        }
    }
}
