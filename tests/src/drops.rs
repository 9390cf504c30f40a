//! Values that account for their drops.
//!
//! A [`Token`] is a number; the book of births and deaths is kept separately, for each thread. A value dropped
//! twice is therefore found without undefined behaviour in the finder, and a leaked one needs no heap memory.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::alloc;

#[derive(Default)]
struct Book {
    next: u64,
    alive: HashSet<u64>,
    dead: HashSet<u64>,
    armed: HashSet<u64>,
    fuse: Option<usize>,
    twice: Vec<u64>,
}

thread_local! {
    static BOOK: RefCell<Book> = RefCell::default();
}

/// Reads or writes the book. Its allocations do not fail, whatever the allocator under test is set to do.
fn with_book<T>(action: impl FnOnce(&mut Book) -> T) -> T {
    alloc::exempt(|| BOOK.with_borrow_mut(action))
}

/// A value that is entered in this thread's book when it is made and when it is dropped.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Token(u64);

impl Token {
    /// A value whose drop is only counted.
    #[must_use]
    pub fn new() -> Self {
        with_book(|book| {
            let id = book.next;
            book.next += 1;
            book.alive.insert(id);
            Self(id)
        })
    }

    /// A value whose drop is counted and then panics, unless the thread is already panicking.
    #[must_use]
    pub fn armed() -> Self {
        let token = Self::new();
        with_book(|book| book.armed.insert(token.0));
        token
    }

    /// The number under which the value stands in the book.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.0
    }
}

impl Default for Token {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        let explodes = with_book(|book| {
            if !book.alive.remove(&self.0) {
                book.twice.push(self.0);
            }
            book.dead.insert(self.0);
            let burnt = match &mut book.fuse {
                Some(0) => {
                    book.fuse = None;
                    true
                }
                Some(left) => {
                    *left -= 1;
                    false
                }
                None => false,
            };
            book.armed.remove(&self.0) || burnt
        });
        if explodes && !std::thread::panicking() {
            panic!("token {} exploded", self.0);
        }
    }
}

/// Forgets everything that happened on this thread: every test and every case of a property starts with it.
pub fn reset() {
    with_book(|book| *book = Book::default());
}

/// How many values exist.
#[must_use]
pub fn alive() -> usize {
    with_book(|book| book.alive.len())
}

/// How many values were dropped.
#[must_use]
pub fn dropped() -> usize {
    with_book(|book| book.dead.len())
}

/// Whether the value with this number exists.
#[must_use]
pub fn is_alive(id: u64) -> bool {
    with_book(|book| book.alive.contains(&id))
}

/// Lets the drop after `drops` further ones panic; `None` makes all drops quiet again.
///
/// Returns whether a fuse was still burning.
pub fn fuse(drops: Option<usize>) -> bool {
    with_book(|book| std::mem::replace(&mut book.fuse, drops).is_some())
}

/// Takes the fuse and every armed value out of action, so that cleaning up is quiet.
pub fn disarm() {
    with_book(|book| {
        book.fuse = None;
        book.armed.clear();
    });
}

/// Fails if a value was dropped twice.
///
/// # Panics
/// When a value was dropped twice; the text names the values.
pub fn assert_none_twice() {
    let twice = with_book(|book| book.twice.clone());
    assert!(twice.is_empty(), "dropped twice: {twice:?}");
}

/// Fails unless every value was dropped, and each once.
///
/// # Panics
/// When a value still exists or was dropped twice; the text names the values.
pub fn assert_all_dropped_once() {
    assert_none_twice();
    let alive = with_book(|book| book.alive.clone());
    assert!(alive.is_empty(), "never dropped: {alive:?}");
}
