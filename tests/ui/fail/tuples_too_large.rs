use strata_ecs::prelude::*;
use strata_ecs::system::{SystemInput, SystemState};
use strata_ecs::world::SpawnableList;

#[derive(Component, Clone)]
struct A;
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct S;

type L = Local<'static, u8>;
type W = With<A>;
type Spawns = Spawn<A>;

fn input<I: SystemInput>() {}
fn list<L: SpawnableList<ChildOf>>() {}

#[rustfmt::skip]
fn main() {
    let mut world = World::new();
    world.query_filtered::<Entity, (W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W)>();
    world.query::<AnyOf<(&A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A)>>();
    world.spawn_columns((
        [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A], [A],
    ));
    let entity = world.spawn_empty().id();
    world.entity_mut(entity).remove::<(A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A)>();
    Schedule::default().configure_sets((S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S));
    let _: Option<SystemState<(L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L)>> = None;
    type I = In<u8>;
    input::<(I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I)>();
    type P = Spawns;
    list::<(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P)>();
}
