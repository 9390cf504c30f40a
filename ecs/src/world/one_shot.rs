//! Systems that are run one at a time, by an id or by their function.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use core::any::{Any, TypeId, type_name};
use core::marker::PhantomData;

use hashbrown::HashMap;

use super::cast::World;
use super::system_id::{RegisteredSystemError, SystemId};
use crate::command::{self, CommandQueue};
use crate::component::TypeSlot;
use crate::mailbox::{Mailbox, Sender};
use crate::resource::Resource;
use crate::store::{Home, Store, WorldId};
use crate::system::{BoxedSystem, IntoSystem, RunSystemError, SystemInput};

/// A registered system.
struct Registered {
    name: Box<str>,
    /// A `BoxedSystem`; none while it runs.
    system: Option<Box<dyn Any + Send + Sync>>,
}

/// The way back to the world where systems are registered, for those that end where another world has taken its place.
struct WayHome {
    world: WorldId,
    returned: Sender<Returned>,
    home: Home,
}

/// The end of a run elsewhere.
struct Returned {
    number: usize,
    /// None if it has been put back before.
    system: Option<Box<dyn Any + Send + Sync>>,
    has_panicked: bool,
}

/// The registered systems of a world.
pub(super) struct OneShots {
    systems: HashMap<usize, Registered>,
    returned: Mailbox<Returned>,
    /// There is one as soon as a system is registered.
    way_home: Option<Arc<WayHome>>,
    /// The numbers of systems that were registered by their function.
    pub(super) cached: HashMap<TypeId, usize>,
    /// How many are running, one inside the other.
    depth: usize,
    /// Runs that commands have asked for of systems that were running. They come when all have finished.
    pub(super) again: CommandQueue,
}

impl Default for OneShots {
    fn default() -> Self {
        Self {
            systems: HashMap::new(),
            returned: Mailbox::new(),
            way_home: None,
            cached: HashMap::new(),
            depth: 0,
            again: CommandQueue::default(),
        }
    }
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

    /// Puts systems back that have run to their ends elsewhere.
    #[cold]
    fn take_back(&mut self) {
        for Returned { number, system, has_panicked } in self.returned.take() {
            self.put_back(number, system);
            self.end_run(has_panicked);
        }
    }

    fn put_back(&mut self, number: usize, system: Option<Box<dyn Any + Send + Sync>>) {
        if let Some(registered) = self.systems.get_mut(&number)
            && system.is_some()
        {
            registered.system = system;
        }
    }

    fn end_run(&mut self, has_panicked: bool) {
        self.depth -= 1;
        if self.depth == 0 && has_panicked {
            drop(core::mem::take(&mut self.again));
        }
    }

    pub(super) fn register<I, Out>(store: &mut Store, id: SystemId<I, Out>, system: BoxedSystem<I, Out>)
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        let name = system.name().into();
        let (world, home) = (store.id(), store.home());
        let one_shots = Self::of(store);
        let returned = &one_shots.returned;
        one_shots.way_home.get_or_insert_with(|| Arc::new(WayHome { world, returned: returned.sender(), home }));
        one_shots.systems.insert(id.number, Registered { name, system: Some(Box::new(system)) });
    }

    /// Whether the system is registered and running.
    pub(super) fn is_running(store: &mut Store, number: usize) -> bool {
        Self::of(store).systems.get(&number).is_some_and(|registered| registered.system.is_none())
    }
}

/// A registered system that is running. However that ends, it is there again afterwards: in the world where it is registered,
/// which may be elsewhere by then.
struct Run<'a> {
    store: &'a mut Store,
    way_home: Arc<WayHome>,
    number: usize,
    system: Option<Box<dyn Any + Send + Sync>>,
    has_panicked: bool,
}

impl<'a> Run<'a> {
    fn begin<I: SystemInput, Out>(store: &'a mut Store, id: SystemId<I, Out>) -> Result<Self, RegisteredSystemError> {
        let one_shots = OneShots::of(store);
        let (Some(registered), Some(way_home)) = (one_shots.systems.get_mut(&id.number), &one_shots.way_home) else {
            return Err(RegisteredSystemError::SystemIdNotRegistered(id.name.to_string()));
        };
        let Some(system) = registered.system.take() else {
            return Err(RegisteredSystemError::Running(registered.name.to_string()));
        };
        one_shots.depth += 1;
        let way_home = Arc::clone(way_home);
        // Until the opposite is known.
        Ok(Self { store, way_home, number: id.number, system: Some(system), has_panicked: true })
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
        let out = system.run_alone(input, self.store);
        system.apply_deferred(self.store);
        out.map_err(|error| {
            let is_skip = error.is_skip();
            let error = RunSystemError::new(system.name(), error);
            if is_skip { RegisteredSystemError::Skipped(error) } else { RegisteredSystemError::Failed(error) }
        })
    }

    /// Puts the system back, and runs what its commands have asked for.
    fn finish(mut self) {
        // In a loop, so that systems that ask for themselves need memory and no stack.
        while self.is_at_home() {
            let one_shots = OneShots::of(self.store);
            one_shots.put_back(self.number, self.system.take());
            if one_shots.depth > 1 || one_shots.again.is_empty() {
                break;
            }
            let mut again = core::mem::take(&mut one_shots.again);
            command::apply(&mut again.queue, self.store, None);
        }
        self.has_panicked = false;
    }

    /// Whether the system, or what it has run, has not put another world in the place of its own.
    fn is_at_home(&self) -> bool {
        self.store.id() == self.way_home.world
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let Self { number, has_panicked, .. } = *self;
        let system = self.system.take();
        if self.is_at_home() {
            let one_shots = OneShots::of(self.store);
            one_shots.put_back(number, system);
            return one_shots.end_run(has_panicked);
        }
        let sent = self.way_home.returned.send(Returned { number, system, has_panicked });
        if sent.is_ok() && !has_panicked {
            let mut then = CommandQueue::default();
            then.queue.push(run_again);
            self.way_home.home.send(&mut then.queue, None);
        }
    }
}

/// Runs what commands have asked for of systems that were running, when the last of those has ended elsewhere.
fn run_again(store: &mut Store) {
    let one_shots = OneShots::of(store);
    if one_shots.depth == 0 {
        let mut again = core::mem::take(&mut one_shots.again);
        command::apply(&mut again.queue, store, None);
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
    let mut running = Run::begin(store, id)?;
    let out = running.run::<I, Out>(input);
    running.finish();
    out
}

/// What identifies a system that is registered by its function.
pub(super) fn cache_key<I: 'static, Out: 'static, S: 'static>() -> TypeId {
    TypeId::of::<(S, PhantomData<fn(I) -> Out>)>()
}

/// Fails to compile for what has a value: two closures of one type may have caught different things.
pub(super) struct Cacheable<S>(PhantomData<S>);

impl<S> Cacheable<S> {
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

impl World {
    /// Keeps a system, to be run by its id any number of times. What it keeps from run to run (`Local`s, what it has seen
    /// of changes and messages) stays.
    ///
    /// A system that is registered twice is two systems; [`World::register_system_cached`] registers it once.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn count(mut runs: Local<u32>) -> u32 {
    ///     *runs += 1;
    ///     *runs
    /// }
    ///
    /// let mut world = World::new();
    /// let id = world.register_system(count);
    /// assert_eq!(world.run_system(id).unwrap(), 1);
    /// assert_eq!(world.run_system(id).unwrap(), 2);
    /// ```
    pub fn register_system<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker>,
    {
        let () = S::CHECKED;
        let id = SystemId::next::<S>();
        OneShots::register(&mut self.store, id, IntoSystem::into_system(system));
        id
    }

    /// The same for a system that is one already.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_boxed_system(IntoSystem::into_system(idle));
    /// world.run_system(id).unwrap();
    /// ```
    pub fn register_boxed_system<I, Out>(&mut self, system: BoxedSystem<I, Out>) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.register_system(system)
    }

    /// Takes a system out and returns it. Its id runs nothing from now on.
    ///
    /// # Errors
    ///
    /// If it is not registered, or is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_system(idle);
    /// let system = world.unregister_system(id).unwrap();
    /// assert!(system.name().ends_with("idle"));
    /// assert!(world.run_system(id).is_err());
    /// ```
    pub fn unregister_system<I, Out>(
        &mut self,
        id: SystemId<I, Out>,
    ) -> Result<BoxedSystem<I, Out>, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        let systems = &mut OneShots::of(&mut self.store).systems;
        match systems.remove(&id.number) {
            Some(Registered { system: Some(system), .. }) => match (system as Box<dyn Any>).downcast() {
                Ok(system) => Ok(*system),
                Err(_) => unreachable!("the id of a system has its types"),
            },
            Some(running) => {
                let error = RegisteredSystemError::SelfRemove(running.name.to_string());
                systems.insert(id.number, running);
                Err(error)
            }
            None => Err(RegisteredSystemError::SystemIdNotRegistered(id.name.to_string())),
        }
    }

    /// Runs a registered system and applies its commands. `O(1)` beside what the system does; nothing is allocated.
    ///
    /// # Errors
    ///
    /// If the system is not registered, is running already, or a parameter cannot be fetched.
    ///
    /// # Panics
    ///
    /// If the system does, or, when it first runs, if two of its parameters are in each other's way. It stays registered, and can
    /// be run again.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn population(everybody: Query<Entity>) -> usize {
    ///     everybody.count()
    /// }
    ///
    /// let mut world = World::new();
    /// let id = world.register_system(population);
    /// world.spawn_empty();
    /// assert_eq!(world.run_system(id).unwrap(), 1);
    /// ```
    pub fn run_system<Out: 'static>(&mut self, id: SystemId<(), Out>) -> Result<Out, RegisteredSystemError> {
        self.run_system_with(id, ())
    }

    /// Runs a registered system with an input, as [`World::run_system`] one without.
    ///
    /// # Errors
    ///
    /// If the system is not registered, is running already, or a parameter cannot be fetched. The input is dropped then.
    ///
    /// # Panics
    ///
    /// As [`World::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn add(In(number): In<u32>, mut sum: Local<u32>) -> u32 {
    ///     *sum += number;
    ///     *sum
    /// }
    ///
    /// let mut world = World::new();
    /// let id = world.register_system(add);
    /// world.run_system_with(id, 3).unwrap();
    /// assert_eq!(world.run_system_with(id, 4).unwrap(), 7);
    /// ```
    pub fn run_system_with<I, Out>(
        &mut self,
        id: SystemId<I, Out>,
        input: I::Inner<'_>,
    ) -> Result<Out, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        run(&mut self.store, id, input)
    }

    /// Registers a system by its function: the same function always gets the same id.
    ///
    /// Functions, closures that catch nothing and items made by `#[system]` can be registered so. Anything else does not
    /// compile.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_system_cached(idle);
    /// assert_eq!(world.register_system_cached(idle), id);
    /// assert_ne!(world.register_system(idle), id);
    /// ```
    pub fn register_system_cached<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        let () = S::CHECKED;
        let () = Cacheable::<S>::CHECKED;
        let key = cache_key::<I, Out, S>();
        let one_shots = OneShots::of(&mut self.store);
        if let Some(&number) = one_shots.cached.get(&key)
            && one_shots.systems.contains_key(&number)
        {
            return SystemId::of::<S>(number);
        }
        let id = self.register_system(system);
        OneShots::of(&mut self.store).cached.insert(key, id.number);
        id
    }

    /// Takes a system out that was registered by its function.
    ///
    /// # Errors
    ///
    /// If it is not registered, or is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// assert!(world.unregister_system_cached(idle).is_err());
    /// world.run_system_cached(idle).unwrap();
    /// assert!(world.unregister_system_cached(idle).is_ok());
    /// ```
    pub fn unregister_system_cached<I, Out, Marker, S>(
        &mut self,
        _system: S,
    ) -> Result<BoxedSystem<I, Out>, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        let () = Cacheable::<S>::CHECKED;
        match OneShots::of(&mut self.store).cached.get(&cache_key::<I, Out, S>()) {
            Some(&number) => self.unregister_system(SystemId::of::<S>(number)),
            None => Err(RegisteredSystemError::SystemNotCached(type_name::<S>().to_string())),
        }
    }

    /// Runs a system by its function, which is registered the first time: what it keeps from run to run stays, other than with
    /// [`run_system_once`](super::RunSystemOnce::run_system_once).
    ///
    /// # Errors
    ///
    /// If the system is running already, or a parameter cannot be fetched.
    ///
    /// # Panics
    ///
    /// As [`World::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn count(mut runs: Local<u32>) -> u32 {
    ///     *runs += 1;
    ///     *runs
    /// }
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.run_system_cached(count).unwrap(), 1);
    /// assert_eq!(world.run_system_cached(count).unwrap(), 2);
    /// ```
    pub fn run_system_cached<Out, Marker, S>(&mut self, system: S) -> Result<Out, RegisteredSystemError>
    where
        Out: 'static,
        S: IntoSystem<(), Out, Marker> + 'static,
    {
        let () = S::CHECKED;
        let () = Cacheable::<S>::CHECKED;
        self.run_system_cached_with(system, ())
    }

    /// Runs a system with an input by its function, as [`World::run_system_cached`] one without.
    ///
    /// # Errors
    ///
    /// If the system is running already, or a parameter cannot be fetched.
    ///
    /// # Panics
    ///
    /// As [`World::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn double(InMut(number): InMut<u32>) {
    ///     *number *= 2;
    /// }
    ///
    /// let mut number = 4;
    /// World::new().run_system_cached_with(double, &mut number).unwrap();
    /// assert_eq!(number, 8);
    /// ```
    pub fn run_system_cached_with<I, Out, Marker, S>(
        &mut self,
        system: S,
        input: I::Inner<'_>,
    ) -> Result<Out, RegisteredSystemError>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        let () = S::CHECKED;
        let () = Cacheable::<S>::CHECKED;
        let id = self.register_system_cached(system);
        run(&mut self.store, id, input)
    }
}
