//! Series over numbers of tables, entities, components and commands: the cost of one as their number grows.

use std::hint::black_box;
use std::time::Instant;

use strata_ecs::observer::ObserverId;
use strata_ecs::prelude::*;

use super::{Cell, hundred};

/// One series: the counted unit and the measurement.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    /// The counted unit.
    pub(crate) unit: &'static str,
    pub(crate) counts: &'static [usize],
    /// Whether the time of a run is printed instead of the time per unit: for operations whose time should not depend on the count.
    pub(crate) is_of_run: bool,
    /// The run fails if the slope is steeper.
    pub(crate) steepest: Option<f64>,
    /// Measures the nanoseconds per unit.
    pub(crate) measure: fn(usize) -> f64,
}

const TABLES: &[usize] = &[100, 1_000, 4_000];
const MANY_TABLES: &[usize] = &[1, 100, 1_000, 20_000];
const ENTITIES: &[usize] = &[1_000, 10_000, 100_000, 1_000_000];
const OBSERVERS: &[usize] = &[1_000, 4_000, 16_000, 64_000];
const COMMANDS: &[usize] = &[100, 1_000, 10_000, 100_000];

pub(crate) const ALL: &[Series] = &[
    Series {
        name: "a query that matches one table meets new ones",
        unit: "tables",
        counts: TABLES,
        is_of_run: false,
        steepest: None,
        measure: meet_tables,
    },
    Series {
        name: "a query that matches one table among others",
        unit: "tables",
        counts: MANY_TABLES,
        is_of_run: true,
        steepest: None,
        measure: one_of_tables,
    },
    Series {
        name: "for_each over a quarter of tables of 4 rows",
        unit: "tables",
        counts: TABLES,
        is_of_run: false,
        steepest: None,
        measure: quarter_of_tables,
    },
    Series {
        name: "spawn one by one",
        unit: "entities",
        counts: ENTITIES,
        is_of_run: false,
        steepest: None,
        measure: spawn_each,
    },
    Series {
        name: "despawn one by one",
        unit: "entities",
        counts: ENTITIES,
        is_of_run: false,
        steepest: None,
        measure: despawn_each,
    },
    Series {
        name: "all gain a component and lose it",
        unit: "entities",
        counts: ENTITIES,
        is_of_run: false,
        steepest: None,
        measure: change_all,
    },
    Series {
        name: "all gain a sparse component and lose it",
        unit: "entities",
        counts: ENTITIES,
        is_of_run: false,
        steepest: None,
        measure: change_all_sparse,
    },
    Series {
        name: "get in the order of spawning",
        unit: "entities",
        counts: ENTITIES,
        is_of_run: false,
        steepest: None,
        measure: get_each,
    },
    Series {
        name: "one more component for an entity with others",
        unit: "components",
        counts: &[1, 10, 99],
        is_of_run: false,
        steepest: None,
        measure: one_more,
    },
    Series {
        name: "one command for each entity",
        unit: "commands",
        counts: COMMANDS,
        is_of_run: false,
        steepest: None,
        measure: command_each,
    },
    Series {
        name: "commands for one entity",
        unit: "commands",
        counts: COMMANDS,
        is_of_run: false,
        steepest: None,
        measure: commands_for_one,
    },
    Series {
        name: "removal of observers of all events of a type",
        unit: "observers",
        counts: OBSERVERS,
        is_of_run: false,
        steepest: Some(LINEAR),
        measure: remove_observers,
    },
    Series {
        name: "removal of observers of a component",
        unit: "observers",
        counts: OBSERVERS,
        is_of_run: false,
        steepest: Some(LINEAR),
        measure: remove_observers_of_component,
    },
    Series {
        name: "removal of observers of one entity",
        unit: "observers",
        counts: OBSERVERS,
        is_of_run: false,
        steepest: Some(LINEAR),
        measure: remove_observers_of_entity,
    },
];

/// The steepest slope that counts as linear: the data may outgrow a cache on the way.
const LINEAR: f64 = 1.4;

#[derive(Component)]
struct Bit<const N: usize>;

#[derive(Event)]
struct Bell;

#[derive(Component, Clone)]
struct Value(u64);

#[derive(Component, Clone)]
struct Extra(u64);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Sparse(u64);

/// The minimum time of several runs, divided by `count`. `prepare` is not timed.
fn least<T>(count: usize, mut prepare: impl FnMut() -> T, mut run: impl FnMut(&mut T)) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..if count > 100_000 { 3 } else { 9 } {
        let mut prepared = prepare();
        let start = Instant::now();
        run(black_box(&mut prepared));
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    least / count as f64
}

/// Inserts the components that place the entity in table `number`.
fn set_bits(entity: &mut EntityWorldMut<'_>, number: usize) {
    macro_rules! bits {
        ($($bit:literal)*) => {$(
            if number >> $bit & 1 != 0 {
                entity.insert(Bit::<$bit>);
            }
        )*};
    }
    bits!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
}

/// Spawns entities in `tables` tables of `rows` rows each.
fn with_tables(world: &mut World, tables: usize, rows: usize) {
    for number in 0..tables {
        for _ in 0..rows {
            set_bits(&mut world.spawn(Value(1)), number);
        }
    }
}

fn meet_tables(tables: usize) -> f64 {
    let prepare = || {
        let mut world = World::new();
        world.spawn(Extra(1));
        let mut query = world.query::<&Extra>();
        assert_eq!(query.iter(&world).count(), 1);
        with_tables(&mut world, tables, 1);
        (world, query)
    };
    least(tables, prepare, |(world, query)| assert_eq!(query.iter(world).count(), 1))
}

fn one_of_tables(tables: usize) -> f64 {
    const RUNS: usize = 1000;
    let prepare = || {
        let mut world = World::new();
        world.spawn(Extra(1));
        with_tables(&mut world, tables, 1);
        let mut query = world.query::<&Extra>();
        assert_eq!(query.iter(&world).count(), 1);
        (world, query)
    };
    let run = |(world, query): &mut (World, QueryState<&Extra>)| {
        for _ in 0..RUNS {
            assert_eq!(query.iter(black_box(world)).map(|extra| extra.0).sum::<u64>(), 1);
        }
    };
    least(tables, prepare, run) / RUNS as f64
}

fn quarter_of_tables(tables: usize) -> f64 {
    const RUNS: usize = 20;
    let prepare = || {
        let mut world = World::new();
        with_tables(&mut world, tables, 4);
        let query = world.query_filtered::<&mut Value, (With<Bit<0>>, With<Bit<1>>)>();
        (world, query)
    };
    let run = |(world, query): &mut (World, QueryState<&mut Value, (With<Bit<0>>, With<Bit<1>>)>)| {
        for _ in 0..RUNS {
            query.iter_mut(black_box(world)).for_each(|mut value| value.0 += 1);
        }
    };
    least(tables, prepare, run) / RUNS as f64
}

fn spawn_each(entities: usize) -> f64 {
    least(entities, World::new, |world| {
        for number in 0..entities {
            world.spawn((Value(number as u64), Extra(1)));
        }
    })
}

fn filled(entities: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(|number| Value(number as u64))).collect();
    (world, ids)
}

fn despawn_each(entities: usize) -> f64 {
    let run = |(world, ids): &mut (World, Vec<Entity>)| {
        for &id in ids.iter() {
            assert!(world.despawn(id));
        }
    };
    least(entities, || filled(entities), run)
}

fn change_all(entities: usize) -> f64 {
    least(
        entities,
        || filled(entities),
        |(world, _)| {
            assert_eq!(world.all::<With<Value>>().insert(Extra(1)), entities);
            assert_eq!(world.all::<With<Extra>>().remove::<Extra>(), entities);
        },
    )
}

fn change_all_sparse(entities: usize) -> f64 {
    least(
        entities,
        || filled(entities),
        |(world, _)| {
            assert_eq!(world.all::<With<Value>>().insert(Sparse(1)), entities);
            let sum: u64 = world.query::<&Sparse>().iter(world).map(|sparse| sparse.0).sum();
            assert_eq!(sum as usize, entities);
            assert_eq!(world.all::<With<Sparse>>().remove::<Sparse>(), entities);
        },
    )
}

fn get_each(entities: usize) -> f64 {
    let run = |(world, ids): &mut (World, Vec<Entity>)| {
        let values = ids.iter().filter_map(|&id| world.get::<Value>(id));
        assert_eq!(values.map(|value| value.0 as usize).sum::<usize>(), entities * (entities - 1) / 2);
    };
    least(entities, || filled(entities), run)
}

/// The cost of one more component, per component that the entity already has.
fn one_more(components: usize) -> f64 {
    const RUNS: usize = 1000;
    let prepare = || {
        let mut world = World::new();
        let mut entity = world.spawn_empty();
        macro_rules! insert {
            ($number:expr) => {
                if $number < components {
                    entity.insert(Cell::<{ $number }>($number));
                }
            };
        }
        hundred!(insert);
        let entity = entity.id();
        (world, entity)
    };
    let run = |(world, entity): &mut (World, Entity)| {
        for number in 0..RUNS {
            let mut entity = world.entity_mut(*entity);
            entity.insert(Extra(number as u64));
            entity.remove::<Extra>();
        }
    };
    least(components, prepare, run) / RUNS as f64
}

fn command_each(commands: usize) -> f64 {
    let run = |(world, ids): &mut (World, Vec<Entity>)| {
        for &id in ids.iter() {
            world.commands().entity(id).insert(Extra(1));
        }
        world.flush();
        assert!(ids.iter().all(|&id| world.get::<Extra>(id).is_some()));
    };
    least(commands, || filled(commands), run)
}

fn commands_for_one(commands: usize) -> f64 {
    let run = |(world, ids): &mut (World, Vec<Entity>)| {
        let mut queue = world.commands();
        let mut entity = queue.entity(ids[0]);
        for number in 0..commands / 2 {
            entity.insert(Extra(number as u64));
            entity.remove::<Extra>();
        }
        world.flush();
        assert!(world.get::<Extra>(ids[0]).is_none());
    };
    least(commands, || filled(1), run)
}

/// Alternately removes the first and the last observer, so that neither end of a list is favoured.
fn remove_each(observers: usize, add: impl Fn(&mut World, Entity) -> ObserverId) -> f64 {
    let prepare = || {
        let mut world = World::new();
        let entity = world.spawn_empty().id();
        let ids: Vec<_> = (0..observers).map(|_| add(&mut world, entity)).collect();
        (world, ids)
    };
    let run = |(world, ids): &mut (World, Vec<ObserverId>)| {
        let (first, last) = ids.split_at(ids.len() / 2);
        for (&one, &other) in first.iter().zip(last.iter().rev()) {
            assert!(world.remove_observer(one) && world.remove_observer(other));
        }
    };
    least(observers, prepare, run)
}

fn remove_observers(observers: usize) -> f64 {
    remove_each(observers, |world, _| world.add_observer(|_: On<'_, '_, Bell>| {}))
}

fn remove_observers_of_component(observers: usize) -> f64 {
    remove_each(observers, |world, _| world.add_observer(|_: On<'_, '_, Add<Value>>| {}))
}

fn remove_observers_of_entity(observers: usize) -> f64 {
    remove_each(observers, |world, entity| {
        world.add_observer(Observer::new(|_: On<'_, '_, Remove<Value>>| {}).with_entity(entity))
    })
}
