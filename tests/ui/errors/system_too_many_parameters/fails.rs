//! The core knows functions with up to 40 parameters. Those that belong together go into one.
use strata_ecs::prelude::*;

#[system]
#[rustfmt::skip]
fn tick(
    _a0: Local<u8>, _a1: Local<u8>, _a2: Local<u8>, _a3: Local<u8>, _a4: Local<u8>, _a5: Local<u8>, _a6: Local<u8>, _a7: Local<u8>, _a8: Local<u8>, _a9: Local<u8>,
    _b0: Local<u8>, _b1: Local<u8>, _b2: Local<u8>, _b3: Local<u8>, _b4: Local<u8>, _b5: Local<u8>, _b6: Local<u8>, _b7: Local<u8>, _b8: Local<u8>, _b9: Local<u8>,
    _c0: Local<u8>, _c1: Local<u8>, _c2: Local<u8>, _c3: Local<u8>, _c4: Local<u8>, _c5: Local<u8>, _c6: Local<u8>, _c7: Local<u8>, _c8: Local<u8>, _c9: Local<u8>,
    _d0: Local<u8>, _d1: Local<u8>, _d2: Local<u8>, _d3: Local<u8>, _d4: Local<u8>, _d5: Local<u8>, _d6: Local<u8>, _d7: Local<u8>, _d8: Local<u8>, _d9: Local<u8>,
    _last: Local<u8>,
) {
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(tick);
}
