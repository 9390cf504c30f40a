//! A parameter whose type a builder chooses at run time.
//!
//! Tests: tests/systems/params/builders.rs

use alloc::boxed::Box;
use core::any::{Any, type_name};
use core::marker::PhantomData;

use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam};
use crate::system::param_error::ParamError;

/// A parameter whose type the builder of the system chooses, with a [`DynParamBuilder`]. Without a builder the type is
/// `()`.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{DynParamBuilder, DynSystemParam, ParamBuilder, SystemParamBuilder};
/// # #[derive(Resource)] struct Score(u32);
///
/// fn show(mut param: DynSystemParam) -> String {
///     if let Some(score) = param.downcast_mut::<Res<Score>>() {
///         return format!("{} points", score.0);
///     }
///     "nothing that could be shown".into()
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let state = (DynParamBuilder::new::<Res<Score>>(ParamBuilder),).build_state(&mut world);
/// assert_eq!(world.run_system_once(state.build_any_system(show)).unwrap(), "3 points");
/// assert_eq!(world.run_system_once(show).unwrap(), "nothing that could be shown");
/// ```
pub struct DynSystemParam<'w, 's> {
    cell: StoreCell<'w>,
    state: &'s mut dyn DynParamState,
    /// Makes the type `!Send`: the parameter inside may have to stay on this thread.
    stays: PhantomData<*mut ()>,
}

impl<'w, 's> DynSystemParam<'w, 's> {
    /// Returns whether the parameter inside is a `P`.
    #[must_use]
    pub fn is<P: SystemParam>(&self) -> bool {
        let any: &dyn Any = &*self.state;
        any.is::<StateOf<P::Source>>()
    }

    /// Returns the parameter inside, if it is a `P`.
    #[must_use]
    pub fn downcast<P: SystemParam<Item<'w, 's> = P>>(self) -> Option<P> {
        let any: &'s mut dyn Any = self.state;
        let StateOf(state) = any.downcast_mut::<StateOf<P::Source>>()?;
        // SAFETY: only the source's `get` makes a `DynSystemParam`, so the state was made for the cell's store, and the access that
        // was added for it is granted for 'w. `self` is consumed, and any value that was fetched through it before borrows it.
        let got = unsafe { P::Source::get(state, self.cell) };
        got.ok().map(P::item)
    }

    /// Returns the parameter inside, if it is a `P`, for as long as `self` is borrowed.
    #[must_use]
    pub fn downcast_mut<'a, P: SystemParam<Item<'a, 'a> = P>>(&'a mut self) -> Option<P> {
        DynSystemParam { cell: self.cell, state: &mut *self.state, stays: PhantomData }.downcast::<P>()
    }
}

impl_debug!([] DynSystemParam<'_, '_> => |this, f|
    f.debug_tuple("DynSystemParam").field(&this.state.source()).finish());

/// The state of a parameter of any type.
#[doc(hidden)]
pub trait DynParamState: Any + Send + Sync {
    /// Checks that the parameter can be fetched.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ParamSource::get`] hold.
    unsafe fn check(&mut self, cell: StoreCell<'_>) -> Result<(), ParamError>;
    fn apply(&mut self, meta: &SystemMeta, store: &mut Store);
    fn rows(&self, store: &Store) -> Option<usize>;
    fn discard(&mut self);
    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>);
    fn source(&self) -> &'static str;
}

struct StateOf<S: ParamSource>(S::State);

impl<S: ParamSource> DynParamState for StateOf<S> {
    unsafe fn check(&mut self, cell: StoreCell<'_>) -> Result<(), ParamError> {
        // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted.
        unsafe { S::get(&mut self.0, cell) }.map(drop)
    }

    fn apply(&mut self, meta: &SystemMeta, store: &mut Store) {
        S::apply(&mut self.0, meta, store);
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        S::rows(&self.0, store)
    }

    fn discard(&mut self) {
        S::discard(&mut self.0);
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        S::visit_state(&mut self.0, keeper);
    }

    fn source(&self) -> &'static str {
        type_name::<S>()
    }
}

/// The source of a [`DynSystemParam`].
#[doc(hidden)]
pub struct DynSource;

// SAFETY: without a builder nothing is borrowed; a builder adds the access of the parameter that it builds.
unsafe impl ParamSource for DynSource {
    type State = Box<dyn DynParamState>;
    type Got<'w, 's> = DynSystemParam<'w, 's>;

    const COUNT: usize = 1;
    const RECORDERS: usize = 1;

    fn init(_: &mut Store, meta: &mut SystemMeta) -> Self::State {
        meta.next_param();
        Box::new(StateOf::<<() as SystemParam>::Source>(()))
    }

    /// Fetches the parameter once and drops it, so that the system does not run if it is missing.
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted; the fetched value
        // is dropped.
        unsafe { state.check(cell)? };
        Ok(DynSystemParam { cell, state: &mut **state, stays: PhantomData })
    }

    fn apply(state: &mut Self::State, meta: &SystemMeta, store: &mut Store) {
        state.apply(meta, store);
    }

    fn rows(state: &Self::State, store: &Store) -> Option<usize> {
        state.rows(store)
    }

    fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
        state.visit_state(keeper);
    }

    fn discard(state: &mut Self::State) {
        state.discard();
    }
}

params! {
    [] DynSystemParam<'_, '_> => DynSystemParam<'w, 's>, DynSource, |got| got;
}

/// Builds the state of a [`DynSystemParam`].
type BuildHeld<'a> = dyn for<'b> FnOnce(&mut BuildSite<'_, 'b>) -> Built<'b, DynSource> + 'a;

/// A builder of a [`DynSystemParam`]. It chooses the type of the parameter, and builds the parameter. See
/// [`SystemParamBuilder`](crate::system::SystemParamBuilder).
pub struct DynParamBuilder<'a>(Box<BuildHeld<'a>>);

impl<'a> DynParamBuilder<'a> {
    /// Creates a builder of a `DynSystemParam` that contains the parameter `P`. Another builder builds `P`.
    #[must_use]
    pub fn new<P: SystemParam>(builder: impl BuildParam<P> + 'a) -> Self {
        Self(Box::new(move |site| {
            let held: Box<dyn DynParamState> = Box::new(StateOf::<P::Source>(builder.build(site).state));
            // SAFETY: the state was built at this site, and the `DynSystemParam` can fetch no other parameter.
            unsafe { Built::new(held) }
        }))
    }
}

impl_debug_of_fields! { [] DynParamBuilder<'_> {} }

impl BuildParam<DynSystemParam<'_, '_>> for DynParamBuilder<'_> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, DynSource> {
        site.init_composite(self.0)
    }
}
