//! Why queries match what they match.

use super::cast::World;
use crate::query::{QueryData, QueryExplanation, QueryFilter};

impl World {
    /// Why a query matches what it matches, and which of its terms is to blame if that is nothing.
    ///
    /// Looks at the world as it is and changes nothing in it: no component is registered and no changes are tracked. What is
    /// new is what has changed since [`World::clear_trackers`]; a system sees what has changed since its own last run. Of a
    /// component whose changes are not tracked yet, everything counts as new.
    ///
    /// It costs `O(tables * terms)`, and `O(rows)` of the tables that are left for each term that is decided row by row:
    /// changes, and components with sparse storage. It is not for the hot path.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// let mut world = World::new();
    /// world.spawn(Position(1.0));
    /// let explanation = world.explain_query::<(&mut Position, &Velocity)>();
    /// assert_eq!(explanation.culprit().unwrap().term(), "&Velocity");
    /// assert!(explanation.to_string().ends_with("the world has never met `Velocity`: no entity has had one"));
    /// ```
    #[must_use]
    #[doc(alias("debug_query", "why"))]
    pub fn explain_query<D: QueryData>(&self) -> QueryExplanation {
        QueryExplanation::of::<D, ()>(&self.store)
    }

    /// As [`World::explain_query`], of a query with a filter.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Frozen;
    /// let mut world = World::new();
    /// world.spawn((Position(1.0), Frozen));
    /// world.spawn(Position(2.0));
    /// let explanation = world.explain_query_filtered::<&Position, Without<Frozen>>();
    /// assert_eq!(explanation.matched_entities(), 1);
    /// println!("{explanation}");
    /// ```
    #[must_use]
    pub fn explain_query_filtered<D: QueryData, F: QueryFilter>(&self) -> QueryExplanation {
        QueryExplanation::of::<D, F>(&self.store)
    }
}
