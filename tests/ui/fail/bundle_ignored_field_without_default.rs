use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
struct Note;

#[derive(Bundle)]
struct Body {
    a: A,
    #[bundle(ignore)]
    note: Note,
}

#[derive(Bundle)]
struct Misspelt {
    a: A,
    #[bundle(ingore)]
    note: u8,
}

fn main() {
    World::new().spawn(Body { a: A(1), note: Note });
}
