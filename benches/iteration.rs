//! Loops over components, beside hand-written slices.

#[path = "support/driver.rs"]
mod driver;
mod support;

fn main() {
    driver::run(support::benches(), "iteration");
}
