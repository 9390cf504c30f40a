//! The one target of an exclusive relation, in the data of a query.
//!
//! Tests: tests/relationships/pairs/queries.rs

use core::marker::PhantomData;

use super::data::{QueryData, ReadOnlyQueryData};
use super::fetch::{Fetch, Kept};
use super::nested::NestedQuery;
use super::terms::Pairs;
use crate::relations::relation::Relation;

/// In a query: data `D` of the only target of an [exclusive](Relation::EXCLUSIVE) relation `R`. The term matches entities that are
/// the source of a pair. The item is `None` if the target does not match `D`. `D` is read-only. The term does not compile inside or
/// together with a query that writes components that `D` reads, unless filters separate the entities.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Heading(f32);
/// #[derive(Relation)]
/// #[relation(exclusive)]
/// struct Hunting;
///
/// fn turn(mut hunters: Query<(&Position, &mut Heading, Target<Hunting, &Position>)>) {
///     for (at, mut heading, prey) in &mut hunters {
///         if let Some(prey) = prey {
///             heading.0 = (prey.0 - at.0).signum();
///         }
///     }
/// }
///
/// let mut world = World::new();
/// let rabbit = world.spawn(Position(-3.0)).id();
/// let wolf = world.spawn((Position(2.0), Heading(0.0))).relate(Hunting, rabbit).id();
/// world.run_system_once(turn).unwrap();
/// assert_eq!(world.get::<Heading>(wolf).unwrap().0, -1.0);
/// ```
pub struct Target<R, D>(PhantomData<fn() -> (R, D)>);

impl_debug_as_type_name! { [R, D] Target<R, D>; }

/// The query data of which `Target` consists.
type PairAndQuery<R, D> = (Pairs<&'static R>, NestedQuery<D>);

impl<R: Relation, D: ReadOnlyQueryData> QueryData for Target<R, D> {
    type Terms = <PairAndQuery<R, D> as QueryData>::Terms;
    type ReadOnly = Self;
    type Item<'w, 's> = Option<D::Item<'w, 's>>;

    #[inline]
    fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
        const {
            assert!(
                R::EXCLUSIVE,
                "only a source of an exclusive relation has one target: write `#[relation(exclusive)]`"
            )
        }
        let (mut pairs, query) = <PairAndQuery<R, D> as QueryData>::item(got, kept);
        let (target, _) = pairs.next()?;
        query.get_inner(target).ok()
    }
}
