use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
#[derive(Component)]
struct B;

#[derive(QueryFilter)]
struct NoFilter {
    a: With<A>,
    b: B,
}

#[derive(QueryFilter)]
struct Empty;

#[derive(QueryFilter)]
enum Either {
    A(With<A>),
    B(With<B>),
}

#[derive(QueryFilter)]
union Both {
    a: u8,
    b: u16,
}

#[derive(QueryFilter)]
struct Lifetime<'w>(With<A>, &'w ());

#[derive(QueryFilter)]
#[query_filter(krate = strata_ecs)]
struct Misspelt(With<A>);

#[derive(QueryFilter)]
struct Inside {
    #[query_filter(crate = strata_ecs)]
    a: With<A>,
}

fn main() {
    let mut world = World::new();
    let _ = world.query_filtered::<Entity, (Empty, Either, Misspelt, Inside)>();
}
