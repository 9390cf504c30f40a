//! Parameters that may be missing.
//!
//! Tests: tests/systems/params/optional.rs, tests/systems/params/if_and_name.rs

use core::marker::PhantomData;

use crate::access::const_access::ConstAccess;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam};
use crate::system::param_error::ParamError;

/// A parameter that skips the system if the inner parameter is missing. This is not a failure: a schedule goes on with the next
/// system, and a condition does not hold.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::If;
///
/// #[derive(Resource)]
/// struct Target(u32);
///
/// fn shoot(If(target): If<Res<Target>>, mut shots: ResMut<Shots>) {
///     shots.0 += target.0;
/// }
/// # #[derive(Resource)] struct Shots(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Shots(0));
/// let mut schedule = Schedule::default();
/// schedule.add_systems(shoot);
/// schedule.try_run(&mut world).unwrap(); // There is no target.
/// world.insert_resource(Target(2));
/// schedule.try_run(&mut world).unwrap();
/// assert_eq!(world.resource::<Shots>().0, 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct If<P>(pub P);

impl<P> If<P> {
    /// Returns the parameter.
    pub fn into_inner(self) -> P {
        self.0
    }
}

impl_deref_mut!([P] If<P> => P, |this| this.0);

/// Defines sources that fetch another parameter and convert the result, each with its builder.
macro_rules! sources {
    ($(
        $(#[$doc:meta])* $Source:ident => $Got:ty, $get:ident |$got:ident| $done:expr;
        $(#[$builder_doc:meta])* $Builder:ident of $Param:ty;
    )*) => { $(
        $(#[$doc])*
        #[doc(hidden)]
        pub struct $Source<S>(PhantomData<fn() -> S>);

        forwarding_source! {
            [S: ParamSource] $Source<S> => S, $Got;
            COUNT = S::COUNT, ACCESS = S::ACCESS;
            init |store, meta| S::init(store, meta);
            $get |$got| $done;
        }

        $(#[$builder_doc])*
        #[derive(Clone, Copy, Default, Debug)]
        pub struct $Builder<B>(pub B);

        impl<P: SystemParam, B: BuildParam<P>> BuildParam<$Param> for $Builder<B> {
            fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, $Source<P::Source>> {
                self.0.build(site).forwarded()
            }
        }
    )* };
}

sources! {
    /// The source of a parameter that may be absent.
    OptionSource => Option<S::Got<'w, 's>>, get_if_there |got| got;
    /// Builds an `Option` with the builder of the parameter inside. See [`SystemParamBuilder`](crate::system::SystemParamBuilder).
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
    OptionBuilder of Option<P>;

    /// The source of a parameter that returns the error if it cannot be fetched.
    ResultSource => Result<S::Got<'w, 's>, ParamError>, get |got| Ok(got);
    /// Builds a `Result` with the builder of the parameter inside. See [`SystemParamBuilder`](crate::system::SystemParamBuilder).
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
    ResultBuilder of Result<P, ParamError>;

    /// The source of a parameter that skips the system if it is missing.
    SkippingSource => S::Got<'w, 's>, get |got| got.map_err(ParamError::into_skip);
    /// Builds an [`If`] with the builder of the parameter inside. See [`SystemParamBuilder`](crate::system::SystemParamBuilder).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::{IfBuilder, LocalBuilder, ParamBuilder, SystemParamBuilder};
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// fn sum(If((first, score)): If<(Local<u32>, Res<Score>)>) -> u32 {
    ///     *first + score.0
    /// }
    ///
    /// let mut world = World::new();
    /// let state = (IfBuilder((LocalBuilder(4), ParamBuilder)),).build_state(&mut world);
    /// let system = world.register_system(state.build_any_system(sum));
    /// assert!(world.run_system(system).is_err()); // There is no score, so it is skipped.
    /// world.insert_resource(Score(3));
    /// assert_eq!(world.run_system(system).unwrap(), 7);
    /// ```
    IfBuilder of If<P>;
}

params! {
    /// A parameter that may be absent: a resource that does not exist, a [`Single`](crate::system::Single) that matches nothing, or
    /// a tuple of parameters of which one is absent.
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
    [P: SystemParam] Option<P> => Option<P::Item<'w, 's>>, OptionSource<P::Source>, |got| got.map(P::item);

    /// A parameter, or the error that says why it cannot be fetched.
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
    [P: SystemParam] Result<P, ParamError> => Result<P::Item<'w, 's>, ParamError>, ResultSource<P::Source>, |got| got.map(P::item);

    [P: SystemParam] If<P> => If<P::Item<'w, 's>>, SkippingSource<P::Source>, |got| If(P::item(got));
}
