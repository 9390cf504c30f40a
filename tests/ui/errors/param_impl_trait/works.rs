use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

trait Motor {
    fn start(&mut self);
}

#[derive(Component)]
struct Diesel(bool);

impl Motor for Diesel {
    fn start(&mut self) {
        self.0 = true;
    }
}

#[system]
fn start<T: Motor + Component<Mutability = Mutable>>(motor: &mut T) {
    motor.start();
}

fn main() {
    let mut world = World::new();
    let lorry = world.spawn(Diesel(false)).id();
    world.run_system_once(start::<Diesel>).unwrap();
    assert!(world.get::<Diesel>(lorry).unwrap().0);
}
