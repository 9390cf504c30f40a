//! Explains the cost of a frame of a ring: which components are shared with the previous frame.
//!
//! Tests: tests/snapshots/shared.rs

use alloc::vec::Vec;
use core::fmt;

use super::ring::SnapshotRing;
use crate::world::World;

/// Describes how the frames of a [`SnapshotRing`] store the components of a world: see [`SnapshotRing::explain`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RingExplanation {
    shared: Vec<&'static str>,
    cloned: Vec<(&'static str, &'static str)>,
}

impl RingExplanation {
    /// Returns the components whose values are shared between frames as long as nothing borrows them mutably.
    pub fn shared(&self) -> impl ExactSizeIterator<Item = &'static str> + '_ {
        self.shared.iter().copied()
    }

    /// Returns the components whose values are cloned for each frame, each with the first type in it that may contain a
    /// cell.
    pub fn cloned(&self) -> impl ExactSizeIterator<Item = (&'static str, &'static str)> + '_ {
        self.cloned.iter().copied()
    }
}

impl fmt::Display for RingExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in &self.shared {
            writeln!(f, "`{name}` is shared between frames while nobody borrows its values mutably")?;
        }
        for (name, cell) in &self.cloned {
            writeln!(f, "`{name}` is cloned for each frame: `{cell}` may contain cells, locks or atomics")?;
        }
        Ok(())
    }
}

impl SnapshotRing {
    /// Explains which components of a world the frames of a ring share, and which each frame clones. A component is
    /// cloned if its values may change through a shared reference. The derive of
    /// [`Component`](derive@crate::component::Component) decides this by the types of the fields. For a type that it
    /// does not know, the author can write `#[component(no_cells)]`, or `#[describe(no_cells)]` above the type of a
    /// field.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::SnapshotRing;
    ///
    /// #[derive(Component, Clone)]
    /// struct Path(Vec<(f32, f32)>);
    /// #[derive(Component)]
    /// struct Cache(Mutex<u32>);
    ///
    /// let mut world = World::new();
    /// world.spawn((Path(Vec::new()), Cache(Mutex::new(0))));
    /// let explanation = SnapshotRing::explain(&world);
    /// assert!(explanation.shared().any(|name| name.ends_with("Path")));
    /// let (name, cell) = explanation.cloned().next().unwrap();
    /// assert!(name.ends_with("Cache") && cell.contains("Mutex"));
    /// ```
    #[must_use]
    pub fn explain(world: &World) -> RingExplanation {
        let (mut shared, mut cloned) = (Vec::new(), Vec::new());
        for descriptor in world.components().iter().map(|info| info.descriptor()) {
            match descriptor.possible_cell() {
                None => shared.push(descriptor.name()),
                Some(cell) => cloned.push((descriptor.name(), cell)),
            }
        }
        RingExplanation { shared, cloned }
    }
}
