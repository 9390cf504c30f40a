//! Changes of shape, at once or recorded, done by hecs.

use std::hint::black_box;

use hecs::{Bundle, ColumnBatchType, CommandBuffer, Component, DynamicBundle, Entity, World};

use crate::support::data::{
    Asleep, BODY, Body, Extra, Goal, Kept, MIXED, Position, Rotation, Speed, Tint, Transform, Vec3, Velocity,
};
use crate::support::{Contestant, Sample, fresh, repeated, undone};

const ROWS: usize = 10_000;

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "add_remove by id 10k" => {
            vec![Contestant::new("hecs: insert_one, remove_one", None, || add_remove((Kept(1.0),)))]
        }
        "add_remove by id 10k, 6 others" => {
            vec![Contestant::new("hecs: insert_one, remove_one", None, || add_remove(MIXED))]
        }
        "spawn columns 10k x 4" => vec![Contestant::new("hecs: spawn_column_batch", None, spawn_columns)],
        "add_remove by query 10k" => by_query(|| add_remove_by_query(ROWS)),
        "add_remove by query 1M" => by_query(|| add_remove_by_query(1_000_000)),
        "despawn by query 10k" => vec![Contestant::new("hecs: query, despawn each", None, despawn_by_query)],
        "commands: spawn 10k x 4" => vec![Contestant::new("hecs: buffer.spawn", None, command_spawns)],
        "commands: insert 10k" => vec![Contestant::new("hecs: buffer.insert_one", None, command_inserts)],
        "commands: despawn 10k" => vec![Contestant::new("hecs: buffer.despawn", None, command_despawns)],
        "commands: 3 inserts, 1 remove 10k" => vec![
            Contestant::new("hecs: one insert each", None, one_insert),
            Contestant::new("hecs: buffer, all four", None, four_by_commands),
        ],
        _ => Vec::new(),
    }
}

fn by_query(prepare: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new("hecs: query, insert_one, remove_one", None, prepare)]
}

fn filled<B: Bundle + Copy + 'static>(rows: usize, bundle: B) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..rows).map(|_| bundle)).collect();
    (world, ids)
}

fn add_remove<B: Bundle + Copy + 'static>(kept: B) -> Sample {
    let (mut world, ids) = filled(ROWS, kept);
    repeated(move || {
        let extra = black_box(Extra(1.0));
        for &id in &ids {
            world.insert_one(id, extra).expect("it lives");
        }
        for &id in &ids {
            world.remove_one::<Extra>(id).expect("it has one");
        }
    })
}

fn spawn_columns() -> Sample {
    fresh(World::new, |mut world| {
        let (transform, position, rotation, velocity) = black_box(BODY);
        let mut columns = ColumnBatchType::new();
        columns.add_bundle::<Body>();
        let batch = columns.into_batch(ROWS as u32);
        fn fill<C: Component + Copy>(batch: &hecs::ColumnBatchBuilder, value: C) {
            let mut writer = batch.writer::<C>().expect("it is one of the columns");
            while writer.push(value).is_ok() {}
        }
        fill::<Transform>(&batch, transform);
        fill::<Position>(&batch, position);
        fill::<Rotation>(&batch, rotation);
        fill::<Velocity>(&batch, velocity);
        let spawned = world.spawn_column_batch(batch.build().expect("it is full")).len();
        assert_eq!(spawned, ROWS);
        world
    })
}

/// There is no change by query, so the entities are listed first.
fn add_remove_by_query(rows: usize) -> Sample {
    let (mut world, _) = filled(rows, (Kept(1.0),));
    let mut ids: Vec<Entity> = Vec::new();
    repeated(move || {
        let extra = black_box(Extra(1.0));
        ids.extend(world.query_mut::<hecs::With<Entity, &Kept>>());
        for id in ids.drain(..) {
            world.insert_one(id, extra).expect("it lives");
        }
        ids.extend(world.query_mut::<hecs::With<Entity, &Extra>>());
        assert_eq!(ids.len(), rows);
        for id in ids.drain(..) {
            world.remove_one::<Extra>(id).expect("it has one");
        }
    })
}

fn despawn_by_query() -> Sample {
    fresh(
        || filled(ROWS, BODY).0,
        |mut world| {
            let ids: Vec<Entity> = world.query_mut::<hecs::With<Entity, &Position>>().into_iter().collect();
            for id in ids {
                world.despawn(id).expect("it lives");
            }
            assert!(world.is_empty());
            world
        },
    )
}

/// A world, what records changes of it, and the entities that the changes are for.
struct Recorded {
    world: World,
    buffer: CommandBuffer,
    ids: Vec<Entity>,
}

impl Recorded {
    fn new<B: Bundle + Copy + 'static>(rows: usize, bundle: B) -> Self {
        let (world, ids) = filled(rows, bundle);
        Self { world, buffer: CommandBuffer::new(), ids }
    }

    fn all_have<C: Component>(&self, expected: bool) -> bool {
        self.ids.iter().all(|&id| self.world.get::<&C>(id).is_ok() == expected)
    }

    /// Undoes what was done to all entities.
    fn exchange<R: Bundle + 'static, A: DynamicBundle + Copy>(&mut self, added: A) {
        for &id in &self.ids {
            self.world.exchange::<R, A>(id, added).map(drop).expect("it has what is removed");
        }
    }
}

fn command_spawns() -> Sample {
    undone(
        Recorded::new(0, BODY),
        |Recorded { world, buffer, .. }| {
            let body = black_box(BODY);
            for _ in 0..ROWS {
                buffer.spawn(body);
            }
            buffer.run_on(world);
        },
        |Recorded { world, .. }| {
            assert_eq!(world.len() as usize, ROWS);
            world.clear();
        },
    )
}

fn command_inserts() -> Sample {
    undone(
        Recorded::new(ROWS, (Kept(1.0),)),
        |Recorded { world, buffer, ids }| {
            let extra = black_box(Extra(1.0));
            for &id in &*ids {
                buffer.insert_one(id, extra);
            }
            buffer.run_on(world);
        },
        |recorded| {
            assert!(recorded.all_have::<Extra>(true));
            recorded.exchange::<(Extra,), ()>(());
        },
    )
}

fn command_despawns() -> Sample {
    undone(
        Recorded::new(ROWS, BODY),
        |Recorded { world, buffer, ids }| {
            for &id in &*ids {
                buffer.despawn(id);
            }
            buffer.run_on(world);
        },
        |Recorded { world, ids, .. }| {
            assert!(world.is_empty());
            ids.clear();
            ids.extend(world.spawn_batch((0..ROWS).map(|_| BODY)));
        },
    )
}

fn gained() -> (Speed, Goal, Tint) {
    black_box((Speed(1.0), Goal(Vec3::splat(1.0)), Tint([1.0; 4])))
}

fn one_insert() -> Sample {
    undone(
        Recorded::new(ROWS, (Kept(1.0), Asleep(1))),
        |Recorded { world, buffer, ids }| {
            let (speed, ..) = gained();
            for &id in &*ids {
                buffer.insert_one(id, speed);
            }
            buffer.run_on(world);
        },
        |recorded| {
            assert!(recorded.all_have::<Speed>(true));
            recorded.exchange::<(Speed,), ()>(());
        },
    )
}

fn four_by_commands() -> Sample {
    undone(
        Recorded::new(ROWS, (Kept(1.0), Asleep(1))),
        |Recorded { world, buffer, ids }| {
            let (speed, goal, tint) = gained();
            for &id in &*ids {
                buffer.insert(id, (speed, goal, tint));
                buffer.remove_one::<Asleep>(id);
            }
            buffer.run_on(world);
        },
        |recorded| {
            assert!(recorded.all_have::<Tint>(true) && recorded.all_have::<Asleep>(false));
            recorded.exchange::<(Speed, Goal, Tint), (Asleep,)>((Asleep(1),));
        },
    )
}
