//! Operations on links, pairs, hooks and observers.

use strata_ecs::prelude::*;

use super::kinds::*;
use super::operations::Operation;
use super::stage::Stage;

/// Links and pairs between the entities, before an allocation is counted.
fn pairs(stage: &mut Stage) {
    let ids = stage.ids.clone();
    let world = &mut stage.world;
    world.entity_mut(ids[0]).add_children(&ids[1..4]);
    world.entity_mut(ids[1]).add_child(ids[4]);
    world.relate(ids[0], owes(1), ids[5]);
    world.relate(ids[1], owes(2), ids[0]);
    world.relate(ids[6], rides(3), ids[5]);
    world.relate(ids[0], knows(4), ids[7]);
}

pub(crate) const RELATIONS: &[Operation] = &[
    ("spawn a child", |stage| _ = stage.world.spawn((ChildOf(stage.ids[0]), held(1)))),
    ("spawn a tree", |stage| _ = stage.world.spawn((held(1), children![(held(2), children![aside(3)]), name(4)]))),
    ("spawn_batch of children", |stage| {
        let parent = stage.ids[0];
        _ = stage.world.spawn_batch((0..10).map(|number| (ChildOf(parent), held(number)))).count();
    }),
    ("insert links", |stage| {
        let (first, ids) = (stage.ids[0], stage.ids.clone());
        _ = stage.world.many(&ids[1..]).insert(ChildOf(first));
    }),
    ("another parent", |stage| {
        pairs(stage);
        stage.world.entity_mut(stage.ids[2]).insert(ChildOf(stage.ids[5]));
    }),
    ("a link in a circle", |stage| {
        pairs(stage);
        stage.world.entity_mut(stage.ids[0]).insert((ChildOf(stage.ids[4]), held(3)));
        stage.world.take_command_errors();
    }),
    ("links of all kinds", |stage| {
        let ids = stage.ids.clone();
        ids[1..4].iter().for_each(|&id| _ = stage.world.entity_mut(id).insert(links(ids[0])));
        _ = stage.world.spawn((links(ids[5]), held(1)));
        stage.world.entity_mut(ids[2]).insert((links(ids[5]), name(2)));
        stage.world.entity_mut(ids[1]).modify_component(|aboard: &mut AboardOf| aboard.0 = ids[6]);
        stage.world.entity_mut(ids[3]).remove::<(AboardOf, Flies, PartOf)>();
        stage.world.entity_mut(ids[5]).remove::<(Crew, Pilot)>();
        stage.world.entity_mut(ids[6]).add_related::<AboardOf>(&ids[7..10]).replace_related::<AboardOf>(&ids[9..12]);
        stage.world.despawn(ids[0]);
        stage.world.despawn(ids[6]);
    }),
    ("move links of all kinds to another world", |stage| {
        let ids = stage.ids.clone();
        ids[1..6].iter().for_each(|&id| _ = stage.world.entity_mut(id).insert(links(ids[0])));
        _ = stage.world.many(&ids[..4]).move_to(&mut stage.other);
    }),
    ("remove a list", |stage| {
        pairs(stage);
        stage.world.entity_mut(stage.ids[0]).remove::<Children>();
    }),
    ("detach and replace children", |stage| {
        pairs(stage);
        let ids = stage.ids.clone();
        stage
            .world
            .entity_mut(ids[0])
            .detach_children(&ids[2..3])
            .replace_children(&[ids[6], ids[3]])
            .insert_children(0, &ids[8..10]);
    }),
    ("despawn a tree", |stage| {
        pairs(stage);
        stage.world.despawn(stage.ids[0]);
    }),
    ("despawn targets", |stage| {
        pairs(stage);
        let ids = stage.ids.clone();
        _ = stage.world.many(&ids[5..8]).despawn();
    }),
    ("relate", |stage| {
        for number in 0..6 {
            stage.world.relate(stage.ids[number], owes(number), stage.ids[number + 1]);
            stage.world.relate(stage.ids[0], rides(number), stage.ids[number + 1]);
            stage.world.relate(stage.ids[number], knows(number), stage.ids[7]);
        }
    }),
    ("unrelate", |stage| {
        pairs(stage);
        stage.world.unrelate::<Owes>(stage.ids[0], stage.ids[5]);
        stage.world.unrelate_from::<Owes>(stage.ids[1]);
        stage.world.unrelate_to::<Rides>(stage.ids[5]);
        stage.world.unrelate::<Knows>(stage.ids[7], stage.ids[0]);
    }),
    ("commands of links and pairs", |stage| {
        let ids = stage.ids.clone();
        let mut commands = stage.world.commands();
        commands.relate(ids[0], owes(1), ids[1]);
        commands.entity(ids[2]).insert(ChildOf(ids[3])).with_child(held(1));
        commands.spawn((ChildOf(ids[0]), hooked(1)));
        commands.entity(ids[3]).despawn();
        stage.world.flush();
    }),
    ("move pairs to another world", |stage| {
        pairs(stage);
        let ids = stage.ids.clone();
        _ = stage.world.many(&ids[..6]).move_to(&mut stage.other);
    }),
    ("deferred events", |stage| {
        let ids = stage.ids.clone();
        stage.world.with_deferred_events(|world| {
            world.entity_mut(ids[0]).insert((held(1), aside(2))).add_children(&ids[1..4]);
            world.relate(ids[1], owes(1), ids[2]);
            world.despawn(ids[3]);
            world.spawn((hooked(1), ChildOf(ids[0])));
        });
    }),
    ("add observers", |stage| {
        let world = &mut stage.world;
        let first = world.add_observer(|add: On<'_, '_, Add<Mark>>, mut commands: Commands<'_, '_>| {
            commands.entity(add.entity).insert(SealAside(String::from("seal")));
        });
        world.add_observer(|_: On<'_, '_, Rang>, mut commands: Commands<'_, '_>| {
            commands.spawn((aside(1), hooked(2)));
            commands.queue(|world: &mut World| _ = world.spawn(held(3)));
        });
        world.entity_mut(stage.ids[14]).observe(|_: On<'_, '_, Insert<Mark>>| {}).insert(Mark(1));
        world.trigger(Rang);
        world.remove_observer(first);
        world.spawn(Mark(3));
    }),
];
