use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

impl A {
    #[system]
    fn update(&mut self) {
        self.0 += 1;
    }
}

fn main() {}
