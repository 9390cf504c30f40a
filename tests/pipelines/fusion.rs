//! The systems that run block by block, and those that do not.

use std::sync::Mutex;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{Pipelining, ScheduleSystem, SingleThreadedExecutor};
use strata_ecs::system::NonSendMarker;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct X(pub(crate) u64);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Y(pub(crate) u64);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Z(pub(crate) u64);
#[derive(Component, Clone, Copy)]
#[component(storage = "sparse")]
pub(crate) struct Sparse(u64);
#[derive(Component)]
struct Tag;
#[derive(Resource, Default)]
struct Count(u64);
#[derive(Message)]
struct Note;

/// Which systems came to which row, in which order.
#[derive(Resource, Default)]
pub(crate) struct Visits(Mutex<Vec<(&'static str, u64)>>);

impl Visits {
    pub(crate) fn note(&self, system: &'static str, row: u64) {
        self.0.lock().expect("no panic poisons it").push((system, row));
    }

    pub(crate) fn take(&self) -> Vec<(&'static str, u64)> {
        std::mem::take(&mut self.0.lock().expect("no panic poisons it"))
    }
}

/// A schedule whose blocks have 64 rows, on one thread.
pub(crate) fn schedule<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems).set_executor(SingleThreadedExecutor::new());
    schedule.set_pipelining(Pipelining::Always).set_block_rows(64);
    schedule
}

/// A name without its modules.
fn short(name: &str) -> String {
    String::from(name.rsplit("::").next().unwrap_or(name))
}

/// The systems of each pipeline.
pub(crate) fn fused(schedule: &Schedule) -> Vec<Vec<String>> {
    schedule.used_pipelines().iter().map(|systems| systems.iter().map(|name| short(name)).collect()).collect()
}

/// Why a system is not in a pipeline.
fn apart(schedule: &Schedule, system: &str) -> Option<String> {
    let all = schedule.systems_apart();
    all.into_iter().find(|(name, _)| short(name) == system).map(|(_, why)| why)
}

/// Returns the reason why two consecutive systems are not a pipeline.
fn why_apart<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>, which: &str) -> String {
    let mut schedule = schedule(systems);
    schedule.initialize(&mut World::new()).expect("it is in order");
    assert_eq!(fused(&schedule), [[""; 0]; 0]);
    apart(&schedule, which).expect("there is a reason")
}

fn are_fused<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Vec<Vec<String>> {
    let mut schedule = schedule(systems);
    schedule.initialize(&mut World::new()).expect("it is in order");
    fused(&schedule)
}

pub(crate) fn spawn(world: &mut World, rows: u64) {
    world.init_resource::<Visits>();
    world.spawn_batch((0..rows).map(|row| (X(row), Y(0))));
}

#[system]
pub(crate) fn first(x: &mut X, visits: Res<Visits>) {
    visits.note("first", x.0);
}

#[system]
pub(crate) fn second(x: &X, y: &mut Y, visits: Res<Visits>) {
    visits.note("second", x.0);
    y.0 += 1;
}

#[system]
pub(crate) fn third(x: &X, visits: Res<Visits>) {
    visits.note("third", x.0);
}

#[test]
fn all_systems_come_to_a_block_before_any_comes_to_the_next() {
    let mut world = World::new();
    spawn(&mut world, 150);
    world.spawn_batch((200..300).map(|row| (X(row), Z(0))));
    let mut schedule = schedule((first, second, third).chain());
    schedule.run(&mut world);
    assert_eq!(fused(&schedule), [["first", "second", "third"]]);
    let mut expected = Vec::new();
    for block in [0..64, 64..128, 128..150] {
        for system in ["first", "second", "third"] {
            expected.extend(block.clone().map(|row| (system, row)));
        }
    }
    for block in [200..264, 264..300] {
        for system in ["first", "third"] {
            expected.extend(block.clone().map(|row| (system, row)));
        }
    }
    assert_eq!(world.resource::<Visits>().take(), expected);
}

#[test]
fn without_pipelines_each_system_goes_through_all_rows() {
    let mut world = World::new();
    spawn(&mut world, 150);
    let mut schedule = schedule((first, second).chain());
    let each =
        |systems: [&'static str; 2]| systems.into_iter().flat_map(|system| (0..150).map(move |row| (system, row)));
    let expected: Vec<_> = each(["first", "second"]).collect();
    for pipelining in [Pipelining::Never, Pipelining::Always, Pipelining::Auto, Pipelining::Never] {
        schedule.set_pipelining(pipelining);
        schedule.run(&mut world);
        let visits = world.resource::<Visits>().take();
        assert_eq!(
            (fused(&schedule).len() == 1, visits == expected),
            match pipelining {
                Pipelining::Always => (true, false),
                // 150 rows fit into any cache.
                Pipelining::Auto | Pipelining::Never => (false, true),
            }
        );
    }
    assert!(world.query::<&Y>().iter(&world).all(|y| y.0 == 4));
}

/// Big enough that a few hundred rows fit into no second-level cache.
#[derive(Component)]
struct Big([u8; 64 << 10]);

#[system]
fn touch(big: &mut Big, x: &X, visits: Res<Visits>) {
    big.0[0] += 1;
    visits.note("touch", x.0);
}

#[system]
fn touch_again(big: &mut Big, x: &X, visits: Res<Visits>) {
    big.0[1] += big.0[0];
    visits.note("touch_again", x.0);
}

/// Blocks are as large as they are for a user, and whether there are any is decided by the number of rows.
#[test]
fn many_large_rows_are_cut_into_blocks_by_themselves() {
    let mut world = World::new();
    world.init_resource::<Visits>();
    let mut schedule = Schedule::default();
    schedule.add_systems((touch, touch_again).chain()).set_executor(SingleThreadedExecutor::new());
    world.spawn((Big([0; 64 << 10]), X(0)));
    schedule.run(&mut world);
    assert_eq!(fused(&schedule).len(), 0);
    (1..300).for_each(|row| _ = world.spawn((Big([0; 64 << 10]), X(row))));
    world.resource::<Visits>().take();
    // It is looked at again in the second run.
    schedule.run(&mut world);
    assert_eq!(fused(&schedule), [["touch", "touch_again"]]);
    let visits = world.resource::<Visits>().take();
    assert_eq!(visits.len(), 600);
    let block = visits.iter().take_while(|(system, _)| *system == "touch").count();
    assert!((64..300).contains(&block) && block.is_multiple_of(64), "{block} rows");
    assert!(world.query::<&Big>().iter(&world).skip(1).all(|big| (big.0[0], big.0[1]) == (1, 1)));
}

macro_rules! steps {
    ($($name:ident)*) => {
        $(#[system]
        fn $name(x: &mut X) {
            x.0 = x.0 * 3 + 1;
        })*
    };
}

steps!(s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19);

#[test]
fn a_long_chain_is_cut_after_sixteen_systems() {
    let mut world = World::new();
    spawn(&mut world, 100);
    let low = (s0, s1, s2, s3, s4, s5, s6, s7, s8, s9).chain();
    let high = (s10, s11, s12, s13, s14, s15, s16, s17, s18, s19).chain();
    let mut schedule = schedule((low, high).chain());
    schedule.run(&mut world);
    let fused = fused(&schedule);
    assert_eq!(fused.iter().map(Vec::len).collect::<Vec<_>>(), [16, 4]);
    assert_eq!(fused[1][0], "s16");
    let expected = |x| (0..20).fold(x, |x: u64, _| x * 3 + 1);
    let all: Vec<u64> = world.query::<&X>().iter(&world).map(|x| x.0).collect();
    assert_eq!(all, (0..100).map(expected).collect::<Vec<_>>());
}

#[test]
fn the_seventeenth_system_alone_is_told_that_the_pipeline_is_full() {
    let low = (s0, s1, s2, s3, s4, s5, s6, s7, s8, s9).chain();
    let high = (s10, s11, s12, s13, s14, s15, s16).chain();
    let mut schedule = schedule((low, high).chain());
    schedule.initialize(&mut World::new()).unwrap();
    assert_eq!(fused(&schedule).len(), 1);
    assert_eq!(apart(&schedule, "s16").as_deref(), Some("the pipeline before it is full: it has 16 systems"));
}

#[system]
fn read_x(x: &X) {
    let _ = x;
}

#[system]
fn write_x(x: &mut X) {
    x.0 += 1;
}

#[system]
fn write_y(y: &mut Y, x: &X) {
    y.0 += x.0;
}

#[system]
fn write_z(z: &mut Z) {
    z.0 += 1;
}

#[system]
fn watch_rows_of_x(x: Mut<X>, y: &Y) {
    let _ = (x, y);
}

#[system]
fn see_changes_of_x(x: Ref<X>, y: &mut Y) {
    y.0 += u64::from(x.is_changed());
}

#[system(changed(X))]
fn go_by_changes(x: &X) {
    let _ = x;
}

#[system(with(Sparse))]
fn go_by_sparse(x: &X) {
    let _ = x;
}

#[system]
fn use_sparse(x: &X, sparse: &mut Sparse) {
    let _ = (x, sparse);
}

#[system]
fn can_fail(x: &mut X) -> Result {
    x.0 += 1;
    Ok(())
}

#[system(par)]
fn par_write_x(x: &mut X) {
    x.0 += 1;
}

#[system(par)]
fn par_write_y(x: &X, y: &mut Y) {
    y.0 += x.0;
}

#[system(par)]
fn par_record(x: &X, entity: Entity, mut commands: Commands) {
    let _ = x;
    commands.entity(entity).insert(Z(0));
}

#[system(par)]
fn par_write_notes(x: &X, mut notes: MessageWriter<Note>) {
    let _ = x;
    notes.write(Note);
}

#[system]
fn stay(x: &X, _marker: NonSendMarker) {
    let _ = x;
}

#[system]
fn look_at_all(y: &mut Y, all: Query<&X>) {
    y.0 += all.iter().count() as u64;
}

#[system]
fn write_all_with_sparse(x: &X, mut all: Query<&mut Y, With<Sparse>>) {
    let _ = (x, all.iter_mut().count());
}

#[system]
fn write_all_without_sparse(x: &X, mut all: Query<&mut Y, Without<Sparse>>) {
    let _ = (x, all.iter_mut().count());
}

#[system]
fn write_all_with_tag(x: &X, mut all: Query<&mut Y, With<Tag>>) {
    let _ = (x, all.iter_mut().count());
}

#[system]
fn write_all_without_tag(x: &X, mut all: Query<&mut Y, Without<Tag>>) {
    let _ = (x, all.iter_mut().count());
}

#[system]
fn count_x(x: &X, mut count: ResMut<Count>) {
    count.0 += x.0;
}

#[system]
fn use_count(x: &mut X, count: Res<Count>) {
    x.0 += count.0;
}

#[system]
fn use_count_too(x: &mut X, y: &mut Y, count: Res<Count>) {
    (x.0, y.0) = (y.0, x.0 + count.0);
}

#[system]
fn write_notes(x: &X, mut notes: MessageWriter<Note>) {
    let _ = (x, notes.write(Note));
}

#[system]
fn read_notes(x: &mut X, notes: Res<Messages<Note>>) {
    x.0 += notes.len() as u64;
}

#[system]
fn record(x: &X, entity: Entity, mut commands: Commands) {
    let _ = x;
    commands.entity(entity).insert(Z(0));
}

#[system]
fn look_at_world(x: &X, #[param] world: &World) {
    let _ = (x, world);
}

#[system]
fn look_at_world_too(x: &X, #[param] world: &World) {
    let _ = (x, world);
}

fn plain() {}

#[test]
fn systems_that_share_components_are_fused() {
    assert_eq!(are_fused((write_x, write_y).chain()), [["write_x", "write_y"]]);
    // The order need not be demanded.
    assert_eq!(are_fused((write_x, write_y, read_x)), [["write_x", "write_y", "read_x"]]);
    assert_eq!(are_fused((par_write_x, par_write_y).chain()), [["par_write_x", "par_write_y"]]);
    // Two that both only read share what they read.
    assert_eq!(are_fused((read_x, read_x)), [["read_x", "read_x"]]);
}

#[test]
fn what_only_one_of_them_uses_is_allowed() {
    assert_eq!(are_fused((write_x, count_x)), [["write_x", "count_x"]]);
    assert_eq!(are_fused((write_notes, write_x)), [["write_notes", "write_x"]]);
    assert_eq!(are_fused((write_x, record.ambiguous_with(write_x))), [["write_x", "record"]]);
    assert_eq!(are_fused((use_count, use_count_too)), [["use_count", "use_count_too"]]);
    assert_eq!(
        are_fused((write_all_with_tag, write_all_without_tag)),
        [["write_all_with_tag", "write_all_without_tag"]]
    );
    // One looks at the changes that the other one does not make.
    assert_eq!(are_fused((see_changes_of_x, read_x)), [["see_changes_of_x", "read_x"]]);
}

#[test]
fn one_that_is_alone_is_told_so() {
    let why = "directly before and after it there is no row system that it could be run with";
    assert_eq!(why_apart(write_x, "write_x"), why);
    assert_eq!(why_apart((write_x, plain, write_y).chain(), "write_y"), why);
}

#[test]
fn rows_that_have_to_be_asked_keep_a_system_apart() {
    for (why, which) in [
        (why_apart((write_y, go_by_changes).chain(), "go_by_changes"), "changes"),
        (why_apart((write_y, go_by_sparse).chain(), "go_by_sparse"), "a sparse component"),
        (why_apart((write_y, use_sparse).chain(), "use_sparse"), "a sparse value"),
    ] {
        assert_eq!(why, "it looks at each row by itself: for a filter, or for a sparse component", "{which}");
    }
}

#[system(pipeline = off)]
fn keep_out(x: &mut X) {
    x.0 += 1;
}

#[test]
fn a_system_whose_author_says_so_is_apart() {
    assert_eq!(why_apart((write_x, keep_out).chain(), "keep_out"), "it says `pipeline = off`");
}

#[test]
fn what_may_fail_or_stays_on_its_thread_is_apart() {
    assert_eq!(why_apart((write_x, can_fail).chain(), "can_fail"), "it may fail");
    assert_eq!(why_apart((write_y, stay).chain(), "stay"), "it uses something that stays on its thread");
}

#[test]
fn par_systems_are_fused_with_their_like_and_if_they_record_nothing() {
    let why = why_apart((write_x, par_write_y).chain(), "par_write_y");
    assert!(why.starts_with("it or `") && why.ends_with("write_x` is `par`, and the other one is not"), "{why}");
    assert_eq!(why_apart((par_write_x, par_record).chain(), "par_record"), "it is `par` and records something");
    assert_eq!(why_apart((par_write_x, par_write_notes), "par_write_notes"), "it is `par` and records something");
}

#[test]
fn systems_that_share_no_component_are_apart() {
    let why = why_apart((write_x, write_z).chain(), "write_z");
    assert!(why.starts_with("it has no component in common with the row systems before it, from `"), "{why}");
}

/// All that must not be fused because one changes what the other one uses, not only in its rows.
#[test]
fn what_is_used_beyond_rows_keeps_systems_apart() {
    let component = |name: &str| format!("component `{name}`");
    for (why, what) in [
        (why_apart((write_x, look_at_all.after(write_x)), "look_at_all"), component("X")),
        (why_apart((look_at_all, use_count_too).chain(), "use_count_too"), component("X")),
        (why_apart((write_all_with_sparse, write_all_without_sparse), "write_all_without_sparse"), component("Y")),
        (why_apart((count_x, use_count), "use_count"), String::from("resource `")),
        (why_apart((write_notes, read_notes), "read_notes"), String::from("resource `")),
        (why_apart((write_x, look_at_world), "look_at_world"), String::from("the whole world (`&World`)")),
        (why_apart((look_at_world, look_at_world_too), "look_at_world_too"), String::from("the world's next ids")),
    ] {
        assert!(why.starts_with("it and `") && why.contains(&what), "{what}: {why}");
    }
}

#[test]
fn conditions_count_as_what_a_system_uses() {
    fn is_any_large(all: Query<'_, '_, &X>) -> bool {
        all.iter().any(|x| x.0 > 10)
    }
    fn is_any_new(all: Query<'_, '_, (), Changed<X>>) -> bool {
        !all.is_empty()
    }
    fn is_some(count: Res<'_, Count>) -> bool {
        count.0 > 1
    }
    for why in [
        why_apart((write_x, write_y.run_if(is_any_large)).chain(), "write_y"),
        why_apart((write_x, write_y.run_if(is_any_new)).chain(), "write_y"),
        why_apart((count_x, write_y.run_if(is_some)).chain(), "write_y"),
    ] {
        assert!(why.starts_with("it and `"), "{why}");
    }
    assert_eq!(are_fused((use_count, write_y.run_if(is_some)).chain()), [["use_count", "write_y"]]);
    // The condition of a set is evaluated between two systems.
    let why = why_apart((write_x, (write_y, plain).run_if(is_any_large)).chain(), "write_y");
    assert!(why.starts_with("directly before and after it"), "{why}");
}

#[test]
fn a_system_that_looks_at_changes_row_by_row_is_apart_from_one_that_makes_them() {
    for why in [
        why_apart((write_x, watch_rows_of_x).chain(), "watch_rows_of_x"),
        why_apart((write_x, see_changes_of_x).chain(), "see_changes_of_x"),
        why_apart((see_changes_of_x, use_count_too).chain(), "use_count_too"),
        why_apart((watch_rows_of_x, write_x).chain(), "write_x"),
        why_apart((watch_rows_of_x, see_changes_of_x).chain(), "see_changes_of_x"),
    ] {
        assert!(why.starts_with("it or `") && why.contains("has to do with when component `"), "{why}");
    }
}
