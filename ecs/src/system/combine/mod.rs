//! Systems made of others.

mod pair;
mod map;
mod only_if;
mod input;
mod by_hand;

use alloc::string::String;

pub use self::by_hand::{Adapt, AdapterSystem, CombinatorSystem, Combine};
pub(super) use self::input::OwnInput;
pub use self::map::infallible;
pub(super) use self::map::{answering, fallible, map, not, wrap};
pub(crate) use self::only_if::{Skipped, only_if};
pub(super) use self::pair::{Rule, both, pipe};

/// How deep systems may be nested in each other: each level takes a part of the stack when they run.
const DEPTH: u32 = 500;

/// How deep something is nested that has such things inside.
///
/// # Panics
///
/// If that is too deep.
pub(super) fn nested(inside: u32) -> u32 {
    assert!(inside < DEPTH, "systems and conditions cannot be nested more than {DEPTH} deep");
    inside + 1
}

/// Names with more bytes than this are cut: those of many systems in one would be as long as all names together.
const NAME: usize = 1000;

/// Parts of a name, one behind the other.
pub(super) fn joined(parts: &[&str]) -> String {
    let mut name = String::new();
    for part in parts {
        let room = NAME - name.len();
        if part.len() > room {
            let end = (0..=room).rev().find(|end| part.is_char_boundary(*end)).unwrap_or(0);
            name.push_str(&part[..end]);
            name.push_str("..");
            break;
        }
        name.push_str(part);
    }
    name
}
