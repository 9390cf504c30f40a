//! Marker components that keep tables separate if the entities in them had different left-out components: see
//! [`WorldFormat::keeping_tables`](crate::WorldFormat::keeping_tables).
//!
//! Each set of left-out components has a number. A table of entities with this set has the marker components for the bits of that number.
//!
//! Tests: tests/snapshots/replays.rs

use strata_ecs::change::Tick;
use strata_ecs::prelude::Component;
use strata_ecs::snapshot::NewColumnContents;

use crate::format::WorldFormat;

macro_rules! bits {
    ($($Bit:ident $name:literal)*) => {
        $(
            #[derive(Component, Clone, Copy, PartialEq, Eq, Hash, Debug)]
            #[component(name = $name, save = "skip")]
            struct $Bit;
        )*

        /// Functions, one for each bit of the number of a set, that create a column of marker values.
        const COLUMNS: &[fn(usize, Tick) -> NewColumnContents] =
            &[$(|count, stamp| NewColumnContents::of(vec![$Bit; count], stamp)),*];
    };
}

bits! {
    Apart0 "strata.apart_0"
    Apart1 "strata.apart_1"
    Apart2 "strata.apart_2"
    Apart3 "strata.apart_3"
    Apart4 "strata.apart_4"
    Apart5 "strata.apart_5"
    Apart6 "strata.apart_6"
    Apart7 "strata.apart_7"
    Apart8 "strata.apart_8"
    Apart9 "strata.apart_9"
    Apart10 "strata.apart_10"
    Apart11 "strata.apart_11"
    Apart12 "strata.apart_12"
    Apart13 "strata.apart_13"
    Apart14 "strata.apart_14"
    Apart15 "strata.apart_15"
}

/// Returns the marker columns of a table with `count` rows. `set` is the number of the set of left-out components that the entities had;
/// `None` if there are more sets than the markers can tell apart.
pub(crate) fn columns(set: usize, count: usize, stamp: Tick) -> Option<Vec<NewColumnContents>> {
    let is_set = |bit: &usize| set >> bit & 1 == 1;
    (set < 1 << COLUMNS.len())
        .then(|| (0..COLUMNS.len()).filter(is_set).map(|bit| COLUMNS[bit](count, stamp)).collect())
}

impl WorldFormat {
    /// Keeps entities in separate tables if they had different left-out components. Then the loaded world continues like the saved one:
    /// rows, tables and ids have the same order, even after entities have been spawned and despawned. Without this option, the rows of
    /// tables that differ only in left-out components become rows of one table. Use it in programs that continue one saved world in two
    /// places, such as lockstep; a [`Recorder`](crate::Recorder) uses it by default.
    ///
    /// Marker components of this crate keep the tables separate. If another component of an entity requires a left-out component, the load
    /// constructs it for the entities that had it. Otherwise the loaded entities do not have it. If systems then insert or remove it, rows
    /// can get another order than in the saved world, unless the component has sparse storage.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// #[component(save = "skip")]
    /// struct Sprite;
    ///
    /// let mut world = World::new();
    /// let ids = [0, 1, 2, 3].map(|at| match at % 2 {
    ///     0 => world.spawn((Health(at), Sprite)).id(),
    ///     _ => world.spawn(Health(at)).id(),
    /// });
    /// let format = WorldFormat::new().with_components(components![Health]).keeping_tables();
    /// let bytes = format.save(&mut world)?;
    /// let mut loaded = World::new();
    /// format.load(&mut loaded, &bytes)?;
    /// let rows = [&mut world, &mut loaded].map(|world| {
    ///     world.despawn(ids[0]);
    ///     world.query_filtered::<Entity, With<Health>>().iter(world).collect::<Vec<_>>()
    /// });
    /// assert_eq!(rows[0], rows[1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keeping_tables(mut self) -> Self {
        self.keeps_tables = true;
        self
    }

    /// Returns the format in which a recorder saves and a player loads. The state of consumers affects what systems do, so it is saved
    /// where possible, even if this format leaves it out.
    pub(crate) fn for_replays(&self) -> Self {
        let mut format = self.clone();
        format.keeps_tables = true;
        format.skips_consumers = self.new_consumers;
        format.skips_locals |= self.new_consumers;
        format.new_consumers = false;
        format
    }
}
