//! Recordings of worlds with components that are not saved, with free ids and with empty tables.

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::StateOptions;
use strata_save::{Player, Recorder, Replay, WorldFormat, components, resources};

#[derive(Component, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
#[component(name = "health")]
struct Health(u32);
#[derive(Component, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
#[component(name = "poison")]
struct Poison;
#[derive(Component, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
#[component(name = "armed")]
#[require(Look(7), Sound(8))]
struct Armed;

/// Neither `Clone` nor `Hash`, and no other component requires it.
#[derive(Component)]
#[component(save = "skip", name = "sprite")]
struct Sprite(Box<u32>);
#[derive(Component)]
#[component(save = "skip", storage = "sparse", name = "handle")]
struct Handle;
#[derive(Component, PartialEq, Debug)]
#[component(save = "skip", name = "look")]
struct Look(u32);
#[derive(Component, PartialEq, Debug)]
#[component(save = "skip", storage = "sparse", name = "sound")]
struct Sound(u32);
/// It is not in the file, and stays what it is in each world.
#[derive(Resource)]
struct Window;

#[derive(Resource, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
enum Input {
    Spawn(u32),
    Arm(u32),
    Hurt(usize),
    Poison(usize),
    Cure(usize),
    End(usize),
}

#[derive(Clone, Debug)]
enum Before {
    Play(Input),
    Sprite(usize),
    NoSprite(usize),
    Handle(usize),
    NoLook(usize),
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

/// The results depend on the order of rows.
fn apply(input: Res<Input>, mut commands: Commands, all: Query<(Entity, &Health)>) {
    let nth = |which: usize| all.iter().nth(which % all.iter().count().max(1));
    let target = |which: usize| nth(which).map_or(Entity::PLACEHOLDER, |(entity, _)| entity);
    match *input {
        Input::Spawn(health) => _ = commands.spawn(Health(health)),
        Input::Arm(health) => _ = commands.spawn((Health(health), Armed)),
        Input::Hurt(which) => {
            if let Some((entity, health)) = nth(which) {
                commands.entity(entity).insert(Health(health.0 / 2));
            }
        }
        Input::Poison(which) => _ = commands.entity(target(which)).try_insert(Poison),
        Input::Cure(which) => _ = commands.entity(target(which)).try_remove::<Poison>(),
        Input::End(which) => commands.entity(target(which)).try_despawn(),
    }
}

fn game() -> World {
    let mut world = World::new();
    let mut schedule = Schedule::new(Update);
    schedule.add_systems(apply);
    world.add_schedule(schedule);
    world.insert_resource(Window);
    world
}

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Health, Poison, Armed])
        .with_resources(resources![Input])
        .without_resource::<Window>()
        .with_new_consumers()
}

fn play(world: &mut World, input: Input) {
    world.insert_resource(input);
    world.run_schedule(Update);
}

fn prepare(world: &mut World, before: &Before) {
    let all: Vec<Entity> = world.query_filtered::<Entity, With<Health>>().iter(world).collect();
    let nth = |which: usize| all.get(which % all.len().max(1)).copied();
    match before {
        Before::Play(input) => play(world, input.clone()),
        Before::Sprite(which) => {
            nth(*which).into_iter().for_each(|entity| _ = world.entity_mut(entity).insert(Sprite(Box::new(3))));
        }
        Before::NoSprite(which) => {
            nth(*which).into_iter().for_each(|entity| _ = world.entity_mut(entity).remove::<Sprite>())
        }
        Before::Handle(which) => nth(*which).into_iter().for_each(|entity| _ = world.entity_mut(entity).insert(Handle)),
        Before::NoLook(which) => {
            nth(*which).into_iter().for_each(|entity| _ = world.entity_mut(entity).remove::<Look>())
        }
    }
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        (0..1000_u32).prop_map(Input::Spawn),
        (0..1000_u32).prop_map(Input::Arm),
        any::<usize>().prop_map(Input::Hurt),
        any::<usize>().prop_map(Input::Poison),
        any::<usize>().prop_map(Input::Cure),
        any::<usize>().prop_map(Input::End),
    ]
}

fn before() -> impl Strategy<Value = Before> {
    prop_oneof![
        3 => input().prop_map(Before::Play),
        2 => any::<usize>().prop_map(Before::Sprite),
        1 => any::<usize>().prop_map(Before::NoSprite),
        1 => any::<usize>().prop_map(Before::Handle),
        1 => any::<usize>().prop_map(Before::NoLook),
    ]
}

/// The rows with what is saved of them, in their order.
fn rows(world: &mut World) -> Vec<String> {
    let mut query = world.query::<(Entity, Option<&Health>, Has<Poison>, Has<Armed>, Has<Look>)>();
    query.iter(world).map(|row| format!("{row:?}")).collect()
}

/// Returns the contents of a world, including left-out data.
fn whole(world: &mut World) -> (u64, Vec<String>) {
    let options = StateOptions::new().without_types(|descriptor| !descriptor.is_saved()).without_resource::<Window>();
    let mut query = world.query::<(Entity, Option<&Sprite>, Has<Handle>, Option<&Look>, Option<&Sound>)>();
    let shown = |(entity, sprite, handle, look, sound): (_, Option<&Sprite>, _, _, _)| {
        format!("{entity:?} {:?} {handle:?} {look:?} {sound:?}", sprite.map(|sprite| *sprite.0))
    };
    let rows = query.iter(world).map(shown).collect();
    (world.checksum_with(&options).unwrap(), rows)
}

/// Records the inputs, with the rows before each frame.
fn recorded(before: &[Before], inputs: &[Input]) -> (Replay<Input>, Vec<Vec<String>>) {
    let (mut world, format) = (game(), format());
    before.iter().for_each(|before| prepare(&mut world, before));
    let as_it_was = whole(&mut world);
    let mut recorder = Recorder::new(&format, &mut world).unwrap().with_checksum_every(1).with_states();
    assert_eq!(whole(&mut world), as_it_was);
    world.check_invariants();
    let mut all = vec![rows(&mut world)];
    for input in inputs {
        recorder.next(&mut world, input.clone()).unwrap();
        world.run_schedule(Update);
        all.push(rows(&mut world));
    }
    (recorder.finish(&mut world).unwrap(), all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(64), ..ProptestConfig::default() })]

    #[test]
    fn a_replay_has_the_rows_of_its_recording(before in vec(before(), 0..40), inputs in vec(input(), 0..40)) {
        let (replay, expected) = recorded(&before, &inputs);
        let replay = Replay::<Input>::from_bytes(&replay.to_bytes().unwrap()).unwrap();
        let (mut world, format) = (game(), format());
        world.spawn((Health(1), Sprite(Box::new(1))));
        let mut player = Player::new(&replay, &format, &mut world).unwrap();
        world.check_invariants();
        let mut all = vec![rows(&mut world)];
        while player.next(&mut world).unwrap() {
            world.run_schedule(Update);
            all.push(rows(&mut world));
        }
        prop_assert_eq!(all, expected);
    }
}

#[test]
fn a_replay_constructs_what_the_entities_had_and_others_require() {
    let (mut world, format) = (game(), format());
    let [with, without] = [1, 2].map(|health| world.spawn((Health(health), Armed)).id());
    world.entity_mut(without).remove::<Look>();
    let recorder = Recorder::<Input>::new(&format, &mut world).unwrap();
    let replay = recorder.finish(&mut world).unwrap();
    let mut again = game();
    Player::new(&replay, &format, &mut again).unwrap();
    assert_eq!((again.get(with), again.get(with)), (Some(&Look(7)), Some(&Sound(8))));
    assert_eq!(again.get::<Look>(without), None);
}

#[test]
fn systems_go_on_in_a_replay_where_they_were() {
    fn count(mut runs: Local<u32>, mut all: Query<&mut Health>, changed: Query<(), Changed<Poison>>) {
        *runs += 1 + 100 * changed.iter().count() as u32;
        all.iter_mut().for_each(|mut health| health.0 += *runs);
    }
    let game = || {
        let mut world = game();
        world.get_resource_or_init::<Schedules>().add_systems(Update, count);
        world
    };
    let (mut world, format) = (game(), format());
    world.spawn((Health(1), Poison));
    (0..5).for_each(|_| play(&mut world, Input::Spawn(2)));
    let mut recorder = Recorder::new(&format, &mut world).unwrap().with_checksum_every(1);
    for _ in 0..3 {
        recorder.next(&mut world, Input::Spawn(3)).unwrap();
        world.run_schedule(Update);
    }
    let replay = recorder.finish(&mut world).unwrap();
    let mut again = game();
    let mut player = Player::new(&replay, &format, &mut again).unwrap();
    while player.next(&mut again).unwrap() {
        again.run_schedule(Update);
    }
    assert_eq!(rows(&mut again), rows(&mut world));
}
