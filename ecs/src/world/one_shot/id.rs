//! The ids of registered systems.
//!
//! Tests: tests/systems/one_shot/registered.rs

use alloc::string::String;
use core::any::type_name;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::entity::{EntityMapper, MapEntities};
use crate::system::{RunSystemError, SystemInput};

/// The id of a system that is registered in a world: see [`World::register_system`](crate::world::World::register_system).
///
/// Ids are never reused in a process. If a system was unregistered, or belongs to another world, running its id is an
/// error.
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
    pub(super) number: usize,
    /// The type name of the registered system.
    pub(super) name: &'static str,
    /// Makes the id invariant in both types, because the system is downcast to exactly these types.
    marker: PhantomData<fn(I, Out) -> (I, Out)>,
}

static NEXT_SYSTEM: AtomicUsize = AtomicUsize::new(0);

impl<I: SystemInput, Out> SystemId<I, Out> {
    /// Creates a new id for a system of type `S`.
    pub(super) fn next<S>() -> Self {
        let next = NEXT_SYSTEM.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| id.checked_add(1));
        match next {
            Ok(number) => Self::of::<S>(number),
            Err(_) => panic!("more systems were registered than there are numbers"),
        }
    }

    /// Returns the id with this number, for a system of type `S`.
    pub(super) fn of<S>(number: usize) -> Self {
        Self { number, name: type_name::<S>(), marker: PhantomData }
    }
}

/// Maps nothing: the id contains no entity. Only the input type of the system may contain entities.
impl<I: SystemInput, Out> MapEntities for SystemId<I, Out> {
    const HOLDS_ENTITIES: bool = false;

    fn map_entities<M: EntityMapper>(&mut self, _: &mut M) {}
}

impl_copy! { [I: SystemInput, Out] SystemId<I, Out>; }

impl_eq!([I: SystemInput, Out] SystemId<I, Out>, number);

impl_debug!([I: SystemInput, Out] SystemId<I, Out> => |this, f| write!(f, "SystemId({}, {})", this.number, this.name));

/// A registered system could not be run or unregistered. Each variant contains the name of the system.
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
    /// The system is not registered in this world, or has been unregistered.
    SystemIdNotRegistered(String),
    /// The system was not registered by its function: see
    /// [`World::register_system_cached`](crate::world::World::register_system_cached).
    SystemNotCached(String),
    /// The system is already running, so it cannot be run: neither by itself, nor by systems that it runs.
    Running(String),
    /// The system is running, so it cannot be unregistered. It stays registered. A command can unregister it after the
    /// run.
    SelfRemove(String),
    /// A parameter requires that the system is skipped: see [`ParamError::is_skip`](crate::system::ParamError::is_skip).
    Skipped(RunSystemError),
    /// A parameter could not be fetched.
    Failed(RunSystemError),
}

impl_display! {
    [] RegisteredSystemError => |this, f| match this {
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

impl core::error::Error for RegisteredSystemError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Skipped(error) | Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}
