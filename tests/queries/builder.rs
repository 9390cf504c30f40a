//! `QueryBuilder`: queries with terms that are known at run time only.

use strata_ecs::access::ComponentConflict;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::query::NestedQuery;
use strata_tests::panics::expect_panic;

use super::*;

/// Returns the ids of the entities that a query with these terms matches, and those that it matches with the terms as a filter.
fn both<F: QueryFilter>(add: impl FnOnce(&mut QueryBuilder<'_, Entity>)) -> [Vec<Entity>; 2] {
    let mut world = World::new();
    let before = world.query_filtered::<Entity, F>();
    let mut builder = QueryBuilder::new(&mut world);
    add(&mut builder);
    let mut built = builder.build();
    zoo(&mut world);
    let mut later = before;
    [built.iter(&world).collect(), later.iter(&world).collect()]
}

#[test]
fn what_is_added_is_demanded_as_by_a_filter() {
    macro_rules! assert_same {
        ($Filter:ty, $add:expr) => {
            let [built, typed] = both::<$Filter>($add);
            assert!(!typed.is_empty());
            assert_eq!(built, typed, stringify!($Filter));
        };
    }
    assert_same!((), |_| ());
    assert_same!((With<A>, Without<B>), |builder| _ = builder.with::<A>().without::<B>());
    assert_same!((With<A>, With<C>), |builder| _ = builder.data::<(&A, Option<&B>)>().filter::<With<C>>());
    assert_same!(Or<(With<B>, With<C>)>, |builder| {
        builder.or(|builder| _ = builder.with::<B>().with::<C>());
    });
    assert_same!((With<A>, Or<((With<B>, Without<C>), Without<B>)>), |builder| {
        builder.with::<A>().or(|builder| {
            builder.and(|builder| _ = builder.with::<B>().without::<C>());
            builder.without::<B>();
        });
    });
    assert_same!(With<A>, |builder| {
        builder.with::<A>().optional(|builder| _ = builder.data::<&B>());
    });
}

#[test]
fn ids_stand_for_components() {
    let mut world = World::new();
    zoo(&mut world);
    let [a, b, c] = [world.register_component::<A>(), world.register_component::<B>(), world.register_component::<C>()];
    let mut built = QueryBuilder::<(Entity, &A)>::new(&mut world).with_id(c).without_id(b).build();
    let mut typed = world.query_filtered::<(Entity, &A), (With<C>, Without<B>)>();
    let expected: Vec<_> = typed.iter(&world).collect();
    assert!(!expected.is_empty());
    assert!(built.iter(&world).eq(expected));
    let mut writer = QueryBuilder::<Entity>::new(&mut world).ref_id(b).mut_id(a).build();
    let found = world.query_filtered::<Entity, (With<A>, With<B>)>().iter(&world).count();
    assert_eq!(writer.iter(&world).count(), found);
    let reader = world.query::<&A>();
    assert_eq!(writer.access().conflict_with(reader.access()), Some(ComponentConflict::Component(a)));
    assert!(writer.access().touches(b) && !writer.access().touches(c));
}

#[test]
fn a_built_query_sees_new_tables_and_what_disables() {
    let mut world = World::new();
    let mut query = QueryBuilder::<Entity>::new(&mut world).with::<A>().build();
    let mut disabled = QueryBuilder::<Entity>::new(&mut world).with::<Disabled>().build();
    assert_eq!(query.iter(&world).count(), 0);
    let [first, second] = [world.spawn(A(1)).id(), world.spawn((A(2), C)).id()];
    assert_eq!(query.iter(&world).collect::<Vec<_>>(), [first, second]);
    world.entity_mut(first).insert(Disabled);
    assert_eq!(query.iter(&world).collect::<Vec<_>>(), [second]);
    assert_eq!(disabled.single(&world), Ok(first));
    // A lens keeps to the tables.
    world.spawn(C);
    let mut query = query.query_mut(&mut world);
    assert_eq!(query.transmute_lens::<Entity>().query().iter().collect::<Vec<_>>(), [second]);
    assert_eq!(query.transmute_lens_filtered::<Entity, With<C>>().query().count(), 1);
}

#[test]
fn what_tables_do_not_decide_is_refused() {
    let mut world = World::new();
    zoo(&mut world);
    let id = world.register_component::<Tag>();
    let refused: [(&str, &dyn Fn(&mut QueryBuilder<'_, Entity>)); 6] = [
        ("Tag", &|builder| _ = builder.with::<Tag>()),
        ("Tag", &|builder| _ = builder.without_id(id)),
        ("S", &|builder| _ = builder.data::<(&A, &S)>()),
        ("Changed", &|builder| _ = builder.filter::<Or<(With<A>, Changed<B>)>>()),
        ("NestedQuery", &|builder| _ = builder.data::<NestedQuery<&A>>()),
        ("Tag", &|builder| _ = builder.or(|builder| _ = builder.filter::<With<Tag>>())),
    ];
    for (name, add) in refused {
        let message = expect_panic(|| add(&mut QueryBuilder::new(&mut world)));
        assert!(message.contains(name) && message.contains("in the type of the query"), "{message}");
    }
    let message = expect_panic(|| drop(QueryBuilder::<&A>::new(&mut world).data::<&mut A>().build()));
    assert!(message.contains("borrows component") && message.contains("twice"), "{message}");
}
