//! Systems that are run one at a time, by an id or by their function, in a world or by a command.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::any::{Any, TypeId, type_name};
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem;
use core::panic::Location;
use core::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;

use super::cast::World;
use crate::command::{self, CommandQueue, Commands};
use crate::component::TypeSlot;
use crate::mailbox::{Mailbox, Sender};
use crate::resource::Resource;
use crate::store::{Home, Store};
use crate::system::{BoxedSystem, IntoSystem, RunSystemError, SystemInput};

/// The id of a system that is registered in a world: see [`World::register_system`].
///
/// Ids are never used twice in a process, so that of a system that was unregistered, or belongs to another world, runs
/// nothing.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Button {
///     on_click: SystemId<In<Entity>>,
/// }
/// # #[derive(Component)] struct Clicked;
///
/// fn mark(In(button): In<Entity>, mut commands: Commands) {
///     commands.entity(button).insert(Clicked);
/// }
///
/// let mut world = World::new();
/// let on_click = world.register_system(mark);
/// let button = world.spawn(Button { on_click }).id();
/// world.run_system_with(on_click, button).unwrap();
/// assert!(world.entity(button).contains::<Clicked>());
/// ```
#[doc(alias("SystemHandle", "callback"))]
pub struct SystemId<I: SystemInput = (), Out = ()> {
    number: usize,
    /// The type that was registered.
    name: &'static str,
    /// Neither of a subtype nor of a supertype: the system is looked for by these very types.
    marker: PhantomData<fn(I, Out) -> (I, Out)>,
}

static NEXT_SYSTEM: AtomicUsize = AtomicUsize::new(0);

impl<I: SystemInput, Out> SystemId<I, Out> {
    /// An id that no other system has, for one of this type.
    fn next<S>() -> Self {
        let next = NEXT_SYSTEM.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| id.checked_add(1));
        match next {
            Ok(number) => Self::of::<S>(number),
            Err(_) => panic!("more systems were registered than there are numbers"),
        }
    }

    /// The id of a system of this type.
    fn of<S>(number: usize) -> Self {
        Self { number, name: type_name::<S>(), marker: PhantomData }
    }
}

impl<I: SystemInput, Out> Clone for SystemId<I, Out> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: SystemInput, Out> Copy for SystemId<I, Out> {}

impl<I: SystemInput, Out> PartialEq for SystemId<I, Out> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<I: SystemInput, Out> Eq for SystemId<I, Out> {}

impl<I: SystemInput, Out> Hash for SystemId<I, Out> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl<I: SystemInput, Out> fmt::Debug for SystemId<I, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SystemId({}, {})", self.number, self.name)
    }
}

/// A registered system could not be run or unregistered. Each holds the name of the system.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::RegisteredSystemError;
///
/// fn idle() {}
///
/// let mut world = World::new();
/// let id = world.register_system(idle);
/// world.unregister_system(id).unwrap();
/// let error = world.run_system(id).unwrap_err();
/// assert!(matches!(&error, RegisteredSystemError::SystemIdNotRegistered(_)));
/// assert!(error.to_string().contains("idle` is not registered"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegisteredSystemError {
    /// The system is not registered in this world, or not any more.
    SystemIdNotRegistered(String),
    /// The system is not registered by its function: see [`World::register_system_cached`].
    SystemNotCached(String),
    /// The system is running, so it cannot be run: neither by itself, nor by what it runs.
    Running(String),
    /// The system is running, so it cannot be unregistered. It stays registered; a command could do it.
    SelfRemove(String),
    /// A parameter says that the system is to be skipped: see [`ParamError::is_skip`](crate::system::ParamError::is_skip).
    Skipped(RunSystemError),
    /// A parameter could not be fetched.
    Failed(RunSystemError),
}

impl fmt::Display for RegisteredSystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SystemIdNotRegistered(name) => {
                write!(f, "system `{name}` is not registered in this world, or not any more")
            }
            Self::SystemNotCached(name) => {
                write!(f, "system `{name}` is not registered; `World::register_system_cached` does it")
            }
            Self::Running(name) => write!(
                f,
                "system `{name}` is running, so it cannot be run: neither by itself, nor by what it runs; \
                 `Commands::run_system` runs it when it has finished"
            ),
            Self::SelfRemove(name) => write!(
                f,
                "system `{name}` is running, so it cannot be unregistered; `Commands::unregister_system` does it when it has \
                 finished"
            ),
            Self::Skipped(error) | Self::Failed(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RegisteredSystemError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Skipped(error) | Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}

/// A `BoxedSystem` of any types.
type AnySystem = Box<dyn Any + Send + Sync>;

/// A registered system.
struct Registered {
    name: Box<str>,
    /// None while it runs.
    system: Option<AnySystem>,
}

/// The end of a run in a world that has taken the place of the one where the system is registered.
struct Returned {
    number: usize,
    /// None if it has been put back before.
    system: Option<AnySystem>,
    has_panicked: bool,
}

/// The registered systems of a world.
#[derive(Default)]
struct OneShots {
    systems: HashMap<usize, Registered>,
    returned: Mailbox<Returned>,
    /// The numbers of systems that were registered by their function.
    cached: HashMap<TypeId, usize>,
    /// How many are running, one inside the other.
    depth: usize,
    /// Runs that commands have asked for of systems that were running. They come when all have finished.
    again: CommandQueue,
}

impl Resource for OneShots {
    fn slot() -> Option<&'static TypeSlot<Self>> {
        static SLOT: TypeSlot<OneShots> = TypeSlot::new();
        Some(&SLOT)
    }
}

impl OneShots {
    fn of(store: &mut Store) -> &mut Self {
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

    fn register<I, Out>(&mut self, id: SystemId<I, Out>, system: BoxedSystem<I, Out>)
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.systems.insert(id.number, Registered { name: system.name().into(), system: Some(Box::new(system)) });
    }

    /// The id of a system that was registered by its function.
    fn cached<I: SystemInput + 'static, Out: 'static, S: 'static>(
        &self,
    ) -> Result<SystemId<I, Out>, RegisteredSystemError> {
        match self.cached.get(&cache_key::<I, Out, S>()) {
            Some(&number) => Ok(SystemId::of::<S>(number)),
            None => Err(RegisteredSystemError::SystemNotCached(type_name::<S>().to_string())),
        }
    }

    /// Whether the system is registered and running.
    fn is_running(&self, number: usize) -> bool {
        self.systems.get(&number).is_some_and(|registered| registered.system.is_none())
    }
}

/// A registered system that is running. However that ends, it is there again afterwards: in the world where it is registered,
/// which may be elsewhere by then.
struct Run<'a> {
    store: &'a mut Store,
    /// The world where it is registered, and the way back there.
    home: Home,
    returned: Sender<Returned>,
    number: usize,
    system: Option<AnySystem>,
    has_panicked: bool,
}

impl<'a> Run<'a> {
    fn begin<I: SystemInput, Out>(store: &'a mut Store, id: SystemId<I, Out>) -> Result<Self, RegisteredSystemError> {
        let home = store.home();
        let one_shots = OneShots::of(store);
        let Some(registered) = one_shots.systems.get_mut(&id.number) else {
            return Err(RegisteredSystemError::SystemIdNotRegistered(id.name.to_string()));
        };
        let Some(system) = registered.system.take() else {
            return Err(RegisteredSystemError::Running(registered.name.to_string()));
        };
        one_shots.depth += 1;
        let returned = one_shots.returned.sender();
        // Until the opposite is known.
        Ok(Self { store, home, returned, number: id.number, system: Some(system), has_panicked: true })
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
        // The system, or what it has run, may have put another world in the place of its own. In a loop, so that systems that ask for themselves need memory and no stack.
        while self.home.is(self.store) {
            let one_shots = OneShots::of(self.store);
            one_shots.put_back(self.number, self.system.take());
            if one_shots.depth > 1 || one_shots.again.is_empty() {
                break;
            }
            let mut again = mem::take(&mut one_shots.again);
            command::apply(&mut again.queue, self.store, None);
        }
        self.has_panicked = false;
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let Self { number, has_panicked, .. } = *self;
        let system = self.system.take();
        if self.home.is(self.store) {
            let one_shots = OneShots::of(self.store);
            one_shots.put_back(number, system);
            return one_shots.end_run(has_panicked);
        }
        let sent = self.returned.send(Returned { number, system, has_panicked });
        if sent.is_ok() && !has_panicked {
            let mut then = CommandQueue::default();
            then.queue.push(run_again);
            self.home.send(&mut then.queue, None);
        }
    }
}

/// Runs what commands have asked for of systems that were running, when the last of those has ended elsewhere.
fn run_again(store: &mut Store) {
    let one_shots = OneShots::of(store);
    if one_shots.depth == 0 {
        let mut again = mem::take(&mut one_shots.again);
        command::apply(&mut again.queue, store, None);
    }
}

fn run<I, Out>(store: &mut Store, id: SystemId<I, Out>, input: I::Inner<'_>) -> Result<Out, RegisteredSystemError>
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
fn cache_key<I: 'static, Out: 'static, S: 'static>() -> TypeId {
    TypeId::of::<(S, PhantomData<fn(I) -> Out>)>()
}

/// Fails to compile for what has a value: two closures of one type may have caught different things.
struct Cacheable<S>(PhantomData<S>);

impl<S> Cacheable<S> {
    const CHECKED: () = demand_no_value(size_of::<S>());
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
    #[track_caller]
    pub fn register_system<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker>,
    {
        let () = S::CHECKED;
        let id = SystemId::next::<S>();
        let mut system = IntoSystem::into_system(system);
        system.note_place(Location::caller());
        OneShots::of(&mut self.store).register(id, system);
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
        let one_shots = OneShots::of(&mut self.store);
        match one_shots.cached::<I, Out, S>() {
            Ok(id) if one_shots.systems.contains_key(&id.number) => id,
            _ => {
                let id = self.register_system(system);
                OneShots::of(&mut self.store).cached.insert(cache_key::<I, Out, S>(), id.number);
                id
            }
        }
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
        let id = OneShots::of(&mut self.store).cached::<I, Out, S>()?;
        self.unregister_system(id)
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

/// Runs a system for a command. If it is running, it has its turn when it has finished.
fn run_for_command<I, Out>(store: &mut Store, id: SystemId<I, Out>, input: I::Inner<'static>)
where
    I: SystemInput<Inner<'static>: Send> + 'static,
    Out: 'static,
{
    if OneShots::of(store).is_running(id.number) {
        OneShots::of(store).again.queue.push(move |store: &mut Store| run_for_command(store, id, input));
        return;
    }
    // The system may have the whole world.
    store.place_pending();
    let done = run(store, id, input);
    store.make_reserved_pending();
    if let Err(error) = done {
        report(store, "run_system", &error);
    }
}

/// Notes that a command could not be carried out. That a system is skipped is no mistake.
fn report(store: &mut Store, command: &'static str, error: &RegisteredSystemError) {
    if !matches!(error, RegisteredSystemError::Skipped(_)) {
        let reason: Arc<str> = error.to_string().into();
        store.command_errors.report_other(command, reason, store.entities.acting());
    }
}

impl Commands<'_, '_> {
    /// As [`World::register_boxed_system`], when the commands are applied. The id is known at once.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// # let mut world = World::new();
    /// let id = world.commands().register_boxed_system(IntoSystem::into_system(idle));
    /// world.flush();
    /// world.run_system(id).unwrap();
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn register_boxed_system<I, Out>(&mut self, system: BoxedSystem<I, Out>) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.register_system(system)
    }

    /// Registers a system, as [`World::register_system`]. Its id is known at once; it can be run when the command has been
    /// applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct OnWin(SystemId);
    /// # fn celebrate() {}
    /// fn setup(mut commands: Commands) {
    ///     let id = commands.register_system(celebrate);
    ///     commands.insert_resource(OnWin(id));
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(setup).unwrap();
    /// let id = world.resource::<OnWin>().0;
    /// world.run_system(id).unwrap();
    /// ```
    #[track_caller]
    pub fn register_system<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker>,
    {
        let () = S::CHECKED;
        let id = SystemId::next::<S>();
        let mut system = IntoSystem::into_system(system);
        system.note_place(Location::caller());
        self.push(move |store| OneShots::of(store).register(id, system));
        id
    }

    /// Unregisters a system. If that is not possible, it is noted as a command that was not carried out
    /// ([`World::take_command_errors`]).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// let id = world.register_system(idle);
    /// world.commands().unregister_system(id);
    /// world.flush();
    /// assert!(world.run_system(id).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unregister_system<I, Out>(&mut self, id: SystemId<I, Out>)
    where
        I: SystemInput + 'static,
        Out: 'static,
    {
        self.push(move |store| unregister_for_command(store, id));
    }

    /// Runs a registered system, as [`World::run_system`], and drops what it returns.
    ///
    /// If it is running, because this is one of its own commands or one of those of what it runs, it runs once more when it and
    /// all those have finished. If it cannot run, that is noted as a command that was not carried out
    /// ([`World::take_command_errors`]), unless it was skipped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let id = world.register_system(|mut commands: Commands| drop(commands.spawn_empty()));
    /// world.commands().run_system(id);
    /// world.flush();
    /// assert_eq!(world.entities().len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system<Out: 'static>(&mut self, id: SystemId<(), Out>) {
        self.run_system_with(id, ());
    }

    /// Runs a registered system with an input; as [`Commands::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let despawn = world.register_system(|In(entity): In<Entity>, mut all: Commands| all.entity(entity).despawn());
    /// let entity = world.spawn_empty().id();
    /// world.commands().run_system_with(despawn, entity);
    /// world.flush();
    /// assert!(world.get_entity(entity).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system_with<I, Out>(&mut self, id: SystemId<I, Out>, input: I::Inner<'static>)
    where
        I: SystemInput<Inner<'static>: Send> + 'static,
        Out: 'static,
    {
        self.push(move |store| run_for_command(store, id, input));
    }

    /// Runs a system by its function, as [`World::run_system_cached`], and drops what it returns; as
    /// [`Commands::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Runs(u32);
    /// fn count(mut runs: ResMut<Runs>) {
    ///     runs.0 += 1;
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Runs>();
    /// world.commands().run_system_cached(count);
    /// world.flush();
    /// assert_eq!(world.resource::<Runs>().0, 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system_cached<Out, Marker, S>(&mut self, system: S)
    where
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<(), Out, Marker> + Send + 'static,
    {
        let () = S::CHECKED;
        let () = Cacheable::<S>::CHECKED;
        self.run_system_cached_with(system, ());
    }

    /// Runs a system with an input by its function; as [`Commands::run_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Score(u32);
    /// fn add(In(points): In<u32>, mut score: ResMut<Score>) {
    ///     score.0 += points;
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Score>();
    /// world.commands().run_system_cached_with(add, 5);
    /// world.flush();
    /// assert_eq!(world.resource::<Score>().0, 5);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_system_cached_with<I, Out, Marker, S>(&mut self, system: S, input: I::Inner<'static>)
    where
        I: SystemInput<Inner<'static>: Send> + 'static,
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<I, Out, Marker> + Send + 'static,
    {
        let () = S::CHECKED;
        let () = Cacheable::<S>::CHECKED;
        self.push(move |store| {
            let id = World::from_store_mut(store).register_system_cached(system);
            run_for_command(store, id, input);
        });
    }

    /// Unregisters a system that was registered by its function; as [`Commands::unregister_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let mut world = World::new();
    /// world.register_system_cached(idle);
    /// world.commands().unregister_system_cached(idle);
    /// world.flush();
    /// assert!(world.unregister_system_cached(idle).is_err());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unregister_system_cached<I, Out, Marker, S>(&mut self, _system: S)
    where
        I: SystemInput + 'static,
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<I, Out, Marker> + Send + 'static,
    {
        let () = Cacheable::<S>::CHECKED;
        self.push(|store| match OneShots::of(store).cached::<I, Out, S>() {
            Ok(id) => unregister_for_command(store, id),
            Err(error) => report(store, "unregister_system", &error),
        });
    }
}

/// Unregisters a system for a command. If it is running, that is done when it has finished.
fn unregister_for_command<I, Out>(store: &mut Store, id: SystemId<I, Out>)
where
    I: SystemInput + 'static,
    Out: 'static,
{
    if OneShots::of(store).is_running(id.number) {
        OneShots::of(store).again.queue.push(move |store: &mut Store| unregister_for_command(store, id));
        return;
    }
    if let Err(error) = World::from_store_mut(store).unregister_system(id) {
        report(store, "unregister_system", &error);
    }
}
