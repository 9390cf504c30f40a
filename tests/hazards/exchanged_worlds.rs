//! Worlds that are exchanged by what runs on them, as rollbacks and double buffers do: what was taken out of a world, or recorded
//! for it, finds its way back to it, and nothing of it gets into the other one.

use std::sync::{Arc, Mutex};

use strata_ecs::change::DetectChanges;
use strata_ecs::prelude::*;
use strata_ecs::system::BoxedSystem;
use strata_ecs::world::RegisteredSystemError;
use strata_tests::panics::expect_panic;

use super::assert_usable;

#[derive(Component, Clone, Debug, PartialEq)]
struct Name(String);
#[derive(Component)]
struct Other;
#[derive(Resource, Clone, Debug, PartialEq)]
pub(super) struct Text(pub(super) String);
#[derive(Resource, Clone, Default, Debug, PartialEq)]
struct Log(Vec<&'static str>);
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

/// A world that another one can be exchanged for, any number of times.
#[derive(Clone)]
pub(super) struct Aside(Arc<Mutex<World>>);

impl Aside {
    /// Two worlds with different numbers for components and resources, one of them aside.
    pub(super) fn pair() -> (World, Self) {
        let [mut here, mut aside] = [World::new(), World::new()];
        here.register_component::<Name>();
        aside.register_component::<Other>();
        aside.init_resource::<Log>();
        here.insert_resource(Text(String::from("here")));
        here.init_resource::<Log>();
        aside.insert_resource(Text(String::from("aside")));
        (here, Self(Arc::new(Mutex::new(aside))))
    }

    pub(super) fn exchange(&self, world: &mut World) {
        std::mem::swap(world, &mut *self.0.lock().expect("no panic"));
    }

    /// Does something with the world that is aside.
    pub(super) fn with<T>(&self, action: impl FnOnce(&mut World) -> T) -> T {
        action(&mut self.0.lock().expect("no panic"))
    }

    /// Both worlds are whole, and nothing waits in them.
    pub(super) fn finish(self, here: World) {
        self.finish_with(here, assert_usable);
    }

    /// As [`finish`](Self::finish), with another check of each world.
    pub(super) fn finish_with(self, mut here: World, check: fn(&mut World)) {
        for world in [&mut here, &mut self.0.lock().expect("no panic")] {
            world.flush();
            assert_eq!(world.take_command_errors().0, []);
            check(world);
        }
        // Its systems may hold this, and would be held by it for ever.
        drop(self.with(std::mem::take));
    }
}

fn names(world: &mut World) -> Vec<String> {
    let mut names: Vec<String> = world.query::<&Name>().iter(world).map(|name| name.0.clone()).collect();
    names.sort();
    names
}

fn log(world: &mut World) -> Vec<&'static str> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

fn name(name: &str) -> Name {
    Name(String::from(name))
}

/// Records commands, of which one in the middle exchanges the worlds.
fn record(commands: &mut Commands<'_, '_>, aside: &Aside) {
    commands.spawn(name("before"));
    let reserved = commands.spawn_empty().id();
    let aside = aside.clone();
    commands.queue(|world: &mut World| world.resource_mut::<Log>().0.push("before"));
    commands.queue(move |world: &mut World| aside.exchange(world));
    commands.entity(reserved).insert(name("reserved"));
    commands.spawn(name("after"));
    commands.queue(|world: &mut World| world.resource_mut::<Log>().0.push("after"));
    commands.insert_resource(Text(String::from("by command")));
    commands.spawn_batch([name("one"), name("two")]);
}

/// Checks the recorded commands after the worlds have been exchanged: none is applied in this world, and the rest waits in the other one.
fn check_recorded(here: &mut World, aside: &Aside) {
    assert_eq!((here.len(), here.resource::<Text>()), (0, &Text(String::from("aside"))));
    assert_eq!(log(here), [""; 0]);
    here.flush();
    assert_eq!(here.len(), 0);
    aside.with(|first| {
        assert_eq!((names(first), log(first)), (vec![String::from("before")], vec!["before"]));
        assert_eq!(first.resource::<Text>(), &Text(String::from("here")));
        first.flush();
        assert_eq!(names(first), ["after", "before", "one", "reserved", "two"]);
        assert_eq!(log(first), ["after"]);
        assert_eq!(first.resource::<Text>(), &Text(String::from("by command")));
        first.check_invariants();
    });
}

#[test]
fn commands_behind_one_that_exchanges_the_worlds_wait_in_the_world_that_they_were_recorded_for() {
    type Way = fn(&mut World, &Aside);
    let ways: [(&str, Way); 10] = [
        ("a system", |world, aside| {
            let aside = aside.clone();
            world
                .run_system_once(move |mut commands: Commands<'_, '_>| record(&mut commands, &aside))
                .expect("it runs");
        }),
        ("a registered system", |world, aside| {
            let aside = aside.clone();
            let id = world.register_system(move |mut commands: Commands<'_, '_>| record(&mut commands, &aside));
            world.run_system(id).expect("it runs");
        }),
        ("the first of a pipe", |world, aside| {
            let aside = aside.clone();
            let first = move |mut commands: Commands<'_, '_>| record(&mut commands, &aside);
            world.run_system_once(first.pipe(|_: In<()>, _: Commands<'_, '_>| ())).expect("it runs");
        }),
        ("before an exclusive system of a pipe", |world, aside| {
            let other = aside.clone();
            let first = move |mut commands: Commands<'_, '_>| {
                commands.queue(|world: &mut World| world.resource_mut::<Log>().0.push("before"));
                commands.spawn(name("before"));
            };
            world.run_system_once(first).expect("it runs");
            let second = move |mut commands: Commands<'_, '_>| {
                let reserved = commands.spawn_empty().id();
                commands.entity(reserved).insert(name("reserved"));
                commands.spawn(name("after"));
                commands.queue(|world: &mut World| world.resource_mut::<Log>().0.push("after"));
                commands.insert_resource(Text(String::from("by command")));
                commands.spawn_batch([name("one"), name("two")]);
            };
            let system = second.pipe(move |_: In<()>, world: &mut World| other.exchange(world));
            world.run_system_once(system).expect("it runs");
        }),
        ("a queue", |world, aside| {
            let mut queue = CommandQueue::default();
            record(&mut Commands::new(&mut queue, world), aside);
            queue.apply(world);
        }),
        ("the world's own queue", |world, aside| {
            record(&mut world.commands(), aside);
            world.flush();
        }),
        ("a state", |world, aside| {
            let mut state = SystemState::<(Commands<'_, '_>, Commands<'_, '_>)>::new(world);
            record(&mut state.get_mut(world).expect("it is there").0, aside);
            state.apply(world);
        }),
        ("a command that applies commands", |world, aside| {
            let aside = aside.clone();
            world.commands().queue(move |world: &mut World| {
                record(&mut world.commands(), &aside);
                world.flush();
            });
            world.flush();
        }),
        ("what waited in the world", |world, aside| {
            record(&mut world.commands(), aside);
            world
                .run_system_once(|mut commands: Commands<'_, '_>| commands.queue(|_: &mut World| ()))
                .expect("it runs");
        }),
        ("a schedule", |world, aside| {
            let aside = aside.clone();
            let mut schedule = Schedule::default();
            schedule.add_systems((move |mut commands: Commands<'_, '_>| record(&mut commands, &aside), || ()).chain());
            schedule.run(world);
        }),
    ];
    for (way, run) in ways {
        println!("{way}");
        let (mut here, aside) = Aside::pair();
        run(&mut here, &aside);
        check_recorded(&mut here, &aside);
        aside.finish(here);
    }
}

fn spawn(text: &'static str) -> impl FnMut(Commands<'_, '_>) + Send + Sync + 'static {
    move |mut commands: Commands<'_, '_>| {
        commands.queue(move |world: &mut World| world.resource_mut::<Log>().0.push(text));
        commands.spawn(name(text));
    }
}

#[test]
fn commands_of_other_systems_go_home_with_those_of_the_one_that_exchanges_the_worlds() {
    for by_system in [false, true] {
        for panics in [false, true] {
            let (mut here, aside) = Aside::pair();
            let other = aside.clone();
            let mut schedule = Schedule::default();
            if by_system {
                let exchange = move |world: &mut World| {
                    other.exchange(world);
                    assert!(!panics, "out of order");
                };
                // Without an order, since commands are applied before an exclusive system that is ordered after them.
                schedule.add_systems((spawn("first"), spawn("second"), exchange, spawn("third")));
            } else {
                let exchange = move |mut commands: Commands<'_, '_>| {
                    let other = other.clone();
                    commands.queue(move |world: &mut World| {
                        other.exchange(world);
                        assert!(!panics, "out of order");
                    });
                };
                schedule.add_systems((spawn("first"), exchange, spawn("second"), spawn("third")));
            }
            if panics {
                expect_panic(|| schedule.run(&mut here));
            } else {
                schedule.run(&mut here);
            }
            // Commands that ran in the exchanged world were applied there.
            let (expected_here, expected_aside): (&[_], &[_]) = match (by_system, panics) {
                (true, false) => (&["third"], &["first", "second"]),
                (true, true) => (&[], &["first", "second"]),
                (false, _) => (&[], &["first", "second", "third"]),
            };
            here.flush();
            assert_eq!((names(&mut here), log(&mut here)), (strings(expected_here), expected_here.to_vec()));
            aside.with(|first| {
                first.flush();
                assert_eq!((names(first), log(first)), (strings(expected_aside), expected_aside.to_vec()));
            });
            aside.finish(here);
        }
    }
}

#[test]
fn commands_of_the_later_systems_of_a_pipe_go_home_with_those_of_the_first() {
    fn pipe(aside: &Aside, length: usize) -> BoxedSystem {
        let aside = aside.clone();
        let first = move |mut commands: Commands<'_, '_>| {
            let aside = aside.clone();
            commands.queue(move |world: &mut World| aside.exchange(world));
        };
        let next = |pipe: BoxedSystem, _| IntoSystem::into_system(pipe.pipe(spawn("later")));
        (1..length).fold(IntoSystem::into_system(first), next)
    }
    type Way = fn(&mut World, BoxedSystem);
    let ways: [Way; 3] = [
        |world, pipe| world.run_system_once(pipe).expect("it runs"),
        |world, pipe| {
            let id = world.register_boxed_system(pipe);
            world.run_system(id).expect("it runs");
        },
        |world, pipe| {
            let mut schedule = Schedule::default();
            schedule.add_systems(pipe);
            schedule.run(world);
        },
    ];
    for (way, length) in ways.into_iter().flat_map(|way| [2, 3, 90].map(|length| (way, length))) {
        let (mut here, aside) = Aside::pair();
        way(&mut here, pipe(&aside, length));
        here.flush();
        assert_eq!((here.len(), log(&mut here)), (0, Vec::new()));
        aside.with(|first| {
            first.flush();
            assert_eq!((names(first).len(), log(first).len()), (length - 1, length - 1));
        });
        aside.finish(here);
    }
}

fn strings(names: &[&'static str]) -> Vec<String> {
    names.iter().map(|name| String::from(*name)).collect()
}

#[test]
fn commands_that_come_home_later_bear_the_name_of_their_system() {
    fn recording(aside: Aside) -> impl FnMut(Commands<'_, '_>) + Send + Sync + 'static {
        move |mut commands: Commands<'_, '_>| {
            let aside = aside.clone();
            commands.queue(move |world: &mut World| aside.exchange(world));
            commands.entity(Entity::PLACEHOLDER).despawn();
        }
    }
    let (mut here, aside) = Aside::pair();
    here.commands().entity(Entity::PLACEHOLDER).despawn();
    here.run_system_once(recording(aside.clone())).expect("it runs");
    here.commands().entity(Entity::PLACEHOLDER).despawn();
    here.flush();
    assert_eq!(here.take_command_errors().0.iter().map(|error| error.system().is_some()).collect::<Vec<_>>(), [false]);
    aside.with(|first| {
        first.commands().entity(Entity::PLACEHOLDER).despawn();
        first.flush();
        let systems: Vec<bool> = first.take_command_errors().0.iter().map(|error| error.system().is_some()).collect();
        // Commands of the system; commands that waited in the world before; commands that were recorded later.
        assert_eq!(systems, [true, false, false]);
        first.commands().entity(Entity::PLACEHOLDER).despawn();
        first.flush();
        assert!(first.take_command_errors().0.iter().all(|error| error.system().is_none()));
    });
    aside.finish(here);
}

#[test]
fn commands_are_dropped_with_the_world_that_they_were_recorded_for() {
    let value = Arc::new(());
    let mut world = World::new();
    let held = Arc::clone(&value);
    let system = move |mut commands: Commands<'_, '_>| {
        commands.queue(|world: &mut World| *world = World::new());
        let held = Arc::clone(&held);
        commands.queue(move |_: &mut World| unreachable!("its world is gone: {held:?}"));
        commands.spawn_empty();
    };
    world.run_system_once(system).expect("it runs");
    assert_eq!((world.len(), Arc::strong_count(&value)), (0, 1));
    assert_usable(&mut world);
}

/// In each world: the other one, and whether what exchanges the two panics then.
#[derive(Resource)]
struct Partner(Aside, bool);

fn exchange(world: &mut World) -> usize {
    let Partner(aside, panics) = world.resource::<Partner>();
    let (aside, panics) = (aside.clone(), *panics);
    aside.exchange(world);
    assert!(!panics, "out of order");
    world.len()
}

fn partners(panics: bool) -> (World, Aside) {
    let (mut here, aside) = Aside::pair();
    here.insert_resource(Partner(aside.clone(), panics));
    (here, aside)
}

#[test]
fn a_registered_system_that_exchanges_its_world_can_be_run_again_there() {
    for panics in [false, true] {
        for cached in [false, true] {
            let (mut here, aside) = partners(panics);
            let id = if cached { here.register_system_cached(exchange) } else { here.register_system(exchange) };
            for _ in 0..3 {
                if panics {
                    expect_panic(|| here.run_system(id));
                } else {
                    assert_eq!(here.run_system(id), Ok(0));
                }
                assert!(matches!(here.run_system(id), Err(RegisteredSystemError::SystemIdNotRegistered(_))));
                aside.exchange(&mut here);
            }
            assert!(here.unregister_system(id).is_ok());
            aside.finish(here);
        }
    }
}

#[test]
fn a_system_that_asks_for_itself_and_exchanges_its_world_has_its_turn_there_later() {
    #[derive(Resource)]
    struct Own(SystemId);

    for (panics, expected) in [(false, 2), (true, 1)] {
        let (mut here, aside) = Aside::pair();
        let other = aside.clone();
        let system = move |own: Res<'_, Own>, mut log: ResMut<'_, Log>, mut commands: Commands<'_, '_>| {
            log.0.push("run");
            if log.0.len() == 1 {
                let other = other.clone();
                commands.run_system(own.0);
                commands.queue(move |world: &mut World| {
                    other.exchange(world);
                    assert!(!panics, "out of order");
                });
            }
        };
        let id = here.register_system(system);
        here.insert_resource(Own(id));
        if panics {
            expect_panic(|| here.run_system(id));
        } else {
            here.run_system(id).expect("it runs");
        }
        here.flush();
        assert_eq!(log(&mut here), [""; 0]);
        aside.with(|first| {
            first.flush();
            assert_eq!(first.resource::<Log>().0.len(), expected);
            first.run_system(id).expect("it is not running");
            assert_eq!(log(first).len(), expected + 1);
        });
        aside.finish(here);
    }
}

#[test]
fn systems_that_run_one_inside_the_other_end_where_they_began() {
    #[derive(Resource)]
    struct Inner(SystemId<(), usize>);

    let (mut here, aside) = partners(false);
    let inner = here.register_system(exchange);
    here.insert_resource(Inner(inner));
    let outer = here.register_system(|world: &mut World| {
        let inner = world.resource::<Inner>().0;
        world.run_system(inner)
    });
    for _ in 0..3 {
        assert_eq!(here.run_system(outer), Ok(Ok(0)));
        aside.exchange(&mut here);
        assert_eq!(here.run_system(inner), Ok(0));
        aside.exchange(&mut here);
    }
    aside.finish(here);
}

#[test]
fn a_schedule_that_exchanges_its_world_is_in_the_one_that_it_was_taken_out_of() {
    for panics in [false, true] {
        let (mut here, aside) = partners(panics);
        let id = here.id();
        here.get_resource_or_init::<Schedules>().add_systems(Update, exchange.map(|_| ()));
        for _ in 0..3 {
            if panics {
                expect_panic(|| here.run_schedule(Update));
            } else {
                here.run_schedule(Update);
            }
            assert!(here.id() != id && here.get_resource::<Schedules>().is_none_or(|all| !all.contains(Update)));
            aside.with(|first| {
                // Also for readers.
                let schedules = first.resource::<Schedules>();
                assert!(schedules.get(Update).is_some() && format!("{schedules:?}").contains("exchange"));
                assert_eq!(schedules.iter().count(), 1);
            });
            aside.exchange(&mut here);
        }
        let schedules = &mut here.resource_mut::<Schedules>();
        assert_eq!(schedules.entry(Update).systems_len(), 1);
        assert!(schedules.remove(Update).is_some() && !schedules.contains(Update));
        aside.finish(here);
    }
}

#[test]
fn a_schedule_that_was_replaced_or_dropped_while_it_ran_elsewhere_is_dropped() {
    let value = Arc::new(());
    for drops in [false, true] {
        let (mut here, aside) = Aside::pair();
        let (other, held) = (aside.clone(), Arc::clone(&value));
        let system = move |world: &mut World| {
            let _ = &held;
            other.exchange(world);
            other.with(|first| {
                if drops {
                    *first = World::new();
                    first.init_resource::<Log>();
                } else {
                    let mut new = Schedule::new(Update);
                    new.add_systems(|mut log: ResMut<'_, Log>| log.0.push("new"));
                    first.add_schedule(new);
                }
            });
        };
        here.get_resource_or_init::<Schedules>().add_systems(Update, system);
        here.run_schedule(Update);
        assert_eq!(Arc::strong_count(&value), 1);
        aside.with(|first| {
            assert_eq!(first.try_run_schedule(Update).is_ok(), !drops);
            assert_eq!(log(first).len(), usize::from(!drops));
        });
        aside.finish(here);
    }
}

#[test]
fn schedules_that_are_moved_to_another_world_while_one_runs_get_it_back() {
    let (mut here, aside) = Aside::pair();
    let other = aside.clone();
    let system = move |world: &mut World| {
        let schedules = world.remove_resource::<Schedules>().expect("it is there");
        other.with(|other| other.insert_resource(schedules));
    };
    here.get_resource_or_init::<Schedules>().add_systems(Update, system);
    here.run_schedule(Update);
    assert!(!here.contains_resource::<Schedules>() || !here.resource::<Schedules>().contains(Update));
    aside.with(|other| assert_eq!(other.resource::<Schedules>().get(Update).map(Schedule::systems_len), Some(1)));
    aside.finish(here);
}

#[test]
fn what_an_exclusive_system_sets_in_its_world_ends_with_it_wherever_the_world_is() {
    for panics in [false, true] {
        let (mut here, aside) = partners(panics);
        let mut schedule = Schedule::default();
        schedule.add_systems(exchange.map(|_| ()));
        let ticks = |here: &World| (here.last_change_tick(), aside.with(|aside| aside.last_change_tick()));
        here.clear_trackers();
        for _ in 0..3 {
            let before = ticks(&here);
            if panics {
                expect_panic(|| schedule.run(&mut here));
            } else {
                schedule.run(&mut here);
            }
            aside.exchange(&mut here);
            assert_eq!(ticks(&here), before);
            for world in [&mut here, &mut aside.0.lock().expect("no panic")] {
                assert_eq!(world.spawn_empty().spawned_by().system(), None);
            }
        }
        aside.finish(here);
    }
}

#[test]
fn an_exclusive_system_has_seen_what_it_has_changed_also_if_its_world_is_elsewhere_by_then() {
    let (mut here, aside) = partners(false);
    let text = |world: &mut World| {
        let changed = world.get_resource_ref::<Text>().expect("it is there").is_changed();
        world.resource_mut::<Text>().0.push('x');
        exchange(world);
        changed
    };
    let id = here.register_system(text);
    let mut runs = Vec::new();
    for _ in 0..2 {
        runs.push(here.run_system(id));
        aside.exchange(&mut here);
    }
    here.resource_mut::<Text>().0.push('y');
    runs.push(here.run_system(id));
    assert_eq!(runs, [Ok(true), Ok(false), Ok(true)]);
    aside.finish(here);
}
