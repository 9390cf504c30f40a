//! Queries used against their purpose. Cases that must not compile are in `tests/ui/fail`.

use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct B(u32);

/// A component with a type parameter, which has no exact key at compile time. So conflicts about it are found by the checks at run time,
/// unless the type is spelled out in both places.
#[derive(Component)]
struct Of<T: Send + Sync + 'static>(u32, std::marker::PhantomData<T>);
type Byte = Of<u8>;
type Octet = Of<u8>;

#[test]
fn ten_thousand_worlds_at_one_address_never_take_a_former_ones_query() {
    let mut place = Box::new(World::new());
    place.spawn(A(0));
    let mut query = place.query::<&A>();
    for round in 1..10_000 {
        *place = World::new();
        if round % 1000 == 0 {
            place.spawn((B(1), A(1)));
            let text = expect_panic(|| query.iter(&place).count());
            assert!(text.contains("world"), "{text}");
        }
    }
    *place = World::new();
    place.spawn(A(7));
    query = place.query::<&A>();
    assert_eq!(query.single(&place), Ok(&A(7)));
}

#[test]
fn get_many_mut_refuses_an_entity_that_stands_twice_wherever_it_stands() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..4).map(A)).collect();
    let mut query = world.query::<&mut A>();
    for first in 0..4 {
        for second in 0..4 {
            let outcome = query.get_many_mut(&mut world, [entities[first], entities[second]]);
            assert_eq!(outcome.is_err(), first == second);
            for third in 0..4 {
                let distinct = first != second && second != third && first != third;
                let outcome = query.get_many_mut(&mut world, [entities[first], entities[second], entities[third]]);
                assert_eq!(outcome.is_ok(), distinct, "{first} {second} {third}");
            }
        }
    }
}

#[test]
fn a_query_that_borrows_a_component_twice_is_refused() {
    let mut world = World::new();
    world.spawn((A(1), B(2)));
    for text in [
        expect_panic(|| world.query::<(&mut Byte, &Byte)>().is_empty(&world)),
        expect_panic(|| world.query::<(&mut Byte, Option<&Octet>)>().is_empty(&world)),
        expect_panic(|| world.query::<(&mut Byte, &B, &mut Byte)>().is_empty(&world)),
        expect_panic(|| world.query::<((&Byte, &B), (Option<&mut Byte>,))>().is_empty(&world)),
    ] {
        assert!(text.contains("Of<u8>") && text.len() > 40, "it does not say what conflicts: {text}");
    }
    assert_eq!(world.query::<(&A, &A)>().iter(&world).count(), 1);
    assert_eq!(world.query::<(&mut A, Has<A>)>().iter(&world).count(), 1);
    assert_eq!(world.query_filtered::<&mut A, With<A>>().iter(&world).count(), 1);
    assert_usable(&mut world);
}

#[test]
fn systems_whose_parameters_conflict_are_refused_and_named() {
    #[derive(Resource)]
    struct Score<T: Send + Sync + 'static>(T);
    fn two_queries(_: Query<'_, '_, &mut Byte>, _: Query<'_, '_, &Byte>) {}
    fn two_resources(_: ResMut<'_, Score<u32>>, _: Res<'_, Score<u32>>) {}
    fn fine(_: Query<'_, '_, &mut A, With<B>>, _: Query<'_, '_, &A, Without<B>>) {}
    let mut world = World::new();
    world.insert_resource(Score(1_u32));
    for (name, text) in [
        ("two_queries", expect_panic(|| world.run_system_once(two_queries))),
        ("two_resources", expect_panic(|| world.run_system_once(two_resources))),
    ] {
        assert!(text.contains(name), "{text}");
    }
    world.run_system_once(fine).expect("disjoint by their filters");
    assert_usable(&mut world);
}

#[system]
fn rows_twice(first: &mut Byte, second: &Octet) {
    first.0 += second.0;
}

#[system]
fn rows_beside_a_query(row: &mut Byte, all: Query<'_, '_, &Octet>) {
    row.0 += u32::from(!all.is_empty());
}

#[system]
fn rows_beside_the_world(row: &mut A, resource: Option<Res<'_, Never>>) {
    row.0 += u32::from(resource.is_some());
}

#[derive(Resource)]
struct Never;

#[test]
fn row_systems_whose_parameters_conflict_are_refused_and_named() {
    let mut world = World::new();
    world.spawn(A(1));
    let text = expect_panic(|| Schedule::default().add_systems(rows_twice).run(&mut world));
    assert!(text.contains("rows_twice") && text.contains("Of<u8>"), "{text}");
    let text = expect_panic(|| Schedule::default().add_systems(rows_beside_a_query).run(&mut world));
    assert!(text.contains("rows_beside_a_query") && text.contains("Of<u8>"), "{text}");
    Schedule::default().add_systems(rows_beside_the_world).run(&mut world);
    assert_usable(&mut world);
}

#[test]
fn filters_with_or_do_not_count_as_disjoint() {
    type Either = Or<(With<A>, With<B>)>;
    fn overlapping(_: Query<'_, '_, &mut Byte, Either>, _: Query<'_, '_, &Byte, Without<B>>) {}
    let text = expect_panic(|| World::new().run_system_once(overlapping));
    assert!(text.contains("overlapping"), "{text}");
}

#[test]
fn nested_iteration_of_one_query_is_safe() {
    let mut world = World::new();
    world.spawn_batch((0..4).map(A));
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    let mut visits = 0;
    for outer in query.iter() {
        for inner in query.iter() {
            assert!(outer.0 < 4 && inner.0 < 4);
            visits += 1;
        }
    }
    for mut a in &mut query {
        a.0 += 1;
        visits += 1;
    }
    assert_eq!(visits, 20);
}

#[test]
fn queries_of_tags_that_share_a_name_do_not_conflict() {
    mod other {
        use super::*;
        #[derive(Component, Debug, PartialEq, Clone, Copy)]
        pub(super) struct A(pub(super) u64);
    }
    let mut world = World::new();
    world.spawn((A(1), other::A(u64::MAX)));
    let mut query = world.query::<(&mut A, &other::A)>();
    assert_eq!(query.single(&world), Ok((&A(1), &other::A(u64::MAX))));
    fn both(_: Query<'_, '_, &mut A>, _: Query<'_, '_, &mut other::A>) {}
    world.run_system_once(both).expect("two types");
}
