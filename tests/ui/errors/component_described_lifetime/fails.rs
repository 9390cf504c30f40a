//! The fields of a type are described with their `TypeId`s, which only types have that borrow nothing.
use strata_ecs::component::Describe;

#[derive(Describe)]
struct Label<'a> {
    text: &'a str,
}

fn main() {
    println!("{}", Label { text: "a" }.text);
}
