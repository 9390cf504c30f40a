//! Pipelines and the worlds that they run on, which change between runs.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, Pipelining, ScheduleConfigs, ScheduleSystem};

use super::fusion::{X, Y, Z, fused, schedule};
use super::random::pool;

#[derive(Component)]
struct Empty;
#[derive(Component, Clone, Copy)]
#[repr(align(64))]
struct Aligned(u8);

#[system]
fn count_up(x: &mut X) {
    x.0 += 1;
}

#[system]
fn add_to_y(x: &X, y: &mut Y) {
    y.0 += x.0;
}

#[system]
fn add_to_z(x: &X, z: Option<&mut Z>) {
    if let Some(z) = z {
        z.0 += x.0;
    }
}

fn pipeline_of_one_thread() -> ScheduleConfigs<ScheduleSystem> {
    (count_up, add_to_y, add_to_z).chain()
}

fn pipeline() -> Schedule {
    schedule(pipeline_of_one_thread())
}

fn run(schedule: &mut Schedule, world: &mut World) {
    schedule.run(world);
    world.check_invariants();
    assert_eq!(fused(schedule), [["count_up", "add_to_y", "add_to_z"]]);
}

fn sums(world: &mut World) -> (u64, u64, u64) {
    let x = world.query::<&X>().iter(world).map(|x| x.0).sum();
    let y = world.query::<&Y>().iter(world).map(|y| y.0).sum();
    (x, y, world.query::<&Z>().iter(world).map(|z| z.0).sum())
}

#[test]
fn an_empty_world_is_no_harm() {
    let mut world = World::new();
    let mut schedule = pipeline();
    (0..3).for_each(|_| run(&mut schedule, &mut world));
    // A table without rows.
    let entity = world.spawn((X(0), Y(0))).id();
    world.despawn(entity);
    run(&mut schedule, &mut world);
    assert_eq!(sums(&mut world), (0, 0, 0));
}

#[test]
fn tables_that_appear_between_runs_are_found() {
    let mut world = World::new();
    let mut schedule = pipeline();
    world.spawn_batch((0..100).map(|_| (X(0), Y(0))));
    run(&mut schedule, &mut world);
    assert_eq!(sums(&mut world), (100, 100, 0));
    world.spawn_batch((0..70).map(|_| (X(0), Z(0))));
    world.spawn_batch((0..130).map(|_| (X(0), Y(0), Z(0))));
    run(&mut schedule, &mut world);
    assert_eq!(sums(&mut world), (200 + 70 + 130, 100 + 200 + 130, 200));
}

#[test]
fn tables_that_are_given_back_between_runs_are_forgotten() {
    let mut world = World::new();
    let mut schedule = pipeline();
    let gone: Vec<Entity> = (0..100).map(|_| world.spawn((X(0), Y(0), Empty)).id()).collect();
    world.spawn_batch((0..100).map(|_| (X(0), Z(0))));
    world.spawn_batch((0..100).map(|_| (X(0), Y(0))));
    run(&mut schedule, &mut world);
    gone.into_iter().for_each(|entity| _ = world.despawn(entity));
    world.shrink_to_fit();
    run(&mut schedule, &mut world);
    assert_eq!(sums(&mut world), (400, 300, 300));
    world.spawn_batch((0..100).map(|_| (X(0), Z(0), Y(0), Empty)));
    run(&mut schedule, &mut world);
    assert_eq!(sums(&mut world), (700, 700, 700));
}

#[test]
fn a_schedule_may_be_run_on_two_worlds_in_turn() {
    let mut worlds = [World::new(), World::new()];
    // Components have other numbers there, and tables, too.
    worlds[1].spawn_batch((0..10).map(|_| (Z(0), Empty)));
    worlds[1].spawn_batch((0..200).map(|_| (Z(0), X(0))));
    worlds[0].spawn_batch((0..100).map(|_| (X(0), Y(0))));
    let mut schedule = pipeline();
    for turn in 1..4 {
        worlds.iter_mut().for_each(|world| run(&mut schedule, world));
        let sum = turn * (turn + 1) / 2;
        assert_eq!(sums(&mut worlds[0]), (turn * 100, sum * 100, 0));
        assert_eq!(sums(&mut worlds[1]), (turn * 200, 0, sum * 200));
    }
}

#[test]
fn a_world_may_be_put_in_the_place_of_another_in_the_middle_of_a_run() {
    fn exchange(world: &mut World) {
        let mut other = World::new();
        other.spawn_batch((0..10).map(|_| (Z(0), Empty)));
        other.spawn_batch((0..150).map(|_| (X(100), Y(0), Z(0))));
        *world = other;
    }
    let mut world = World::new();
    world.spawn_batch((0..100).map(|_| (X(0), Y(0))));
    let mut schedule = schedule((count_up, add_to_y, exchange, count_up, add_to_z).chain());
    schedule.run(&mut world);
    world.check_invariants();
    assert_eq!(fused(&schedule), [["count_up", "add_to_y"], ["count_up", "add_to_z"]]);
    assert_eq!(sums(&mut world), (150 * 101, 0, 150 * 101));
}

#[system]
fn visit_nothing(empty: &mut Empty, x: &mut X) {
    let _ = empty;
    x.0 += 1;
}

#[system(with(Empty))]
fn visit_those_with_nothing(x: &mut X, y: &mut Y) {
    y.0 += x.0;
}

#[system]
fn only_nothing(empty: &mut Empty, mut rows: Local<u64>, entity: Entity, mut commands: Commands) {
    let _ = empty;
    *rows += 1;
    if rows.is_multiple_of(100) {
        commands.entity(entity).insert(Z(*rows));
    }
}

#[system]
fn only_nothing_too(empty: &Empty, mut rows: Local<u64>, entity: Entity, mut commands: Commands) {
    let _ = empty;
    *rows += 1;
    if rows.is_multiple_of(150) {
        commands.entity(entity).insert(Z(*rows));
    }
}

#[test]
fn components_without_size_have_rows_all_the_same() {
    let mut world = World::new();
    world.spawn_batch((0..200).map(|_| (X(0), Y(0), Empty)));
    world.spawn_batch((0..100).map(|_| Empty));
    let mut schedule =
        schedule((visit_nothing, visit_those_with_nothing, only_nothing, only_nothing_too).chain_ignore_deferred());
    schedule.run(&mut world);
    assert_eq!(fused(&schedule)[0].len(), 4);
    // Rows 100 and 200 of one, 150 of the other, and row 300 of both, in which the later one wins.
    assert_eq!(sums(&mut world), (200, 200, 100 + 200 + 150 + 300));
}

#[system]
fn turn_once(aligned: &mut Aligned, x: &X) {
    assert!(std::ptr::from_ref(aligned).addr().is_multiple_of(64));
    aligned.0 = aligned.0.wrapping_add(x.0 as u8);
}

#[system(par)]
fn par_turn(aligned: &mut Aligned, x: &X) {
    assert!(std::ptr::from_ref(aligned).addr().is_multiple_of(64));
    aligned.0 = aligned.0.wrapping_mul(3).wrapping_add(x.0 as u8);
}

#[system(par)]
fn par_turn_back(aligned: &Aligned, x: &mut X) {
    x.0 += u64::from(aligned.0);
}

#[test]
fn aligned_components_stay_aligned() {
    for threads in [1, 4] {
        let mut world = World::new();
        world.set_thread_pool(pool(threads));
        world.spawn_batch((0..333).map(|row| (Aligned(1), X(row))));
        let mut schedule = schedule((count_up, turn_once, (par_turn, par_turn_back).chain()).chain());
        schedule.set_executor(MultiThreadedExecutor::eager());
        schedule.run(&mut world);
        assert_eq!(fused(&schedule), [["count_up", "turn_once"], ["par_turn", "par_turn_back"]]);
        let expected = |row: u64| row + 1 + u64::from(((row + 2) as u8).wrapping_mul(3).wrapping_add((row + 1) as u8));
        let found: Vec<u64> = world.query::<&X>().iter(&world).map(|x| x.0).collect();
        assert_eq!(found, (0..333).map(expected).collect::<Vec<_>>());
    }
}

/// A block of more rows than any table has, or of fewer than a group, leaves none out.
#[test]
fn a_block_may_have_any_number_of_rows() {
    for rows in [0, 1, 65, usize::MAX / 2, usize::MAX - 62, usize::MAX] {
        let mut world = World::new();
        world.spawn_batch((0..1000).map(|_| (X(0), Y(0), Z(0), Aligned(1))));
        world.spawn_batch((0..1000).map(|_| (X(0), Y(0), Aligned(1))));
        let mut schedule = schedule((pipeline_of_one_thread(), (par_turn, par_turn_back).chain()).chain());
        schedule.set_block_rows(rows);
        schedule.run(&mut world);
        assert_eq!(fused(&schedule).iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(sums(&mut world), (5 * 2000, 2000, 1000)); // The last one adds four.
    }
}

#[test]
fn each_system_of_a_pipeline_is_measured() {
    for threads in [1, 2] {
        let mut world = World::new();
        world.set_thread_pool(pool(threads));
        world.spawn_batch((0..5_000).map(|row| (Aligned(1), X(row), Y(0), Z(0))));
        let mut schedule = pipeline();
        schedule.add_systems((par_turn, par_turn_back).chain().after(add_to_z)).set_block_rows(1024);
        if threads > 1 {
            schedule.set_executor(MultiThreadedExecutor::eager());
        }
        schedule.set_profiling(true);
        (0..4).for_each(|_| schedule.run(&mut world));
        assert_eq!(fused(&schedule).iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
        let report = schedule.report(&world);
        for system in report.systems() {
            let timing = system.timing().expect("it was measured");
            assert_eq!(timing.runs(), 4);
            assert!(!timing.max().is_zero(), "{} took no time for 5000 rows", system.name());
        }
    }
}

#[derive(Resource)]
struct Inner(Schedule);

#[test]
fn a_pipeline_may_run_inside_another_schedule() {
    fn run_inner(world: &mut World) {
        world.resource_scope(|world, mut inner: Mut<'_, Inner>| inner.0.run(world));
    }
    for threads in [1, 2, 4] {
        let mut world = World::new();
        world.set_thread_pool(pool(threads));
        world.spawn_batch((0..200).map(|_| (X(0), Y(0), Z(0))));
        let mut inner = pipeline();
        let mut outer = schedule((count_up, add_to_y, run_inner, count_up, add_to_z).chain());
        inner.set_executor(MultiThreadedExecutor::eager());
        outer.set_executor(MultiThreadedExecutor::eager());
        world.insert_resource(Inner(inner));
        outer.run(&mut world);
        assert_eq!((fused(&outer).len(), fused(&world.resource::<Inner>().0).len()), (2, 1));
        assert_eq!(sums(&mut world), (3 * 200, (1 + 2) * 200, (2 + 3) * 200));
    }
}

/// All that can be seen of changes.
#[test]
fn changes_are_told_as_if_each_system_had_run_alone() {
    let tell = |pipelining| {
        let mut world = World::new();
        world.spawn_batch((0..200).map(|_| (X(0), Y(0))));
        world.spawn_batch((0..100).map(|_| (X(0), Z(0))));
        let mut of_x = world.query::<Ref<'_, X>>();
        let mut of_y = world.query::<Ref<'_, Y>>();
        let mut of_z = world.query_filtered::<Ref<'_, Z>, Changed<Z>>();
        let mut schedule = pipeline();
        schedule.set_pipelining(pipelining);
        let mut told = Vec::new();
        for _ in 0..3 {
            schedule.run(&mut world);
            told.extend(of_x.iter(&world).map(|x| (x.0, x.last_changed(), x.added())));
            told.extend(of_y.iter(&world).map(|y| (y.0, y.last_changed(), y.added())));
            told.extend(of_z.iter(&world).map(|z| (z.0, z.last_changed(), z.added())));
            world.clear_trackers();
        }
        told
    };
    assert_eq!(tell(Pipelining::Never), tell(Pipelining::Always));
}
