//! The queue itself: where values lie, and that each is carried out or dropped once.

use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::*;

macro_rules! aligned {
    ($($name:ident $align:literal)*) => { $(
        #[derive(Component)]
        #[repr(align($align))]
        struct $name(u8, Token);

        impl $name {
            fn new(value: u8) -> Self {
                Self(value, Token::new())
            }
        }
    )* };
}

aligned!(To16 16 To64 64 To128 128 To4096 4096);

#[derive(Component)]
struct Byte(u8);

/// A mebibyte, followed by a token.
#[derive(Component)]
struct Large([u8; 1 << 20], Token);

fn boxed_large(value: u8) -> Box<Large> {
    Box::new(Large([value; 1 << 20], Token::new()))
}

/// Records consecutive commands with values of every alignment. Each spawns an entity or inserts into the last one.
fn record_aligned(commands: &mut Commands<'_, '_>, value: u8) -> Entity {
    let entity = commands.spawn((Byte(value), To16::new(value))).id();
    commands.entity(entity).insert(To64::new(value)).insert_if_new(To128::new(value));
    commands.entity(entity).insert((To4096::new(value), Unit)).insert(Byte(value));
    let line = To64::new(value);
    commands.queue(move |world: &mut World| {
        assert_eq!((line.0, std::ptr::from_ref(&line).addr() % 64), (value, 0));
        assert!(world.contains(entity));
    });
    entity
}

fn assert_aligned(world: &World, entity: Entity, value: u8) {
    macro_rules! check {
        ($($name:ident $align:literal)*) => { $(
            let found = world.get::<$name>(entity).expect("it was added");
            assert_eq!((found.0, std::ptr::from_ref(found).addr() % $align), (value, 0));
        )* };
    }
    assert_eq!(world.get::<Byte>(entity).map(|byte| byte.0), Some(value));
    check!(To16 16 To64 64 To128 128 To4096 4096);
    assert!(world.entity(entity).contains::<Unit>());
}

#[test]
fn values_of_every_alignment_arrive_where_they_belong() {
    drops::reset();
    let mut world = World::new();
    let entities: Vec<Entity> = (0..50).map(|value| record_aligned(&mut world.commands(), value)).collect();
    world.flush();
    world.check_invariants();
    (0..).zip(&entities).for_each(|(value, entity)| assert_aligned(&world, *entity, value));
    assert_eq!(drops::alive(), 4 * 50);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn queues_put_together_keep_the_order_and_the_alignment_of_their_values() {
    drops::reset();
    let mut world = World::new();
    let mut all = CommandQueue::default();
    let mut entities = Vec::new();
    for value in 0..20 {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        // The first command determines the alignment of the others in memory.
        (0..value % 7).for_each(|_| {
            commands.spawn(Byte(0));
        });
        entities.push(record_aligned(&mut commands, value));
        all.append(&mut queue);
        assert!(queue.is_empty() && !all.is_empty());
        Commands::new(&mut queue, &world).spawn(Unit);
        all.append(&mut queue);
        all.append(&mut CommandQueue::default());
    }
    all.apply(&mut world);
    world.check_invariants();
    (0..).zip(&entities).for_each(|(value, entity)| assert_aligned(&world, *entity, value));
    assert_eq!(drops::alive(), 4 * 20);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_group_that_is_split_between_two_queues_is_carried_out_in_order() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn(a(1)).id();
    let [mut first, mut second] = [CommandQueue::default(), CommandQueue::default()];
    Commands::new(&mut first, &world).entity(entity).insert((a(2), b(2))).remove::<A>();
    Commands::new(&mut second, &world).entity(entity).insert_if_new((a(3), b(3))).insert(s(3));
    first.append(&mut second);
    drop(second);
    first.apply(&mut world);
    assert_eq!(row(&world, entity).expect("it lives").values, [Some(3), Some(2), Some(3)]);
    assert_eq!(drops::alive(), 3);
    drop(world);
    drops::assert_all_dropped_once();
}

/// Runs a test where a few mebibytes fit on the stack, as the test itself needs them without optimisation.
fn with_large_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test).expect("a thread");
    thread.join().expect("the test passes");
}

#[test]
fn components_of_a_mebibyte_are_carried_and_dropped_once() {
    with_large_stack(carry_mebibytes);
}

fn carry_mebibytes() {
    drops::reset();
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let kept = commands.spawn(*boxed_large(1)).id();
    commands.entity(kept).insert(*boxed_large(2)).insert_if_new(*boxed_large(3)).insert(Byte(9));
    let gone = commands.spawn(*boxed_large(4)).id();
    commands.entity(gone).remove::<Large>();
    queue.apply(&mut world);
    world.check_invariants();
    assert!(world.get::<Large>(kept).expect("it was added").0.iter().all(|byte| *byte == 2));
    assert!(world.get::<Large>(gone).is_none());
    assert_eq!((drops::alive(), drops::dropped()), (1, 3));
    Commands::new(&mut queue, &world).entity(kept).insert(*boxed_large(5));
    drop(queue);
    assert_eq!(drops::dropped(), 4);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_queue_that_is_never_applied_drops_its_values_once() {
    drops::reset();
    let mut world = World::new();
    let alive = world.spawn(a(0)).id();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let spawned = record_aligned(&mut commands, 1);
    commands.entity(alive).insert((a(1), b(1))).insert_if_new(s(1)).remove::<A>();
    let token = Token::new();
    commands.queue(move |_: &mut World| drop(token));
    assert_eq!(drops::dropped(), 0);
    drop(queue);
    assert_eq!((drops::alive(), drops::dropped()), (1, 9));
    world.flush();
    assert_eq!(row(&world, spawned), Some(Row::default()), "an id that was given out is an entity");
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_queue_can_be_used_again_after_a_panic() {
    drops::reset();
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    for round in 0..3 {
        let mut commands = Commands::new(&mut queue, &world);
        let before = record_aligned(&mut commands, round);
        commands.queue(|_: &mut World| panic!("a command breaks"));
        let after = record_aligned(&mut commands, round);
        assert!(expect_panic(|| queue.apply(&mut world)).contains("breaks"));
        assert!(queue.is_empty());
        world.check_invariants();
        assert_aligned(&world, before, round);
        assert_eq!(row(&world, after), Some(Row::default()));
        let last = record_aligned(&mut Commands::new(&mut queue, &world), round);
        queue.apply(&mut world);
        assert_aligned(&world, last, round);
        assert_eq!(drops::alive(), 8 * (usize::from(round) + 1));
    }
    drop((queue, world));
    drops::assert_all_dropped_once();
}

#[test]
fn the_queue_of_the_world_can_be_used_again_after_a_panic() {
    drops::reset();
    let mut world = World::new();
    world.commands().queue(|world: &mut World| {
        record_aligned(&mut world.commands(), 1);
        panic!("a command breaks");
    });
    record_aligned(&mut world.commands(), 2);
    expect_panic(|| world.flush());
    drops::assert_none_twice();
    let last = record_aligned(&mut world.commands(), 3);
    world.flush();
    assert_aligned(&world, last, 3);
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}
