//! Two values whose drops panic in one operation end the process by an abort, as documented, and by nothing else.

use strata_ecs::message::Messages;
use strata_tests::process;

use super::*;

/// A value whose drop panics even while another panic unwinds.
#[derive(Component, Resource, Message, Clone)]
struct Grenade(u64);
#[derive(Component)]
struct Second(Grenade);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside(Grenade);
#[derive(Component)]
#[repr(align(256))]
struct Wide(Grenade);
#[derive(Component, Clone)]
struct Mark;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("a grenade");
    }
}

fn grenade() -> Grenade {
    Grenade(7)
}

/// A world with so many entities of one table.
fn world_of(count: u64) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let entities = world.spawn_batch((0..count).map(Grenade)).collect();
    (world, entities)
}

/// Records for each entity, and applies all.
fn record(world: &mut World, entities: &[Entity], record: impl Fn(&mut EntityCommands<'_>)) {
    for entity in entities {
        record(&mut world.commands().entity(*entity));
    }
    world.flush();
}

/// Operations that drop two values.
const OPERATIONS: &[fn()] = &[
    || world_of(2).0.clear_entities(),
    || drop(world_of(2).0),
    || {
        let mut world = World::new();
        world.spawn((grenade(), Second(grenade())));
        world.clear_entities();
    },
    || {
        let mut world = World::new();
        world.spawn(Aside(grenade()));
        world.spawn(Aside(grenade()));
        world.clear_entities();
    },
    || {
        let mut world = World::new();
        world.spawn((grenade(), Aside(grenade())));
        drop(world);
    },
    || {
        let (mut world, _) = world_of(2);
        let _reader = world.removed_value_reader::<Grenade>();
        world.clear_entities();
        drop(world);
    },
    || {
        let world = World::new();
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        commands.spawn(grenade());
        commands.spawn(Second(grenade()));
        drop(queue);
    },
    || {
        let mut world = World::new();
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        let (first, second) = (grenade(), grenade());
        commands.queue(move |_: &mut World| drop(first));
        commands.queue(move |_: &mut World| drop(second));
        queue.apply(&mut world);
    },
    // For a dead entity the parts stay in the queue.
    || record(&mut World::new(), &[Entity::PLACEHOLDER], |entity| _ = entity.insert((grenade(), Wide(grenade())))),
    || {
        let (mut world, entities) = world_of(1);
        record(&mut world, &entities, |entity| _ = entity.insert(grenade()).insert(grenade()));
    },
    || {
        let (mut world, entities) = world_of(100);
        record(&mut world, &entities, |entity| _ = entity.insert(grenade()));
    },
    || {
        let (mut world, entities) = world_of(100);
        record(&mut world, &entities, |entity| _ = entity.remove::<Grenade>());
    },
    || {
        let (mut world, entities) = world_of(100);
        record(&mut world, &entities, |entity| {
            entity.despawn();
        });
    },
    || {
        let mut world = World::new();
        let entity = world.spawn((grenade(), Wide(grenade()), Aside(grenade()))).id();
        record(&mut world, &[entity], |entity| _ = entity.clear().insert(Mark));
    },
    || _ = world_of(2).0.all::<()>().remove::<Grenade>(),
    || _ = world_of(2).0.all::<()>().despawn(),
    || _ = world_of(2).0.all::<()>().insert_with(|_| grenade()),
    || {
        let mut world = World::new();
        world.insert_resource(Messages::<Grenade>::default());
        world.write_message(grenade());
        world.write_message(grenade());
        world.resource_mut::<Messages<Grenade>>().clear();
    },
];

#[test]
fn hazard_7_two_panicking_drops_abort_and_do_nothing_else() {
    const NAME: &str = "two_panics::hazard_7_two_panicking_drops_abort_and_do_nothing_else";
    if let Some(number) = process::child_argument(NAME) {
        return OPERATIONS[number]();
    }
    for number in 0..OPERATIONS.len() {
        process::assert_aborted(&process::run_in_child_with(NAME, number));
    }
}
