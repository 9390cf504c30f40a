//! Explanations of the matches of queries.
//!
//! Tests: tests/queries/explain.rs

use super::cast::World;
use crate::query::{QueryData, QueryExplanation, QueryFilter};

impl World {
    /// Explains which entities a query matches. If it matches none, the explanation lists the terms that exclude
    /// entities.
    ///
    /// Only reads the world: no component is registered, and the call does not start the tracking of changes. A change
    /// counts as new if it was made after the last [`World::clear_trackers`]; in a system, the changes since the last
    /// run of the system count. If the changes of a component are not tracked yet, all its values count as new.
    ///
    /// The cost is `O(tables * terms)`, plus `O(rows)` of the remaining tables for each term that is evaluated per row:
    /// terms for changes, and for components with sparse storage. It is not meant for hot paths.
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

    /// Explains which entities a query with a filter matches, like [`World::explain_query`].
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
