use strata_ecs::component::Describe;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Coin;

fn print_name<T: Describe>() {
    println!("{:?}", T::NAME);
}

fn main() {
    print_name::<Coin>();
}
