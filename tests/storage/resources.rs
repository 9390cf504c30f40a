//! Resources of a world.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

#[derive(Resource, Debug, PartialEq, Default)]
struct Score(u32);
#[derive(Resource, Debug, PartialEq)]
struct Title(String);
#[derive(Resource, Debug, PartialEq)]
struct Table<T: Send + Sync + 'static>(Vec<T>);
#[derive(Resource, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
}
#[derive(Resource)]
struct Held(Token);
#[derive(Resource, Debug)]
#[repr(align(1024))]
struct Wide(u8);

#[test]
fn a_resource_is_inserted_read_written_and_removed() {
    let mut world = World::new();
    assert!(!world.contains_resource::<Score>());
    assert!(world.get_resource::<Score>().is_none());
    world.insert_resource(Score(1));
    assert!(world.contains_resource::<Score>());
    assert_eq!(world.resource::<Score>().0, 1);
    world.resource_mut::<Score>().0 += 1;
    world.get_resource_mut::<Score>().expect("present").0 += 1;
    assert_eq!(world.get_resource::<Score>().map(|score| score.0), Some(3));
    assert_eq!(world.remove_resource::<Score>(), Some(Score(3)));
    assert_eq!(world.remove_resource::<Score>(), None);
    assert!(!world.contains_resource::<Score>());
}

#[test]
fn resources_of_every_shape_are_kept_apart() {
    let mut world = World::new();
    world.insert_resource(Title(String::from("t")));
    world.insert_resource(Table(vec![1_u8]));
    world.insert_resource(Table(vec![String::from("s")]));
    world.insert_resource(Phase::Day);
    world.insert_resource(Wide(3));
    assert_eq!(world.resource::<Table<u8>>().0, [1]);
    assert_eq!(world.resource::<Table<String>>().0, ["s"]);
    *world.resource_mut::<Phase>() = Phase::Night;
    assert_eq!(*world.resource::<Phase>(), Phase::Night);
    assert_eq!(std::ptr::from_ref::<Wide>(world.resource::<Wide>()).addr() % 1024, 0);
    assert_eq!(world.resource::<Title>().0, "t");
}

#[test]
fn inserting_again_replaces_and_drops_the_old_value_once() {
    drops::reset();
    let mut world = World::new();
    world.insert_resource(Held(Token::new()));
    world.insert_resource(Held(Token::new()));
    assert_eq!((drops::alive(), drops::dropped()), (1, 1));
    drop(world.remove_resource::<Held>());
    world.insert_resource(Held(Token::new()));
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn init_makes_a_default_and_leaves_what_is_there() {
    let mut world = World::new();
    world.init_resource::<Score>();
    assert_eq!(*world.resource::<Score>(), Score(0));
    world.resource_mut::<Score>().0 = 9;
    world.init_resource::<Score>();
    assert_eq!(*world.resource::<Score>(), Score(9));
}

#[test]
fn get_or_insert_with_calls_the_closure_only_when_needed() {
    let mut world = World::new();
    world.get_resource_or_insert_with(|| Score(5)).0 += 1;
    let mut called = false;
    let score = world.get_resource_or_insert_with(|| {
        called = true;
        Score(50)
    });
    assert_eq!(score.0, 6);
    assert!(!called);
}

#[test]
fn a_missing_resource_is_named_in_the_panic() {
    let mut world = World::new();
    let text = expect_panic(|| world.resource::<Score>().0);
    assert!(text.contains("Score"), "{text}");
    let text = expect_panic(|| world.resource_mut::<Title>().0.clear());
    assert!(text.contains("Title"), "{text}");
}

#[test]
fn a_missing_resource_names_the_system_that_asked() {
    fn scoreboard(_score: Res<'_, Score>) {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(scoreboard);
    let text = match strata_tests::panics::catch(|| schedule.try_run(&mut world)) {
        Ok(outcome) => outcome.expect_err("the resource is missing").to_string(),
        Err(text) => text,
    };
    assert!(text.contains("Score"), "{text}");
    assert!(text.contains("scoreboard"), "{text}");
    world.insert_resource(Score(1));
    schedule.run(&mut world);
}

#[test]
fn the_scope_lends_the_resource_beside_the_world() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let returned = world.resource_scope(|world: &mut World, mut score: Mut<'_, Score>| {
        assert!(!world.contains_resource::<Score>());
        world.spawn_empty();
        score.0 += 10;
        "returned"
    });
    assert_eq!(returned, "returned");
    assert_eq!(*world.resource::<Score>(), Score(11));
    assert_eq!(world.len(), 1);
}

#[test]
fn the_scope_names_a_missing_resource() {
    let mut world = World::new();
    let text = expect_panic(|| world.resource_scope(|_: &mut World, _: Mut<'_, Score>| ()));
    assert!(text.contains("Score"), "{text}");
}

#[test]
fn clearing_entities_and_resources_do_not_touch_each_other() {
    #[derive(Component)]
    struct Thing;
    let mut world = World::new();
    world.insert_resource(Score(1));
    world.spawn(Thing);
    world.remove_resource::<Score>();
    assert_eq!(world.len(), 1);
    world.insert_resource(Score(2));
    world.clear_entities();
    assert_eq!(*world.resource::<Score>(), Score(2));
}

#[test]
fn one_type_can_be_a_component_and_a_resource() {
    #[derive(Component, Resource, Debug, PartialEq)]
    struct Both(u8);
    let mut world = World::new();
    world.insert_resource(Both(1));
    let entity = world.spawn(Both(2)).id();
    assert_eq!(*world.resource::<Both>(), Both(1));
    assert_eq!(world.get::<Both>(entity), Some(&Both(2)));
    assert_eq!(world.query::<&Both>().iter(&world).count(), 1);
    world.check_invariants();
}

#[test]
fn res_and_res_mut_can_be_made_by_hand_for_unit_tests() {
    fn rules(score: Res<'_, Score>, mut title: ResMut<'_, Title>) {
        title.0 = score.0.to_string();
    }
    let score = Score(12);
    let mut title = Title(String::new());
    rules(Res::from(&score), ResMut::from(&mut title));
    assert_eq!(title.0, "12");
}

#[test]
fn all_resources_are_removed_and_those_that_are_lent_come_back() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    world.insert_non_send(std::rc::Rc::new(5));
    world.resource_scope(|world: &mut World, _: Mut<'_, Score>| {
        world.insert_resource(Title("t".into()));
        world.clear_resources();
        assert!(!world.contains_resource::<Title>());
    });
    assert!(world.contains_resource::<Score>() && world.contains_non_send::<std::rc::Rc<i32>>());
    let entity = world.spawn_empty().id();
    world.clear_all();
    assert!(!world.contains_resource::<Score>() && !world.contains_non_send::<std::rc::Rc<i32>>());
    assert!(!world.contains(entity));
    world.insert_resource(Score(3));
    assert_eq!(world.resource::<Score>().0, 3);
}

#[test]
fn resources_without_their_types_are_listed_in_the_order_of_their_registration() {
    let mut world = World::new();
    world.insert_resource(Title("one".into()));
    world.insert_resource(Score(42));
    world.insert_non_send(std::rc::Rc::new(1));
    let shown: Vec<String> = world
        .iter_resources()
        .filter(|(_, info, _)| info.name().contains("resources::"))
        .map(|(_, info, value)| format!("{} {:?}", info.layout().size(), value.downcast_ref::<Score>()))
        .collect();
    assert_eq!(shown, [format!("{} None", size_of::<Title>()), "4 Some(Score(42))".to_owned()]);
    assert!(world.iter_resources().all(|(_, info, _)| !info.name().contains("Rc<")));
    let ids: Vec<_> = world.iter_resources().map(|(id, ..)| id).collect();
    world.remove_resource::<Title>();
    assert_eq!(world.iter_resources().count(), ids.len() - 1);
    let there: Vec<bool> = ids.iter().map(|&id| world.get_resource_by_id(id).is_some()).collect();
    assert_eq!(there.iter().filter(|is_there| !**is_there).count(), 1);
}

#[test]
fn resources_without_their_types_change_where_they_are_borrowed_to_write() {
    let mut world = World::new();
    world.insert_resource(Title("one".into()));
    world.insert_resource(Score(42));
    world.clear_trackers();
    for (_, info, mut value) in world.iter_resources_mut() {
        if info.type_id() == Some(std::any::TypeId::of::<Score>()) {
            value.as_mut().deref_mut::<Score>().0 += 1;
        }
    }
    assert_eq!(world.resource::<Score>(), &Score(43));
    assert!(world.is_resource_changed::<Score>() && !world.is_resource_changed::<Title>());
    let (id, ..) = world.iter_resources().find(|(_, _, value)| value.downcast_ref::<Title>().is_some()).unwrap();
    world.get_resource_mut_by_id(id).unwrap().downcast_mut::<Title>().unwrap().0 = "two".into();
    assert_eq!(world.resource::<Title>().0, "two");
    assert!(world.is_resource_changed::<Title>());
}

#[test]
fn all_resources_without_their_types_are_borrowed_mutably_at_once() {
    let mut world = World::new();
    world.insert_resource(Title("one".into()));
    world.insert_resource(Score(42));
    let mut values: Vec<_> = world.iter_resources_mut().map(|(_, _, value)| value).collect();
    for value in &mut values {
        if let Some(mut score) = value.downcast_mut::<Score>() {
            score.0 += 1;
        } else if let Some(mut title) = value.downcast_mut::<Title>() {
            title.0.push('!');
        }
    }
    assert_eq!((world.resource::<Score>(), &*world.resource::<Title>().0), (&Score(43), "one!"));
}
