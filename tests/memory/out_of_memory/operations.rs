//! Operations on entities, resources and messages.

use strata_ecs::component::{ComponentDescriptor, Description, ErasedValue, StorageType};
use strata_ecs::prelude::*;

use super::kinds::*;
use super::stage::Stage;

pub(crate) type Operation = (&'static str, fn(&mut Stage));

/// A component that is made at run time.
fn named(storage: StorageType) -> &'static ComponentDescriptor {
    let name = if storage == StorageType::Table { "out_of_memory:table" } else { "out_of_memory:sparse" };
    ComponentDescriptor::builder(name, Description::<Held>::new()).storage(storage).build()
}

pub(crate) const ENTITIES: &[Operation] = &[
    ("register", |stage| {
        stage.world.register_component::<Newcomer<0>>();
        stage.world.register_component::<NewcomerAside<0>>();
        stage.world.register_component::<Needy>();
    }),
    ("spawn", |stage| _ = stage.world.spawn(whole(1))),
    ("spawn a new bundle", |stage| _ = stage.world.spawn((name(1), newcomer::<0>(), newcomer_aside::<0>(), aside(1)))),
    ("spawn what requires", |stage| _ = stage.world.spawn((Needy(1), name(1)))),
    ("spawn sparse", |stage| _ = stage.world.spawn((aside(1), Loose(1), Tag))),
    ("try_spawn", |stage| _ = stage.world.try_spawn((name(1), newcomer::<0>(), Needy(1), aside(4)))),
    ("spawn_empty", |stage| (0..20).for_each(|_| _ = stage.world.spawn_empty())),
    ("spawn_at", |stage| {
        let at = Entity::from_raw_u32(stage.world.entities().index_bound() as u32 + 70).expect("a valid index");
        let _ = stage.world.spawn_at(at, whole(1));
    }),
    ("spawn_at of what requires", |stage| {
        let at = Entity::from_raw_u32(stage.world.entities().index_bound() as u32 + 70).expect("a valid index");
        let _ = stage.world.spawn_at(at, (Needy(1), newcomer_aside::<0>()));
    }),
    ("spawn_batch", |stage| _ = stage.world.spawn_batch((0..10).map(|number| (held(number), name(number)))).count()),
    ("spawn_batch sparse", |stage| _ = stage.world.spawn_batch((0..10).map(whole)).count()),
    ("spawn_batch of what requires", |stage| {
        let _ = stage.world.spawn_batch((0..10).map(|number| (Needy(number), held(0)))).count();
    }),
    ("extend", |stage| stage.world.extend((0..10).map(|number| (newcomer::<0>(), aside(number))))),
    ("spawn_columns", |stage| {
        let columns = ((0..10).map(held).collect::<Vec<_>>(), (0..10).map(aside).collect::<Vec<_>>());
        let _ = stage.world.spawn_columns(columns).map(|ids| ids.count());
    }),
    ("spawn_columns of what requires", |stage| {
        let columns = ((0..10).map(Needy).collect::<Vec<_>>(), (0..10).map(|_| Tag).collect::<Vec<_>>());
        let _ = stage.world.spawn_columns(columns).map(|ids| ids.count());
    }),
    ("spawn_columns_at", |stage| {
        let first = stage.world.entities().index_bound() as u32 + 30;
        let ids: Vec<Entity> = (first..first + 10).map(|at| Entity::from_raw_u32(at * 2).expect("valid")).collect();
        let columns = ((0..10).map(Needy).collect::<Vec<_>>(), (0..10).map(aside).collect::<Vec<_>>());
        let _ = stage.world.spawn_columns_at(&ids, columns);
    }),
    ("spawn_dynamic", |stage| {
        let mut builder = EntityBuilder::new();
        builder.add(held(1)).add(aside(2)).add(newcomer::<0>()).add_bundle((name(4), held(5)));
        stage.world.spawn_dynamic(&mut builder);
    }),
    ("insert_dynamic", |stage| {
        let mut builder = EntityBuilder::new();
        builder.add(held(1)).add(aside(2)).add(newcomer::<0>()).add(Needy(2));
        stage.world.entity_mut(stage.ids[0]).insert_dynamic(&mut builder);
    }),
    ("register with a descriptor", |stage| {
        for storage in [StorageType::Table, StorageType::Sparse] {
            let registered = stage.world.register_component_with_descriptor(named(storage));
            assert!(registered.is_ok());
        }
    }),
    ("insert by id", |stage| {
        for storage in [StorageType::Table, StorageType::Sparse] {
            let id = stage.world.register_component_with_descriptor(named(storage)).expect("the name is free");
            for at in [0, 4, 8, 12, 14] {
                let _ = stage.world.entity_mut(stage.ids[at]).insert_by_id(id, held(1)).map(|_| ());
                let _ = stage.world.entity_mut(stage.ids[at]).insert_by_id(id, held(2)).map(|_| ());
            }
        }
    }),
    ("insert by ids", |stage| {
        for at in [0, 4, 8, 12, 14] {
            let values = [ErasedValue::of(held(1)), ErasedValue::of(aside(2)), ErasedValue::of(Needy(1))];
            let new =
                [StorageType::Table, StorageType::Sparse].map(|storage| ErasedValue::new(named(storage), held(3)));
            let values: Vec<_> = values.into_iter().chain(new.into_iter().flatten()).collect();
            let world = &mut stage.world;
            let mut with_id = |value: ErasedValue| {
                (world.register_component_with_descriptor(value.descriptor()).expect("the name is free"), value)
            };
            let values: Vec<_> = values.into_iter().map(&mut with_id).collect();
            let _ = world.entity_mut(stage.ids[at]).insert_by_ids(values).map(|_| ());
        }
    }),
    ("insert erased and remove by id", |stage| {
        for at in [0, 4, 8, 12] {
            let mut entity = stage.world.entity_mut(stage.ids[at]);
            let _ = entity.insert_erased(ErasedValue::of(aside(2))).map(|_| ());
            let ids: Vec<_> = entity.as_readonly().components().collect();
            assert!(entity.remove_by_ids(&ids).is_ok());
        }
    }),
    ("take by id", |stage| {
        let ids = [stage.world.register_component::<Held>(), stage.world.register_component::<Aside>()];
        for entity in stage.ids.clone() {
            for id in ids {
                if let Ok(mut entity) = stage.world.get_entity_mut(entity) {
                    drop(entity.take_by_id(id));
                }
            }
        }
    }),
    ("replace by id", |stage| {
        let id = stage.world.register_component::<Held>();
        for entity in stage.ids.clone() {
            if let Ok(mut value) = stage.world.get_mut_by_id(entity, id) {
                drop(value.replace(ErasedValue::of(held(5))));
            }
        }
    }),
    ("commands by id", |stage| {
        let id = stage.world.register_component::<Held>();
        for at in [0, 4, 8] {
            let mut commands = stage.world.commands();
            commands
                .entity(stage.ids[at])
                .insert_by_id(id, held(1))
                .insert_erased(ErasedValue::of(aside(1)))
                .remove_by_id(id);
        }
        stage.world.flush();
    }),
    ("columns with a descriptor", |stage| {
        let mut batch = ColumnBatch::new();
        batch.add((0..10).map(aside).collect::<Vec<_>>());
        for storage in [StorageType::Table, StorageType::Sparse] {
            let added = batch.add_by_descriptor(named(storage), (0..10).map(held).collect());
            assert!(added.is_ok());
        }
        let _ = stage.world.spawn_columns(batch).map(|ids| ids.count());
    }),
    ("removals by id", |stage| {
        let id = stage.world.register_component::<Held>();
        let mut reader = stage.world.removed_reader_by_id(id).expect("it is registered");
        stage.world.clear_entities();
        let _ = reader.read(&stage.world).count();
    }),
    ("take_all", |stage| {
        for at in [0, 5, 9, 12] {
            let mut builder = stage.world.entity_mut(stage.ids[at]).take_all();
            stage.world.entity_mut(stage.ids[at + 1]).insert_dynamic(&mut builder);
        }
    }),
    ("clone", |stage| {
        let _ = stage.world.clone_entity(stage.ids[8]);
        let _ = stage.world.clone_entity(stage.ids[14]);
    }),
    ("insert", |stage| {
        for at in [0, 4, 8, 12, 14] {
            stage.world.entity_mut(stage.ids[at]).insert((name(7), aside(8), newcomer::<0>()));
        }
    }),
    ("insert what requires", |stage| {
        for at in [0, 4, 8, 12, 14] {
            stage.world.entity_mut(stage.ids[at]).insert((Needy(7), held(8)));
        }
    }),
    ("insert sparse", |stage| {
        for at in [0, 4, 8, 14] {
            stage.world.entity_mut(stage.ids[at]).insert(aside(8)).insert(newcomer_aside::<0>()).insert(Tag);
        }
    }),
    ("insert_if_new", |stage| {
        for at in [0, 4, 8, 14] {
            stage.world.entity_mut(stage.ids[at]).insert_if_new((name(7), aside(8), held(1), Needy(4)));
        }
    }),
    ("remove", |stage| {
        for at in [0, 4, 8, 12] {
            stage.world.entity_mut(stage.ids[at]).remove::<(Held, Aside, Title, Given)>();
        }
    }),
    ("take", |stage| {
        for at in [0, 4, 8] {
            let _ = stage.world.entity_mut(stage.ids[at]).take::<(Held, Mark)>();
        }
        let _ = stage.world.entity_mut(stage.ids[1]).take::<(Aside, Tag, Held)>();
        let _ = stage.world.entity_mut(stage.ids[2]).take::<Aside>();
    }),
    ("retain and clear", |stage| {
        for at in [0, 4, 8, 12] {
            stage.world.entity_mut(stage.ids[at]).retain::<(Mark, Tag)>();
            stage.world.entity_mut(stage.ids[at + 1]).clear();
        }
    }),
    ("spawn and insert with hooks", |stage| {
        let world = &mut stage.world;
        let id = world.spawn((hooked(1), held(2))).id();
        world.entity_mut(id).insert((hooked(3), aside(4)));
        world.entity_mut(id).remove::<(Hooked, Held)>();
        world.entity_mut(id).insert(hooked(5));
        world.despawn(id);
        _ = world.spawn_batch((0..5).map(|number| (hooked(number), name(number)))).count();
        world.all::<With<Hooked>>().despawn();
    }),
    ("replace and exchange", |stage| {
        for at in [0, 4, 8] {
            let _ = stage.world.entity_mut(stage.ids[at]).exchange::<(Held, Mark), _>((name(3), newcomer::<0>()));
            stage.world.entity_mut(stage.ids[at + 1]).replace::<(Aside, Held), _>((aside(4), Needy(1)));
        }
    }),
    ("despawn", |stage| {
        for at in [0, 4, 8, 12, 14, 1] {
            stage.world.despawn(stage.ids[at]);
        }
    }),
    ("clear_entities", |stage| stage.world.clear_entities()),
    ("reserve and flush", |stage| {
        let first = stage.world.reserve_entity();
        let _ = stage.world.reserve_entities(30).count();
        stage.world.flush();
        stage.world.entity_mut(first).insert(held(1));
        let _ = stage.world.reserve_entities(30).count();
        stage.world.spawn(held(3));
    }),
    ("try_reserve", |stage| {
        let _ = stage.world.try_reserve::<(Held, Aside, Tag, Newcomer<0>)>(300);
        let _ = stage.world.reserve_entities(30).count();
        let _ = stage.world.try_reserve::<(Needy, Title)>(300);
    }),
    ("clone components", |stage| {
        let world = &mut stage.world;
        if let Ok(mut builder) = world.entity_mut(stage.ids[9]).clone_components() {
            world.spawn_dynamic(&mut builder);
        }
        let _ = world.entity_mut(stage.ids[9]).clone_and_spawn();
    }),
    ("register_required", |stage| {
        let _ = stage.world.try_register_required_components::<Newcomer<0>, Given>();
        stage.world.spawn(newcomer::<0>());
        let _ = stage.world.try_register_required_components::<NewcomerAside<0>, Needy>();
        let _ = stage.world.try_register_required_components::<Newcomer<2>, GivenAside>();
        stage.world.spawn(newcomer_aside::<0>());
    }),
    ("shrink", |stage| {
        stage.world.despawn(stage.ids[1]);
        stage.world.shrink_to_fit();
        stage.world.spawn(whole(5));
    }),
];

pub(crate) const MANY: &[Operation] = &[
    ("insert_batch", |stage| {
        let ids = stage.ids.clone();
        stage.world.insert_batch(ids.into_iter().enumerate().map(|(at, id)| (id, (held(at), aside(at), Needy(1)))));
    }),
    ("selected insert", |stage| _ = stage.world.all::<With<Mark>>().insert((name(3), Loose(4)))),
    ("selected insert of what requires", |stage| _ = stage.world.all::<()>().insert_with(|_| (Needy(4), Tag))),
    ("selected insert_with", |stage| {
        _ = stage.world.all::<Without<Title>>().insert_with(|_| (name(3), newcomer::<0>(), aside(5)));
    }),
    ("selected insert_from", |stage| {
        _ = stage.world.all::<()>().insert_from::<&Held, _>(|held| (name(held.0.len()), Tag));
    }),
    ("selected insert_columns", |stage| {
        let marks: Vec<Mark> = (0..stage.ids.len() as u32).map(Mark).collect();
        let loose: Vec<Loose> = (0..stage.ids.len() as u64).map(Loose).collect();
        let _ = stage.world.all::<()>().insert_columns((&marks[..], &loose[..]));
    }),
    ("selected remove", |stage| {
        stage.world.all::<With<Tag>>().remove::<(Held, Aside)>();
        stage.world.all::<()>().remove::<(Mark, Tag, Given, GivenAside)>();
    }),
    ("selected despawn", |stage| {
        stage.world.many(&stage.ids[2..9]).despawn();
        stage.world.all::<With<Title>>().despawn();
    }),
    ("many insert and remove", |stage| {
        let ids: Vec<Entity> = stage.ids.iter().rev().copied().collect();
        stage.world.many(&ids).insert((name(3), Tag));
        stage.world.many(&ids[3..8]).remove::<(Mark, Held, Aside)>();
    }),
    ("move_to", |stage| _ = stage.world.all::<()>().move_to(&mut stage.other)),
    ("move_to of many", |stage| _ = stage.world.many(&stage.ids[1..11]).move_to(&mut stage.other)),
    ("move_to a fresh world", |stage| {
        let mut fresh = World::new();
        std::mem::swap(&mut stage.other, &mut fresh);
        let _ = stage.world.all::<With<Mark>>().move_to(&mut stage.other);
        let _ = stage.other.all::<()>().move_to(&mut stage.world);
    }),
    ("watch changes", |stage| {
        let mut changed = stage.world.query_filtered::<Entity, Or<(Changed<Held>, Added<Aside>, Changed<Page>)>>();
        let _ = changed.iter(&stage.world).count();
        stage.world.spawn(whole(3));
        let _ = changed.iter(&stage.world).count();
        if let Some(changes) = &mut stage.changes {
            changes.iter(&stage.world).for_each(drop);
        }
        stage.world.clear_trackers();
    }),
    ("read removed", |stage| {
        let mut held = stage.world.removed_value_reader::<Held>();
        let mut tags = stage.world.removed_reader::<Tag>();
        let mut new = stage.world.removed_value_reader::<NewcomerAside<0>>();
        stage.world.despawn(stage.ids[0]);
        stage.world.entity_mut(stage.ids[1]).remove::<(Held, Tag)>();
        assert!(held.read(&stage.world).count() <= 2 && tags.read(&stage.world).count() <= 2);
        stage.world.set_removed_limit::<Held>(1);
        stage.world.all::<With<Held>>().despawn();
        assert!(new.read(&stage.world).count() == 0 && held.read(&stage.world).count() <= 1);
    }),
    ("queries", |stage| {
        let mut query = stage.world.query::<(&Held, Option<&Aside>, Has<Newcomer<0>>)>();
        let _ = query.iter(&stage.world).count();
        stage.world.spawn((held(1), newcomer::<0>()));
        let _ = query.iter(&stage.world).count();
        let _ = query.iter_many(&stage.world, &stage.ids).matched().count();
        let _ = stage.world.try_query::<(&Title, &Loose)>().map(|mut query| query.iter(&stage.world).count());
        let _ =
            stage.world.query_filtered::<&mut Mark, (With<Tag>, Without<Title>)>().iter_mut(&mut stage.world).count();
    }),
];

pub(crate) const VALUES: &[Operation] = &[
    ("resources", |stage| {
        stage.world.insert_resource(Store::default());
        stage.world.insert_resource(NewStore::<0>::default());
        stage.world.insert_resource(NewStore::<0>::default());
        let _ = stage.world.get_resource_or_init::<NewStore<1>>().0.len();
        let _ = stage.world.remove_resource::<NewStore<0>>();
        stage.world.init_resource::<NewStore<0>>();
    }),
    ("resource_scope", |stage| {
        stage.world.init_resource::<Store>();
        stage.world.resource_scope(|world: &mut World, _: Mut<'_, Store>| {
            world.spawn(whole(1));
            world.insert_resource(NewStore::<2>::default());
        });
    }),
    ("non-send", |stage| {
        stage.world.insert_non_send(NewStore::<0>::default());
        stage.world.insert_non_send(String::from("of one thread"));
        assert_eq!(stage.world.non_send::<String>(), "of one thread");
        let _ = stage.world.remove_non_send::<NewStore<0>>();
        stage.world.insert_non_send(NewStore::<0>::default());
    }),
    ("messages", |stage| {
        for number in 0..6 {
            stage.world.write_message(note(number));
        }
        stage.world.write_message(new_note::<0>());
        let _ = stage.world.write_message_batch((0..10).map(note));
        stage.world.update_messages();
        stage.world.write_message(new_note::<1>());
        stage.world.update_messages();
        stage.world.write_message(note(1));
        stage.world.update_messages();
    }),
    ("commands", |stage| {
        let ids = stage.ids.clone();
        let mut commands = stage.world.commands();
        commands.spawn(whole(1));
        commands.spawn((newcomer::<0>(), aside(3)));
        commands.entity(ids[0]).insert((name(1), Tag)).remove::<Held>().insert_if_new(held(3));
        commands.entity(ids[1]).despawn();
        commands.entity(ids[1]).insert(held(5));
        commands.queue(|world: &mut World| _ = world.spawn(name(4)));
        commands.insert_resource(NewStore::<0>::default());
        commands.write_message(note(4));
        commands.spawn_batch((0..5).map(|number| (held(number), Tag)));
        commands.all::<With<Title>>().insert_with(|_| aside(3));
        commands.many(&ids[4..7]).remove::<Held>();
        stage.world.flush();
        let _ = stage.world.take_command_errors();
    }),
    ("commands for many", |stage| {
        let ids = stage.ids.clone();
        let mut commands = stage.world.commands();
        for (at, &id) in ids.iter().enumerate() {
            commands.entity(id).insert((name(at), Mark(3))).remove::<Held>();
        }
        let new: Vec<Entity> = (0..20).map(|number| commands.spawn((held(number), Needy(1))).id()).collect();
        for &id in ids.iter().chain(&new) {
            commands.entity(id).despawn();
        }
        stage.world.flush();
    }),
    ("a queue of commands", |stage| {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &stage.world);
        commands.spawn_empty().insert(whole(1));
        let id = commands.spawn(held(1)).id();
        commands.entity(id).insert(newcomer::<0>());
        commands.entity(stage.ids[3]).insert(newcomer_aside::<0>());
        let mut other = CommandQueue::default();
        Commands::new(&mut other, &stage.world).spawn((held(3), aside(4)));
        queue.append(&mut other);
        queue.apply(&mut stage.world);
    }),
];
