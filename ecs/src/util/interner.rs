//! Keeps one copy of each interned value for as long as the program runs.
//!
//! The interner uses no lock. So it works without the standard library, and the `Eq` and `Hash` of a value may panic or intern another
//! value. Values are stored in a tree that only grows at its leaves. At each node, two bits of the hash of a value select the child (a hash
//! trie, as described by C. Wellons).
//!
//! Tests: tests/systems/labels.rs

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::util::fnv::Fnv;

/// A node of the tree. A node in the tree is never freed, and only its child pointers change.
struct TreeNode<L: ?Sized + 'static> {
    hash: u64,
    entry: InternedEntry<L>,
    /// The children, by the next two bits of the hash.
    below: [AtomicPtr<Self>; 4],
}

/// A value and its number. They never change, so a reference to an entry is a valid map key.
struct InternedEntry<L: ?Sized + 'static> {
    /// The number of the value. Numbers are assigned in the order in which values are added. Numbers may be skipped.
    number: u32,
    value: InternedValue<L>,
}

/// A value that an [`Interner`] can keep a copy of for as long as the program runs.
///
/// ```
/// use strata_ecs::intern::{Internable, Interner};
///
/// #[derive(PartialEq, Eq, Hash, Clone, Debug)]
/// struct Path(String);
///
/// impl Internable for Path {
///     fn leak(&self) -> &'static Self {
///         Box::leak(Box::new(self.clone()))
///     }
/// }
///
/// static PATHS: Interner<Path> = Interner::new();
/// assert_eq!(PATHS.intern(&Path("ship".into())), PATHS.intern(&Path("ship".into())));
/// assert_ne!(PATHS.intern(&Path("ship".into())), PATHS.intern(&Path("shop".into())));
/// ```
pub trait Internable: Hash + Eq {
    /// Creates a copy that lives as long as the program.
    fn leak(&self) -> &'static Self;

    /// Returns whether both references point to the same value. bevy_ecs compares interned values in this way. In this crate an
    /// [`Interned`] compares the addresses of the interner's entries instead.
    fn ref_eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }

    /// Hashes the address of the value. Consistent with [`ref_eq`](Self::ref_eq).
    fn ref_hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self, state);
    }
}

impl Internable for str {
    fn leak(&self) -> &'static Self {
        Box::leak(self.into())
    }
}

/// Interns values of one type: keeps one copy of each distinct value for as long as the program runs.
///
/// If the same interner interns equal values, it returns equal [`Interned`]s, which are compared without reading the values. Different
/// interners do not share values. Looking up a value takes no lock.
///
/// ```
/// use strata_ecs::intern::Interner;
///
/// static WORDS: Interner<str> = Interner::new();
/// let word = WORDS.intern("sword");
/// assert_eq!(word, WORDS.intern(&String::from("sword")));
/// assert_eq!(&*word, "sword");
/// ```
pub struct Interner<L: ?Sized + 'static> {
    root: AtomicPtr<TreeNode<L>>,
    next_number: AtomicU32,
}

impl<L: ?Sized> Interner<L> {
    /// Returns an interner without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { root: AtomicPtr::new(ptr::null_mut()), next_number: AtomicU32::new(0) }
    }
}

impl_default!([L: ?Sized] Interner<L> => Self::new());

impl_debug_of_fields! { [L: ?Sized] Interner<L> {} }

impl<L: ?Sized + Internable + Send + Sync> Interner<L> {
    /// Returns the copy of a value. The first call with a value creates the copy. `O(1)` for a usual number of values.
    pub fn intern(&self, value: &L) -> Interned<L> {
        self.intern_with(value, || InternedValue::Leaked(value.leak()))
    }
}

impl<L: ?Sized + Eq + Hash + Send + Sync> Interner<L> {
    /// Returns the copy of a value. If there is no copy yet, `make` creates it.
    pub(crate) fn intern_with(&self, value: &L, make: impl FnOnce() -> InternedValue<L>) -> Interned<L> {
        let mut hasher = Fnv::default();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        let mut end = match find(TreeSlot { node: &self.root, rest: hash }, hash, value) {
            Ok(node) => return Interned(&node.entry),
            Err(end) => end,
        };
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let below = [const { AtomicPtr::new(ptr::null_mut()) }; 4];
        let mut node = Box::new(TreeNode { hash, entry: InternedEntry { number, value: make() }, below });
        loop {
            // `make` or another thread may have added values since the search, perhaps this value.
            end = match find(end, hash, value) {
                Ok(node) => return Interned(&node.entry),
                Err(end) => end,
            };
            let new = Box::into_raw(node);
            if end.node.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed).is_ok() {
                // SAFETY: the address comes from a box, which is in the tree now: it is never freed or mutably borrowed
                // again.
                return Interned(unsafe { &(*new).entry });
            }
            // SAFETY: the address comes from a box and was not added to the tree, so no other thread has it.
            node = unsafe { Box::from_raw(new) };
        }
    }
}

/// The copy of a value that an interner keeps. If another thread adds an equal value first, the copy is not used; a boxed copy is then
/// dropped.
pub(crate) enum InternedValue<L: ?Sized + 'static> {
    Boxed(Box<L>),
    Leaked(&'static L),
}

impl_deref!(#[inline] [L: ?Sized] InternedValue<L> => L, |this| *match this {
    Self::Boxed(value) => value,
    Self::Leaked(value) => *value,
});

/// A pointer in the tree, to a node or null, that a search has reached.
struct TreeSlot<'a, L: ?Sized + 'static> {
    node: &'a AtomicPtr<TreeNode<L>>,
    /// The remaining bits of the hash of the searched value. The next of these bits select the child of the node.
    rest: u64,
}

/// Returns the node to which a pointer of the tree points; `None` if the pointer is null.
fn read<L: ?Sized>(place: &AtomicPtr<TreeNode<L>>) -> Option<&'static TreeNode<L>> {
    let address = place.load(Ordering::Acquire);
    // SAFETY: only `intern_with` writes to a place. It writes addresses of nodes that come from leaked boxes, which are
    // neither freed nor mutably borrowed; the only other value is null. The contents of the node are visible, because it
    // was written to the place with `Release`.
    unsafe { address.as_ref() }
}

/// Searches for a value, starting at a pointer of the tree. Returns the node of the value. If the value is not in the tree, returns the
/// null pointer to which a node must be added.
fn find<'a, L: ?Sized + Eq>(
    mut place: TreeSlot<'a, L>,
    hash: u64,
    value: &L,
) -> Result<&'static TreeNode<L>, TreeSlot<'a, L>> {
    while let Some(node) = read(place.node) {
        if node.hash == hash && *node.entry.value == *value {
            return Ok(node);
        }
        // After 32 levels the bits of the hash repeat, so that different values with the same hash have places, too.
        place = TreeSlot { node: &node.below[(place.rest >> 62) as usize], rest: place.rest.rotate_left(2) };
    }
    Err(place)
}

/// An interned label, or another interned value. It is `Copy`, and is compared and hashed without reading the value.
///
/// [`SystemSet::intern`](crate::label::SystemSet::intern), [`ScheduleLabel::intern`](crate::label::ScheduleLabel::intern) and
/// [`Interner`](crate::intern::Interner) create it. Interning equal labels of one type returns equal values. An interned label is never
/// dropped, so the program keeps one copy of each distinct label.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
/// enum Physics {
///     Forces,
///     Collisions(u8),
/// }
///
/// let label = Physics::Collisions(2).intern();
/// let copy = label;
/// assert_eq!(copy, Physics::Collisions(2).intern());
/// assert_ne!(copy, Physics::Forces.intern());
/// assert_eq!(format!("{label:?}"), "Collisions(2)");
/// ```
pub struct Interned<L: ?Sized + 'static>(&'static InternedEntry<L>);

impl_copy! { [L: ?Sized] Interned<L>; }

impl<L: ?Sized> Interned<L> {
    /// Returns the value, which lives as long as the program.
    pub(crate) fn get(self) -> &'static L {
        &self.0.value
    }

    /// Returns a number that is unique among the values of the interner in this process.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.0.number)
    }
}

impl<L: ?Sized> PartialEq for Interned<L> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl<L: ?Sized> Eq for Interned<L> {}

impl<L: ?Sized> Hash for Interned<L> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl_deref!(#[inline] [L: ?Sized] Interned<L> => L, |this| this.0.value);

impl_debug!([L: ?Sized + fmt::Debug] Interned<L> => |this, f| this.0.value.fmt(f));
