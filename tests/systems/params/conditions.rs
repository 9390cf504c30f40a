//! `run_if`: systems that run only if conditions hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use strata_ecs::prelude::*;
use strata_ecs::system::BoxedSystem;
use strata_tests::panics::expect_panic;

use super::{A, Total, world};

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);
#[derive(Resource)]
struct On;

fn log(text: &'static str) -> impl Fn(ResMut<'_, Log>) + Send + Sync + 'static {
    move |mut log: ResMut<'_, Log>| log.0.push(text)
}

fn on(on: Option<Res<'_, On>>) -> bool {
    on.is_some()
}

/// A condition that counts its runs and holds every other time.
fn every_other(mut runs: Local<'_, u32>) -> bool {
    *runs += 1;
    runs.is_multiple_of(2)
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<&'static str> {
    world.insert_resource(Log::default());
    schedule.run(world);
    world.remove_resource::<Log>().expect("it is there").0
}

#[test]
fn a_system_runs_only_if_its_condition_holds() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((log("a").run_if(on), log("b"), log("c").run_if(not(on))));
    assert_eq!(schedule.systems_len(), 3);
    assert_eq!(run(&mut schedule, &mut world), ["b", "c"]);
    world.insert_resource(On);
    assert_eq!(run(&mut schedule, &mut world), ["a", "b"]);
}

#[test]
fn a_condition_of_several_systems_is_asked_once_before_the_first() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    let switch_off = |world: &mut World| _ = world.remove_resource::<On>();
    schedule.add_systems((log("a"), switch_off, (log("b"), log("c"))).chain().run_if(on));
    schedule.add_systems((log("d"), log("e")).run_if(every_other));
    world.insert_resource(On);
    assert_eq!(run(&mut schedule, &mut world), ["a", "b", "c"]);
    assert_eq!(run(&mut schedule, &mut world), ["d", "e"]);
    assert_eq!(run(&mut schedule, &mut world), [""; 0]);
    assert_eq!(run(&mut schedule, &mut world), ["d", "e"]);
}

#[test]
fn all_of_several_conditions_must_hold_and_all_are_asked() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(log("a").run_if(on).run_if(every_other));
    assert!(run(&mut schedule, &mut world).is_empty());
    world.insert_resource(On);
    assert_eq!(run(&mut schedule, &mut world), ["a"]); // It was asked before: this is the second time.
    assert!(run(&mut schedule, &mut world).is_empty());
}

#[test]
fn groups_nest() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(((log("a"), log("b").run_if(every_other)).run_if(on), log("c")));
    assert_eq!(run(&mut schedule, &mut world), ["c"]);
    world.insert_resource(On);
    assert_eq!(run(&mut schedule, &mut world), ["a", "c"]); // The inner condition was not asked before.
    assert_eq!(run(&mut schedule, &mut world), ["a", "b", "c"]);
    assert_eq!(format!("{schedule:?}").matches("conditions").count(), 3); // All systems are listed.
}

#[test]
fn conditions_are_combined() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((
        log("and").run_if(on.and(every_other)),
        log("or").run_if(on.or(every_other)),
        log("not").run_if(not(on.or(|| false)).and(|| true)),
    ));
    assert_eq!(run(&mut schedule, &mut world), ["not"]);
    assert_eq!(run(&mut schedule, &mut world), ["or", "not"]);
    world.insert_resource(On);
    assert_eq!(run(&mut schedule, &mut world), ["or"]); // `every_other` does not hold the third time.
    assert_eq!(run(&mut schedule, &mut world), ["and", "or"]);
}

#[test]
fn a_condition_reads_in_any_way() {
    #[derive(SystemParam)]
    struct Both<'w, 's> {
        all: Query<'w, 's, &'static A>,
        world: &'w World,
    }
    fn reads(
        both: Both<'_, '_>,
        (total, lookup): (Res<'_, Total>, Lookup<'_, '_, &A>),
        mut set: ParamSet<'_, '_, (Query<'_, '_, Entity>, Option<Res<'_, On>>)>,
    ) -> bool {
        both.all.count() == both.world.len() && total.0 == 0 && set.p0().iter().all(|entity| lookup.contains(entity))
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(log("a").run_if(reads));
    assert_eq!(run(&mut schedule, &mut world), ["a"]);
}

#[system]
fn attributed(total: Res<Total>) -> bool {
    total.0 > 0
}

#[system]
fn attributed_writes(mut total: ResMut<Total>) -> bool {
    total.0 += 1;
    true
}

#[system]
fn attributed_records(mut commands: Commands) -> bool {
    commands.spawn(A(1));
    true
}

#[system(run_if(attributed_records))]
fn asks_a_recorder() {}

#[test]
fn items_of_the_attribute_are_conditions_and_have_them() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((log("a").run_if(attributed), attributed_system.run_if(not(attributed))));
    assert_eq!(run(&mut schedule, &mut world), [""; 0]);
    assert_eq!(run(&mut schedule, &mut world), ["a"]);
    assert_eq!(*world.resource::<Total>(), Total(5));
}

#[system]
fn attributed_system(mut total: ResMut<Total>) {
    total.0 += 5;
}

#[test]
fn a_condition_that_writes_is_refused_at_the_latest_when_it_is_built() {
    fn writes(mut total: ResMut<'_, Total>) -> u32 {
        total.0 += 1;
        total.0
    }
    fn exclusive(world: &mut World) -> u32 {
        world.resource_mut::<Total>().0 += 1;
        0
    }
    let mut world = world();
    let conditions = [
        writes.map(|_| true),
        exclusive.map(|_| true),
        attributed_writes.map(|holds| holds),
        attributed_records.map(|holds| holds),
        not(attributed_records),
    ];
    for condition in conditions {
        let mut schedule = Schedule::default();
        schedule.add_systems(log("a").run_if(condition));
        let error = schedule.initialize(&mut world).expect_err("it writes");
        assert!(error.to_string().contains("can change the world"), "{error}");
        assert!(expect_panic(|| schedule.run(&mut world)).contains("can change the world"));
    }
    let mut schedule = Schedule::default();
    schedule.add_systems(log("a").run_if(attributed_writes));
    let text = expect_panic(|| schedule.run(&mut world));
    assert!(text.contains("attributed_writes` can change the world"), "{text}");
    let len = world.len();
    schedule = Schedule::default();
    schedule.add_systems(asks_a_recorder);
    let text = expect_panic(|| schedule.run(&mut world));
    assert!(text.contains("attributed_records` can change the world"), "{text}");
    assert_eq!(*world.resource::<Total>(), Total(0));
    assert_eq!(world.len(), len);
}

#[test]
fn a_condition_that_cannot_run_is_an_error() {
    fn missing(_: Res<'_, On>) -> bool {
        true
    }
    let mut world = world();
    world.init_resource::<Log>();
    let mut schedule = Schedule::default();
    // Systems that are ordered after it do not run; unrelated systems do.
    schedule.add_systems(((log("a"), log("b").run_if(missing), log("c")).chain(), log("d")));
    let error = schedule.try_run(&mut world).expect_err("a resource is missing");
    assert!(
        error.system().expect("it has failed").ends_with("missing") && error.to_string().contains("could not run"),
        "{error}"
    );
    assert_eq!(world.resource::<Log>().0, ["a", "d"]);
    world.insert_resource(On);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Log>().0, ["a", "d", "a", "b", "c", "d"]);
}

#[test]
fn a_condition_that_panics_leaves_world_and_schedule_usable() {
    fn broken(on: Option<Res<'_, On>>) -> bool {
        assert!(on.is_some(), "broken");
        true
    }
    let mut world = world();
    world.init_resource::<Log>();
    let mut schedule = Schedule::default();
    schedule.add_systems((log("a"), log("b").run_if(broken)));
    assert_eq!(expect_panic(|| schedule.run(&mut world)), "broken");
    world.insert_resource(On);
    assert_eq!(run(&mut schedule, &mut world), ["a", "b"]);
}

#[test]
fn short_circuits_and_eager_combinations() {
    type Pair = fn(BoxedSystem<(), bool>, BoxedSystem<(), bool>) -> BoxedSystem<(), bool>;
    // For each: the outcome of (false, false), (false, true), (true, false), (true, true), and whether the second was asked.
    let cases: [(&str, Pair, [bool; 4], [bool; 4]); 12] = [
        ("and", |a, b| a.and(b), [false, false, false, true], [true; 4]),
        ("and_then", |a, b| a.and_then(b), [false, false, false, true], [false, false, true, true]),
        ("and_eager", |a, b| a.and_eager(b), [false, false, false, true], [true; 4]),
        ("nand_then", |a, b| a.nand_then(b), [true, true, true, false], [false, false, true, true]),
        ("nand_eager", |a, b| a.nand_eager(b), [true, true, true, false], [true; 4]),
        ("or", |a, b| a.or(b), [false, true, true, true], [true; 4]),
        ("or_else", |a, b| a.or_else(b), [false, true, true, true], [true, true, false, false]),
        ("or_eager", |a, b| a.or_eager(b), [false, true, true, true], [true; 4]),
        ("nor_else", |a, b| a.nor_else(b), [true, false, false, false], [true, true, false, false]),
        ("nor_eager", |a, b| a.nor_eager(b), [true, false, false, false], [true; 4]),
        ("xor", |a, b| a.xor(b), [false, true, true, false], [true; 4]),
        ("xnor", |a, b| a.xnor(b), [true, false, false, true], [true; 4]),
    ];
    for (name, combine, outcomes, asked) in cases {
        for at in 0..4 {
            let runs = Arc::new(AtomicU32::new(0));
            let count = Arc::clone(&runs);
            let first = IntoSystem::into_system(move || at >= 2);
            let second = IntoSystem::into_system(move || {
                count.fetch_add(1, Ordering::Relaxed);
                at % 2 == 1
            });
            let both = combine(first, second);
            assert!(both.name().contains(&format!(".{name}(")), "{}", both.name());
            assert_eq!(World::new().run_system_once(both), Ok(outcomes[at]), "{name} {at}");
            assert_eq!(runs.load(Ordering::Relaxed), u32::from(asked[at]), "{name} {at}");
        }
    }
}

#[test]
fn common_conditions_read_only_and_keep_their_own_memory() {
    #[derive(Message)]
    struct Hit;
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((
        log("once").run_if(run_once),
        log("exists").run_if(resource_exists::<On>),
        log("removed").run_if(resource_removed::<On>),
        log("either").run_if(resource_changed_or_removed::<On>),
        log("added").run_if(resource_added::<On>.or(resource_equals(Total(3)))),
        log("changed").run_if(resource_changed::<Total>),
        log("equals")
            .run_if(resource_exists_and_equals(Total(3)).and(resource_exists_and(|total: &Total| total.0 > 2))),
        log("hit").run_if(on_message::<Hit>),
        log("hit too").run_if(on_message::<Hit>.and(not(any_component_removed::<A>))),
        log("lost").run_if(any_component_removed::<A>),
        log("some").run_if(any_with_component::<A>.and(any_match_filter::<Without<A>>)),
        log("not on").run_if(condition_changed_to(false, on)),
        log("switched").run_if(condition_changed(resource_exists::<On>)),
    ));
    assert_eq!(run(&mut schedule, &mut world), ["once", "changed"]);
    assert_eq!(run(&mut schedule, &mut world), [""; 0]);
    world.insert_resource(On);
    world.write_message(Hit);
    assert_eq!(run(&mut schedule, &mut world), ["exists", "either", "added", "hit", "hit too", "switched"]);
    world.resource_mut::<Total>().0 = 3;
    world.remove_resource::<On>();
    world.spawn_empty();
    let found = world.query_filtered::<Entity, With<A>>().iter(&world).next().expect("there are some");
    world.entity_mut(found).remove::<A>();
    let expected = ["removed", "either", "added", "changed", "equals", "lost", "some", "not on", "switched"];
    assert_eq!(run(&mut schedule, &mut world), expected);
}

#[test]
fn resource_equals_asks_for_the_resource() {
    let mut schedule = Schedule::default();
    schedule.add_systems((|| ()).run_if(resource_equals(Total(3))));
    let error = schedule.try_run(&mut World::new()).expect_err("there is none").to_string();
    assert!(error.contains("resource_equals") && error.contains("Total` does not exist"), "{error}");
}

#[test]
fn a_condition_with_an_input_gets_it_from_a_system_before_it_or_keeps_it() {
    #[derive(Resource, Default)]
    struct Runs(u32);
    fn note(mut runs: ResMut<'_, Runs>) {
        runs.0 += 1;
    }
    fn runs(runs: Res<'_, Runs>) -> u32 {
        runs.0
    }
    fn below(InMut(limit): InMut<'_, u32>, runs: Res<'_, Runs>) -> bool {
        runs.0 < *limit
    }
    let mut world = World::new();
    world.init_resource::<Runs>();
    let kept: strata_ecs::schedule::BoxedCondition = runs.pipe(|In(runs): In<u32>| runs != 3);
    let mut schedule = Schedule::default();
    schedule.add_systems((note.run_if(below.with_input(2)), note.run_if(kept)));
    (0..5).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Runs>().0, 3);
}
