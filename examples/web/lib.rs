//! The boids of `examples/boids` in a browser, without bindings: numbers go in, and pixels come out of the memory.
//!
//! ```text
//! rustup target add wasm32-unknown-unknown
//! cargo build --release -p strata-web --target wasm32-unknown-unknown
//! python3 -m http.server        # from the root of the repository; then open http://localhost:8000/examples/web/
//! ```
//!
//! A browser has no threads for this, so the parallel loops run on the only one there is, and the flight is the same.
//! `run.mjs` runs the same module in node.

#[path = "../boids/flock.rs"]
mod flock;

use std::cell::RefCell;
use std::f32::consts::TAU;

use flock::{HEIGHT, Position, Velocity, WIDTH};
use strata_ecs::prelude::*;

struct Page {
    world: World,
    schedule: Schedule,
    /// Red, green, blue and opacity of each pixel, as a canvas wants them.
    pixels: Vec<[u8; 4]>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::new(page(0));
}

fn page(boids: usize) -> Page {
    let mut world = World::new();
    flock::populate(&mut world, boids);
    Page { world, schedule: flock::schedule(), pixels: vec![[0; 4]; WIDTH as usize * HEIGHT as usize] }
}

/// The width of the picture.
#[unsafe(no_mangle)]
pub extern "C" fn width() -> u32 {
    WIDTH as u32
}

/// The height of the picture.
#[unsafe(no_mangle)]
pub extern "C" fn height() -> u32 {
    HEIGHT as u32
}

/// Restarts with this number of boids.
#[unsafe(no_mangle)]
pub extern "C" fn start(boids: u32) {
    PAGE.set(page(boids as usize));
}

/// Flies one step.
#[unsafe(no_mangle)]
pub extern "C" fn step() {
    PAGE.with_borrow_mut(|page| page.schedule.run(&mut page.world));
}

/// Draws the boids, each in the colour of its heading, and returns where the pixels are. They stay there until the next `start`.
#[unsafe(no_mangle)]
pub extern "C" fn draw() -> *const [u8; 4] {
    PAGE.with_borrow_mut(|Page { world, pixels, .. }| {
        pixels.fill([10, 12, 24, 255]);
        for (position, velocity) in world.query::<(&Position, &Velocity)>().iter(world) {
            let turn = velocity.0[1].atan2(velocity.0[0]) / TAU;
            let channel = |third: f32| (170.0 + 85.0 * ((turn - third / 3.0) * TAU).cos()) as u8;
            let (x, y) = (position.0[0] as usize, position.0[1] as usize);
            pixels[y * WIDTH as usize + x] = [channel(0.0), channel(1.0), channel(2.0), 255];
        }
        pixels.as_ptr()
    })
}

/// A number that differs if any boid is anywhere else.
#[unsafe(no_mangle)]
pub extern "C" fn checksum() -> u64 {
    PAGE.with_borrow_mut(|page| flock::checksum(&mut page.world))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `run.mjs` compares the flight in WebAssembly with the same number.
    #[test]
    fn a_flight_ends_in_the_same_place_on_every_machine() {
        start(1_000);
        for _ in 0..50 {
            step();
        }
        assert_eq!(checksum(), 0x3964_94de_992b_e743);
    }
}
