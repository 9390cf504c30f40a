//! Queries made of other queries: what they may borrow, and which entities they match.

use strata_ecs::entity_disabling::Disabled;
use strata_ecs::query::ReadOnlyQueryData;
use strata_ecs::system::QueryLens;
use strata_tests::panics::expect_panic;

use super::*;

fn transmute<D: QueryData, F: QueryFilter, NewD: ReadOnlyQueryData, NewF: QueryFilter>() -> usize {
    let mut world = World::new();
    zoo(&mut world);
    let old = world.query_filtered::<D, F>();
    let expected = old.transmute_filtered::<NewD, NewF>(&world).iter(&world).count();
    let as_lens = move |mut query: Query<'_, '_, D, F>| query.transmute_lens_filtered::<NewD, NewF>().query().count();
    let found = world.run_system_once_with_query(as_lens);
    assert_eq!(found, expected, "a lens and a state that is kept match the same");
    found
}

/// Runs a closure on a query of a type that is only known where it is called.
trait RunWithQuery {
    fn run_system_once_with_query<D: QueryData, F: QueryFilter>(
        &mut self,
        run: impl FnMut(Query<'_, '_, D, F>) -> usize,
    ) -> usize;
}

impl RunWithQuery for World {
    fn run_system_once_with_query<D: QueryData, F: QueryFilter>(
        &mut self,
        mut run: impl FnMut(Query<'_, '_, D, F>) -> usize,
    ) -> usize {
        let mut state = self.query_filtered::<D, F>();
        run(state.query_mut(self))
    }
}

fn count<D: QueryData, F: QueryFilter>() -> usize {
    let mut world = World::new();
    zoo(&mut world);
    world.query_filtered::<D, F>().query(&world).count()
}

#[test]
fn what_is_borrowed_less_or_in_other_words() {
    assert_eq!(transmute::<&mut A, (), &A, ()>(), count::<&A, ()>());
    assert_eq!(transmute::<&A, (), Ref<'static, A>, ()>(), count::<&A, ()>());
    assert_eq!(transmute::<(&A, &B), (), &A, ()>(), count::<(&A, &B), ()>());
    assert_eq!(transmute::<(&A, (&B, &C)), (), ((&A, &B), &C), ()>(), count::<(&A, &B, &C), ()>());
    assert_eq!(transmute::<Option<(&A, &B)>, (), (Option<&A>, Option<&B>), ()>(), 60);
    assert_eq!(transmute::<&A, (), (&A, Entity, Has<B>), ()>(), count::<&A, ()>());
    assert_eq!(transmute::<&A, (), (), ()>(), count::<&A, ()>());
    assert_eq!(transmute::<AnyOf<(&mut A, &mut B)>, (), Option<&A>, ()>(), count::<AnyOf<(&A, &B)>, ()>());
    assert_eq!(transmute::<EntityMut<'static>, (), Option<&A>, ()>(), 60);
    assert_eq!(transmute::<EntityMut<'static>, With<B>, EntityRef<'static>, ()>(), count::<(), With<B>>());
    assert_eq!(transmute::<Entity, Changed<A>, &A, ()>(), count::<&A, ()>());
    assert_eq!(transmute::<&mut A, (), &A, Added<A>>(), count::<&A, ()>());
    assert_eq!(transmute::<Option<&A>, (), Entity, Or<(Changed<A>, With<C>)>>(), count::<(), Or<(With<A>, With<C>)>>());
    assert_eq!(transmute::<&A, Or<(With<B>, With<C>)>, &A, Without<B>>(), count::<&A, (With<C>, Without<B>)>());
    // The new query may have a filter on a sparse component that the old one has not.
    assert_eq!(transmute::<&A, (), &A, With<S>>(), count::<(&A, &S), ()>());
    assert_eq!(transmute::<(&A, &S), (), &A, With<S>>(), count::<(&A, &S), ()>());
    assert_eq!(transmute::<&mut A, Without<Tag>, &A, Without<Tag>>(), count::<&A, Without<Tag>>());
    assert_eq!(
        transmute::<&A, Or<(With<Tag>, With<B>)>, &A, (With<B>, With<S>)>(),
        count::<(&A, &S), With<B>>(),
        "it keeps to one of the alternatives"
    );
}

#[test]
fn what_is_borrowed_more_is_refused() {
    for (refused, says) in [
        (transmute::<&A, (), &B, ()> as fn() -> usize, "component `queries::B`"),
        (transmute::<Entity, With<A>, &A, ()>, "component `queries::A`"),
        (transmute::<Entity, Without<A>, Option<&A>, ()>, "component `queries::A`"),
        (transmute::<(&A, &mut B), (), EntityRef<'static>, ()>, "every component"),
        (transmute::<Has<A>, (), Entity, Changed<A>>, "component `queries::A`"),
        (transmute::<&S, (), Entity, ()>, "demands or excludes a sparse component"),
        (transmute::<&A, With<S>, &A, ()>, "demands or excludes a sparse component"),
        (transmute::<&A, Without<Tag>, &A, Without<S>>, "demands or excludes a sparse component"),
        (transmute::<&A, Or<(With<Tag>, With<B>)>, &A, ()>, "demands or excludes a sparse component"),
        (transmute::<&A, Or<(With<Tag>, With<B>)>, &A, With<C>>, "demands or excludes a sparse component"),
    ] {
        let text = expect_panic(refused);
        assert!(text.contains(says), "{text}");
    }
    fn write(mut reads: Query<'_, '_, &A>) {
        let mut lens = reads.transmute_lens::<&mut A>();
        lens.query().iter_mut().for_each(|mut a| a.0 = 0);
    }
    let mut world = World::new();
    zoo(&mut world);
    assert!(expect_panic(|| drop(world.run_system_once(write))).contains("component `queries::A`"));
    // The same query, borrowed to read.
    fn of_readonly(writes: Query<'_, '_, &mut A>) {
        let mut lens = writes.as_readonly().transmute_lens_inner::<&mut A>();
        lens.query().iter_mut().for_each(|mut a| a.0 = 0);
    }
    assert!(expect_panic(|| drop(world.run_system_once(of_readonly))).contains("component `queries::A`"));
}

#[test]
fn a_component_that_was_never_met_is_refused() {
    #[derive(Component)]
    struct Unmet;
    let mut world = World::new();
    zoo(&mut world);
    let old = world.query::<&A>();
    let text = expect_panic(|| drop(old.transmute_filtered::<&A, Without<Unmet>>(&world)));
    assert!(text.contains("never met"), "{text}");
}

#[test]
fn filters_keep_a_lens_from_what_belongs_to_another_query() {
    fn both(mut with: Query<'_, '_, &mut A, With<B>>, mut without: Query<'_, '_, &mut A, Without<B>>) {
        let all: Vec<Entity> = {
            let mut ids = with.transmute_lens::<Entity>();
            let mut others = without.transmute_lens::<Entity>();
            ids.query().iter().chain(others.query().iter()).collect()
        };
        let (mut first, mut second) = (with.transmute_lens::<&mut A>(), without.transmute_lens::<&mut A>());
        let (mut first, mut second) = (first.query(), second.query());
        for &id in &all {
            assert!(first.contains(id) != second.contains(id));
            let (one, other) = (first.get_mut(id).ok(), second.get_mut(id).ok());
            one.into_iter().chain(other).for_each(|mut a| a.0 += 1);
        }
        let (mut one, mut other) = (first.iter_many_mut(&all).matched(), second.iter_many_mut(&all).matched());
        while let Some(mut a) = one.fetch_next() {
            a.0 += 1;
        }
        while let Some(mut a) = other.fetch_next() {
            a.0 += 1;
        }
        assert_eq!(first.iter().count() + second.iter().count(), all.len());
    }
    let mut world = World::new();
    let entities = zoo(&mut world);
    world.run_system_once(both).expect("it runs");
    for (number, &id) in entities.iter().enumerate().filter(|(number, _)| number % 7 != 0) {
        assert_eq!(world.get(id), Some(&A(number as u32 + 2)));
    }
}

#[test]
fn a_join_has_what_both_match() {
    fn add(mut a: Query<'_, '_, &mut A>, mut s: Query<'_, '_, (&S, Has<B>), Without<C>>) -> usize {
        let mut both = a.join_filtered::<_, _, (&mut A, &S, Entity), (With<S>, Without<C>)>(&mut s);
        let mut query = both.query();
        query.iter_mut().for_each(|(mut a, s, _)| a.0 += s.0);
        query.count()
    }
    let mut world = World::new();
    let entities = zoo(&mut world);
    let found = world.run_system_once(add).expect("it runs");
    assert_eq!(found, world.query_filtered::<(&A, &S), Without<C>>().iter(&world).count());
    assert_eq!(world.get(entities[4]), Some(&A(8)));
    assert_eq!(world.get(entities[12]), Some(&A(12)), "it has C");
    let (a, b) = (world.query::<&A>(), world.query_filtered::<&B, With<C>>());
    let mut joined = a.join_filtered::<_, _, (&A, &B), ()>(&world, &b);
    assert_eq!(joined.iter(&world).count(), world.query_filtered::<(&A, &B), With<C>>().iter(&world).count());
    let wrong = expect_panic(|| drop(a.join_filtered::<_, _, (&A, &mut B), ()>(&world, &b)));
    assert!(wrong.contains("component `queries::B`"), "{wrong}");
}

#[test]
fn a_state_that_is_kept_looks_at_later_tables_as_the_old_one_would() {
    #[derive(Component)]
    struct Later;
    let mut world = World::new();
    zoo(&mut world);
    let old = world.query_filtered::<&A, Without<B>>();
    let mut new = old.transmute::<&A>(&world);
    let before = new.iter(&world).count();
    world.spawn((A(1), Later));
    world.spawn((A(1), Later, B(String::new())));
    assert_eq!(new.iter(&world).count(), before + 1);
    world.shrink_to_fit();
    assert_eq!(new.iter(&world).count(), before + 1);
    let other = World::new();
    assert!(expect_panic(|| drop(old.transmute::<&A>(&other))).contains("world"));
}

#[test]
fn disabled_entities_match_if_they_did() {
    let mut world = World::new();
    world.spawn(A(1));
    world.spawn((A(2), Disabled));
    fn all(mut all: Query<'_, '_, &A, Allow<Disabled>>) -> u32 {
        all.transmute_lens::<&A>().query().iter().map(|a| a.0).sum()
    }
    fn enabled(mut all: Query<'_, '_, &A>) -> u32 {
        all.transmute_lens_filtered::<&A, Allow<Disabled>>().query().iter().map(|a| a.0).sum()
    }
    assert_eq!(world.run_system_once(all).expect("it runs"), 3);
    assert_eq!(world.run_system_once(enabled).expect("it runs"), 1);
}

#[test]
fn a_lens_can_be_lent_and_made_into_another() {
    fn sum(lens: &mut QueryLens<'_, &A>) -> u32 {
        let query: Query<'_, '_, &A> = lens.into();
        query.iter().map(|a| a.0).sum()
    }
    fn twice(mut all: Query<'_, '_, (&mut A, &B)>) -> [u32; 3] {
        let mut lens: QueryLens<'_, (&mut A, &B)> = (&mut all).into();
        let first = sum(&mut lens.query().transmute_lens_inner());
        lens.query().iter_mut().for_each(|(mut a, _)| a.0 += 1);
        let inner = lens.query().transmute_lens_inner::<&A>().query_inner().iter().count() as u32;
        [first, sum(&mut all.transmute_lens()), inner]
    }
    let mut world = World::new();
    zoo(&mut world);
    let [before, after, count] = world.run_system_once(twice).expect("it runs");
    assert_eq!(after, before + count);
}
