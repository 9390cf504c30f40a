//! Saving and loading that systems request: between frames, with the result as an event.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{
    LoadError, LoadFailed, SaveCommands, SaveFailed, SaveTarget, WorldFormat, WorldLoaded, WorldSaved, components,
};

#[derive(Component, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
struct Health(u32);

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Draw;

/// The key that is pressed in a frame.
#[derive(Resource, Default, Clone)]
enum Key {
    #[default]
    None,
    Save(SaveTarget),
    Load(PathBuf),
    LoadBytes(Arc<[u8]>),
    SaveAndLoad(PathBuf),
}

/// The results of requests that were reported, in this process.
#[derive(Resource, Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

fn keys(mut key: ResMut<Key>, mut commands: Commands) {
    match std::mem::take(&mut *key) {
        Key::None => {}
        Key::Save(to) => commands.save_world(to),
        Key::Load(path) => commands.load_world(path),
        Key::LoadBytes(bytes) => commands.load_world(bytes),
        Key::SaveAndLoad(path) => {
            commands.save_world(&path);
            commands.load_world(&path);
        }
    }
}

fn hurt(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn read(
    mut saved: MessageReader<WorldSaved>,
    mut loaded: MessageReader<WorldLoaded>,
    mut failed: MessageReader<LoadFailed>,
    heard: Res<Heard>,
) {
    let mut heard = heard.0.lock().unwrap();
    heard.extend(saved.read().map(|_| "read saved".to_owned()));
    heard.extend(loaded.read().map(|_| "read loaded".to_owned()));
    heard.extend(failed.read().map(|_| "read failed".to_owned()));
}

fn format() -> WorldFormat {
    WorldFormat::new().with_components(components![Health]).with_known_only()
}

/// A world with one entity, which has `Health(0)`, and whose health grows by one each run of `Update`.
fn game() -> (World, Entity, Heard) {
    let (mut world, heard) = (World::new(), Heard::default());
    world.insert_resource(heard.clone());
    world.init_resource::<Key>();
    world.get_resource_or_init::<Schedules>().add_systems(Update, (keys, hurt).chain());
    world.add_schedule(Schedule::new(Draw));
    let id = world.spawn(Health(0)).id();
    format().register(&mut world);
    (world, id, heard)
}

fn press(world: &mut World, key: Key) {
    world.insert_resource(key);
    world.frame(|world| world.run_schedule(Update));
}

fn health(world: &World, id: Entity) -> u32 {
    world.get::<Health>(id).unwrap().0
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("strata-request-{name}-{}", std::process::id()))
}

/// Observes what has been saved to memory.
fn note_saved(world: &mut World) -> Arc<Mutex<Vec<Arc<[u8]>>>> {
    let all: Arc<Mutex<Vec<Arc<[u8]>>>> = Arc::default();
    let observed = Arc::clone(&all);
    world.add_observer(move |saved: On<WorldSaved>| observed.lock().unwrap().extend(saved.bytes.clone()));
    all
}

#[test]
fn a_frame_ends_before_the_world_is_saved_and_loaded() {
    let (mut world, id, _) = game();
    let path = file("frames");
    press(&mut world, Key::Save(SaveTarget::File(path.clone())));
    // Changes after the request in its frame are also saved.
    let mut saved = World::new();
    format().load_from_file(&mut saved, &path).unwrap();
    assert_eq!(health(&saved, id), 1);
    (0..3).for_each(|_| press(&mut world, Key::None));
    assert_eq!(health(&world, id), 4);
    let other = world.spawn(Health(7)).id();
    world.insert_resource(Key::Load(path.clone()));
    world.frame(|world| {
        world.run_schedule(Update);
        // The world is not exchanged in the middle of the frame, nor by schedules, frames and flushes within it.
        world.frame(|world| world.run_schedule(Draw));
        world.run_schedule(Update);
        world.flush();
        assert_eq!((health(world, id), health(world, other)), (6, 9));
    });
    assert_eq!(health(&world, id), 1);
    assert!(!world.contains(other));
    world.check_invariants();
    std::fs::remove_file(path).unwrap();
}

#[test]
fn schedules_without_a_named_frame_save_and_load_where_it_ends() {
    let (mut world, id, _) = game();
    let saved = note_saved(&mut world);
    world.insert_resource(Key::Save(SaveTarget::Memory));
    world.run_schedule(Update);
    world.run_schedule(Draw);
    assert!(saved.lock().unwrap().is_empty());
    // The frame ends when a schedule runs again that has run in it.
    world.run_schedule(Update);
    let bytes = saved.lock().unwrap()[0].clone();
    assert_eq!(health(&world, id), 2);
    world.insert_resource(Key::LoadBytes(bytes));
    world.run_schedule(Draw);
    world.run_schedule(Update);
    assert_eq!(health(&world, id), 3);
    world.run_schedule(Update);
    assert_eq!(health(&world, id), 2);
}

#[test]
fn a_schedule_outside_of_the_world_saves_and_loads_between_its_runs() {
    let (mut world, id, _) = game();
    let mut update = Schedule::default();
    update.add_systems((keys, hurt).chain());
    let saved = note_saved(&mut world);
    world.insert_resource(Key::Save(SaveTarget::Memory));
    (0..3).for_each(|_| update.run(&mut world));
    let bytes = saved.lock().unwrap()[0].clone();
    world.insert_resource(Key::LoadBytes(bytes));
    update.run(&mut world);
    assert_eq!(health(&world, id), 4);
    // A frame without anything ends the one of before.
    world.frame(|_| ());
    assert_eq!(health(&world, id), 1);
}

#[test]
fn requests_of_one_frame_are_carried_out_in_their_order_and_are_not_saved() {
    let (mut world, id, heard) = game();
    let path = file("order");
    let order = heard.clone();
    world.add_observer(move |_: On<WorldSaved>| order.0.lock().unwrap().push("saved".to_owned()));
    let order = heard.clone();
    world.add_observer(move |_: On<WorldLoaded>| order.0.lock().unwrap().push("loaded".to_owned()));
    press(&mut world, Key::SaveAndLoad(path.clone()));
    assert_eq!(*heard.0.lock().unwrap(), ["saved", "loaded"]);
    (0..3).for_each(|_| press(&mut world, Key::None));
    assert_eq!((health(&world, id), heard.0.lock().unwrap().len()), (4, 2));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn readers_of_messages_see_what_has_come_of_requests() {
    let (mut world, id, heard) = game();
    world.get_resource_or_init::<Schedules>().add_systems(Update, read);
    let (path, missing) = (file("read"), file("missing"));
    press(&mut world, Key::None);
    press(&mut world, Key::Save(SaveTarget::File(path.clone())));
    press(&mut world, Key::Load(missing));
    press(&mut world, Key::Load(path.clone()));
    press(&mut world, Key::None);
    assert_eq!(*heard.0.lock().unwrap(), ["read saved", "read failed", "read loaded"]);
    press(&mut world, Key::None);
    assert_eq!((health(&world, id), heard.0.lock().unwrap().len()), (4, 3));
    // A reader has read the message of the failure, so the failure is not reported as an error.
    assert!(world.take_command_errors().0.is_empty());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_load_that_fails_changes_nothing_and_names_the_file() {
    let (mut world, id, _) = game();
    let path = file("damaged");
    std::fs::write(&path, b"nothing of a world").unwrap();
    for path in [path.clone(), file("absent")] {
        press(&mut world, Key::Load(path.clone()));
        let (errors, _) = world.take_command_errors();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(errors[0].to_string().contains(&name), "{}", errors[0]);
    }
    assert_eq!(health(&world, id), 2);
    world.check_invariants();

    // An observer gets the error itself.
    let (errors, observed) = (Arc::new(Mutex::new(Vec::new())), file("absent"));
    let noted = Arc::clone(&errors);
    world.add_observer(move |failed: On<LoadFailed>| noted.lock().unwrap().push(Arc::clone(&failed.error)));
    press(&mut world, Key::Load(observed));
    assert!(matches!(*errors.lock().unwrap()[0], LoadError::Io(_)));
    assert!(world.take_command_errors().0.is_empty());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_save_that_fails_says_why() {
    let (mut world, _, _) = game();
    WorldFormat::new().register(&mut world);
    let errors = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&errors);
    world.add_observer(move |failed: On<SaveFailed>| noted.lock().unwrap().push(failed.to_string()));
    let path = file("refused");
    press(&mut world, Key::Save(SaveTarget::File(path.clone())));
    let text = errors.lock().unwrap()[0].clone();
    assert!(text.contains("strata-request-refused") && text.contains("Health"), "{text}");
    assert!(!path.exists());
}

#[test]
fn a_request_without_a_format_names_the_missing_call() {
    let mut world = World::new();
    world.save_world("never.save");
    world.frame(|_| ());
    let (errors, _) = world.take_command_errors();
    let text = errors[0].to_string();
    assert!(text.contains("never.save") && text.contains("WorldFormat::register"), "{text}");
}

#[test]
fn requests_wait_for_the_next_frame_if_one_panics() {
    let (mut world, _, _) = game();
    let saved = note_saved(&mut world);
    world.insert_resource(Key::Save(SaveTarget::Memory));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        world.frame(|world| {
            world.run_schedule(Update);
            panic!("in the middle");
        })
    }));
    assert!(panicked.is_err() && saved.lock().unwrap().is_empty());
    world.frame(|_| ());
    assert_eq!(saved.lock().unwrap().len(), 1);
}

#[test]
fn observers_request_saves_too() {
    #[derive(Event)]
    struct LevelDone;

    let (mut world, _, _) = game();
    let saved = note_saved(&mut world);
    world.add_observer(|_: On<LevelDone>, mut commands: Commands| commands.save_world(SaveTarget::Memory));
    world.frame(|world| {
        world.trigger(LevelDone);
        assert!(saved.lock().unwrap().is_empty());
    });
    assert_eq!(saved.lock().unwrap().len(), 1);
    // Outside of a frame it is carried out before the next one.
    world.trigger(LevelDone);
    assert_eq!(saved.lock().unwrap().len(), 1);
    world.frame(|_| assert_eq!(saved.lock().unwrap().len(), 2));
}

#[test]
fn requests_are_no_state_of_the_world() {
    let (mut world, _, _) = game();
    let options = strata_ecs::snapshot::StateOptions::new().without_resource::<Key>().without_resource::<Heard>();
    let before = world.checksum_with(&options).unwrap();
    world.save_world(SaveTarget::Memory);
    let snapshot = world.snapshot().unwrap();
    world.frame(|_| ());
    assert_eq!(world.checksum_with(&options).unwrap(), before);
    let saved = note_saved(&mut world);
    world.restore(&snapshot).unwrap();
    world.frame(|_| ());
    assert!(saved.lock().unwrap().is_empty());
}
