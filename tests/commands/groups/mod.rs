//! Commands for one entity that follow each other are one change, and commands of one kind are a run: what that must not
//! change, and what it is for.

mod one_operation;
mod orders;
mod panics;
mod queue;
mod tables;
mod zero_sized;

use strata_ecs::prelude::*;
use strata_tests::drops::Token;

#[derive(Component)]
struct A(u32, Token);
#[derive(Component)]
struct B(u32, Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct S(u32, Token);
#[derive(Component)]
struct Unit;
#[derive(Component)]
#[component(storage = "sparse")]
struct Tag;

fn a(value: u32) -> A {
    A(value, Token::new())
}

fn b(value: u32) -> B {
    B(value, Token::new())
}

fn s(value: u32) -> S {
    S(value, Token::new())
}

/// The components of an entity: the values, and whether it has the tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Row {
    values: [Option<u32>; 3],
    units: [bool; 2],
}

impl Row {
    /// How many tokens there are in it.
    fn tokens(&self) -> usize {
        self.values.iter().flatten().count()
    }
}

fn row(world: &World, entity: Entity) -> Option<Row> {
    let entity = world.get_entity(entity).ok()?;
    let values = [entity.get::<A>().map(|a| a.0), entity.get::<B>().map(|b| b.0), entity.get::<S>().map(|s| s.0)];
    Some(Row { values, units: [entity.contains::<Unit>(), entity.contains::<Tag>()] })
}

/// How many tokens all entities of a world have.
fn tokens(world: &World) -> usize {
    world.iter_entities().filter_map(|entity| row(world, entity.id())).map(|row| row.tokens()).sum()
}
