//! Registered systems.

use strata_ecs::prelude::*;
use strata_ecs::world::RegisteredSystemError;
use strata_tests::panics::{catch, expect_panic};

use super::{A, Log, Total, log, world};

#[derive(Resource)]
struct Own<I: SystemInput + 'static = (), Out: 'static = ()>(SystemId<I, Out>);

#[derive(Component)]
struct Player;

fn count(mut runs: Local<'_, u32>) -> u32 {
    *runs += 1;
    *runs
}

fn changed(all: Query<'_, '_, &A, Changed<A>>) -> usize {
    all.count()
}

#[test]
fn what_a_system_keeps_stays_from_run_to_run() {
    let mut world = world();
    let [first, second] = [world.register_system(count), world.register_system(count)];
    assert_ne!(first, second);
    assert_eq!([first, first, second, first].map(|id| world.run_system(id)), [Ok(1), Ok(2), Ok(1), Ok(3)]);
    let changed = world.register_system(changed);
    world.spawn_batch([A(1), A(2)]);
    assert_eq!(world.run_system(changed), Ok(2));
    assert_eq!(world.run_system(changed), Ok(0));
    let entity = world.spawn(A(3)).id();
    assert_eq!(world.run_system(changed), Ok(1));
    world.get_mut::<A>(entity).expect("it has one").0 = 4;
    assert_eq!(world.run_system(changed), Ok(1));
}

#[test]
fn systems_are_given_inputs_of_every_form_and_commands_are_applied() {
    fn spawn(In(count): In<u32>, mut commands: Commands<'_, '_>) -> u32 {
        (0..count).for_each(|n| _ = commands.spawn(A(n)));
        count * 10
    }
    fn longest(InRef(words): InRef<'_, [&'static str]>) -> usize {
        words.iter().map(|word| word.len()).max().unwrap_or(0)
    }
    fn push(mut list: InMut<'_, Vec<usize>>, all: Query<'_, '_, &A>) {
        list.push(all.count());
    }
    let mut world = world();
    let spawn = world.register_system(spawn);
    let longest = world.register_system(longest);
    let push = world.register_system(push);
    assert_eq!(world.run_system_with(spawn, 3), Ok(30));
    assert_eq!(world.run_system_with(longest, &["one", "three"]), Ok(5));
    let mut list = vec![7];
    assert_eq!(world.run_system_with(push, &mut list), Ok(()));
    assert_eq!(list, [7, 3]);
    let exclusive = world.register_system(|InMut(n): InMut<'_, usize>, world: &mut World| *n = world.len());
    let mut n = 0;
    world.run_system_with(exclusive, &mut n).expect("it runs");
    assert_eq!(n, 3);
}

#[test]
fn an_id_runs_nothing_when_its_system_is_gone_or_elsewhere() {
    let [mut world, mut other] = [world(), world()];
    let id = world.register_system(count);
    other.register_system(count);
    let error = other.run_system(id).expect_err("it belongs to the other one");
    assert_eq!(error, RegisteredSystemError::SystemIdNotRegistered(std::any::type_name_of_val(&count).into()));
    assert!(error.to_string().contains("registered::count` is not registered in this world"), "{error}");
    world.run_system(id).expect("it runs");
    let mut system = world.unregister_system(id).expect("it is there");
    assert!(matches!(world.run_system(id), Err(RegisteredSystemError::SystemIdNotRegistered(_))));
    assert!(matches!(world.unregister_system(id), Err(RegisteredSystemError::SystemIdNotRegistered(_))));
    let next = world.register_boxed_system(std::mem::replace(&mut system, IntoSystem::into_system(|| 0)));
    assert_ne!(next, id);
    assert_eq!(world.run_system(next), Ok(2)); // It has kept what it had.
}

#[test]
fn a_system_that_runs_itself_is_an_error() {
    fn exclusive(In(depth): In<u32>, world: &mut World) -> u32 {
        let own = world.resource::<Own<In<u32>, u32>>().0;
        match world.run_system_with(own, depth + 1) {
            Ok(_) => unreachable!("it is running"),
            Err(error) => {
                assert!(matches!(&error, RegisteredSystemError::Running(_)));
                assert!(error.to_string().contains("exclusive` is running"), "{error}");
                depth
            }
        }
    }
    let mut world = world();
    let id = world.register_system(exclusive);
    world.insert_resource(Own(id));
    assert_eq!(world.run_system_with(id, 5), Ok(5));
    assert_eq!(world.run_system_with(id, 6), Ok(6));
}

#[test]
fn a_system_that_is_run_by_what_it_runs_is_an_error() {
    fn outer(world: &mut World) -> bool {
        world.run_system_cached(inner).expect("it runs")
    }
    fn inner(world: &mut World) -> bool {
        matches!(world.run_system_cached(outer), Err(RegisteredSystemError::Running(_)))
    }
    let mut world = world();
    assert_eq!(world.run_system_cached(outer), Ok(true));
    assert_eq!(world.run_system_cached(outer), Ok(true));
}

#[test]
fn a_system_runs_itself_again_by_command_when_it_has_finished() {
    fn countdown(In(n): In<u32>, own: Res<'_, Own<In<u32>>>, mut log: ResMut<'_, Log>, mut commands: Commands<'_, '_>) {
        log.add(format!("{n}"));
        if n > 0 {
            commands.run_system_with(own.0, n - 1);
        }
        commands.queue(move |world: &mut World| world.resource_mut::<Log>().add(format!("after {n}")));
    }
    let mut world = world();
    let id = world.register_system(countdown);
    world.insert_resource(Own(id));
    world.run_system_with(id, 2).expect("it runs");
    assert_eq!(log(&world), ["2", "after 2", "1", "after 1", "0", "after 0"]);
    assert!(world.take_command_errors().0.is_empty());
    world.insert_resource(Log::default());
    world.run_system_with(id, 100_000).expect("it needs no stack");
    assert_eq!(log(&world).len(), 200_002);
}

#[test]
fn systems_that_ask_for_each_other_take_turns() {
    #[derive(Resource)]
    struct Both([SystemId; 2]);
    fn turn<const N: usize>(both: Res<'_, Both>, mut total: ResMut<'_, Total>, mut commands: Commands<'_, '_>) {
        total.0 += 1;
        if total.0 < 50_000 {
            commands.run_system(both.0[1 - N]);
        }
    }
    let mut world = world();
    let both = [world.register_system(turn::<0>), world.register_system(turn::<1>)];
    world.insert_resource(Both(both));
    world.run_system(both[0]).expect("it runs");
    assert_eq!(world.resource::<Total>(), &Total(50_000));
}

#[test]
fn a_system_cannot_take_itself_out_but_by_command() {
    fn by_hand(world: &mut World) -> RegisteredSystemError {
        let own = world.resource::<Own<(), RegisteredSystemError>>().0;
        world.unregister_system(own).expect_err("it is running")
    }
    fn by_command(own: Res<'_, Own>, mut commands: Commands<'_, '_>) {
        commands.unregister_system(own.0);
    }
    let mut world = world();
    let id = world.register_system(by_hand);
    world.insert_resource(Own(id));
    let error = world.run_system(id).expect("it runs");
    assert!(matches!(&error, RegisteredSystemError::SelfRemove(name) if name.ends_with("by_hand")));
    assert!(world.run_system(id).is_ok());
    let id = world.register_system(by_command);
    world.insert_resource(Own(id));
    world.run_system(id).expect("it runs");
    assert!(matches!(world.run_system(id), Err(RegisteredSystemError::SystemIdNotRegistered(_))));
    assert!(world.take_command_errors().0.is_empty());
}

#[test]
fn a_panic_leaves_the_system_registered() {
    fn sometimes(mut runs: Local<'_, u32>, own: Res<'_, Own<(), u32>>, mut commands: Commands<'_, '_>) -> u32 {
        *runs += 1;
        commands.spawn_empty();
        commands.run_system(own.0);
        assert!(*runs != 2, "the second run");
        *runs
    }
    fn by_command(mut runs: Local<'_, u32>, mut commands: Commands<'_, '_>) -> u32 {
        *runs += 1;
        if *runs == 1 {
            commands.queue(|_: &mut World| panic!("in a command"));
        }
        *runs
    }
    let mut world = world();
    let id = world.register_system(sometimes);
    world.insert_resource(Own(id));
    // Its command runs it a second time.
    assert!(expect_panic(|| world.run_system(id)).contains("the second run"));
    assert_eq!(world.len(), 1);
    let stop = world.register_system(|mut commands: Commands<'_, '_>, own: Res<'_, Own<(), u32>>| {
        commands.unregister_system(own.0);
        commands.run_system(own.0);
    });
    let id = world.register_system(by_command);
    assert!(expect_panic(|| world.run_system(id)).contains("in a command"));
    assert_eq!(world.run_system(id), Ok(2));
    world.run_system(stop).expect("it runs");
    let (errors, _) = world.take_command_errors();
    assert_eq!((errors.len(), errors[0].command(), errors[0].error()), (1, "run_system", None));
    assert!(errors[0].to_string().contains("sometimes` is not registered"), "{}", errors[0]);
    assert!(errors[0].system().is_some_and(|system| system.contains("a_panic_leaves")), "{}", errors[0]);
    world.check_invariants();
}

#[test]
fn what_was_asked_for_in_a_run_that_panicked_is_forgotten() {
    fn ask(own: Res<'_, Own>, mut total: ResMut<'_, Total>, mut commands: Commands<'_, '_>) {
        total.0 += 1;
        if total.0 == 1 {
            commands.run_system(own.0);
            commands.queue(|_: &mut World| panic!("before the next"));
        }
    }
    let mut world = world();
    let id = world.register_system(ask);
    world.insert_resource(Own(id));
    assert!(catch(|| world.run_system(id)).is_err());
    assert_eq!(world.resource::<Total>(), &Total(1));
    world.run_system(id).expect("it runs");
    assert_eq!(world.resource::<Total>(), &Total(2));
}

#[test]
fn a_function_is_registered_once() {
    fn generic<T: 'static + Send + Sync + Default>(_: Local<'_, T>, mut runs: Local<'_, u32>) -> u32 {
        *runs += 1;
        *runs
    }
    #[system]
    fn attributed(mut runs: Local<u32>) -> u32 {
        *runs += 1;
        *runs
    }
    let mut world = world();
    let id = world.register_system_cached(count);
    assert_eq!(world.register_system_cached(count), id);
    assert_eq!(world.run_system_cached(count), Ok(1));
    assert_eq!(world.run_system(id), Ok(2));
    assert_eq!(world.run_system_cached(generic::<u8>), Ok(1));
    assert_eq!(world.run_system_cached(generic::<u16>), Ok(1));
    assert_eq!(world.run_system_cached(generic::<u8>), Ok(2));
    assert_eq!([0; 2].map(|_| world.run_system_cached(attributed)), [Ok(1), Ok(2)]);
    assert_eq!(world.run_system_cached_with(|In(n): In<u32>| n + 1, 4), Ok(5));
    // After it was unregistered by either method, it starts with new state.
    world.unregister_system(id).expect("it is there");
    assert_eq!(world.run_system_cached(count), Ok(1));
    world.unregister_system_cached(count).expect("it is there");
    let error = world.unregister_system_cached(count).err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("count` is not registered")));
    assert_eq!(world.run_system_cached(count), Ok(1));
}

#[test]
fn a_system_that_cannot_run_says_so() {
    fn missing(total: Res<'_, Total>) -> u32 {
        total.0
    }
    fn single(_: Single<'_, '_, &Player>) {}
    let mut world = World::new();
    let id = world.register_system(missing);
    let error = world.run_system(id).expect_err("there is no total");
    assert!(matches!(&error, RegisteredSystemError::Failed(_)));
    assert!(error.to_string().contains("missing` could not run: resource"), "{error}");
    world.insert_resource(Total(3));
    assert_eq!(world.run_system(id), Ok(3));
    let error = world.run_system_cached(single).expect_err("there is no player");
    assert!(matches!(&error, RegisteredSystemError::Skipped(_)));
    assert!(
        error.to_string().contains("single` could not run: no entity matches the `Single` of parameter 1"),
        "{error}"
    );
    world.spawn(Player);
    world.run_system_cached(single).expect("there is one");
}

#[test]
fn commands_run_systems_and_note_those_that_cannot() {
    fn add(In(n): In<u32>, mut total: ResMut<'_, Total>) {
        total.0 += n;
    }
    fn missing(_: Res<'_, Own>) {}
    fn single(_: Single<'_, '_, &Player>) {}
    fn ask(mut commands: Commands<'_, '_>) -> SystemId<In<u32>> {
        let id = commands.register_system(add);
        commands.run_system_with(id, 1);
        commands.run_system_cached_with(add, 10);
        commands.run_system_cached(missing);
        commands.run_system_cached(single);
        commands.unregister_system_cached(missing);
        commands.unregister_system_cached(ask);
        id
    }
    let mut world = world();
    let id = world.run_system_once(ask).expect("it runs");
    assert_eq!(world.resource::<Total>(), &Total(11));
    world.run_system_with(id, 100).expect("it is registered");
    assert_eq!(world.resource::<Total>(), &Total(111));
    let (errors, _) = world.take_command_errors();
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    // To be skipped is no mistake.
    assert_eq!(errors.iter().map(|error| error.command()).collect::<Vec<_>>(), ["run_system", "unregister_system"]);
    assert!(texts[0].contains("of system") && texts[0].contains("ask`") && texts[0].contains("missing` could not run"));
    assert!(texts[1].contains("ask` is not registered"), "{texts:?}");
}

#[test]
fn a_system_that_replaces_the_world_is_dropped_with_it() {
    fn replace(world: &mut World) {
        *world = World::new();
    }
    let mut world = world();
    let id = world.register_system(replace);
    world.run_system(id).expect("it runs");
    assert!(matches!(world.run_system(id), Err(RegisteredSystemError::SystemIdNotRegistered(_))));
    assert_eq!(world.run_system_cached(|| 3), Ok(3));
}

#[test]
fn ids_are_values() {
    let mut world = world();
    let [a, b] = [world.register_system(count), world.register_system(count)];
    let copies = std::collections::HashSet::from([a, b, a]);
    assert_eq!(copies.len(), 2);
    assert!(format!("{a:?}").contains("registered::count"));
}
