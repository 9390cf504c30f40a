//! Recorded commands, and applying them.

use core::fmt;

use crate::queue::Queue;
use crate::store::Store;

/// Commands that wait to be applied. Dropping the queue drops them.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let mut queue = CommandQueue::default();
/// let entity = Commands::new(&mut queue, &world).spawn(Health(3)).id();
/// assert!(!world.contains(entity));
/// queue.apply(&mut world);
/// assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
/// ```
#[derive(Default)]
pub struct CommandQueue {
    pub(crate) queue: Queue<Store>,
}

impl CommandQueue {
    /// Whether no command waits.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let world = World::new();
    /// let mut queue = CommandQueue::default();
    /// assert!(queue.is_empty());
    /// Commands::new(&mut queue, &world).spawn_empty();
    /// assert!(!queue.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Takes over the commands of another queue, behind its own.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let [mut first, mut second] = [CommandQueue::default(), CommandQueue::default()];
    /// Commands::new(&mut first, &world).spawn_empty();
    /// Commands::new(&mut second, &world).spawn_empty();
    /// first.append(&mut second);
    /// assert!(second.is_empty());
    /// first.apply(&mut world);
    /// assert_eq!(world.len(), 2);
    /// ```
    pub fn append(&mut self, other: &mut Self) {
        self.queue.append(&mut other.queue);
    }
}

impl fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandQueue").field("is_empty", &self.is_empty()).finish()
    }
}

/// Applies a queue, and then what its commands have queued in turn: in a loop, so that commands that queue commands
/// need memory, not stack. If a command panics, the rest of the queue are dropped.
pub(crate) fn apply(queue: &mut Queue<Store>, store: &mut Store, system: Option<&'static str>) {
    store.command_errors.system = system;
    run(queue, store);
    flush_own_queue(store);
    store.command_errors.system = None;
}

/// Applies the commands that wait in the store itself, until there are none.
pub(crate) fn flush_own_queue(store: &mut Store) {
    while !store.queue.is_empty() {
        let mut queue = core::mem::take(&mut store.queue);
        run(&mut queue, store);
    }
}

fn run(queue: &mut Queue<Store>, store: &mut Store) {
    store.make_reserved_pending();
    // Also if a command panics: an id that was given out belongs to an entity.
    struct Place<'a>(&'a mut Store);
    impl Drop for Place<'_> {
        fn drop(&mut self) {
            self.0.place_pending();
        }
    }
    let place = Place(store);
    place.0.run_queue(queue);
}
