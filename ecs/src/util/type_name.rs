//! Names of types for messages.
//!
//! Tests: tests/systems/missing_resources.rs, tests/queries/explain.rs

use alloc::string::String;

/// Returns the name of a type, without the modules of the type and of its type arguments.
pub(crate) fn short_name(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let mut word = 0;
    for (at, letter) in name.char_indices() {
        if name[at..].starts_with("::") {
            // The text written since the start of this word was a module; if it ends with `>`, it was a type with arguments.
            if !short.ends_with('>') {
                short.truncate(word);
            }
        } else if letter != ':' {
            short.push(letter);
            if !(letter.is_alphanumeric() || letter == '_') {
                word = short.len();
            }
        }
    }
    short
}
