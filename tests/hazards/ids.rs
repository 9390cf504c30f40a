//! Ids at their end: an index whose last generation has lived is never used again, whatever ended it and whatever asks.

use strata_ecs::schedule::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};

use super::*;

#[derive(Component, Clone, Debug, PartialEq)]
struct Mark(u32);

/// The indexes whose last generation lives and ends.
const USED_UP: [u32; 6] = [0, 2, 3, 7, 40, 41];

/// Ends the lives of some entities.
type End = fn(&mut World, &[Entity]);
/// Asks for new entities.
type Ask = fn(&mut World) -> Vec<Entity>;

const ENDS: [(&str, End); 6] = [
    ("despawn", |world, ids| ids.iter().for_each(|&id| assert!(world.despawn(id)))),
    ("many", |world, ids| assert_eq!(world.many(ids).despawn(), ids.len())),
    ("all", |world, _| {
        world.all::<With<Mark>>().despawn();
    }),
    ("clear", |world, _| world.clear_entities()),
    ("commands", |world, ids| {
        ids.iter().for_each(|&id| world.commands().entity(id).despawn());
        world.flush();
    }),
    ("move", |world, ids| {
        let mut other = World::new();
        world.many(ids).move_to(&mut other);
        assert_eq!(other.len(), ids.len());
    }),
];

fn spawn_in_schedule(world: &mut World, executor: Executor) -> Vec<Entity> {
    fn some(mut commands: Commands<'_, '_>) {
        (0..9).for_each(|_| _ = commands.spawn(Mark(7)).id());
    }
    let mut schedule = Schedule::default();
    schedule.add_systems((some, some, some, some, some, some)).set_executor(executor);
    let before: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
    schedule.run(world);
    let ids = world.iter_entities().map(|entity| entity.id());
    ids.filter(|id| !before.contains(id)).collect()
}

const ASKS: [(&str, Ask); 7] = [
    ("spawn", |world| (0..60).map(|nth| world.spawn(Mark(nth)).id()).collect()),
    ("batch", |world| world.spawn_batch((0..60).map(Mark)).collect()),
    ("reserve", |world| {
        let ids = world.reserve_entities(60).collect();
        world.flush();
        ids
    }),
    ("commands", |world| {
        (0..60).for_each(|nth| _ = world.commands().spawn(Mark(nth)));
        world.flush();
        world.iter_entities().map(|entity| entity.id()).collect()
    }),
    ("columns", |world| {
        let ids = world.spawn_columns((0..60).map(Mark).collect::<Vec<_>>());
        ids.expect("one column").collect()
    }),
    ("schedule", |world| spawn_in_schedule(world, SingleThreadedExecutor::new().into())),
    ("threads", |world| spawn_in_schedule(world, MultiThreadedExecutor::eager().into())),
];

#[test]
fn an_index_whose_last_generation_has_lived_is_never_used_again() {
    for (ending, end) in ENDS {
        for (asking, ask) in ASKS {
            for shrinks in [false, true] {
                let mut world = World::new();
                let last = |index: u32| Entity::from_bits(u64::from(u32::MAX) << 32 | u64::from(index));
                let used_up = USED_UP.map(last);
                for id in used_up {
                    world.spawn_at(id, Mark(id.index())).expect("the id was free");
                }
                end(&mut world, &used_up);
                if shrinks {
                    world.shrink_to_fit();
                    assert_eq!(world.entities().index_bound(), 0, "{ending}");
                }
                world.check_invariants();
                let ids = ask(&mut world);
                world.check_invariants();
                let way = format!("{ending}, {asking}, {shrinks}");
                assert!(ids.len() >= 54 && ids.iter().all(|&id| world.contains(id)), "{way}");
                assert!(ids.iter().all(|id| !USED_UP.contains(&id.index())), "a retired index came back: {way}");
                for id in used_up {
                    assert!(!world.contains(id) && world.get_entity(id).is_err(), "{way}");
                    assert!(world.spawn_at(id, Mark(0)).is_err(), "{way}");
                    assert!(world.spawn_columns_at(&[id], vec![Mark(0)]).is_err(), "{way}");
                }
                assert_usable(&mut world);
            }
        }
    }
}
