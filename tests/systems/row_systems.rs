//! `#[system]`: row systems and world systems as a user writes them.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct Position {
    x: f32,
    y: f32,
}
#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct Velocity {
    x: f32,
    y: f32,
}
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Stunned;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Boost(f32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Ghost;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Count(u32);
#[derive(Resource, Debug, PartialEq)]
struct Dt(f32);
#[derive(Resource, Debug, PartialEq, Default)]
struct Seen(Vec<u32>);

fn run<M>(world: &mut World, systems: impl IntoScheduleConfigs<ScheduleSystem, M>) {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems);
    schedule.run(world);
    world.check_invariants();
}

fn counts(world: &mut World) -> Vec<u32> {
    let mut counts: Vec<u32> = world.query::<&Count>().iter(world).map(|count| count.0).collect();
    counts.sort_unstable();
    counts
}

#[system(without(Stunned))]
fn movement(position: &mut Position, velocity: &Velocity, dt: Res<Dt>) {
    position.x += velocity.x * dt.0;
    position.y += velocity.y * dt.0;
}

#[test]
fn a_row_system_visits_each_matching_row_once() {
    let mut world = World::new();
    world.insert_resource(Dt(0.5));
    let still = world.spawn(Position::default()).id();
    let moving = world.spawn((Position::default(), Velocity { x: 2.0, y: 4.0 })).id();
    let ghost = world.spawn((Ghost, Position::default(), Velocity { x: 2.0, y: 4.0 })).id();
    let stunned = world.spawn((Position::default(), Velocity { x: 2.0, y: 4.0 }, Stunned)).id();
    run(&mut world, movement);
    let moved = Position { x: 1.0, y: 2.0 };
    assert_eq!(world.get::<Position>(moving), Some(&moved));
    assert_eq!(world.get::<Position>(ghost), Some(&moved));
    assert_eq!(world.get::<Position>(still), Some(&Position::default()));
    assert_eq!(world.get::<Position>(stunned), Some(&Position::default()));
}

#[test]
fn a_system_is_called_by_hand_like_the_function_it_was() {
    let mut position = Position::default();
    movement(&mut position, &Velocity { x: 1.0, y: 2.0 }, Res::from(&Dt(2.0)));
    assert_eq!(position, Position { x: 2.0, y: 4.0 });
}

#[system]
fn census(all: Query<(Entity, &Position), With<Velocity>>, mut seen: ResMut<Seen>) -> Result {
    seen.0.push(u32::try_from(all.count())?);
    Ok(())
}

#[test]
fn a_world_system_runs_once() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    run(&mut world, (census, census).chain());
    world.spawn_batch((0..3).map(|_| (Position::default(), Velocity::default())));
    run(&mut world, census);
    assert_eq!(world.resource::<Seen>().0, [0, 0, 3]);
}

#[system]
fn every_kind(
    entity: Entity,
    mut count: Mut<Count>,
    position: &Position,
    velocity: Option<&mut Velocity>,
    boost: Option<&Boost>,
    stunned: Has<Stunned>,
    ghost: Has<Ghost>,
    mut seen: ResMut<Seen>,
) {
    count.0 += u32::from(stunned) + 10 * u32::from(ghost);
    if let Some(velocity) = velocity {
        velocity.x += position.x + boost.map_or(0.0, |boost| boost.0);
        count.0 += 100;
    }
    if boost.is_some() {
        count.0 += 1000;
    }
    seen.0.push(entity.index());
}

#[test]
fn every_kind_of_row_parameter_works() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let at = Position { x: 1.0, y: 0.0 };
    world.spawn((Count(0), at));
    world.spawn((Count(0), at, Stunned, Ghost));
    let driven = world.spawn((Count(0), at, Velocity::default(), Boost(2.0))).id();
    world.spawn((Count(0), Velocity::default()));
    run(&mut world, every_kind);
    assert_eq!(counts(&mut world), [0, 0, 11, 1100]);
    assert_eq!(world.get::<Velocity>(driven), Some(&Velocity { x: 3.0, y: 0.0 }));
    assert_eq!(world.resource::<Seen>().0.len(), 3);
}

#[system(with(Ghost, Position))]
fn with_two(count: &mut Count) {
    count.0 += 1;
}
#[system(without(Ghost, Position))]
fn without_two(count: &mut Count) {
    count.0 += 10;
}
#[system(any(Ghost, Stunned))]
fn any_of_two(count: &mut Count) {
    count.0 += 100;
}
#[system(with(Ghost), without(Stunned))]
fn both_options(count: &mut Count) {
    count.0 += 1000;
}

#[test]
fn options_filter_rows() {
    let mut world = World::new();
    world.spawn(Count(0));
    world.spawn((Count(0), Ghost));
    world.spawn((Count(0), Ghost, Position::default()));
    world.spawn((Count(0), Ghost, Position::default(), Stunned));
    world.spawn((Count(0), Stunned));
    run(&mut world, (with_two, without_two, any_of_two, both_options));
    assert_eq!(counts(&mut world), [10, 101, 110, 1100, 1101]);
}

#[system]
fn sparse_rows(boost: &mut Boost, count: &Count) {
    boost.0 += count.0 as f32;
}

#[test]
fn sparse_components_are_row_parameters() {
    let mut world = World::new();
    let entity = world.spawn((Boost(1.0), Count(2))).id();
    let other = world.spawn((Boost(1.0), Count(3), Ghost)).id();
    world.spawn(Count(4));
    run(&mut world, sparse_rows);
    assert_eq!(world.get::<Boost>(entity), Some(&Boost(3.0)));
    assert_eq!(world.get::<Boost>(other), Some(&Boost(4.0)));
}

#[system]
fn failing(count: &Count, mut seen: ResMut<Seen>) -> Result {
    if count.0 == 3 {
        return Err("three is forbidden".into());
    }
    seen.0.push(count.0);
    Ok(())
}

#[test]
fn the_first_error_ends_a_row_system_and_names_it() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    world.spawn_batch((0..6).map(Count));
    let mut schedule = Schedule::default();
    schedule.add_systems(failing);
    let text = schedule.try_run(&mut world).expect_err("a three is there").to_string();
    assert!(text.contains("failing") && text.contains("three is forbidden"), "{text}");
    assert_eq!(world.resource::<Seen>().0, [0, 1, 2]);
}

#[system]
fn spawner(count: &Count, entity: Entity, mut commands: Commands) {
    if count.0 == 0 {
        commands.entity(entity).despawn();
    } else {
        commands.spawn((Count(count.0 - 1), Ghost));
    }
}

#[test]
fn row_systems_queue_commands() {
    let mut world = World::new();
    world.spawn(Count(2));
    run(&mut world, (spawner, spawner, spawner).chain());
    assert_eq!(counts(&mut world), [0, 0, 1, 1, 1, 2]);
}

#[system]
fn local_state(count: &mut Count, mut next: Local<u32>) {
    count.0 = *next;
    *next += 1;
}

#[test]
fn a_local_is_shared_by_the_rows_and_the_runs() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(|_| Count(99)));
    let mut schedule = Schedule::default();
    schedule.add_systems(local_state);
    schedule.run(&mut world);
    assert_eq!(counts(&mut world), [0, 1, 2]);
    schedule.run(&mut world);
    assert_eq!(counts(&mut world), [3, 4, 5]);
}

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Wrap<T: Send + Sync + 'static>(T);

#[system]
fn increment<T>(value: &mut Wrap<T>)
where
    T: Copy + std::ops::AddAssign + From<u8> + Send + Sync + 'static,
{
    value.0 += T::from(1);
}

#[test]
fn a_generic_system_runs_for_the_type_it_is_given() {
    let mut world = World::new();
    let small = world.spawn(Wrap(1_u8)).id();
    let large = world.spawn(Wrap(1_u64)).id();
    run(&mut world, increment::<u8>);
    assert_eq!((world.get(small), world.get(large)), (Some(&Wrap(2_u8)), Some(&Wrap(1_u64))));
    run(&mut world, (increment::<u64>, increment::<u64>));
    assert_eq!((world.get(small), world.get(large)), (Some(&Wrap(2_u8)), Some(&Wrap(3_u64))));
}

#[system]
fn patterns(&Velocity { x, y }: &Velocity, Position { x: px, .. }: &mut Position, _: &Count, Dt3(dt): &Dt3) {
    *px = x + y + dt;
}

#[derive(Component)]
struct Dt3(f32);

#[test]
fn parameters_may_be_patterns() {
    let mut world = World::new();
    let entity = world.spawn((Velocity { x: 1.0, y: 2.0 }, Position::default(), Count(0), Dt3(4.0))).id();
    run(&mut world, patterns);
    assert_eq!(world.get::<Position>(entity), Some(&Position { x: 7.0, y: 0.0 }));
}

#[system]
fn control_flow(count: &mut Count) {
    let mut n = count.0;
    if n == 0 {
        return;
    }
    'outer: loop {
        for _ in 0..3 {
            n += 1;
            if n.is_multiple_of(5) {
                break 'outer;
            }
        }
    }
    count.0 = n;
}

#[test]
fn return_and_labels_stay_inside_the_row() {
    let mut world = World::new();
    world.spawn_batch([0, 1, 6, 11].map(Count));
    run(&mut world, control_flow);
    assert_eq!(counts(&mut world), [0, 5, 10, 15]);
}

mod physics {
    use super::*;
    #[system]
    pub(super) fn step(count: &mut Count) {
        count.0 += 1;
    }
}
mod sound {
    use super::*;
    #[system]
    pub(super) fn step(count: &mut Count) {
        count.0 += 10;
    }
}

#[test]
fn systems_of_one_name_in_two_modules_are_two_systems() {
    let mut world = World::new();
    world.spawn(Count(0));
    run(&mut world, (physics::step, sound::step, physics::step));
    assert_eq!(counts(&mut world), [12]);
}

#[test]
fn a_system_inside_a_function_body_works() {
    #[system]
    fn local(count: &mut Count, dt: Option<Res<super_dt::Step>>) {
        count.0 += dt.map_or(1, |step| step.0);
    }
    mod super_dt {
        use strata_ecs::prelude::*;
        #[derive(Resource)]
        pub(super) struct Step(pub(super) u32);
    }
    let mut world = World::new();
    world.spawn(Count(0));
    run(&mut world, local);
    world.insert_resource(super_dt::Step(5));
    run(&mut world, local);
    assert_eq!(counts(&mut world), [6]);
}

macro_rules! adder {
    ($name:ident, $component:ty, $amount:expr) => {
        #[system]
        fn $name(value: &mut $component) {
            value.0 += $amount;
        }
    };
}
adder!(add_seven, Count, 7);

#[test]
fn a_system_emitted_by_macro_rules_works() {
    let mut world = World::new();
    world.spawn(Count(0));
    run(&mut world, add_seven);
    assert_eq!(counts(&mut world), [7]);
}

#[system]
fn twenty_rows(
    c0: &mut N<0>,
    c1: &N<1>,
    c2: &N<2>,
    c3: &N<3>,
    c4: &N<4>,
    c5: &N<5>,
    c6: &N<6>,
    c7: &N<7>,
    c8: &N<8>,
    c9: &N<9>,
    c10: &N<10>,
    c11: &N<11>,
    c12: &N<12>,
    c13: &N<13>,
    c14: &N<14>,
    c15: &N<15>,
    c16: &N<16>,
    c17: &N<17>,
    c18: &N<18>,
    c19: &N<19>,
) {
    c0.0 = c1.0
        + c2.0
        + c3.0
        + c4.0
        + c5.0
        + c6.0
        + c7.0
        + c8.0
        + c9.0
        + c10.0
        + c11.0
        + c12.0
        + c13.0
        + c14.0
        + c15.0
        + c16.0
        + c17.0
        + c18.0
        + c19.0;
}

#[derive(Component, Debug, PartialEq)]
struct N<const I: usize>(usize);

#[test]
fn rows_have_no_arity_limit_that_a_user_reaches() {
    macro_rules! all {
        ($world:ident $($i:literal)*) => {{ let mut entity = $world.spawn_empty(); $( entity.insert(N::<$i>($i)); )* entity.id() }};
    }
    let mut world = World::new();
    let entity = all!(world 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    run(&mut world, twenty_rows);
    assert_eq!(world.get::<N<0>>(entity), Some(&N((0..20).sum())));
}

#[test]
fn a_row_system_runs_once_by_hand() {
    let mut world = World::new();
    world.insert_resource(Dt(1.0));
    let entity = world.spawn((Position::default(), Velocity { x: 1.0, y: 1.0 })).id();
    world.run_system_once(movement).expect("it runs");
    assert_eq!(world.get::<Position>(entity), Some(&Position { x: 1.0, y: 1.0 }));
}
