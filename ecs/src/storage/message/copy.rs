//! Cloning and hashing lists of messages.
//!
//! Tests: tests/snapshots/bounds.rs, tests/snapshots/parts.rs

use alloc::vec::Vec;
use core::hash::Hasher;
use core::ptr;

use super::{Message, Messages};
use crate::component::{ComponentDescriptor, Description, ErasedSlice};

impl<M: Message> Messages<M> {
    /// The description of the list. It can be cloned if its messages can be cloned, and hashed if its messages can be hashed.
    pub(super) const DESCRIBED: Description<Self> = {
        let functions = M::DESCRIPTION.functions();
        let cloned = match functions.clone_fn() {
            // SAFETY: `clone_messages::<M>` is the clone function of this type.
            Some(_) => unsafe { Description::new().with_clone_by(clone_messages::<M>) },
            None => Description::new(),
        };
        if functions.is_plain() || functions.hash_fn().is_some() || size_of::<M>() == 0 {
            // SAFETY: `hash_messages::<M>` is the hash function of this type.
            unsafe { cloned.with_hash_by(hash_messages::<M>) }
        } else {
            cloned
        }
    };
}

/// Clones the messages and keeps their numbers.
impl<M: Message + Clone> Clone for Messages<M> {
    fn clone(&self) -> Self {
        let [old, new] = self.lists().map(<[M]>::to_vec);
        self.with(old, new)
    }
}

/// # Safety
///
/// - The conditions of [`HashFn`](crate::component::HashFn), for lists of `M`. Values of `M` can be hashed.
unsafe fn hash_messages<M: Message>(list: *const u8, hasher: &mut dyn Hasher) {
    // SAFETY: the caller passes a pointer to a list that no other code changes.
    let list = unsafe { &*list.cast::<Messages<M>>() };
    for messages in list.lists() {
        hasher.write_usize(messages.len());
        let descriptor = const { &ComponentDescriptor::of_resource_type(&M::DESCRIPTION) };
        ErasedSlice::of(descriptor, messages).hash(hasher);
    }
}

/// # Safety
///
/// - The conditions of [`CloneFn`](crate::component::CloneFn), for lists of `M`. Values of `M` can be cloned.
unsafe fn clone_messages<M: Message>(from: *const u8, to: *mut u8) {
    let Some(clone) = M::DESCRIPTION.functions().clone_fn() else { unreachable!("the messages can be cloned") };
    // SAFETY: the caller passes a pointer to a list that no other code changes.
    let list = unsafe { &*from.cast::<Messages<M>>() };
    let [old, new] = list.lists().map(|messages| {
        let mut clones: Vec<M> = Vec::with_capacity(messages.len());
        for message in messages {
            // SAFETY: `clone` is the clone function of `M`, and the capacity has room for a value past the last one. If `clone`
            // panics, the list contains only the values before.
            unsafe {
                clone(ptr::from_ref(message).cast(), clones.as_mut_ptr().add(clones.len()).cast());
                clones.set_len(clones.len() + 1);
            }
        }
        clones
    });
    // SAFETY: the caller provides memory for a list.
    unsafe { to.cast::<Messages<M>>().write(list.with(old, new)) }
}
