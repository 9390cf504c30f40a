//! A type that describes itself says what files call it, and which fields it has. Components do so by their derive, and
//! other types with `#[derive(Describe)]`.
use strata_ecs::component::Describe;

struct Coin;

fn print_name<T: Describe>() {
    println!("{:?}", T::NAME);
}

fn main() {
    print_name::<Coin>();
}
