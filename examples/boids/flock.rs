//! The boids and their rules: what a step is. Nothing here knows where it runs; the page in `examples/web` has it too.

use std::hash::{DefaultHasher, Hasher};

use strata_ecs::prelude::*;

/// The size of the sky in pixels. Boids that leave it on one side come back on the other.
pub(crate) const WIDTH: f32 = 480.0;
pub(crate) const HEIGHT: f32 = 300.0;
/// How far a boid sees, which is also the side of a cell of the grid.
const SIGHT: f32 = 7.5;
/// How near another boid may come before a boid turns away from it.
const NEAR: f32 = 3.4;
const COLUMNS: usize = (WIDTH / SIGHT) as usize;
const ROWS: usize = (HEIGHT / SIGHT) as usize;

#[derive(Clone, Copy, Component, Default)]
pub(crate) struct Position(pub(crate) Vector);

#[derive(Clone, Copy, Component, Default)]
pub(crate) struct Velocity(pub(crate) Vector);

/// The change of velocity that a boid wants.
#[derive(Clone, Copy, Component, Default)]
struct Steering(Vector);

pub(crate) type Vector = [f32; 2];

/// All boids sorted by cell, so that the neighbours of a boid lie in a few slices.
#[derive(Default, Resource)]
struct Grid {
    /// `boids[starts[cell]..starts[cell + 1]]` are the boids of a cell.
    starts: Vec<usize>,
    boids: Vec<(Position, Velocity)>,
}

impl Grid {
    fn cell(position: &Position) -> [usize; 2] {
        let [x, y] = position.0;
        [((x / SIGHT) as usize).min(COLUMNS - 1), ((y / SIGHT) as usize).min(ROWS - 1)]
    }

    /// The boids in the cell of `position` and in the eight around it.
    fn around(&self, position: &Position) -> [&[(Position, Velocity)]; 9] {
        let [column, row] = Self::cell(position);
        let columns = [column + COLUMNS - 1, column, column + 1];
        let rows = [row + ROWS - 1, row, row + 1];
        std::array::from_fn(|i| {
            let cell = rows[i / 3] % ROWS * COLUMNS + columns[i % 3] % COLUMNS;
            &self.boids[self.starts[cell]..self.starts[cell + 1]]
        })
    }
}

/// A world system: sorts all boids into the grid, by counting.
#[system]
fn sort(boids: Query<(&Position, &Velocity)>, mut grid: ResMut<Grid>) {
    let grid = &mut *grid;
    grid.starts.clear();
    grid.starts.resize(COLUMNS * ROWS + 1, 0);
    let cell = |position| {
        let [column, row] = Grid::cell(position);
        row * COLUMNS + column
    };
    for (position, _) in &boids {
        grid.starts[cell(position)] += 1;
    }
    let mut end = 0;
    for start in &mut grid.starts {
        end += *start;
        *start = end;
    }
    // Each cell now holds its end. Filling the cells from their ends turns the ends into the starts.
    grid.boids.resize(boids.count(), Default::default());
    for (position, velocity) in &boids {
        let start = &mut grid.starts[cell(position)];
        *start -= 1;
        grid.boids[*start] = (*position, *velocity);
    }
}

/// A row system that threads share: `par`. It reads the grid and writes only its own row, so the order of rows is free.
#[system(par)]
fn steer(position: &Position, velocity: &Velocity, steering: &mut Steering, grid: Res<Grid>) {
    let (mut apart, mut heading, mut centre, mut seen) = ([0.0; 2], [0.0; 2], [0.0; 2], 0.0);
    for (other, course) in grid.around(position).into_iter().flatten() {
        let away = [wrap(position.0[0] - other.0[0], WIDTH), wrap(position.0[1] - other.0[1], HEIGHT)];
        let distance = away[0] * away[0] + away[1] * away[1];
        if distance > 0.0 && distance < SIGHT * SIGHT {
            seen += 1.0;
            for axis in 0..2 {
                apart[axis] += if distance < NEAR * NEAR { away[axis] / (distance + 0.3) } else { 0.0 };
                heading[axis] += course.0[axis];
                centre[axis] -= away[axis];
            }
        }
    }
    let mean = 1.0 / f32::max(seen, 1.0);
    steering.0 = [0, 1].map(|axis| {
        let align = if seen > 0.0 { heading[axis] * mean - velocity.0[axis] } else { 0.0 };
        0.045 * apart[axis] + 0.06 * align + 0.006 * centre[axis] * mean
    });
}

/// The shortest way along an axis of the sky, whose ends meet.
fn wrap(difference: f32, size: f32) -> f32 {
    if difference > size / 2.0 {
        difference - size
    } else if difference < -size / 2.0 {
        difference + size
    } else {
        difference
    }
}

#[system(par)]
fn fly(position: &mut Position, velocity: &mut Velocity, steering: &Steering) {
    let wanted = [velocity.0[0] + steering.0[0], velocity.0[1] + steering.0[1]];
    let speed = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt().max(1e-6);
    let kept = speed.clamp(0.6, 1.2) / speed;
    velocity.0 = [wanted[0] * kept, wanted[1] * kept];
    position.0[0] = (position.0[0] + velocity.0[0] + WIDTH) % WIDTH;
    position.0[1] = (position.0[1] + velocity.0[1] + HEIGHT) % HEIGHT;
}

/// Spawns `boids` boids anywhere in the sky of an empty world.
pub(crate) fn populate(world: &mut World, boids: usize) {
    world.init_resource::<Grid>();
    let mut random = oorandom::Rand32::new(7);
    let mut between = |low: f32, high: f32| low + random.rand_float() * (high - low);
    world.spawn_batch((0..boids).map(|_| {
        let position = Position([between(0.0, WIDTH), between(0.0, HEIGHT)]);
        (position, Velocity([between(-1.0, 1.0), between(-1.0, 1.0)]), Steering::default())
    }));
}

/// The systems of a step.
pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems((sort, steer, fly).chain());
    schedule
}

/// A number that differs if any boid is anywhere else.
pub(crate) fn checksum(world: &mut World) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (position, velocity) in world.query::<(&Position, &Velocity)>().iter(world) {
        for value in position.0.into_iter().chain(velocity.0) {
            hasher.write_u32(value.to_bits());
        }
    }
    hasher.finish()
}
