//! Spawning, despawning and changes of shape, beside hand-written vectors.

#[path = "support/driver.rs"]
mod driver;
mod support;

fn main() {
    driver::run(support::benches(), "structure");
}
