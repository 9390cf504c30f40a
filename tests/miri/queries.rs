//! Loops over rows, and access by id.

use super::*;

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = (0..12)
        .map(|i| {
            let id = world.spawn((Position(i as f32, 0.0), Velocity(1.0, 2.0))).id();
            if i % 3 == 0 {
                world.entity_mut(id).insert(Label(i.to_string()));
            }
            if i % 4 == 0 {
                world.entity_mut(id).insert(Poison(Box::new(i)));
            }
            id
        })
        .collect();
    (world, ids)
}

#[test]
fn every_form_of_loop_visits_each_row_once() {
    let (mut world, ids) = world();
    let mut moving = world.query::<(&mut Position, &Velocity)>();
    for (mut position, velocity) in moving.iter_mut(&mut world) {
        position.1 += velocity.1;
    }
    moving.iter_mut(&mut world).for_each(|(mut position, velocity)| position.1 += velocity.1);
    moving.par_iter_mut(&mut world).for_each(|(mut position, velocity)| position.1 += velocity.1);
    assert!(ids.iter().all(|&id| world.get::<Position>(id).is_some_and(|position| position.1 == 6.0)));
    let mut labelled = world.query::<(&Label, Option<&Poison>, Has<Velocity>)>();
    assert_eq!(labelled.iter(&world).filter(|(_, poison, has)| poison.is_some() && *has).count(), 1);
    assert_eq!(labelled.iter_many(&world, &ids).matched().count(), 4);
}

#[test]
fn rows_are_borrowed_mutably_by_id_and_in_pairs() {
    let (mut world, ids) = world();
    let mut query = world.query::<&mut Position>();
    let [mut a, mut b] = query.get_many_mut(&mut world, [ids[0], ids[5]]).expect("two entities");
    std::mem::swap(&mut *a, &mut *b);
    assert_eq!(world.get::<Position>(ids[5]), Some(&Position(0.0, 0.0)));
    let mut pairs = query.iter_combinations_mut(&mut world);
    while let Some([mut a, b]) = pairs.fetch_next() {
        a.0 += b.0;
    }
    let total: f32 = query.iter(&world).map(|position| position.0).sum();
    assert!(total > 66.0);
}

#[test]
fn changes_are_found_in_every_storage() {
    let (mut world, ids) = world();
    let mut changed = world.query_filtered::<Entity, Or<(Changed<Position>, Changed<Poison>)>>();
    let found = |world: &mut World, query: &mut QueryState<Entity, _>| query.iter(world).count();
    assert_eq!(found(&mut world, &mut changed), 12);
    world.clear_trackers();
    world.get_mut::<Position>(ids[1]).expect("an entity").0 = 9.0;
    *world.get_mut::<Poison>(ids[4]).expect("an entity").0 += 1;
    let ticks = world.entity(ids[1]).get_ref::<Position>().expect("an entity").last_changed();
    assert_eq!(world.entity(ids[1]).get_change_ticks::<Position>().map(|all| all.changed), Some(ticks));
}
