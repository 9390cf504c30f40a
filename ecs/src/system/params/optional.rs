//! Parameters that may be missing.

use core::marker::PhantomData;

use crate::cell::StoreCell;
use crate::const_access::ConstAccess;
use crate::store::Store;
use crate::system::base::{ParamError, SystemMeta};
use crate::system::memory::Keeper;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam};

/// Sources that fetch by another one: what is fetched for its `Got`, and how.
macro_rules! sources {
    ($($(#[$doc:meta])* $Source:ident => $Got:ty, $get:expr;)*) => {
        $(
            $(#[$doc])*
            #[doc(hidden)]
            pub struct $Source<S>(PhantomData<fn() -> S>);

            // SAFETY: `S` adds the access.
            unsafe impl<S: ParamSource> ParamSource for $Source<S> {
                type State = S::State;
                type Got<'w, 's> = $Got;

                const COUNT: usize = S::COUNT;
                const RECORDERS: usize = S::RECORDERS;
                const ACCESS: ConstAccess = S::ACCESS;

                fn init(store: &mut Store, meta: &mut SystemMeta) -> S::State {
                    S::init(store, meta)
                }

                #[inline]
                unsafe fn get<'w, 's>(
                    state: &'s mut S::State,
                    cell: StoreCell<'w>,
                ) -> Result<Self::Got<'w, 's>, ParamError> {
                    // SAFETY: the caller's promise.
                    unsafe { $get(state, cell) }
                }

                #[inline]
                fn apply(state: &mut S::State, meta: &SystemMeta, store: &mut Store) {
                    S::apply(state, meta, store);
                }

                fn rows(state: &S::State, store: &Store) -> Option<usize> {
                    S::rows(state, store)
                }

                fn remember(state: &mut S::State, keeper: &mut Keeper<'_>) {
                    S::remember(state, keeper);
                }

                fn discard(state: &mut S::State) {
                    S::discard(state);
                }
            }
        )*
    };
}

sources! {
    /// How a parameter is fetched that may be left out.
    OptionSource => Option<S::Got<'w, 's>>, |state, cell| S::get_if_there(state, cell);
    /// How a parameter is fetched of which the system is told why it cannot be had.
    ResultSource => Result<S::Got<'w, 's>, ParamError>, |state, cell| Ok(S::get(state, cell));
}

/// A parameter that may be missing: a resource that does not exist, a [`Single`](crate::system::Single) that matches nothing, or several
/// parameters of which one is missing.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
/// # #[derive(Resource)] struct Bonus(u32);
///
/// fn sum(both: Option<(Res<Score>, Res<Bonus>)>) -> u32 {
///     both.map_or(0, |(score, bonus)| score.0 + bonus.0)
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// assert_eq!(world.run_system_once(sum).unwrap(), 0);
/// world.insert_resource(Bonus(1));
/// assert_eq!(world.run_system_once(sum).unwrap(), 4);
/// ```
impl<P: SystemParam> SystemParam for Option<P> {
    type Source = OptionSource<P::Source>;
    type Item<'w, 's> = Option<P::Item<'w, 's>>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got.map(P::item)
    }
}

/// A parameter, or why it cannot be had.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::ParamError;
/// # #[derive(Resource, Debug)] struct Score(u32);
///
/// fn show(score: Result<Res<Score>, ParamError>) -> String {
///     score.map_or_else(|error| error.to_string(), |score| format!("{} points", score.0))
/// }
/// assert!(World::new().run_system_once(show).unwrap().contains("does not exist"));
/// ```
impl<P: SystemParam> SystemParam for Result<P, ParamError> {
    type Source = ResultSource<P::Source>;
    type Item<'w, 's> = Result<P::Item<'w, 's>, ParamError>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got.map(P::item)
    }
}

/// A builder of an `Option`: that of the parameter inside. See [`SystemParamBuilder`](crate::system::SystemParamBuilder).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{OptionBuilder, QueryParamBuilder, SystemParamBuilder};
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// world.spawn(Health(3));
/// let enemies = QueryParamBuilder::new(|builder| _ = builder.with::<Enemy>());
/// let state = (OptionBuilder(enemies),).build_state(&mut world);
/// let system = state.build_system(|enemies: Option<Query<&Health>>| enemies.unwrap().count());
/// assert_eq!(world.run_system_once(system).unwrap(), 0);
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct OptionBuilder<B>(pub B);

impl<P: SystemParam, B: BuildParam<P>> BuildParam<Option<P>> for OptionBuilder<B> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, OptionSource<P::Source>> {
        let built = self.0.build(site);
        // SAFETY: the parameter inside was built here, and is fetched by its source.
        unsafe { Built::new(built.state) }
    }
}

/// A builder of a `Result`: that of the parameter inside. See [`SystemParamBuilder`](crate::system::SystemParamBuilder).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{ParamBuilder, ParamError, ResultBuilder, SystemParamBuilder};
/// # #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let state = (ResultBuilder(ParamBuilder::resource::<Score>()),).build_state(&mut world);
/// let system = state.build_system(|score: Result<Res<Score>, ParamError>| score.is_err());
/// assert!(world.run_system_once(system).unwrap());
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct ResultBuilder<B>(pub B);

impl<P: SystemParam, B: BuildParam<P>> BuildParam<Result<P, ParamError>> for ResultBuilder<B> {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, ResultSource<P::Source>> {
        let built = self.0.build(site);
        // SAFETY: the parameter inside was built here, and is fetched by its source.
        unsafe { Built::new(built.state) }
    }
}
