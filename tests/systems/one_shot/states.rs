//! `SystemState`.

use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

use super::{A, Total, world};

#[derive(Component, Clone)]
struct Hidden<T: Send + Sync + 'static>(T);

#[test]
fn each_fetch_is_a_run() {
    let mut world = world();
    let entity = world.spawn(A(1)).id();
    let mut state = SystemState::<(Query<'_, '_, &A, Changed<A>>, Res<'_, Total>, Local<'_, u32>)>::new(&mut world);
    let mut run = |world: &World| {
        let (all, total, mut runs) = state.get(world).expect("all of it is there");
        *runs += 1;
        (all.count(), total.is_changed(), *runs)
    };
    assert_eq!(run(&world), (1, true, 1));
    assert_eq!(run(&world), (0, false, 2));
    world.get_mut::<A>(entity).expect("it has one").0 = 2;
    world.resource_mut::<Total>().0 = 2;
    assert_eq!(run(&world), (1, true, 3));
    assert_eq!(run(&world), (0, false, 4));
}

#[test]
fn what_is_written_is_seen_by_others_and_not_by_itself() {
    let mut world = world();
    world.spawn_batch([A(1), A(2)]);
    let mut writer = SystemState::<Query<'_, '_, &mut A>>::new(&mut world);
    let mut reader = SystemState::<Query<'_, '_, &A, Changed<A>>>::new(&mut world);
    let mut both = SystemState::<Query<'_, '_, &mut A, Changed<A>>>::new(&mut world);
    assert_eq!(reader.get(&world).expect("it is there").count(), 2);
    both.get_mut(&mut world).expect("it is there").iter_mut().for_each(|mut a| a.0 += 1);
    assert_eq!(both.get_mut(&mut world).expect("it is there").count(), 0);
    assert_eq!(reader.get(&world).expect("it is there").count(), 2);
    if let Some(mut a) = writer.get_mut(&mut world).expect("it is there").iter_mut().next() {
        a.0 += 1;
    }
    assert_eq!(reader.get(&world).expect("it is there").count(), 1);
    assert_eq!(both.get_mut(&mut world).expect("it is there").count(), 1);
}

#[test]
fn what_cannot_be_fetched_has_not_been_seen() {
    let mut world = World::new();
    world.spawn(A(1));
    let mut state = SystemState::<(Query<'_, '_, &A, Changed<A>>, Res<'_, Total>)>::new(&mut world);
    let error = state.get(&world).expect_err("there is no total");
    assert!(error.to_string().contains("Total` does not exist") && !error.is_skip(), "{error}");
    world.insert_resource(Total(0));
    assert_eq!(state.get(&world).expect("now it is there").0.count(), 1);
    let mut single = SystemState::<Single<'_, '_, &mut A>>::new(&mut world);
    single.get_mut(&mut world).expect("there is one").0 = 5;
    world.spawn(A(2));
    let error = single.get_mut(&mut world).map(|_| ()).expect_err("there are two");
    assert!(error.is_skip());
    assert_eq!(error.to_string(), "more than one entity matches the `Single` of parameter 1");
}

#[test]
fn commands_wait_until_they_are_applied() {
    let mut world = world();
    let mut state = SystemState::<(Commands<'_, '_>, MessageReader<'_, '_, Hit>)>::new(&mut world);
    let entity = state.get_mut(&mut world).expect("it is there").0.spawn(A(1)).id();
    world.write_message(Hit);
    let (mut commands, mut hits) = state.get_mut(&mut world).expect("it is there");
    commands.spawn(A(2));
    assert_eq!(hits.read().count(), 1);
    assert_eq!(world.query::<&A>().iter(&world).count(), 0);
    state.apply(&mut world);
    assert_eq!(world.query::<&A>().iter(&world).count(), 2);
    assert_eq!(world.get(entity), Some(&A(1)));
    state.apply(&mut world);
    assert_eq!(world.query::<&A>().iter(&world).count(), 2);
    assert_eq!(state.get_mut(&mut world).expect("it is there").1.read().count(), 0);
}

#[derive(Message)]
struct Hit;

#[test]
fn another_world_is_refused() {
    let [mut world, mut other] = [world(), world()];
    let mut state = SystemState::<(Res<'_, Total>, Query<'_, '_, &A>)>::new(&mut world);
    assert!(state.matches_world(world.id()) && !state.matches_world(other.id()));
    let texts = [
        expect_panic(|| state.get(&other).is_ok()),
        expect_panic(|| state.get_mut(&mut other).is_ok()),
        expect_panic(|| state.apply(&mut other)),
    ];
    for text in texts {
        assert!(
            text.starts_with("`SystemState<(") && text.contains("Total") && text.contains("is used with world"),
            "{text}"
        );
    }
    assert!(state.get(&world).is_ok());
}

#[test]
fn conflicts_that_the_compiler_cannot_tell_panic() {
    type Both<'w, 's> = (Query<'w, 's, &'static Hidden<u8>>, Query<'w, 's, &'static mut Hidden<u8>>);
    let text = expect_panic(|| SystemState::<Both<'_, '_>>::new(&mut World::new()));
    assert!(text.contains("SystemState<") && text.contains("parameter 1 and parameter 2 both borrow"), "{text}");
}

#[test]
fn a_system_goes_on_with_what_was_kept() {
    fn count(mut runs: Local<'_, u32>, all: Query<'_, '_, &A, Changed<A>>) -> (u32, usize) {
        *runs += 1;
        (*runs, all.count())
    }
    let mut world = world();
    world.spawn(A(1));
    let mut state = SystemState::<(Local<'_, u32>, Query<'_, '_, &A, Changed<A>>)>::new(&mut world);
    *state.get(&world).expect("it is there").0 = 10;
    world.spawn(A(2));
    let id = world.register_boxed_system(state.build_any_system(count));
    assert_eq!(world.run_system(id), Ok((11, 1)));
    let state = SystemState::<(ResMut<'_, Total>, Query<'_, '_, &A>)>::new(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems(state.build_system(|mut total, all| total.0 = all.iter().map(|a| a.0).sum()));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>(), &Total(3));
    assert!(schedule.system_names()[0].contains("a_system_goes_on"));
    let state = SystemState::<(Local<'_, u32>,)>::new(&mut world);
    let with_input = state.build_any_system(|In(n): In<u32>, mut sum: Local<'_, u32>| {
        *sum += n;
        *sum
    });
    assert_eq!(world.run_system_once_with(with_input, 4), Ok(4));
}

#[test]
fn a_state_can_be_local_to_a_system() {
    fn exclusive(world: &mut World) -> usize {
        let mut state = SystemState::<Query<'_, '_, &A>>::from_world(world);
        state.get(world).map_or(0, |all| all.count())
    }
    let mut world = world();
    world.spawn(A(1));
    assert_eq!(world.run_system_cached(exclusive), Ok(1));
    assert_eq!(format!("{:?}", SystemState::<Commands<'_, '_>>::new(&mut world)).matches("Commands").count(), 1);
}
