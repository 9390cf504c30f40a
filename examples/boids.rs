//! 10,000 boids in flocks: parallel row systems, and a grid as a resource that finds the neighbours.
//!
//! ```text
//! cargo run --release --example boids
//! cargo run --release --example boids -- --boids 50000 --steps 600 --out many.gif
//! ```
//!
//! The program writes the animation `boids.gif`. It runs the same flight on one thread and on two, prints the time of a
//! step for both, and checks that both end in the same place: the number of threads changes the time and nothing else.

use std::error::Error;
use std::f32::consts::TAU;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gif::{Encoder, Frame, Repeat};
use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;

/// The size of the sky in pixels. Boids that leave it on one side come back on the other.
const WIDTH: f32 = 480.0;
const HEIGHT: f32 = 300.0;
/// How far a boid sees, which is also the side of a cell of the grid.
const SIGHT: f32 = 7.5;
/// How near another boid may come before a boid turns away from it.
const NEAR: f32 = 3.4;
const COLUMNS: usize = (WIDTH / SIGHT) as usize;
const ROWS: usize = (HEIGHT / SIGHT) as usize;

#[derive(Clone, Copy, Component, Default)]
struct Position(Vector);

#[derive(Clone, Copy, Component, Default)]
struct Velocity(Vector);

/// The change of velocity that a boid wants.
#[derive(Clone, Copy, Component, Default)]
struct Steering(Vector);

type Vector = [f32; 2];

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

/// A world with `boids` boids anywhere in the sky, whose loops run on `threads` threads.
fn build(boids: usize, threads: usize) -> Result<(World, Schedule), Box<dyn Error>> {
    let mut world = World::new();
    world.set_thread_pool(Arc::new(ThreadPoolBuilder::new().num_threads(threads).build()?));
    world.init_resource::<Grid>();
    let mut random = oorandom::Rand32::new(7);
    let mut between = |low: f32, high: f32| low + random.rand_float() * (high - low);
    world.spawn_batch((0..boids).map(|_| {
        let position = Position([between(0.0, WIDTH), between(0.0, HEIGHT)]);
        (position, Velocity([between(-1.0, 1.0), between(-1.0, 1.0)]), Steering::default())
    }));
    let mut schedule = Schedule::default();
    schedule.add_systems((sort, steer, fly).chain());
    Ok((world, schedule))
}

/// A number that differs if any boid is anywhere else.
fn checksum(world: &mut World) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (position, velocity) in world.query::<(&Position, &Velocity)>().iter(world) {
        for value in position.0.into_iter().chain(velocity.0) {
            hasher.write_u32(value.to_bits());
        }
    }
    hasher.finish()
}

/// The animation: each boid is a dot in the colour of its heading.
struct Film(Encoder<File>);

/// The palette holds the sky, and after it a colour for each of these headings.
const HEADINGS: u8 = 16;
/// The film shows this many steps at the end of the flight, every other one as a frame.
const FILMED: u32 = 300;

impl Film {
    fn new(file: &str) -> Result<Self, Box<dyn Error>> {
        let mut palette = vec![[10, 12, 24]];
        palette.extend((0..HEADINGS).map(|heading| {
            let turn = f32::from(heading) / f32::from(HEADINGS);
            [0.0, 1.0, 2.0].map(|channel| (170.0 + 85.0 * ((turn - channel / 3.0) * TAU).cos()) as u8)
        }));
        let file = File::create(file).map_err(|error| format!("{file}: cannot be written: {error}"))?;
        let mut encoder = Encoder::new(file, WIDTH as u16, HEIGHT as u16, palette.as_flattened())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Film(encoder))
    }

    /// Appends a frame: a query outside of systems reads what the systems wrote.
    fn take(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        let mut pixels = vec![0; WIDTH as usize * HEIGHT as usize];
        for (position, velocity) in world.query::<(&Position, &Velocity)>().iter(world) {
            let turn = velocity.0[1].atan2(velocity.0[0]) / TAU + 1.0;
            let (x, y) = (position.0[0] as usize, position.0[1] as usize);
            pixels[y * WIDTH as usize + x] = 1 + (turn * f32::from(HEADINGS)) as u8 % HEADINGS;
        }
        let mut frame = Frame::from_indexed_pixels(WIDTH as u16, HEIGHT as u16, pixels, None);
        frame.delay = 4;
        Ok(self.0.write_frame(&frame)?)
    }
}

/// Flies `steps` steps on `threads` threads. Returns the time that they took, without the film, and the checksum.
fn run(boids: usize, steps: u32, threads: usize, mut film: Option<Film>) -> Result<(Duration, u64), Box<dyn Error>> {
    let (mut world, mut schedule) = build(boids, threads)?;
    let (mut time, mut said) = (Duration::ZERO, Instant::now());
    for step in 1..=steps {
        let start = Instant::now();
        schedule.run(&mut world);
        time += start.elapsed();
        if let Some(film) = &mut film
            && step + FILMED > steps
            && step % 2 == 0
        {
            film.take(&mut world)?;
        }
        if said.elapsed() > Duration::from_secs(1) {
            eprintln!("  step {step} of {steps}, threads: {threads}");
            said = Instant::now();
        }
    }
    Ok((time, checksum(&mut world)))
}

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut boids, mut steps, mut out) = (10_000, 400, String::from("boids.gif"));
    let mut options = lexopt::Parser::from_env();
    while let Some(option) = options.next()? {
        match option {
            Long("boids") => boids = options.value()?.parse()?,
            Long("steps") => steps = options.value()?.parse()?,
            Long("out") => out = options.value()?.string()?,
            _ => return Err("the options are --boids N, --steps N and --out FILE.gif".into()),
        }
    }

    println!("{boids} boids fly {steps} steps, first on one thread and then on two.");
    let runs = [run(boids, steps, 1, Some(Film::new(&out)?))?, run(boids, steps, 2, None)?];
    for (threads, (time, checksum)) in ["one thread: ", "two threads:"].into_iter().zip(runs) {
        println!(
            "{threads} {:6.2} ms a step, checksum {checksum:016x}",
            time.as_secs_f64() * 1e3 / f64::from(steps.max(1))
        );
    }
    assert_eq!(runs[0].1, runs[1].1, "the number of threads changed the flight");
    println!("\nBoth flights end in the same place. The film of the last steps is in {out}.");
    println!("Next: give `--boids 50000` a try, or change the three weights in `steer` and look at the film again.");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_number_of_threads_does_not_change_the_flight() {
        let [one, two] = [1, 2].map(|threads| super::run(2_000, 5, threads, None).unwrap().1);
        assert_eq!(one, two);
    }
}
