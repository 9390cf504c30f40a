use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Counter<'w, 's> {
    commands: Commands<'w, 's>,
    count: Local<'s, u32>,
}

fn count(mut counter: Counter) -> u32 {
    counter.commands.spawn_empty();
    *counter.count += 1;
    *counter.count
}

fn main() {
    assert_eq!(World::new().run_system_once(count).unwrap(), 1);
}
