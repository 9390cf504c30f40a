//! Plain functions as systems, and their parameters.

use strata_ecs::prelude::*;
use strata_ecs::system::BoxedSystem;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct B(u32);
#[derive(Resource, Debug, PartialEq, Default)]
struct Total(u32);
#[derive(Resource, Debug, PartialEq)]
struct Step(u32);

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Total(0));
    world.insert_resource(Step(2));
    world.spawn_batch((0..10).map(A));
    world.spawn_batch((10..20).map(|value| (A(value), B(value))));
    world
}

#[test]
fn a_function_over_queries_and_resources_runs() {
    fn sum(all: Query<'_, '_, &A, With<B>>, mut total: ResMut<'_, Total>, step: Res<'_, Step>) {
        for a in &all {
            total.0 += a.0 * step.0;
        }
    }
    let mut world = world();
    world.run_system_once(sum).expect("it runs");
    assert_eq!(*world.resource::<Total>(), Total((10..20).sum::<u32>() * 2));
}

#[test]
fn a_function_writes_through_a_query() {
    fn double(mut all: Query<'_, '_, (&mut A, Option<&B>)>) {
        for (mut a, b) in &mut all {
            a.0 *= if b.is_some() { 2 } else { 1 };
        }
    }
    let mut world = world();
    world.run_system_once(double).expect("it runs");
    let sum: u32 = world.query::<&A>().iter(&world).map(|a| a.0).sum();
    assert_eq!(sum, 45 + 2 * 145);
}

#[test]
fn closures_and_outputs_work() {
    let mut world = world();
    let offset = 5;
    let output = world.run_system_once(move |step: Res<'_, Step>| step.0 + offset).expect("it runs");
    assert_eq!(output, 7);
}

#[test]
fn missing_resources_are_asked_for_with_option() {
    fn maybe(step: Option<Res<'_, Step>>, missing: Option<ResMut<'_, Missing>>) -> (bool, bool) {
        (step.is_some(), missing.is_some())
    }
    #[derive(Resource)]
    struct Missing;
    let mut world = world();
    assert_eq!(world.run_system_once(maybe).expect("it runs"), (true, false));
    world.insert_resource(Missing);
    world.remove_resource::<Step>();
    assert_eq!(world.run_system_once(maybe).expect("it runs"), (false, true));
}

#[test]
fn a_local_belongs_to_one_system_and_stays_between_runs() {
    fn count(mut runs: Local<'_, u32>, mut total: ResMut<'_, Total>) {
        *runs += 1;
        total.0 = total.0 * 10 + *runs;
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((count, count).chain());
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(*world.resource::<Total>(), Total(1122));
}

#[test]
fn the_world_can_be_read_whole_or_taken_whole() {
    fn read(world: &World) -> usize {
        world.len()
    }
    fn write(world: &mut World) -> Entity {
        world.spawn(A(100)).id()
    }
    let mut world = world();
    assert_eq!(world.run_system_once(read).expect("it runs"), 20);
    let entity = world.run_system_once(write).expect("it runs");
    assert_eq!(world.get::<A>(entity), Some(&A(100)));
}

#[test]
fn tuples_of_parameters_are_a_parameter() {
    fn nested((mut total, step): (ResMut<'_, Total>, Res<'_, Step>), ((all,),): ((Query<'_, '_, &A>,),)) {
        total.0 = step.0 + u32::try_from(all.count()).expect("few");
    }
    let mut world = world();
    world.run_system_once(nested).expect("it runs");
    assert_eq!(*world.resource::<Total>(), Total(22));
}

#[test]
fn a_function_without_parameters_is_a_system() {
    fn answer() -> u32 {
        42
    }
    assert_eq!(World::new().run_system_once(answer).expect("it runs"), 42);
}

#[test]
fn fifteen_parameters_are_possible() {
    type L<'a> = Local<'a, u8>;
    #[expect(clippy::too_many_arguments, reason = "that is the point")]
    fn many(
        a: L<'_>,
        b: L<'_>,
        c: L<'_>,
        d: L<'_>,
        e: L<'_>,
        f: L<'_>,
        g: L<'_>,
        h: L<'_>,
        i: L<'_>,
        j: L<'_>,
        k: L<'_>,
        l: L<'_>,
        m: L<'_>,
        n: L<'_>,
        mut o: L<'_>,
    ) -> u8 {
        *o += 1;
        *a + *b + *c + *d + *e + *f + *g + *h + *i + *j + *k + *l + *m + *n + *o
    }
    assert_eq!(World::new().run_system_once(many).expect("it runs"), 1);
}

#[test]
fn queries_of_one_component_read_side_by_side() {
    fn two(with: Query<'_, '_, &A, With<B>>, all: Query<'_, '_, &A>) -> (usize, usize) {
        (with.count(), all.count())
    }
    assert_eq!(world().run_system_once(two).expect("it runs"), (10, 20));
}

#[test]
fn a_query_parameter_sees_tables_made_between_runs() {
    fn count(all: Query<'_, '_, &A>, mut total: ResMut<'_, Total>) {
        total.0 = u32::try_from(all.count()).expect("few");
    }
    #[derive(Component)]
    struct Late;
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(count);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 20);
    world.spawn((A(1), Late));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 21);
}

#[test]
fn generic_functions_are_systems_for_each_type() {
    fn count<T: Component>(all: Query<'_, '_, &T>) -> usize {
        all.count()
    }
    let mut world = world();
    assert_eq!(world.run_system_once(count::<A>).expect("it runs"), 20);
    assert_eq!(world.run_system_once(count::<B>).expect("it runs"), 10);
}

#[test]
fn a_missing_resource_is_an_error_of_the_run() {
    #[derive(Resource)]
    struct Missing;
    fn needs(_missing: Res<'_, Missing>) {}
    let mut world = World::new();
    let outcome = strata_tests::panics::catch(|| world.run_system_once(needs).map_err(|error| error.to_string()));
    let text = match outcome {
        Ok(returned) => returned.expect_err("the resource is missing"),
        Err(text) => text,
    };
    assert!(text.contains("Missing") && text.contains("needs"), "{text}");
}

#[test]
fn a_local_is_made_from_the_world() {
    struct Snapshot(usize);
    impl FromWorld for Snapshot {
        fn from_world(world: &mut World) -> Self {
            Self(world.len())
        }
    }
    fn look(snapshot: Local<'_, Snapshot>) -> usize {
        snapshot.0
    }
    assert_eq!(world().run_system_once(look).expect("it runs"), 20);
}

#[test]
fn a_local_that_replaces_the_world_is_refused() {
    struct Usurper;
    impl FromWorld for Usurper {
        fn from_world(world: &mut World) -> Self {
            *world = World::new();
            Self
        }
    }
    #[derive(Resource)]
    struct Kept(u8);
    fn system(_: Option<Res<'_, Kept>>, _: Local<'_, Usurper>) {}

    let mut world = World::new();
    let text = strata_tests::panics::expect_panic(|| world.run_system_once(system));
    assert!(text.contains("replaced the world"), "{text}");
    world.check_invariants();
}

#[test]
fn a_local_that_swaps_the_world_away_is_refused_even_if_a_later_one_swaps_it_back() {
    use std::sync::Mutex;

    #[derive(Resource)]
    struct Number(u64);
    #[derive(Resource)]
    struct Text(String);
    static OTHER: Mutex<Option<World>> = Mutex::new(None);
    struct Swap;
    impl FromWorld for Swap {
        fn from_world(world: &mut World) -> Self {
            if let Some(other) = OTHER.lock().expect("no panic poisons it").as_mut() {
                std::mem::swap(world, other);
            }
            Self
        }
    }
    fn system(_: Local<'_, Swap>, text: Res<'_, Text>, _: Local<'_, Swap>) -> String {
        text.0.clone()
    }

    let mut world = World::new();
    world.insert_resource(Number(1));
    world.insert_resource(Text("this".to_owned()));
    let mut other = World::new();
    other.insert_resource(Text("other".to_owned()));
    *OTHER.lock().expect("no panic poisons it") = Some(other);
    let text = strata_tests::panics::expect_panic(|| world.run_system_once(system));
    assert!(text.contains("replaced the world"), "{text}");
    world.check_invariants();
}

/// As ported code has it: it can be boxed once more, and functions can return one, or a condition, with the marker `()`.
#[test]
fn a_boxed_system_is_a_system() {
    fn counting() -> impl IntoSystem<(), u32, ()> {
        IntoSystem::into_system(|mut count: Local<'_, u32>| {
            *count += 1;
            *count
        })
    }
    fn every_other_time() -> impl SystemCondition<()> {
        IntoSystem::into_system(|mut on: Local<'_, bool>| {
            *on = !*on;
            *on
        })
    }
    #[derive(Resource, Default)]
    struct Runs(u32);
    let mut world = World::new();
    let twice: BoxedSystem<(), u32> = Box::new(IntoSystem::into_system(counting()));
    assert!(twice.name().contains("counting"));
    let id = world.register_boxed_system(twice);
    assert_eq!([world.run_system(id).unwrap(), world.run_system(id).unwrap()], [1, 2]);
    world.init_resource::<Runs>();
    let run: BoxedSystem = Box::new(IntoSystem::into_system(|mut runs: ResMut<'_, Runs>| runs.0 += 1));
    let mut schedule = Schedule::default();
    schedule.add_systems(run.run_if(every_other_time()));
    (0..5).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Runs>().0, 3);
}

/// Rows of a system that was boxed twice still go through the loop, and commands that it records are carried out.
#[test]
fn a_system_that_was_boxed_twice_does_what_it_does_itself() {
    #[derive(Component, Debug, PartialEq)]
    struct Count(u32);
    #[derive(Component)]
    struct Seen;
    #[system(without(Seen))]
    fn count(count: &mut Count, entity: Entity, mut commands: Commands<'_, '_>) {
        count.0 += 1;
        commands.entity(entity).insert(Seen);
    }
    let mut world = World::new();
    let id = world.spawn(Count(0)).id();
    let boxed: BoxedSystem = Box::new(IntoSystem::into_system(count));
    let mut schedule = Schedule::default();
    schedule.add_systems(boxed);
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.get(id), Some(&Count(1)));
}
