//! Systems made of others.
//!
//! Tests: tests/schedules/schedule/deep.rs

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

/// The maximum depth of nested systems. Each level uses a part of the stack when the systems run.
const DEPTH: u32 = 500;

/// Returns the nesting depth of a system that contains systems of depth `inside`.
///
/// # Panics
///
/// If the depth exceeds the limit.
pub(super) fn nested(inside: u32) -> u32 {
    assert!(inside < DEPTH, "systems and conditions cannot be nested more than {DEPTH} deep");
    inside + 1
}

/// The maximum length of a name in bytes. Longer names are cut, because the name of many joined systems would be as long as all
/// their names together.
const NAME: usize = 1000;

/// Concatenates the parts of a name.
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
