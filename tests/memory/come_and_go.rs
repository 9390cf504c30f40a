//! Nothing remains of what has come and gone: observers of entities, registered systems, schedules and readers whose owner was dropped.

use strata_ecs::prelude::*;
use strata_ecs::system::SystemState;
use strata_tests::alloc::held;

#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
}
#[derive(Event)]
struct Bell;
#[derive(Component)]
struct Value(u64);
#[derive(Component)]
struct Name(String);
#[derive(Message)]
struct Note;
#[derive(Resource, Default)]
struct Total(u64);
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Once;

/// How many things come and go in a round.
const EACH: usize = if cfg!(miri) { 50 } else { 2_000 };

/// Returns the number of bytes that remain for each thing that `round` adds and removes, after unneeded memory was released.
fn left_by_each(mut round: impl FnMut(&mut World)) -> f64 {
    let mut world = World::new();
    world.init_resource::<Total>();
    world.register_message::<Note>();
    let mut after = [0; 4];
    for held_now in &mut after {
        for _ in 0..EACH {
            round(&mut world);
        }
        world.shrink_to_fit();
        *held_now = held();
    }
    world.check_invariants();
    (after[3] - after[0]) as f64 / (3 * EACH) as f64
}

#[track_caller]
fn assert_nothing_remains(name: &str, round: impl FnMut(&mut World)) {
    let left = left_by_each(round);
    assert!(left < 0.5, "{name}: each leaves {left:.1} bytes behind");
}

#[test]
fn nothing_remains_of_the_observers_of_an_entity_that_was_despawned() {
    assert_nothing_remains("one observer", |world| {
        let id = world.spawn_empty().observe(|hit: On<'_, '_, Hit>| _ = hit.entity).id();
        world.despawn(id);
    });
    assert_nothing_remains("several observers of several kinds", |world| {
        let mut entity = world.spawn(Value(1));
        entity
            .observe(|hit: On<'_, '_, Hit>| _ = hit.entity)
            .observe(|_: On<'_, '_, Hit>, mut total: ResMut<'_, Total>| total.0 += 1);
        let id = entity.observe(|_: On<'_, '_, Remove<Value>>| {}).observe(|_: On<'_, '_, Add<Name>>| {}).id();
        world.entity_mut(id).insert(Name(String::from("n")));
        world.trigger(Hit { entity: id });
        world.despawn(id);
    });
    assert_nothing_remains("by command", |world| {
        world.commands().spawn(Value(1)).observe(|hit: On<'_, '_, Hit>| _ = hit.entity).despawn();
        world.flush();
    });
    assert_nothing_remains("observers that are components", |world| {
        let target = world.spawn_empty().id();
        let observer = world.spawn(Observer::new(|_: On<'_, '_, Hit>| {}).with_entity(target)).id();
        world.despawn(target);
        world.despawn(observer);
    });
}

#[test]
fn nothing_remains_of_observers_that_were_removed() {
    assert_nothing_remains("of all events", |world| {
        let id = world.add_observer(|_: On<'_, '_, Bell>, query: Query<'_, '_, &Value>| _ = query.iter().count());
        world.trigger(Bell);
        assert!(world.remove_observer(id));
    });
    assert_nothing_remains("of a component", |world| {
        let id = world.add_observer(|_: On<'_, '_, Add<Value>>, mut total: ResMut<'_, Total>| total.0 += 1);
        let entity = world.spawn(Value(1)).id();
        world.despawn(entity);
        assert!(world.remove_observer(id));
    });
    assert_nothing_remains("with a condition and readers", |world| {
        let observer = Observer::new(
            |_: On<'_, '_, Bell>, mut notes: MessageReader<'_, '_, Note>, removed: RemovedComponents<'_, '_, Value>| {
                _ = (notes.read().count(), removed.len());
            },
        );
        let id = world.add_observer(observer.run_if(|total: Res<'_, Total>| total.0 == 0));
        world.trigger(Bell);
        assert!(world.remove_observer(id));
    });
}

fn reads(
    values: Query<'_, '_, &Value, Changed<Value>>,
    mut notes: MessageReader<'_, '_, Note>,
    mut removed: RemovedComponents<'_, '_, Value>,
    mut names: RemovedValues<'_, '_, Name>,
    mut commands: Commands<'_, '_>,
) {
    _ = (values.iter().count(), notes.read().count(), removed.read().count(), names.read().count());
    commands.spawn_empty().despawn();
}

/// Something happens that readers would see.
fn change(world: &mut World) {
    let entity = world.spawn((Value(1), Name(String::from("some name")))).id();
    world.write_message(Note);
    world.despawn(entity);
}

#[test]
fn nothing_remains_of_systems_and_schedules_whose_owner_is_gone() {
    assert_nothing_remains("a registered system", |world| {
        let id = world.register_system(reads);
        world.run_system(id).expect("it runs");
        change(world);
        world.run_system(id).expect("it runs");
        assert!(world.unregister_system(id).is_ok());
        world.update_messages();
    });
    assert_nothing_remains("a system that was registered by its function", |world| {
        let id = world.register_system_cached(reads);
        world.run_system(id).expect("it runs");
        change(world);
        assert!(world.unregister_system(id).is_ok());
        world.update_messages();
    });
    assert_nothing_remains("a system that runs once", |world| {
        world.run_system_once(reads).expect("it runs");
        change(world);
        world.update_messages();
    });
    assert_nothing_remains("a system that was never run", |world| {
        let id = world.register_system(reads);
        change(world);
        assert!(world.unregister_system(id).is_ok());
        world.update_messages();
    });
    assert_nothing_remains("a schedule", |world| {
        let mut schedule = Schedule::default();
        schedule.add_systems((reads, reads));
        schedule.run(world);
        change(world);
        schedule.run(world);
    });
    assert_nothing_remains("a schedule of the world", |world| {
        world.get_resource_or_init::<Schedules>().add_systems(Once, reads);
        world.run_schedule(Once);
        change(world);
        assert!(world.resource_mut::<Schedules>().remove(Once).is_some());
        world.update_messages();
    });
    assert_nothing_remains("the state of a system", |world| {
        type Params<'w, 's> =
            (Query<'w, 's, &'static Value, Changed<Value>>, MessageReader<'w, 's, Note>, Commands<'w, 's>);
        let mut state = SystemState::<Params<'_, '_>>::new(world);
        _ = state.get_mut(world).expect("it is there").1.read().count();
        state.apply(world);
        change(world);
        world.update_messages();
    });
}

#[test]
fn nothing_is_kept_for_readers_that_were_dropped() {
    assert_nothing_remains("readers of removals", |world| {
        let readers = (world.removed_reader::<Value>(), world.removed_value_reader::<Name>());
        change(world);
        drop(readers);
        change(world);
        world.update_messages();
    });
    assert_nothing_remains("queries", |world| {
        let mut query = world.query_filtered::<&Value, Changed<Value>>();
        change(world);
        _ = query.iter(world).count();
        world.update_messages();
    });
    assert_nothing_remains("recorded changes", |world| {
        let id = world.spawn(Value(1)).id();
        world.clear_trackers();
        world.despawn(id);
    });
}
