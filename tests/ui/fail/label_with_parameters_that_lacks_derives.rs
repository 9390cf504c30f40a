use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct In<T>(T);

fn main() {
    let _ = In(1_u8).intern();
    let _ = In(1.0_f32).intern();
}
