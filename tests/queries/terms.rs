//! The terms of queries.

use super::*;

#[test]
fn a_reference_matches_entities_that_have_it() {
    let mut world = World::new();
    zoo(&mut world);
    let mut values: Vec<u32> = world.query::<&A>().iter(&world).map(|a| a.0).collect();
    values.sort_unstable();
    assert_eq!(values, numbers(|i| i % 7 != 0));
}

#[test]
fn a_unique_reference_writes() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    for mut a in world.query::<&mut A>().iter_mut(&mut world) {
        a.0 += 100;
    }
    for mut s in world.query::<&mut S>().iter_mut(&mut world) {
        *s = S(s.0 + 1000);
    }
    assert_eq!(world.get::<A>(entities[1]), Some(&A(101)));
    assert_eq!(world.get::<A>(entities[59]), Some(&A(159)));
    assert_eq!(world.get::<S>(entities[8]), Some(&S(1008)));
}

#[test]
fn mut_can_be_written_out() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    for mut a in world.query::<Mut<'static, A>>().iter_mut(&mut world) {
        a.0 = 0;
    }
    assert_eq!(world.get::<A>(entities[1]), Some(&A(0)));
}

#[test]
fn an_optional_term_matches_everything() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(Entity, Option<&A>, Option<&S>)>();
    assert_eq!(query.iter(&world).count(), 60);
    for (entity, a, s) in query.iter(&world) {
        assert_eq!(a, world.get::<A>(entity));
        assert_eq!(s, world.get::<S>(entity));
    }
    let mut write = world.query::<(Option<&mut A>, Option<&mut S>)>();
    for (a, s) in write.iter_mut(&mut world) {
        if let (Some(mut a), Some(s)) = (a, s) {
            a.0 = s.0 * 2;
        }
    }
    assert_eq!(world.get::<A>(entities[4]), Some(&A(8)));
    assert_eq!(world.get::<A>(entities[5]), Some(&A(5)));
}

#[test]
fn has_tells_presence_of_either_kind() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<(Entity, Has<A>, Has<Tag>)>();
    assert_eq!(query.iter(&world).count(), 60);
    for (entity, a, tag) in query.iter(&world) {
        assert_eq!(a, world.entity(entity).contains::<A>());
        assert_eq!(tag, world.entity(entity).contains::<Tag>());
    }
}

#[test]
fn entity_gives_the_id_of_the_row() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    for (entity, a) in world.query::<(Entity, &A)>().iter(&world) {
        assert_eq!(entities[a.0 as usize], entity);
    }
}

#[test]
fn the_empty_query_matches_every_entity() {
    let mut world = World::new();
    zoo(&mut world);
    assert_eq!(world.query::<()>().iter(&world).count(), 60);
}

#[test]
fn tuples_demand_all_and_nest() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<((&A, (&B,)), (Entity, Option<&C>), ())>();
    let mut values = Vec::new();
    for ((a, (b,)), (entity, c), ()) in query.iter(&world) {
        assert_eq!(b.0, a.0.to_string());
        assert_eq!(c.is_some(), a.0 % 3 == 0);
        assert!(world.contains(entity));
        values.push(a.0);
    }
    values.sort_unstable();
    assert_eq!(values, numbers(|i| i % 7 != 0 && i % 2 == 0));
}

#[test]
fn tuples_have_up_to_fifteen_terms() {
    #[derive(Component)]
    struct N<const I: usize>(usize);
    let mut world = World::new();
    world.spawn((
        (N::<0>(0), N::<1>(1), N::<2>(2), N::<3>(3), N::<4>(4), N::<5>(5), N::<6>(6), N::<7>(7)),
        (N::<8>(8), N::<9>(9), N::<10>(10), N::<11>(11), N::<12>(12), N::<13>(13), N::<14>(14)),
    ));
    type All = (
        &'static N<0>,
        &'static mut N<1>,
        &'static N<2>,
        &'static N<3>,
        &'static N<4>,
        &'static N<5>,
        &'static N<6>,
        &'static N<7>,
        &'static N<8>,
        &'static N<9>,
        &'static N<10>,
        &'static N<11>,
        &'static N<12>,
        &'static N<13>,
        &'static N<14>,
    );
    let mut query = world.query::<All>();
    let (n0, n1, .., n13, n14) = query.single_mut(&mut world).expect("one entity");
    assert_eq!((n0.0, n1.0, n13.0, n14.0), (0, 1, 13, 14));
}

#[test]
fn a_read_only_view_of_a_writing_query_reads() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<(&mut A, Option<&mut S>)>();
    let sum: u32 = query.iter(&world).map(|(a, s): (&A, Option<&S>)| a.0 + s.map_or(0, |s| s.0)).sum();
    let expected: u32 = numbers(|i| i % 7 != 0).iter().map(|i| if i % 4 == 0 { i * 2 } else { *i }).sum();
    assert_eq!(sum, expected);
    let writing = query.query_mut(&mut world);
    assert_eq!(writing.as_readonly().iter().count(), numbers(|i| i % 7 != 0).len());
}

#[test]
fn a_query_of_a_component_that_no_entity_has_is_empty() {
    #[derive(Component)]
    struct Never(u8);
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<&Never>();
    assert!(query.is_empty(&world));
    assert_eq!(query.iter(&world).count(), 0);
    world.spawn(Never(1));
    assert_eq!(query.iter(&world).count(), 1);
}

#[test]
fn zero_sized_components_are_terms() {
    let mut world = World::new();
    zoo(&mut world);
    assert_eq!(world.query::<&C>().iter(&world).count(), 20);
    assert_eq!(world.query::<&Tag>().iter(&world).count(), 12);
    assert_eq!(world.query::<&mut C>().iter_mut(&mut world).map(|mut c| *c = C).count(), 20);
}
