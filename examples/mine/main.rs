//! A mine that digs by itself: an app with states and fixed steps, a key to save, an autosave, and a key to load.
//!
//! ```text
//! cargo run --example mine
//! ```
//!
//! Each line is a frame. `pause` stops the miners and starts them again, `hire` brings another one, `save` writes the mine to `mine.save`,
//! or to the file that is named, `load` goes on from there, and `quit` saves and ends. After every tenth step the mine is saved to a second
//! file, which `auto` loads.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

use std::fmt::Write as _;
use std::io::stdin;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_app::prelude::*;
use strata_save::{LoadFailed, SaveCommands, SaveFailed, WorldFormat, WorldLoaded, WorldSaved, components, resources};

/// How deep a miner has dug.
#[derive(Component, Clone, Serialize, Deserialize)]
#[component(name = "mine.shaft")]
struct Shaft(u32);

/// How many steps the miners have dug, and what they have found.
#[derive(Resource, Clone, Default, Serialize, Deserialize)]
#[resource(name = "mine.store")]
struct Store {
    steps: u32,
    ore: u32,
}

/// Whether the miners dig.
#[derive(States, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Mine {
    #[default]
    Open,
    Paused,
}

/// The text that a player has typed in this frame. Neither this nor the files are saved.
#[derive(Resource, Default)]
struct Line(String);

#[derive(Resource)]
struct Files {
    slot: PathBuf,
    auto: PathBuf,
}

/// Where lines come from, and what is printed.
#[derive(Resource)]
struct Terminal {
    next: Box<dyn FnMut() -> Option<String> + Send + Sync>,
    print: fn(&str),
}

fn open(mut commands: Commands) {
    commands.spawn_batch([Shaft(0), Shaft(3)]);
}

fn read(mut terminal: ResMut<Terminal>, mut line: ResMut<Line>) {
    line.0 = (terminal.next)().unwrap_or_else(|| "quit".to_owned());
}

/// The keys. The world is saved and loaded when this frame has ended.
fn obey(
    line: Res<Line>,
    files: Res<Files>,
    state: Res<State<Mine>>,
    mut next: ResMut<NextState<Mine>>,
    mut exit: MessageWriter<AppExit>,
    mut commands: Commands,
) {
    match line.0.trim() {
        "pause" => next.set(if *state.get() == Mine::Open { Mine::Paused } else { Mine::Open }),
        "hire" => _ = commands.spawn(Shaft(0)),
        "save" => commands.save_world(&files.slot),
        "load" => commands.load_world(&files.slot),
        "auto" => commands.load_world(&files.auto),
        "quit" => {
            commands.save_world(&files.slot);
            exit.write(AppExit::Success);
        }
        _ => {}
    }
}

fn count(mut store: ResMut<Store>) {
    store.steps += 1;
}

/// A row system: it runs once for each miner.
#[system]
fn dig(shaft: &mut Shaft, mut store: ResMut<Store>) {
    shaft.0 += 1;
    store.ore += u32::from(shaft.0.is_multiple_of(4));
}

fn autosave(store: Res<Store>, files: Res<Files>, mut commands: Commands) {
    if store.steps.is_multiple_of(10) {
        commands.save_world(&files.auto);
    }
}

fn show(store: Res<Store>, shafts: Query<&Shaft>, terminal: Res<Terminal>) {
    let mut text = format!("step {}, {} ore, shafts", store.steps, store.ore);
    for shaft in &shafts {
        write!(text, " {}", shaft.0).expect("a text takes more text");
    }
    (terminal.print)(&text);
}

/// The mine of a file is open, whatever this one was.
fn go_on(loaded: On<WorldLoaded>, mut next: ResMut<NextState<Mine>>, terminal: Res<Terminal>) {
    next.set(Mine::Open);
    (terminal.print)(&format!("loaded from {}", loaded.from));
}

fn app(slot: &Path, terminal: Terminal) -> App {
    let files = Files { slot: slot.to_owned(), auto: slot.with_extension("auto") };
    let mut app = App::new();
    app.add_plugins(MinimalPlugins)
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(files)
        .insert_resource(terminal)
        .init_resource::<Line>()
        .init_resource::<Store>()
        .init_state::<Mine>()
        .add_systems(Startup, open)
        .add_systems(PreUpdate, read)
        .add_systems(FixedUpdate, (count, dig, autosave).chain().run_if(in_state(Mine::Open)))
        .add_systems(Update, obey)
        .add_systems(Last, show)
        .add_observer(go_on)
        .add_observer(|saved: On<WorldSaved>, terminal: Res<Terminal>| {
            (terminal.print)(&format!("saved to {}", saved.to));
        })
        .add_observer(|failed: On<SaveFailed>, terminal: Res<Terminal>| (terminal.print)(&failed.to_string()))
        .add_observer(|failed: On<LoadFailed>, terminal: Res<Terminal>| (terminal.print)(&failed.to_string()));
    WorldFormat::new()
        .with_components(components![Shaft])
        .with_resources(resources![Store])
        .with_known_only()
        .without_unknown_locals()
        .register(app.world_mut());
    app
}

fn main() -> AppExit {
    let slot = std::env::args().nth(1).unwrap_or_else(|| "mine.save".to_owned());
    let next = || {
        let mut line = String::new();
        stdin().read_line(&mut line).is_ok_and(|len| len != 0).then_some(line)
    };
    app(Path::new(&slot), Terminal { next: Box::new(next), print: |text| println!("{text}") }).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mine in which these lines have been typed, in a file of its own. Its store is as `quit` has saved it.
    fn played(name: &str, lines: &'static [&'static str]) -> (Store, Vec<u32>) {
        let slot = std::env::temp_dir().join(format!("strata-mine-{name}-{}.save", std::process::id()));
        let mut lines = lines.iter().map(|line| (*line).to_owned());
        let terminal = Terminal { next: Box::new(move || lines.next()), print: |_| {} };
        assert_eq!(app(&slot, terminal).run(), AppExit::Success);
        let mut world = World::new();
        let format = WorldFormat::new().with_components(components![Shaft]).with_resources(resources![Store]);
        format.without_unknown_locals().load_from_file(&mut world, &slot).unwrap();
        std::fs::remove_file(&slot).unwrap();
        _ = std::fs::remove_file(slot.with_extension("auto"));
        let shafts = world.query::<&Shaft>().iter(&world).map(|shaft| shaft.0).collect();
        (world.resource::<Store>().clone(), shafts)
    }

    #[test]
    fn a_mine_is_saved_when_it_is_left() {
        let (store, shafts) = played("left", &["", "hire", "", "pause", "", "pause", ""]);
        assert_eq!((store.steps, &shafts[..]), (5, &[5, 8, 4][..]));
    }

    #[test]
    fn a_loaded_mine_goes_on_from_where_it_was_saved() {
        let (store, shafts) = played("loaded", &["", "save", "hire", "", "", "pause", "", "load", ""]);
        assert_eq!((store.steps, &shafts[..]), (3, &[3, 6][..]));
    }

    #[test]
    fn the_autosave_is_the_mine_of_the_tenth_step() {
        let (store, shafts) = played("auto", &["", "", "", "", "", "", "", "", "", "", "", "hire", "", "auto"]);
        assert_eq!((store.steps, shafts.len()), (11, 2));
    }

    #[test]
    fn a_file_that_is_not_there_leaves_the_mine_as_it_is() {
        let (store, shafts) = played("missing", &["", "load", ""]);
        assert_eq!((store.steps, shafts.len()), (3, 2));
    }
}
