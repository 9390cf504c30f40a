//! The functions that clone, compare, hash and print labels of a type, and a check that the type implements the traits.
//!
//! The derives use [`LabelProbe`], so that one error lists everything that is missing.
//!
//! Tests: tests/systems/labels.rs, tests/ui/fail

use core::any::Any;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

/// Detects which traits a label type implements. An inherent constant of the probe exists only if the type implements
/// the trait; otherwise the constant of [`LabelLacks`] is used.
pub struct LabelProbe<L>(PhantomData<L>);

type CloneFn<L> = fn(&L) -> L;
type EqFn<L> = fn(&L, &L) -> bool;
type HashFn<L> = fn(&L, &mut dyn Hasher);
type DebugFn<L> = fn(&L, &mut fmt::Formatter<'_>) -> fmt::Result;

impl<L: Clone> LabelProbe<L> {
    /// Clones a label.
    pub const CLONE: Option<CloneFn<L>> = Some(L::clone);
}

impl<L: PartialEq> LabelProbe<L> {
    /// Compares labels.
    pub const PARTIAL_EQ: Option<EqFn<L>> = Some(L::eq);
}

impl<L: Eq> LabelProbe<L> {
    /// Whether the type implements `Eq`.
    pub const EQ: bool = true;
}

impl<L: Hash> LabelProbe<L> {
    /// Hashes a label.
    pub const HASH: Option<HashFn<L>> = Some(|label, mut state| label.hash(&mut state));
}

impl<L: fmt::Debug> LabelProbe<L> {
    /// Prints a label.
    pub const DEBUG: Option<DebugFn<L>> = Some(L::fmt);
}

/// The constants for traits that a type does not implement.
pub trait LabelLacks<L> {
    /// Cloning is not available.
    const CLONE: Option<CloneFn<L>> = None;
    /// Comparison is not available.
    const PARTIAL_EQ: Option<EqFn<L>> = None;
    /// The type does not implement `Eq`.
    const EQ: bool = false;
    /// Hashing is not available.
    const HASH: Option<HashFn<L>> = None;
    /// Printing is not available.
    const DEBUG: Option<DebugFn<L>> = None;
}

impl<L> LabelLacks<L> for LabelProbe<L> {}

/// The functions that clone, compare, hash and print labels of a type.
pub struct LabelParts<L> {
    clone: CloneFn<L>,
    eq: EqFn<L>,
    hash: HashFn<L>,
    debug: DebugFn<L>,
}

impl<L: 'static> LabelParts<L> {
    /// Creates the parts from the functions that were found. If one is missing, [`demand_label`] fails to compile, so
    /// the result is never used.
    #[must_use]
    pub const fn new(
        clone: Option<CloneFn<L>>,
        eq: Option<EqFn<L>>,
        hash: Option<HashFn<L>>,
        debug: Option<DebugFn<L>>,
    ) -> Self {
        match (clone, eq, hash, debug) {
            (Some(clone), Some(eq), Some(hash), Some(debug)) => Self { clone, eq, hash, debug },
            _ => Self::missing(),
        }
    }

    /// Returns the parts of a type that implements all traits.
    #[must_use]
    pub const fn of() -> Self
    where
        L: Clone + Eq + Hash + fmt::Debug,
    {
        Self { clone: L::clone, eq: L::eq, hash: |label, mut state| label.hash(&mut state), debug: L::fmt }
    }

    /// Returns a placeholder for a type whose definition is invalid. It is never used, because the program does not
    /// compile.
    #[must_use]
    pub const fn missing() -> Self {
        Self { clone: |_| unreachable!("it does not compile"), eq: |_, _| false, hash: |_, _| {}, debug: |_, _| Ok(()) }
    }

    /// Clones the label.
    #[must_use]
    pub fn clone_label(&self, label: &L) -> L {
        (self.clone)(label)
    }

    /// Returns whether the other label has the same type and is equal.
    #[must_use]
    pub fn eq_label(&self, label: &L, other: &dyn Any) -> bool {
        other.downcast_ref().is_some_and(|other| (self.eq)(label, other))
    }

    /// Hashes the type and the value.
    pub fn hash_label(&self, label: &L, mut state: &mut dyn Hasher) {
        label.type_id().hash(&mut state);
        (self.hash)(label, state);
    }

    /// Prints the label.
    ///
    /// # Errors
    ///
    /// If writing the text fails.
    pub fn fmt_label(&self, label: &L, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.debug)(label, f)
    }
}

/// Fails to compile if a type lacks a trait that labels need. `what` is the role of the type, for instance "a system
/// set".
///
/// # Panics
///
/// At compile time, with a text that lists everything that is missing.
#[track_caller]
pub const fn demand_label(name: &str, what: &str, clone: bool, partial_eq: bool, eq: bool, hash: bool, debug: bool) {
    if clone && partial_eq && eq && hash && debug {
        return;
    }
    let mut text = Text::new();
    text.push(&["`", name, "` cannot be ", what, " yet: add `#[derive("]);
    let parts = [(clone, "Clone"), (partial_eq, "PartialEq"), (eq, "Eq"), (hash, "Hash"), (debug, "Debug")];
    let (mut at, mut separator) = (0, "");
    while at < parts.len() {
        let (is_there, part) = parts[at];
        if !is_there {
            text.push(&[separator, part]);
            separator = ", ";
        }
        at += 1;
    }
    text.push(&[")]` to it"]);
    text.fail()
}

/// A text that is built at compile time. Text that does not fit is truncated.
struct Text {
    bytes: [u8; 512],
    len: usize,
}

impl Text {
    const fn new() -> Self {
        Self { bytes: [0; 512], len: 0 }
    }

    const fn push(&mut self, parts: &[&str]) {
        let mut part = 0;
        while part < parts.len() {
            let bytes = parts[part].as_bytes();
            let mut at = 0;
            while at < bytes.len() && self.len < self.bytes.len() {
                self.bytes[self.len] = bytes[at];
                self.len += 1;
                at += 1;
            }
            part += 1;
        }
    }

    #[track_caller]
    const fn fail(&self) -> ! {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("a label lacks some of `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`"),
        }
    }
}
