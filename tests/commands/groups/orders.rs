//! Every group of up to three steps, on every kind of entity.

use strata_ecs::entity::EntityError;
use strata_tests::drops;

use super::*;

/// A step of a group. The value of what is added is the place of the step in the group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    InsertA,
    InsertBoth,
    InsertSparse,
    InsertIfNew,
    InsertTags,
    RemoveA,
    RemoveSparse,
    RemoveAll,
    Despawn,
}

pub(super) const STEPS: [Step; 9] = [
    Step::InsertA,
    Step::InsertBoth,
    Step::InsertSparse,
    Step::InsertIfNew,
    Step::InsertTags,
    Step::RemoveA,
    Step::RemoveSparse,
    Step::RemoveAll,
    Step::Despawn,
];

/// The state of the entity before the group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Before {
    /// It is spawned by the group.
    New,
    /// Its id has been reserved.
    Reserved,
    Empty,
    Full,
    Dead,
}

pub(super) const BEFORE: [Before; 5] = [Before::New, Before::Reserved, Before::Empty, Before::Full, Before::Dead];

/// Every group of one, two or three steps.
pub(super) fn groups() -> Vec<Vec<Step>> {
    let longer = |groups: &[Vec<Step>]| -> Vec<Vec<Step>> {
        let with = |group: &Vec<Step>, step| group.iter().copied().chain([step]).collect();
        groups.iter().flat_map(|group| STEPS.map(|step| with(group, step))).collect()
    };
    let one = longer(&[Vec::new()]);
    let two = longer(&one);
    let three = longer(&two);
    [one, two, three].concat()
}

/// The entity that a group is about. A new one has no command yet.
pub(super) fn entity_before(world: &mut World, before: Before) -> Entity {
    let full = |world: &mut World| world.spawn((a(100), b(100), s(100), Unit, Tag)).id();
    match before {
        Before::New | Before::Reserved => world.reserve_entity(),
        Before::Empty => world.spawn_empty().id(),
        Before::Full => full(world),
        Before::Dead => {
            let entity = full(world);
            world.despawn(entity);
            entity
        }
    }
}

pub(super) fn record(entity: &mut EntityCommands<'_>, at: u32, step: Step) {
    match step {
        Step::InsertA => {
            entity.insert(a(at));
        }
        Step::InsertBoth => {
            entity.insert((b(at), a(at)));
        }
        Step::InsertSparse => {
            entity.insert((s(at), b(at)));
        }
        Step::InsertIfNew => {
            entity.insert_if_new((a(at), s(at), Tag));
        }
        Step::InsertTags => {
            entity.insert((Unit, Tag));
        }
        Step::RemoveA => {
            entity.remove::<A>();
        }
        Step::RemoveSparse => {
            entity.remove::<(S, Tag)>();
        }
        Step::RemoveAll => {
            entity.remove::<(A, B, S, Unit)>();
        }
        Step::Despawn => entity.despawn(),
    }
}

/// Records a group; a new entity is spawned by the first command.
pub(super) fn record_group(commands: &mut Commands<'_, '_>, entity: Entity, before: Before, group: &[Step]) -> Entity {
    let entity = match before {
        Before::New => commands.spawn((a(50), s(50))).id(),
        _ => entity,
    };
    for (at, step) in (0..).zip(group) {
        record(&mut commands.entity(entity), at, *step);
    }
    entity
}

/// Returns the expected result of a group: the row, and the number of steps that are errors.
pub(super) fn expected(before: Before, group: &[Step]) -> (Option<Row>, usize) {
    let full = Row { values: [Some(100); 3], units: [true; 2] };
    let mut row = match before {
        Before::New => Some(Row { values: [Some(50), None, Some(50)], units: [false; 2] }),
        Before::Reserved | Before::Empty => Some(Row::default()),
        Before::Full => Some(full),
        Before::Dead => None,
    };
    let mut errors = 0;
    for (at, step) in (0..).zip(group) {
        let Some(Row { values: [a, b, s], units: [unit, tag] }) = &mut row else {
            errors += 1;
            continue;
        };
        match step {
            Step::InsertA => *a = Some(at),
            Step::InsertBoth => (*a, *b) = (Some(at), Some(at)),
            Step::InsertSparse => (*b, *s) = (Some(at), Some(at)),
            Step::InsertIfNew => (*a, *s, *tag) = (a.or(Some(at)), s.or(Some(at)), true),
            Step::InsertTags => (*unit, *tag) = (true, true),
            Step::RemoveA => *a = None,
            Step::RemoveSparse => (*s, *tag) = (None, false),
            Step::RemoveAll => (*a, *b, *s, *unit) = (None, None, None, false),
            Step::Despawn => row = None,
        }
    }
    (row, errors)
}

#[test]
fn a_group_of_any_three_steps_on_any_entity_does_what_the_steps_do_one_by_one() {
    for before in BEFORE {
        for group in groups() {
            drops::reset();
            let mut world = World::new();
            let entity = entity_before(&mut world, before);
            let entity = record_group(&mut world.commands(), entity, before, &group);
            world.flush();
            world.check_invariants();
            let (expected, errors) = expected(before, &group);
            assert_eq!(row(&world, entity), expected, "{before:?} {group:?}");
            assert_eq!(drops::alive(), tokens(&world), "{before:?} {group:?}");
            let (faults, _) = world.take_command_errors();
            assert_eq!(faults.len(), errors, "{before:?} {group:?}");
            assert!(faults.iter().all(|fault| fault.error() == Some(EntityError::Despawned(entity.into()))));
            drop(world);
            drops::assert_all_dropped_once();
        }
    }
}

#[test]
fn the_errors_of_groups_and_runs_come_in_the_order_of_recording() {
    let mut world = World::new();
    let dead: Vec<Entity> = (0..3).map(|_| world.spawn_empty().id()).collect();
    dead.iter().for_each(|entity| assert!(world.despawn(*entity)));
    let mut commands = world.commands();
    commands.entity(dead[0]).insert(Unit).try_insert(Tag).remove::<Unit>().insert_if_new(Tag).despawn();
    dead.iter().for_each(|entity| {
        commands.entity(*entity).insert(Tag);
    });
    dead.iter().for_each(|entity| commands.entity(*entity).despawn());
    commands.entity(dead[2]).retain::<Unit>().try_remove::<Unit>().try_despawn();
    world.flush();
    let (faults, missing) = world.take_command_errors();
    let found: Vec<(&str, Entity)> =
        faults.iter().map(|fault| (fault.command(), fault.error().expect("it is of an entity").entity())).collect();
    let group = ["insert", "remove", "insert_if_new", "despawn"].map(|command| (command, dead[0]));
    let run = |command| [0, 1, 2].map(|at| (command, dead[at]));
    let expected = [&group[..], &run("insert"), &run("despawn"), &[("retain", dead[2])]].concat();
    assert_eq!((found, missing), (expected, 0));
}

#[test]
fn more_errors_than_are_kept_are_counted_in_groups_and_runs() {
    let mut world = World::new();
    let dead = world.spawn_empty().id();
    world.despawn(dead);
    let other = world.reserve_entity();
    let mut commands = world.commands();
    for _ in 0..600 {
        commands.entity(dead).insert(Unit).remove::<Unit>();
        commands.entity(other).insert(Unit);
    }
    world.flush();
    let (faults, missing) = world.take_command_errors();
    assert_eq!((faults.len(), missing), (1024, 176));
}
