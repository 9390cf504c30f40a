//! Parameters of a generic type.
//!
//! Tests: tests/systems/params/struct_kinds.rs, tests/systems/params/singles.rs

use crate::system::param::{SystemParam, SystemParamItem};

/// A parameter of any type `P`, for functions that are generic in `P`. If such a function took a bare `P`, the compiler could not
/// know that `P` with other lifetimes is the same type.
///
/// ```
/// use std::ops::Deref;
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{StaticSystemParam, SystemParamItem};
/// # #[derive(Resource)] struct Score(u32);
///
/// fn points<P>(score: StaticSystemParam<P>) -> u32
/// where
///     P: SystemParam + 'static,
///     for<'w, 's> SystemParamItem<'w, 's, P>: Deref<Target = Score>,
/// {
///     score.0
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// assert_eq!(world.run_system_once(points::<Res<Score>>).unwrap(), 3);
/// assert_eq!(world.run_system_once(points::<ResMut<Score>>).unwrap(), 3);
/// ```
pub struct StaticSystemParam<'w, 's, P: SystemParam>(pub(crate) SystemParamItem<'w, 's, P>);

impl<'w, 's, P: SystemParam> StaticSystemParam<'w, 's, P> {
    /// Returns the parameter.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::StaticSystemParam;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// fn points(score: StaticSystemParam<Res<Score>>) -> u32 {
    ///     let score: Res<Score> = score.into_inner();
    ///     score.0
    /// }
    /// # let mut world = World::new();
    /// # world.insert_resource(Score(3));
    /// # assert_eq!(world.run_system_once(points).unwrap(), 3);
    /// ```
    pub fn into_inner(self) -> SystemParamItem<'w, 's, P> {
        self.0
    }
}

impl_deref_mut!(['w, 's, P: SystemParam] StaticSystemParam<'w, 's, P> => SystemParamItem<'w, 's, P>, |this| this.0);

impl_debug!([P: SystemParam] StaticSystemParam<'_, '_, P> => |_this, f| f.write_str(core::any::type_name::<Self>()));

params! {
    [P: SystemParam] StaticSystemParam<'_, '_, P> => StaticSystemParam<'w, 's, P>, P::Source, |got| StaticSystemParam(P::item(got));
}
