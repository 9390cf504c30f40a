//! The state of consumers in files: if a game is saved and another world loads it, it continues there as if it had not been interrupted.

use std::env;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strata_ecs::prelude::*;
use strata_ecs::query::{SpawnDetails, Spawned};
use strata_ecs::snapshot::{BuildError, LeftOut};
use strata_save::{LoadError, NotSaved, Problem, SaveError, WorldFormat, components, resources};

use super::saves::signed;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct First;
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "health")]
struct Health(u32);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "title")]
struct Title(String);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "rare", storage = "sparse")]
struct Rare(u8);
#[derive(Message, Clone, Serialize, Deserialize)]
struct Step(u32);
#[derive(Resource, Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "log")]
struct Log(Vec<String>);
/// A type of a `Local` that no one knows by itself.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
struct Plan {
    steps: Vec<(u32, Option<Entity>)>,
}

fn note(log: &mut Log, what: &str, value: impl std::fmt::Debug) {
    log.0.push(format!("{what} {value:?}"));
}

fn changed(all: Query<Entity, Changed<Health>>, added: Query<Entity, Added<Rare>>, mut log: ResMut<Log>) {
    note(&mut log, "changed", (all.iter().collect::<Vec<_>>(), added.iter().collect::<Vec<_>>()));
}

fn spawned(all: Query<(Entity, SpawnDetails), Spawned>, mut log: ResMut<Log>) {
    let all: Vec<_> = all.iter().map(|(entity, details)| (entity, details.spawn_tick())).collect();
    note(&mut log, "spawned", all);
}

fn removed(mut lost: RemovedComponents<Health>, mut titles: RemovedValues<Title>, mut log: ResMut<Log>) {
    let titles: Vec<(Entity, String)> = titles.read().map(|(entity, title)| (entity, title.0.clone())).collect();
    note(&mut log, "removed", (lost.read().collect::<Vec<_>>(), titles));
}

/// It runs every third time only, so that there is something that it has not read.
fn seldom(mut lost: RemovedComponents<Health>, mut steps: MessageReader<Step>, mut log: ResMut<Log>) {
    note(&mut log, "seldom", (lost.read().collect::<Vec<_>>(), steps.read().map(|step| step.0).collect::<Vec<_>>()));
}

fn every_third(mut runs: Local<u32>) -> bool {
    *runs += 1;
    runs.is_multiple_of(3)
}

fn read(mut steps: MessageReader<Step>, mut log: ResMut<Log>) {
    note(&mut log, "steps", steps.read().map(|step| step.0).collect::<Vec<_>>());
}

fn plan(mut plan: Local<Plan>, all: Query<Entity, With<Health>>, mut log: ResMut<Log>) {
    let at = plan.steps.len() as u32;
    plan.steps.push((at, all.iter().next()));
    note(&mut log, "plan", &plan.steps);
}

fn locals(mut names: Local<Vec<String>>, mut last: Local<Option<Entity>>, all: Query<Entity>, mut log: ResMut<Log>) {
    let next = names.len().to_string();
    names.push(next);
    let before = std::mem::replace(&mut *last, all.iter().last());
    note(&mut log, "locals", (&names[..], before));
}

fn work(
    all: Query<(Entity, &mut Health)>,
    mut steps: MessageWriter<Step>,
    mut commands: Commands,
    mut runs: Local<u32>,
) {
    *runs += 1;
    for (at, (entity, mut health)) in all.into_iter().enumerate() {
        if (at as u32).is_multiple_of(*runs % 3 + 1) {
            health.0 += 1;
        }
        match (health.0 + at as u32) % 7 {
            0 => commands.entity(entity).despawn(),
            1 => _ = commands.entity(entity).insert((Title(health.0.to_string()), Rare(1))),
            2 => _ = commands.entity(entity).remove::<(Title, Rare)>(),
            _ => {}
        }
    }
    steps.write(Step(*runs));
    (0..*runs % 4).for_each(|at| _ = commands.spawn((Health(at), Title("new".into()))));
}

fn more_work(mut commands: Commands, mut steps: MessageReader<Step>) {
    steps.read().for_each(|step| (0..step.0 % 5).for_each(|_| _ = commands.spawn(Health(step.0))));
}

fn whole(world: &mut World) {
    let changed: Vec<Entity> = world.query_filtered::<Entity, Changed<Health>>().iter(world).collect();
    note(&mut world.resource_mut::<Log>(), "whole", changed);
}

#[system(down = ChildOf, changed(Health))]
fn below(entity: Entity, health: &Health, mut log: ResMut<Log>) {
    note(&mut log, "below", (entity, health.0));
}

fn link(all: Query<Entity, (With<Health>, Without<ChildOf>)>, mut commands: Commands) {
    if let [parent, .., child] = all.iter().collect::<Vec<_>>()[..] {
        commands.entity(child).insert(ChildOf(parent));
    }
}

/// A world with its schedules; in another process components have other numbers.
pub(super) fn game(is_another: bool) -> World {
    let mut world = World::new();
    if is_another {
        world.register_component::<Rare>();
        world.register_component::<ChildOf>();
        world.register_component::<Title>();
    }
    world.init_resource::<Log>();
    let (mut first, mut update) = (Schedule::new(First), Schedule::new(Update));
    first.add_systems((spawned, read, plan, removed).chain());
    update.add_systems(
        (changed, work, more_work, link, below, seldom.run_if(every_third), whole, locals, changed).chain(),
    );
    world.add_schedule(first);
    world.add_schedule(update);
    world
}

pub(super) fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Health, Title, Rare, ChildOf, Children])
        .with_resources(resources![Log, Messages<Step>])
        .with_local::<Plan>("plan")
}

/// Runs schedules in turn, from one on, and takes what was noted.
pub(super) fn play(world: &mut World, turns: std::ops::Range<usize>) -> Vec<String> {
    for turn in turns {
        if turn % 2 == 0 {
            world.run_schedule(First);
        } else {
            world.run_schedule(Update);
        }
    }
    world.check_invariants();
    let mut log = std::mem::take(&mut world.resource_mut::<Log>().0);
    log.push(format!("frame {} {:?}", world.frame_number(), world.change_tick()));
    log
}

#[test]
fn a_game_that_is_cut_by_a_file_goes_as_if_it_had_not_been_cut() {
    let turns = 24;
    for cut in 0..turns {
        let mut whole = game(false);
        play(&mut whole, 0..cut);
        let bytes = format().save(&mut whole).unwrap();
        let mut text = Vec::new();
        format().serialize(&mut whole, &mut serde_json::Serializer::new(&mut text)).unwrap();
        let expected = play(&mut whole, cut..turns);
        for is_another in [false, true] {
            let mut world = game(is_another);
            format().load(&mut world, &bytes).unwrap();
            assert_eq!(play(&mut world, cut..turns), expected, "cut at {cut}");
            // In a world in which something else has happened.
            let mut world = game(is_another);
            play(&mut world, 0..5);
            format().load(&mut world, &bytes).unwrap();
            assert_eq!(play(&mut world, cut..turns), expected, "cut at {cut}, after something else");
            let mut world = game(is_another);
            format().deserialize(&mut world, &mut serde_json::Deserializer::from_slice(&text)).unwrap();
            assert_eq!(play(&mut world, cut..turns), expected, "cut at {cut} by a text");
        }
        // A loaded world is saved as what it was.
        let mut world = game(true);
        format().load(&mut world, &bytes).unwrap();
        let mut again = Vec::new();
        format().serialize(&mut world, &mut serde_json::Serializer::new(&mut again)).unwrap();
        let [was, is] =
            [&text, &again].map(|text| serde_json::from_slice::<serde_json::Map<String, Value>>(text).unwrap());
        is.iter().for_each(|(part, is)| assert_eq!(is, &was[part], "{part}, cut at {cut}"));
        assert!(format().save(&mut world).unwrap() == bytes, "cut at {cut}");
    }
}

/// The second half of the next test, in the process that it starts.
#[test]
fn second_half() {
    let Some(path) = env::var_os("STRATA_SECOND_HALF") else { return };
    let mut world = game(true);
    format().load_from_file(&mut world, Path::new(&path)).unwrap();
    play(&mut world, 11..20).iter().for_each(|line| println!("> {line}"));
}

#[test]
fn a_game_goes_on_in_another_process() {
    let mut world = game(false);
    play(&mut world, 0..11);
    let path = env::temp_dir().join(format!("strata-cut-{}.save", std::process::id()));
    format().save_to_file(&mut world, &path).unwrap();
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "consumers::second_half", "--nocapture"]).env("STRATA_SECOND_HALF", &path);
    let output = child.output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    assert_eq!(lines, play(&mut world, 11..20));
}

#[test]
fn a_system_that_the_file_does_not_know_begins_at_its_frame_and_one_that_is_gone_is_passed_over() {
    let mut old = game(false);
    play(&mut old, 0..6);
    let bytes = format().save(&mut old).unwrap();
    let count = |mut runs: Local<u32>, all: Query<Entity, Added<Health>>, mut log: ResMut<Log>| {
        *runs += 1;
        note(&mut log, "late", (*runs, all.iter().count()));
    };
    let mut world = World::new();
    world.init_resource::<Log>();
    let mut update = Schedule::new(Update);
    update.add_systems((locals, count).chain());
    world.add_schedule(update);
    world.run_schedule(Update);
    format().load(&mut world, &bytes).unwrap();
    let alive = world.query_filtered::<Entity, With<Health>>().iter(&world).count();
    world.resource_mut::<Log>().0.clear();
    world.run_schedule(Update);
    let log = &world.resource::<Log>().0;
    // The one goes on, to the other everything is new.
    assert!(log[0].starts_with("locals ([\"0\", \"1\", \"2\", \"3\"]"), "{log:?}");
    assert_eq!(log[1], format!("late (1, {alive})"));
}

/// A world with one system.
macro_rules! with_system {
    ($system:expr) => {{
        let mut world = World::new();
        world.init_resource::<Log>();
        let mut update = Schedule::new(Update);
        update.add_systems($system);
        world.add_schedule(update);
        world
    }};
}

#[test]
fn a_system_that_keeps_something_else_now_is_prepared_anew() {
    let bytes = {
        let mut old = with_system!(plan);
        old.run_schedule(Update);
        WorldFormat::new().with_resources(resources![Log]).with_local::<Plan>("u96").save(&mut old).unwrap()
    };
    // By that name the format has another type now.
    let mut other = with_system!(plan);
    format().load(&mut other, &bytes).unwrap_err();
    let format = WorldFormat::new().with_resources(resources![Log]).with_local::<Vec<(u32, Option<Entity>)>>("u96");
    format.load(&mut other, &bytes).unwrap();
    other.resource_mut::<Log>().0.clear();
    other.run_schedule(Update);
    assert_eq!(other.resource::<Log>().0, ["plan [(0, None)]"]);
}

#[test]
fn locals_of_unknown_types_are_named_or_stay_as_they_are() {
    let without = WorldFormat::new().with_resources(resources![Log]).with_components(components![Health]);
    let mut world = with_system!(plan);
    world.run_schedule(Update);
    let error = without.save(&mut world).unwrap_err();
    assert!(matches!(error, SaveError::Snapshot(_)) && error.to_string().contains("Plan"), "{error}");

    // The file does not contain left-out `Local`s, and a load does not change those of the world.
    let bytes = without.clone().without_unknown_locals().save(&mut world).unwrap();
    let mut loaded = with_system!(plan);
    (0..3).for_each(|_| loaded.run_schedule(Update));
    without.clone().without_unknown_locals().load(&mut loaded, &bytes).unwrap();
    loaded.run_schedule(Update);
    assert!(loaded.resource::<Log>().0[1].matches("None").count() == 4, "{:?}", loaded.resource::<Log>());

    // A file with a type that the format does not know.
    let with = without.clone().with_local::<Plan>("plan");
    let bytes = with.save(&mut world).unwrap();
    let error = without.load(&mut loaded, &bytes).unwrap_err();
    let LoadError::Bytes { name, problem, .. } = error else { panic!("{error}") };
    assert_eq!((name.as_deref(), problem), (Some("plan"), Problem::UnknownLocal));
    without.without_unknown_locals().load(&mut loaded, &bytes).unwrap();
    // One name is one type.
    let twice = with.with_local::<(u8, u8)>("plan");
    assert!(matches!(twice.save(&mut world), Err(SaveError::SameName(name)) if name == "plan"));
}

#[test]
fn readers_outside_of_schedules_are_named_if_they_have_not_read_all() {
    let mut world = game(false);
    play(&mut world, 0..8);
    let mut reader = world.removed_reader::<Health>();
    format().save(&mut world).unwrap();
    world.clear_entities();
    let SaveError::NotSaved(all) = format().save(&mut world).unwrap_err() else { panic!() };
    assert!(matches!(all[..], [NotSaved::LeftOut(LeftOut::Removals(name))] if name.ends_with("Health")), "{all:?}");
    assert!(reader.read(&world).count() != 0);
    format().save(&mut world).unwrap();
}

#[test]
fn schedules_whose_labels_look_alike_are_named() {
    mod other {
        use strata_ecs::prelude::*;

        #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
        pub(super) struct Update;
    }
    let mut world = with_system!(read);
    world.add_schedule(Schedule::new(other::Update));
    let SaveError::NotSaved(all) = format().save(&mut world).unwrap_err() else { panic!() };
    assert_eq!(all, [NotSaved::LeftOut(LeftOut::Systems("Update".to_owned()))]);
}

#[test]
fn a_schedule_that_cannot_be_prepared_is_named_and_nothing_is_loaded() {
    let mut world = game(false);
    play(&mut world, 0..4);
    let bytes = format().save(&mut world).unwrap();
    let mut broken = World::new();
    broken.init_resource::<Log>();
    let kept = broken.spawn(Health(3)).id();
    let mut update = Schedule::new(Update);
    update.add_systems((read.after(locals), locals.after(read)));
    broken.add_schedule(update);
    let error = format().load(&mut broken, &bytes).unwrap_err();
    assert!(matches!(&error, LoadError::Build(BuildError::Schedule(label, _)) if label == "Update"), "{error}");
    assert_eq!(broken.get(kept), Some(&Health(3)));
}

/// Nothing of it is believed: whatever becomes of the bytes, they are refused, or the world works on.
#[test]
fn what_is_said_of_consumers_is_not_believed() {
    let mut world = game(false);
    play(&mut world, 0..7);
    world.resource_mut::<Log>().0.clear();
    let bytes = format().save(&mut world).unwrap();
    let with_nothing = format().with_new_consumers().save(&mut world).unwrap();
    // The part with consumers is the last one.
    let first = bytes.iter().zip(&with_nothing).skip(16).position(|(one, other)| one != other).unwrap() + 16;
    let (mut loaded, mut refused) = (0, 0);
    let mut target = game(true);
    for at in strata_tests::effort::places(first..bytes.len()) {
        for bit in [0, 3, 7] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            match format().load(&mut target, &signed(damaged)) {
                Ok(()) => {
                    loaded += 1;
                    play(&mut target, 7..9);
                }
                Err(_) => refused += 1,
            }
            target.check_invariants();
        }
    }
    assert!(loaded.min(refused) > strata_tests::effort::rounds(100), "{loaded} loaded, {refused} refused");
}

/// The number of ids that a removed system is expected to reserve is forgotten: it could not be saved.
#[test]
fn a_world_is_saved_again_without_a_system_that_has_reserved_ids() {
    let mut world = game(false);
    play(&mut world, 0..4);
    let bytes = format().save(&mut world).unwrap();
    let mut other = World::new();
    other.init_resource::<Log>();
    let mut update = Schedule::new(Update);
    update.add_systems(changed);
    other.add_schedule(update);
    format().load(&mut other, &bytes).unwrap();
    let again = format().save(&mut other).unwrap();
    format().load(&mut other, &again).unwrap();
    assert_eq!(format().save(&mut other).unwrap(), again);
}

#[test]
fn a_part_of_a_world_keeps_what_systems_have_seen() {
    let mut world = game(false);
    play(&mut world, 0..9);
    let format = format().with_only_entities::<With<Title>>();
    let bytes = format.save(&mut world).unwrap();
    let mut loaded = game(true);
    format.load(&mut loaded, &bytes).unwrap();
    let lines = play(&mut loaded, 10..11);
    let plan = lines.iter().find(|line| line.starts_with("plan")).unwrap();
    assert!(plan.starts_with("plan [(0, None), (1,"), "{plan}");
    assert!(lines.iter().any(|line| line == "spawned []"), "{lines:?}");
}
