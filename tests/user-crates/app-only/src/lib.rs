//! A user that depends on `strata-app` alone, under another name.
//!
//! ```
//! assert_eq!(strata_user_app_only::run(3), 6);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, rust_2018_idioms, unused_qualifications, unreachable_pub)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use application::ecs::entity::MapEntities;
use application::prelude::*;

/// A count.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Count(pub u32);

/// Whose count it is.
#[derive(Component, MapEntities, Clone, Copy, Debug)]
pub struct Owner(pub Entity);

/// An amount to add.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Amount(pub u32);

/// A count has changed.
#[derive(Message, Clone, Copy, Debug)]
pub struct Counted;

/// Counting begins.
#[derive(Event, Clone, Copy, Debug)]
pub struct Begin;

/// Whether it counts.
#[derive(States, Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// It counts.
    #[default]
    Counting,
    /// It does not.
    Idle,
}

/// Where systems that count are.
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counting;

/// A counter.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Counter {
    /// The count.
    pub count: Count,
}

/// A count.
#[derive(QueryData)]
pub struct Counts {
    /// The count.
    pub count: &'static Count,
}

/// How many there are.
#[derive(SystemParam)]
pub struct Total<'w, 's> {
    /// All counts.
    pub counts: Query<'w, 's, Counts>,
}

/// Adds the amount to each count.
#[system]
pub fn add(count: &mut Count, amount: Res<'_, Amount>, mut counted: MessageWriter<'_, Counted>) {
    count.0 += amount.0;
    counted.write(Counted);
}

/// Spawns a counter and what belongs to it.
#[observer]
pub fn begin(_: On<'_, '_, Begin>, mut commands: Commands<'_, '_>) {
    let counter = commands.spawn(Counter { count: Count(0) }).id();
    commands.spawn((Owner(counter), children![()]));
}

#[system]
fn total(total: Total<'_, '_>) -> u32 {
    total.counts.iter().map(|item| item.count.0).sum()
}

/// Counts for some frames; returns the sum of the counts.
#[must_use]
pub fn run(frames: u32) -> u32 {
    let mut app = App::new();
    app.init_state::<Mode>().insert_resource(Amount(2)).add_observer(begin);
    app.add_systems(Update, add.in_set(Counting).run_if(in_state(Mode::Counting)));
    app.world_mut().trigger(Begin);
    for _ in 0..frames {
        app.update();
    }
    app.world_mut().run_system_once(total).unwrap_or_default()
}
