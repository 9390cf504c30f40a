//! The used memory: data for each entity, a table among many components, worlds that are created and dropped.

use std::rc::Rc;

use strata_ecs::prelude::*;
use strata_tests::{alloc, effort};

#[derive(Component)]
struct Small(u64);

#[derive(Component)]
struct Unit;

#[derive(Component)]
#[component(storage = "sparse")]
struct Tag;

#[derive(Component)]
struct Numbered<const HUNDREDS: u8, const TENS: u8, const ONES: u8>;

/// Registers a thousand components.
fn register_thousand(world: &mut World) {
    macro_rules! hundreds {
        ($($h:literal)*) => { $( tens!($h; 0 1 2 3 4 5 6 7 8 9); )* };
    }
    macro_rules! tens {
        ($h:literal; $($t:literal)*) => { $( ones!($h $t; 0 1 2 3 4 5 6 7 8 9); )* };
    }
    macro_rules! ones {
        ($h:literal $t:literal; $($o:literal)*) => { $( world.register_component::<Numbered<$h, $t, $o>>(); )* };
    }
    hundreds!(0 1 2 3 4 5 6 7 8 9);
}

/// The bytes held more after `action` than before.
fn grown(action: impl FnOnce()) -> isize {
    let before = alloc::held();
    action();
    alloc::held() - before
}

/// Returns the memory that ten tables of one row each take in a world.
fn ten_tables(world: &mut World) -> isize {
    macro_rules! spawn {
        ($($i:literal)*) => { $( world.spawn((Small(0), Numbered::<1, 0, $i>)); )* };
    }
    // Registration and the first growth of shared structures are no part of a table.
    macro_rules! register {
        ($($i:literal)*) => { $( world.register_component::<Numbered<1, 0, $i>>(); )* };
    }
    register!(0 1 2 3 4 5 6 7 8 9);
    world.spawn((Small(0), Unit));
    grown(|| {
        spawn!(0 1 2 3 4 5 6 7 8 9);
    })
}

#[test]
fn a_table_costs_the_same_among_a_thousand_registered_components() {
    let mut few = World::new();
    let mut many = World::new();
    register_thousand(&mut many);
    let (among_few, among_many) = (ten_tables(&mut few), ten_tables(&mut many));
    assert!(among_few > 0);
    assert!(
        among_many <= among_few + 10 * 64,
        "ten tables hold {among_few} bytes among few components, and {among_many} among a thousand"
    );
}

/// The bytes of bookkeeping for each of 2^20 entities, whose components take `payload` bytes.
fn bookkeeping(payload: usize, spawn: impl FnOnce(&mut World, u32)) -> f64 {
    const COUNT: u32 = 1 << 20;
    let mut world = World::new();
    let held = grown(|| spawn(&mut world, COUNT));
    assert_eq!(world.len(), COUNT as usize);
    let extra = held - isize::try_from(payload * COUNT as usize).expect("small");
    extra as f64 / f64::from(COUNT)
}

/// Capacities double, so the count is a power of two, and a table of another few rows is no part of it.
const LIMIT: f64 = 24.1;

#[test]
fn an_entity_costs_at_most_twenty_four_bytes_of_bookkeeping() {
    let batch = bookkeeping(8, |world, count| {
        world.spawn_batch((0..u64::from(count)).map(Small));
    });
    let one_by_one = bookkeeping(8, |world, count| {
        for value in 0..u64::from(count) {
            world.spawn(Small(value));
        }
    });
    let empty = bookkeeping(0, |world, count| {
        for _ in 0..count {
            world.spawn_empty();
        }
    });
    let reserved = bookkeeping(0, |world, count| {
        world.reserve_entities(count as usize).count();
        world.flush();
    });
    for (way, bytes) in [("batch", batch), ("one by one", one_by_one), ("empty", empty), ("reserved", reserved)] {
        assert!(bytes <= LIMIT, "{way}: {bytes} bytes an entity");
    }
}

#[test]
fn despawned_entities_cost_no_more_than_living_ones() {
    let mut world = World::new();
    let held = grown(|| {
        let entities: Vec<Entity> = world.spawn_batch((0..1 << 16).map(Small)).collect();
        for entity in &entities {
            world.despawn(*entity);
        }
        drop(entities);
    });
    assert!(held <= (1 << 16) * 32 + (1 << 16), "{held} bytes for 65536 despawned entities");
}

#[test]
fn respawning_for_ever_holds_no_more() {
    let mut world = World::new();
    let round = |world: &mut World| {
        let entities: Vec<Entity> = (0..100).map(|value| world.spawn((Small(value), Tag)).id()).collect();
        for entity in &entities {
            world.entity_mut(*entity).insert(Unit).remove::<Tag>();
        }
        for entity in &entities {
            world.despawn(*entity);
        }
    };
    round(&mut world);
    round(&mut world);
    let growth = grown(|| {
        for _ in 0..200 {
            round(&mut world);
        }
    });
    assert_eq!(growth, 0);
}

#[test]
fn a_zero_sized_sparse_component_costs_a_bit_or_so() {
    const COUNT: isize = 1 << 16;
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..COUNT as u64).map(Small)).collect();
    let first = grown(|| {
        for entity in &entities {
            world.entity_mut(*entity).insert(Tag);
        }
    });
    // The first sparse component of a world brings a summary for each entity, which all of them share.
    assert!(first <= 5 * COUNT, "{first} bytes for {COUNT} entities with their first tag");
    let second = grown(|| {
        for entity in &entities {
            world.entity_mut(*entity).insert(SecondTag);
        }
    });
    assert!(second > 0 && second <= COUNT / 4, "{second} bytes for {COUNT} further tags");
}

#[derive(Component)]
#[component(storage = "sparse")]
struct SecondTag;

#[test]
fn ten_thousand_worlds_made_and_dropped_leave_nothing_behind() {
    #[derive(Resource)]
    struct Score(u64);
    fn system(all: Query<'_, '_, &Small>, mut commands: Commands<'_, '_>, mut runs: Local<'_, u32>) {
        *runs += 1;
        commands.spawn(Small(all.count() as u64));
    }
    let live = || {
        let mut world = World::new();
        world.insert_resource(Score(1));
        let entity = world.spawn((Small(1), Unit, Tag)).id();
        world.entity_mut(entity).remove::<Unit>();
        let _reserved = world.reserve_entity();
        let mut schedule = Schedule::default();
        schedule.add_systems(system);
        schedule.run(&mut world);
        assert_eq!(world.query::<&Small>().iter(&world).count(), 2);
    };
    for _ in 0..10 {
        live();
    }
    let growth = grown(|| {
        for _ in 0..effort::rounds(10_000) {
            live();
        }
    });
    assert_eq!(growth, 0);
}

#[test]
fn worlds_with_messages_readers_systems_and_values_of_one_thread_leave_nothing_behind() {
    #[derive(Message, Clone)]
    struct Said(String);
    struct Stays(#[expect(dead_code, reason = "only its memory counts")] Rc<Vec<u8>>);
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Frame;
    fn tell(mut said: MessageWriter<'_, Said>, stays: NonSend<'_, Stays>) {
        let _ = &*stays;
        said.write(Said(String::from("a message")));
    }
    fn hear(mut said: MessageReader<'_, '_, Said>, mut heard: Local<'_, Vec<String>>) -> usize {
        heard.extend(said.read().map(|Said(text)| text.clone()));
        heard.len()
    }
    fn lose(mut gone: RemovedComponents<'_, '_, Unit>, mut values: RemovedValues<'_, '_, Small>) -> usize {
        gone.read().count() + values.read().count()
    }
    let live = || {
        let mut world = World::new();
        world.register_message::<Said>();
        world.insert_non_send(Stays(Rc::new(vec![1; 100])));
        let hear_it = world.register_system(hear);
        let lose_it = world.register_system(lose);
        let reader = world.removed_reader::<Unit>();
        let mut schedule = Schedule::new(Frame);
        schedule.add_systems((tell, tell).chain());
        world.add_schedule(schedule);
        assert_eq!(world.run_system(lose_it).unwrap(), 0);
        world.spawn_batch((0..3).map(|value| (Small(value), Unit, Tag)));
        world.all::<With<Unit>>().despawn();
        world.run_schedule(Frame);
        assert_eq!(world.run_system(hear_it).unwrap(), 2);
        assert_eq!(world.run_system(lose_it).unwrap(), 6);
        assert_eq!(world.run_system_cached(hear).unwrap(), 2);
        world.unregister_system(lose_it).unwrap();
        world.commands().spawn(Small(9));
        drop(reader);
    };
    for _ in 0..10 {
        live();
    }
    let growth = grown(|| {
        for _ in 0..effort::rounds(10_000) {
            live();
        }
    });
    assert_eq!(growth, 0);
}

/// With the feature it has a size; that is what the target `track_location` is for.
#[cfg(not(feature = "track_location"))]
#[test]
fn origins_take_no_memory_without_the_feature() {
    use strata_ecs::change::Origin;
    use strata_ecs::entity::Despawned;

    assert_eq!(size_of::<Origin>(), 0);
    assert_eq!(size_of::<Despawned>(), size_of::<Entity>());
    let mut world = World::new();
    let entity = world.spawn(Small(1)).id();
    world.get_mut::<Small>(entity).unwrap().set_changed();
    assert!(!world.get_mut::<Small>(entity).unwrap().changed_by().is_known());
    assert!(!world.entity(entity).spawned_by().is_known());
    world.despawn(entity);
    assert!(!world.entities().entity_get_spawned_or_despawned_by(entity).is_known());
    let error = world.get_entity(entity).unwrap_err().to_string();
    assert_eq!(error, format!("entity {entity} does not exist: it was despawned"));
    assert!(!world.component_id::<Small>().is_some_and(|id| world.components().info(id).unwrap().is_tracked()));
}
