//! Programs of `strata-app`: their clocks and states are part of snapshots, files, replays, checksums and deltas.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use strata_app::prelude::*;
use strata_ecs::snapshot::{SnapshotRing, StateOptions};
use strata_save::{Player, Recorder, Replica, SaveError, WorldFormat, components, resources};

const FRAME: Duration = Duration::from_millis(16);

/// Not `Serialize`.
#[derive(States, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Game {
    #[default]
    Menu,
    Play,
    Level {
        number: u32,
        hard: bool,
    },
}

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(Game = Game::Play)]
struct Paused(bool);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct ShowsCursor;

impl ComputedStates for ShowsCursor {
    type SourceStates = Game;

    fn compute(game: Game) -> Option<Self> {
        (game == Game::Menu).then_some(ShowsCursor)
    }
}

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Hp(i32);

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Turns {
    played: u32,
}

fn format() -> WorldFormat {
    WorldFormat::new().with_components(components![Hp])
}

/// A program before its first frame.
fn fresh() -> App {
    let mut app = App::new();
    app.add_plugins(TimePlugin)
        .insert_resource(TimeUpdateStrategy::ManualDuration(FRAME))
        .init_state::<Game>()
        .add_sub_state::<Paused>()
        .add_computed_state::<ShowsCursor>()
        .add_systems(Startup, |mut commands: Commands| _ = commands.spawn(Hp(3)))
        .add_systems(OnEnter(Game::Play), |mut commands: Commands| _ = commands.spawn(Hp(100)))
        .add_systems(FixedUpdate, |mut all: Query<&mut Hp>| all.iter_mut().for_each(|mut hp| hp.0 += 1));
    app
}

fn run(app: &mut App, frames: u32) {
    (0..frames).for_each(|_| app.update());
}

/// A program some frames later.
fn running() -> App {
    let mut app = fresh();
    run(&mut app, 40);
    app
}

fn set(app: &mut App, game: Game) {
    app.world_mut().resource_mut::<NextState<Game>>().set(game);
}

fn state(app: &App) -> Game {
    **app.world().resource::<State<Game>>()
}

/// All that a program shows of its time.
fn clocks(app: &App) -> [Duration; 7] {
    let world = app.world();
    let [time, virt] = [*world.resource::<Time>(), world.resource::<Time<Virtual>>().as_generic()];
    let fixed = world.resource::<Time<Fixed>>();
    [time.delta(), time.elapsed(), virt.delta(), virt.elapsed(), fixed.delta(), fixed.elapsed(), fixed.overstep()]
}

fn hp(app: &mut App) -> Vec<Hp> {
    let world = app.world_mut();
    world.query::<&Hp>().iter(world).copied().collect()
}

#[test]
fn clocks_and_states_go_back_with_a_snapshot() {
    let mut app = running();
    app.insert_resource(Time::new_with(Turns { played: 2 }));
    app.world_mut().resource_mut::<Time<Turns>>().advance_by(FRAME);
    set(&mut app, Game::Play);
    let snapshot = app.world_mut().snapshot().unwrap();
    let then = (clocks(&app), hp(&mut app));
    run(&mut app, 7);
    assert_eq!(state(&app), Game::Play);
    app.world_mut().resource_mut::<Time<Turns>>().context_mut().played = 9;
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    app.world_mut().restore(&snapshot).unwrap();
    assert_eq!((clocks(&app), hp(&mut app), state(&app)), (then.0, then.1, Game::Menu));
    let turns = app.world().resource::<Time<Turns>>();
    assert_eq!((turns.elapsed(), turns.context().played), (FRAME, 2));
    assert!(!app.world().resource::<Time<Virtual>>().is_paused());
    assert_eq!(*app.world().resource::<NextState<Game>>(), NextState::Pending(Game::Play));
    run(&mut app, 1);
    assert_eq!(state(&app), Game::Play);
}

#[test]
fn a_program_that_is_rolled_back_goes_on_as_it_did() {
    let mut app = running();
    let mut ring = SnapshotRing::new(10);
    let mut sums = Vec::new();
    for frame in 0..8 {
        ring.save(app.world_mut(), frame).unwrap();
        sums.push((app.world().checksum().unwrap(), clocks(&app)));
        if frame == 3 {
            set(&mut app, Game::Play);
        }
        run(&mut app, 1);
    }
    ring.restore(app.world_mut(), 2).unwrap();
    for (frame, then) in sums.iter().enumerate().skip(2) {
        assert_eq!((app.world().checksum().unwrap(), clocks(&app)), *then, "frame {frame}");
        if frame == 3 {
            set(&mut app, Game::Play);
        }
        run(&mut app, 1);
    }
}

#[test]
fn a_loaded_program_is_in_the_state_that_was_saved() {
    for format in [format(), format().with_known_only()] {
        let mut app = running();
        set(&mut app, Game::Play);
        run(&mut app, 3);
        set(&mut app, Game::Level { number: 7, hard: true });
        let bytes = format.save(app.world_mut()).unwrap();
        let mut text = Vec::new();
        format.serialize(app.world_mut(), &mut serde_json::Serializer::pretty(&mut text)).unwrap();
        // Before the first frame and after some, the state is the state in the file, and nothing is entered or started.
        for mut other in [fresh(), fresh(), running(), running()].into_iter().enumerate().map(|(at, mut other)| {
            match at % 2 {
                0 => format.load(other.world_mut(), &bytes).unwrap(),
                _ => {
                    let mut json = serde_json::Deserializer::from_slice(&text);
                    format.deserialize(other.world_mut(), &mut json).unwrap();
                }
            }
            other
        }) {
            assert_eq!((clocks(&other), hp(&mut other), state(&other)), (clocks(&app), hp(&mut app), Game::Play));
            assert!(app.world().diff(other.world()).unwrap().is_empty());
            assert_eq!(**other.world().resource::<PreviousState<Game>>(), Game::Menu);
            assert!(!other.world().contains_resource::<State<ShowsCursor>>());
            assert!(other.world().contains_resource::<State<Paused>>());
            let saved = app.world_mut().snapshot().unwrap();
            for _ in 0..5 {
                run(&mut app, 1);
                run(&mut other, 1);
                assert_eq!(app.world().checksum().unwrap(), other.world().checksum().unwrap());
                assert_eq!(clocks(&app), clocks(&other));
            }
            assert_eq!(state(&other), Game::Level { number: 7, hard: true });
            app.world_mut().restore(&saved).unwrap();
        }
    }
}

#[test]
fn a_sub_state_that_does_not_exist_in_the_file_ends_and_a_computed_one_is_computed() {
    let format = format();
    let mut menu = running();
    let bytes = format.save(menu.world_mut()).unwrap();
    let mut text = Vec::new();
    format.serialize(menu.world_mut(), &mut serde_json::Serializer::new(&mut text)).unwrap();
    for is_text in [false, true] {
        let mut app = running();
        set(&mut app, Game::Play);
        run(&mut app, 1);
        assert!(app.world().contains_resource::<State<Paused>>());
        assert!(!app.world().contains_resource::<State<ShowsCursor>>());
        match is_text {
            false => format.load(app.world_mut(), &bytes).unwrap(),
            true => format.deserialize(app.world_mut(), &mut serde_json::Deserializer::from_slice(&text)).unwrap(),
        }
        assert!(!app.world().contains_resource::<State<Paused>>());
        assert!(app.world().contains_resource::<State<ShowsCursor>>());
    }
}

#[test]
fn a_file_that_does_not_know_a_state_leaves_it_as_it_is() {
    let mut plain = App::new();
    run(&mut plain, 2);
    let bytes = format().save(plain.world_mut()).unwrap();
    let mut app = running();
    set(&mut app, Game::Play);
    run(&mut app, 1);
    let then = clocks(&app);
    format().load(app.world_mut(), &bytes).unwrap();
    assert_eq!((state(&app), clocks(&app)), (Game::Play, then));
    run(&mut app, 1);
    // And a world without states and clocks passes them over.
    let bytes = format().save(app.world_mut()).unwrap();
    let mut world = World::new();
    format().load(&mut world, &bytes).unwrap();
    assert!(!world.contains_resource::<Time>());
}

#[test]
fn a_replay_of_a_program_has_the_checksums_of_its_frames() {
    #[derive(Resource, Clone, Copy, Hash, Serialize, Deserialize)]
    struct Input(u32);

    fn step(app: &mut App) {
        if app.world().resource::<Input>().0 == 5 {
            set(app, Game::Play);
        }
        app.update();
    }

    let format = format().with_resources(resources![Input]);
    // From before the first frame, and later; played by a program before its first frame, and later.
    for (mut app, mut other) in [(fresh(), fresh()), (running(), fresh()), (fresh(), running()), (running(), running())]
    {
        let mut recorder = Recorder::new(&format, app.world_mut()).unwrap().with_checksum_every(1);
        for frame in 0..12 {
            recorder.next(app.world_mut(), Input(frame)).unwrap();
            step(&mut app);
        }
        let replay = recorder.finish(app.world_mut()).unwrap();
        let mut player = Player::new(&replay, &format, other.world_mut()).unwrap();
        while player.next(other.world_mut()).unwrap() {
            step(&mut other);
        }
        assert_eq!((clocks(&app), state(&app)), (clocks(&other), Game::Play));
    }
}

#[test]
fn checksums_and_differences_pass_over_the_clock_of_the_machine() {
    let [mut one, mut other] = [running(), running()];
    other.world_mut().resource_mut::<Time<Real>>().update();
    other.insert_resource(TimeUpdateStrategy::Automatic);
    assert_eq!(one.world().checksum().unwrap(), other.world().checksum().unwrap());
    assert!(one.world().diff(other.world()).unwrap().is_empty());
    set(&mut one, Game::Play);
    assert_ne!(one.world().checksum().unwrap(), other.world().checksum().unwrap());
    let differences = one.world().diff(other.world()).unwrap();
    assert!(differences[0].to_string().contains("NextState"), "{differences:?}");
    other.world_mut().resource_mut::<Time<Fixed>>().accumulate_overstep(FRAME);
    assert_eq!(one.world().diff(other.world()).unwrap().len(), 2);
}

#[test]
fn the_clock_of_the_machine_goes_on_over_a_restore_and_a_load() {
    let mut app = App::new();
    app.add_plugins(TimePlugin);
    let start = Instant::now();
    let frame = |app: &mut App, at: u32| {
        app.insert_resource(TimeUpdateStrategy::ManualInstant(start + FRAME * at));
        app.update();
        let world = app.world();
        (
            world.resource::<Time<Real>>().delta(),
            world.resource::<Time<Real>>().elapsed(),
            world.resource::<Time>().delta(),
        )
    };
    (0..4).for_each(|at| _ = frame(&mut app, at));
    let snapshot = app.world_mut().snapshot().unwrap();
    let bytes = format().save(app.world_mut()).unwrap();
    (4..9).for_each(|at| _ = frame(&mut app, at));
    app.world_mut().restore(&snapshot).unwrap();
    assert_eq!(frame(&mut app, 9), (FRAME, FRAME * 9, FRAME));
    assert_eq!(app.world().resource::<Time>().elapsed(), FRAME * 4);
    format().load(app.world_mut(), &bytes).unwrap();
    assert_eq!(frame(&mut app, 10), (FRAME, FRAME * 10, FRAME));
    assert_eq!(app.world().resource::<Time>().elapsed(), FRAME * 4);
}

#[test]
fn a_world_that_was_saved_when_the_program_ended_does_not_end_the_next_one() {
    let mut app = running();
    app.world_mut().write_message(AppExit::Success);
    let bytes = format().save(app.world_mut()).unwrap();
    let mut other = running();
    format().load(other.world_mut(), &bytes).unwrap();
    assert_eq!((app.should_exit(), other.should_exit()), (Some(AppExit::Success), None));
}

#[test]
fn a_state_that_cannot_be_saved_is_named() {
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    struct Seed(u64);
    #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    struct Round(Seed);

    fn program() -> App {
        let mut app = running();
        app.init_state::<Round>();
        run(&mut app, 2);
        app
    }

    let mut app = program();
    let error = format().save(app.world_mut()).unwrap_err();
    assert!(matches!(&error, SaveError::NotSaved(_)));
    let text = error.to_string();
    assert!(text.contains("State<") && text.contains("Round") && text.contains("with_resources"), "{text}");
    assert!(text.contains("feature `serde` of `strata-app`"), "{text}");
    assert!(!text.contains("Game") && !text.contains("Transitions<"), "{text}");
    // It can be listed, as it is `Serialize`.
    let listed = format().with_resources(resources![
        State<Round>,
        NextState<Round>,
        PreviousState<Round>,
        Messages<StateTransitionEvent<Round>>
    ]);
    app.insert_state(Round(Seed(5)));
    let bytes = listed.save(app.world_mut()).unwrap();
    let mut other = program();
    listed.load(other.world_mut(), &bytes).unwrap();
    assert_eq!(other.world().resource::<State<Round>>().get(), &Round(Seed(5)));
    // Left out, it stays as it is.
    let known = format().with_known_only();
    let bytes = known.save(program().world_mut()).unwrap();
    known.load(app.world_mut(), &bytes).unwrap();
    assert_eq!(app.world().resource::<State<Round>>().get(), &Round(Seed(5)));
}

#[test]
fn clocks_and_states_can_be_listed() {
    #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    enum Mode {
        #[default]
        Walk,
        Fly,
    }
    #[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
    struct Music {
        bar: u32,
    }
    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Bomb(Timer, Stopwatch);

    fn program() -> App {
        let mut app = running();
        app.init_state::<Mode>().insert_resource(Time::new_with(Music::default()));
        run(&mut app, 2);
        app
    }

    let mut app = program();
    let unlisted = WorldFormat::new().with_components(components![Hp, Bomb, Name]);
    let error = unlisted.save(app.world_mut()).unwrap_err().to_string();
    assert!(error.contains("Time<") && error.contains("Music"), "{error}");
    let unlisted = unlisted.with_resources(resources![Time<Music>]);
    let listed = unlisted.clone().with_resources(resources![State<Mode>, Time, Time<Fixed>, Time<Virtual>]);

    app.world_mut().resource_mut::<NextState<Mode>>().set(Mode::Fly);
    run(&mut app, 1);
    app.world_mut().resource_mut::<Time<Music>>().context_mut().bar = 8;
    let mut bomb = Bomb(Timer::from_seconds(3.0, TimerMode::Repeating), Stopwatch::new());
    bomb.0.tick(FRAME);
    bomb.1.tick(FRAME);
    let id = app.world_mut().spawn((bomb.clone(), Name::new("bomb"))).id();
    // A format that lists a type also reads what was written by one that does not.
    for (saves, loads) in [(&unlisted, &unlisted), (&listed, &listed), (&unlisted, &listed)] {
        let bytes = saves.save(app.world_mut()).unwrap();
        let mut other = program();
        loads.load(other.world_mut(), &bytes).unwrap();
        assert_eq!(*other.world().resource::<State<Mode>>(), Mode::Fly);
        assert_eq!(other.world().resource::<Time<Music>>().context(), &Music { bar: 8 });
        assert_eq!(clocks(&app), clocks(&other));
        assert_eq!(other.world().get(id), Some(&bomb));
        assert_eq!(other.world().get::<Name>(id).unwrap().as_str(), "bomb");
    }
    // One that does not list it says what is missing.
    let bytes = listed.save(app.world_mut()).unwrap();
    let error = unlisted.load(program().world_mut(), &bytes).unwrap_err().to_string();
    assert!(error.contains("strata_app::") && error.contains("list it in `with_resources"), "{error}");
    assert!(!error.contains("version"), "{error}");
    let json = serde_json::to_string(&Time::<Fixed>::default()).unwrap();
    let zero = json.replace("15625000", "0");
    assert!(zero != json && serde_json::from_str::<Time<Fixed>>(&zero).is_err(), "{json}");
}

#[test]
fn a_replica_gets_the_state_and_the_clocks_but_for_that_of_the_machine() {
    let mut app = running();
    format().start_journal(app.world_mut(), 1 << 10).unwrap();
    let mut there = fresh();
    let started = there.world().resource::<Time<Real>>().startup();
    let mut replica = Replica::new();
    let full = format().full_delta(app.world_mut()).unwrap();
    replica.apply(&format(), there.world_mut(), &full.bytes).unwrap();
    set(&mut app, Game::Play);
    run(&mut app, 1);
    let delta = format().delta_since(app.world_mut(), &full.position).unwrap();
    replica.apply(&format(), there.world_mut(), &delta.bytes).unwrap();
    assert_eq!((state(&there), clocks(&there)), (Game::Play, clocks(&app)));
    assert_eq!(there.world().resource::<Time<Real>>().startup(), started);
}

#[test]
fn the_computed_states_of_a_replica_follow_its_other_states() {
    let mut app = running();
    format().start_journal(app.world_mut(), 1 << 10).unwrap();
    let mut there = fresh();
    let mut replica = Replica::new();
    let mut mark = format().full_delta(app.world_mut()).unwrap();
    replica.apply(&format(), there.world_mut(), &mark.bytes).unwrap();
    assert!(there.world().contains_resource::<State<ShowsCursor>>());
    for game in [Game::Play, Game::Level { number: 3, hard: true }, Game::Menu, Game::Play] {
        set(&mut app, game);
        run(&mut app, 2);
        mark = format().delta_since(app.world_mut(), &mark.position).unwrap();
        replica.apply(&format(), there.world_mut(), &mark.bytes).unwrap();
        assert_eq!(state(&there), game);
        assert_eq!(there.world().contains_resource::<State<ShowsCursor>>(), game == Game::Menu);
    }
}

/// How often a computed state has changed.
#[derive(Resource, Clone, Default, PartialEq, Hash, Debug, Serialize, Deserialize)]
struct Changes(u32);

#[test]
fn a_computed_state_has_not_changed_after_a_load() {
    fn program() -> App {
        let mut app = fresh();
        app.init_resource::<Changes>()
            .add_systems(Update, (|mut changes: ResMut<Changes>| changes.0 += 1).run_if(state_changed::<ShowsCursor>));
        app
    }

    let format = format().with_resources(resources![Changes]);
    let mut app = program();
    run(&mut app, 3);
    assert_eq!(app.world().resource::<Changes>(), &Changes(1));
    let bytes = format.save(app.world_mut()).unwrap();
    let mut begun = program();
    run(&mut begun, 1);
    set(&mut begun, Game::Play);
    run(&mut begun, 2);
    for mut other in [program(), begun] {
        format.load(other.world_mut(), &bytes).unwrap();
        run(&mut other, 2);
        assert_eq!(other.world().resource::<Changes>(), &Changes(1));
        // Later changes are detected.
        set(&mut other, Game::Play);
        run(&mut other, 1);
        set(&mut other, Game::Menu);
        run(&mut other, 1);
        assert_eq!(other.world().resource::<Changes>(), &Changes(2));
    }
}

#[test]
fn locals_of_timers_and_clocks_are_taken_without_being_named() {
    #[derive(Resource, Clone, Default, PartialEq, Hash, Debug, Serialize, Deserialize)]
    struct Rings(Vec<u32>);

    fn ring(
        mut timer: Local<Option<Timer>>,
        mut stopwatch: Local<Stopwatch>,
        mut all: Local<Vec<Timer>>,
        mut last: Local<Time>,
        time: Res<Time>,
        mut rings: ResMut<Rings>,
    ) {
        let timer = timer.get_or_insert_with(|| Timer::new(3 * FRAME, TimerMode::Repeating));
        timer.tick(time.delta());
        stopwatch.tick(time.delta());
        all.push(Timer::new(FRAME, TimerMode::Once));
        rings.0.push(all.len() as u32 + timer.times_finished_this_tick());
        rings.0.push((stopwatch.elapsed() + last.elapsed() + timer.elapsed()).as_millis() as u32);
        *last = *time;
    }

    fn program() -> App {
        let mut app = fresh();
        app.init_resource::<Rings>().add_systems(Update, (ring, |_: Local<Timer>| {}));
        app
    }

    let format = format().with_resources(resources![Rings]);
    let mut app = program();
    run(&mut app, 4);
    let mut ring = SnapshotRing::new(4);
    ring.save(app.world_mut(), 4).unwrap();
    let (snapshot, bytes) = (app.world_mut().snapshot().unwrap(), format.save(app.world_mut()).unwrap());
    run(&mut app, 5);
    let then = app.world().resource::<Rings>().clone();
    app.world_mut().restore(&snapshot).unwrap();
    run(&mut app, 5);
    assert_eq!(app.world().resource::<Rings>(), &then);
    ring.restore(app.world_mut(), 4).unwrap();
    run(&mut app, 5);
    assert_eq!(app.world().resource::<Rings>(), &then);
    let mut other = program();
    format.load(other.world_mut(), &bytes).unwrap();
    run(&mut other, 5);
    assert_eq!(other.world().resource::<Rings>(), &then);
}

#[test]
fn a_message_about_a_local_names_what_is_called_for_it() {
    #[derive(Clone, Default)]
    struct Runs(u32);

    let mut app = fresh();
    app.add_systems(Update, |mut runs: Local<Runs>| runs.0 += 1);
    run(&mut app, 1);
    let error = app.world_mut().snapshot().unwrap_err().to_string();
    assert!(error.contains("Runs") && error.contains("SnapshotOptions::with_local"), "{error}");
    let error = format().save(app.world_mut()).unwrap_err().to_string();
    assert!(error.contains("Runs") && error.contains("WorldFormat::with_local"), "{error}");
    assert!(!error.contains("SnapshotOptions"), "{error}");
}

#[test]
fn a_difference_of_clocks_shows_their_values() {
    let (mut here, mut there) = (running(), running());
    for (app, played) in [(&mut here, 1), (&mut there, 2)] {
        app.insert_resource(Time::new_with(Turns { played }));
    }
    there.world_mut().resource_mut::<Time<Turns>>().advance_by(FRAME);
    there.world_mut().resource_mut::<Time<Virtual>>().pause();
    let differences = here.world().diff(there.world()).unwrap();
    let text: Vec<String> = differences.iter().map(ToString::to_string).collect();
    let [turns, virt] = ["Turns", "Virtual"].map(|name| text.iter().find(|text| text.contains(name)).unwrap());
    assert!(turns.contains("elapsed: 0ns") && turns.contains("elapsed: 16ms"), "{turns}");
    assert!(virt.contains("is_paused: false") && virt.contains("is_paused: true"), "{virt}");
}

#[test]
fn a_clock_of_a_program_is_hashed_by_its_times_and_with_its_context_if_the_options_say_so() {
    let mut app = running();
    app.insert_resource(Time::new_with(Turns { played: 2 }));
    let sum = app.world().checksum().unwrap();
    app.world_mut().resource_mut::<Time<Turns>>().advance_by(FRAME);
    assert_ne!(app.world().checksum().unwrap(), sum);
    let options = StateOptions::new().with_hash(|time: &Time<Turns>, state| {
        state.write_u32(time.context().played);
    });
    let before = app.world().checksum_with(&options).unwrap();
    app.world_mut().resource_mut::<Time<Turns>>().context_mut().played = 3;
    assert_ne!(app.world().checksum_with(&options).unwrap(), before);
}
