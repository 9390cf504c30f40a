//! A type that describes itself says what files call it. Components do so by their derive.
use strata_ecs::component::Describe;

struct Coin;

fn print_name<T: Describe>() {
    println!("{:?}", T::NAME);
}

fn main() {
    print_name::<Coin>();
}
