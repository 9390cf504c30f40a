//! The systems that run at the same time, and those that never do.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{ScheduleConfigs, ScheduleSystem};

use super::Set::First;
use super::{A, schedule, step, take_steps, use_threads, world};

#[derive(Component)]
struct B;
#[derive(Component)]
struct Split;
#[derive(Component)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component)]
#[component(storage = "sparse")]
struct Rare;

/// Where systems meet. A system that waits in vain goes on after a while, so that a test fails instead of hanging.
#[derive(Clone)]
struct Meeting(Arc<(Mutex<usize>, Condvar, usize)>);

impl Meeting {
    fn of(count: usize) -> Self {
        Self(Arc::new((Mutex::new(0), Condvar::new(), count)))
    }

    /// Whether all have come.
    fn wait(&self) -> bool {
        let (come, changed, count) = &*self.0;
        let mut come = come.lock().expect("no panic poisons it");
        *come += 1;
        changed.notify_all();
        let limit = Duration::from_secs(20);
        let (come, _) = changed.wait_timeout_while(come, limit, |come| *come < *count).expect("no panic poisons it");
        *come >= *count
    }
}

/// Runs systems on two threads that wait for each other.
fn meet<M>(met: &AtomicUsize, systems: impl IntoScheduleConfigs<ScheduleSystem, M>) {
    let mut world = world();
    world.spawn_batch((0..10).map(|number| (A(number), B)));
    world.spawn_batch((0..10).map(|number| (A(number), Split)));
    let mut schedule = schedule(systems);
    use_threads(&mut world, &mut schedule, 2);
    schedule.run(&mut world);
    assert_eq!(met.load(SeqCst), 2, "the two do not run at the same time");
}

/// Two systems that wait for each other.
macro_rules! meet {
    ($($param:ty),* ; $($other:ty),*) => {{
        let (met, meeting) = (Arc::new(AtomicUsize::new(0)), Meeting::of(2));
        let wait = || {
            let (met, meeting) = (Arc::clone(&met), meeting.clone());
            move || _ = met.fetch_add(usize::from(meeting.wait()), SeqCst)
        };
        let (first, second) = (wait(), wait());
        meet(&met, (move |_: ($($param,)*)| first(), move |_: ($($other,)*)| second()));
    }};
}

#[test]
fn systems_that_are_not_in_each_others_way_run_at_the_same_time() {
    meet!(Query<'_, '_, &mut A>; Query<'_, '_, &mut B>);
    meet!(Query<'_, '_, &A>; Query<'_, '_, &A, Changed<A>>);
    meet!(Res<'_, super::Steps>, ResMut<'_, super::Log>; Res<'_, super::Steps>);
    meet!(Commands<'_, '_>; Commands<'_, '_>, Query<'_, '_, &mut A>);
    meet!(&World; &World, Commands<'_, '_>);
}

#[test]
fn systems_that_write_other_tables_run_at_the_same_time() {
    meet!(Query<'_, '_, &mut A, With<Split>>; Query<'_, '_, &mut A, Without<Split>>);
    meet!(Query<'_, '_, &mut A, With<Split>>; Query<'_, '_, &A, Without<Split>>, Query<'_, '_, &mut B, Changed<B>>);
}

/// Counts how many of some systems run at the same time.
#[derive(Clone, Default)]
struct Busy(Arc<(AtomicU32, AtomicU32)>);

impl Busy {
    fn work(&self) {
        let now = self.0.0.fetch_add(1, SeqCst) + 1;
        self.0.1.fetch_max(now, SeqCst);
        (0..20).for_each(|_| std::thread::yield_now());
        self.0.0.fetch_sub(1, SeqCst);
    }

    fn most(&self) -> u32 {
        self.0.1.load(SeqCst)
    }
}

/// Runs systems often, on four threads, together with systems that conflict with no other system.
fn overlap<M>(busy: &Busy, systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> u32 {
    let mut world = world();
    world.spawn_batch((0..10).map(|number| (A(number), B, Rare)));
    world.spawn_batch((0..10).map(|number| (A(number), Tag, Rare)));
    let idle = || (0..10).for_each(|_| std::thread::yield_now());
    let mut schedule = schedule((idle, idle, systems, idle));
    use_threads(&mut world, &mut schedule, 4);
    (0..30).for_each(|_| schedule.run(&mut world));
    busy.most()
}

/// Systems that all do the same, with different parameters.
macro_rules! overlap {
    ($($param:ty),*) => {{
        let busy = Busy::default();
        overlap(&busy, ($({
            let busy = busy.clone();
            move |_: $param| busy.work()
        },)*))
    }};
}

#[test]
fn hazard_47_systems_in_each_others_way_never_overlap() {
    assert_eq!(overlap!(Query<'_, '_, &mut A>, Query<'_, '_, &A>, Query<'_, '_, &mut A>), 1);
    assert_eq!(overlap!(ResMut<'_, super::Log>, Res<'_, super::Log>, ResMut<'_, super::Log>), 1);
    assert_eq!(overlap!(Query<'_, '_, (), Changed<A>>, Query<'_, '_, &mut A>), 1);
    assert_eq!(overlap!(Query<'_, '_, Option<&A>>, Query<'_, '_, &mut A>), 1);
    assert_eq!(overlap!(&World, Query<'_, '_, &mut B>, &World, ResMut<'_, super::Log>), 1);
    assert_eq!(overlap!(Lookup<'_, '_, &A>, Query<'_, '_, &mut A>), 1);
}

#[test]
fn hazard_47_rows_of_one_column_and_of_a_sparse_storage_are_in_each_others_way() {
    assert_eq!(overlap!(Query<'_, '_, &mut A, With<Tag>>, Query<'_, '_, &mut A, Without<Tag>>), 1);
    assert_eq!(overlap!(Query<'_, '_, &mut Rare, With<B>>, Query<'_, '_, &mut Rare, Without<B>>), 1);
}

#[test]
fn hazard_47_conditions_and_pipes_count_too() {
    let asking = |busy: &Busy| {
        let busy = busy.clone();
        move |_: Query<'_, '_, &A>| {
            busy.work();
            true
        }
    };
    let writing = |busy: &Busy| -> ScheduleConfigs {
        let busy = busy.clone();
        (move |_: Query<'_, '_, &mut A>| busy.work()).into_configs()
    };
    let busy = Busy::default();
    let conditions = (writing(&busy), (|| ()).run_if(asking(&busy)), writing(&busy), (|| ()).run_if(asking(&busy)));
    assert_eq!(overlap(&busy, conditions), 1);
    let busy = Busy::default();
    let sets = (writing(&busy), (|| (), || ()).run_if(asking(&busy)), writing(&busy));
    assert_eq!(overlap(&busy, sets), 1);
    let busy = Busy::default();
    let (first, second) = (busy.clone(), busy.clone());
    let pipe = (move |_: Query<'_, '_, &mut B>| first.work())
        .pipe(move |In(()): In<()>, _: Query<'_, '_, &mut A>| second.work());
    assert_eq!(overlap(&busy, (writing(&busy), pipe, writing(&busy))), 1);
}

#[test]
fn hazard_47_exclusive_systems_run_beside_nothing() {
    let busy = Busy::default();
    let shared = || {
        let busy = busy.clone();
        move || busy.work()
    };
    let alone = {
        let busy = busy.clone();
        move |_: &mut World| {
            assert_eq!(busy.0.0.load(SeqCst), 0);
            busy.work();
        }
    };
    overlap(&busy, (shared(), shared(), alone, shared(), shared()));
}

#[test]
fn what_is_ordered_never_overlaps_and_keeps_its_order() {
    let busy = Busy::default();
    let work = || {
        let busy = busy.clone();
        move || busy.work()
    };
    assert_eq!(overlap(&busy, (work().before(First), work().in_set(First), work().after(First))), 1);
    let mut world = world();
    let mut schedule = schedule((step::<2>, (step::<1>.after(step::<2>), step::<0>).chain(), || (), step::<3>));
    use_threads(&mut world, &mut schedule, 4);
    for _ in 0..50 {
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), [2, 1, 0, 3]);
    }
}

#[test]
fn a_schedule_runs_on_several_worlds_with_pools_of_their_own() {
    fn count(all: Query<'_, '_, &A>, mut steps: ResMut<'_, super::Steps>) {
        steps.0.push(all.count() as u32);
    }
    fn spawn(mut commands: Commands<'_, '_>) {
        commands.spawn(A(0));
    }
    let mut schedule = schedule((spawn, count, spawn, || ()));
    let mut worlds = [world(), world()];
    use_threads(&mut worlds[0], &mut schedule, 2);
    use_threads(&mut worlds[1], &mut schedule, 4);
    for run in 0..5 {
        for world in &mut worlds {
            schedule.run(world);
            world.check_invariants();
            assert_eq!(take_steps(world), [2 * run]);
        }
    }
}

#[test]
fn of_several_panics_the_first_in_the_order_of_the_schedule_goes_on() {
    let mut world = world();
    for _ in 0..20 {
        let meeting = Meeting::of(2);
        let panics = |number: u32| {
            let meeting = meeting.clone();
            move |_: Res<'_, super::Log>| -> Result {
                assert!(meeting.wait(), "the two do not run at the same time");
                // The first one comes late.
                (number..2).for_each(|_| (0..50).for_each(|_| std::thread::yield_now()));
                std::panic::panic_any(number);
            }
        };
        let mut schedule = schedule((panics(0), panics(1)));
        use_threads(&mut world, &mut schedule, 2);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| schedule.run(&mut world)));
        assert_eq!(outcome.expect_err("both panic").downcast_ref::<u32>(), Some(&0));
    }
}

/// One of many components.
#[derive(Component)]
struct Numbered<const N: usize>;

/// How many of them there are: more than what is in each other's way is looked up by.
const NUMBERED: usize = 140;

/// The records of systems about each component: its present use, and the systems that have written it.
struct Uses {
    now: Vec<AtomicUsize>,
    writers: Vec<Mutex<Vec<usize>>>,
    overlaps: AtomicUsize,
}

impl Uses {
    const WRITER: usize = 1 << 20;

    fn begin(&self, component: usize, as_what: usize) {
        let before = self.now[component].fetch_add(as_what, SeqCst);
        let is_free = if as_what == Self::WRITER { before == 0 } else { before < Self::WRITER };
        self.overlaps.fetch_add(usize::from(!is_free), SeqCst);
    }

    /// A system that writes a component, and reads another one.
    fn use_both(&self, system: usize, written: usize, read: Option<usize>) {
        self.begin(written, Self::WRITER);
        read.inspect(|read| self.begin(*read, 1));
        self.writers[written].lock().expect("no panic poisons it").push(system);
        std::thread::yield_now();
        read.inspect(|read| _ = self.now[*read].fetch_sub(1, SeqCst));
        self.now[written].fetch_sub(Self::WRITER, SeqCst);
    }
}

fn add_writer<const N: usize>(schedule: &mut Schedule, uses: &Arc<Uses>) {
    let (number, uses) = (schedule.systems_len(), Arc::clone(uses));
    schedule.add_systems(move |_: Query<'_, '_, &mut Numbered<N>>| uses.use_both(number, N, None));
}

fn add_both<const N: usize, const M: usize>(schedule: &mut Schedule, uses: &Arc<Uses>) {
    let (number, uses) = (schedule.systems_len(), Arc::clone(uses));
    schedule.add_systems(move |_: Query<'_, '_, &mut Numbered<N>>, _: Query<'_, '_, &Numbered<M>>| {
        uses.use_both(number, N, Some(M));
    });
}

/// Hands the numbers below [`NUMBERED`] to a macro, as constants.
macro_rules! numbered {
    ($each:ident) => { numbered!(@tens $each 0 1 2 3 4 5 6 7 8 9 10 11 12 13); };
    (@tens $each:ident $($tens:literal)*) => {$( numbered!(@ones $each $tens 0 1 2 3 4 5 6 7 8 9); )*};
    (@ones $each:ident $tens:literal $($ones:literal)*) => {$( $each!($tens * 10 + $ones); )*};
}

#[test]
fn of_many_systems_those_in_each_others_way_keep_their_order() {
    let place = |_| (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (now, writers) = (0..NUMBERED).map(place).unzip();
    let uses = Arc::new(Uses { now, writers, overlaps: AtomicUsize::new(0) });
    let (mut world, mut schedule) = (world(), Schedule::default());
    macro_rules! write {
        ($number:expr) => {
            add_writer::<{ $number }>(&mut schedule, &uses);
        };
    }
    macro_rules! both {
        ($number:expr) => {
            add_both::<{ $number }, { (($number) * 7 + 3) % NUMBERED }>(&mut schedule, &uses);
        };
    }
    numbered!(write);
    numbered!(both);
    numbered!(write);
    use_threads(&mut world, &mut schedule, 4);
    for _ in 0..3 {
        schedule.run(&mut world);
        assert_eq!(uses.overlaps.load(SeqCst), 0);
        for (component, writers) in uses.writers.iter().enumerate() {
            let writers = std::mem::take(&mut *writers.lock().expect("no panic poisons it"));
            assert_eq!(writers, [component, component + NUMBERED, component + 2 * NUMBERED]);
        }
    }
}

#[test]
fn after_a_chain_two_systems_run_at_the_same_time() {
    let (met, meeting) = (Arc::new(AtomicUsize::new(0)), Meeting::of(2));
    let wait = || {
        let (met, meeting) = (Arc::clone(&met), meeting.clone());
        move |_: Res<'_, super::Steps>| _ = met.fetch_add(usize::from(meeting.wait()), SeqCst)
    };
    let chain = (step::<0>, step::<1>, step::<2>, step::<3>);
    meet(&met, (chain, wait(), wait()));
}
