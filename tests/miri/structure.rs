//! Structural changes: rows are written, moved and dropped.

use strata_tests::drops;

use super::*;

#[test]
fn values_of_every_layout_survive_growth_moves_and_swaps() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..20)
        .map(|i| world.spawn((Label(i.to_string()), Aligned(i as u8), Position(i as f32, 0.0), Marked)).id())
        .collect();
    for (i, &id) in ids.iter().enumerate() {
        match i % 4 {
            0 => _ = world.entity_mut(id).insert((Velocity(1.0, 2.0), Poison(Box::new(i as u32)))),
            1 => _ = world.entity_mut(id).remove::<(Aligned, Marked)>(),
            2 => assert!(world.despawn(id)),
            _ => _ = world.entity_mut(id).insert(Label(format!("again {i}"))),
        }
    }
    for (i, &id) in ids.iter().enumerate() {
        let label = world.get::<Label>(id).map(|label| label.0.as_str());
        let again = format!("again {i}");
        let expected = match i % 4 {
            2 => None,
            3 => Some(again),
            _ => Some(i.to_string()),
        };
        assert_eq!(label, expected.as_deref());
        assert_eq!(world.get::<Aligned>(id).map(|aligned| aligned.0), (i % 4 == 0 || i % 4 == 3).then_some(i as u8));
        assert_eq!(world.get::<Poison>(id).map(|poison| *poison.0), (i % 4 == 0).then_some(i as u32));
    }
}

#[test]
fn each_value_is_dropped_once_by_each_operation() {
    drops::reset();
    let mut world = World::new();
    let ids: Vec<Entity> = (0..6).map(|_| world.spawn((Counted(Token::new()), Marked)).id()).collect();
    world.entity_mut(ids[0]).insert(Counted(Token::new()));
    world.entity_mut(ids[1]).remove::<Counted>();
    drop(world.entity_mut(ids[2]).take::<Counted>());
    world.despawn(ids[3]);
    world.clear_entities();
    assert_eq!(drops::alive(), 0);
    world.spawn(Counted(Token::new()));
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn whole_tables_move_and_end() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..8).map(|i| (Label(i.to_string()), Position(0.0, 1.0)))).collect();
    world.all::<With<Label>>().insert(Velocity(1.0, 1.0));
    world.all::<With<Position>>().insert(Poison(Box::new(3)));
    world.many(&ids[2..6]).remove::<Label>();
    assert_eq!(world.query::<(&Label, &Velocity, &Poison)>().iter(&world).count(), 4);
    world.all::<Without<Label>>().despawn();
    assert_eq!(world.query::<&Poison>().iter(&world).count(), 4);
    world.shrink_to_fit();
    assert_eq!(world.get::<Label>(ids[7]).map(|label| label.0.as_str()), Some("7"));
}

#[test]
fn commands_carry_values_of_every_layout() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    let mut commands = world.commands();
    commands.entity(entity).insert((Label("first".to_owned()), Aligned(7), Marked));
    commands.entity(entity).remove::<Marked>().insert(Poison(Box::new(1)));
    let spawned = commands.spawn((Label("second".to_owned()), Position(1.0, 2.0))).id();
    commands.queue(move |world: &mut World| {
        world.entity_mut(spawned).insert(Velocity(0.0, 0.0));
    });
    world.flush();
    assert_eq!(world.get::<Aligned>(entity), Some(&Aligned(7)));
    assert!(!world.entity(entity).contains::<Marked>());
    assert!(world.entity(spawned).contains::<Velocity>());
    // Commands that are never applied are dropped with their values.
    world.commands().spawn(Label("never".to_owned()));
    drop(world);
}
