//! Changes that are recorded first and applied later.
//!
//! The recorders are kept between runs, as a schedule keeps its queues. The stores are kept too, so that the times are those of a program
//! that has run for a while.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::baseline::{Bodies, Id};
use super::data::{Asleep, BODY, Body, Extra, Goal, Kept, Speed, Tint, Vec3};
use super::four;
use super::limits::{Bare, BareShapes, BodyColumns, Honest, Vectors, bare, honest};
use super::shapes::TwoShapes;
use super::{Bench, Contestant, Sample, undone};

pub(super) const ROWS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![spawns(), inserts(), despawns(), several(), record_spawns(), record_inserts(), record_despawns()]
}

/// A world, its entities, and a recorder of changes.
struct Recorded {
    world: World,
    queue: CommandQueue,
    ids: Vec<Entity>,
}

impl Recorded {
    fn new<B: Bundle + Copy>(rows: usize, bundle: B) -> Self {
        let mut world = World::new();
        let ids = world.spawn_batch((0..rows).map(|_| bundle)).collect();
        Self { world, queue: CommandQueue::default(), ids }
    }

    /// Whether all entities have a component (`true`), or none of them (`false`).
    fn all_have<C: Component>(&self, expected: bool) -> bool {
        self.ids.iter().all(|&id| self.world.get::<C>(id).is_some() == expected)
    }
}

/// A matrix and three vectors for every entity.
fn spawns() -> Bench {
    Bench {
        file: "structure",
        name: "commands: spawn 10k x 4",
        rows: ROWS,
        contestants: vec![
            Contestant::new("plain values by hand", None, || {
                undone(
                    (Bodies::default(), Vec::<Body>::new()),
                    |(bodies, recorded)| {
                        let body = black_box(BODY);
                        for _ in 0..ROWS {
                            recorded.push(body);
                        }
                        for body in black_box(recorded).drain(..) {
                            bodies.spawn(body);
                        }
                    },
                    |(bodies, _)| {
                        assert_eq!(bodies.len(), ROWS);
                        bodies.clear();
                    },
                )
            }),
            Contestant::new("commands.spawn", Some(1.6), || {
                undone(
                    Recorded::new(0, BODY),
                    |Recorded { world, queue, .. }| {
                        let body = black_box(BODY);
                        let mut commands = Commands::new(queue, world);
                        for _ in 0..ROWS {
                            commands.spawn(body);
                        }
                        queue.apply(world);
                    },
                    |Recorded { world, .. }| {
                        assert_eq!(world.len(), ROWS);
                        world.clear_entities();
                    },
                )
            }),
            bare(|| {
                undone(
                    (Bare::<BodyColumns>::default(), Vec::<Body>::new()),
                    |(bodies, recorded)| {
                        let body = black_box(BODY);
                        for _ in 0..ROWS {
                            recorded.push(body);
                        }
                        for body in black_box(recorded).drain(..) {
                            bodies.columns.push(body);
                        }
                    },
                    |(bodies, _)| bodies.clear(),
                )
            }),
            honest(|| {
                undone(
                    (Honest::<BodyColumns>::default(), Vec::<Body>::new()),
                    |(bodies, recorded)| {
                        let body = black_box(BODY);
                        for _ in 0..ROWS {
                            recorded.push(body);
                        }
                        for body in black_box(recorded).drain(..) {
                            bodies.spawn(Honest::<BodyColumns>::TABLE, body);
                        }
                    },
                    |(bodies, _)| {
                        assert_eq!(bodies.len(), ROWS);
                        bodies.clear(Honest::<BodyColumns>::TABLE);
                    },
                )
            }),
        ],
    }
}

/// Every entity gains a component.
fn inserts() -> Bench {
    Bench {
        file: "structure",
        name: "commands: insert 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("honest limit: plain values by hand", None, || {
                let mut shapes = TwoShapes::<Vec<Kept>>::default();
                let ids: Vec<Id> = (0..ROWS).map(|_| shapes.spawn(Kept(1.0))).collect();
                undone(
                    (shapes, ids, Vec::<(Id, Extra)>::new()),
                    |(shapes, ids, recorded)| {
                        let extra = black_box(Extra(1.0));
                        for &id in &*ids {
                            recorded.push((id, extra));
                        }
                        for (id, extra) in black_box(recorded).drain(..) {
                            shapes.insert(id, extra);
                        }
                    },
                    |(shapes, ids, _)| {
                        assert_eq!(shapes.extras(), ROWS);
                        for &id in &*ids {
                            shapes.remove(id);
                        }
                    },
                )
            }),
            Contestant::new("commands.entity, insert", Some(2.0), || {
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
                    |recorded| {
                        assert!(recorded.all_have::<Extra>(true));
                        for &id in &recorded.ids {
                            recorded.world.entity_mut(id).remove::<Extra>();
                        }
                    },
                )
            }),
            bare(|| {
                let mut shapes = BareShapes::<Vec<Kept>>::default();
                let ids: Vec<u64> = (0..ROWS).map(|_| shapes.spawn(Kept(1.0))).collect();
                undone(
                    (shapes, ids, Vec::<(u64, Extra)>::new()),
                    |(shapes, ids, recorded)| {
                        let extra = black_box(Extra(1.0));
                        for &id in &*ids {
                            recorded.push((id, extra));
                        }
                        for (id, extra) in black_box(recorded).drain(..) {
                            shapes.insert(id, extra);
                        }
                    },
                    |(shapes, ids, _)| {
                        assert_eq!(shapes.extras(), ROWS);
                        for &id in &*ids {
                            shapes.remove(id);
                        }
                    },
                )
            }),
        ],
    }
}

/// Despawns every entity, each with a matrix and three vectors, by id.
fn despawns() -> Bench {
    Bench {
        file: "structure",
        name: "commands: despawn 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("plain values by hand", None, || {
                let mut bodies = Bodies::default();
                let ids: Vec<Id> = (0..ROWS).map(|_| bodies.spawn(BODY)).collect();
                undone(
                    (bodies, ids, Vec::<Id>::new()),
                    |(bodies, ids, recorded)| {
                        for &id in &*ids {
                            recorded.push(id);
                        }
                        for id in black_box(recorded).drain(..) {
                            bodies.despawn(id);
                        }
                    },
                    |(bodies, ids, _)| {
                        assert_eq!(bodies.len(), 0);
                        ids.clear();
                        ids.extend((0..ROWS).map(|_| bodies.spawn(BODY)));
                    },
                )
            }),
            Contestant::new("commands.entity, despawn", Some(1.6), || {
                undone(
                    Recorded::new(ROWS, BODY),
                    |Recorded { world, queue, ids }| {
                        let mut commands = Commands::new(queue, world);
                        for &id in &*ids {
                            commands.entity(id).despawn();
                        }
                        queue.apply(world);
                    },
                    |Recorded { world, ids, .. }| {
                        assert!(world.is_empty());
                        ids.clear();
                        ids.extend(world.spawn_batch((0..ROWS).map(|_| BODY)));
                    },
                )
            }),
            bare(|| {
                let mut bodies = Bare::<BodyColumns>::default();
                let ids: Vec<u64> = (0..ROWS).map(|_| bodies.spawn(BODY)).collect();
                undone(
                    (bodies, ids, Vec::<u64>::new()),
                    |(bodies, ids, recorded)| {
                        for &id in &*ids {
                            recorded.push(id);
                        }
                        for id in black_box(recorded).drain(..) {
                            bodies.despawn(id);
                        }
                    },
                    |(bodies, ids, _)| {
                        assert_eq!(bodies.len(), 0);
                        bodies.clear();
                        ids.clear();
                        ids.extend((0..ROWS).map(|_| bodies.spawn(BODY)));
                    },
                )
            }),
            honest(|| {
                let mut bodies = Honest::<BodyColumns>::default();
                let ids: Vec<Id> = (0..ROWS).map(|_| bodies.spawn(Honest::<BodyColumns>::TABLE, BODY)).collect();
                undone(
                    (bodies, ids, Vec::<Id>::new()),
                    |(bodies, ids, recorded)| {
                        for &id in &*ids {
                            recorded.push(id);
                        }
                        for id in black_box(recorded).drain(..) {
                            bodies.despawn(id);
                        }
                    },
                    |(bodies, ids, _)| {
                        assert_eq!(bodies.len(), 0);
                        ids.clear();
                        ids.extend((0..ROWS).map(|_| bodies.spawn(Honest::<BodyColumns>::TABLE, BODY)));
                    },
                )
            }),
        ],
    }
}

/// Four changes of each entity, as multiples of one change: they should cost one move.
fn several() -> Bench {
    Bench {
        file: "structure",
        name: "commands: 3 inserts, 1 remove 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("one insert each", None, one_insert),
            Contestant::new("commands.entity, all four", Some(1.3), four_by_commands),
            Contestant::new("entity_mut, all four", None, four_by_entity_mut),
            four::bare(),
            four::honest(),
        ],
    }
}

pub(super) fn gained() -> (Speed, Goal, Tint) {
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
            for &id in &recorded.ids {
                recorded.world.entity_mut(id).remove::<Speed>();
            }
        },
    )
}

/// Undoes the four changes of each entity.
fn undo_four(recorded: &mut Recorded) {
    assert!(recorded.all_have::<Speed>(true) && recorded.all_have::<Goal>(true) && recorded.all_have::<Tint>(true));
    assert!(recorded.all_have::<Asleep>(false));
    for &id in &recorded.ids {
        recorded.world.entity_mut(id).remove::<(Speed, Goal, Tint)>().insert(Asleep(1));
    }
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
        undo_four,
    )
}

fn four_by_entity_mut() -> Sample {
    undone(
        Recorded::new(ROWS, (Kept(1.0), Asleep(1))),
        |Recorded { world, ids, .. }| {
            let (speed, goal, tint) = gained();
            for &id in &*ids {
                world.entity_mut(id).insert(speed).insert(goal).insert(tint).remove::<Asleep>();
            }
        },
        undo_four,
    )
}

// Recording alone. The changes are applied in between, not timed.

fn record_spawns() -> Bench {
    Bench {
        file: "structure",
        name: "commands: record spawn 10k x 4",
        rows: ROWS,
        contestants: vec![
            Contestant::new("pushes by hand", None, || pushes(BODY)),
            Contestant::new("commands.spawn", None, || {
                undone(
                    Recorded::new(0, BODY),
                    |Recorded { world, queue, .. }| {
                        let body = black_box(BODY);
                        let mut commands = Commands::new(queue, world);
                        for _ in 0..ROWS {
                            commands.spawn(body);
                        }
                    },
                    |Recorded { world, queue, .. }| {
                        queue.apply(world);
                        assert_eq!(world.len(), ROWS);
                        world.clear_entities();
                    },
                )
            }),
        ],
    }
}

fn record_inserts() -> Bench {
    Bench {
        file: "structure",
        name: "commands: record insert 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("pushes by hand", None, || pushes((Entity::PLACEHOLDER, Extra(1.0)))),
            Contestant::new("commands.entity, insert", None, || {
                undone(
                    Recorded::new(ROWS, Kept(1.0)),
                    |Recorded { world, queue, ids }| {
                        let extra = black_box(Extra(1.0));
                        let mut commands = Commands::new(queue, world);
                        for &id in &*ids {
                            commands.entity(id).insert(extra);
                        }
                    },
                    |recorded| {
                        recorded.queue.apply(&mut recorded.world);
                        assert!(recorded.all_have::<Extra>(true));
                        recorded.world.all::<With<Extra>>().remove::<Extra>();
                    },
                )
            }),
        ],
    }
}

fn record_despawns() -> Bench {
    Bench {
        file: "structure",
        name: "commands: record despawn 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("pushes by hand", None, || pushes(Entity::PLACEHOLDER)),
            Contestant::new("commands.entity, despawn", None, || {
                undone(
                    Recorded::new(ROWS, BODY),
                    |Recorded { world, queue, ids }| {
                        let mut commands = Commands::new(queue, world);
                        for &id in &*ids {
                            commands.entity(id).despawn();
                        }
                    },
                    |Recorded { world, queue, ids }| {
                        queue.apply(world);
                        assert!(world.is_empty());
                        ids.clear();
                        ids.extend(world.spawn_batch((0..ROWS).map(|_| BODY)));
                    },
                )
            }),
        ],
    }
}

/// A vector of values that keeps its memory.
fn pushes<T: Copy + 'static>(value: T) -> Sample {
    undone(
        Vec::new(),
        move |recorded| {
            let value = black_box(value);
            for _ in 0..ROWS {
                recorded.push(black_box(value));
            }
        },
        |recorded| {
            assert_eq!(recorded.len(), ROWS);
            recorded.clear();
        },
    )
}
