//! Runs one operation a given number of times, for `benches/instructions.sh`, which counts the instructions.
//!
//! ```text
//! instructions                  # lists the operations: a count and a divisor of each, then its name
//! instructions NAME COUNT      # runs the operation `NAME` `COUNT` times
//! ```
//!
//! The setup of an operation does not depend on the count, and nothing is dropped at the end. So the difference between a run
//! with `2 * COUNT` and a run with `COUNT` is the cost of `COUNT` operations without the setup.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;

use strata_ecs::prelude::*;

/// The count of the operations on one entity. They run at most twice as often.
const EACH: usize = 8192;
/// The entities of the worlds in which one entity is changed at a time.
const MOST: usize = 2 * EACH;
/// The rows of a loop over many rows.
const ROWS: usize = 10_000;
/// The rows of a loop over so few rows that its kernel is not chosen by timing.
const FEW_ROWS: usize = 500;
/// The entities of one call of `insert_batch`.
const BATCH: usize = 1000;
/// The commands that a queue holds when it is applied.
const COMMANDS: usize = 64;

/// One operation.
struct Operation {
    name: &'static str,
    /// The count: the operation runs this often, and twice as often.
    count: usize,
    /// The units of work in one run, such as rows. The figure is given for one unit.
    units: usize,
    /// Builds a world and runs the operation in it as often as asked.
    run: fn(usize),
}

const fn each(name: &'static str, run: fn(usize)) -> Operation {
    Operation { name, count: EACH, units: 1, run }
}

const OPERATIONS: &[Operation] = &[
    each("spawn (A, B)", |count| spawn(World::new(), count, both())),
    each("spawn (A, B), recycled ids", |count| spawn(emptied(both()), count, both())),
    each("spawn (A, Text)", |count| spawn(World::new(), count, with_text())),
    each("spawn (A, ChildOf)", spawn_children),
    each("insert C, moves", |count| insert_moving(count, one(C(3.0)))),
    each("insert Text, moves", |count| insert_moving(count, Text::default)),
    each("insert C, in place", |count| insert(filled(MOST, one((A(1.0), C(2.0)))), count, one(C(3.0)))),
    each("insert Text, in place", |count| insert(filled(MOST, with_text()), count, Text::default)),
    each("remove C", remove::<C>),
    each("remove Text", remove::<Text>),
    each("despawn (A, B)", |count| despawn(filled(MOST, both()), count)),
    each("despawn (A, Text)", |count| despawn(filled(MOST, with_text()), count)),
    each("insert Sparse", |count| insert_moving(count, one(Sparse(3.0)))),
    each("insert Sparse, in place", |count| insert(filled(MOST, one((A(1.0), Sparse(2.0)))), count, one(Sparse(3.0)))),
    each("remove Sparse", remove::<Sparse>),
    each("command insert C, moves", |count| command_insert(count, true)),
    each("command insert C, in place", |count| command_insert(count, false)),
    each("spawn A that requires B and C", |count| spawn(World::new(), count, one(Needs(1.0)))),
    each("insert a component that requires B and C", |count| insert_moving(count, one(Needs(1.0)))),
    each("insert ChildOf, another parent", reparent),
    each("despawn a child", |count| despawn_family(count, false)),
    each("despawn a parent of two", |count| despawn_family(count, true)),
    each("despawn (A, B), values read", despawn_recorded),
    each("despawn (A, Sparse)", |count| despawn(filled(MOST, one((A(1.0), Sparse(2.0)))), count)),
    Operation { name: "insert_batch of C, per entity", count: 8, units: BATCH, run: insert_batch },
    Operation {
        name: "row system, simd = off, per row",
        count: 32,
        units: ROWS,
        run: |count| rows(count, ROWS, drift_scalar),
    },
    Operation {
        name: "row system of 500 rows, per run",
        count: 512,
        units: 1,
        run: |count| rows(count, FEW_ROWS, drift),
    },
    Operation { name: "query, per row", count: 32, units: ROWS, run: query },
    Operation { name: "query of 8 columns, per row", count: 32, units: ROWS, run: query_many },
    each("Query::get", |count| {
        get(count, |world, state, ids| {
            let query = state.query(world);
            ids.iter().fold(0.0, |sum, &id| query.get(id).map_or(sum, |a| sum + a.0))
        })
    }),
    each("Query::get_mut", |count| {
        get(count, |world, state, ids| {
            let mut query = state.query_mut(world);
            ids.iter().fold(0.0, |sum, &id| query.get_mut(id).map_or(sum, |mut a| scale(&mut a, sum)))
        })
    }),
    each("QueryState::get", |count| {
        get(count, |world, state, ids| ids.iter().fold(0.0, |sum, &id| state.get(world, id).map_or(sum, |a| sum + a.0)))
    }),
    each("QueryState::get_mut", |count| {
        get(count, |world, state, ids| {
            ids.iter().fold(0.0, |sum, &id| state.get_mut(world, id).map_or(sum, |mut a| scale(&mut a, sum)))
        })
    }),
    Operation { name: "query, 1 % Changed, per row", count: 32, units: ROWS, run: query_changed },
    each("trigger, one observer", trigger),
    each("insert C in place, one observer", insert_observed),
    Operation { name: "row observer of an insertion, per row", count: 16, units: BATCH, run: insert_row_observed },
    Operation {
        name: "commands that despawn and spawn, per entity",
        count: 16,
        units: BATCH,
        run: replace_by_commands,
    },
    Operation { name: "Schedule::run, one empty system", count: 1024, units: 1, run: run_schedule },
];

/// A component of plain data.
#[derive(Clone, Copy, Component)]
struct A(f32);

/// A component of plain data.
#[derive(Clone, Copy, Component)]
struct B(f64);

/// A component of plain data that entities gain and lose.
#[derive(Clone, Copy, Component)]
struct C(f32);

/// A component that is dropped by a function, which does nothing for an empty string.
#[derive(Component, Default)]
struct Text(String);

/// A component in sparse storage.
#[derive(Clone, Copy, Component)]
#[component(storage = "sparse")]
struct Sparse(f32);

/// A component that requires others.
#[derive(Clone, Copy, Component)]
#[require(B(1.0), C(2.0))]
struct Needs(f32);

#[derive(Event)]
struct Beat {
    damage: u64,
}

#[derive(Resource, Default)]
struct Total(u64);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, count] = arguments.as_slice() else {
        for operation in OPERATIONS {
            println!("{} {} {}", operation.count, operation.units, operation.name);
        }
        return ExitCode::SUCCESS;
    };
    let operation = OPERATIONS.iter().find(|operation| operation.name == name);
    match (operation, count.parse()) {
        (Some(operation), Ok(count)) if count <= 2 * operation.count => {
            (operation.run)(count);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("expected the name of an operation and at most twice its count: got {name:?} and {count:?}");
            ExitCode::FAILURE
        }
    }
}

/// Returns copies of a value that the compiler does not know. It can keep them in registers.
fn one<T: Copy>(value: T) -> impl Fn() -> T {
    let value = black_box(value);
    move || value
}

fn both() -> impl Fn() -> (A, B) {
    one((A(1.0), B(2.0)))
}

fn with_text() -> impl Fn() -> (A, Text) {
    let a = one(A(1.0));
    move || (a(), Text::default())
}

/// A world of alike entities, which is never dropped.
struct Filled {
    world: World,
    ids: Vec<Entity>,
}

fn filled<B: Bundle>(count: usize, bundle: impl Fn() -> B) -> Filled {
    let mut world = World::new();
    let ids = world.spawn_batch((0..count).map(|_| bundle())).collect();
    Filled { world, ids }
}

/// A world with room for [`MOST`] entities and ids of that many despawned ones.
fn emptied<B: Bundle>(bundle: impl Fn() -> B) -> World {
    let Filled { mut world, ids } = filled(MOST, bundle);
    for id in ids {
        world.despawn(id);
    }
    world
}

fn spawn<B: Bundle>(mut world: World, count: usize, bundle: impl Fn() -> B) {
    for _ in 0..count {
        world.spawn(bundle());
    }
    std::mem::forget(black_box(world));
}

/// Each child gets a parent of its own, which has another child already: lists of different lengths cost differently.
fn spawn_children(count: usize) {
    let a = one(A(1.0));
    let Filled { mut world, ids } = filled(MOST, &a);
    for &parent in &ids {
        world.spawn((a(), ChildOf(parent)));
    }
    for &parent in &ids[..count] {
        world.spawn((a(), ChildOf(parent)));
    }
    std::mem::forget(black_box(world));
}

/// Parents with two children each.
fn families() -> (World, Vec<[Entity; 3]>) {
    let a = one(A(1.0));
    let Filled { mut world, ids } = filled(MOST, &a);
    let family = |parent: Entity| [(); 2].map(|()| world.spawn((a(), ChildOf(parent))).id());
    let children: Vec<[Entity; 2]> = ids.iter().copied().map(family).collect();
    let families = ids.iter().zip(children).map(|(&parent, [first, second])| [parent, first, second]).collect();
    (world, families)
}

/// One child of each family moves to the next one.
fn reparent(count: usize) {
    let (mut world, families) = families();
    for pair in families[..=count.min(MOST - 1)].windows(2) {
        world.entity_mut(pair[0][1]).insert(ChildOf(pair[1][0]));
    }
    std::mem::forget(black_box(world));
}

fn despawn_family(count: usize, whole: bool) {
    let (mut world, families) = families();
    for [parent, child, _] in &families[..count] {
        world.despawn(if whole { *parent } else { *child });
    }
    std::mem::forget(black_box(world));
}

/// Despawns entities while a reader of removed values exists.
fn despawn_recorded(count: usize) {
    let Filled { mut world, ids } = filled(MOST, both());
    let reader = world.removed_value_reader::<A>();
    for &id in &ids[..count] {
        world.despawn(id);
    }
    std::mem::forget(black_box((world, reader)));
}

fn insert<B: Bundle>(filled: Filled, count: usize, bundle: impl Fn() -> B) {
    let Filled { mut world, ids } = filled;
    for &id in &ids[..count] {
        world.entity_mut(id).insert(bundle());
    }
    std::mem::forget(black_box(world));
}

/// Entities with `A` gain a component. All of them had it before, so that nothing has to grow.
fn insert_moving<T: Component>(count: usize, component: impl Fn() -> T) {
    let mut filled = filled(MOST, one(A(1.0)));
    for &id in &filled.ids {
        filled.world.entity_mut(id).insert(component());
    }
    for &id in &filled.ids {
        filled.world.entity_mut(id).remove::<T>();
    }
    insert(filled, count, component);
}

trait Sample: Component {
    fn sample() -> Self;
}

impl Sample for C {
    fn sample() -> Self {
        Self(3.0)
    }
}

impl Sample for Text {
    fn sample() -> Self {
        Self::default()
    }
}

impl Sample for Sparse {
    fn sample() -> Self {
        Self(3.0)
    }
}

/// Entities with `A` lose a component. None of them had it before, so that nothing has to grow.
fn remove<T: Sample>(count: usize) {
    let Filled { mut world, ids } = filled(MOST, one(A(1.0)));
    for &id in &ids {
        world.entity_mut(id).insert(T::sample());
    }
    for &id in &ids[..count] {
        world.entity_mut(id).remove::<T>();
    }
    std::mem::forget(black_box(world));
}

fn despawn(filled: Filled, count: usize) {
    let Filled { mut world, ids } = filled;
    for &id in &ids[..count] {
        world.despawn(id);
    }
    std::mem::forget(black_box(world));
}

/// Records commands for [`COMMANDS`] entities in a queue, applies it, and so on.
fn command_insert(count: usize, moves: bool) {
    let Filled { mut world, ids } = filled(MOST, one(A(1.0)));
    for &id in &ids {
        world.entity_mut(id).insert(C(1.0));
    }
    if moves {
        for &id in &ids {
            world.entity_mut(id).remove::<C>();
        }
    }
    let c = one(C(3.0));
    let mut queue = CommandQueue::default();
    for ids in ids[..count].chunks(COMMANDS) {
        let mut commands = Commands::new(&mut queue, &world);
        for &id in ids {
            commands.entity(id).insert(c());
        }
        queue.apply(&mut world);
    }
    std::mem::forget(black_box(world));
}

/// Each batch makes [`BATCH`] entities move.
fn insert_batch(count: usize) {
    let Filled { mut world, ids } = filled(MOST, one(A(1.0)));
    world.insert_batch(ids.iter().map(|&id| (id, C(1.0))));
    for &id in &ids {
        world.entity_mut(id).remove::<C>();
    }
    let c = one(C(3.0));
    for ids in ids.chunks(BATCH).take(count) {
        world.insert_batch(ids.iter().map(|&id| (id, c())));
    }
    std::mem::forget(black_box(world));
}

/// The kernel is not chosen by timing, since there is one only.
#[system(simd = off)]
fn drift_scalar(a: &mut A, b: &B) {
    a.0 += b.0 as f32;
}

#[system]
fn drift(a: &mut A, b: &B) {
    a.0 += b.0 as f32;
}

fn rows<M>(count: usize, rows: usize, system: impl IntoSystem<(), (), M>) {
    let Filled { mut world, .. } = filled(rows, both());
    let id = world.register_system(system);
    world.run_system(id).expect("the system runs");
    for _ in 0..count {
        world.run_system(id).expect("the system runs");
    }
    std::mem::forget(black_box(world));
}

fn query(count: usize) {
    let Filled { mut world, .. } = filled(ROWS, both());
    let mut query = world.query::<(&mut A, &B)>();
    for _ in 0..count {
        for (mut a, b) in query.iter_mut(black_box(&mut world)) {
            a.0 += b.0 as f32;
        }
    }
    std::mem::forget(black_box(world));
}

/// Accesses entities by id. A function of its own, so that the world and the query are unknown to it.
fn get(count: usize, access: fn(&mut World, &mut QueryState<&mut A>, &[Entity]) -> f32) {
    let Filled { mut world, ids } = filled(MOST, both());
    let mut state = world.query::<&mut A>();
    black_box(black_box(access)(&mut world, &mut state, &ids[..count]));
    std::mem::forget(black_box(world));
}

/// Writes a component.
#[inline(always)]
fn scale(a: &mut A, sum: f32) -> f32 {
    a.0 *= 2.0;
    sum + 1.0
}

/// A component of plain data, one of eight.
#[derive(Clone, Copy, Component)]
struct Part<const NTH: usize>(f32);

fn query_many(count: usize) {
    let parts = (Part::<0>(1.0), Part::<1>(1.0), Part::<2>(1.0), Part::<3>(1.0));
    let others = (Part::<4>(1.0), Part::<5>(1.0), Part::<6>(1.0), Part::<7>(1.0));
    let Filled { mut world, .. } = filled(ROWS, one((parts, others)));
    let mut query = world
        .query::<((&mut Part<0>, &mut Part<1>, &mut Part<2>, &mut Part<3>), (&Part<4>, &Part<5>, &Part<6>, &Part<7>))>(
        );
    for _ in 0..count {
        for ((mut a, mut b, mut c, mut d), (e, f, g, h)) in query.iter_mut(black_box(&mut world)) {
            a.0 += e.0;
            b.0 += f.0;
            c.0 += g.0;
            d.0 += h.0;
        }
    }
    std::mem::forget(black_box(world));
}

/// Each hundredth entity has changed, for all runs of the query.
fn query_changed(count: usize) {
    let Filled { mut world, ids } = filled(ROWS, both());
    // Change ticks are kept from here on: a query asks for them.
    let mut query = world.query_filtered::<&A, Changed<A>>();
    assert_eq!(query.iter(&world).count(), ROWS);
    world.clear_trackers();
    for &id in ids.iter().step_by(100) {
        world.get_mut::<A>(id).expect("the entity has it").0 = 2.0;
    }
    for _ in 0..count {
        let mut sum = 0.0;
        for a in query.iter(black_box(&world)) {
            sum += a.0;
        }
        assert_eq!(sum, (ROWS / 50) as f32);
    }
    std::mem::forget(black_box(world));
}

fn trigger(count: usize) {
    let mut world = World::new();
    world.init_resource::<Total>();
    world.add_observer(|beat: On<'_, '_, Beat>, mut total: ResMut<'_, Total>| total.0 += beat.damage);
    for _ in 0..count {
        world.trigger(black_box(Beat { damage: 1 }));
    }
    assert_eq!(world.resource::<Total>().0, count as u64);
    std::mem::forget(black_box(world));
}

fn insert_observed(count: usize) {
    let mut filled = filled(MOST, one((A(1.0), C(2.0))));
    filled.world.init_resource::<Total>();
    filled.world.add_observer(|_: On<'_, '_, Insert<C>>, mut total: ResMut<'_, Total>| total.0 += 1);
    insert(filled, count, one(C(3.0)));
}

#[observer]
fn sum_inserted(_: On<Insert<C>>, c: &C, mut total: ResMut<Total>) {
    total.0 += c.0 as u64;
}

/// Each time many entities get a component at once.
fn insert_row_observed(count: usize) {
    let Filled { mut world, .. } = filled(BATCH, one((A(1.0), C(2.0))));
    world.init_resource::<Total>();
    world.add_observer(sum_inserted);
    for _ in 0..count {
        assert_eq!(world.all::<With<A>>().insert(black_box(C(3.0))), BATCH);
    }
    assert_eq!(world.resource::<Total>().0, 3 * (count * BATCH) as u64);
    std::mem::forget(black_box(world));
}

/// Each time all entities are despawned, and as many spawned.
fn replace_by_commands(count: usize) {
    fn bury(rows: Query<'_, '_, Entity, With<A>>, mut commands: Commands<'_, '_>) {
        rows.iter().for_each(|id| commands.entity(id).despawn());
    }
    fn spawn(mut commands: Commands<'_, '_>) {
        commands.spawn_batch((0..BATCH).map(|_| (A(1.0), B(2.0))));
    }
    let Filled { mut world, .. } = filled(BATCH, both());
    let mut schedule = Schedule::default();
    schedule.add_systems((bury, spawn).chain());
    schedule.run(&mut world);
    for _ in 0..count {
        schedule.run(&mut world);
    }
    assert_eq!(world.query_filtered::<(), With<A>>().iter(&world).count(), BATCH);
    std::mem::forget(black_box((world, schedule)));
}

fn run_schedule(count: usize) {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(|| {
        black_box(());
    });
    schedule.run(&mut world);
    for _ in 0..count {
        schedule.run(&mut world);
    }
    std::mem::forget(black_box((world, schedule)));
}
