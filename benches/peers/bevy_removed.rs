//! Despawning, and reading which entities have lost a component, done by `bevy_ecs`.

use std::hint::black_box;

use bevy_ecs::prelude::*;

use crate::bevy::{Position, body};
use crate::support::removed::weigh;
use crate::support::{Contestant, Sample, fresh};

const ROWS: usize = 10_000;

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "despawn and read removed 10k" => {
            vec![
                Contestant::new("bevy_ecs: world.despawn, removed", None, || {
                    despawn(|world, ids| {
                        for &id in ids {
                            world.despawn(id);
                        }
                    })
                }),
                Contestant::new("bevy_ecs: despawn_all, removed", None, || {
                    despawn(|world, _| {
                        world.despawn_all::<With<Position>>();
                    })
                }),
            ]
        }
        _ => Vec::new(),
    }
}

fn despawn(all: fn(&mut World, &[Entity])) -> Sample {
    let filled = || {
        let mut world = World::new();
        let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| body())).collect();
        (world, ids)
    };
    fresh(filled, move |(mut world, ids)| {
        all(&mut world, &ids);
        let mut sum = 0;
        let mut count = 0;
        for entity in world.removed::<Position>() {
            sum = weigh(sum, entity.index_u32());
            count += 1;
        }
        assert_eq!(count, ROWS);
        black_box(sum);
        (world, ids)
    })
}
