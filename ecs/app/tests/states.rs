//! States: their transitions, and what depends on them.

use strata_app::prelude::*;
use strata_app::state::FreelyMutableState;

use crate::{Log, logging, note, noted};

#[derive(States, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
    End,
}
use Screen::{End, Game, Menu};

/// The game or the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Played;

impl ComputedStates for Played {
    type SourceStates = Screen;

    fn compute(screen: Screen) -> Option<Self> {
        (screen != Menu).then_some(Played)
    }
}

#[derive(SubStates, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[source(Played = Played)]
enum Phase {
    #[default]
    Setup,
    Battle,
}
use Phase::{Battle, Setup};

/// Adds systems that note when these states are left and entered.
fn watch<S: States + Copy>(app: &mut App, states: &[S]) {
    for state in states.iter().copied() {
        app.add_systems(OnExit(state), move |mut log: ResMut<'_, Log>| log.0.push(format!("exit {state:?}")));
        app.add_systems(OnEnter(state), move |mut log: ResMut<'_, Log>| log.0.push(format!("enter {state:?}")));
        for entered in states.iter().copied() {
            let transition = OnTransition { exited: state, entered };
            app.add_systems(transition, move |mut log: ResMut<'_, Log>| {
                log.0.push(format!("from {state:?} to {entered:?}"));
            });
        }
    }
}

/// A program with all of the states, which has begun.
fn app() -> App {
    let mut app = logging();
    app.init_state::<Screen>().add_computed_state::<Played>().add_sub_state::<Phase>();
    watch(&mut app, &[Menu, Game, End]);
    watch(&mut app, &[Played]);
    watch(&mut app, &[Setup, Battle]);
    app.update();
    noted(&mut app);
    app
}

fn set<S: FreelyMutableState>(app: &mut App, state: S) {
    app.world_mut().resource_mut::<NextState<S>>().set(state);
}

fn set_if_different<S: FreelyMutableState>(app: &mut App, state: S) {
    app.world_mut().resource_mut::<NextState<S>>().set_if_different(state);
}

/// Runs a frame, and returns its records.
fn frame(app: &mut App) -> Vec<String> {
    app.update();
    noted(app)
}

fn now<S: States>(app: &App) -> Option<S> {
    app.world().get_resource::<State<S>>().map(|state| state.get().clone())
}

fn previous<S: States>(app: &App) -> Option<S> {
    app.world().get_resource::<PreviousState<S>>().map(|state| state.get().clone())
}

#[test]
fn the_first_state_is_entered_before_startup() {
    let mut app = logging();
    app.add_systems(PreStartup, note("pre startup")).init_state::<Screen>();
    watch(&mut app, &[Menu, Game]);
    assert_eq!(now(&app), Some(Menu));
    assert_eq!(frame(&mut app), ["enter Menu", "pre startup"]);
    assert!(frame(&mut app).is_empty());
    assert_eq!(previous::<Screen>(&app), None);
}

#[test]
fn exit_comes_before_transition_and_enter() {
    let mut app = logging();
    app.init_state::<Screen>();
    watch(&mut app, &[Menu, Game]);
    frame(&mut app);
    set(&mut app, Game);
    assert_eq!(now(&app), Some(Menu));
    assert_eq!(frame(&mut app), ["exit Menu", "from Menu to Game", "enter Game"]);
    assert_eq!((now(&app), previous(&app)), (Some(Game), Some(Menu)));
    assert_eq!(*app.world().resource::<NextState<Screen>>(), NextState::Unchanged);
}

#[test]
fn transitions_come_after_pre_update() {
    let mut app = logging();
    app.init_state::<Screen>()
        .add_systems(PreUpdate, |mut next: ResMut<'_, NextState<Screen>>| next.set_if_different(Game))
        .add_systems(First, note("menu").run_if(in_state(Menu)))
        .add_systems(Update, note("game").run_if(in_state(Game)));
    assert_eq!(frame(&mut app), ["menu", "game"]);
    assert_eq!(frame(&mut app), ["game"]);
}

#[test]
fn systems_see_the_new_state_and_the_old_one() {
    fn see(now: Res<'_, State<Screen>>, before: Res<'_, PreviousState<Screen>>, mut log: ResMut<'_, Log>) {
        log.0.push(format!("{:?} after {:?}", **now, **before));
    }
    let mut app = logging();
    app.init_state::<Screen>()
        .add_systems(OnExit(Menu), see)
        .add_systems(OnTransition { exited: Menu, entered: Game }, see)
        .add_systems(OnEnter(Game), see);
    frame(&mut app);
    set(&mut app, Game);
    assert_eq!(frame(&mut app), ["Game after Menu"; 3]);
}

#[test]
fn dependent_states_are_left_first_and_entered_last() {
    let mut app = app();
    assert_eq!((now::<Played>(&app), now::<Phase>(&app)), (None, None));
    set(&mut app, Game);
    assert_eq!(frame(&mut app), ["exit Menu", "from Menu to Game", "enter Game", "enter Played", "enter Setup"]);
    set(&mut app, Battle);
    assert_eq!(frame(&mut app), ["exit Setup", "from Setup to Battle", "enter Battle"]);
    set(&mut app, Menu);
    assert_eq!(frame(&mut app), ["exit Battle", "exit Played", "exit Game", "from Game to Menu", "enter Menu"]);
    assert_eq!((now::<Played>(&app), now::<Phase>(&app)), (None, None));
    assert_eq!(previous(&app), Some(Battle));
    // It begins with its default, not with what it was.
    set(&mut app, End);
    assert_eq!(frame(&mut app), ["exit Menu", "from Menu to End", "enter End", "enter Played", "enter Setup"]);
    assert_eq!(previous::<Phase>(&app), None);
}

#[test]
fn the_order_in_which_states_are_added_does_not_matter() {
    let mut other = logging();
    watch(&mut other, &[Setup, Battle]);
    other.add_sub_state::<Phase>().add_computed_state::<Played>().init_state::<Screen>();
    watch(&mut other, &[Played]);
    watch(&mut other, &[Menu, Game, End]);
    other.update();
    assert_eq!(noted(&mut other), ["enter Menu"]);
    let mut app = app();
    for screen in [Game, End, Menu, Menu, Game] {
        set(&mut app, screen);
        set(&mut other, screen);
        assert_eq!(frame(&mut app), frame(&mut other));
    }
}

#[test]
fn a_computed_state_is_entered_again_if_its_source_changes() {
    let mut app = app();
    set(&mut app, Game);
    frame(&mut app);
    set(&mut app, End);
    let expected = [
        "exit Played",
        "exit Game",
        "from Game to End",
        "from Played to Played",
        "from Setup to Setup",
        "enter End",
        "enter Played",
    ];
    assert_eq!(frame(&mut app), expected);
}

#[test]
fn a_computed_state_can_ask_not_to_be_entered_again() {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    struct Quiet;

    impl ComputedStates for Quiet {
        type SourceStates = (Screen, Option<Phase>);
        const ALLOW_SAME_STATE_TRANSITIONS: bool = false;

        fn compute((screen, phase): Self::SourceStates) -> Option<Self> {
            (screen == End || phase.is_some()).then_some(Quiet)
        }
    }

    let mut app = app();
    app.add_computed_state::<Quiet>();
    watch(&mut app, &[Quiet]);
    let mut of_quiet = |screen| {
        set(&mut app, screen);
        let mut noted = frame(&mut app);
        noted.retain(|text| text.contains("Quiet"));
        noted
    };
    assert_eq!(of_quiet(Game), ["enter Quiet"]);
    assert_eq!(of_quiet(End), ["from Quiet to Quiet"]);
    assert_eq!(of_quiet(Menu), ["exit Quiet"]);
}

#[test]
fn the_same_state_is_left_and_entered_if_it_is_set() {
    let mut app = app();
    set(&mut app, Menu);
    assert_eq!(frame(&mut app), ["exit Menu", "from Menu to Menu", "enter Menu"]);
    set_if_different(&mut app, Menu);
    assert_eq!(frame(&mut app), ["from Menu to Menu"]);
    // To set it counts more, in either order.
    set(&mut app, Menu);
    set_if_different(&mut app, Menu);
    assert_eq!(frame(&mut app).len(), 3);
    set_if_different(&mut app, Menu);
    set(&mut app, Menu);
    assert_eq!(frame(&mut app).len(), 3);
    // The last one counts.
    set(&mut app, Menu);
    set_if_different(&mut app, Game);
    assert_eq!(frame(&mut app)[1], "from Menu to Game");
    set(&mut app, Menu);
    app.world_mut().resource_mut::<NextState<Screen>>().reset();
    assert!(frame(&mut app).is_empty());
}

#[test]
fn of_several_states_that_are_set_the_last_one_counts() {
    type Calls = fn(&mut NextState<Screen>);
    let left_and_entered: &[&str] = &["exit Menu", "from Menu to Menu", "enter Menu"];
    let changed: &[&str] = &["exit Menu", "from Menu to Game", "enter Game", "enter Played", "enter Setup"];
    let cases: [(Calls, Screen, &[&str]); 8] = [
        (
            |next| {
                next.set(Game);
                next.set(Menu);
            },
            Menu,
            left_and_entered,
        ),
        (
            |next| {
                next.set(End);
                next.set(Game);
                next.set(Menu);
            },
            Menu,
            left_and_entered,
        ),
        (
            |next| {
                next.set_if_different(Game);
                next.set(Menu);
            },
            Menu,
            left_and_entered,
        ),
        (
            |next| {
                next.set(Menu);
                next.set_if_different(Menu);
            },
            Menu,
            left_and_entered,
        ),
        (
            |next| {
                next.set(Game);
                next.set_if_different(Menu);
            },
            Menu,
            &["from Menu to Menu"],
        ),
        (
            |next| {
                next.set(Game);
                next.reset();
            },
            Menu,
            &[],
        ),
        (
            |next| {
                next.set(Menu);
                next.set(Game);
            },
            Game,
            changed,
        ),
        (
            |next| {
                next.set(Menu);
                next.set_if_different(Game);
            },
            Game,
            changed,
        ),
    ];
    for (number, (calls, expected, log)) in cases.into_iter().enumerate() {
        let mut app = app();
        calls(&mut app.world_mut().resource_mut::<NextState<Screen>>());
        let noted = frame(&mut app);
        assert_eq!((now::<Screen>(&app), &noted[..]), (Some(expected), &strings(log)[..]), "case {number}");
        assert_eq!(*app.world().resource::<NextState<Screen>>(), NextState::Unchanged);
        assert_eq!(previous::<Screen>(&app), (!log.is_empty()).then_some(Menu));
        assert_eq!(frame(&mut app), strings(&[]), "case {number}: once");
    }
}

fn strings(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| entry.to_string()).collect()
}

#[test]
fn a_state_counts_as_changed_only_if_it_is_another_one() {
    let mut app = app();
    app.add_systems(Update, note("changed").run_if(state_changed::<Screen>));
    let mut changes = |screen| {
        set(&mut app, screen);
        frame(&mut app).contains(&"changed".to_owned())
    };
    // The first time it is new to the condition.
    assert_eq!([Menu, Menu, Game, Game, Menu].map(&mut changes), [true, false, true, false, true]);
}

#[test]
fn a_sub_state_may_begin_with_what_is_set_in_time() {
    let mut app = app();
    // Too early: it is passed over.
    set(&mut app, Battle);
    assert!(frame(&mut app).is_empty());
    set(&mut app, Game);
    set(&mut app, Battle);
    assert_eq!(frame(&mut app).last().unwrap(), "enter Battle");
    // It keeps its value while it exists.
    set(&mut app, End);
    frame(&mut app);
    assert_eq!(now(&app), Some(Battle));
    set(&mut app, Game);
    set(&mut app, Setup);
    frame(&mut app);
    assert_eq!(now(&app), Some(Setup));
    // It ends even if it is set to something.
    set(&mut app, Menu);
    set(&mut app, Battle);
    frame(&mut app);
    assert_eq!(now::<Phase>(&app), None);
}

#[test]
fn a_sub_state_can_be_written_by_hand() {
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct Lives(u32);

    impl States for Lives {
        const DEPENDENCY_DEPTH: usize = <(Screen, Option<Phase>) as StateSet>::SET_DEPENDENCY_DEPTH + 1;
    }
    impl FreelyMutableState for Lives {}
    impl SubStates for Lives {
        type SourceStates = (Screen, Option<Phase>);

        fn should_exist((screen, phase): Self::SourceStates) -> Option<Self> {
            match (screen, phase) {
                (Game, Some(_)) => Some(Lives(3)),
                (End, _) => Some(Lives(0)),
                _ => None,
            }
        }
    }

    assert_eq!(Lives::DEPENDENCY_DEPTH, 1 + 3 + 1);
    let mut app = app();
    app.add_sub_state::<Lives>();
    frame(&mut app);
    assert_eq!(now::<Lives>(&app), None);
    set(&mut app, Game);
    frame(&mut app);
    assert_eq!(now(&app), Some(Lives(3)));
    set(&mut app, Lives(2));
    frame(&mut app);
    set(&mut app, End);
    frame(&mut app);
    assert_eq!(now(&app), Some(Lives(2)));
}

#[test]
fn a_state_that_was_never_entered_is_not_left() {
    let mut app = logging();
    app.init_state::<Screen>();
    watch(&mut app, &[Menu, Game]);
    set(&mut app, Game);
    assert_eq!(frame(&mut app), ["enter Game"]);
    assert_eq!(previous::<Screen>(&app), None);
}

#[test]
fn a_state_can_be_inserted() {
    let mut app = logging();
    app.init_state::<Screen>().insert_state(Game).init_state::<Screen>();
    watch(&mut app, &[Menu, Game, End]);
    assert_eq!(frame(&mut app), ["enter Game"]);
    // Later it is entered as well, and what was there is not left.
    app.insert_state(End);
    assert_eq!(now(&app), Some(End));
    assert_eq!(frame(&mut app), ["enter End"]);
    assert!(frame(&mut app).is_empty());
}

#[test]
fn states_can_be_added_to_a_program_that_runs() {
    let mut app = logging();
    app.insert_state(Game).add_systems(Update, note("frame"));
    frame(&mut app);
    app.add_computed_state::<Played>().add_sub_state::<Phase>().add_sub_state::<Phase>();
    watch(&mut app, &[Played]);
    watch(&mut app, &[Setup]);
    assert_eq!(frame(&mut app), ["enter Played", "enter Setup", "frame"]);
    assert_eq!(frame(&mut app), ["frame"]);
}

#[test]
fn a_source_that_does_not_exist_is_none() {
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    struct NoScreen;

    impl ComputedStates for NoScreen {
        type SourceStates = Option<Screen>;

        fn compute(screen: Option<Screen>) -> Option<Self> {
            screen.is_none().then_some(NoScreen)
        }
    }

    let mut app = App::new();
    app.add_computed_state::<NoScreen>().add_computed_state::<Played>();
    app.update();
    assert_eq!((now(&app), now::<Played>(&app)), (Some(NoScreen), None));
    app.insert_state(Game);
    app.update();
    assert_eq!((now::<NoScreen>(&app), now(&app)), (None, Some(Played)));
}

#[test]
fn a_state_that_the_program_removes_has_no_transitions() {
    let mut app = app();
    app.world_mut().remove_resource::<State<Screen>>();
    set(&mut app, Game);
    assert!(frame(&mut app).is_empty());
    assert_eq!(now::<Screen>(&app), None);
}

#[test]
fn transitions_can_be_run_by_hand() {
    let mut app = app();
    set(&mut app, Game);
    app.world_mut().run_schedule(StateTransition);
    assert_eq!(now(&app), Some(Setup));
    noted(&mut app);
    assert!(frame(&mut app).is_empty());
    // Not within themselves.
    app.add_systems(OnEnter(Menu), |world: &mut World| assert!(world.try_run_schedule(StateTransition).is_err()));
    set(&mut app, Menu);
    frame(&mut app);
}

#[test]
fn what_is_set_while_states_change_comes_next_time() {
    let mut app = app();
    app.add_systems(OnEnter(Game), |mut next: ResMut<'_, NextState<Screen>>| next.set(End));
    set(&mut app, Game);
    frame(&mut app);
    assert_eq!(now(&app), Some(Game));
    frame(&mut app);
    assert_eq!(now(&app), Some(End));
}

#[test]
fn each_transition_is_a_message() {
    fn read(mut transitions: MessageReader<'_, '_, StateTransitionEvent<Screen>>, mut log: ResMut<'_, Log>) {
        log.0.extend(
            transitions.read().map(|t| {
                format!("{:?} {:?} {}", t.exited.as_ref(), t.entered.as_ref(), t.allow_same_state_transitions)
            }),
        );
    }
    let mut app = logging();
    app.init_state::<Screen>().add_systems(Last, read);
    assert_eq!(frame(&mut app), ["None Some(Menu) true"]);
    set(&mut app, Game);
    assert_eq!(frame(&mut app), ["Some(Menu) Some(Game) true"]);
    set_if_different(&mut app, Game);
    assert_eq!(frame(&mut app), ["Some(Game) Some(Game) false"]);
    assert!(frame(&mut app).is_empty());
}

#[derive(Component)]
struct Named(&'static str);

/// The names of the entities.
fn names(app: &mut App) -> Vec<&'static str> {
    let mut query = app.world_mut().query::<&Named>();
    let mut names: Vec<_> = query.iter(app.world()).map(|named| named.0).collect();
    names.sort_unstable();
    names
}

#[test]
fn entities_end_when_their_state_is_left() {
    let mut app = app();
    app.add_systems(OnExit(Game), |all: Query<'_, '_, &Named>, mut log: ResMut<'_, Log>| {
        log.0.push(format!("{} at exit", all.iter().count()));
    })
    .add_systems(OnEnter(Game), |mut commands: Commands<'_, '_>| {
        commands.spawn((Named("spawned at enter"), DespawnOnExit(Game)));
    });
    for (name, screen) in [("game", Game), ("end", End)] {
        app.world_mut().spawn((Named(name), DespawnOnExit(screen)));
    }
    app.world_mut().spawn((Named("battle"), DespawnOnExit(Battle)));
    app.world_mut().spawn((Named("played"), DespawnOnExit(Played)));
    app.world_mut().spawn(Named("for ever"));
    set(&mut app, Game);
    frame(&mut app);
    assert_eq!(names(&mut app), ["battle", "end", "for ever", "game", "played", "spawned at enter"]);
    set(&mut app, Battle);
    frame(&mut app);
    // A transition from a state to itself that does not run `OnExit` despawns nothing; one that runs it does.
    set_if_different(&mut app, Game);
    frame(&mut app);
    assert_eq!(names(&mut app).len(), 5, "what is bound to the computed state has ended, as that was entered again");
    set(&mut app, Game);
    assert!(frame(&mut app).contains(&"5 at exit".to_owned()));
    assert_eq!(names(&mut app), ["battle", "end", "for ever", "spawned at enter"]);
    set(&mut app, Menu);
    frame(&mut app);
    assert_eq!(names(&mut app), ["end", "for ever"]);
}

#[test]
fn entities_end_before_their_state_is_entered() {
    let mut app = app();
    app.add_systems(OnEnter(Game), |mut commands: Commands<'_, '_>| {
        commands.spawn((Named("spawned at enter"), DespawnOnEnter(Game)));
    });
    app.world_mut().spawn((Named("game"), DespawnOnEnter(Game)));
    app.world_mut().spawn((Named("played"), DespawnOnEnter(Played)));
    app.world_mut().spawn((Named("end"), DespawnOnEnter(End)));
    set(&mut app, Game);
    frame(&mut app);
    assert_eq!(names(&mut app), ["end", "spawned at enter"]);
}

#[test]
fn disabled_entities_end_as_well() {
    use strata_ecs::entity_disabling::Disabled;
    let mut app = app();
    app.world_mut().spawn((Named("asleep"), DespawnOnExit(Menu), Disabled));
    app.world_mut().spawn((Named("asleep"), DespawnOnEnter(Game), Disabled));
    set(&mut app, Game);
    frame(&mut app);
    assert!(app.world().is_empty());
}

#[test]
fn conditions_ask_for_states() {
    let mut app = app();
    app.add_systems(
        Update,
        (
            note("menu").run_if(in_state(Menu)),
            note("setup").run_if(in_state(Setup)),
            note("no phase").run_if(not(state_exists::<Phase>)),
            note("either").run_if(in_state(Menu).or_else(in_state(Game))),
        )
            .chain(),
    );
    assert_eq!(frame(&mut app), ["menu", "no phase", "either"]);
    set(&mut app, Game);
    assert_eq!(frame(&mut app)[5..], ["setup", "either"]);
}

#[test]
fn commands_change_states() {
    let mut app = app();
    app.add_systems(First, |mut commands: Commands<'_, '_>, mut run: Local<'_, u32>| {
        *run += 1;
        match *run {
            1 => commands.set_state(Game),
            2 => commands.set_state_if_different(Game),
            _ => {}
        }
        // There is no state of this type.
        commands.set_state(Setup);
    });
    assert_eq!(frame(&mut app)[0], "exit Menu");
    assert!(!frame(&mut app).contains(&"exit Game".to_owned()));
}

#[test]
fn a_system_that_fails_ends_the_transition_and_no_later_one() {
    let mut app = app();
    let mut runs = 0;
    app.add_systems(OnExit(Menu), move || -> Result {
        runs += 1;
        if runs == 1 { Err("not saved".into()) } else { Ok(()) }
    });
    set(&mut app, Game);
    assert!(app.try_update().unwrap_err().to_string().ends_with("not saved"));
    assert_eq!(now(&app), Some(Game));
    noted(&mut app);
    set(&mut app, Menu);
    assert_eq!(frame(&mut app).last().unwrap(), "enter Menu");
    set(&mut app, End);
    assert!(frame(&mut app).contains(&"enter End".to_owned()));
}
