//! Queries that filters with alternatives keep apart, where types are known by their numbers.

use strata_ecs::access::ComponentConflict;
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

/// Its key is not exact, so the compiler says nothing.
#[derive(Component, Debug, PartialEq)]
struct Of<T: Send + Sync + 'static>(T);
type Health = Of<u32>;
#[derive(Component)]
struct Flag<const N: u8>;
#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse;

/// One of two components.
type Pair<const A: u8, const B: u8> = Or<(With<Flag<A>>, With<Flag<B>>)>;
type Many = (Pair<0, 1>, Pair<2, 3>, Pair<4, 5>, Pair<6, 7>, Pair<8, 9>, Pair<10, 11>, Pair<12, 13>, Pair<14, 15>);

#[test]
fn systems_with_disjoint_alternatives_are_compatible() {
    let mut world = World::new();
    let any = world.query_filtered::<&mut Health, Or<(With<Flag<0>>, With<Sparse>)>>();
    let none = world.query_filtered::<&mut Health, (Without<Flag<0>>, Without<Sparse>)>();
    let one = world.query_filtered::<&Health, Without<Flag<0>>>();
    assert!(any.access().is_disjoint_with(none.access()));
    assert_eq!(any.access().conflict_with(none.access()), None);
    assert_eq!(
        any.access().conflict_with(one.access()),
        world.component_id::<Health>().map(ComponentConflict::Component)
    );
}

/// The compiler cannot detect this conflict, because the keys of the types are not exact.
#[test]
fn a_function_with_generic_components_runs() {
    fn touch<const A: u8, const B: u8>(
        mut any: Query<'_, '_, &mut Health, Or<(With<Flag<A>>, With<Flag<B>>)>>,
        mut none: Query<'_, '_, &mut Health, (Without<Flag<A>>, Without<Flag<B>>)>,
    ) {
        any.iter_mut().for_each(|mut health| health.0 += 1);
        none.iter_mut().for_each(|mut health| health.0 += 10);
    }
    let mut world = World::new();
    let [first, other] = [world.spawn((Of(0_u32), Flag::<0>)).id(), world.spawn(Of(0_u32)).id()];
    let mut schedule = Schedule::default();
    schedule.add_systems(touch::<0, 1>);
    schedule.run(&mut world);
    assert_eq!((world.get(first), world.get(other)), (Some(&Of(1_u32)), Some(&Of(10_u32))));
}

#[test]
fn many_branches_are_merged_and_the_message_says_so() {
    fn too_many(
        a: Query<'_, '_, &mut Health, Many>,
        b: Query<'_, '_, &Health, (Without<Flag<14>>, Without<Flag<15>>)>,
    ) {
        let _ = (a, b);
    }
    fn enough(a: Query<'_, '_, &mut Health, (Many, With<Sparse>)>, b: Query<'_, '_, &Health, Without<Sparse>>) {
        let _ = (a, b);
    }
    let mut world = World::new();
    let text = expect_panic(|| world.run_system_once(too_many));
    assert!(text.contains("both borrow component") && text.contains("too many branches:"), "{text}");
    world.run_system_once(enough).expect("what all branches have in common keeps them apart");
    fn overlap(a: Query<'_, '_, &mut Health, Pair<0, 1>>, b: Query<'_, '_, &Health, Without<Flag<0>>>) {
        let _ = (a, b);
    }
    let text = expect_panic(|| world.run_system_once(overlap));
    assert!(text.contains("both borrow component") && !text.contains("too many"), "{text}");
}

/// Such a query visits the tables of the other one, and finds no row. Once the compiler decides, and once it leaves it to the check
/// by numbers.
#[test]
fn a_query_that_no_entity_can_match_is_in_the_way_of_no_other_one() {
    #[derive(Component)]
    struct Exact(u32);
    type Nothing = (With<Sparse>, Or<(Without<Sparse>, (With<Flag<0>>, Without<Flag<0>>))>);
    fn exact(mut none: Query<'_, '_, &mut Exact, Nothing>, mut all: Query<'_, '_, &mut Exact>) -> (usize, u32) {
        let mut nothing = none.iter_mut();
        all.iter_mut().for_each(|mut one| one.0 += 1);
        (nothing.by_ref().count(), all.iter().map(|one| one.0).sum())
    }
    fn inexact(mut none: Query<'_, '_, &mut Health, Nothing>, mut all: Query<'_, '_, &mut Health>) -> (usize, u32) {
        let mut nothing = none.iter_mut();
        all.iter_mut().for_each(|mut one| one.0 += 1);
        (nothing.by_ref().count(), all.iter().map(|one| one.0).sum())
    }
    let mut world = World::new();
    world.spawn((Exact(1), Of(10_u32)));
    world.spawn((Exact(2), Of(20_u32), Sparse));
    world.spawn((Exact(3), Of(30_u32), Sparse, Flag::<0>));
    assert_eq!(world.run_system_once(exact), Ok((0, 6 + 3)));
    assert_eq!(world.run_system_once(inexact), Ok((0, 60 + 3)));
}

/// A row that only a sparse component keeps out of a query is in a table that the query visits, so the two take turns.
#[test]
fn alternatives_in_tables_run_side_by_side_and_sparse_ones_in_turns() {
    fn writes<F: QueryFilter + 'static>(mut query: Query<'_, '_, &mut Health, F>) {
        query.iter_mut().for_each(|mut health| health.0 += 1);
    }
    let mut world = World::new();
    for bits in 0..4 {
        let mut entity = world.spawn(Of(0_u32));
        if bits & 1 == 1 {
            entity.insert(Flag::<0>);
        }
        if bits & 2 == 2 {
            entity.insert(Sparse);
        }
    }
    let mut schedule = Schedule::default();
    schedule.add_systems((
        writes::<Or<(With<Flag<0>>, With<Flag<1>>)>>,
        writes::<(Without<Flag<0>>, Without<Flag<1>>, Without<Sparse>)>,
        writes::<(Without<Flag<0>>, With<Sparse>)>,
    ));
    schedule.run(&mut world);
    assert!(world.query::<&Health>().iter(&world).all(|health| *health == Of(1)));
}
