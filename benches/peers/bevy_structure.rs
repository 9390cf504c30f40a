//! Changes of shape, at once or recorded, done by `bevy_ecs`.

use std::hint::black_box;

use bevy_ecs::bundle::NoBundleEffect;
use bevy_ecs::prelude::*;
use bevy_ecs::world::CommandQueue;

use crate::bevy::{Extra, Kept, Position, Transform, body};
use crate::support::data::{self, MIXED, Vec3};
use crate::support::{Contestant, Sample, fresh, repeated, undone};

const ROWS: usize = 10_000;

#[derive(Clone, Copy, Component)]
#[component(storage = "SparseSet")]
struct SparseExtra(#[expect(dead_code, reason = "only moved")] f32);

#[derive(Clone, Copy, Component)]
struct Heat(#[expect(dead_code, reason = "only moved")] data::Heat);

#[derive(Clone, Copy, Component)]
struct Orientation(#[expect(dead_code, reason = "only moved")] data::Orientation);

#[derive(Clone, Copy, Component)]
struct Team(#[expect(dead_code, reason = "only moved")] data::Team);

#[derive(Clone, Copy, Component)]
struct Serial(#[expect(dead_code, reason = "only moved")] data::Serial);

#[derive(Clone, Copy, Component)]
struct Speed(#[expect(dead_code, reason = "only moved")] f32);

#[derive(Clone, Copy, Component)]
struct Goal(#[expect(dead_code, reason = "only moved")] Vec3);

#[derive(Clone, Copy, Component)]
struct Tint(#[expect(dead_code, reason = "only moved")] [f32; 4]);

#[derive(Clone, Copy, Component)]
struct Asleep(#[expect(dead_code, reason = "only moved")] u64);

fn mixed() -> (Heat, Position, Orientation, Team, Serial, Transform) {
    let (heat, position, orientation, team, serial, transform) = MIXED;
    (Heat(heat), Position(position.0), Orientation(orientation), Team(team), Serial(serial), Transform(transform))
}

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "add_remove by id 10k" => vec![
            Contestant::new("bevy_ecs: entity_mut", None, || add_remove(Kept(1.0), Extra(1.0))),
            Contestant::new("bevy_ecs: entity_mut, sparse", None, || add_remove(Kept(1.0), SparseExtra(1.0))),
        ],
        "add_remove by id 10k, 6 others" => {
            vec![Contestant::new("bevy_ecs: entity_mut", None, || add_remove(mixed(), Extra(1.0)))]
        }
        "spawn columns 10k x 4" => vec![Contestant::new("bevy_ecs: spawn_batch", None, crate::bevy::spawn_batch)],
        "add_remove by query 10k" => by_query(|| add_remove_by_query(ROWS)),
        "add_remove by query 1M" => by_query(|| add_remove_by_query(1_000_000)),
        "despawn by query 10k" => vec![Contestant::new("bevy_ecs: despawn_all", None, despawn_all)],
        "commands: spawn 10k x 4" => vec![
            Contestant::new("bevy_ecs: commands.spawn", None, command_spawns),
            Contestant::new("bevy_ecs: commands.spawn_batch", None, command_spawn_batch),
        ],
        "commands: insert 10k" => vec![
            Contestant::new("bevy_ecs: commands.entity, insert", None, command_inserts),
            Contestant::new("bevy_ecs: commands.insert_batch", None, command_insert_batch),
        ],
        "commands: despawn 10k" => {
            vec![Contestant::new("bevy_ecs: commands.entity, despawn", None, command_despawns)]
        }
        "commands: 3 inserts, 1 remove 10k" => vec![
            Contestant::new("bevy_ecs: one insert each", None, one_insert),
            Contestant::new("bevy_ecs: commands.entity, all four", None, four_by_commands),
        ],
        _ => Vec::new(),
    }
}

fn by_query(prepare: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new("bevy_ecs: insert_batch, entity_mut remove", None, prepare)]
}

fn filled<B: Bundle<Effect: NoBundleEffect> + Copy>(rows: usize, bundle: B) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..rows).map(|_| bundle)).collect();
    (world, ids)
}

fn add_remove<B: Bundle<Effect: NoBundleEffect> + Copy, X: Component + Copy>(kept: B, extra: X) -> Sample {
    let (mut world, ids) = filled(ROWS, kept);
    repeated(move || {
        let extra = black_box(extra);
        for &id in &ids {
            world.entity_mut(id).insert(extra);
        }
        for &id in &ids {
            world.entity_mut(id).remove::<X>();
        }
    })
}

/// There is no insertion by query, so the entities are listed first; there is no removal of many at once.
fn add_remove_by_query(rows: usize) -> Sample {
    let (mut world, _) = filled(rows, Kept(1.0));
    let mut kept = world.query_filtered::<Entity, With<Kept>>();
    let mut extras = world.query_filtered::<Entity, With<Extra>>();
    let mut ids = Vec::new();
    repeated(move || {
        let extra = black_box(Extra(1.0));
        ids.extend(kept.iter(&world));
        world.insert_batch(ids.drain(..).map(|id| (id, extra)));
        ids.extend(extras.iter(&world));
        assert_eq!(ids.len(), rows);
        for id in ids.drain(..) {
            world.entity_mut(id).remove::<Extra>();
        }
    })
}

fn despawn_all() -> Sample {
    fresh(
        || filled(ROWS, body()),
        |(mut world, ids)| {
            world.despawn_all::<With<Position>>();
            assert!(!world.entities().contains(ids[0]));
            (world, ids)
        },
    )
}

/// A world, what records changes of it, and the entities that the changes are for.
struct Recorded {
    world: World,
    queue: CommandQueue,
    ids: Vec<Entity>,
}

impl Recorded {
    fn new<B: Bundle<Effect: NoBundleEffect> + Copy>(rows: usize, bundle: B) -> Self {
        let (world, ids) = filled(rows, bundle);
        Self { world, queue: CommandQueue::default(), ids }
    }

    fn all_have<C: Component>(&self, expected: bool) -> bool {
        self.ids.iter().all(|&id| self.world.get::<C>(id).is_some() == expected)
    }

    fn remove_all<B: Bundle>(&mut self) {
        for &id in &self.ids {
            self.world.entity_mut(id).remove::<B>();
        }
    }
}

fn clear_spawned(recorded: &mut Recorded) {
    assert_eq!(recorded.world.query::<&Position>().iter(&recorded.world).len(), ROWS);
    recorded.world.despawn_all::<With<Position>>();
}

fn command_spawns() -> Sample {
    undone(
        Recorded::new(0, body()),
        |Recorded { world, queue, .. }| {
            let body = body();
            let mut commands = Commands::new(queue, world);
            for _ in 0..ROWS {
                commands.spawn(body);
            }
            queue.apply(world);
        },
        clear_spawned,
    )
}

fn command_spawn_batch() -> Sample {
    undone(
        Recorded::new(0, body()),
        |Recorded { world, queue, .. }| {
            let body = body();
            Commands::new(queue, world).spawn_batch((0..ROWS).map(move |_| body));
            queue.apply(world);
        },
        clear_spawned,
    )
}

fn undo_extra(recorded: &mut Recorded) {
    assert!(recorded.all_have::<Extra>(true));
    recorded.remove_all::<Extra>();
}

fn command_inserts() -> Sample {
    undone(
        Recorded::new(ROWS, Kept(1.0)),
        |Recorded { world, queue, ids }| {
            let extra = black_box(Extra(1.0));
            let mut commands = Commands::new(queue, world);
            for &id in &*ids {
                commands.entity(id).insert(extra);
            }
            queue.apply(world);
        },
        undo_extra,
    )
}

fn command_insert_batch() -> Sample {
    undone(
        Recorded::new(ROWS, Kept(1.0)),
        |Recorded { world, queue, ids }| {
            let extra = black_box(Extra(1.0));
            let batch: Vec<(Entity, Extra)> = ids.iter().map(|&id| (id, extra)).collect();
            Commands::new(queue, world).insert_batch(batch);
            queue.apply(world);
        },
        undo_extra,
    )
}

fn command_despawns() -> Sample {
    undone(
        Recorded::new(ROWS, body()),
        |Recorded { world, queue, ids }| {
            let mut commands = Commands::new(queue, world);
            for &id in &*ids {
                commands.entity(id).despawn();
            }
            queue.apply(world);
        },
        |Recorded { world, ids, .. }| {
            assert!(ids.iter().all(|&id| world.get_entity(id).is_err()));
            ids.clear();
            ids.extend(world.spawn_batch((0..ROWS).map(|_| body())));
        },
    )
}

fn gained() -> (Speed, Goal, Tint) {
    black_box((Speed(1.0), Goal(Vec3::splat(1.0)), Tint([1.0; 4])))
}

fn one_insert() -> Sample {
    undone(
        Recorded::new(ROWS, (Kept(1.0), Asleep(1))),
        |Recorded { world, queue, ids }| {
            let (speed, ..) = gained();
            let mut commands = Commands::new(queue, world);
            for &id in &*ids {
                commands.entity(id).insert(speed);
            }
            queue.apply(world);
        },
        |recorded| {
            assert!(recorded.all_have::<Speed>(true));
            recorded.remove_all::<Speed>();
        },
    )
}

fn four_by_commands() -> Sample {
    undone(
        Recorded::new(ROWS, (Kept(1.0), Asleep(1))),
        |Recorded { world, queue, ids }| {
            let (speed, goal, tint) = gained();
            let mut commands = Commands::new(queue, world);
            for &id in &*ids {
                commands.entity(id).insert(speed).insert(goal).insert(tint).remove::<Asleep>();
            }
            queue.apply(world);
        },
        |recorded| {
            assert!(recorded.all_have::<Tint>(true) && recorded.all_have::<Asleep>(false));
            recorded.remove_all::<(Speed, Goal, Tint)>();
            for &id in &recorded.ids {
                recorded.world.entity_mut(id).insert(Asleep(1));
            }
        },
    )
}
