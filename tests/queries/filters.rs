//! Filters and their combinations.

use super::*;

#[test]
fn with_and_without_select_by_presence() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    assert_eq!(found::<()>(&mut world, &entities), numbers(|_| true));
    assert_eq!(found::<With<A>>(&mut world, &entities), numbers(|i| i % 7 != 0));
    assert_eq!(found::<Without<A>>(&mut world, &entities), numbers(|i| i % 7 == 0));
    assert_eq!(found::<With<S>>(&mut world, &entities), numbers(|i| i % 4 == 0 || i % 7 == 0));
    assert_eq!(found::<Without<Tag>>(&mut world, &entities), numbers(|i| i % 5 != 0));
}

#[test]
fn a_tuple_of_filters_demands_all() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    assert_eq!(found::<(With<B>, With<C>)>(&mut world, &entities), numbers(|i| i % 6 == 0));
    assert_eq!(
        found::<(With<B>, Without<C>, With<Tag>)>(&mut world, &entities),
        numbers(|i| i % 10 == 0 && i % 3 != 0)
    );
    assert_eq!(
        found::<((With<A>, With<B>), (Without<S>, ()))>(&mut world, &entities),
        numbers(|i| i % 7 != 0 && i % 2 == 0 && i % 4 != 0)
    );
    assert!(found::<(With<A>, Without<A>)>(&mut world, &entities).is_empty());
}

#[test]
fn or_demands_one() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    assert_eq!(found::<Or<(With<B>, With<C>)>>(&mut world, &entities), numbers(|i| i % 2 == 0 || i % 3 == 0));
    assert_eq!(
        found::<Or<(With<Tag>, With<S>)>>(&mut world, &entities),
        numbers(|i| i % 5 == 0 || i % 4 == 0 || i % 7 == 0)
    );
    assert_eq!(found::<Or<(With<C>, With<Tag>)>>(&mut world, &entities), numbers(|i| i % 3 == 0 || i % 5 == 0));
    assert_eq!(
        found::<Or<(Without<A>, (With<B>, With<C>, Without<Tag>))>>(&mut world, &entities),
        numbers(|i| i % 7 == 0 || (i % 6 == 0 && i % 5 != 0))
    );
    assert_eq!(found::<Or<(With<Other>, With<Tag>)>>(&mut world, &entities), numbers(|i| i % 5 == 0));
}

#[test]
fn filters_nest_in_any_depth() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    type Deep = (Or<(With<B>, With<Tag>)>, Or<(Without<C>, (With<S>, Or<(With<A>, With<Tag>)>))>);
    let expected = numbers(|i| {
        let s = i % 4 == 0 || i % 7 == 0;
        (i % 2 == 0 || i % 5 == 0) && (i % 3 != 0 || (s && (i % 7 != 0 || i % 5 == 0)))
    });
    assert_eq!(found::<Deep>(&mut world, &entities), expected);
}

#[test]
fn filters_apply_to_random_access_too() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let query = world.query_filtered::<&A, (With<B>, Without<Tag>)>();
    let mut query = query;
    for (i, entity) in (0..60).zip(&entities) {
        let matches = i % 7 != 0 && i % 2 == 0 && i % 5 != 0;
        assert_eq!(query.get(&world, *entity).is_ok(), matches, "entity {i}");
        assert_eq!(query.query(&world).contains(*entity), matches, "entity {i}");
    }
}

#[test]
fn a_filter_of_a_type_that_no_entity_ever_had_matches_nothing_or_everything() {
    #[derive(Component)]
    struct Never;
    let mut world = World::new();
    let entities = zoo(&mut world);
    assert!(found::<With<Never>>(&mut world, &entities).is_empty());
    assert_eq!(found::<Without<Never>>(&mut world, &entities).len(), 60);
}

#[derive(QueryFilter)]
struct Plain {
    a: With<A>,
    no_b: Without<B>,
}

#[derive(QueryFilter)]
struct Untagged<T: Component>(Plain, Without<Tag>, Or<(With<T>, With<C>)>);

#[derive(QueryFilter)]
struct Long(
    With<A>,
    With<B>,
    Or<(With<A>, With<C>)>,
    With<A>,
    With<B>,
    With<A>,
    With<B>,
    With<A>,
    With<B>,
    With<A>,
    With<B>,
    With<A>,
    With<B>,
    With<A>,
    With<B>,
    With<A>,
    Without<S>,
);

#[test]
fn a_derived_filter_demands_all_of_its_fields() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let plain = |i: u32| !i.is_multiple_of(7) && !i.is_multiple_of(2);
    assert_eq!(found::<Plain>(&mut world, &entities), numbers(plain));
    let untagged = |i: u32| plain(i) && !i.is_multiple_of(5) && (i.is_multiple_of(4) || i.is_multiple_of(3));
    assert_eq!(found::<Untagged<S>>(&mut world, &entities), numbers(untagged));
    assert_eq!(found::<Long>(&mut world, &entities), numbers(|i| i % 7 != 0 && i % 2 == 0 && i % 4 != 0));
}

#[test]
fn a_derived_filter_is_one_member_of_or() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let plain = |i: u32| !i.is_multiple_of(7) && !i.is_multiple_of(2);
    assert_eq!(found::<Or<(Plain, With<Tag>)>>(&mut world, &entities), numbers(|i| plain(i) || i % 5 == 0));
    assert_eq!(found::<Or<Plain>>(&mut world, &entities), numbers(plain), "not one of its fields, but all of them");
}

#[test]
fn derived_filters_keep_queries_apart() {
    let mut world = World::new();
    let plain = world.query_filtered::<&mut A, Plain>();
    let with_b = world.query_filtered::<&mut A, With<B>>();
    assert_eq!(plain.access().conflict_with(with_b.access()), None);
    let nested = world.query_filtered::<&mut A, Untagged<C>>();
    let tagged = world.query_filtered::<&mut A, With<Tag>>();
    assert_eq!(nested.access().conflict_with(tagged.access()), None);
    assert!(nested.access().conflict_with(plain.access()).is_some());
}
