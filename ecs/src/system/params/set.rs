//! Parameters that conflict, lent out one at a time.
//!
//! The members of a `ParamSet` are checked against all parameters outside of the set, not against each other. The set lends one
//! member at a time, for as long as the set itself is borrowed mutably.
//!
//! Tests: tests/systems/params/sets.rs

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::vec::VecSource;
use crate::access::const_access::ConstAccess;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam, add_rows};
use crate::system::param_error::ParamError;

/// Parameters of a system that borrow the same data, at least one of them mutably. They are used one at a time.
///
/// `T` is a tuple of up to eight parameters. [`p0`](Self::p0), [`p1`](Self::p1) and so on lend one of them out; the borrow has to
/// end before the next begins. All members are checked against the other parameters of the system as usual.
///
/// A set may be sent to another thread if all its members may.
///
/// The system only runs if every member can be fetched at the start of the run, even a member that the system does not use. For
/// example, a set with a `Res` of a resource that does not exist keeps the system from running.
///
/// Lending a member out costs the same as fetching a parameter. This is little, but not nothing, so call `p0` outside of a loop.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Leader;
///
/// /// Leaders may be followers too, so the two queries could meet at one entity.
/// fn inspire(mut set: ParamSet<(Query<&Health, With<Leader>>, Query<&mut Health>)>) {
///     let best = set.p0().iter().map(|health| health.0).max().unwrap_or(0);
///     for mut health in &mut set.p1() {
///         health.0 = health.0.max(best / 2);
///     }
/// }
///
/// let mut world = World::new();
/// world.spawn((Health(100), Leader));
/// let follower = world.spawn(Health(10)).id();
/// world.run_system_once(inspire).unwrap();
/// assert_eq!(world.get::<Health>(follower).unwrap().0, 50);
/// ```
#[doc(alias("QuerySet"))]
pub struct ParamSet<'w, 's, T: SystemParam> {
    members: SetMembers<'w, 's, T::Source>,
}

impl<T: SystemParam> ParamSet<'_, '_, T> {
    /// Reborrows with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// type Healths<'w, 's> = ParamSet<'w, 's, (Query<'w, 's, &'static Health>, Query<'w, 's, &'static mut Health>)>;
    ///
    /// fn add_up(mut set: Healths) {
    ///     let sum = set.p0().iter().map(|health| health.0).sum();
    ///     set.p1().iter_mut().for_each(|mut health| health.0 = sum);
    /// }
    ///
    /// fn add_up_twice(mut set: Healths) {
    ///     add_up(set.reborrow());
    ///     add_up(set);
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// # world.run_system_once(add_up_twice).unwrap();
    /// # assert!(world.query::<&Health>().iter(&world).all(|health| health.0 == 6));
    /// ```
    #[inline]
    pub fn reborrow(&mut self) -> ParamSet<'_, '_, T::Item<'_, '_>> {
        ParamSet { members: SetMembers { cell: self.members.cell, state: self.members.state, _lent: [] } }
    }
}

impl_debug!([T: SystemParam] ParamSet<'_, '_, T> => |_this, f| f.write_str(core::any::type_name::<Self>()));

/// The states of the members, and the access for fetching one of them at a time. Only [`ParamSource::get`] makes such a value.
#[doc(hidden)]
pub struct SetMembers<'w, 's, S: ParamSource> {
    /// Gives the set the auto traits (`Send`, `Sync`) of a reference to its members. A reference, because the set does not drop the
    /// members.
    _lent: [&'static mut S::Got<'static, 'static>; 0],
    cell: StoreCell<'w>,
    state: &'s mut S::State,
}

/// The source of a [`ParamSet`].
#[doc(hidden)]
pub struct SetSource<S>(PhantomData<fn() -> S>);

/// A builder of a [`ParamSet`]: a tuple with a builder for each member, or a vector of builders for a vector. See
/// [`SystemParamBuilder`](crate::system::SystemParamBuilder).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{ParamSetBuilder, QueryParamBuilder, SystemParamBuilder};
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Fire;
/// # #[derive(Component)] struct Ice;
///
/// fn sums(mut set: ParamSet<Vec<Query<&mut Health>>>) -> Vec<u32> {
///     let mut sums = Vec::new();
///     set.for_each(|query| sums.push(query.iter().map(|health| health.0).sum()));
///     sums
/// }
///
/// let mut world = World::new();
/// let ids = [world.register_component::<Fire>(), world.register_component::<Ice>()];
/// world.spawn_batch([(Health(1), Fire), (Health(2), Fire)]);
/// world.spawn((Health(9), Ice));
/// let with = |id| QueryParamBuilder::new(move |builder| _ = builder.with_id(id));
/// let state = (ParamSetBuilder(ids.map(with).into_iter().collect::<Vec<_>>()),).build_state(&mut world);
/// assert_eq!(world.run_system_once(state.build_any_system(sums)).unwrap(), [3, 9]);
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct ParamSetBuilder<T>(pub T);

// SAFETY: a builder prepared each member, and added its access.
unsafe impl<S: ParamSource> ParamSource for SetSource<VecSource<S>> {
    type State = Vec<S::State>;
    type Got<'w, 's> = SetMembers<'w, 's, VecSource<S>>;

    const COUNT: usize = 1;
    const RECORDERS: usize = <VecSource<S> as ParamSource>::RECORDERS;
    const ACCESS: ConstAccess = ConstAccess::OneOf(&[S::ACCESS]);

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        VecSource::<S>::init(store, meta)
    }

    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        for member in &mut *state {
            // SAFETY: both clauses are forwarded for each member; each value is dropped before the next is fetched.
            drop(unsafe { S::get(member, cell)? });
        }
        Ok(SetMembers { _lent: [], cell, state })
    }

    forward_state!(VecSource::<S>);
}

params! {
    [P: SystemParam] ParamSet<'_, '_, Vec<P>> => ParamSet<'w, 's, Vec<P::Item<'w, 's>>>, SetSource<VecSource<P::Source>>, |members| ParamSet { members };
}

impl<P: SystemParam, B: BuildParam<P>> BuildParam<ParamSet<'_, '_, Vec<P>>> for ParamSetBuilder<Vec<B>> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, SetSource<VecSource<P::Source>>> {
        let build = |site: &mut BuildSite<'_, 'b>, builder: B| site.member(|site| builder.build(site)).state;
        let states = site.as_set(|site| self.0.into_iter().map(|builder| build(site, builder)).collect());
        // SAFETY: each member was built at this site; the set lends one at a time.
        unsafe { Built::new(states) }
    }
}

impl<P: SystemParam> ParamSet<'_, '_, Vec<P>> {
    getters! {
        /// Returns the number of members.
        pub fn len(&self) -> usize = self.members.state.len();

        /// Returns whether there are no members.
        pub fn is_empty(&self) -> bool = self.members.state.is_empty();
    }

    /// Returns a member, for as long as the set is borrowed.
    ///
    /// # Panics
    ///
    /// If there is no such member.
    #[must_use]
    pub fn get_mut(&mut self, index: usize) -> P::Item<'_, '_> {
        // SAFETY: the members come from the source's `get`, so the state was made for the cell's store, and the access of each
        // member is granted for longer than `self` is borrowed here. Each member that was lent before borrowed `self` mutably, so
        // none is in use any more.
        unsafe { lend::<P>(&mut self.members.state[index], self.members.cell) }
    }

    /// Calls a function with each member, one after the other.
    pub fn for_each(&mut self, mut each: impl FnMut(P::Item<'_, '_>)) {
        (0..self.len()).for_each(|index| each(self.get_mut(index)));
    }
}

/// Fetches a member of a set.
///
/// # Safety
///
/// - The conditions of [`ParamSource::get`] hold.
#[inline]
unsafe fn lend<'m, P: SystemParam>(
    state: &'m mut <P::Source as ParamSource>::State,
    cell: StoreCell<'m>,
) -> P::Item<'m, 'm> {
    // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted.
    P::item(unsafe { P::Source::get(state, cell) }.unwrap_or_else(|error| gone(error)))
}

/// Implements sets for a number of members in groups of up to four. Each member has a type, a builder, its position among the
/// builders and among the states, a method and the name of its number.
macro_rules! sets {
    ($([$($P:ident $B:ident $at:tt $place:tt $method:ident $nth:literal)*])*) => {
        // SAFETY: each member adds its own access.
        unsafe impl<$($($P: ParamSource),*),*> ParamSource for SetSource<grouped_types!($([$($P),*])*)> {
            type State = <grouped_types!($([$($P),*])*) as ParamSource>::State;
            type Got<'w, 's> = SetMembers<'w, 's, grouped_types!($([$($P),*])*)>;

            const COUNT: usize = 1;
            const RECORDERS: usize = 0 $($(+ $P::RECORDERS)*)*;
            const ACCESS: ConstAccess = ConstAccess::OneOf(&[$($($P::ACCESS),*),*]);

            fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
                meta.as_set(|meta| grouped!($([$(meta.member(|meta| $P::init(store, meta))),*])*))
            }

            /// Fetches each member once and drops it. So a missing member prevents the run instead of panicking during the run.
            #[inline]
            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                cell: StoreCell<'w>,
            ) -> Result<Self::Got<'w, 's>, ParamError> {
                // SAFETY: both clauses are forwarded for each member; each value is dropped before the next is fetched.
                $($(drop(unsafe { $P::get(&mut state.$place, cell)? });)*)*
                Ok(SetMembers { _lent: [], cell, state })
            }

            #[inline]
            fn apply(state: &mut Self::State, meta: &SystemMeta, store: &mut Store) {
                apply_members!(Self, state, meta, store, $($($P $at $place)*)*);
            }

            fn rows(state: &Self::State, store: &Store) -> Option<usize> {
                [$($($P::rows(&state.$place, store)),*),*].into_iter().fold(None, add_rows)
            }

            fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
                $($($P::visit_state(&mut state.$place, keeper);)*)*
            }

            fn discard(state: &mut Self::State) {
                $($($P::discard(&mut state.$place);)*)*
            }
        }

        impl<$($($P: SystemParam),*),*> SystemParam for ParamSet<'_, '_, ($($($P,)*)*)> {
            type Source = SetSource<grouped_types!($([$($P::Source),*])*)>;
            type Item<'w, 's> = ParamSet<'w, 's, ($($($P::Item<'w, 's>,)*)*)>;

            #[inline]
            fn item<'w, 's>(members: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                ParamSet { members }
            }
        }

        impl<$($($P: SystemParam, $B: BuildParam<$P>),*),*> BuildParam<ParamSet<'_, '_, ($($($P,)*)*)>>
            for ParamSetBuilder<($($($B,)*)*)>
        {
            fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, SetSource<grouped_types!($([$($P::Source),*])*)>> {
                let states = site.as_set(|site| grouped!($([$(site.member(|site| self.0.$at.build(site)).state),*])*));
                // SAFETY: each member was built at this site; the set lends one at a time.
                unsafe { Built::new(states) }
            }
        }

        impl<$($($P: SystemParam),*),*> ParamSet<'_, '_, ($($($P,)*)*)> {
            $($(
                #[doc = concat!("The ", $nth, " member, until it or another one is asked for again.")]
                #[inline]
                pub fn $method(&mut self) -> $P::Item<'_, '_> {
                    // SAFETY: the members come from the source's `get`, so the state was made for the cell's store, and the access
                    // that `init` added is granted for longer than `self` is borrowed here. The members may conflict, but each one
                    // that was lent before borrowed `self` mutably, so none is in use any more.
                    unsafe { lend::<$P>(&mut self.members.state.$place, self.members.cell) }
                }
            )*)*
        }
    };
}

/// Panics because a member cannot be fetched during a run. Every member could be fetched when the system began, and no other code
/// can remove the member's data during the run. But a `Single` with a filter for changes may cease to match because of a write
/// through another member.
#[cold]
fn gone(error: ParamError) -> ! {
    panic!("a member of a `ParamSet` cannot be fetched any more: {error}")
}

sets!([A OfA 0 0 p0 "first"]);
sets!([A OfA 0 0 p0 "first" B OfB 1 1 p1 "second"]);
sets!([A OfA 0 0 p0 "first" B OfB 1 1 p1 "second" C OfC 2 2 p2 "third"]);
sets!([A OfA 0 0 p0 "first" B OfB 1 1 p1 "second" C OfC 2 2 p2 "third" D OfD 3 3 p3 "fourth"]);
sets!([A OfA 0 0.0 p0 "first" B OfB 1 0.1 p1 "second" C OfC 2 0.2 p2 "third" D OfD 3 0.3 p3 "fourth"] [E OfE 4 1.0 p4 "fifth"]);
sets!([A OfA 0 0.0 p0 "first" B OfB 1 0.1 p1 "second" C OfC 2 0.2 p2 "third" D OfD 3 0.3 p3 "fourth"] [E OfE 4 1.0 p4 "fifth" F OfF 5 1.1 p5 "sixth"]);
sets!([A OfA 0 0.0 p0 "first" B OfB 1 0.1 p1 "second" C OfC 2 0.2 p2 "third" D OfD 3 0.3 p3 "fourth"] [E OfE 4 1.0 p4 "fifth" F OfF 5 1.1 p5 "sixth" G OfG 6 1.2 p6 "seventh"]);
sets!([A OfA 0 0.0 p0 "first" B OfB 1 0.1 p1 "second" C OfC 2 0.2 p2 "third" D OfD 3 0.3 p3 "fourth"] [E OfE 4 1.0 p4 "fifth" F OfF 5 1.1 p5 "sixth" G OfG 6 1.2 p6 "seventh" H OfH 7 1.3 p7 "eighth"]);
