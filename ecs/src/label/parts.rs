//! How labels of a type are cloned, compared, hashed and printed, and what a type lacks for it.
//!
//! The derives find out by [`LabelProbe`], so that all that is missing is said in one error.

use core::any::Any;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

/// Looks for what labels need: a constant of the probe's own is there only if the type has it, and otherwise that of
/// [`LabelLacks`] is found.
pub struct LabelProbe<L>(PhantomData<L>);

type CloneFn<L> = fn(&L) -> L;
type EqFn<L> = fn(&L, &L) -> bool;
type HashFn<L> = fn(&L, &mut dyn Hasher);
type DebugFn<L> = fn(&L, &mut fmt::Formatter<'_>) -> fmt::Result;

impl<L: Clone> LabelProbe<L> {
    /// How labels are cloned.
    pub const CLONE: Option<CloneFn<L>> = Some(L::clone);
}

impl<L: PartialEq> LabelProbe<L> {
    /// How labels are compared.
    pub const PARTIAL_EQ: Option<EqFn<L>> = Some(L::eq);
}

impl<L: Eq> LabelProbe<L> {
    /// Whether a label equals itself.
    pub const EQ: bool = true;
}

impl<L: Hash> LabelProbe<L> {
    /// How labels are hashed.
    pub const HASH: Option<HashFn<L>> = Some(|label, mut state| label.hash(&mut state));
}

impl<L: fmt::Debug> LabelProbe<L> {
    /// How labels are printed.
    pub const DEBUG: Option<DebugFn<L>> = Some(L::fmt);
}

/// What a type has that lacks something.
pub trait LabelLacks<L> {
    /// How labels are cloned: it is not known.
    const CLONE: Option<CloneFn<L>> = None;
    /// How labels are compared: it is not known.
    const PARTIAL_EQ: Option<EqFn<L>> = None;
    /// Whether a label equals itself: it is not known.
    const EQ: bool = false;
    /// How labels are hashed: it is not known.
    const HASH: Option<HashFn<L>> = None;
    /// How labels are printed: it is not known.
    const DEBUG: Option<DebugFn<L>> = None;
}

impl<L> LabelLacks<L> for LabelProbe<L> {}

/// How labels of a type are cloned, compared, hashed and printed.
pub struct LabelParts<L> {
    clone: CloneFn<L>,
    eq: EqFn<L>,
    hash: HashFn<L>,
    debug: DebugFn<L>,
}

impl<L: 'static> LabelParts<L> {
    /// The parts that were found. If one is missing, [`demand_label`] says so and nothing is ever built with them.
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

    /// The parts of a type that has them all.
    #[must_use]
    pub const fn of() -> Self
    where
        L: Clone + Eq + Hash + fmt::Debug,
    {
        Self { clone: L::clone, eq: L::eq, hash: |label, mut state| label.hash(&mut state), debug: L::fmt }
    }

    /// What stands in for the parts of a type that could not be read. Nothing is ever built with it.
    #[must_use]
    pub const fn missing() -> Self {
        Self { clone: |_| unreachable!("it does not compile"), eq: |_, _| false, hash: |_, _| {}, debug: |_, _| Ok(()) }
    }

    /// A copy of the label.
    #[must_use]
    pub fn clone_label(&self, label: &L) -> L {
        (self.clone)(label)
    }

    /// Whether the other label is of the same type and equal.
    #[must_use]
    pub fn eq_label(&self, label: &L, other: &dyn Any) -> bool {
        other.downcast_ref().is_some_and(|other| (self.eq)(label, other))
    }

    /// Hashes type and value.
    pub fn hash_label(&self, label: &L, mut state: &mut dyn Hasher) {
        label.type_id().hash(&mut state);
        (self.hash)(label, state);
    }

    /// Prints the label.
    ///
    /// # Errors
    ///
    /// If the text cannot be written.
    pub fn fmt_label(&self, label: &L, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.debug)(label, f)
    }
}

/// Fails to compile if a type lacks what labels need. `what` is what the type is to be, as in "a system set".
///
/// # Panics
///
/// While the program is compiled, with all that is missing.
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

/// A text that is put together while the program is compiled. What does not fit is left out.
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
