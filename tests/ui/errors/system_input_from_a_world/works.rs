use strata_ecs::prelude::*;

#[derive(Default)]
struct Seed(u32);

fn draw(InMut(seed): InMut<Seed>) {
    seed.0 += 1;
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(draw.with_input_from::<Seed>());
    schedule.run(&mut World::new());
}
