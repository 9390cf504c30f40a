//! Why queries match what they match.

use strata_ecs::prelude::*;
use strata_ecs::query::{ExplainedTerm, QueryExplanation};

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity;
#[derive(Component)]
struct Frozen;
#[derive(Component)]
#[component(storage = "sparse")]
struct Chosen;
#[derive(Component)]
struct Never;
#[derive(Component)]
#[component(storage = "sparse")]
struct NeverSparse;

mod inner {
    use strata_ecs::prelude::*;

    #[derive(Component)]
    pub(crate) struct Holds<T: Send + Sync + 'static>(pub(crate) T);

    pub(crate) struct Thing;
}

/// Three tables with components, some entities that are chosen, and one without anything.
fn world() -> World {
    let mut world = World::new();
    world.spawn_empty();
    world.spawn_batch((0..5).map(|x| Position(x as f32)));
    world.spawn_batch((0..4).map(|x| (Position(x as f32), Velocity)));
    world.spawn_batch((0..3).map(|x| (Position(x as f32), Velocity, Frozen)));
    let some: Vec<Entity> = world.query_filtered::<Entity, With<Velocity>>().iter(&world).step_by(3).collect();
    some.into_iter().for_each(|entity| {
        world.entity_mut(entity).insert(Chosen);
    });
    world
}

/// Returns the numbers of tables and entities that remain after each term.
fn counts(explanation: &QueryExplanation) -> Vec<(&str, usize, usize)> {
    explanation.terms().iter().map(|term| (term.term(), term.tables(), term.entities())).collect()
}

fn last_line(explanation: &QueryExplanation) -> String {
    explanation.to_string().lines().last().unwrap().to_owned()
}

/// That an explanation says of a query what it does.
fn agrees<D: QueryData, F: QueryFilter>(world: &mut World) {
    let explanation = world.explain_query_filtered::<D, F>();
    let mut query = world.query_filtered::<D, F>();
    let entities = query.iter_mut(world).count();
    assert_eq!(explanation.matched_entities(), entities, "{explanation}");
    assert_eq!(explanation.matched_tables(), query.matched_tables(), "{explanation}");
    assert_eq!(explanation.is_empty(), entities == 0);
    assert_eq!(explanation.culprit().is_some(), entities == 0);
}

#[test]
fn what_is_explained_is_what_is_matched() {
    let mut world = world();
    let world = &mut world;
    agrees::<Entity, ()>(world);
    agrees::<&Position, ()>(world);
    agrees::<(Entity, &mut Position, Option<&Velocity>, Has<Frozen>), ()>(world);
    agrees::<(Mut<'_, Position>, (&Velocity, (&Frozen,))), ()>(world);
    agrees::<&Position, Without<Velocity>>(world);
    agrees::<Entity, (With<Position>, (Without<Frozen>, With<Velocity>))>(world);
    agrees::<&Chosen, ()>(world);
    agrees::<&Position, With<Chosen>>(world);
    agrees::<&Position, (Without<Chosen>, Without<Frozen>)>(world);
    agrees::<Entity, Or<(With<Frozen>, With<Chosen>)>>(world);
    agrees::<Entity, Or<((With<Velocity>, Without<Chosen>), Without<Position>)>>(world);
    agrees::<Entity, Or<((With<Velocity>, Without<Chosen>),)>>(world);
    agrees::<AnyOf<(&Frozen, &Chosen)>, ()>(world);
    agrees::<AnyOf<((&Frozen, &Chosen),)>, ()>(world);
    agrees::<strata_ecs::query::FirstOf<&Chosen, &Velocity>, With<Position>>(world);
    agrees::<Option<(&Velocity, &Chosen)>, ()>(world);
}

#[test]
fn it_agrees_where_components_are_met_for_the_first_time() {
    let mut world = world();
    agrees::<&Never, ()>(&mut world);
    agrees::<Entity, Without<inner::Holds<u8>>>(&mut world);
    agrees::<Entity, Or<(With<inner::Holds<u16>>, With<Velocity>)>>(&mut world);
    agrees::<AnyOf<(&inner::Holds<u32>, &Velocity)>, ()>(&mut world);
    agrees::<Option<&inner::Holds<u64>>, With<Position>>(&mut world);
    agrees::<Has<inner::Holds<i8>>, ()>(&mut world);
}

#[test]
fn changes_are_decided_row_by_row() {
    let mut world = world();
    let mut watching = world.query_filtered::<Entity, (Changed<Position>, Added<Chosen>)>();
    assert_ne!(watching.iter(&world).count(), 0);
    world.clear_trackers();
    agrees::<Entity, Changed<Position>>(&mut world);
    assert!(last_line(&world.explain_query_filtered::<Entity, Changed<Position>>()).ends_with(
        "there were 4 tables with 13 entities, and no `Position` of these was added or changed since `World::clear_trackers`"
    ));
    let moved = world.query_filtered::<Entity, With<Frozen>>().iter(&world).next().unwrap();
    world.get_mut::<Position>(moved).unwrap().0 += 1.0;
    agrees::<Entity, Changed<Position>>(&mut world);
    agrees::<Ref<'_, Position>, (Without<Velocity>, Changed<Position>)>(&mut world);
    let explanation = world.explain_query_filtered::<Ref<'_, Position>, (Changed<Position>, Without<Velocity>)>();
    let expected = [("Ref<Position>", 3, 12), ("Changed<Position>", 3, 1), ("Without<Velocity>", 1, 0)];
    assert_eq!(counts(&explanation), expected);

    let new = world.query_filtered::<Entity, Without<Velocity>>().iter(&world).next().unwrap();
    world.entity_mut(new).insert(Chosen);
    agrees::<Entity, Added<Chosen>>(&mut world);
    assert_eq!(world.explain_query_filtered::<Entity, Added<Chosen>>().matched_entities(), 1);
}

#[test]
fn explaining_tracks_nothing_and_registers_nothing() {
    let world = world();
    let explanation = world.explain_query_filtered::<&Never, (Changed<Position>, With<NeverSparse>)>();
    assert_eq!(world.component_id::<Never>(), None);
    assert_eq!(world.component_id::<NeverSparse>(), None);
    assert!(!world.components().info(world.component_id::<Position>().unwrap()).unwrap().is_tracked());
    let unregistered: Vec<&[String]> = explanation.terms().iter().map(ExplainedTerm::unregistered).collect();
    assert_eq!(unregistered, [&["Never".to_owned()][..], &[], &["NeverSparse".to_owned()]]);
}

#[test]
fn the_first_term_that_leaves_nothing_is_the_culprit() {
    let world = world();
    let explanation = world.explain_query_filtered::<(&Velocity, &Frozen), (Without<Position>, With<Chosen>)>();
    let expected = [("&Velocity", 2, 7), ("&Frozen", 1, 3), ("Without<Position>", 0, 0), ("With<Chosen>", 0, 0)];
    assert_eq!(counts(&explanation), expected);
    assert_eq!(explanation.culprit().unwrap().term(), "Without<Position>");
    assert_eq!(
        explanation.to_string(),
        "query `(&Velocity, &Frozen)` with filter `(Without<Position>, With<Chosen>)` matches nothing\n\
         \x20 in the world: 4 tables, 13 entities\n\
         \x20 &Velocity: 2 tables, 7 entities\n\
         \x20 &Frozen: 1 table, 3 entities\n\
         \x20 Without<Position>: nothing\n\
         \x20 With<Chosen>: nothing\n\
         nothing is left after `Without<Position>`: there was 1 table with 3 entities, all of which have `Position`"
    );
}

#[test]
fn a_component_that_others_have_is_told_from_one_that_no_entity_has() {
    let mut world = world();
    let explanation = world.explain_query_filtered::<&Frozen, Without<Velocity>>();
    assert_eq!(explanation.culprit().unwrap().term(), "Without<Velocity>");

    let explanation = world.explain_query_filtered::<Entity, (Without<Velocity>, With<Frozen>)>();
    assert_eq!(
        last_line(&explanation),
        "nothing is left after `With<Frozen>`: there were 2 tables with 6 entities, none of which has `Frozen`; 3 other \
         entities have it"
    );
    assert_eq!(
        last_line(&world.explain_query::<(&Position, &mut Never)>()),
        "nothing is left after `&mut Never`: the world has never met `Never`: no entity has had one"
    );
    world.register_component::<Never>();
    assert_eq!(
        last_line(&world.explain_query::<(&Position, &mut Never)>()),
        "nothing is left after `&mut Never`: no entity has `Never`"
    );
}

#[test]
fn alternatives_are_one_term() {
    let world = world();
    let explanation = world.explain_query_filtered::<AnyOf<(&Never, &NeverSparse)>, Or<(With<Frozen>, With<Never>)>>();
    assert_eq!(
        explanation.to_string(),
        "query `AnyOf<(&Never, &NeverSparse)>` with filter `Or<(With<Frozen>, With<Never>)>` matches nothing\n\
         \x20 in the world: 4 tables, 13 entities\n\
         \x20 AnyOf<(&Never, &NeverSparse)>: nothing (the world has never met `Never`, `NeverSparse`)\n\
         \x20 Or<(With<Frozen>, With<Never>)>: nothing (the world has never met `Never`)\n\
         nothing is left after `AnyOf<(&Never, &NeverSparse)>`: there were 4 tables with 13 entities, none of which matches \
         one of these"
    );
}

#[test]
fn tables_without_entities_are_mentioned() {
    let mut world = World::new();
    let entity = world.spawn((Position(0.0), Velocity)).id();
    world.despawn(entity);
    world.spawn(Position(1.0));
    let explanation = world.explain_query::<&Position>();
    assert_eq!((explanation.matched_tables(), explanation.empty_tables()), (2, 1));
    assert_eq!(
        explanation.to_string(),
        "query `&Position` matches 2 tables with 1 entity\n\
         \x20 in the world: 3 tables, 1 entity\n\
         \x20 &Position: 2 tables, 1 entity\n\
         1 table of these without entities"
    );
    let explanation = world.explain_query::<(&Position, &Velocity)>();
    assert_eq!(
        last_line(&explanation),
        "nothing is left after `&Velocity`: there were 2 tables with 1 entity; 1 table has `Velocity`, but no entities"
    );
}

#[test]
fn a_world_without_entities_says_so() {
    let explanation = World::new().explain_query_filtered::<Entity, Without<Never>>();
    assert_eq!(last_line(&explanation), "the world has no entities");
    assert!(explanation.culprit().is_none());
}

#[test]
fn names_have_no_modules() {
    type Nested = inner::Holds<Option<inner::Thing>>;
    let explanation = World::new().explain_query::<(&Nested, &mut inner::Holds<[Vec<inner::Thing>; 3]>)>();
    let names: Vec<&str> = explanation.terms().iter().map(ExplainedTerm::term).collect();
    assert_eq!(names, ["&Holds<Option<Thing>>", "&mut Holds<[Vec<Thing>; 3]>"]);
}

#[derive(QueryData)]
struct Body {
    position: &'static Position,
    velocity: &'static Velocity,
}

#[derive(QueryFilter)]
struct Awake {
    frozen: Without<Frozen>,
}

#[test]
fn derived_structs_are_taken_apart() {
    let mut world = world();
    agrees::<Body, Awake>(&mut world);
    let explanation = world.explain_query_filtered::<Body, Awake>();
    assert_eq!(counts(&explanation), [("&Position", 3, 12), ("&Velocity", 2, 7), ("Without<Frozen>", 1, 4)]);
    assert!(explanation.to_string().starts_with("query `Body` with filter `Awake` matches 1 table with 4 entities\n"));
}

#[derive(QueryData)]
enum Motion {
    Frozen(&'static Frozen),
    Free(&'static Velocity),
}

#[test]
fn derived_enums_are_one_term() {
    let mut world = world();
    agrees::<Motion, Without<Chosen>>(&mut world);
    let explanation = world.explain_query::<Motion>();
    assert_eq!(counts(&explanation), [("first of (&Frozen, &Velocity)", 2, 7)]);
}

#[test]
fn components_that_an_option_asks_for_are_named() {
    let explanation = World::new().explain_query::<Option<(&Never, &NeverSparse)>>();
    assert_eq!(explanation.terms()[0].unregistered(), ["Never", "NeverSparse"]);
    assert_eq!(explanation.terms()[0].term(), "Option<(&Never, &NeverSparse)>");
}
