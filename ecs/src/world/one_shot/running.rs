//! The registered systems of a world, and the run of one of them.
//!
//! Tests: tests/systems/one_shot/registered.rs

use alloc::boxed::Box;
use alloc::string::ToString;
use core::any::{Any, TypeId, type_name};
use core::marker::PhantomData;
use core::mem;

use hashbrown::HashMap;

use super::id::{RegisteredSystemError, SystemId};
use crate::component::TypeSlot;
use crate::storage::resource::Resource;
use crate::structure::store::{Store, TargetWorld};
use crate::system::commands::{self, CommandQueue};
use crate::system::{BoxedSystem, RunScope, RunSystemError, SystemInput};
use crate::util::mailbox::{Mailbox, Sender};

/// A `BoxedSystem` with some input and output type.
type AnySystem = Box<dyn Any + Send + Sync>;

/// A registered system.
pub(super) struct RegisteredSystem {
    pub(super) name: Box<str>,
    /// The system; `None` while it runs.
    pub(super) system: Option<AnySystem>,
}

/// The result of a run that ended while another world had been put in the place of the system's world.
struct ReturnedSystem {
    number: usize,
    /// The system; `None` if it has been put back already.
    system: Option<AnySystem>,
    has_panicked: bool,
}

/// The registered systems of a world.
#[derive(Default)]
pub(in crate::world) struct OneShots {
    pub(super) systems: HashMap<usize, RegisteredSystem>,
    returned: Mailbox<ReturnedSystem>,
    /// By function: the number of the system that was registered by it.
    pub(super) cached: HashMap<TypeId, usize>,
    /// The number of runs in progress, one nested in the other.
    depth: usize,
    /// Commands that run systems which were already running. They are applied when no system is running any more.
    pub(super) again: CommandQueue,
}

impl Resource for OneShots {
    fn slot() -> Option<&'static TypeSlot<Self>> {
        static SLOT: TypeSlot<OneShots> = TypeSlot::new();
        Some(&SLOT)
    }
}

impl OneShots {
    pub(super) fn of(store: &mut Store) -> &mut Self {
        let now = store.now();
        let one_shots = store.resources.get_or_init::<Self>(now);
        if !one_shots.returned.is_empty() {
            one_shots.take_back();
        }
        one_shots
    }

    /// Puts back the systems whose runs have ended while another world was in the place of this one.
    #[cold]
    fn take_back(&mut self) {
        for ReturnedSystem { number, system, has_panicked } in self.returned.take() {
            self.put_back(number, system);
            self.end_run(has_panicked);
        }
    }

    fn put_back(&mut self, number: usize, system: Option<AnySystem>) {
        if let Some(registered) = self.systems.get_mut(&number)
            && system.is_some()
        {
            registered.system = system;
        }
    }

    fn end_run(&mut self, has_panicked: bool) {
        self.depth -= 1;
        if self.depth == 0 && has_panicked {
            drop(mem::take(&mut self.again));
        }
    }

    pub(super) fn register<I, Out>(&mut self, id: SystemId<I, Out>, system: BoxedSystem<I, Out>)
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.systems.insert(id.number, RegisteredSystem { name: system.name().into(), system: Some(Box::new(system)) });
    }

    /// Returns the id of a system that was registered by its function.
    pub(super) fn cached<I: SystemInput + 'static, Out: 'static, S: 'static>(
        &self,
    ) -> Result<SystemId<I, Out>, RegisteredSystemError> {
        match self.cached.get(&cache_key::<I, Out, S>()) {
            Some(&number) => Ok(SystemId::of::<S>(number)),
            None => Err(RegisteredSystemError::SystemNotCached(type_name::<S>().to_string())),
        }
    }

    /// Returns whether the system is registered and running.
    pub(super) fn is_running(&self, number: usize) -> bool {
        self.systems.get(&number).is_some_and(|registered| registered.system.is_none())
    }
}

/// A running system that is registered in a world. Dropping this puts the system back into that world, even if another
/// world has been put in its place.
struct OneShotRun<'a> {
    store: &'a mut Store,
    /// The world in which the system is registered, and the channel by which that world receives commands.
    target_world: TargetWorld,
    returned: Sender<ReturnedSystem>,
    number: usize,
    system: Option<AnySystem>,
    has_panicked: bool,
}

impl<'a> OneShotRun<'a> {
    fn begin<I: SystemInput, Out>(store: &'a mut Store, id: SystemId<I, Out>) -> Result<Self, RegisteredSystemError> {
        let target_world = TargetWorld::new(store);
        let one_shots = OneShots::of(store);
        let Some(registered) = one_shots.systems.get_mut(&id.number) else {
            return Err(RegisteredSystemError::SystemIdNotRegistered(id.name.to_string()));
        };
        let Some(system) = registered.system.take() else {
            return Err(RegisteredSystemError::Running(registered.name.to_string()));
        };
        one_shots.depth += 1;
        let returned = one_shots.returned.sender();
        // The run counts as panicked until it has succeeded.
        Ok(Self { store, target_world, returned, number: id.number, system: Some(system), has_panicked: true })
    }

    fn run<I, Out>(&mut self, input: I::Inner<'_>) -> Result<Out, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        let system = self.system.as_deref_mut().and_then(|system| (system as &mut dyn Any).downcast_mut());
        let Some(system): Option<&mut BoxedSystem<I, Out>> = system else {
            unreachable!("the id of a system has its types")
        };
        let out = system.run_in(input, RunScope::Applied(self.store));
        out.map_err(|error| {
            let is_skip = error.is_skip();
            let error = RunSystemError::new(system.name(), error);
            if is_skip { RegisteredSystemError::Skipped(error) } else { RegisteredSystemError::Failed(error) }
        })
    }

    /// Puts the system back. If no system is running any more, starts the runs that commands have requested.
    fn finish(mut self) {
        // The loop ends if a system has replaced the world. It is no recursion, so that systems that request their own runs do not use up
        // the stack.
        while self.target_world.is(self.store) {
            let one_shots = OneShots::of(self.store);
            one_shots.put_back(self.number, self.system.take());
            if one_shots.depth > 1 || one_shots.again.is_empty() {
                break;
            }
            let mut again = mem::take(&mut one_shots.again);
            commands::apply(&mut again.queue, self.store, None);
        }
        self.has_panicked = false;
    }
}

impl Drop for OneShotRun<'_> {
    fn drop(&mut self) {
        let Self { number, has_panicked, .. } = *self;
        let system = self.system.take();
        if self.target_world.is(self.store) {
            let one_shots = OneShots::of(self.store);
            one_shots.put_back(number, system);
            return one_shots.end_run(has_panicked);
        }
        let sent = self.returned.send(ReturnedSystem { number, system, has_panicked });
        if sent.is_ok() && !has_panicked {
            let mut then = CommandQueue::default();
            then.queue.push(run_again);
            self.target_world.send(&mut then.queue, None);
        }
    }
}

/// Starts the requested runs, after the last running system has ended while another world was in the place of its
/// world.
fn run_again(store: &mut Store) {
    let one_shots = OneShots::of(store);
    if one_shots.depth == 0 {
        let mut again = mem::take(&mut one_shots.again);
        commands::apply(&mut again.queue, store, None);
    }
}

pub(super) fn run<I, Out>(
    store: &mut Store,
    id: SystemId<I, Out>,
    input: I::Inner<'_>,
) -> Result<Out, RegisteredSystemError>
where
    I: SystemInput + 'static,
    Out: 'static,
{
    let mut running = OneShotRun::begin(store, id)?;
    let out = running.run::<I, Out>(input);
    running.finish();
    out
}

/// Returns the key under which a system is registered by its function.
pub(super) fn cache_key<I: 'static, Out: 'static, S: 'static>() -> TypeId {
    TypeId::of::<(S, PhantomData<fn(I) -> Out>)>()
}

/// Fails to compile if the type has a size, because two closures of one type may have captured different values.
pub(super) struct CacheableFunction<S>(PhantomData<S>);

impl<S> CacheableFunction<S> {
    pub(super) const CHECKED: () = demand_no_value(size_of::<S>());
}

#[track_caller]
const fn demand_no_value(size: usize) {
    if size != 0 {
        panic!(
            "this system cannot be run by its function: it is a closure that has caught something, a function pointer, or made \
             of other systems\nhelp: register it with `World::register_system`, and run it by its id"
        );
    }
}
