//! A tower defence in the terminal: states as run conditions, messages, commands, change detection and a fixed time step.
//!
//! ```text
//! cargo run --release --example game                                    # play
//! cargo run --release --example game -- --record my.run                 # play, and keep the keys in a file
//! cargo run --release --example game -- --replay examples/game/won.run      # watch a recorded run
//! cargo run --release --example game -- --headless --replay examples/game/won.run --show 1800
//! ```
//!
//! A step depends on the world and on the keys of that step, and on nothing else. So the keys are the whole run: played
//! again, with or without a terminal, they lead to the same checksum. `--show` prints the screen of one step. The rules are
//! in this file; the module `terminal` draws and reads keys.

mod terminal;

use std::error::Error;
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

use crossterm::style::{StyledContent, Stylize};
use strata_ecs::prelude::*;
use terminal::Screen;

const WIDTH: i32 = 64;
const HEIGHT: i32 = 17;
/// The corners of the path that the enemies take.
const PATH: [[i32; 2]; 8] = [[0, 3], [54, 3], [54, 8], [8, 8], [8, 13], [30, 13], [30, 11], [63, 11]];
const STEP: Duration = Duration::from_millis(50);
const WAVES: u32 = 6;
const PRICE: u32 = 50;

#[derive(Clone, Copy, Component, Default, PartialEq)]
struct Position([i32; 2]);
#[derive(Component)]
struct Glyph(StyledContent<char>);
/// An enemy: how far along the path it is, in hundredths of a cell, and how far it gets in a step.
#[derive(Component)]
struct Walk(u32, u32);
#[derive(Component)]
struct Health(i32);
/// A turret, with the steps until it can fire again.
#[derive(Component)]
struct Turret(u32);
/// A shot, with the enemy that it follows.
#[derive(Component)]
struct Shot(Entity);

/// A key that was pressed: `w`, `a`, `s`, `d`, `b` to build, `n` for the next wave, `q` to quit.
#[derive(Clone, Copy, Message, PartialEq)]
struct Key(char);
/// A shot has reached this enemy.
#[derive(Message)]
struct Hit(Entity);

#[derive(Clone, Copy, Debug, PartialEq, Resource)]
enum Phase {
    Build,
    Fight,
    Over,
}

#[derive(Default, Resource)]
struct Game {
    step: u32,
    wave: u32,
    /// Enemies of the wave that are still to come.
    coming: u32,
    gold: u32,
    score: u32,
    lives: u32,
    cursor: [i32; 2],
    /// All cells of the path, in order.
    path: Vec<[i32; 2]>,
    checksum: u64,
}

#[system]
fn press(
    mut keys: MessageReader<Key>,
    turrets: Query<&Position, With<Turret>>,
    mut game: ResMut<Game>,
    mut phase: ResMut<Phase>,
    mut commands: Commands,
) {
    game.step += 1;
    for key in keys.read() {
        let [x, y] = game.cursor;
        let free = !game.path.contains(&[x, y]) && turrets.iter().all(|turret| turret.0 != [x, y]);
        match key.0 {
            'a' => game.cursor = [(x - 1).max(0), y],
            'd' => game.cursor = [(x + 1).min(WIDTH - 1), y],
            'w' => game.cursor = [x, (y - 1).max(0)],
            's' => game.cursor = [x, (y + 1).min(HEIGHT - 1)],
            'b' if free && game.gold >= PRICE => {
                game.gold -= PRICE;
                commands.spawn((Position([x, y]), Turret(0), Glyph('▲'.cyan())));
            }
            'n' if *phase == Phase::Build => {
                (game.wave, game.coming) = (game.wave + 1, 8 + 2 * game.wave);
                *phase = Phase::Fight;
            }
            _ => {}
        }
    }
}

#[system]
fn arrive(mut game: ResMut<Game>, mut commands: Commands) {
    if game.coming > 0 && game.step.is_multiple_of(12) {
        game.coming -= 1;
        let walk = Walk(0, if game.wave.is_multiple_of(3) { 45 } else { 30 });
        commands.spawn((Position(game.path[0]), walk, Health(3 * game.wave as i32), Glyph(' '.stylize())));
    }
}

/// A row system: it runs once for each enemy.
#[system]
fn march(enemy: Entity, at: &mut Position, walk: &mut Walk, mut game: ResMut<Game>, mut commands: Commands) {
    walk.0 += walk.1;
    if let Some(cell) = game.path.get(walk.0 as usize / 100) {
        at.0 = *cell;
    } else {
        game.lives = game.lives.saturating_sub(1);
        commands.entity(enemy).despawn();
    }
}

/// A row system with a query: each turret that is ready fires at the enemy in reach that is farthest along the path.
#[system]
fn aim(turret: &mut Turret, at: &Position, enemies: Query<(Entity, &Position, &Walk)>, mut commands: Commands) {
    turret.0 = turret.0.saturating_sub(1);
    // Cells are about twice as high as they are wide.
    let near = |to: &Position| (at.0[0] - to.0[0]).pow(2) + 4 * (at.0[1] - to.0[1]).pow(2) <= 81;
    let in_reach = enemies.iter().filter(|(_, to, _)| turret.0 == 0 && near(to));
    if let Some((enemy, ..)) = in_reach.max_by_key(|(.., walk)| walk.0) {
        turret.0 = 9;
        commands.spawn((*at, Shot(enemy), Glyph('•'.white())));
    }
}

/// The query leaves shots out, so it does not conflict with the row, which writes the position of a shot.
#[system]
fn fly(
    entity: Entity,
    at: &mut Position,
    shot: &Shot,
    targets: Query<&Position, Without<Shot>>,
    mut hits: MessageWriter<Hit>,
    mut commands: Commands,
) {
    // The enemy may be gone: an `Entity` can outlive what it stands for.
    if let Ok(target) = targets.get(shot.0) {
        at.0[0] += (target.0[0] - at.0[0]).clamp(-2, 2);
        at.0[1] += (target.0[1] - at.0[1]).clamp(-1, 1);
        if *at != *target {
            return;
        }
        hits.write(Hit(shot.0));
    }
    commands.entity(entity).despawn();
}

#[system]
fn hurt(mut hits: MessageReader<Hit>, mut enemies: Query<&mut Health>, mut game: ResMut<Game>, mut commands: Commands) {
    for Hit(enemy) in hits.read() {
        let Ok(mut health) = enemies.get_mut(*enemy) else { continue };
        health.0 -= 1;
        if health.0 == 0 {
            (game.score, game.gold) = (game.score + 10 * game.wave, game.gold + 5);
            commands.entity(*enemy).despawn();
        }
    }
}

/// Runs for the enemies that are new or were hit, and for no others.
#[system(changed(Health))]
fn show_health(health: &Health, glyph: &mut Glyph) {
    glyph.0 = match health.0 {
        ..=3 => 'o'.red(),
        4..=7 => 'O'.yellow(),
        _ => '@'.green(),
    };
}

#[system]
fn judge(enemies: Query<&Walk>, mut game: ResMut<Game>, mut phase: ResMut<Phase>) {
    if game.lives == 0 || game.wave == WAVES && game.coming == 0 && enemies.is_empty() {
        *phase = Phase::Over;
    } else if game.coming == 0 && enemies.is_empty() {
        game.gold += 20;
        *phase = Phase::Build;
    }
}

/// Adds the state of each step to the checksum, by FNV-1a.
#[system]
fn sum(all: Query<(&Position, Option<&Health>)>, mut game: ResMut<Game>) {
    let counts = [game.step, game.gold, game.score, game.lives].map(i64::from);
    let values = all.iter().flat_map(|(at, health)| [at.0[0], at.0[1], health.map_or(0, |health| health.0)]);
    let mix = |sum: u64, value: i64| (sum ^ value as u64).wrapping_mul(0x0000_0100_0000_01b3);
    game.checksum = counts.into_iter().chain(values.map(i64::from)).fold(game.checksum, mix);
}

fn new_game() -> (World, Schedule) {
    let mut path = vec![PATH[0]];
    for [x, y] in PATH {
        while let Some(&[at_x, at_y]) = path.last()
            && [at_x, at_y] != [x, y]
        {
            path.push([at_x + (x - at_x).signum(), at_y + (y - at_y).signum()]);
        }
    }
    let mut world = World::new();
    world.insert_resource(Game { gold: 150, lives: 10, cursor: [30, 6], path, ..Game::default() });
    world.insert_resource(Phase::Build);
    let battle = (march, aim, fly, hurt, show_health).chain().run_if(not(resource_equals(Phase::Over)));
    let fighting = || resource_equals(Phase::Fight);
    let mut schedule = Schedule::default();
    schedule.add_systems((press, arrive.run_if(fighting()), battle, judge.run_if(fighting()), sum).chain());
    (world, schedule)
}

/// Plays a game, or the keys of `replay` again, until `q`. Returns the world and the keys, one per line with its step.
fn play(screen: Option<Screen>, replay: Option<&str>, show: Option<u32>) -> Result<(World, String), Box<dyn Error>> {
    let mut recorded = Vec::new();
    for line in replay.unwrap_or("").lines() {
        let parse = |(step, key): (&str, &str)| Some((step.parse::<u32>().ok()?, Key(key.parse().ok()?)));
        recorded.push(line.split_once(' ').and_then(parse).ok_or(format!("`{line}` is not a step and a key"))?);
    }
    let (mut world, mut schedule) = new_game();
    let (mut due, mut record) = (Instant::now(), String::new());
    loop {
        let step = world.resource::<Game>().step;
        let mut keys = Vec::new();
        if let Some(screen) = &screen {
            due += STEP;
            keys = screen.show(&terminal::picture(&mut world), due)?;
        }
        if replay.is_some() {
            keys.retain(|key| key.0 == 'q');
        }
        if show == Some(step) {
            println!("{}", terminal::picture(&mut world));
        }
        keys.extend(recorded.iter().filter(|(at, _)| *at == step).map(|(_, key)| *key));
        if replay.is_some() && recorded.last().is_none_or(|(at, _)| *at < step) {
            keys.push(Key('q'));
        }
        for key in keys {
            record += &format!("{step} {}\n", key.0);
            if key.0 == 'q' {
                return Ok((world, record));
            }
            world.write_message(key);
        }
        schedule.run(&mut world);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut record, mut replay, mut headless, mut show) = (None, None, false, None);
    let mut options = lexopt::Parser::from_env();
    while let Some(option) = options.next()? {
        match option {
            Long("record") => record = Some(options.value()?.string()?),
            Long("replay") => {
                let file = options.value()?.string()?;
                replay = Some(std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?);
            }
            Long("headless") => headless = true,
            Long("show") => show = Some(options.value()?.parse()?),
            _ => return Err("the options are --record FILE, --replay FILE, --headless and --show STEP".into()),
        }
    }
    if headless && replay.is_none() || !headless && !stdout().is_terminal() {
        return Err("without a terminal the game needs `--headless --replay FILE`".into());
    }
    let screen = if headless { None } else { Some(Screen::open()?) };
    let (world, keys) = play(screen, replay.as_deref(), show)?;
    let Game { step, wave, score, lives, checksum, .. } = world.resource::<Game>();
    println!("wave {wave} of {WAVES}, score {score}, lives {lives}, after {step} steps; checksum {checksum:016x}");
    match record {
        Some(file) => std::fs::write(&file, keys).map(|()| println!("Watch it again with `--replay {file}`."))?,
        None => println!("Next: `--record FILE` keeps a run, `--replay FILE` plays it again."),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_recorded_run_leads_to_the_same_checksum() {
        let run = include_str!("won.run");
        let (world, keys) = super::play(None, Some(run), None).unwrap();
        assert_eq!(keys, run);
        assert_eq!(world.resource::<super::Game>().checksum, 0xeabd_7744_6fce_fe2d);
    }
}
