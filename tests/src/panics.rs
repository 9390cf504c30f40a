//! Panics turned into text.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static CAUGHT: Cell<usize> = const { Cell::new(0) };
}

/// How many panics [`catch`] has caught on this thread.
#[must_use]
pub fn caught() -> usize {
    CAUGHT.get()
}

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
    catch_unwind(AssertUnwindSafe(action)).map_err(|payload| {
        CAUGHT.set(CAUGHT.get() + 1);
        text(&*payload)
    })
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

thread_local! {
    /// The file and the line of the last panic of this thread.
    static PLACE: RefCell<(String, u32)> = const { RefCell::new((String::new(), 0)) };
}

/// Runs an action that must panic, and returns the file and the line where it panicked, and the text.
///
/// # Panics
/// When the action returns.
pub fn expect_panic_at<T>(action: impl FnOnce() -> T) -> ((String, u32), String) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if let Some(place) = info.location() {
                PLACE.with_borrow_mut(|noted| *noted = (place.file().to_owned(), place.line()));
            }
            before(info);
        }));
    });
    let text = expect_panic(action);
    (PLACE.take(), text)
}
