//! What a schedule costs beyond its systems, and what a second thread gains, beside loops by hand.

#[path = "support/driver.rs"]
mod driver;
#[path = "support/schedule/mod.rs"]
mod schedule;
mod support;

fn main() {
    let mut benches = support::benches();
    benches.extend(schedule::benches());
    driver::run(benches, "schedule");
}
