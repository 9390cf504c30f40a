use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require]
struct Path;

#[derive(Component)]
#[require()]
struct Empty;

#[derive(Component)]
#[require = "Health"]
struct NameValue;

#[derive(Component)]
#[require(5)]
struct Literal;

#[derive(Component)]
#[require("Health")]
struct Text;

#[derive(Component)]
#[require(&Health)]
struct Reference;

#[derive(Component)]
#[require(Health =)]
struct NoValue;

#[derive(Component)]
#[require(Health Health)]
struct NoComma;

fn main() {
    let _ = Health(1).0;
}
