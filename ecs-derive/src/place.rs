//! The position of a derive in the source, and the number of earlier derives at the same position.
//!
//! Tests: tests/systems/keys.rs

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// For each hash of a name and a position, the number of derives so far in the crate that is being compiled.
static SEEN: Mutex<Option<HashMap<u64, u32>>> = Mutex::new(None);

/// Returns the line and column of the derive's own tokens, counted from one like `line!` and `column!`, and the number of earlier derives
/// for a type of this name at this position. That number distinguishes types at one position: a macro can emit the user's item twice.
///
/// Returns zeros outside of the compiler, as in the tests of the expansion.
pub(crate) fn place(name: &str) -> [u32; 3] {
    if !proc_macro::is_available() {
        return [0; 3];
    }
    let span = proc_macro::Span::call_site();
    let [line, column] = [span.line(), span.column()].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    let mut hasher = DefaultHasher::new();
    (name, span.file(), line, column).hash(&mut hasher);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let next = seen.get_or_insert_default().entry(hasher.finish()).or_default();
    let copy = *next;
    *next = copy.wrapping_add(1);
    [line, column, copy]
}
