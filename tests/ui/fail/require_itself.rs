use strata_ecs::prelude::*;

#[derive(Component, Default)]
#[require(Health)]
struct Health(u32);

#[derive(Component, Default)]
#[require(Self)]
struct Mana(u32);

#[derive(Component, Default)]
#[component(clone)]
#[require(Stack<T>)]
struct Stack<T>(Vec<T>);

impl<T: Clone> Clone for Stack<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

fn main() {
    let _ = (Health(1).0, Mana(1).0);
}
