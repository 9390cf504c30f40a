use strata_ecs::prelude::*;

#[derive(Message)]
struct Hit(u32);

fn echo(mut heard: MessageReader<Hit>, mut said: MessageWriter<Hit>) {
    said.write_batch(heard.read().map(|hit| Hit(hit.0)));
}

fn main() {
    Schedule::default().add_systems(echo);
}
