//! Change detection, beside hand-written dirty lists and ticks.

#[path = "support/driver.rs"]
mod driver;
mod support;

fn main() {
    driver::run(support::benches(), "changes");
}
