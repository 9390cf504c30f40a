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
