use strata_ecs::prelude::*;

#[derive(Message)]
struct Hit(u32);

fn answer() {}

fn heard(mut hits: MessageMutator<Hit>) -> bool {
    hits.read().count() > 0
}

fn main() {
    Schedule::default().add_systems(answer.run_if(heard));
}
