//! Observers and hooks of the components of relationships, and events that go on along them.

use strata_ecs::prelude::*;

use crate::{children, entities};

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<String>);

fn noted(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[test]
fn events_go_on_to_the_parent() {
    #[derive(EntityEvent)]
    #[entity_event(propagate, auto_propagate)]
    struct Click {
        entity: Entity,
    }
    let mut world = World::new();
    world.init_resource::<Log>();
    let [root] = entities(&mut world);
    let child = world.spawn(ChildOf(root)).id();
    let leaf = world.spawn(ChildOf(child)).id();
    world.add_observer(|click: On<Click>, mut log: ResMut<Log>| log.0.push(click.entity.to_string()));
    world.trigger(Click { entity: leaf });
    assert_eq!(noted(&mut world), [leaf, child, root].map(|entity| entity.to_string()));
}

#[test]
fn lists_are_told_as_components_are() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.add_observer(|on: On<Add<ChildOf>>, mut log: ResMut<Log>| log.0.push(format!("child {}", on.entity)));
    world.add_observer(|on: On<Add<Children>>, mut log: ResMut<Log>| log.0.push(format!("add {}", on.entity)));
    world.add_observer(|on: On<Remove<Children>>, mut log: ResMut<Log>| log.0.push(format!("remove {}", on.entity)));
    let [root, a, b] = entities(&mut world);
    world.entity_mut(a).insert(ChildOf(root));
    assert_eq!(noted(&mut world), [format!("child {a}"), format!("add {root}")]);
    world.entity_mut(b).insert(ChildOf(root));
    assert_eq!(noted(&mut world), [format!("child {b}")]);
    world.despawn(a);
    assert!(noted(&mut world).is_empty());
    world.despawn(b);
    assert_eq!(noted(&mut world), [format!("remove {root}")]);
}

#[test]
fn an_observer_may_undo_a_link() {
    let mut world = World::new();
    let [root, a] = entities(&mut world);
    world.add_observer(|on: On<Add<ChildOf>>, mut commands: Commands| {
        _ = commands.entity(on.entity).remove::<ChildOf>()
    });
    world.entity_mut(a).insert(ChildOf(root));
    assert!(world.get::<ChildOf>(a).is_none() && world.get::<Children>(root).is_none());
    world.check_invariants();
}

#[test]
fn an_observer_may_end_the_parent_of_what_ends() {
    let mut world = World::new();
    let [root, a, b] = entities(&mut world);
    world.entity_mut(root).add_children(&[a, b]);
    world.add_observer(|on: On<Despawn<ChildOf>>, parents: Query<&ChildOf>, mut commands: Commands| {
        commands.entity(parents.get(on.entity).unwrap().parent()).try_despawn();
    });
    world.despawn(a);
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn a_panic_of_an_observer_leaves_both_sides_equal() {
    for moment in ["add", "remove"] {
        let mut world = World::new();
        let [root, a, b] = entities(&mut world);
        world.entity_mut(root).add_child(a);
        match moment {
            "add" => _ = world.add_observer(|_: On<Add<ChildOf>>| panic!("an observer")),
            _ => _ = world.add_observer(|_: On<Remove<ChildOf>>| panic!("an observer")),
        }
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match moment {
            "add" => _ = world.entity_mut(b).insert(ChildOf(root)),
            _ => _ = world.entity_mut(a).remove::<ChildOf>(),
        }));
        assert!(done.is_err());
        world.check_invariants();
        assert_eq!(children(&world, root).len(), if moment == "add" { 2 } else { 0 });
    }
}

#[test]
fn hooks_see_both_sides() {
    #[derive(Component)]
    #[relationship(relationship_target = Crew)]
    #[component(on_insert = |world, context| {
        let ship = world.get::<Aboard>(context.entity).unwrap().0;
        assert!(world.get::<Crew>(ship).unwrap().iter().any(|entity| entity == context.entity));
    })]
    struct Aboard(Entity);
    #[derive(Component)]
    #[relationship_target(relationship = Aboard)]
    struct Crew(Vec<Entity>);

    let mut world = World::new();
    let [ship] = entities(&mut world);
    let cook = world.spawn(Aboard(ship)).id();
    world.spawn_batch([Aboard(ship), Aboard(ship)]);
    world.despawn(cook);
    assert_eq!(world.get::<Crew>(ship).unwrap().0.len(), 2);
    world.check_invariants();
}

#[test]
fn children_that_an_observer_adds_while_others_are_replaced_stay() {
    let mut world = World::new();
    let [root, old, new] = entities(&mut world);
    world.entity_mut(root).add_child(old);
    let mut count = 0;
    world.add_observer(move |on: On<Insert<ChildOf>>, parents: Query<&ChildOf>, mut commands: Commands| {
        count += 1;
        if count == 1 {
            commands.spawn(ChildOf(parents.get(on.entity).unwrap().parent()));
        }
    });
    world.entity_mut(root).replace_children(&[new]);
    world.check_invariants();
    assert_eq!((children(&world, root).len(), children(&world, root)[0]), (2, new));
}

#[test]
fn a_source_that_has_given_way_is_not_told_of() {
    #[derive(Component)]
    #[relationship(relationship_target = Seat)]
    #[component(on_add = |world, context| assert!(world.get::<Sits>(context.entity).is_some()))]
    struct Sits(Entity);
    #[derive(Component)]
    #[relationship_target(relationship = Sits)]
    struct Seat(Entity);

    let mut world = World::new();
    let [chair] = entities(&mut world);
    let all: Vec<Entity> = world.spawn_batch((0..3).map(|_| Sits(chair))).collect();
    world.check_invariants();
    assert_eq!(world.get::<Seat>(chair).unwrap().0, all[2]);
}
