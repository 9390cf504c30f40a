//! Which fields of a union have a value is known nowhere, so a union has no description.
use strata_ecs::component::Describe;

#[derive(Describe)]
union Bits {
    number: u32,
    bytes: [u8; 4],
}

fn main() {
    let bits = Bits { number: 1 };
    // SAFETY: four bytes have been written.
    println!("{:?}", unsafe { bits.bytes });
}
