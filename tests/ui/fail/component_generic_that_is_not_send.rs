use strata_ecs::prelude::*;

#[derive(Component)]
struct Wrap<T>(T);

fn main() {
    World::new().spawn(Wrap(std::rc::Rc::new(1)));
}
