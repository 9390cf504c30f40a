//! A parameter of which a builder says at run time what it is.

use alloc::boxed::Box;
use core::any::{Any, type_name};
use core::marker::PhantomData;

use crate::cell::StoreCell;
use crate::store::Store;
use crate::system::memory::Keeper;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam};
use crate::system::param_error::ParamError;

/// A parameter whose type the builder of the system says: [`DynParamBuilder`]. Without a builder it is nothing: `()`.
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
    state: &'s mut dyn Held,
    /// What it leads to may have to stay on this thread.
    stays: PhantomData<*mut ()>,
}

impl<'w, 's> DynSystemParam<'w, 's> {
    /// Whether it is this parameter.
    #[must_use]
    pub fn is<P: SystemParam>(&self) -> bool {
        let any: &dyn Any = &*self.state;
        any.is::<StateOf<P::Source>>()
    }

    /// The parameter, if it is this one.
    #[must_use]
    pub fn downcast<P: SystemParam<Item<'w, 's> = P>>(self) -> Option<P> {
        let any: &'s mut dyn Any = self.state;
        let StateOf(state) = any.downcast_mut::<StateOf<P::Source>>()?;
        // SAFETY: the source's `get` has made `self`, so the state was made for the cell's store, and what was added to the access for
        // it may be borrowed for 'w. `self` is used up, and what was fetched through it before borrows it.
        let got = unsafe { P::Source::get(state, self.cell) };
        got.ok().map(P::item)
    }

    /// The parameter, if it is this one, until it is asked for again.
    #[must_use]
    pub fn downcast_mut<'a, P: SystemParam<Item<'a, 'a> = P>>(&'a mut self) -> Option<P> {
        DynSystemParam { cell: self.cell, state: &mut *self.state, stays: PhantomData }.downcast::<P>()
    }
}

impl_debug!([] DynSystemParam<'_, '_> => |this, f|
    f.debug_tuple("DynSystemParam").field(&this.state.source()).finish());

/// What a system keeps for some parameter.
#[doc(hidden)]
pub trait Held: Any + Send + Sync {
    /// Whether the parameter can be had.
    ///
    /// # Safety
    ///
    /// - As for [`ParamSource::get`].
    unsafe fn check(&mut self, cell: StoreCell<'_>) -> Result<(), ParamError>;
    fn apply(&mut self, meta: &SystemMeta, store: &mut Store);
    fn rows(&self, store: &Store) -> Option<usize>;
    fn discard(&mut self);
    fn remember(&mut self, keeper: &mut Keeper<'_>);
    fn source(&self) -> &'static str;
}

struct StateOf<S: ParamSource>(S::State);

impl<S: ParamSource> Held for StateOf<S> {
    unsafe fn check(&mut self, cell: StoreCell<'_>) -> Result<(), ParamError> {
        // SAFETY: the caller's promise.
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

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        S::remember(&mut self.0, keeper);
    }

    fn source(&self) -> &'static str {
        type_name::<S>()
    }
}

/// How a [`DynSystemParam`] is fetched.
#[doc(hidden)]
pub struct DynSource;

// SAFETY: without a builder nothing is borrowed; a builder adds the access of what it builds.
unsafe impl ParamSource for DynSource {
    type State = Box<dyn Held>;
    type Got<'w, 's> = DynSystemParam<'w, 's>;

    const COUNT: usize = 1;
    const RECORDERS: usize = 1;

    fn init(_: &mut Store, meta: &mut SystemMeta) -> Self::State {
        meta.next_param();
        Box::new(StateOf::<<() as SystemParam>::Source>(()))
    }

    /// Fetches it once, so that a missing one keeps the system from running.
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        // SAFETY: the caller's promise; what was fetched is dropped.
        unsafe { state.check(cell)? };
        Ok(DynSystemParam { cell, state: &mut **state, stays: PhantomData })
    }

    fn apply(state: &mut Self::State, meta: &SystemMeta, store: &mut Store) {
        state.apply(meta, store);
    }

    fn rows(state: &Self::State, store: &Store) -> Option<usize> {
        state.rows(store)
    }

    fn remember(state: &mut Self::State, keeper: &mut Keeper<'_>) {
        state.remember(keeper);
    }

    fn discard(state: &mut Self::State) {
        state.discard();
    }
}

params! {
    [] DynSystemParam<'_, '_> => DynSystemParam<'w, 's>, DynSource, |got| got;
}

/// Builds a parameter for a [`DynSystemParam`].
type BuildHeld<'a> = dyn for<'b> FnOnce(&mut BuildSite<'_, 'b>) -> Built<'b, DynSource> + 'a;

/// A builder of a [`DynSystemParam`]: it says which parameter that is, and builds it. See
/// [`SystemParamBuilder`](crate::system::SystemParamBuilder).
pub struct DynParamBuilder<'a>(Box<BuildHeld<'a>>);

impl<'a> DynParamBuilder<'a> {
    /// The parameter `P`, which is built by another builder.
    #[must_use]
    pub fn new<P: SystemParam>(builder: impl BuildParam<P> + 'a) -> Self {
        Self(Box::new(move |site| {
            let held: Box<dyn Held> = Box::new(StateOf::<P::Source>(builder.build(site).state));
            // SAFETY: it was built here, and no other parameter can be fetched.
            unsafe { Built::new(held) }
        }))
    }
}

impl_debug_of_fields! { [] DynParamBuilder<'_> {} }

impl BuildParam<DynSystemParam<'_, '_>> for DynParamBuilder<'_> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, DynSource> {
        site.as_one(self.0)
    }
}
