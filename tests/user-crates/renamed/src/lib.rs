//! A strict user: no unsafe code, every item documented, no warning of any lint that is not purely a matter of taste,
//! and the dependency under a name of its own.
//!
//! ```
//! use strata_user_renamed::{Position, simulate};
//!
//! assert_eq!(simulate(3), Position { x: 3.0, y: 6.0 });
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, rust_2018_idioms, unused_qualifications, unreachable_pub, let_underscore_drop)]
#![deny(single_use_lifetimes, trivial_casts, unused_lifetimes, variant_size_differences)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use ecs_renamed::prelude::*;

pub mod bare;
pub mod events;

/// Where something is.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(crate = ecs_renamed)]
pub struct Position {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// How it moves.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(crate = ecs_renamed)]
pub struct Velocity {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// It does not move.
#[derive(Component, Clone, Copy, Debug)]
#[component(storage = "sparse", crate = ecs_renamed)]
pub struct Stunned;

/// A value of any kind.
#[derive(Component, Clone, Copy, Debug)]
#[component(crate = ecs_renamed)]
pub struct Tagged<T, const N: usize>
where
    T: Send + Sync + 'static,
{
    /// The values.
    pub values: [T; N],
}

/// A part of a bond.
#[derive(ecs_renamed::component::Describe, ecs_renamed::entity::MapEntities, Clone, Copy, Debug)]
#[describe(name = "end", crate = ecs_renamed)]
#[map_entities(crate = ecs_renamed)]
pub struct End {
    /// The entity that is bound.
    pub to: Entity,
}

/// Entities that belong together.
#[derive(Component, Clone, Debug)]
#[component(name = "bond", crate = ecs_renamed)]
pub enum Bond {
    /// Two.
    Pair(#[entities] End, #[entities] End),
    /// Many.
    Many {
        /// All of them.
        #[entities]
        all: Vec<End>,
        /// The first.
        first: Entity,
    },
}

/// The time of a step.
#[derive(Resource, Clone, Copy, Debug)]
#[resource(crate = ecs_renamed)]
pub struct Dt(pub f32);

/// How many there are.
#[derive(Resource, Clone, Copy, Debug, Default)]
#[resource(crate = ecs_renamed)]
pub struct Census {
    /// How many move.
    pub moving: usize,
}

/// An entity that moves.
#[derive(Bundle, Clone, Copy, Debug, Default)]
#[bundle(crate = ecs_renamed)]
pub struct Mover {
    /// Where it is.
    pub position: Position,
    /// How it moves.
    pub velocity: Velocity,
}

/// A mover, read.
#[derive(QueryData)]
#[query_data(crate = ecs_renamed, derive(Debug, Clone, Copy))]
pub struct Moving {
    /// Its id.
    pub entity: Entity,
    /// Where it is.
    pub position: &'static Position,
    /// How it moves.
    pub velocity: Option<&'static Velocity>,
}

/// A mover, written.
#[derive(QueryData)]
#[query_data(mutable, crate = ecs_renamed, derive(Debug))]
pub struct MovingMut {
    /// Where it is.
    pub position: &'static mut Position,
    /// Whether it is stunned.
    pub stunned: Has<Stunned>,
}

/// Moves what is not stunned.
#[system(without(Stunned), crate = ecs_renamed)]
pub fn movement(position: &mut Position, velocity: &Velocity, dt: Res<'_, Dt>) {
    position.x = velocity.x.mul_add(dt.0, position.x);
    position.y = velocity.y.mul_add(dt.0, position.y);
}

/// Counts what moves.
///
/// # Errors
/// Nothing moves.
#[system(crate = ecs_renamed)]
pub fn census(all: Query<'_, '_, Moving, With<Velocity>>, mut out: ResMut<'_, Census>) -> Result {
    out.moving = all.count();
    if out.moving == 0 {
        return Err("nothing moves".into());
    }
    Ok(())
}

/// Adds to each value.
#[system(crate = ecs_renamed)]
pub fn add<T, const N: usize>(tagged: &mut Tagged<T, N>, mut stunned: Query<'_, '_, MovingMut>)
where
    T: Copy + core::ops::AddAssign + From<u8> + Send + Sync + 'static,
{
    for value in &mut tagged.values {
        *value += T::from(1);
    }
    for mut item in &mut stunned {
        if item.stunned {
            item.position.x = 0.0;
        }
    }
}

/// Lets one mover move for some steps.
///
/// # Panics
/// Never: there is a mover.
#[must_use]
pub fn simulate(steps: usize) -> Position {
    let mut world = World::new();
    world.insert_resource(Dt(1.0));
    world.init_resource::<Census>();
    let entity = world.spawn(Mover { velocity: Velocity { x: 1.0, y: 2.0 }, ..Mover::default() }).id();
    world.spawn((Mover::default(), Stunned, Tagged { values: [1_u8, 2] }));
    let mut schedule = Schedule::default();
    schedule.add_systems((movement, census, add::<u8, 2>).chain());
    for _ in 0..steps {
        schedule.run(&mut world);
    }
    assert_eq!(world.resource::<Census>().moving, 2);
    *world.get::<Position>(entity).expect("the mover has a position")
}

/// The parameters of a step.
#[derive(SystemParam)]
#[system_param(crate = ecs_renamed)]
pub struct Step<'w, 's, T: Component> {
    /// How long it is.
    pub dt: Option<Res<'w, Dt>>,
    /// All entities with the component.
    pub all: Query<'w, 's, &'static T>,
    runs: Local<'s, u32>,
    private: Option<Res<'w, Private>>,
}

#[derive(Resource, Debug)]
#[resource(crate = ecs_renamed)]
struct Private;

/// Counts the steps, and what there is; `None` if there is something that cannot have been inserted.
#[must_use]
pub fn steps(mut step: Step<'_, '_, Position>) -> Option<(u32, usize)> {
    *step.runs += 1;
    step.private.is_none().then(|| (*step.runs, step.all.count()))
}
