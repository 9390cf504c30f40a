//! One copy of each value that was ever asked for, for as long as the program runs.
//!
//! There is no lock, so that this works without the standard library, and so that the code of a label may do what it
//! likes: it may panic, or intern another. Values are kept in lists that only grow, at their heads.

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// How many lists there are. Programs have tens of labels, some have hundreds.
const LISTS: usize = 64;

/// A value in a list. It is never freed and, once it is in the list, never changed.
struct Node<L: ?Sized + 'static> {
    hash: u64,
    /// In the order in which values were added to all lists; numbers may be left out.
    number: u32,
    value: Box<L>,
    next: Option<&'static Self>,
}

/// The values of one kind.
pub(super) struct Interner<L: ?Sized + 'static> {
    lists: [AtomicPtr<Node<L>>; LISTS],
    next_number: AtomicU32,
}

impl<L: ?Sized + Eq + Hash + Send + Sync> Interner<L> {
    pub(super) const fn new() -> Self {
        Self { lists: [const { AtomicPtr::new(ptr::null_mut()) }; LISTS], next_number: AtomicU32::new(0) }
    }

    /// The copy of a value; `make` makes it if there is none yet.
    pub(super) fn intern(&self, value: &L, make: impl FnOnce() -> Box<L>) -> Interned<L> {
        let mut hasher = Fnv::default();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        let list = &self.lists[hash as usize % LISTS];
        if let Some(node) = find(first(list), hash, value) {
            return Interned(node);
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let mut node = Box::new(Node { hash, number, value: make(), next: None });
        loop {
            // In the meantime `make` or another thread may have added values, perhaps this one.
            let head = first(list);
            if let Some(node) = find(head, hash, value) {
                return Interned(node);
            }
            node.next = head;
            let expected = head.map_or(ptr::null(), ptr::from_ref).cast_mut();
            let new = Box::into_raw(node);
            if list.compare_exchange(expected, new, Ordering::Release, Ordering::Relaxed).is_ok() {
                // SAFETY: the address comes from a box, which is in the list now: it is neither freed nor changed any more.
                return Interned(unsafe { &*new });
            }
            // SAFETY: the address comes from a box and did not come into the list, so nobody else knows it.
            node = unsafe { Box::from_raw(new) };
        }
    }
}

/// The first node of a list.
fn first<L: ?Sized>(list: &AtomicPtr<Node<L>>) -> Option<&'static Node<L>> {
    let address = list.load(Ordering::Acquire);
    // SAFETY: only `intern` writes to a list, and what it writes are addresses of nodes in boxes that it gives up: they are
    // neither freed nor changed; the null pointer is the only other value. What was written to the node before it came into
    // the list can be seen, since it was put there with `Release`.
    unsafe { address.as_ref() }
}

/// The node of a value, in the list that begins with `node`.
fn find<L: ?Sized + Eq>(mut node: Option<&'static Node<L>>, hash: u64, value: &L) -> Option<&'static Node<L>> {
    while let Some(at) = node {
        if at.hash == hash && *at.value == *value {
            return Some(at);
        }
        node = at.next;
    }
    None
}

/// The FNV-1a hash: it is the same in each run.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        // The lower bits choose the list.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A label that is `Copy`, and that is compared and hashed without a look at its value.
///
/// It is made by [`SystemSet::intern`](super::SystemSet::intern) or
/// [`ScheduleLabel::intern`](super::ScheduleLabel::intern). Equal labels of one type give equal ones. The value behind it
/// is never dropped: a program has as many as it has different labels.
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
pub struct Interned<L: ?Sized + 'static>(&'static Node<L>);

impl<L: ?Sized> Clone for Interned<L> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: ?Sized> Copy for Interned<L> {}

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

impl<L: ?Sized> Deref for Interned<L> {
    type Target = L;

    #[inline]
    fn deref(&self) -> &L {
        &self.0.value
    }
}

impl<L: ?Sized + fmt::Debug> fmt::Debug for Interned<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}
