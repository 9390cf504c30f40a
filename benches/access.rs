//! Reading components by id, beside a hand-written index.

#[path = "support/driver.rs"]
mod driver;
mod support;

fn main() {
    driver::run(support::benches(), "access");
}
