//! Random histories of states, clocks and fixed steps, compared with a model of a few lines, with plugins in any order.

use std::collections::VecDeque;
use std::time::Duration;

use oorandom::Rand32;
use strata_app::prelude::*;

use crate::{Log, noted};

const MS: Duration = Duration::from_millis(1);
const MAX_DELTA: Duration = Duration::from_millis(100);

#[derive(States, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
    End,
}

/// The game or the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Played;

impl ComputedStates for Played {
    type SourceStates = Screen;

    fn compute(screen: Screen) -> Option<Self> {
        (screen != Screen::Menu).then_some(Played)
    }
}

#[derive(SubStates, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[source(Played = Played)]
enum Phase {
    #[default]
    Setup,
    Battle,
}

fn watch<S: States + Copy>(app: &mut App, states: &[S]) {
    for state in states.iter().copied() {
        app.add_systems(OnExit(state), move |mut log: ResMut<'_, Log>| log.0.push(format!("exit {state:?}")));
        app.add_systems(OnEnter(state), move |mut log: ResMut<'_, Log>| log.0.push(format!("enter {state:?}")));
    }
}

struct Screens;
impl Plugin for Screens {
    fn build(&self, app: &mut App) {
        app.init_state::<Screen>();
        watch(app, &[Screen::Menu, Screen::Game, Screen::End]);
    }
}

struct Parts;
impl Plugin for Parts {
    fn build(&self, app: &mut App) {
        app.add_computed_state::<Played>();
        watch(app, &[Played]);
    }
}

struct Phases;
impl Plugin for Phases {
    fn build(&self, app: &mut App) {
        app.add_sub_state::<Phase>();
        watch(app, &[Phase::Setup, Phase::Battle]);
    }
}

struct Clocks;
impl Plugin for Clocks {
    fn build(&self, app: &mut App) {
        app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    }
}

struct Steps;
impl Plugin for Steps {
    fn build(&self, app: &mut App) {
        app.init_resource::<Log>().add_systems(FixedUpdate, |time: Res<'_, Time>, mut log: ResMut<'_, Log>| {
            log.0.push(format!("step at {:?}", time.elapsed()));
        });
        app.add_systems(Update, |time: Res<'_, Time>, screen: Res<'_, State<Screen>>, mut log: ResMut<'_, Log>| {
            log.0.push(format!("update of {:?} at {:?}", screen.get(), time.elapsed()));
        });
    }
}

/// A program whose plugins are added in a random order.
fn app(random: &mut Rand32) -> App {
    type Add = fn(&mut App);
    let mut plugins: VecDeque<Add> = VecDeque::from([
        |app: &mut App| _ = app.add_plugins(Screens),
        |app: &mut App| _ = app.add_plugins(Parts),
        |app: &mut App| _ = app.add_plugins(Phases),
        |app: &mut App| _ = app.add_plugins(Clocks),
        |app: &mut App| _ = app.add_plugins(Steps),
    ] as [Add; 5]);
    let mut app = App::new();
    while !plugins.is_empty() {
        plugins.rotate_left(random.rand_range(0..plugins.len() as u32) as usize);
        plugins.pop_front().expect("there is one")(&mut app);
    }
    app.insert_resource(Time::<Fixed>::from_duration(10 * MS));
    app.world_mut().resource_mut::<Time<Virtual>>().set_max_delta(MAX_DELTA);
    app
}

/// The expected state of a program.
struct Model {
    screen: Screen,
    phase: Option<Phase>,
    elapsed: Duration,
    stepped: Duration,
    overstep: Duration,
    timestep: Duration,
    /// Twice the speed.
    speed: u32,
    is_paused: bool,
}

/// The requests in a frame.
#[derive(Default)]
struct Asked {
    delta: Duration,
    screen: Option<Screen>,
    phase: Option<Phase>,
    /// Whether the phase is set only if it is another one.
    if_different: bool,
}

impl Model {
    fn new() -> Self {
        let (elapsed, stepped, overstep) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        let timestep = 10 * MS;
        Self { screen: Screen::Menu, phase: None, elapsed, stepped, overstep, timestep, speed: 2, is_paused: false }
    }

    /// Advances the model by a frame, and returns the expected records.
    fn frame(&mut self, asked: &Asked) -> Vec<String> {
        let mut noted = self.transitions(asked);
        let delta = if self.is_paused { Duration::ZERO } else { (asked.delta * self.speed / 2).min(MAX_DELTA) };
        self.elapsed += delta;
        self.overstep += delta;
        while self.overstep >= self.timestep {
            self.overstep -= self.timestep;
            self.stepped += self.timestep;
            noted.push(format!("step at {:?}", self.stepped));
        }
        noted.push(format!("update of {:?} at {:?}", self.screen, self.elapsed));
        noted
    }

    fn transitions(&mut self, asked: &Asked) -> Vec<String> {
        let (before, phase_before) = (self.screen, self.phase);
        let was_played = before != Screen::Menu;
        self.screen = asked.screen.unwrap_or(before);
        let is_played = self.screen != Screen::Menu;
        self.phase = is_played.then(|| asked.phase.or(phase_before).unwrap_or_default());
        // A phase that stays is left and entered if it was set.
        let is_set = asked.phase.is_some() && !(asked.if_different && self.phase == phase_before);
        let phase_turns = self.phase != phase_before || is_played && was_played && is_set;
        let mut noted = Vec::new();
        let mut note = |what: &str, state: Option<&dyn std::fmt::Debug>, turns: bool| {
            noted.extend(state.filter(|_| turns).map(|state| format!("{what} {state:?}")));
        };
        let screen_turns = asked.screen.is_some();
        note("exit", phase_before.as_ref().map(|phase| phase as _), phase_turns);
        note("exit", was_played.then_some(&Played as _), screen_turns);
        note("exit", Some(&before), screen_turns);
        note("enter", Some(&self.screen), screen_turns);
        note("enter", is_played.then_some(&Played as _), screen_turns);
        note("enter", self.phase.as_ref().map(|phase| phase as _), phase_turns);
        noted
    }
}

/// Asks for something, in the program and the model.
fn ask(app: &mut App, model: &mut Model, random: &mut Rand32) -> Asked {
    let mut asked =
        Asked { delta: MS * [0, 1, 3, 8, 10, 17, 40, 500][random.rand_range(0..8) as usize], ..Asked::default() };
    app.insert_resource(TimeUpdateStrategy::ManualDuration(asked.delta));
    let world = app.world_mut();
    match random.rand_range(0..8) {
        0 => {
            model.is_paused = !model.is_paused;
            world.resource_mut::<Time<Virtual>>().toggle();
        }
        1 => {
            model.speed = [1, 2, 4][random.rand_range(0..3) as usize];
            world.resource_mut::<Time<Virtual>>().set_relative_speed_f64(f64::from(model.speed) / 2.0);
        }
        2 => {
            model.timestep = MS * [5, 10, 16][random.rand_range(0..3) as usize];
            world.resource_mut::<Time<Fixed>>().set_timestep(model.timestep);
        }
        _ => {}
    }
    if random.rand_range(0..3) == 0 {
        let screen = [Screen::Menu, Screen::Game, Screen::End][random.rand_range(0..3) as usize];
        asked.screen = Some(screen);
        world.resource_mut::<NextState<Screen>>().set(screen);
    }
    if random.rand_range(0..3) == 0 {
        let phase = [Phase::Setup, Phase::Battle][random.rand_range(0..2) as usize];
        asked.phase = Some(phase);
        asked.if_different = random.rand_range(0..2) == 0;
        let mut next = world.resource_mut::<NextState<Phase>>();
        if asked.if_different { next.set_if_different(phase) } else { next.set(phase) }
    }
    asked
}

#[test]
fn random_histories_of_states_and_clocks_are_those_of_a_model() {
    for seed in 0..40 {
        let mut random = Rand32::new(seed);
        let (mut app, mut model) = (app(&mut random), Model::new());
        app.update();
        assert_eq!(noted(&mut app), ["enter Menu", "update of Menu at 0ns"]);
        for frame in 0..150 {
            let asked = ask(&mut app, &mut model, &mut random);
            app.update();
            assert_eq!(noted(&mut app), model.frame(&asked), "seed {seed}, frame {frame}");
            let world = app.world();
            let (fixed, virtual_time) = (world.resource::<Time<Fixed>>(), world.resource::<Time<Virtual>>());
            assert_eq!((fixed.elapsed(), fixed.overstep()), (model.stepped, model.overstep));
            assert_eq!((virtual_time.elapsed(), world.resource::<Time>().elapsed()), (model.elapsed, model.elapsed));
            assert_eq!(world.get_resource::<State<Phase>>().map(|phase| *phase.get()), model.phase);
        }
        app.world_mut().check_invariants();
    }
}
