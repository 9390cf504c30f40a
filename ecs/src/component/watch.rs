//! Who wants to know which values of a component change.

use alloc::sync::Arc;

/// Keeps the changes of a component in a world known for as long as it exists.
#[derive(Clone, Debug)]
pub(crate) struct Watch(#[expect(dead_code, reason = "it is counted")] Arc<()>);

/// Whether the changes of a component are known, and to whom that matters.
#[derive(Default, Debug)]
pub(super) struct Watched {
    known: bool,
    by: Option<Arc<()>>,
}

impl Clone for Watched {
    /// A description of a component watches nothing.
    fn clone(&self) -> Self {
        Self { known: self.known, by: None }
    }
}

impl Watched {
    pub(super) fn new(known: bool) -> Self {
        Self { known, by: None }
    }

    #[inline]
    pub(super) fn is_known(&self) -> bool {
        self.known
    }

    pub(super) fn set_known(&mut self, known: bool) {
        self.known = known;
    }

    /// One who wants to know.
    pub(super) fn watch(&mut self) -> Watch {
        Watch(Arc::clone(self.by.get_or_insert_default()))
    }

    /// Whether nobody wants to know any more.
    pub(super) fn is_idle(&self) -> bool {
        self.by.as_ref().is_none_or(|by| Arc::strong_count(by) == 1)
    }
}
