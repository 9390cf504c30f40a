//! `track`, written wrongly.

use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "sometimes")]
struct Unknown;

#[derive(Component)]
#[component(track = "alway")]
struct Misspelt;

#[derive(Component)]
#[component(track = never)]
struct Bare;

#[derive(Component)]
#[component(track)]
struct Nothing;

#[derive(Component)]
#[component(track("never"))]
struct List;

#[derive(Component)]
#[component(track = "never", track = "always")]
struct Twice;

#[derive(Component)]
#[component(trak = "never")]
struct Name;

fn main() {
    World::new().spawn((Unknown, Misspelt, Bare, Nothing, List, Twice, Name));
}
