//! A game in the terminal that can be saved: components with names and versions, one that is not saved, and a file that is refused.
//!
//! ```text
//! cargo run --example save
//! ```
//!
//! Rats chase a hero through a cellar, a step each line. `save` writes the cellar to `cellar.save`, or the file that is named, and `load` goes on from there: with the
//! same rats at the same places, and the same ones to come. A file that was damaged is refused, and the game goes on.

use std::error::Error;
use std::io::{BufRead, stdin};
use std::path::Path;

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{WorldFormat, components, resources};

const WIDTH: i32 = 24;
const HEIGHT: i32 = 8;

/// Numbers of a fixed size and nothing else: a file has them as they lie in memory.
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "cellar.place", plain)]
#[repr(C)]
struct Place {
    x: i32,
    y: i32,
}

/// In version 1 a hero had lives alone: files of then are still read.
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "cellar.hero", version = 2, upgrade = Hero::with_lives)]
struct Hero {
    lives: u8,
    coins: u32,
}

#[derive(Deserialize)]
struct Lives(u8);

impl Hero {
    fn with_lives(Lives(lives): Lives) -> Self {
        Self { lives, coins: 0 }
    }
}

/// The chased entity. The id is unchanged when the game is loaded.
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "cellar.chases")]
struct Chases(Entity);

#[derive(Component, Clone, Serialize, Deserialize)]
#[component(name = "cellar.coin")]
struct Coin;

/// The drawn glyph. It follows from the other components, so files do not contain it.
#[derive(Component)]
#[component(save = "skip")]
struct Glyph(char);

/// Numbers by chance, the same ones after a game was loaded.
#[derive(Resource, Clone, Serialize, Deserialize)]
#[resource(name = "cellar.chance")]
struct Chance(u64);

impl Chance {
    /// A number below another one, by an LCG with the constants of Knuth's MMIX.
    fn below(&mut self, end: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i32 % end
    }
}

/// The direction of the hero in this step. It is not part of the state of the cellar.
#[derive(Resource, Default)]
struct Step {
    x: i32,
    y: i32,
}

#[system]
fn walk(step: Res<Step>, mut hero: Single<&mut Place, With<Hero>>) {
    hero.x = (hero.x + step.x).clamp(0, WIDTH - 1);
    hero.y = (hero.y + step.y).clamp(0, HEIGHT - 1);
}

#[system]
fn collect(hero: Single<(&mut Hero, &Place)>, coins: Query<(Entity, &Place), With<Coin>>, mut commands: Commands) {
    let (mut hero, at) = hero.into_inner();
    for (coin, _) in coins.iter().filter(|(_, place)| *place == at) {
        hero.coins += 1;
        commands.entity(coin).despawn();
    }
}

/// A row system: it runs once for each rat.
#[system]
fn chase(rat: &mut Place, chases: &Chases, places: Query<&Place, Without<Chases>>) {
    let Ok(hunted) = places.get(chases.0) else { return };
    let (x, y) = (hunted.x - rat.x, hunted.y - rat.y);
    match x.abs() > y.abs() {
        true => rat.x += x.signum(),
        false => rat.y += y.signum(),
    }
}

#[system]
fn bite(hero: Single<(&mut Hero, &Place)>, rats: Query<(Entity, &Place), With<Chases>>, mut commands: Commands) {
    let (mut hero, at) = hero.into_inner();
    for (rat, _) in rats.iter().filter(|(_, place)| *place == at) {
        hero.lives = hero.lives.saturating_sub(1);
        commands.entity(rat).despawn();
    }
}

#[system]
fn come(hero: Single<Entity, With<Hero>>, mut chance: ResMut<Chance>, mut commands: Commands) {
    if chance.below(3) == 0 {
        let place = Place { x: chance.below(WIDTH), y: chance.below(HEIGHT) };
        match chance.below(2) {
            0 => commands.spawn((place, Coin)),
            _ => commands.spawn((place, Chases(*hero))),
        };
    }
}

fn new_game() -> (World, Schedule) {
    let mut world = World::new();
    world.spawn((Place { x: WIDTH / 2, y: HEIGHT / 2 }, Hero { lives: 3, coins: 0 }));
    world.insert_resource(Chance(1));
    world.init_resource::<Step>();
    let mut schedule = Schedule::default();
    schedule.add_systems((walk, collect, chase, bite, come).chain());
    (world, schedule)
}

/// The format of the cellar in files. Loading a file does not change the `Step`.
fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Place, Hero, Chases, Coin])
        .with_resources(resources![Chance])
        .without_resource::<Step>()
}

/// Gives a glyph to the entities that lack one: new entities, or all entities after a game was loaded.
fn dress(world: &mut World) {
    let mut bare = world.query_filtered::<(Entity, Has<Hero>, Has<Coin>), (With<Place>, Without<Glyph>)>();
    let glyph = |is_hero, is_coin| {
        if is_hero {
            '@'
        } else if is_coin {
            '$'
        } else {
            'r'
        }
    };
    let glyphs: Vec<(Entity, char)> =
        bare.iter(world).map(|(entity, is_hero, is_coin)| (entity, glyph(is_hero, is_coin))).collect();
    for (entity, glyph) in glyphs {
        world.entity_mut(entity).insert(Glyph(glyph));
    }
}

fn picture(world: &mut World) -> String {
    dress(world);
    let mut rows = vec![vec!['.'; WIDTH as usize]; HEIGHT as usize];
    for (place, glyph) in world.query::<(&Place, &Glyph)>().iter(world) {
        rows[place.y as usize][place.x as usize] = glyph.0;
    }
    let rows: String = rows.iter().map(|row| format!("{}\n", row.iter().collect::<String>())).collect();
    match world.query::<&Hero>().single(world) {
        Ok(Hero { lives, coins }) => format!("{rows}{lives} lives, {coins} coins"),
        Err(_) => rows,
    }
}

/// Does what a line says, and answers. None ends the game.
fn answer((world, schedule): (&mut World, &mut Schedule), line: &str, file: &Path) -> Option<String> {
    let (x, y) = match line.trim() {
        "save" => {
            return Some(match format().save_to_file(world, file) {
                Ok(()) => "saved".to_owned(),
                Err(error) => format!("not saved: {error}"),
            });
        }
        "load" => {
            return Some(match format().load_from_file(world, file) {
                Ok(()) => format!("{}\nloaded", picture(world)),
                Err(error) => format!("not loaded: {error}"),
            });
        }
        "quit" => return None,
        "w" => (0, -1),
        "a" => (-1, 0),
        "s" => (0, 1),
        "d" => (1, 0),
        _ => (0, 0),
    };
    world.insert_resource(Step { x, y });
    schedule.run(world);
    Some(picture(world))
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "cellar.save".to_owned());
    let (mut world, mut schedule) = new_game();
    println!("{}\nw, a, s, d: walk; save, load, quit", picture(&mut world));
    for line in stdin().lock().lines() {
        let Some(answer) = answer((&mut world, &mut schedule), &line?, Path::new(&file)) else { break };
        println!("{answer}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use strata_ecs::prelude::*;
    use strata_save::{WorldFormat, components};

    use super::{Chance, Hero, Place, answer, format, new_game, picture};

    /// A file of one test.
    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("strata-example-{name}-{}", std::process::id()))
    }

    /// Returns the answers of the game to some lines.
    fn play(game: &mut (World, Schedule), lines: &str, file: &std::path::Path) -> Vec<String> {
        lines.split(' ').map_while(|line| answer((&mut game.0, &mut game.1), line, file)).collect()
    }

    const STEPS: &str = "a a s d d w w - - a s s d - - -";

    #[test]
    fn a_loaded_game_goes_on_as_the_saved_one() {
        let (file, mut game) = (file("goes-on"), new_game());
        play(&mut game, "a a w w d d d s s - - - -", &file);
        assert_eq!(play(&mut game, "save", &file), ["saved"]);
        let expected = play(&mut game, STEPS, &file);

        let mut other = new_game();
        play(&mut other, "d d d", &file);
        assert!(play(&mut other, "load", &file)[0].ends_with("loaded"));
        assert_eq!(play(&mut other, STEPS, &file), expected);
        assert!(expected.iter().any(|picture| picture.contains('r')) && expected.iter().any(|one| one.contains('$')));
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_damaged_file_is_refused_and_the_game_goes_on() {
        let (file, mut game) = (file("damaged"), new_game());
        play(&mut game, "a a - - - - save", &file);
        let mut bytes = fs::read(&file).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&file, bytes).unwrap();
        let before = picture(&mut game.0);
        let answers = play(&mut game, "load", &file);
        assert!(answers[0].starts_with("not loaded: at byte 16: the bytes are damaged"), "{answers:?}");
        assert_eq!(picture(&mut game.0), before);
        fs::remove_file(&file).unwrap();
        assert!(play(&mut game, "load", &file)[0].starts_with("not loaded: the file cannot be read"));
        assert_eq!(play(&mut game, "d quit d", &file).len(), 1);
    }

    #[test]
    fn a_file_of_the_first_version_is_read() {
        /// As it was then.
        #[derive(Component, Clone, serde::Serialize, serde::Deserialize)]
        #[component(name = "cellar.hero")]
        struct OldHero(u8);

        let mut old = World::new();
        old.spawn((Place { x: 3, y: 4 }, OldHero(2)));
        let then = WorldFormat::new().with_components(components![Place, OldHero]);
        let bytes = then.save(&mut old).unwrap();
        let (mut world, _) = new_game();
        format().without_resource::<Chance>().load(&mut world, &bytes).unwrap();
        let hero = world.query::<&Hero>().single(&world).unwrap();
        assert_eq!(hero, &Hero { lives: 2, coins: 0 });
    }
}
