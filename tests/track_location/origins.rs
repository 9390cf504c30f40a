//! The last caller that changed a component, and the callers that spawned and despawned an entity.
//!
//! Where values move about they hold the line that wrote them, so that the line that is said to have changed one can be compared
//! with it.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

use strata_ecs::change::Origin;
use strata_ecs::component::{ChangeTracking, ComponentKey, ErasedValue, Mutable, StorageType};
use strata_ecs::entity::{Despawned, EntityError};
use strata_ecs::event::EntityTrigger;
use strata_ecs::prelude::*;
use strata_ecs::query::QueryEntityError;
use strata_ecs::store::EntityBuilder;
use strata_ecs::world::DeferredWorld;

/// The line that wrote it.
#[derive(Component, Clone, PartialEq, Debug)]
struct Line(u32);

/// As `Line`, to be there or not.
#[derive(Component, Clone, PartialEq, Debug)]
struct Other(u32);

#[derive(Component, Clone, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Loose(u32);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Tag;

#[derive(Component, Clone)]
struct Plain;

struct Quiet(u32);

impl Component for Quiet {
    type Mutability = Mutable;
    const STORAGE_TYPE: StorageType = StorageType::Table;
    const KEY: ComponentKey = ComponentKey::new(None, None, "track_location", "Quiet", 1, 1);
    const TRACK: ChangeTracking = ChangeTracking::Never;
}

#[derive(Resource, PartialEq, Default)]
struct Score(u32);

/// The line, of something done in this file.
#[track_caller]
fn line(origin: Origin) -> u32 {
    let location = origin.location().expect("the place is known");
    assert_eq!(location.file(), file!());
    location.line()
}

fn changed_at<C: Component>(world: &World, entity: Entity) -> u32 {
    line(world.entity(entity).get_ref::<C>().expect("the entity has the component").changed_by())
}

fn spawned_at(world: &World, entity: Entity) -> u32 {
    line(world.entity(entity).spawned_by())
}

fn despawned_at(world: &World, entity: Entity) -> u32 {
    assert!(!world.contains(entity));
    line(world.entities().entity_get_spawned_or_despawned_by(entity))
}

/// Compares every value with the line that is said to have written it.
#[track_caller]
fn check(world: &mut World) {
    world.check_invariants();
    for (entity, value) in world.query::<(Entity, Ref<Line>)>().iter(world) {
        assert_eq!(line(value.changed_by()), value.0, "`Line` of {entity}");
    }
    for (entity, value) in world.query::<(Entity, Ref<Other>)>().iter(world) {
        assert_eq!(line(value.changed_by()), value.0, "`Other` of {entity}");
    }
    for (entity, value) in world.query::<(Entity, Ref<Loose>)>().iter(world) {
        assert_eq!(line(value.changed_by()), value.0, "`Loose` of {entity}");
    }
}

#[test]
fn every_way_to_spawn_is_known() {
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    builder.add(Line(line!() + 3));
    let spawned = [
        (line!(), world.spawn(Line(line!())).id()),
        (line!(), world.spawn_dynamic(&mut builder).id()),
        (line!(), world.spawn_empty().id()),
        (line!(), world.try_spawn(Line(line!())).unwrap().id()),
        (line!(), world.spawn_at(Entity::from_raw_u32(90).unwrap(), Line(line!())).unwrap().id()),
        (line!(), world.spawn_batch([Line(line!()), Line(line!())]).last().unwrap()),
        (line!(), world.spawn_columns(vec![Line(line!())]).unwrap().next().unwrap()),
        (line!(), world.commands().spawn(Line(line!())).id()),
    ];
    let at = Entity::from_raw_u32(95).unwrap();
    world.flush();
    let columns_at = line!() + 1;
    world.spawn_columns_at(&[at], vec![Line(line!())]).unwrap();
    for (line, entity) in spawned.into_iter().chain([(columns_at, at)]) {
        assert_eq!(spawned_at(&world, entity), line);
        assert_eq!(line, world.entity(entity).get::<Line>().map_or(line, |value| value.0));
    }
    check(&mut world);
    let (line, copy) = (line!(), world.clone_entity(spawned[0].1).unwrap());
    assert_eq!((spawned_at(&world, copy), changed_at::<Line>(&world, copy)), (line, line));
}

#[test]
fn spawns_without_a_known_id_and_in_batches_are_known() {
    let mut world = World::new();
    for _ in 0..20 {
        world.commands().spawn(Line(line!()));
    }
    world.commands().spawn_batch([Line(line!()), Line(line!())]);
    world.extend([Line(line!())]);
    world.flush();
    assert_eq!(world.len(), 23);
    let all: Vec<(Entity, u32)> =
        world.query::<(Entity, &Line)>().iter(&world).map(|(id, line)| (id, line.0)).collect();
    assert!(all.iter().all(|&(entity, line)| spawned_at(&world, entity) == line));
    check(&mut world);
}

#[test]
fn the_origin_of_a_reserved_id_is_that_of_the_spawn() {
    let mut world = World::new();
    let [left, taken] = [world.reserve_entity(), world.reserve_entity()];
    let line = line!() + 1;
    world.commands().entity(taken).insert(Plain);
    world.flush();
    assert_eq!(world.entity(left).spawned_by(), Origin::UNKNOWN);
    assert_eq!(spawned_at(&world, taken), line);
}

#[test]
fn every_way_to_despawn_is_known() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch(vec![Plain; 6]).collect();
    let mut lines = vec![
        (line!(), world.despawn(ids[0])).0,
        (line!(), world.try_despawn(ids[1]).unwrap()).0,
        (line!(), world.entity_mut(ids[2]).despawn()).0,
        (line!(), world.commands().entity(ids[3]).despawn()).0,
    ];
    world.flush();
    lines.push((line!(), world.many(&ids[4..5]).despawn()).0);
    lines.push((line!(), world.clear_entities()).0);
    let known: Vec<u32> = ids.iter().map(|&id| despawned_at(&world, id)).collect();
    assert_eq!(known, lines);

    let many: Vec<Entity> = world.spawn_batch(vec![Plain; 20]).collect();
    for &entity in &many {
        world.commands().entity(entity).despawn();
    }
    let line = line!() - 2;
    world.flush();
    assert!(many.iter().all(|&id| despawned_at(&world, id) == line));

    let more: Vec<Entity> = world.spawn_batch(vec![Plain; 3]).collect();
    let line = line!() + 1;
    world.commands().all::<With<Plain>>().despawn();
    world.flush();
    assert!(more.iter().all(|&id| despawned_at(&world, id) == line));
}

#[test]
fn what_was_despawned_stays_known_until_the_next_tenant_goes() {
    let mut world = World::new();
    let first = world.spawn_empty().id();
    let (ended, _) = (line!(), world.despawn(first));
    let (made, second) = (line!(), world.spawn_empty().id());
    assert_eq!(first.index(), second.index());
    assert_eq!((despawned_at(&world, first), spawned_at(&world, second)), (ended, made));
    let (ended, _) = (line!(), world.despawn(second));
    assert_eq!(despawned_at(&world, second), ended);
    assert!(!world.entities().entity_get_spawned_or_despawned_by(first).is_known());
    assert!(!world.entities().entity_get_spawned_or_despawned_by(Entity::PLACEHOLDER).is_known());
    world.shrink_to_fit();
    assert!(!world.entities().entity_get_spawned_or_despawned_by(second).is_known());
    assert_eq!(world.get_entity(second).unwrap_err(), EntityError::Despawned(second.into()));
}

#[test]
fn every_kind_of_change_is_known() {
    let mut world = World::new();
    let entity = world.spawn(Line(line!())).id();
    world.entity_mut(entity).insert(Line(line!()));
    check(&mut world);
    world.entity_mut(entity).insert_if_new((Line(0), Other(line!())));
    check(&mut world);
    world.get_mut::<Line>(entity).unwrap().0 = line!();
    check(&mut world);
    assert!(world.get_mut::<Line>(entity).unwrap().set_if_neq(Line(line!())));
    check(&mut world);
    let same = world.get::<Line>(entity).unwrap().clone();
    assert!(!world.get_mut::<Line>(entity).unwrap().set_if_neq(same));
    check(&mut world);
    world.get_mut::<Line>(entity).unwrap().into_inner().0 = line!();
    check(&mut world);
    let mut value = world.get_mut::<Line>(entity).unwrap();
    value.bypass_change_detection().0 = line!() + 1;
    value.set_changed();
    check(&mut world);
    let mut value = world.get_mut::<Line>(entity).unwrap();
    value.bypass_change_detection().0 = line!() + 1;
    value.set_added();
    check(&mut world);
    for mut value in world.query::<&mut Line>().iter_mut(&mut world) {
        value.0 = line!();
    }
    check(&mut world);
    world.entity_mut(entity).replace::<Other, Loose>(Loose(line!()));
    check(&mut world);
    world.entity_mut(entity).exchange::<Loose, Other>(Other(line!())).unwrap();
    check(&mut world);
    let mut builder = EntityBuilder::new();
    builder.add(Line(line!() + 1)).add(Loose(line!() + 1));
    world.entity_mut(entity).insert_dynamic(&mut builder);
    check(&mut world);
    world.insert_batch([(entity, Line(line!()))]);
    check(&mut world);
    world.all::<()>().insert((Line(line!()), Other(line!())));
    check(&mut world);
    world.entity_mut(entity).insert(Loose(line!()));
    world.get_mut::<Loose>(entity).unwrap().0 = line!();
    check(&mut world);
}

#[test]
fn every_way_to_link_entities_is_known() {
    #[track_caller]
    fn check_children(world: &World, parent: Entity, at: u32) {
        for &child in world.get::<Children>(parent).expect("the entity has children") {
            assert_eq!(changed_at::<ChildOf>(world, child), at);
        }
    }

    for observed in [false, true] {
        let mut world = World::new();
        if observed {
            world.add_observer(|_: On<Insert<ChildOf>>| ());
        }
        let [root, a, b] = [(); 3].map(|()| world.spawn_empty().id());
        world.entity_mut(root).add_children(&[a, b]);
        check_children(&world, root, line!() - 1);
        world.entity_mut(root).replace_children(&[]).add_child(a);
        check_children(&world, root, line!() - 1);
        world.entity_mut(root).replace_children(&[b]);
        check_children(&world, root, line!() - 1);
        world.entity_mut(root).replace_children(&[]).insert_child(0, a);
        check_children(&world, root, line!() - 1);
        world.entity_mut(root).replace_children(&[]).with_child(Line(line!()));
        check_children(&world, root, line!() - 1);
        world.entity_mut(root).insert_recursive::<Children>(Line(line!()));
        check(&mut world);
        world.insert_batch([(a, Line(line!())), (a, Line(line!())), (b, Line(line!()))]);
        world.insert_batch_if_new([(a, Other(line!())), (root, Other(line!()))]);
        check(&mut world);
    }
}

#[test]
fn every_way_to_write_by_id_is_known() {
    let mut world = World::new();
    let ids = [world.register_component::<Line>(), world.register_component::<Loose>()];
    let entity = world.spawn_empty().id();
    world.entity_mut(entity).insert_by_id(ids[0], Line(line!())).unwrap();
    world.entity_mut(entity).insert_by_ids([(ids[1], ErasedValue::of(Loose(line!())))]).unwrap();
    check(&mut world);
    world.entity_mut(entity).insert_erased(ErasedValue::of(Line(line!()))).unwrap();
    check(&mut world);
    let mut value = world.get_mut_by_id(entity, ids[0]).unwrap();
    value.downcast_mut::<Line>().unwrap().0 = line!();
    check(&mut world);
    world.entity_mut(entity).get_mut_by_id(ids[1]).unwrap().replace(ErasedValue::of(Loose(line!()))).unwrap();
    check(&mut world);
    let table = world.entity(entity).location().table;
    world.column_mut_by_id::<Line>(table, ids[0]).unwrap().fill(Line(line!()));
    check(&mut world);
    world.commands().entity(entity).insert_by_id(ids[1], Loose(line!()));
    world.commands().entity(entity).insert_erased(ErasedValue::of(Line(line!())));
    let new = world.commands().spawn_empty().insert_by_id(ids[0], Line(line!())).id();
    let (recorded, ()) = (line!(), _ = world.commands().entity(Entity::PLACEHOLDER).remove_by_id(ids[0]));
    world.flush();
    check(&mut world);
    assert_eq!(world.entity(new).components().count(), 1);
    assert_eq!(line(world.take_command_errors().0[0].recorded_by()), recorded);
    world.entity_mut(entity).remove_by_ids(&ids).unwrap();
    check(&mut world);
}

#[test]
fn a_component_that_is_never_tracked_and_a_reference_by_hand_tell_nothing() {
    let mut world = World::new();
    let entity = world.spawn(Quiet(1)).id();
    world.get_mut::<Quiet>(entity).unwrap().0 = 2;
    assert!(!world.get_mut::<Quiet>(entity).unwrap().changed_by().is_known());
    let mut value = 3;
    assert!(!Mut::from(&mut value).changed_by().is_known());
}

#[test]
fn it_goes_where_the_values_go() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..6)
        .flat_map(|_| {
            let one = world.spawn((Line(line!()), Other(line!()))).id();
            let two = world.spawn((Line(line!()), Loose(line!()))).id();
            [one, two, world.spawn((Line(line!()), Loose(line!()), Tag)).id()]
        })
        .collect();
    check(&mut world);
    world.despawn(ids[0]); // The last row takes its place.
    world.despawn(ids[4]);
    check(&mut world);
    world.entity_mut(ids[3]).insert(Plain); // From table to table.
    world.entity_mut(ids[6]).remove::<Other>();
    world.entity_mut(ids[7]).insert(Other(line!()));
    world.entity_mut(ids[5]).remove::<Loose>();
    world.entity_mut(ids[9]).retain::<Line>();
    check(&mut world);
    let chosen = [ids[12], ids[1], ids[13], ids[10]];
    world.many(&chosen).insert_with(|_| Plain); // As blocks.
    check(&mut world);
    world.many(&chosen[1..3]).remove::<Plain>();
    check(&mut world);
    world.all::<With<Line>>().insert(Plain); // All rows of several tables.
    check(&mut world);
    world.shrink_to_fit();
    check(&mut world);
    for &entity in &ids {
        world.commands().entity(entity).try_insert(Other(line!())).try_remove::<Plain>();
    }
    world.flush();
    check(&mut world);
}

#[test]
fn it_goes_along_when_tables_exchange_their_columns() {
    let mut world = World::new();
    for _ in 0..50 {
        world.spawn(Line(line!()));
        world.spawn(Line(line!()));
    }
    assert_eq!(world.all::<With<Line>>().insert(Plain), 100);
    check(&mut world);
    assert_eq!(world.all::<With<Line>>().remove::<Plain>(), 100);
    check(&mut world);
    // A move to another world is a spawn there, and a despawn here.
    let old: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    let mut other = World::new();
    let line = line!() + 1;
    let map = world.all::<()>().move_to(&mut other);
    let new = map.get(old[7]).unwrap();
    assert_eq!(despawned_at(&world, old[7]), line);
    assert_eq!((spawned_at(&other, new), changed_at::<Line>(&other, new)), (line, line));
}

#[test]
fn each_command_answers_for_what_it_brings() {
    let mut world = World::new();
    let old = world.spawn((Line(line!()), Other(line!()))).id();
    let mut commands = world.commands();
    commands
        .entity(old)
        .insert_if_new((Line(0), Loose(line!())))
        .insert(Plain)
        .remove::<Other>()
        .insert_if_new(Other(line!()))
        .insert(Line(line!()));
    for _ in 0..20 {
        let mut new = commands.spawn(Line(line!()));
        new.insert(Other(line!()));
        new.insert(Loose(line!()));
    }
    let removed = commands.spawn((Line(line!()), Loose(line!()))).remove::<Loose>().insert(Loose(line!())).id();
    world.flush();
    check(&mut world);
    assert_eq!(spawned_at(&world, removed), line!() - 3);
    assert_eq!(world.query::<(&Line, &Other, &Loose)>().iter(&world).count(), 21);
    // The first spawned it, the last ended it.
    let short = world.commands().spawn(Plain).id();
    let line = line!() + 1;
    world.commands().entity(short).despawn();
    world.flush();
    assert_eq!(despawned_at(&world, short), line);
}

#[test]
fn the_same_commands_from_two_places_are_told_apart() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch(vec![Plain; 40]).collect();
    let mut commands = world.commands();
    for (nth, &entity) in ids.iter().enumerate() {
        if nth % 20 < 10 {
            commands.entity(entity).insert(Line(line!()));
        } else {
            commands.entity(entity).insert(Line(line!()));
        }
    }
    let mut queue = CommandQueue::default();
    Commands::new(&mut queue, &world).spawn(Line(line!()));
    let mut last = CommandQueue::default();
    Commands::new(&mut last, &world).spawn(Line(line!()));
    queue.append(&mut last);
    world.flush();
    queue.apply(&mut world);
    assert_eq!(world.query::<&Line>().iter(&world).count(), 42);
    check(&mut world);
}

#[test]
fn a_command_of_ones_own_answers_for_each_line() {
    let mut world = World::new();
    world.commands().queue(|world: &mut World| {
        world.spawn(Line(line!()));
        world.insert_resource(Score(line!()));
    });
    world.flush();
    check(&mut world);
    let score = world.get_resource_ref::<Score>().unwrap();
    assert_eq!(line(score.changed_by()), score.0);
}

fn grow(mut lines: Query<&mut Line>, mut score: ResMut<Score>, mut commands: Commands) {
    for mut value in &mut lines {
        value.0 = line!();
    }
    score.0 = line!();
    commands.spawn(Other(line!()));
}

#[system]
fn count(value: &mut Line) {
    value.0 += 1;
}

#[system]
fn count_some(mut value: Mut<Line>) {
    if value.0 > 0 {
        value.0 = line!();
    }
}

fn rebuild(world: &mut World) {
    world.spawn(Other(line!()));
    world.query::<&mut Line>().single_mut(world).unwrap().0 = line!();
    world.resource_mut::<Score>().0 = line!();
    world.run_system_once(bury).unwrap();
    world.commands().spawn(Loose(line!()));
    world.flush();
    world.spawn(Loose(line!()));
}

fn bury(mut commands: Commands, plain: Query<Entity, With<Plain>>) {
    for entity in &plain {
        commands.entity(entity).despawn();
    }
}

/// The last part of the system's name.
#[track_caller]
fn system(origin: Origin) -> &'static str {
    origin.system().expect("a system did it").rsplit("::").next().unwrap()
}

#[test]
fn systems_are_named() {
    let mut world = World::new();
    world.init_resource::<Score>();
    let entity = world.spawn(Line(0)).id();
    world.run_system_once(grow).unwrap();
    check(&mut world);
    let value = world.entity(entity).get_ref::<Line>().unwrap();
    assert_eq!(system(value.changed_by()), "grow");
    let text = value.changed_by().to_string();
    assert_eq!(text, format!("system `track_location::origins::grow` at {}:{}:{}", file!(), value.0, 9));
    let score = world.get_resource_ref::<Score>().unwrap();
    assert_eq!((system(score.changed_by()), line(score.changed_by())), ("grow", score.0));
    let other = world.query_filtered::<Entity, With<Other>>().single(&world).unwrap();
    assert_eq!(system(world.entity(other).spawned_by()), "grow");
    assert_eq!(system(world.entity(other).get_ref::<Other>().unwrap().changed_by()), "grow");
}

#[test]
fn a_row_system_has_a_name_and_its_mut_a_place() {
    let mut world = World::new();
    let entity = world.spawn(Line(1)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems(count);
    schedule.run(&mut world);
    let by = world.entity(entity).get_ref::<Line>().unwrap().changed_by();
    assert_eq!((system(by), by.location()), ("count", None));
    assert_eq!(by.to_string(), "system `track_location::origins::count`");
    let mut schedule = Schedule::default();
    schedule.add_systems(count_some);
    schedule.run(&mut world);
    check(&mut world);
    assert_eq!(system(world.entity(entity).get_ref::<Line>().unwrap().changed_by()), "count_some");
}

#[test]
fn an_exclusive_system_is_named_until_it_ends() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let entity = world.spawn(Line(0)).id();
    let buried = world.spawn(Plain).id();
    world.run_system_once(rebuild).unwrap();
    check(&mut world);
    assert_eq!(system(world.entity(entity).get_ref::<Line>().unwrap().changed_by()), "rebuild");
    let score = world.get_resource_ref::<Score>().unwrap();
    assert_eq!((system(score.changed_by()), line(score.changed_by())), ("rebuild", score.0));
    let made: Vec<Origin> = world.query::<Ref<Loose>>().iter(&world).map(|value| value.changed_by()).collect();
    assert_eq!(made.iter().map(|by| system(*by)).collect::<Vec<_>>(), ["rebuild", "rebuild"]);
    let by = world.entities().entity_get_spawned_or_despawned_by(buried);
    assert_eq!(system(by), "bury");
    world.get_mut::<Line>(entity).unwrap().0 = line!();
    check(&mut world);
    assert_eq!(world.entity(entity).get_ref::<Line>().unwrap().changed_by().system(), None);
    assert_eq!(world.spawn_empty().spawned_by().system(), None);
}

#[test]
fn a_panic_in_an_exclusive_system_does_not_name_it_for_what_follows() {
    let mut world = World::new();
    let panicking = |_: &mut World| panic!("as it should");
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.run_system_once(panicking)));
    assert!(done.is_err());
    assert_eq!(world.spawn_empty().spawned_by().system(), None);
}

#[test]
fn resources_tell_which_system_changed_them() {
    let mut world = World::new();
    let last = |world: &World| line(world.get_resource_ref::<Score>().unwrap().changed_by());
    world.insert_resource(Score(1));
    assert_eq!(last(&world), line!() - 1);
    world.insert_resource(Score(2));
    assert_eq!(last(&world), line!() - 1);
    world.resource_mut::<Score>().0 = 3;
    assert_eq!(last(&world), line!() - 1);
    assert!(!world.resource_mut::<Score>().set_if_neq(Score(3)));
    assert_eq!(last(&world), line!() - 3);
    world.resource_scope(|_, mut score: Mut<Score>| score.0 = line!());
    assert_eq!(last(&world), line!() - 1);
    world.resource_scope(|_, _: Mut<Score>| ());
    assert_eq!(last(&world), line!() - 3);
    world.commands().insert_resource(Score(4));
    world.flush();
    assert_eq!(last(&world), line!() - 2);
    world.remove_resource::<Score>();
    world.init_resource::<Score>();
    assert_eq!(last(&world), line!() - 1);
    world.remove_resource::<Score>();
    world.commands().init_resource::<Score>();
    world.flush();
    assert_eq!(last(&world), line!() - 2);
}

#[test]
fn an_error_tells_which_system_despawned_the_entity() {
    let mut world = World::new();
    let entity = world.spawn(Plain).id();
    world.run_system_once(bury).unwrap();
    let error = world.get_entity(entity).unwrap_err();
    assert_eq!(error, EntityError::Despawned(entity.into()));
    let EntityError::Despawned(despawned) = error else { panic!("{error}") };
    assert_eq!((despawned, system(despawned.by())), (Despawned::from(entity), "bury"));
    let by =
        format!("it was despawned by system `track_location::origins::bury` at {}:{}", file!(), line(despawned.by()));
    assert!(error.to_string().contains(&by), "{error}");

    let error = world.query::<&Plain>().get(&world, entity).err().unwrap();
    assert!(matches!(error, QueryEntityError::NotSpawned(_)) && error.to_string().contains(&by), "{error}");

    let recorded = line!() + 1;
    world.commands().entity(entity).insert(Plain);
    world.flush();
    let (errors, _) = world.take_command_errors();
    let text = errors[0].to_string();
    assert!(text.contains(&by) && text.contains(&format!("recorded at {}:{recorded}:", file!())), "{text}");
    assert_eq!(line(errors[0].recorded_by()), recorded);

    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.entity(entity).id())).unwrap_err();
    assert!(panicked.downcast_ref::<String>().unwrap().contains(&by));

    let other = world.spawn(Plain).id();
    world.despawn(other);
    let text = world.get_entity(other).unwrap_err().to_string();
    assert!(text.contains(&format!("it was despawned at {}:{}:", file!(), line!() - 2)), "{text}");
}

#[test]
fn of_several_failing_commands_each_tells_where_it_was_recorded() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    world.despawn(entity);
    world.commands().entity(entity).insert(Plain).remove::<Plain>();
    world.commands().entity(entity).despawn();
    world.commands().entity(entity).retain::<Plain>();
    world.flush();
    let (errors, _) = world.take_command_errors();
    let lines: Vec<u32> = errors.iter().map(|error| line(error.recorded_by())).collect();
    assert_eq!(lines, [line!() - 6, line!() - 6, line!() - 5, line!() - 4]);
}

#[test]
fn nothing_known_is_said_to_be_unknown() {
    assert!(!Origin::UNKNOWN.is_known());
    assert_eq!(Origin::UNKNOWN, Origin::default());
    assert_eq!(Origin::UNKNOWN.to_string(), "an unknown place");
    let entity = Entity::from_raw_u32(3).unwrap();
    let error = EntityError::Despawned(entity.into());
    assert_eq!(error.to_string(), "entity 3v1 does not exist: it was despawned");
}

#[derive(EntityEvent)]
struct Knock(Entity);

/// The callers that observers got: their lines, and the systems if they are known.
#[derive(Resource, Default)]
struct Callers(Vec<(u32, Option<String>)>);

impl Callers {
    fn note(&mut self, origin: Origin) {
        let system = origin.system().map(|name| name.rsplit("::").next().unwrap_or(name).to_owned());
        self.0.push((line(origin), system));
    }
}

/// The lines of the callers since this was called last.
fn callers(world: &mut World) -> Vec<u32> {
    let callers = std::mem::take(&mut world.resource_mut::<Callers>().0);
    assert!(callers.iter().all(|(_, system)| system.is_none()));
    callers.into_iter().map(|(line, _)| line).collect()
}

fn world_with_callers() -> World {
    let mut world = World::new();
    world.init_resource::<Callers>();
    world
}

#[test]
fn an_observer_knows_the_line_that_triggered_the_event() {
    let mut world = world_with_callers();
    world.add_observer(|knock: On<Knock>, mut callers: ResMut<Callers>| callers.note(knock.caller()));
    let door = world.spawn_empty().id();
    let line = line!();
    world.trigger(Knock(door));
    world.trigger_with(Knock(door), EntityTrigger);
    world.trigger_ref(&mut Knock(door));
    world.trigger_ref_with(&mut Knock(door), &mut EntityTrigger);
    world.entity_mut(door).trigger(Knock);
    world.commands().trigger(Knock(door));
    world.commands().trigger_with(Knock(door), EntityTrigger);
    world.commands().entity(door).trigger(Knock);
    DeferredWorld::from(&mut world).trigger(Knock(door));
    world.flush();
    assert_eq!(callers(&mut world), [1, 2, 3, 4, 5, 9, 6, 7, 8].map(|n| line + n));
}

#[test]
fn a_triggering_system_is_known_by_its_name() {
    fn knock(mut commands: Commands, doors: Query<Entity>) {
        commands.trigger(Knock(doors.iter().next().unwrap()));
    }
    let mut world = world_with_callers();
    world.spawn_empty();
    world.add_observer(|knock: On<Knock>, mut callers: ResMut<Callers>| callers.note(knock.caller()));
    world.run_system_once(knock).unwrap();
    assert_eq!(world.resource::<Callers>().0, [(line!() - 6, Some("knock".to_owned()))]);
}

#[test]
fn an_event_within_an_event_has_a_caller_of_its_own() {
    #[derive(Event)]
    struct Echo;
    let mut world = world_with_callers();
    world.add_observer(|_: On<Knock>, mut world: DeferredWorld| {
        world.trigger(Echo);
        world.write_message(Said);
    });
    let of_echo = line!() - 3;
    world.add_observer(|echo: On<Echo>, mut callers: ResMut<Callers>| callers.note(echo.caller()));
    world.add_observer(|knock: On<Knock>, mut callers: ResMut<Callers>| callers.note(knock.caller()));
    let door = world.spawn_empty().id();
    world.trigger(Knock(door));
    let of_knock = line!() - 1;
    let [first, second] = &*world.resource::<Callers>().0 else { panic!("two are told") };
    assert!(first.0 == of_echo && first.1.is_some(), "the observer is a system");
    assert_eq!(*second, (of_knock, None));
}

#[derive(Message)]
struct Said;

#[test]
fn observers_and_hooks_know_the_line_that_changes_components() {
    let mut world = world_with_callers();
    world.register_component_hooks::<Other>().on_add(|mut world, context| {
        world.write_message(Said);
        world.resource_mut::<Callers>().note(context.caller);
    });
    world.add_observer(|add: On<Add<Other>>, mut callers: ResMut<Callers>| callers.note(add.caller()));
    world.add_observer(|add: OnBatch<Insert<Other>>, mut callers: ResMut<Callers>| callers.note(add.caller()));
    world.add_observer(|remove: On<Remove<Other>>, mut callers: ResMut<Callers>| callers.note(remove.caller()));
    let entity = world.spawn(Other(0)).id();
    assert_eq!(callers(&mut world), [line!() - 1; 3]);
    world.commands().entity(entity).remove::<Other>();
    world.flush();
    assert_eq!(callers(&mut world), [line!() - 2]);
    world.spawn_batch([Other(1), Other(2)]);
    assert_eq!(callers(&mut world), [line!() - 1; 5]);
    world.all::<With<Other>>().despawn();
    assert_eq!(callers(&mut world), [line!() - 1; 2]);
    world.entity_mut(entity).insert(Other(3));
    let _ = callers(&mut world);
    let count = |add: On<Add<Other>>, mut callers: ResMut<Callers>| callers.note(add.caller());
    world.add_observer(Observer::new(count).yield_existing());
    assert_eq!(callers(&mut world), [line!() - 1]);
}
