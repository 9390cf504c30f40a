//! What the screen shows, and the keys that come from it.

use std::error::Error;
use std::io::stdout;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crossterm::event::{self, KeyCode, KeyModifiers};
use crossterm::style::{Print, StyledContent, Stylize};
use crossterm::{cursor, execute, terminal};
use strata_ecs::prelude::*;

use crate::{Game, Glyph, HEIGHT, Key, PRICE, Phase, Position, WAVES, WIDTH};

/// The whole screen, with the colours of the terminal in it.
pub(crate) fn picture(world: &mut World) -> String {
    let mut cells = vec![[' '.stylize(); WIDTH as usize]; HEIGHT as usize];
    let mut put = |[x, y]: [i32; 2], glyph: StyledContent<char>| cells[y as usize][x as usize] = glyph;
    for cell in &world.resource::<Game>().path {
        put(*cell, '░'.dark_grey());
    }
    for (at, glyph) in world.query::<(&Position, &Glyph)>().iter(world) {
        put(at.0, glyph.0);
    }
    let Game { wave, gold, score, lives, cursor, path, .. } = world.resource::<Game>();
    put(path[path.len() - 1], '♜'.blue());
    put(*cursor, '✚'.magenta());

    let hint = match world.resource::<Phase>() {
        Phase::Build => format!("arrows: move   space: turret, {PRICE} gold   enter: next wave   q: quit"),
        Phase::Fight => "They are coming. You can build at any time.".into(),
        Phase::Over if *lives > 0 => "You have held the road. Press q.".into(),
        Phase::Over => "They have overrun you. Press q.".into(),
    };
    let head = format!("wave {wave} of {WAVES}   lives {lives}   gold {gold}   score {score}");
    let mut picture = format!("  {}\r\n", format!("{head:0$}", WIDTH as usize).bold());
    for row in cells {
        picture += &format!("  {}\r\n", row.map(|cell| cell.to_string()).concat());
    }
    picture + &format!("  {hint:0$}", WIDTH as usize)
}

/// The terminal, taken over until this is dropped.
pub(crate) struct Screen;

/// Whether the terminal is taken over.
static OPEN: AtomicBool = AtomicBool::new(false);

impl Screen {
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        // A panic gives the terminal back before it prints its message.
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            drop(Screen);
            print(panic);
        }));
        terminal::enable_raw_mode()?;
        OPEN.store(true, Ordering::Relaxed);
        execute!(stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(Screen)
    }

    /// Draws `picture`, and returns the keys that are pressed until `due`.
    pub(crate) fn show(&self, picture: &str, due: Instant) -> Result<Vec<Key>, Box<dyn Error>> {
        execute!(stdout(), cursor::MoveTo(0, 1), Print(picture))?;
        let mut keys = Vec::new();
        while event::poll(due.saturating_duration_since(Instant::now()))? {
            let event = event::read()?;
            let Some(key) = event.as_key_press_event() else { continue };
            keys.extend(match key.code {
                // In raw mode Ctrl-C is a key like any other.
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Key('q')),
                KeyCode::Left => Some(Key('a')),
                KeyCode::Right => Some(Key('d')),
                KeyCode::Up => Some(Key('w')),
                KeyCode::Down => Some(Key('s')),
                KeyCode::Enter => Some(Key('n')),
                KeyCode::Char(' ') => Some(Key('b')),
                KeyCode::Char(key) if "wasdbnq".contains(key) => Some(Key(key)),
                _ => None,
            });
        }
        Ok(keys)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Once only: a terminal that is given back twice writes over the message of a panic.
        if OPEN.swap(false, Ordering::Relaxed) {
            let _ = execute!(stdout(), cursor::Show, terminal::LeaveAlternateScreen);
            let _ = terminal::disable_raw_mode();
        }
    }
}
