//! The tour of an ECS that bevy has as `ecs_guide`, on strata: a small game of chance with players who come, score and win.
//!
//! Compared with the same program on bevy, only the imports differ.
//!
//! ```text
//! cargo run -p strata-app --example ecs_guide
//! cargo run -p strata-app --example ecs_guide -- --fast
//! ```

#![allow(elided_lifetimes_in_paths, reason = "as programs write it")]

use std::fmt;
use std::time::Duration;

use strata_app::prelude::*; // was: use bevy::{app::ScheduleRunnerPlugin, prelude::*};

// Components: what players have.

#[derive(Component)]
struct Player {
    name: String,
}

#[derive(Component)]
struct Score {
    value: usize,
}

/// An enum can be a component, too: how many rounds in a row a player has scored, or has not.
#[derive(Component)]
enum Streak {
    Hot(usize),
    None,
    Cold(usize),
}

impl fmt::Display for Streak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hot(rounds) => write!(f, "has scored {rounds} times in a row"),
            Self::None => write!(f, "begins"),
            Self::Cold(rounds) => write!(f, "has not scored for {rounds} rounds"),
        }
    }
}

// Resources: of each the world has one.

#[derive(Resource, Default)]
struct Game {
    round: usize,
    players: usize,
    winner: Option<String>,
}

#[derive(Resource)]
struct Rules {
    winning_score: usize,
    max_rounds: usize,
    max_players: usize,
}

/// A resource with a value that is made of the world.
#[derive(Resource)]
struct Dice(oorandom::Rand32);

impl FromWorld for Dice {
    fn from_world(world: &mut World) -> Self {
        Self(oorandom::Rand32::new(1 + world.resource::<Game>().round as u64))
    }
}

impl Dice {
    fn coin(&mut self) -> bool {
        self.0.rand_u32().is_multiple_of(2)
    }
}

// Systems: functions whose parameters say what they use.

fn greet() {
    println!("This game is fun!");
}

fn begin_round(rules: Res<Rules>, mut game: ResMut<Game>) {
    game.round += 1;
    println!("Round {} of {}", game.round, rules.max_rounds);
}

/// A query goes through all entities that have these components.
fn play(mut dice: ResMut<Dice>, mut players: Query<(&Player, &mut Score, &mut Streak)>) {
    for (player, mut score, mut streak) in &mut players {
        let scored = dice.coin();
        *streak = match *streak {
            Streak::Hot(rounds) if scored => Streak::Hot(rounds + 1),
            Streak::Cold(rounds) if !scored => Streak::Cold(rounds + 1),
            _ if scored => Streak::Hot(1),
            _ => Streak::Cold(1),
        };
        if scored {
            score.value += 1;
        }
        let verb = if scored { "scores" } else { "misses" };
        println!("  {} {verb}, is at {} and {}", player.name, score.value, *streak);
    }
}

fn find_winner(rules: Res<Rules>, mut game: ResMut<Game>, players: Query<(&Player, &Score)>) {
    for (player, score) in &players {
        if score.value == rules.winning_score {
            game.winner = Some(player.name.clone());
        }
    }
}

/// A message ends the program.
fn end_game(rules: Res<Rules>, game: Res<Game>, mut exit: MessageWriter<AppExit>) {
    if let Some(winner) = &game.winner {
        println!("{winner} wins!");
        exit.write(AppExit::Success);
    } else if game.round == rules.max_rounds {
        println!("No winner after {} rounds.", game.round);
        exit.write(AppExit::from_code(3));
    }
}

/// Commands change the world after the system: they spawn, insert, remove and despawn.
fn set_up(mut commands: Commands, mut game: ResMut<Game>) {
    commands.insert_resource(Rules { winning_score: 4, max_rounds: 10, max_players: 4 });
    commands.spawn_batch(["Alice", "Bob"].map(|name| {
        let player = Player { name: name.to_owned() };
        (player, Score { value: 0 }, Streak::None)
    }));
    game.players = 2;
}

fn welcome_player(mut commands: Commands, rules: Res<Rules>, mut game: ResMut<Game>, mut dice: ResMut<Dice>) {
    if game.players < rules.max_players && dice.coin() {
        game.players += 1;
        let name = format!("Player {}", game.players);
        println!("  {name} has joined the game");
        commands.spawn((Player { name }, Score { value: 0 }, Streak::None));
    }
}

/// A system with the whole world makes changes immediately, for which other systems need commands. No other system runs at the same time.
fn welcome_player_exclusively(world: &mut World) {
    let players = world.resource::<Game>().players;
    let is_full = players >= world.resource::<Rules>().max_players;
    if !is_full && world.resource_mut::<Dice>().coin() {
        let name = format!("Player {}", players + 1);
        println!("  {name} has joined the game");
        world.spawn((Player { name }, Score { value: 0 }, Streak::None));
        world.resource_mut::<Game>().players += 1;
    }
}

/// A local belongs to one system, and lasts from run to run.
fn end_round(mut counter: Local<u32>) {
    *counter += 1;
    println!("In {:?} for the {}. time\n", Last, *counter);
}

/// Sets are ordered, and their systems with them.
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
enum Round {
    Before,
    Play,
    After,
}

fn main() -> AppExit {
    let pause = if std::env::args().any(|argument| argument == "--fast") { 0 } else { 1 };
    App::new()
        .init_resource::<Game>()
        .init_resource::<Dice>()
        .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::from_secs(pause)))
        // Once.
        .add_systems(Startup, set_up)
        // In each frame, in any order and side by side unless something says otherwise.
        .add_systems(Update, greet.run_if(run_once))
        .configure_sets(Update, (Round::Before, Round::Play, Round::After).chain())
        .add_systems(
            Update,
            (
                (
                    (begin_round, welcome_player).chain(),
                    welcome_player_exclusively.run_if(|game: Res<Game>| game.round.is_multiple_of(2)),
                )
                    .in_set(Round::Before),
                play.in_set(Round::Play),
                (find_winner, end_game.after(find_winner)).in_set(Round::After),
            ),
        )
        // Last in each frame.
        .add_systems(Last, end_round)
        .run()
}
