//! Replays: inputs that are recorded, played, and what is said if they lead elsewhere.

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::{Difference, StateOptions};
use strata_save::{
    Divergence, LoadError, Player, Problem, Recorder, Replay, ReplayError, WorldFormat, components, resources,
};

use super::saves::signed;

mod skipped;

#[derive(Component, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
struct Health(u32);
/// The input of players in a frame.
#[derive(Resource, Clone, PartialEq, Debug, Hash, Serialize, Deserialize)]
enum Input {
    Nothing,
    Spawn(u32),
    Hurt(usize),
    End(usize),
}
#[derive(Resource, Clone, PartialEq, Debug, Default, Hash, Serialize, Deserialize)]
struct Score(u64);

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Health])
        .with_resources(resources![Input, Score])
        .with_new_consumers()
}

fn apply(input: Res<Input>, mut commands: Commands, all: Query<(Entity, &Health)>) {
    let nth = |which: usize| all.iter().nth(which % all.iter().count().max(1));
    match *input {
        Input::Nothing => {}
        Input::Spawn(health) => _ = commands.spawn(Health(health)),
        Input::Hurt(which) => {
            if let Some((entity, health)) = nth(which) {
                commands.entity(entity).insert(Health(health.0 / 2));
            }
        }
        Input::End(which) => nth(which).into_iter().for_each(|(entity, _)| commands.entity(entity).despawn()),
    }
}

/// The values that it keeps determine later results.
fn count(changed: Query<&Health, Changed<Health>>, mut runs: Local<u64>, mut score: ResMut<Score>) {
    *runs += 1;
    score.0 += *runs * changed.iter().count() as u64;
}

fn game() -> World {
    let mut world = World::new();
    let mut schedule = Schedule::new(Update);
    schedule.add_systems((apply, count).chain());
    world.add_schedule(schedule);
    world.init_resource::<Score>();
    world
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        Just(Input::Nothing),
        (0..1000_u32).prop_map(Input::Spawn),
        any::<usize>().prop_map(Input::Hurt),
        any::<usize>().prop_map(Input::End),
    ]
}

/// A game that has gone on for some frames, recorded.
fn recorded(
    before: &[Input],
    inputs: &[Input],
    with: impl FnOnce(Recorder<'_, Input>) -> Recorder<'_, Input>,
) -> (Replay<Input>, u64) {
    let (mut world, format) = (game(), format());
    for input in before {
        world.insert_resource(input.clone());
        world.run_schedule(Update);
    }
    let mut recorder = with(Recorder::new(&format, &mut world).unwrap());
    for input in inputs {
        recorder.next(&mut world, input.clone()).unwrap();
        world.run_schedule(Update);
    }
    (recorder.finish(&mut world).unwrap(), world.checksum().unwrap())
}

/// Plays it, and does something else before some frame. Returns the checksum at its end.
fn played(replay: &Replay<Input>, mut meddle: impl FnMut(u64, &mut World)) -> Result<u64, ReplayError> {
    let (mut world, format) = (game(), format());
    let mut player = Player::new(replay, &format, &mut world)?;
    while player.next(&mut world)? {
        meddle(player.frame(), &mut world);
        world.run_schedule(Update);
    }
    assert_eq!(player.frame(), replay.inputs().len() as u64);
    Ok(world.checksum().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(48), ..ProptestConfig::default() })]

    #[test]
    fn a_replay_leads_where_its_recording_led(
        before in vec(input(), 0..10),
        inputs in vec(input(), 0..40),
        every in 1..20_u64,
        with_states in any::<bool>(),
    ) {
        let (replay, end) = recorded(&before, &inputs, |recorder| {
            let recorder = recorder.with_checksum_every(every);
            if with_states { recorder.with_states() } else { recorder }
        });
        prop_assert_eq!(played(&replay, |_, _| {}).unwrap(), end);
        let again = Replay::<Input>::from_bytes(&replay.to_bytes().unwrap()).unwrap();
        prop_assert_eq!(&again, &replay);
        prop_assert_eq!(again.inputs(), &inputs[..]);
    }
}

/// Returns the divergence of a game in which the first entity is healed before the step of the seventh frame.
fn divergence(replay: &Replay<Input>) -> Divergence {
    let healed = played(replay, |frame, world| {
        if frame == 7 {
            let first = world.query::<Entity>().iter(world).next().unwrap();
            world.entity_mut(first).insert(Health(5000));
        }
    });
    let Err(ReplayError::Diverged(divergence)) = healed else { panic!("{healed:?}") };
    divergence
}

#[test]
fn the_first_divergence_is_found_with_both_values() {
    let inputs: Vec<Input> = [Input::Spawn(40), Input::Spawn(50)].into_iter().chain(vec![Input::Nothing; 18]).collect();
    let (replay, _) = recorded(&[], &inputs, |recorder| recorder.with_checksum_every(1).with_states());
    let found = divergence(&replay);
    assert_eq!((found.frame, found.same), (7, Some(6)));
    let value = found.differences.iter().find(|one| matches!(one, Difference::Value { .. })).unwrap();
    let Difference::Value { here, there, component, .. } = value else { unreachable!() };
    assert_eq!((here.as_deref(), there.as_deref()), (Some("Health(5000)"), Some("Health(40)")));
    assert!(component.ends_with("Health"));
    let text = found.to_string();
    assert!(text.contains("before frame 7") && text.contains("before frame 6"), "{text}");

    // With fewer checksums less is known, and without states nothing is of what differs.
    let (replay, _) = recorded(&[], &inputs, |recorder| recorder.with_checksum_every(5));
    let found = divergence(&replay);
    assert_eq!((found.frame, found.same, &found.differences[..]), (10, Some(5), &[][..]));
    let (replay, _) = recorded(&[], &inputs, |recorder| recorder.with_checksum_every(100));
    assert_eq!(divergence(&replay).frame, 20);
}

#[test]
fn what_options_leave_out_does_not_diverge() {
    let (format, options) = (format(), StateOptions::new().without_resource::<Score>());
    let mut world = game();
    let mut recorder = Recorder::new(&format, &mut world).unwrap().with_options(options.clone()).with_checksum_every(1);
    (0..4).for_each(|_| recorder.next(&mut world, Input::Nothing).unwrap());
    let replay = recorder.finish(&mut world).unwrap();
    for (options, is_same) in [(options, true), (StateOptions::new(), false)] {
        let mut world = game();
        let mut player = Player::new(&replay, &format, &mut world).unwrap().with_options(options);
        let mut next = player.next(&mut world);
        while let Ok(true) = next {
            world.resource_mut::<Score>().0 += 1;
            next = player.next(&mut world);
        }
        assert_eq!(next.is_ok(), is_same);
    }
}

#[test]
fn damaged_replays_are_refused() {
    let inputs = [Input::Spawn(40), Input::Hurt(3), Input::Nothing];
    let (replay, _) = recorded(&[], &inputs, |recorder| recorder.with_checksum_every(2));
    let bytes = replay.to_bytes().unwrap();
    assert_eq!(signed(bytes.clone()), bytes);
    for at in strata_tests::effort::places(0..bytes.len()) {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let error = Replay::<Input>::from_bytes(&damaged).unwrap_err();
            assert!(matches!(error, LoadError::Bytes { .. }), "{error}");
        }
        // The checksum is right, so something else is read, or nothing.
        for with in [0, 1, 0x7f, 0xff] {
            let mut lying = bytes.clone();
            lying[at] = with;
            if let Ok(replay) = Replay::<Input>::from_bytes(&signed(lying)) {
                _ = played(&replay, |_, _| {});
            }
        }
        assert!(Replay::<Input>::from_bytes(&bytes[..at]).is_err());
        assert!(at < 16 || Replay::<Input>::from_bytes(&signed(bytes[..at].to_vec())).is_err());
    }
    let saved = format().save(&mut game()).unwrap();
    let error = Replay::<Input>::from_bytes(&saved).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { offset: 8, problem: Problem::NoReplay, .. }), "{error}");
}

#[test]
fn checksums_of_frames_out_of_order_are_refused() {
    let inputs = vec![Input::Nothing; 4];
    let (replay, _) = recorded(&[], &inputs, |recorder| recorder.with_checksum_every(2));
    let bytes = replay.to_bytes().unwrap();
    // Each has its frame, a sum, and the length of a state that was not kept.
    let at = |check: usize| bytes.len() - (3 - check) * 24;
    assert_eq!([0, 1, 2].map(|check| bytes[at(check)]), [0, 2, 4]);
    // Two checksums for one frame, one for an earlier frame, and one for a frame after the last one.
    for (check, frame) in [(1, 0), (1, 4), (2, 1), (2, 5)] {
        let mut lying = bytes.clone();
        lying[at(check)] = frame;
        let error = Replay::<Input>::from_bytes(&signed(lying)).unwrap_err();
        assert!(matches!(error, LoadError::Bytes { problem: Problem::Frame(_), .. }), "{error}");
    }
}

#[test]
fn a_replay_is_kept_in_a_file() {
    let file = std::env::temp_dir().join(format!("strata-replay-{}", std::process::id()));
    let (replay, end) = recorded(&[Input::Spawn(3)], &[Input::Hurt(0), Input::Spawn(9)], |recorder| recorder);
    replay.save_to_file(&file).unwrap();
    let again = Replay::load_from_file(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(played(&again, |_, _| {}).unwrap(), end);
    assert!(matches!(Replay::<Input>::load_from_file(&file), Err(LoadError::Io(_))));
}
