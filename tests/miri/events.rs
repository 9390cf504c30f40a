//! Hooks, observers, relationships, pairs and messages.

use strata_ecs::lifecycle::HookContext;
use strata_ecs::world::DeferredWorld;

use super::*;

#[derive(Component, Clone)]
#[component(on_add = note, on_remove = note)]
struct Hooked(Box<u32>);

fn note(mut world: DeferredWorld, context: HookContext) {
    let value = *world.get::<Hooked>(context.entity).expect("the hooked value").0;
    world.resource_mut::<Total>().0 += value;
    world.commands().entity(context.entity).insert(Marked);
}

#[derive(Relation, Clone, Debug, PartialEq)]
struct Likes(String);

#[derive(Message, Clone)]
struct Said(String);

#[test]
fn hooks_and_observers_see_values_and_record_commands() {
    let mut world = World::new();
    world.init_resource::<Total>();
    world.add_observer(|add: On<Add<Label>>, labels: Query<&Label>, mut commands: Commands| {
        let label = labels.get(add.entity).expect("the label").clone();
        commands.entity(add.entity).insert(Poison(Box::new(label.0.len() as u32)));
    });
    let id = world.spawn((Hooked(Box::new(2)), Label("four".to_owned()))).id();
    assert!(world.entity(id).contains::<Marked>());
    assert_eq!(world.get::<Poison>(id).map(|poison| *poison.0), Some(4));
    world.despawn(id);
    assert_eq!(world.resource::<Total>().0, 4);
}

#[test]
fn both_sides_of_a_relationship_agree() {
    let mut world = World::new();
    let parent = world.spawn(Label("parent".to_owned())).id();
    world.entity_mut(parent).with_children(|children| {
        for i in 0..4 {
            children.spawn(Label(i.to_string()));
        }
    });
    let children: Vec<Entity> = world.get::<Children>(parent).expect("children").iter().collect();
    world.despawn(children[1]);
    world.entity_mut(children[2]).remove::<ChildOf>();
    assert_eq!(world.get::<Children>(parent).map(|left| left.iter().collect()), Some(vec![children[0], children[3]]));
    world.despawn(parent);
    assert_eq!(world.query::<&Label>().iter(&world).count(), 1);
}

#[test]
fn pairs_keep_their_values() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..4).map(|_| world.spawn_empty().id()).collect();
    for &target in &ids[1..] {
        world.relate(ids[0], Likes("much".to_owned()), target);
    }
    world.relate(ids[1], Likes("little".to_owned()), ids[2]);
    world.unrelate::<Likes>(ids[0], ids[1]);
    world.despawn(ids[3]);
    let left: Vec<(Entity, Likes)> = world.pairs_from::<Likes>(ids[0]).map(|(to, value)| (to, value.clone())).collect();
    assert_eq!(left, [(ids[2], Likes("much".to_owned()))]);
    assert_eq!(world.pairs_to::<Likes>(ids[2]).count(), 2);
}

#[test]
fn messages_and_removals_are_read_once() {
    let mut world = World::new();
    let read = |mut said: MessageReader<Said>, mut removed: RemovedComponents<Label>| {
        (said.read().map(|said| said.0.clone()).collect::<Vec<_>>(), removed.read().count())
    };
    let read = world.register_system(read);
    world.run_system(read).expect("the system runs");
    let id = world.spawn(Label("gone".to_owned())).id();
    world.write_message(Said("hello".to_owned()));
    world.despawn(id);
    assert_eq!(world.run_system(read).expect("the system runs"), (vec!["hello".to_owned()], 1));
    assert_eq!(world.run_system(read).expect("the system runs"), (Vec::new(), 0));
}
