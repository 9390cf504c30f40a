use strata_ecs::component::Describe;

#[derive(Describe)]
struct Coin;

fn print_name<T: Describe>() {
    println!("{:?}", T::NAME);
}

fn main() {
    print_name::<Coin>();
}
