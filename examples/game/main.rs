//! A tower defence in the terminal: a run condition, messages, commands, change detection and a fixed time step.
//!
//! ```text
//! cargo run --release --example game                                    # play; the keys are kept in game.run
//! cargo run --release --example game -- --replay examples/game/won.run  # watch a recorded run
//! cargo run --release --example game -- --headless --replay examples/game/won.run
//! ```
//!
//! A step depends on the world and on the keys of that step, and on nothing else. So the keys are the whole run: played
//! again, with or without a terminal, they lead to the same checksum.

use std::error::Error;
use std::io::stdout;
use std::time::{Duration, Instant};

use crossterm::event::{self, KeyCode, KeyModifiers};
use crossterm::style::{Print, StyledContent, Stylize};
use crossterm::{cursor, execute, terminal};
use strata_ecs::prelude::*;

const WIDTH: i32 = 64;
const HEIGHT: i32 = 17;
const STEP: Duration = Duration::from_millis(50);
const WAVES: u32 = 6;
const PRICE: u32 = 50;
/// The corners of the road, from the gate of the enemies to the castle.
const ROAD: [[i32; 2]; 8] = [[0, 3], [54, 3], [54, 8], [8, 8], [8, 13], [30, 13], [30, 11], [63, 11]];

#[derive(Component)]
struct Position([i32; 2]);
#[derive(Component)]
struct Glyph(StyledContent<char>);
/// An enemy: how far along the road it is, in hundredths of a cell, and how far it gets in a step.
#[derive(Component)]
struct Walk(u32, u32);
#[derive(Component)]
struct Health(u32);
/// A turret, with the steps until it can fire again.
#[derive(Component)]
struct Turret(u32);

/// A key that was pressed: `w`, `a`, `s`, `d`, `b` to build, `n` for the next wave.
#[derive(Message)]
struct Key(char);

#[derive(Default, Resource)]
struct Game {
    step: u32,
    wave: u32,
    fighting: bool,
    /// Enemies of the wave that are still to come.
    coming: u32,
    gold: u32,
    score: u32,
    lives: u32,
    cursor: [i32; 2],
    /// All cells of the road, in order.
    road: Vec<[i32; 2]>,
    checksum: u64,
}

#[system]
fn press(
    mut keys: MessageReader<Key>,
    built: Query<&Position, Without<Walk>>,
    mut game: ResMut<Game>,
    mut commands: Commands,
) {
    game.step += 1;
    for key in keys.read() {
        let [x, y] = game.cursor;
        let free = built.iter().all(|at| at.0 != [x, y]);
        match key.0 {
            'a' => game.cursor = [(x - 1).max(0), y],
            'd' => game.cursor = [(x + 1).min(WIDTH - 1), y],
            'w' => game.cursor = [x, (y - 1).max(0)],
            's' => game.cursor = [x, (y + 1).min(HEIGHT - 1)],
            'b' if free && game.gold >= PRICE => {
                game.gold -= PRICE;
                commands.spawn((Position([x, y]), Turret(0), Glyph('▲'.cyan())));
            }
            'n' if !game.fighting => {
                (game.wave, game.coming, game.fighting) = (game.wave + 1, 8 + 2 * game.wave, true);
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
        commands.spawn((Position(game.road[0]), walk, Health(3 * game.wave), Glyph(' '.stylize())));
    }
}

/// A row system: it runs once for each enemy.
#[system]
fn march(enemy: Entity, at: &mut Position, walk: &mut Walk, mut game: ResMut<Game>, mut commands: Commands) {
    walk.0 += walk.1;
    if let Some(cell) = game.road.get(walk.0 as usize / 100) {
        at.0 = *cell;
    } else {
        game.lives = game.lives.saturating_sub(1);
        commands.entity(enemy).despawn();
    }
}

/// A row system with a query: each turret that is loaded hits the enemy in reach that is farthest along the road.
#[system]
fn fire(turret: &mut Turret, at: &Position, glyph: &mut Glyph, mut enemies: Query<(&Position, &Walk, &mut Health)>) {
    turret.0 = turret.0.saturating_sub(1);
    // Cells are about twice as high as they are wide.
    let near = |to: &Position| (at.0[0] - to.0[0]).pow(2) + 4 * (at.0[1] - to.0[1]).pow(2) <= 81;
    let in_reach = enemies.iter_mut().filter(|(to, ..)| turret.0 == 0 && near(to));
    if let Some((.., mut health)) = in_reach.max_by_key(|(_, walk, _)| walk.0) {
        turret.0 = 9;
        health.0 = health.0.saturating_sub(1);
    }
    glyph.0 = if turret.0 > 6 { '△'.white() } else { '▲'.cyan() };
}

/// Runs for the enemies that are new or were hit, and for no others.
#[system(changed(Health))]
fn suffer(enemy: Entity, health: &Health, glyph: &mut Glyph, mut game: ResMut<Game>, mut commands: Commands) {
    match health.0 {
        0 => {
            (game.score, game.gold) = (game.score + 10 * game.wave, game.gold + 5);
            commands.entity(enemy).despawn();
        }
        1..=3 => glyph.0 = 'o'.red(),
        4..=7 => glyph.0 = 'O'.yellow(),
        _ => glyph.0 = '@'.green(),
    }
}

#[system]
fn judge(enemies: Query<&Walk>, mut game: ResMut<Game>) {
    if game.coming == 0 && enemies.is_empty() {
        game.gold += 20;
        game.fighting = false;
    }
}

/// A condition: a system that only reads and returns `bool`.
#[system]
fn in_battle(game: Res<Game>) -> bool {
    game.fighting
}

/// Adds the state of each step to the checksum, by FNV-1a.
#[system]
fn sum(enemies: Query<(&Walk, &Health)>, mut game: ResMut<Game>) {
    let values =
        enemies.iter().flat_map(|(walk, health)| [walk.0, health.0]).chain([game.gold, game.score, game.lives]);
    game.checksum =
        values.fold(game.checksum, |sum, value| (sum ^ u64::from(value)).wrapping_mul(0x0000_0100_0000_01b3));
}

fn new_game() -> (World, Schedule) {
    let mut road = vec![ROAD[0]];
    for corner in ROAD {
        while let Some(&at) = road.last()
            && at != corner
        {
            road.push([0, 1].map(|axis| at[axis] + (corner[axis] - at[axis]).signum()));
        }
    }
    let mut world = World::new();
    // The first of all, so that the picture has the road below everything else.
    world.spawn_batch(road.iter().map(|cell| (Position(*cell), Glyph('░'.dark_grey()))).collect::<Vec<_>>());
    world.insert_resource(Game { gold: 150, lives: 10, cursor: [30, 6], road, ..Game::default() });
    let battle = (arrive, march, fire, suffer, judge).chain().run_if(in_battle);
    let mut schedule = Schedule::default();
    schedule.add_systems((press, battle, sum).chain());
    (world, schedule)
}

/// The whole screen, with the colours of the terminal in it.
fn picture(world: &mut World) -> String {
    let mut cells = vec![[' '.stylize(); WIDTH as usize]; HEIGHT as usize];
    let mut put = |[x, y]: [i32; 2], glyph: StyledContent<char>| cells[y as usize][x as usize] = glyph;
    for (at, Glyph(glyph)) in world.query::<(&Position, &Glyph)>().iter(world) {
        put(at.0, *glyph);
    }
    let Game { wave, gold, score, lives, cursor, road, .. } = world.resource::<Game>();
    put(road[road.len() - 1], '♜'.blue());
    put(*cursor, '✚'.magenta());
    let head = format!("wave {wave} of {WAVES}   lives {lives}   gold {gold}   score {score}");
    let rows = cells.iter().map(|row| format!("  {}\r\n", row.iter().map(|cell| cell.to_string()).collect::<String>()));
    let hint = format!("arrows: move   space: turret, {PRICE} gold   enter: next wave   q: quit");
    format!("  {head:0$}\r\n{1}  {hint}", WIDTH as usize, rows.collect::<String>())
}

/// Takes the terminal over while `play` runs. A panic gives it back before it prints its message.
fn taken_over<T>(play: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<T, Box<dyn Error>> {
    fn give_back() {
        let _ = execute!(stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        print(panic);
    }));
    terminal::enable_raw_mode()?;
    execute!(stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
    let result = play();
    give_back();
    result
}

/// Draws the game, and returns the keys that are pressed until `due`.
fn show_and_read(world: &mut World, due: Instant) -> Result<Vec<char>, Box<dyn Error>> {
    execute!(stdout(), cursor::MoveTo(0, 1), Print(picture(world)))?;
    let mut keys = Vec::new();
    while event::poll(due.saturating_duration_since(Instant::now()))? {
        let Some(key) = event::read()?.as_key_press_event() else { continue };
        keys.extend(match key.code {
            // In raw mode Ctrl-C is a key like any other.
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some('q'),
            KeyCode::Left => Some('a'),
            KeyCode::Right => Some('d'),
            KeyCode::Up => Some('w'),
            KeyCode::Down => Some('s'),
            KeyCode::Enter => Some('n'),
            KeyCode::Char(' ') => Some('b'),
            KeyCode::Char(key) => "wasdbnq".contains(key).then_some(key),
            _ => None,
        });
    }
    Ok(keys)
}

/// Plays a game, in the terminal unless it is `headless`. The keys come from the terminal or from a recorded run. Returns
/// the world, and the run: a line with step and key for each key, of which `q` is the last.
fn play(headless: bool, recorded: Option<&str>) -> Result<(World, String), Box<dyn Error>> {
    let (mut world, mut schedule) = new_game();
    let (mut due, mut run) = (Instant::now(), String::new());
    loop {
        due += STEP;
        let mut keys = if headless { Vec::new() } else { show_and_read(&mut world, due)? };
        let Game { step, wave, fighting, lives, .. } = *world.resource::<Game>();
        if let Some(recorded) = recorded {
            let this_step = format!("{step} ");
            keys.retain(|key| *key == 'q');
            keys.extend(recorded.lines().filter_map(|line| line.strip_prefix(&this_step)?.chars().next()));
        }
        if lives == 0 || wave == WAVES && !fighting || keys.contains(&'q') {
            return Ok((world, run + &format!("{step} q\n")));
        }
        for key in keys {
            run += &format!("{step} {key}\n");
            world.write_message(Key(key));
        }
        schedule.run(&mut world);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut headless, mut recorded, mut options) = (false, None, lexopt::Parser::from_env());
    while let Some(option) = options.next()? {
        match option {
            Long("headless") => headless = true,
            Long("replay") => {
                let file = options.value()?.string()?;
                recorded = Some(std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?);
            }
            _ => return Err("the options are --headless and --replay FILE".into()),
        }
    }
    if headless && !recorded.as_ref().is_some_and(|run| run.ends_with("q\n")) {
        return Err("--headless wants a --replay of a whole run".into());
    }
    let play = || play(headless, recorded.as_deref());
    let (mut world, run) = if headless { play()? } else { taken_over(play)? };
    println!("{}\n", picture(&mut world));
    let Game { step, wave, lives, checksum, .. } = world.resource::<Game>();
    println!("Wave {wave} of {WAVES}, {lives} lives left at step {step}; checksum {checksum:016x}.");
    if recorded.is_none() {
        std::fs::write("game.run", run)?;
    }
    println!("Next: `--replay game.run` shows what you have played last. Or change `ROAD`, and hold another one.");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_recorded_run_leads_to_the_same_checksum() {
        let recorded = include_str!("won.run");
        let (world, run) = super::play(true, Some(recorded)).unwrap();
        assert_eq!(run, recorded);
        assert_eq!(world.resource::<super::Game>().checksum, 0x1d30_e187_0dae_af45);
    }
}
