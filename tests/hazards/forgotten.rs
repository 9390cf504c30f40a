//! Guards, iterators and selections that are forgotten: what they own leaks, and nothing else happens.

use strata_tests::process;

use super::*;

#[derive(Component, Clone)]
struct Mark(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside(u32);
#[derive(Resource)]
struct Score(u32);
#[derive(Message)]
struct Note;

/// Forgets a value of any type, also of one whose `Drop` comes with a later version only.
fn forget<T>(value: T) {
    std::mem::forget(value);
}

/// Does something that leaks, in a child in which leaks are not looked for.
fn in_child(name: &str, test: fn()) {
    if process::is_child_for(name) {
        return test();
    }
    let output = process::child_of(name).env("ASAN_OPTIONS", "detect_leaks=0").output().expect("the binary runs again");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn hazard_15_forgotten_iterators_of_removals_leave_them_unread() {
    in_child("forgotten::hazard_15_forgotten_iterators_of_removals_leave_them_unread", || {
        let mut world = World::new();
        let (mut reader, mut values) = (world.removed_reader::<Mark>(), world.removed_value_reader::<Mark>());
        let mut aside = world.removed_value_reader::<Aside>();
        for round in 1..4 {
            let entities: Vec<Entity> = world.spawn_batch((0..10).map(|n| (Mark(n), Aside(n)))).collect();
            entities.iter().for_each(|entity| _ = world.despawn(*entity));
            let mut removed = reader.read(&world);
            assert!(removed.next().is_some());
            forget(removed);
            let mut removed = values.read(&world);
            assert!(removed.nth(3).is_some());
            forget(removed);
            forget(aside.read(&world));
            assert_eq!(
                (reader.len(&world), values.len(&world), aside.len(&world)),
                (10 * round, 10 * round, 10 * round)
            );
            world.check_invariants();
        }
        assert_eq!(values.read(&world).map(|(_, mark)| mark.0).sum::<u32>(), 3 * 45);
        assert_eq!(aside.read(&world).map(|(_, aside)| aside.0).sum::<u32>(), 3 * 45);
        assert_eq!(reader.read(&world).count(), 30);
        // Those of a system, whose readers are parameters.
        let mut state: SystemState<(RemovedComponents<'_, '_, Mark>, RemovedValues<'_, '_, Aside>)> =
            SystemState::new(&mut world);
        world.spawn((Mark(1), Aside(1)));
        world.clear_entities();
        let (mut entities, mut values) = state.get(&world).expect("nothing is missing");
        forget((entities.read(), values.read()));
        forget((entities, values));
        let (mut entities, mut values) = state.get(&world).expect("nothing is missing");
        assert_eq!((entities.read().count(), values.read().count()), (1, 1));
        forget((reader, aside));
        forget(state);
        world.clear_trackers();
        world.shrink_to_fit();
        assert_usable(&mut world);
    });
}

#[test]
fn hazard_15_forgotten_selections_have_changed_nothing() {
    in_child("forgotten::hazard_15_forgotten_selections_have_changed_nothing", || {
        let mut world = World::new();
        let entities: Vec<Entity> = world.spawn_batch((0..100).map(Mark)).collect();
        world.spawn((Mark(100), Aside(100)));
        forget(world.all::<With<Mark>>());
        forget(world.many(&entities[10..20]));
        forget(world.commands().all::<With<Mark>>());
        forget(world.commands().many(&entities[..5]));
        world.flush();
        assert_eq!(world.query::<&Mark>().count(&world), 101);
        assert_eq!(world.many(&entities[10..20]).despawn(), 10);
        assert_eq!(world.all::<With<Aside>>().despawn(), 1);
        assert_usable(&mut world);
        assert_eq!(world.len(), 90);
    });
}

type Params<'w, 's> = (
    Query<'w, 's, (&'static mut Mark, Option<&'static mut Aside>)>,
    ResMut<'w, Score>,
    Commands<'w, 's>,
    Local<'s, u32>,
    MessageWriter<'w, Note>,
);

#[test]
fn hazard_15_forgotten_parameters_and_states_lock_nothing() {
    in_child("forgotten::hazard_15_forgotten_parameters_and_states_lock_nothing", || {
        let mut world = World::new();
        world.insert_resource(Score(1));
        world.init_resource::<Messages<Note>>();
        world.spawn_batch((0..10).map(|n| (Mark(n), Aside(n))));
        let mut state: SystemState<Params<'_, '_>> = SystemState::new(&mut world);
        for round in 1..4 {
            let (mut query, mut score, mut commands, mut local, mut notes) =
                state.get_mut(&mut world).expect("nothing is missing");
            let mut iter = query.iter_mut();
            iter.next().expect("there are ten").0.0 += 100;
            forget(iter);
            forget(query.iter_combinations_mut::<2>());
            score.0 += 1;
            *local += 1;
            let promised = commands.spawn(Mark(1000));
            let id = promised.id();
            forget(promised);
            notes.write(Note);
            assert_eq!((score.0, *local), (1 + round, round));
            forget((query, score, commands, local, notes));
            state.apply(&mut world);
            assert!(world.contains(id));
            world.check_invariants();
        }
        forget(state.get_mut(&mut world));
        // Commands that were recorded and not applied are lost with the state; the reserved ids are entities.
        let promised = state.get_mut(&mut world).expect("nothing is missing").2.spawn(Mark(1)).id();
        forget(state);
        world.flush();
        assert!(world.contains(promised) && world.get::<Mark>(promised).is_none());
        forget(world.query_filtered::<&Mark, Changed<Mark>>());
        assert_eq!(world.query::<&Mark>().iter(&world).filter(|mark| mark.0 == 1000).count(), 3);
        assert_eq!(world.query::<&Aside>().iter(&world).map(|aside| aside.0).sum::<u32>(), 45);
        world.shrink_to_fit();
        assert_usable(&mut world);
    });
}
