//! A user without the standard library: what the macros emit must not name it.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings)]

use strata_ecs::event::Event;
use strata_ecs::prelude::*;

/// Where something is.
#[derive(Component, Debug, Clone, Copy)]
pub struct Position {
    /// To the right.
    pub x: i32,
    /// Upwards.
    pub y: i32,
}

/// It does not move.
#[derive(Component)]
#[component(storage = "sparse")]
#[require(Position { x: 10, y: 0 })]
pub struct Still;

/// The entity that something looks at.
#[derive(Component, Debug, PartialEq, Default)]
#[component(name = "gaze")]
pub struct Gaze {
    /// Where it looks, and where it has looked before.
    #[entities]
    pub at: Option<[Entity; 2]>,
}

/// The step.
#[derive(Resource)]
pub struct Step(pub i32);

/// An entity that moves.
#[derive(Bundle)]
pub struct Mover {
    /// Where it is.
    pub position: Position,
}

/// The data that is read.
#[derive(QueryData)]
pub struct Read {
    /// Where it is.
    pub position: &'static Position,
}

/// The entity that was hit.
#[derive(EntityEvent)]
pub struct Hit(pub Entity);

/// Something that can be hit.
#[derive(Component)]
#[component(on_add = |mut world, context| world.trigger(Hit(context.entity)))]
pub struct Target(pub u32);

/// Counts a hit.
#[observer(without(Still))]
pub fn hit(_: On<Hit>, target: &mut Target) {
    target.0 += 1;
}

/// The entities that move in one step.
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Steps {
    /// The first.
    First,
    /// The others.
    Later(u8),
}

/// When it is done.
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Update;

/// A step was made.
#[derive(Message, Event)]
pub struct Stepped;

/// Moving and unmoving entities.
#[derive(QueryData)]
pub enum Kind {
    /// An entity that does not move.
    Still(&'static Still),
    /// An entity that moves.
    Moves {
        /// Where it is.
        position: &'static Position,
    },
}

/// Matches entities with a position.
#[derive(QueryFilter)]
pub struct Placed(With<Position>);

/// Moves what is not still.
#[system(without(Still))]
pub fn movement(position: &mut Position, step: Res<Step>) {
    position.x += step.0;
}

/// The sum of all places.
#[system]
pub fn sum(all: Query<Read>, mut step: ResMut<Step>) -> Result {
    step.0 = all.iter().map(|read| read.position.x).sum();
    Ok(())
}

/// Runs both systems once on a world of two.
pub fn run() -> i32 {
    let mut world = World::new();
    world.insert_resource(Step(5));
    world.spawn(Mover { position: Position { x: 1, y: 0 } });
    world.spawn(Still);
    world.add_observer(hit);
    let target = world.spawn(Target(0)).id();
    assert_eq!(world.get::<Target>(target).map(|target| target.0), Some(1));
    let mut schedule = Schedule::default();
    schedule.add_systems((movement, sum));
    schedule.run(&mut world);
    assert!(Steps::First.intern() != Steps::Later(1).intern() && Update.intern() == Update.intern());
    let still =
        world.query_filtered::<Kind, Placed>().iter(&world).filter(|kind| matches!(kind, KindItem::Still(_))).count();
    assert_eq!(still, 1);
    world.resource::<Step>().0
}
