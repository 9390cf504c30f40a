//! Paths of names down a hierarchy, compared with a recursive search.

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::name::Name;
use strata_ecs::prelude::*;

use crate::{children, entities};

/// The first entity to which a path leads from one that has its first name.
fn search(world: &World, entity: Entity, path: &[&str]) -> Option<Entity> {
    if world.get::<Name>(entity)?.as_str() != path[0] {
        return None;
    }
    match path[1..] {
        [] => Some(entity),
        _ => children(world, entity).into_iter().find_map(|child| search(world, child, &path[1..])),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_leads_to_what_recursion_finds(
        parents in vec((0..16_usize, 0..16_usize), 0..40),
        names in vec(proptest::option::weighted(0.9, "[ab]?"), 16),
        paths in vec(vec("[ab]?", 1..5), 1..20),
    ) {
        let mut world = World::new();
        world.on_command_error(strata_ecs::world::OnCommandError::Ignore);
        let all: Vec<Entity> = names.iter().map(|_| world.spawn_empty().id()).collect();
        // The order of names in tables differs from the order of ids.
        for (at, name) in names.iter().enumerate().rev() {
            name.iter().for_each(|name| _ = world.entity_mut(all[at]).insert(Name::new(name.clone())));
        }
        for (child, parent) in parents {
            world.entity_mut(all[child]).insert(ChildOf(all[parent]));
        }
        let mut query = world.query::<(Option<&Name>, Option<&Children>)>();
        for path in &paths {
            let parts: Vec<&str> = path.iter().map(String::as_str).collect();
            let path = parts.join("/");
            let roots = all.iter().filter(|&&root| world.get::<ChildOf>(root).is_none());
            let expected = roots.into_iter().find_map(|&root| search(&world, root, &parts));
            assert_eq!(world.entity_by_path(&path), expected, "{path}");
            for &from in &all {
                let expected = children(&world, from).into_iter().find_map(|child| search(&world, child, &parts));
                assert_eq!(world.descendant_by_path(from, &path), expected, "{path} from {from}");
                let query = query.query(&world);
                assert_eq!(query.descendant_by_path::<Children>(from, &path), expected, "{path} from {from}");
            }
        }
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let mut world = World::new();
    assert_eq!(world.entity_by_path("ship"), None);
    let [dead] = entities(&mut world);
    let ship = world.spawn((Name::new("ship"), children![Name::new("a/b")])).id();
    world.despawn(dead);
    for path in ["", "/", "/ship", "ship/", "ship/a/b", "ship//a"] {
        assert_eq!(world.entity_by_path(path), None, "{path}");
    }
    assert_eq!(world.descendant_by_path(dead, "ship"), None);
    assert_eq!(world.entity_by_path("ship"), Some(ship));
}

#[test]
fn children_are_looked_at_in_their_order() {
    let mut world = World::new();
    let part = || Name::new("part");
    let ship = world.spawn((Name::new("ship"), children![part(), part()])).id();
    let [a, b] = children(&world, ship)[..] else { panic!("there are two children") };
    assert_eq!(world.entity_by_path("ship/part"), Some(a));
    world.get_mut::<Children>(ship).unwrap().swap(0, 1);
    assert_eq!(world.entity_by_path("ship/part"), Some(b));
    world.despawn(b);
    assert_eq!(world.entity_by_path("ship/part"), Some(a));
}

#[test]
fn a_query_goes_down_any_relationship() {
    use crate::{LikedBy, Likes};

    let mut world = World::new();
    let star = world.spawn_empty().id();
    let fan = world.spawn((Name::new("fan"), Likes(star))).id();
    // In a circle, too.
    world.entity_mut(star).insert((Name::new("star"), Likes(fan)));
    let mut query = world.query::<(Option<&Name>, Option<&LikedBy>)>();
    let query = query.query(&world);
    assert_eq!(query.descendant_by_path::<LikedBy>(star, "fan/star/fan/star"), Some(star));
    assert_eq!(query.descendant_by_path::<LikedBy>(star, "fan/fan"), None);
}
