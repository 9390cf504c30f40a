//! Panics turned into text.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The text of a panic's payload.
#[must_use]
pub fn text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else {
        String::from("a payload that is no text")
    }
}

/// Runs `action` and returns its value, or the text with which it panicked.
///
/// # Errors
/// The text of the panic.
pub fn catch<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|payload| text(&*payload))
}

/// Runs an action that must panic, and returns the text of the panic.
///
/// # Panics
/// When the action returns.
pub fn expect_panic<T>(action: impl FnOnce() -> T) -> String {
    match catch(action) {
        Ok(_) => panic!("the action was to panic, and returned"),
        Err(text) => text,
    }
}
