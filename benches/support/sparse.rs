//! Bulk changes: of components in sparse storage, and of entities in a list.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::baseline::Id;
use super::data::{Extra, Kept, SparseExtra};
use super::shapes::TwoShapes;
use super::{Bench, Contestant, Sample, repeated};

const ROWS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![
        Bench {
            file: "structure",
            name: "add_remove by query 10k, copied",
            rows: ROWS,
            contestants: vec![
                Contestant::new("columns copied by hand", None, copied),
                Contestant::new("world.all, sparse", Some(3.0), all_sparse),
            ],
        },
        Bench {
            file: "structure",
            name: "add_remove by list 10k, copied",
            rows: ROWS,
            contestants: vec![
                Contestant::new("columns copied by hand", None, copied),
                Contestant::new("world.many", Some(3.0), || many(Extra(1.0))),
                Contestant::new("world.many, sparse", Some(3.0), || many(SparseExtra(1.0))),
            ],
        },
    ]
}

impl TwoShapes<Vec<Kept>> {
    /// Copies the common components to the table with an [`Extra`].
    fn copy_all_in(&mut self, extra: Extra) {
        let first = self.both_ids.len();
        self.both_ids.extend_from_slice(&self.plain_ids);
        self.both.extend_from_slice(&self.plain);
        self.both_extra.resize(self.both_ids.len(), extra);
        for (row, id) in self.both_ids.iter().enumerate().skip(first) {
            self.slots[id.index as usize].locate(true, row);
        }
        self.plain_ids.clear();
        self.plain.clear();
    }

    /// Copies the common components to the table without an [`Extra`].
    fn copy_all_out(&mut self) {
        let first = self.plain_ids.len();
        self.plain_ids.extend_from_slice(&self.both_ids);
        self.plain.extend_from_slice(&self.both);
        for (row, id) in self.plain_ids.iter().enumerate().skip(first) {
            self.slots[id.index as usize].locate(false, row);
        }
        self.both_ids.clear();
        self.both.clear();
        self.both_extra.clear();
    }
}

fn copied() -> Sample {
    let mut shapes = TwoShapes::<Vec<Kept>>::default();
    let _: Vec<Id> = (0..ROWS).map(|_| shapes.spawn(Kept(1.0))).collect();
    repeated(move || {
        let shapes = black_box(&mut shapes);
        shapes.copy_all_in(black_box(Extra(1.0)));
        assert_eq!(shapes.extras(), ROWS);
        black_box(&mut *shapes).copy_all_out();
        assert_eq!(shapes.extras(), 0);
    })
}

fn all_sparse() -> Sample {
    let mut world = World::new();
    world.spawn_batch((0..ROWS).map(|_| Kept(1.0)));
    repeated(move || {
        let world = black_box(&mut world);
        assert_eq!(world.all::<With<Kept>>().insert(black_box(SparseExtra(1.0))), ROWS);
        assert_eq!(world.all::<With<SparseExtra>>().remove::<SparseExtra>(), ROWS);
    })
}

fn many<X: Component + Clone>(extra: X) -> Sample {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
    repeated(move || {
        let world = black_box(&mut world);
        assert_eq!(world.many(&ids).insert(black_box(extra.clone())), ROWS);
        assert_eq!(world.many(&ids).remove::<X>(), ROWS);
    })
}
