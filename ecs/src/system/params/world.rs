//! Parameters whose types only the facade defines: the world, and values that are made from it.
//!
//! Tests: tests/systems/params/if_and_name.rs, tests/systems/params/builders.rs

use core::marker::PhantomData;

use super::local::Local;
use super::read_only::ReadOnlySource;
use crate::access::ParamAccess;
use crate::access::const_access::ConstAccess;
use crate::structure::cell::{ReadCell, StoreCell};
use crate::structure::store::{CommandErrors, Store, WorldId};
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource};
use crate::system::param_error::ParamError;

/// A value that can be made from a store. Implemented for every [`FromWorld`](crate::world::FromWorld), in the layer that defines
/// worlds.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made of a world: implement `Default` or `FromWorld` for it",
    label = "neither `Default` nor `FromWorld`"
)]
pub trait MadeFromStore {
    fn made_from_store(store: &mut Store) -> Self;
}

/// A value that is only accessed through an exclusive reference. Therefore the container is `Sync` even if the value is not.
#[doc(hidden)]
pub struct SyncCell<T>(T);

// SAFETY: a shared reference gives no access to the value, and a `Send` value may be used by one thread after another.
unsafe impl<T: Send> Sync for SyncCell<T> {}

impl<T> SyncCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    #[inline(always)]
    pub(crate) fn get(&mut self) -> &mut T {
        &mut self.0
    }
}

/// The source of a [`Local`].
#[doc(hidden)]
pub struct LocalSource<T>(PhantomData<fn() -> T>);

// SAFETY: borrows nothing of the world.
unsafe impl<T: MadeFromStore + Send + 'static> ParamSource for LocalSource<T> {
    type State = SyncCell<T>;
    type Got<'w, 's> = Local<'s, T>;

    const COUNT: usize = 1;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> SyncCell<T> {
        meta.next_param();
        let world = store.id();
        let value = T::made_from_store(store);
        // `made_from_store` is user code with access to the whole world, and may replace it. State that was initialised before
        // belongs to the old world, so the replacement is refused even if the old world would be swapped back later.
        assert!(world == store.id(), "system `{}`: a `Local` has replaced the world", meta.name());
        SyncCell::new(value)
    }

    fn visit_state(state: &mut SyncCell<T>, keeper: &mut StateVisitor<'_>) {
        keeper.value(state.get());
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut SyncCell<T>, _: StoreCell<'w>) -> Result<Local<'s, T>, ParamError> {
        Ok(Local::from(state.get()))
    }
}

params! {
    [T: MadeFromStore + Send + 'static] Local<'_, T> => Local<'s, T>, LocalSource<T>, |got| got;
}

impl<T: MadeFromStore + Send + 'static> ReadOnlySource for LocalSource<T> {}

/// A builder of a [`Local`] that starts with this value. See [`SystemParamBuilder`](crate::system::SystemParamBuilder).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{LocalBuilder, SystemParamBuilder};
///
/// let mut world = World::new();
/// let names = (LocalBuilder(vec!["Ada", "Bo"]),).build_state(&mut world).build_system(|mut names| names.pop());
/// assert_eq!(world.run_system_once(names).unwrap(), Some("Bo"));
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct LocalBuilder<T>(pub T);

impl<T: MadeFromStore + Send + 'static> BuildParam<Local<'_, T>> for LocalBuilder<T> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, LocalSource<T>> {
        site.meta.next_param();
        // SAFETY: borrows nothing of the world.
        unsafe { Built::new(SyncCell::new(self.0)) }
    }
}

/// The name of the system that has this parameter, for logs. It is the name of the system's function, as in
/// [`System::name`](crate::system::System::name). In a [`SystemState`](crate::world::SystemState) it is the name of the state.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::SystemName;
///
/// #[derive(SystemParam)]
/// struct Logger {
///     system: SystemName,
/// }
///
/// impl Logger {
///     fn line(&self, text: &str) -> String {
///         format!("{}: {text}", self.system)
///     }
/// }
///
/// fn load(logger: Logger) -> String {
///     logger.line("no such file")
/// }
/// assert!(World::new().run_system_once(load).unwrap().ends_with("load: no such file"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SystemName(&'static str);

impl SystemName {
    getters! {
        /// Returns the name.
        pub fn name(&self) -> &'static str = self.0;

        /// Returns the name.
        pub fn as_str(&self) -> &str = self.0;
    }
}

impl_display!([] SystemName => |this, f| f.write_str(this.0));

impl_debug!([] SystemName => |this, f| f.debug_tuple("SystemName").field(&this.0).finish());

impl SystemName {
    /// Creates the name of a system.
    pub(crate) fn new(name: &'static str) -> Self {
        Self(name)
    }
}

/// Reports that the program lacks something that the system needs, for example a plugin: see
/// [`World::warn_once`](crate::world::World::warn_once).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::WarnOnce;
/// # #[derive(Resource)] struct Font;
///
/// fn draw(font: Option<Res<Font>>, warnings: WarnOnce) {
///     if font.is_none() {
///         warnings.warn("no font was loaded: add `FontPlugin` to the `App`");
///     }
/// }
///
/// let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(draw);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.take_command_errors().0.len(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct WarnOnce<'w> {
    errors: &'w CommandErrors,
    system: &'static str,
}

impl WarnOnce<'_> {
    /// Reports a text, unless it was reported before.
    pub fn warn(&self, text: &str) {
        self.errors.warn_once(text, &text, Some(self.system));
    }
}

impl_debug_of_fields! { [] WarnOnce<'_> { system } }

// Reporting works through a shared reference, so the source borrows nothing.
plain_source! {
    /// The source of a [`WarnOnce`].
    WarnSource;
    keeps &'static str, |meta| meta.name();
    gives WarnOnce<'w>, |system, cell| WarnOnce { errors: &cell.store().commands.errors, system };
}

plain_source! {
    /// The source of a [`SystemName`].
    NameSource;
    keeps SystemName, |meta| SystemName(meta.name());
    gives SystemName, |name, _cell| *name;
}

plain_source! {
    /// The source of the world's id.
    WorldIdSource;
    keeps (), |meta| ();
    gives WorldId, |_nothing, cell| cell.store().id();
}

impl ReadOnlySource for WarnSource {}
impl ReadOnlySource for NameSource {}
impl ReadOnlySource for WorldIdSource {}

params! {
    [] WarnOnce<'_> => WarnOnce<'w>, WarnSource, |got| got;
    [] SystemName => Self, NameSource, |got| got;

    /// The id of the world that the system runs in.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::WorldId;
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.run_system_once(|id: WorldId| id).unwrap(), world.id());
    /// ```
    [] WorldId => Self, WorldIdSource, |got| got;
}

/// The source of `&World`.
#[doc(hidden)]
pub struct WorldSource;

// SAFETY: `init` adds read access to the whole world.
unsafe impl ParamSource for WorldSource {
    type State = ();
    type Got<'w, 's> = ReadCell<'w>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::World;

    fn init(store: &mut Store, meta: &mut SystemMeta) {
        meta.add_access(ParamAccess::World, store);
        meta.next_param();
    }

    #[inline]
    unsafe fn get<'w>((): &mut (), cell: StoreCell<'w>) -> Result<ReadCell<'w>, ParamError> {
        // SAFETY: the caller grants read access to the whole world for 'w.
        Ok(unsafe { ReadCell::new(cell.store()) })
    }
}

impl ReadOnlySource for WorldSource {}
