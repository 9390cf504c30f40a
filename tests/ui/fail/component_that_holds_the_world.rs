use strata_ecs::prelude::*;

#[derive(Component)]
struct Handle(&'static World);

impl Drop for Handle {
    fn drop(&mut self) {
        println!("{}", self.0.len());
    }
}

fn main() {
    let mut world = World::new();
    let handle = Handle(&world);
    world.spawn(handle);
}
