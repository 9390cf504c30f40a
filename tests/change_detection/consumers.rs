//! Systems that look for changes, and what a model says that each of them has to see.

use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;

use crate::parts::{Aside, Health, Marked, Other, Tag};

pub(crate) const HEALTH: usize = 0;
pub(crate) const MARKED: usize = 1;
pub(crate) const ASIDE: usize = 2;
pub(crate) const TAG: usize = 3;
pub(crate) const OTHER: usize = 4;
pub(crate) const NEEDY: usize = 5;
pub(crate) const COMPONENTS: usize = 6;

/// When a component was added and changed, counted without an end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Stamp {
    pub added: u64,
    pub changed: u64,
}

/// An entity of the model.
pub(crate) type Row = [Option<Stamp>; COMPONENTS];

/// When a consumer ran last, if it ever did.
type Last = Option<u64>;

fn changed(row: &Row, component: usize, last: Last) -> bool {
    row[component].is_some_and(|stamp| last.is_none_or(|last| stamp.changed > last))
}

fn added(row: &Row, component: usize, last: Last) -> bool {
    row[component].is_some_and(|stamp| last.is_none_or(|last| stamp.added > last))
}

type Seen = Arc<Mutex<Vec<Entity>>>;

fn note(seen: &Seen, entities: impl Iterator<Item = Entity>) {
    seen.lock().expect("no panic").extend(entities);
}

/// A system that looks for changes.
pub(crate) struct Kind {
    pub name: &'static str,
    make: fn(Seen) -> Schedule,
    /// Whether it has to see an entity.
    pub expects: fn(&Row, Last) -> bool,
    /// Whether it changes each second entity that it sees.
    pub writes: bool,
    /// Whether it is one whose own run ends with another tick.
    pub exclusive: bool,
}

/// A system that does something with a query.
macro_rules! looks {
    ($D:ty, $F:ty, |$query:ident, $seen:ident| $body:expr) => {
        |$seen: Seen| {
            let mut schedule = Schedule::default();
            schedule.add_systems(move |$query: Query<$D, $F>| $body);
            schedule
        }
    };
}

/// A system that looks with a filter.
macro_rules! filtered {
    ($F:ty) => {
        looks!(Entity, $F, |query, seen| note(&seen, query.iter()))
    };
}

const fn kind(name: &'static str, make: fn(Seen) -> Schedule, expects: fn(&Row, Last) -> bool) -> Kind {
    Kind { name, make, expects, writes: false, exclusive: false }
}

fn exclusive(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    let mut query: Option<QueryState<Entity, Changed<Health>>> = None;
    schedule.add_systems(move |world: &mut World| {
        let query = query.get_or_insert_with(|| world.query_filtered());
        note(&seen, query.iter(world));
        let mut own = world.query::<&mut Health>();
        let halves: Vec<Entity> = seen.lock().expect("no panic").iter().copied().step_by(2).collect();
        for entity in halves {
            own.get_mut(world, entity).expect("it was seen").0 += 1;
        }
    });
    schedule
}

fn writer(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |mut query: Query<(Entity, &mut Health), Changed<Health>>| {
        for (nth, (entity, mut health)) in query.iter_mut().enumerate() {
            note(&seen, [entity].into_iter());
            if nth % 2 == 0 {
                health.0 += 1;
            }
        }
    });
    schedule
}

fn sparse_writer(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |mut query: Query<(Entity, Mut<Aside>), Changed<Aside>>| {
        let mut nth = 0;
        query.iter_mut().for_each(|(entity, mut aside)| {
            note(&seen, [entity].into_iter());
            if nth % 2 == 0 {
                aside.0 += 1;
            }
            nth += 1;
        });
    });
    schedule
}

fn by_entity(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |all: Query<Entity, With<Health>>, new: Query<Entity, Changed<Health>>| {
        note(&seen, all.iter().filter(|&entity| new.contains(entity)));
        assert_eq!(new.iter_many(&all).count(), seen.lock().expect("no panic").len());
    });
    schedule
}

fn sparse_by_entity(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |all: Query<Entity>, new: Query<(), Or<(Added<Aside>, Changed<Tag>)>>| {
        note(&seen, all.iter().filter(|&entity| new.get(entity).is_ok()));
    });
    schedule
}

/// All kinds.
pub(crate) const KINDS: &[Kind] = &[
    kind("Changed<Health>", filtered!(Changed<Health>), |row, last| changed(row, HEALTH, last)),
    kind("Added<Health>", filtered!(Added<Health>), |row, last| added(row, HEALTH, last)),
    kind("Changed<Aside>", filtered!(Changed<Aside>), |row, last| changed(row, ASIDE, last)),
    kind("Added<Aside>", filtered!(Added<Aside>), |row, last| added(row, ASIDE, last)),
    kind("Changed<Tag>", filtered!(Changed<Tag>), |row, last| changed(row, TAG, last)),
    kind("Changed<Marked>", filtered!(Changed<Marked>), |row, last| changed(row, MARKED, last)),
    kind("Added<Marked>", filtered!(Added<Marked>), |row, last| added(row, MARKED, last)),
    kind("Or of a table's and a sparse one", filtered!(Or<(Changed<Health>, Changed<Aside>)>), |row, last| {
        changed(row, HEALTH, last) || changed(row, ASIDE, last)
    }),
    kind("Or of two of tables", filtered!(Or<(Changed<Health>, Added<Marked>)>), |row, last| {
        changed(row, HEALTH, last) || added(row, MARKED, last)
    }),
    kind("Or with With", filtered!(Or<(Added<Health>, With<Tag>)>), |row, last| {
        added(row, HEALTH, last) || row[TAG].is_some()
    }),
    kind("two of tables", filtered!((Changed<Health>, Changed<Marked>)), |row, last| {
        changed(row, HEALTH, last) && changed(row, MARKED, last)
    }),
    kind("sparse ones and one of a table", filtered!((Changed<Tag>, Changed<Aside>, Changed<Health>)), |row, last| {
        changed(row, TAG, last) && changed(row, ASIDE, last) && changed(row, HEALTH, last)
    }),
    kind("with another component", filtered!((Changed<Health>, With<Other>)), |row, last| {
        changed(row, HEALTH, last) && row[OTHER].is_some()
    }),
    kind("without a tag", filtered!((Changed<Health>, Without<Tag>)), |row, last| {
        changed(row, HEALTH, last) && row[TAG].is_none()
    }),
    kind("Or in a tuple", filtered!((Changed<Health>, Or<(With<Tag>, Changed<Marked>)>)), |row, last| {
        changed(row, HEALTH, last) && (row[TAG].is_some() || changed(row, MARKED, last))
    }),
    kind(
        "Ref of a table",
        looks!((Entity, Ref<Health>), (), |query, seen| {
            note(&seen, query.iter().filter(|(_, health)| health.is_changed()).map(|(entity, _)| entity));
        }),
        |row, last| changed(row, HEALTH, last),
    ),
    kind(
        "Ref of a sparse one",
        looks!((Entity, Ref<Aside>), (), |query, seen| {
            query
                .iter()
                .filter(|(_, aside)| aside.is_added())
                .for_each(|(entity, _)| note(&seen, [entity].into_iter()));
        }),
        |row, last| added(row, ASIDE, last),
    ),
    kind(
        "by slices",
        looks!((Entity, &Health), Changed<Health>, |query, seen| {
            for (entities, healths) in query.contiguous_iter() {
                assert_eq!(entities.len(), healths.len());
                note(&seen, entities.iter().copied());
            }
        }),
        |row, last| changed(row, HEALTH, last),
    ),
    kind(
        "by fold",
        looks!(Entity, Changed<Health>, |query, seen| query
            .iter()
            .for_each(|entity| note(&seen, [entity].into_iter()))),
        |row, last| changed(row, HEALTH, last),
    ),
    kind(
        "by combinations",
        looks!(Entity, Changed<Marked>, |query, seen| {
            note(&seen, query.iter_combinations::<1>().map(|[entity]| entity));
        }),
        |row, last| changed(row, MARKED, last),
    ),
    kind("by entity", by_entity, |row, last| changed(row, HEALTH, last)),
    kind("sparse ones by entity", sparse_by_entity, |row, last| added(row, ASIDE, last) || changed(row, TAG, last)),
    Kind {
        name: "a writer",
        make: writer,
        expects: |row, last| changed(row, HEALTH, last),
        writes: true,
        exclusive: false,
    },
    Kind {
        name: "a writer of a sparse one",
        make: sparse_writer,
        expects: |row, last| changed(row, ASIDE, last),
        writes: true,
        exclusive: false,
    },
    Kind {
        name: "an exclusive system",
        make: exclusive,
        expects: |row, last| changed(row, HEALTH, last),
        writes: true,
        exclusive: true,
    },
];

impl Kind {
    /// The component that it changes, if it does.
    pub(crate) fn written(&self) -> usize {
        if self.name.contains("sparse") { ASIDE } else { HEALTH }
    }
}

/// A system of some kind that runs now and then.
pub(crate) struct Consumer {
    pub kind: &'static Kind,
    schedule: Schedule,
    seen: Seen,
    /// Each so many steps it runs.
    pub period: u64,
    pub last: Last,
}

impl Consumer {
    pub(crate) fn new(kind: &'static Kind, period: u64) -> Self {
        let seen = Seen::default();
        Self { kind, schedule: (kind.make)(Arc::clone(&seen)), seen, period, last: None }
    }

    /// Runs it, and says what it has seen.
    pub(crate) fn run(&mut self, world: &mut World) -> Vec<Entity> {
        self.schedule.run(world);
        std::mem::take(&mut self.seen.lock().expect("no panic"))
    }
}
