//! One copy of each value that was ever asked for, for as long as the program runs.
//!
//! There is no lock, so that this works without the standard library, and so that the code of a value (`Eq`, `Hash`) may do
//! what it likes: it may panic, or intern another value. Values are kept in a tree that only grows, at its leaves: two bits of a value's hash
//! say at each node where to go on (a hash trie, as C. Wellons describes it).

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::fnv::Fnv;

/// A value in the tree. It is never freed and, once it is in the tree, never changed but for the nodes below it.
struct TreeNode<L: ?Sized + 'static> {
    hash: u64,
    entry: Entry<L>,
    /// By the next two bits of the hash.
    below: [AtomicPtr<Self>; 4],
}

/// A value and its number. Neither ever changes, so that a reference to this is a good key of a map.
struct Entry<L: ?Sized + 'static> {
    /// In the order in which values were added; numbers may be left out.
    number: u32,
    value: Kept<L>,
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
    /// A copy that lives as long as the program.
    fn leak(&self) -> &'static Self;

    /// Whether both references lead to the same value. bevy_ecs compares interned values so; an [`Interned`] here compares the places
    /// that its interner has given them.
    fn ref_eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }

    /// Hashes the address of the value; as [`ref_eq`](Self::ref_eq).
    fn ref_hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self, state);
    }
}

impl Internable for str {
    fn leak(&self) -> &'static Self {
        Box::leak(self.into())
    }
}

/// The values of one kind, of each of which it keeps one copy for as long as the program runs.
///
/// Equal values that the same interner has interned are equal [`Interned`]s, which are compared without a look at the values. Interners
/// do not know each other's values. Looking a value up takes no lock.
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
    /// An interner without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { root: AtomicPtr::new(ptr::null_mut()), next_number: AtomicU32::new(0) }
    }
}

impl_default!([L: ?Sized] Interner<L> => Self::new());

impl_debug_of_fields! { [L: ?Sized] Interner<L> {} }

impl<L: ?Sized + Internable + Send + Sync> Interner<L> {
    /// The copy of a value, which is made the first time. `O(1)` for a usual number of values.
    pub fn intern(&self, value: &L) -> Interned<L> {
        self.intern_with(value, || Kept::Leaked(value.leak()))
    }
}

impl<L: ?Sized + Eq + Hash + Send + Sync> Interner<L> {
    /// The copy of a value; `make` makes it if there is none yet.
    pub(crate) fn intern_with(&self, value: &L, make: impl FnOnce() -> Kept<L>) -> Interned<L> {
        let mut hasher = Fnv::default();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        let mut end = match find(Link { node: &self.root, rest: hash }, hash, value) {
            Ok(node) => return Interned(&node.entry),
            Err(end) => end,
        };
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let below = [const { AtomicPtr::new(ptr::null_mut()) }; 4];
        let mut node = Box::new(TreeNode { hash, entry: Entry { number, value: make() }, below });
        loop {
            // In the meantime `make` or another thread may have added values, perhaps this one.
            end = match find(end, hash, value) {
                Ok(node) => return Interned(&node.entry),
                Err(end) => end,
            };
            let new = Box::into_raw(node);
            if end.node.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed).is_ok() {
                // SAFETY: the address comes from a box, which is in the tree now: it is neither freed nor borrowed mutably any
                // more.
                return Interned(unsafe { &(*new).entry });
            }
            // SAFETY: the address comes from a box and did not come into the tree, so no other thread knows it.
            node = unsafe { Box::from_raw(new) };
        }
    }
}

/// The copy of a value that an interner keeps. A copy that another thread was faster to make is dropped if it is boxed.
pub(crate) enum Kept<L: ?Sized + 'static> {
    Boxed(Box<L>),
    Leaked(&'static L),
}

impl_deref!(#[inline] [L: ?Sized] Kept<L> => L, |this| *match this {
    Self::Boxed(value) => value,
    Self::Leaked(value) => *value,
});

/// Where a node may be.
struct Link<'a, L: ?Sized + 'static> {
    node: &'a AtomicPtr<TreeNode<L>>,
    /// The hash of the value that is looked for: its first bits say where to go on below the node.
    rest: u64,
}

/// The node that is in a place.
fn read<L: ?Sized>(place: &AtomicPtr<TreeNode<L>>) -> Option<&'static TreeNode<L>> {
    let address = place.load(Ordering::Acquire);
    // SAFETY: only `intern` writes to a place, and what it writes are addresses of nodes in boxes that it gives up: they are
    // neither freed nor borrowed mutably; the null pointer is the only other value. What was written to the node before it came
    // into the tree can be seen, since it was put there with `Release`.
    unsafe { address.as_ref() }
}

/// The node of a value, from a place on that it is in or below; or the place where it belongs.
fn find<'a, L: ?Sized + Eq>(mut place: Link<'a, L>, hash: u64, value: &L) -> Result<&'static TreeNode<L>, Link<'a, L>> {
    while let Some(node) = read(place.node) {
        if node.hash == hash && *node.entry.value == *value {
            return Ok(node);
        }
        // Below 32 nodes the bits come again, so that values of one hash have places, too.
        place = Link { node: &node.below[(place.rest >> 62) as usize], rest: place.rest.rotate_left(2) };
    }
    Err(place)
}

/// A label that is `Copy`, and that is compared and hashed without a look at its value.
///
/// It is made by [`SystemSet::intern`](crate::label::SystemSet::intern),
/// [`ScheduleLabel::intern`](crate::label::ScheduleLabel::intern) or an [`Interner`](crate::intern::Interner). Equal labels of one type give equal ones. The value behind it
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
pub struct Interned<L: ?Sized + 'static>(&'static Entry<L>);

impl_copy! { [L: ?Sized] Interned<L>; }

impl<L: ?Sized> Interned<L> {
    /// The value, for as long as the program runs.
    pub(crate) fn get(self) -> &'static L {
        &self.0.value
    }

    /// A number that no other value of the same kind has in this process.
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
