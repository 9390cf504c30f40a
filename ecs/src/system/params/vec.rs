//! Parameters whose number a builder chooses at run time.
//!
//! Tests: tests/systems/params/builders.rs

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::access::const_access::ConstAccess;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam, add_rows};
use crate::system::param_error::ParamError;
use crate::util::guard::for_each_until_all_had_their_turn;

/// The source of a vector of parameters. Without a builder the vector is empty.
#[doc(hidden)]
pub struct VecSource<S>(PhantomData<fn() -> S>);

// SAFETY: each member was prepared by its source or its builder, which added its access.
unsafe impl<S: ParamSource> ParamSource for VecSource<S> {
    type State = Vec<S::State>;
    type Got<'w, 's> = Vec<S::Got<'w, 's>>;

    const COUNT: usize = 1;
    // There may be any number of members, so a source that records counts at least twice.
    const RECORDERS: usize = 2 * S::RECORDERS;
    // `ACCESS` has no conflicts between the members, which are found when the members are prepared.
    const ACCESS: ConstAccess = S::ACCESS;

    fn init(_: &mut Store, meta: &mut SystemMeta) -> Self::State {
        meta.next_param();
        Vec::new()
    }

    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        // SAFETY: both clauses are forwarded for each member.
        state.iter_mut().map(|member| unsafe { S::get(member, cell) }).collect()
    }

    fn apply(state: &mut Self::State, meta: &SystemMeta, store: &mut Store) {
        for_each_until_all_had_their_turn(0..state.len(), |member: usize| S::apply(&mut state[member], meta, store));
    }

    fn rows(state: &Self::State, store: &Store) -> Option<usize> {
        state.iter().map(|member| S::rows(member, store)).fold(None, add_rows)
    }

    fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
        state.iter_mut().for_each(|member| S::visit_state(member, keeper));
    }

    fn discard(state: &mut Self::State) {
        state.iter_mut().for_each(S::discard);
    }
}

params! {
    [P: SystemParam] Vec<P> => Vec<P::Item<'w, 's>>, VecSource<P::Source>, |got| got.into_iter().map(P::item).collect();
}

impl<P: SystemParam, B: BuildParam<P>> BuildParam<Vec<P>> for Vec<B> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, VecSource<P::Source>> {
        let states = site.init_composite(|site| self.into_iter().map(|builder| builder.build(site).state).collect());
        // SAFETY: each member was built at this site.
        unsafe { Built::new(states) }
    }
}
