use strata_ecs::prelude::*;

#[derive(Component)]
#[component]
struct Path;

#[derive(Component)]
#[component = "sparse"]
struct NameValue;

#[derive(Component)]
#[component(storage)]
struct NoValue;

#[derive(Component)]
#[component(storage("sparse"))]
struct List;

#[derive(Component)]
#[component("sparse")]
struct Literal;

fn main() {}
