use strata_ecs::component::Describe;

#[derive(Describe)]
struct Bits {
    number: u32,
}

fn main() {
    println!("{:?}", Bits { number: 1 }.number.to_le_bytes());
}
