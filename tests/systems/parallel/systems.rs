//! `#[system(par)]` and `for_each_with`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;
use strata_ecs::system::SystemOutput;

use super::{Kind, Number, Rare, Step, THREADS, Tag, scene, use_threads};

#[derive(Message, Debug, PartialEq, Clone)]
struct Told(Entity, u64);

#[derive(Resource)]
struct Factor(u64);

#[derive(Component, Debug, PartialEq)]
struct Child(u64);

/// A system that does all that rows can do, in a plain way and on several threads.
macro_rules! twice {
    ($plain:ident $par:ident ($($option:tt)*) ($($params:tt)*) $(-> $Out:ty)? $body:block) => {
        #[system($($option)*)]
        fn $plain($($params)*) $(-> $Out)? $body

        #[system(par, $($option)*)]
        fn $par($($params)*) $(-> $Out)? $body
    };
}

twice! {
    all_plain all_par ()
    (number: &mut Number, step: Option<&Step>, has: Has<Kind<2>>, id: Entity, factor: Res<Factor>, mut commands: Commands, mut told: MessageWriter<Told>, rares: Lookup<&Rare>) {
        number.0 = number.0.wrapping_mul(factor.0) + rares.get(id).map_or(1, |rare| rare.0);
        if number.0.is_multiple_of(5) {
            commands.spawn(Child(number.0));
            told.write(Told(id, number.0));
        }
        match step {
            Some(step) if step.0 == 3 => commands.entity(id).remove::<Step>(),
            Some(step) if step.0 == 4 && has => commands.entity(id).insert(Child(step.0)),
            None if number.0.is_multiple_of(7) => {
                commands.entity(id).despawn();
                return;
            }
            _ => return,
        };
    }
}

twice! {
    rare_plain rare_par (with(Number), without(Kind<5>))
    (rare: &mut Rare, step: Mut<Step>, (mut commands, factor): (Commands, Option<Res<Factor>>)) {
        rare.0 += factor.as_ref().map_or(0, |factor| factor.0);
        if rare.0.is_multiple_of(3) {
            let mut step = step;
            step.0 += 1;
            commands.spawn(Child(rare.0));
        }
    }
}

#[derive(SystemParam)]
struct Out<'w, 's> {
    commands: Commands<'w, 's>,
    told: MessageWriter<'w, Told>,
    steps: Query<'w, 's, &'static Step>,
}

twice! {
    tagged_plain tagged_par (any(Tag, Rare))
    (id: Entity, number: Ref<Number>, mut out: Out) {
        if number.0.is_multiple_of(2) && out.steps.contains(id) {
            out.told.write(Told(id, number.0));
            out.commands.spawn(Child(number.0));
        }
    }
}

twice! {
    failing_plain failing_par ()
    (number: &Number, id: Entity, mut commands: Commands, mut told: MessageWriter<Told>) -> Result {
        told.write(Told(id, number.0));
        commands.spawn(Child(number.0));
        if id.index() % 1000 == 900 { Err(format!("row {}", id.index()).into()) } else { Ok(()) }
    }
}

/// All that there is: entities and what they have, in order, and the messages.
fn dump(world: &mut World) -> (Vec<String>, Vec<String>) {
    let mut all = world.query::<(Entity, Option<&Number>, Option<&Step>, Option<&Rare>, Option<&Child>)>();
    let entities = all.iter(world).map(|row| format!("{row:?}")).collect();
    let messages = world.resource_mut::<Messages<Told>>().drain().map(|told| format!("{told:?}")).collect();
    (entities, messages)
}

fn run<Out: SystemOutput, M>(
    threads: usize,
    system: impl IntoSystem<(), Out, M> + Copy,
) -> Vec<(Vec<String>, Vec<String>)> {
    let mut world = scene(11, threads.max(1));
    world.insert_resource(Factor(3));
    world.init_resource::<Messages<Told>>();
    let mut watcher = world.query_filtered::<Entity, Or<(Changed<Number>, Changed<Step>, Changed<Rare>)>>();
    let mut outcomes = Vec::new();
    for _ in 0..3 {
        world.clear_trackers();
        let error = match world.run_system_once(system).map(SystemOutput::into_result) {
            Ok(Ok(())) => String::new(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        world.check_invariants();
        let mut changed: Vec<Entity> = watcher.iter(&world).collect();
        changed.sort_unstable();
        outcomes.push((changed.iter().map(Entity::to_string).collect(), vec![error]));
        outcomes.push(dump(&mut world));
    }
    outcomes
}

#[track_caller]
fn same<Out: SystemOutput, M, N>(plain: impl IntoSystem<(), Out, M> + Copy, par: impl IntoSystem<(), Out, N> + Copy) {
    let expected = run(1, plain);
    for threads in THREADS {
        let found = run(threads, par);
        for (nth, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(found == expected, "{nth} with {threads} threads");
        }
    }
}

#[test]
fn rows_with_commands_messages_and_what_is_read() {
    same(all_plain, all_par);
}

#[test]
fn rows_with_sparse_components_and_tuples() {
    same(rare_plain, rare_par);
}

#[test]
fn rows_with_structs_of_parameters() {
    same(tagged_plain, tagged_par);
}

#[test]
fn the_first_row_that_fails_is_the_one_that_is_reported() {
    same(failing_plain, failing_par);
    assert_eq!(run(2, failing_par)[0].1, run(1, failing_plain)[0].1);
    assert!(run(2, failing_par)[0].1[0].contains("row 900"));
}

#[system(par)]
fn stumble(number: &mut Number, id: Entity) {
    assert_ne!(id.index(), 2222, "it stumbles");
    number.0 += 1;
}

#[test]
fn a_panic_names_the_system() {
    for threads in THREADS {
        let mut world = scene(11, threads);
        let mut schedule = Schedule::default();
        schedule.add_systems(stumble);
        let panic = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
        assert!(panic.is_err());
        world.check_invariants();
        assert!(world.run_system_once(all_par).is_err(), "there is no `Factor`");
    }
}

#[system(par, changed(Number))]
fn follow(number: &Number, id: Entity, mut told: MessageWriter<Told>) {
    told.write(Told(id, number.0));
}

#[test]
fn changed_rows_come_by_row_on_any_number_of_threads() {
    let tell = |threads| {
        let mut world = scene(11, threads);
        let mut schedule = Schedule::default();
        schedule.add_systems(follow);
        schedule.run(&mut world);
        let all: Vec<Entity> = world.query_filtered::<Entity, With<Number>>().iter(&world).collect();
        let changed: Vec<Entity> = all.iter().copied().filter(|id| id.index() % 41 == 7).collect();
        world.resource_mut::<Messages<Told>>().clear();
        for &id in changed.iter().rev() {
            world.get_mut::<Number>(id).expect("it has one").0 += 1;
        }
        schedule.run(&mut world);
        let told: Vec<Entity> = world.resource_mut::<Messages<Told>>().drain().map(|told| told.0).collect();
        assert_eq!(told, changed);
    };
    THREADS.into_iter().for_each(tell);
}

#[test]
fn for_each_with_gives_what_a_plain_loop_gives() {
    fn plain(
        mut all: Query<'_, '_, (Entity, &mut Number)>,
        mut commands: Commands<'_, '_>,
        mut told: MessageWriter<'_, Told>,
        factor: Res<'_, Factor>,
    ) {
        for (id, mut number) in &mut all {
            number.0 += factor.0;
            if number.0.is_multiple_of(3) {
                commands.spawn(Child(number.0));
                told.write(Told(id, number.0));
            }
        }
    }
    fn par(
        mut all: Query<'_, '_, (Entity, &mut Number)>,
        mut commands: Commands<'_, '_>,
        mut told: MessageWriter<'_, Told>,
        factor: Res<'_, Factor>,
    ) {
        commands.spawn_empty();
        told.write(Told(Entity::PLACEHOLDER, 0));
        let params = (commands.reborrow(), told.reborrow(), factor);
        all.par_iter_mut().batching_strategy(BatchingStrategy::fixed(50)).for_each_with(
            params,
            |(commands, told, factor), (id, mut number)| {
                number.0 += factor.0;
                if number.0.is_multiple_of(3) {
                    commands.spawn(Child(number.0));
                    let message = told.write(Told(id, number.0));
                    assert!(message.id >= 1 << 63, "none that a message has");
                }
            },
        );
    }
    let outcome = |threads, parallel| {
        let mut world = scene(2, threads);
        world.insert_resource(Factor(3));
        world.init_resource::<Messages<Told>>();
        if parallel {
            world.run_system_once(par).unwrap();
        } else {
            world.spawn_empty();
            world.write_message(Told(Entity::PLACEHOLDER, 0));
            world.run_system_once(plain).unwrap();
        }
        dump(&mut world)
    };
    let expected = outcome(1, false);
    for threads in THREADS {
        assert!(outcome(threads, true) == expected, "with {threads} threads");
    }
}

/// Threads that take turns in lanes do not always take tasks in order: now and then one takes an earlier task after it has gone on
/// to another table.
#[test]
fn each_row_has_its_turn_once_whatever_thread_takes_it() {
    #[derive(Component)]
    struct Row(usize);
    #[derive(Component)]
    struct Second;
    fn count(rows: Query<'_, '_, &Row>, commands: Commands<'_, '_>) {
        let turns: [AtomicUsize; 60] = [const { AtomicUsize::new(0) }; 60];
        rows.par_iter().batching_strategy(BatchingStrategy::fixed(1)).for_each_with(commands, |commands, row| {
            turns[row.0].fetch_add(1, Ordering::Relaxed);
            commands.entity(Entity::PLACEHOLDER);
            std::thread::yield_now();
        });
        assert_eq!(turns.map(AtomicUsize::into_inner), [1; 60]);
    }
    let mut world = World::new();
    use_threads(&mut world, 4);
    world.spawn_batch((0..20).map(|row| (Row(row), Second)));
    world.spawn_batch((20..60).map(Row));
    for _ in 0..2_000 {
        world.run_system_cached(count).unwrap();
    }
}

#[test]
fn systems_that_run_on_threads_of_a_pool_may_have_loops() {
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let mut world = scene(5, 1);
    world.insert_resource(Factor(1));
    let expected = world.query::<&Number>().iter(&world).count();
    for own in [true, false] {
        if own {
            world.set_thread_pool(Arc::clone(&pool))
        } else {
            use_threads(&mut world, 3)
        }
        let count = AtomicUsize::new(0);
        pool.install(|| {
            let mut query = world.query::<&Number>();
            query.par_iter(&world).for_each(|_| _ = count.fetch_add(1, Ordering::Relaxed));
            world.run_system_once(all_par).unwrap();
        });
        assert_eq!(count.into_inner(), expected);
        world = scene(5, 1);
        world.insert_resource(Factor(1));
    }
}

#[test]
fn a_function_with_par_can_be_called() {
    let mut number = Number(1);
    stumble(&mut number, Entity::PLACEHOLDER);
    assert_eq!(number.0, 2);
}
