//! Consecutive commands for one entity are one operation, independent of their number and values: only differences between the states
//! before and after can be observed.

use strata_tests::drops;

use super::*;

#[derive(Component)]
#[repr(align(128))]
struct Wide(u32, Token);
#[derive(Component)]
#[component(storage = "sparse")]
#[repr(align(4096))]
struct WideAside(u32, Token);
/// Is only ever there with a `Required`.
#[derive(Component)]
#[require(Required)]
struct Requiring(u32);
#[derive(Component)]
struct Required(u32);
#[derive(Component)]
struct Filler(u32);

impl Default for Required {
    fn default() -> Self {
        Self(7)
    }
}

fn wide(value: u32) -> Wide {
    Wide(value, Token::new())
}

fn wide_aside(value: u32) -> WideAside {
    WideAside(value, Token::new())
}

/// Applies commands for an entity, and returns of which components it has lost the value in the end.
fn losses(before: impl Bundle, record: impl Fn(&mut EntityCommands<'_>)) -> Vec<&'static str> {
    let mut world = World::new();
    let entity = world.spawn(before).id();
    let (mut a, mut s) = (world.removed_reader::<A>(), world.removed_reader::<S>());
    let (mut wide, mut aside) = (world.removed_reader::<Wide>(), world.removed_reader::<WideAside>());
    let mut values = world.removed_value_reader::<A>();
    record(&mut world.commands().entity(entity));
    world.flush();
    world.check_invariants();
    assert_eq!(values.read(&world).count(), a.len(&world));
    let lost = [("A", a.read(&world).count()), ("S", s.read(&world).count()), ("Wide", wide.read(&world).count())];
    let lost = lost.into_iter().chain([("WideAside", aside.read(&world).count())]);
    lost.flat_map(|(name, count)| vec![name; count]).collect()
}

#[test]
fn what_is_removed_and_added_again_is_not_lost_behind_many_other_commands() {
    for others in [0, 1, 29, 30, 31, 32, 33, 63, 64, 65, 500] {
        let many = |commands: &mut EntityCommands<'_>| {
            (0..others).for_each(|number| _ = commands.insert(Filler(number)));
        };
        let lost = losses((a(1), s(1)), |commands| {
            many(commands);
            commands.remove::<(A, S)>().insert((a(2), s(2)));
        });
        assert_eq!(lost, [""; 0], "behind {others} commands");
        let lost = losses((a(1), s(1)), |commands| {
            commands.remove::<(A, S)>();
            many(commands);
            commands.insert(a(2));
        });
        assert_eq!(lost, ["S"], "around {others} commands");
    }
}

#[test]
fn components_that_do_not_lie_in_a_queue_are_part_of_the_operation() {
    drops::reset();
    let again = |commands: &mut EntityCommands<'_>| {
        commands.remove::<Wide>().insert(wide(2)).remove::<WideAside>().insert(wide_aside(3));
    };
    assert_eq!(losses((wide(1), wide_aside(1)), again), [""; 0]);
    assert_eq!(losses(wide(1), |commands| _ = commands.insert(a(1)).insert(wide(2)).remove::<Wide>()), ["Wide"]);
    drops::assert_all_dropped_once();
}

#[test]
fn to_remove_all_but_some_is_part_of_the_operation() {
    drops::reset();
    let all = || (a(1), s(1), wide(1), wide_aside(1));
    assert_eq!(losses(all(), |commands| _ = commands.clear().insert((s(2), a(2)))), ["Wide", "WideAside"]);
    assert_eq!(losses(all(), |commands| _ = commands.retain::<(A, Unit)>().insert(wide_aside(2))), ["S", "Wide"]);
    assert_eq!(losses(all(), |commands| _ = commands.clear().insert(all())), [""; 0]);
    assert_eq!(losses(a(1), |commands| _ = commands.insert(s(1)).insert(wide(1)).clear()), ["A"]);
    drops::assert_all_dropped_once();
}

#[test]
fn a_new_entity_that_is_cleared_has_what_comes_after() {
    drops::reset();
    let mut world = World::new();
    let mut removed = world.removed_reader::<S>();
    let known = world.commands().spawn((a(1), s(1))).clear().insert(wide(2)).insert_if_new(s(3)).id();
    world.commands().spawn(s(4)).retain::<S>();
    world.flush();
    world.check_invariants();
    assert_eq!(removed.read(&world).count(), 0);
    assert_eq!(row(&world, known).map(|row| row.values), Some([None, None, Some(3)]));
    assert_eq!(world.get::<Wide>(known).map(|wide| wide.0), Some(2));
    assert_eq!(world.query::<&S>().iter(&world).map(|s| s.0).collect::<Vec<_>>(), [3, 4]);
    drop(world);
    drops::assert_all_dropped_once();
}

/// The value of each component of an entity.
type Values = [Option<u32>; 6];

fn values(world: &World, entity: Entity) -> Values {
    let entity = world.entity(entity);
    [
        entity.get::<A>().map(|a| a.0),
        entity.get::<S>().map(|s| s.0),
        entity.get::<Wide>().map(|wide| wide.0),
        entity.get::<WideAside>().map(|wide| wide.0),
        entity.get::<Requiring>().map(|requiring| requiring.0),
        entity.get::<Required>().map(|required| required.0),
    ]
}

/// Records a random command, and does the same to the values.
fn step(commands: &mut EntityCommands<'_>, seed: u32, naive: &mut Values) {
    let value = seed >> 8;
    let set = |naive: &mut Values, at: usize, if_new: bool| {
        // A component that stays requires nothing.
        if if_new && naive[at].is_some() {
            return;
        }
        naive[at] = Some(value);
        if at == 4 {
            naive[5].get_or_insert(7);
        }
    };
    match seed % 19 {
        0 | 1 => (commands.insert(a(value)), set(naive, 0, false)).1,
        2 => (commands.insert_if_new(a(value)), set(naive, 0, true)).1,
        3 | 4 => (commands.insert(s(value)), set(naive, 1, false)).1,
        5 => (commands.insert_if_new(s(value)), set(naive, 1, true)).1,
        6 => (commands.insert(wide(value)), set(naive, 2, false)).1,
        7 => (commands.insert_if_new(wide(value)), set(naive, 2, true)).1,
        8 => (commands.insert(wide_aside(value)), set(naive, 3, false)).1,
        9 => (commands.insert_if_new(wide_aside(value)), set(naive, 3, true)).1,
        10 => (commands.insert(Requiring(value)), set(naive, 4, false)).1,
        11 => (commands.insert_if_new(Requiring(value)), set(naive, 4, true)).1,
        12 => (commands.insert(Required(value)), set(naive, 5, false)).1,
        13 => (commands.remove::<(A, WideAside)>(), [0, 3].iter().for_each(|at| naive[*at] = None)).1,
        14 => (commands.remove::<S>(), naive[1] = None).1,
        15 => (commands.remove::<(Wide, Required)>(), [2, 5].iter().for_each(|at| naive[*at] = None)).1,
        // What `Requiring` requires stays with it.
        16 => (commands.retain::<(A, S, Requiring)>(), [2, 3].iter().for_each(|at| naive[*at] = None)).1,
        17 => (commands.clear(), naive.fill(None)).1,
        _ => {
            commands.insert((wide(value), a(value)));
            set(naive, 2, false);
            set(naive, 0, false);
        }
    }
}

#[test]
fn any_commands_come_to_what_is_different_in_the_end() {
    drops::reset();
    let mut seed = 1_u32;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed
    };
    for round in 0..300_u32 {
        let mut world = World::new();
        let entities: Vec<Entity> = (0..=round % 12).map(|_| world.spawn_empty().id()).collect();
        let seeds: Vec<u32> = (0..random() % 20).map(|_| random()).collect();
        let mut before = Values::default();
        for &entity in &entities {
            before = Values::default();
            seeds.iter().for_each(|seed| step(&mut world.commands().entity(entity), *seed, &mut before));
            world.flush();
            assert_eq!(values(&world, entity), before);
        }
        let mut readers = (world.removed_reader::<A>(), world.removed_reader::<S>(), world.removed_reader::<Wide>());
        let mut others = (world.removed_reader::<WideAside>(), world.removed_reader::<Required>());
        let seeds: Vec<u32> = (0..random() % 120).map(|_| random()).collect();
        let mut after = before;
        for &entity in &entities {
            after = before;
            let mut commands = world.commands();
            let mut commands = commands.entity(entity);
            seeds.iter().for_each(|seed| step(&mut commands, *seed, &mut after));
        }
        world.flush();
        world.check_invariants();
        entities.iter().for_each(|entity| assert_eq!(values(&world, *entity), after, "round {round}"));
        let lost = [
            readers.0.read(&world).collect::<Vec<_>>(),
            readers.1.read(&world).collect(),
            readers.2.read(&world).collect(),
            others.0.read(&world).collect(),
            others.1.read(&world).collect(),
        ];
        for (lost, at) in lost.iter().zip([0, 1, 2, 3, 5]) {
            let all: &[Entity] = if before[at].is_some() && after[at].is_none() { &entities } else { &[] };
            assert_eq!(lost, all, "round {round}, component {at}");
        }
    }
    drops::assert_all_dropped_once();
}

#[test]
fn a_hundred_thousand_commands_for_one_entity_are_one_operation() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((a(0), s(0))).id();
    let mut removed = world.removed_reader::<A>();
    for number in 0..100_000 {
        match number % 4 {
            0 => world.commands().entity(entity).insert((a(number), b(number))),
            1 => world.commands().entity(entity).remove::<A>(),
            2 => world.commands().entity(entity).insert_if_new(s(number)),
            _ => world.commands().entity(entity).insert(a(number)),
        };
    }
    world.flush();
    world.check_invariants();
    assert_eq!(removed.read(&world).count(), 0);
    assert_eq!(row(&world, entity).map(|row| row.values), Some([Some(99_999), Some(99_996), Some(0)]));
    assert_eq!(drops::alive(), 3);
    drop(world);
    drops::assert_all_dropped_once();
}
