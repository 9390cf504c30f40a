//! The changes that the systems of a pipeline have seen if one of them panics.

use std::sync::Mutex;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use strata_tests::panics::expect_panic;

use super::fusion::{X, Y, fused, schedule, spawn};
use super::random::pool;

/// Which system panics in which row.
#[derive(Resource, Default)]
struct Broken(Option<(usize, u64)>);

/// Whether each system saw this resource as changed, once for each run in which it visited a row.
#[derive(Resource, Default)]
struct News(u64);

#[derive(Resource, Default)]
struct Told(Mutex<[Vec<bool>; 3]>);

impl Told {
    fn note(&self, system: usize, row: u64, is_new: bool) {
        if row == 0 {
            self.0.lock().expect("no panic poisons it")[system].push(is_new);
        }
    }

    fn take(&self) -> [Vec<bool>; 3] {
        std::mem::take(&mut *self.0.lock().expect("no panic poisons it"))
    }
}

macro_rules! members {
    ($($(#[$option:meta])* $name:ident: $number:literal),*) => {
        $($(#[$option])*
        fn $name(x: &X, y: &mut Y, news: Res<News>, told: Res<Told>, broken: Res<Broken>) {
            told.note($number, x.0, news.is_changed());
            assert!(broken.0 != Some(($number, x.0)), "out of order");
            y.0 += news.0;
        })*
    };
}

members!(
    #[system] first: 0, #[system] second: 1, #[system] third: 2,
    #[system(par)] par_first: 0, #[system(par)] par_second: 1, #[system(par)] par_third: 2
);

/// Members that are broken off by another one have not seen what is new; the one that panics has, as any system.
#[test]
fn members_that_another_one_breaks_off_see_later_what_was_new() {
    for threads in [1, 2, 4] {
        for (is_par, system, row) in [(false, 0, 0), (false, 0, 150), (false, 1, 0), (true, 0, 0), (true, 1, 250)] {
            let mut world = World::new();
            spawn(&mut world, 300);
            world.init_resource::<Told>();
            world.init_resource::<News>();
            world.insert_resource(Broken(None));
            let mut schedule = match is_par {
                false => schedule((first, second, third)),
                true => schedule((par_first, par_second, par_third)),
            };
            world.set_thread_pool(pool(threads));
            match threads {
                1 => schedule.set_executor(SingleThreadedExecutor::new()),
                _ => schedule.set_executor(MultiThreadedExecutor::eager()),
            };
            schedule.run(&mut world);
            assert_eq!(fused(&schedule)[0].len(), 3);
            world.resource::<Told>().take();
            schedule.run(&mut world);
            assert_eq!(world.resource::<Told>().take(), [[false], [false], [false]]);

            world.resource_mut::<News>().0 += 1;
            world.resource_mut::<Broken>().0 = Some((system, row));
            expect_panic(|| schedule.run(&mut world));
            world.resource_mut::<Broken>().0 = None;
            world.resource::<Told>().take();
            schedule.run(&mut world);
            let expected: [[bool; 1]; 3] = std::array::from_fn(|member| [member != system]);
            assert_eq!(world.resource::<Told>().take(), expected, "{system} panicked in row {row}, {threads} threads");
        }
    }
}

#[derive(Component)]
struct Far(u32);
#[derive(Resource, Default)]
struct Seen(usize);

#[system]
fn breaks(x: &mut X, broken: Res<Broken>) {
    assert!(broken.0.is_none_or(|(_, row)| row != x.0), "out of order");
}

#[system]
fn counts_what_is_new(x: &X, y: &mut Y, far: Query<&Far, Changed<Far>>, mut seen: ResMut<Seen>) {
    y.0 += x.0;
    if x.0 == 0 {
        seen.0 += far.iter().map(|far| far.0 as usize).sum::<usize>();
    }
}

#[test]
fn a_member_that_never_ran_has_lost_no_changes() {
    let mut world = World::new();
    spawn(&mut world, 100);
    world.spawn_batch((0..101).map(|_| Far(1)));
    world.init_resource::<Seen>();
    world.insert_resource(Broken(Some((0, 0))));
    let mut schedule = schedule((breaks, counts_what_is_new));
    expect_panic(|| schedule.run(&mut world));
    assert_eq!(fused(&schedule)[0].len(), 2);
    world.resource_mut::<Broken>().0 = None;
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, 101);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, 101);
}
