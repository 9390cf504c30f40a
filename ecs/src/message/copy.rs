//! Lists of messages that can be cloned.

use alloc::vec::Vec;
use core::ptr;

use super::{Message, Messages};
use crate::component::Description;

impl<M: Message> Messages<M> {
    /// What is known of the list: it can be cloned if its messages can be.
    pub(super) const DESCRIBED: Description<Self> = match M::DESCRIPTION.functions().clone_fn() {
        // SAFETY: the function is one for this type.
        Some(_) => unsafe { Description::new().with_clone_by(clone_messages::<M>) },
        None => Description::new(),
    };
}

/// # Safety
///
/// - As for [`CloneFn`](crate::component::CloneFn), made for lists of `M`, which can be cloned.
unsafe fn clone_messages<M: Message>(from: *const u8, to: *mut u8) {
    let Some(clone) = M::DESCRIPTION.functions().clone_fn() else { unreachable!("the messages can be cloned") };
    // SAFETY: the caller promises a list that no other code changes.
    let list = unsafe { &*from.cast::<Messages<M>>() };
    let [old, new] = list.lists().map(|messages| {
        let mut clones: Vec<M> = Vec::with_capacity(messages.len());
        for message in messages {
            // SAFETY: the function is that of their type, and there is room for as many behind the last one. If it panics, only those
            // before are in the list.
            unsafe {
                clone(ptr::from_ref(message).cast(), clones.as_mut_ptr().add(clones.len()).cast());
                clones.set_len(clones.len() + 1);
            }
        }
        clones
    });
    // SAFETY: the caller promises room for a list.
    unsafe { to.cast::<Messages<M>>().write(list.with(old, new)) }
}
