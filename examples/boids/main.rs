//! 10,000 boids in flocks: parallel row systems, and a grid as a resource that finds the neighbours.
//!
//! ```text
//! cargo run --release --example boids
//! cargo run --release --example boids -- --boids 50000 --steps 600 --out many.gif
//! ```
//!
//! The program writes the animation `boids.gif`. It runs the same flight on one thread and on two, prints the time of a
//! step for both, and checks that both end in the same place: the number of threads changes the time and nothing else. The rules of the flock are in the module `flock`.

mod flock;

use std::error::Error;
use std::f32::consts::TAU;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flock::{HEIGHT, Position, Velocity, WIDTH};
use gif::{Encoder, Frame, Repeat};
use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;

/// A world with `boids` boids, whose loops run on `threads` threads.
fn build(boids: usize, threads: usize) -> Result<(World, Schedule), Box<dyn Error>> {
    let mut world = World::new();
    world.set_thread_pool(Arc::new(ThreadPoolBuilder::new().num_threads(threads).build()?));
    flock::populate(&mut world, boids);
    Ok((world, flock::schedule()))
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
    Ok((time, flock::checksum(&mut world)))
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
    println!(
        "Next: give `--boids 50000` a try, or change the three weights in `steer` in flock.rs and look at the film again."
    );
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
