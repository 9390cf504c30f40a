//! Operations that change nothing have no effects: no table, no row and no event.

use strata_tests::drops::{self, Token};

use super::*;

#[derive(Component, Debug, PartialEq, Clone)]
struct Mark(u32);
#[derive(Component, Clone)]
struct Never;
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Aside(u32);
#[derive(Component)]
struct Held(Token);

/// Returns the state that must not change: tables, and the location of each entity.
fn shape(world: &World) -> (usize, u64, Vec<(Entity, usize, u32)>) {
    let at = |entity: EntityRef<'_>| (entity.id(), entity.location().table.index(), entity.location().row);
    let bytes = world.entities().allocated_bytes() as u64;
    (world.tables().iter().count(), bytes, world.iter_entities().map(at).collect())
}

/// Makes a world, does something to it twice, and asks that its shape stays.
fn changes_nothing(what: &str, action: impl Fn(&mut World, Entity)) {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((Mark(1), Aside(1), Held(Token::new()))).id();
    world.spawn((Mark(2), Aside(2)));
    world.spawn_empty();
    let before = shape(&world);
    for _ in 0..2 {
        action(&mut world, entity);
        world.check_invariants();
        assert_eq!(shape(&world), before, "{what}");
    }
    assert_eq!(drops::alive(), 1, "{what}");
    assert_eq!((world.get(entity), world.get(entity)), (Some(&Mark(1)), Some(&Aside(1))), "{what}");
    finish(world);
}

#[test]
fn removing_what_is_not_there_makes_no_table() {
    changes_nothing("remove", |world, entity| {
        world.entity_mut(entity).remove::<Never>();
    });
    changes_nothing("remove by command", |world, entity| {
        world.commands().entity(entity).remove::<(Never,)>();
        world.flush();
    });
    changes_nothing("take", |world, entity| assert!(world.entity_mut(entity).take::<Never>().is_none()));
    changes_nothing("remove from all", |world, _| {
        world.all::<()>().remove::<Never>();
    });
    changes_nothing("remove from many", |world, entity| {
        world.many(&[entity]).remove::<Never>();
    });
    changes_nothing("remove nothing", |world, entity| {
        world.entity_mut(entity).remove::<()>();
        world.all::<()>().remove::<()>();
    });
}

#[test]
fn inserting_what_is_there_makes_no_table() {
    changes_nothing("insert", |world, entity| {
        world.entity_mut(entity).insert((Mark(1), Aside(1)));
    });
    changes_nothing("insert if new", |world, entity| {
        world.entity_mut(entity).insert_if_new((Mark(5), Aside(5), Held(Token::new())));
    });
    changes_nothing("insert by command", |world, entity| {
        world.commands().entity(entity).insert(Mark(5)).insert((Mark(1), Aside(1)));
        world.flush();
    });
    changes_nothing("insert into many", |world, entity| {
        world.many(&[entity]).insert((Mark(1), Aside(1)));
    });
    changes_nothing("insert nothing", |world, entity| {
        world.entity_mut(entity).insert(());
        world.commands().entity(entity).insert(()).remove::<()>();
        world.flush();
        world.all::<()>().insert(());
    });
    changes_nothing("batch of nothing", |world, entity| {
        assert_eq!(world.insert_batch([(entity, ())]), 1);
        assert_eq!(world.many(&[]).insert(Mark(3)), 0);
        assert_eq!(world.many(&[]).despawn(), 0);
    });
}

#[test]
fn a_change_that_is_taken_back_in_one_operation_makes_no_table() {
    changes_nothing("insert and remove by commands", |world, entity| {
        world.commands().entity(entity).insert(Never).remove::<Never>();
        world.flush();
    });
    changes_nothing("an empty builder", |world, entity| {
        let before = world.len();
        world.entity_mut(entity).insert_dynamic(&mut EntityBuilder::new());
        assert_eq!(world.len(), before);
    });
}
