use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
#[derive(Component)]
struct B(u8);

#[derive(QueryData)]
#[query_data(mutable)]
enum Either {
    A(&'static mut A),
    B(&'static B),
}

fn slices(mut query: Query<Either>) {
    for _ in query.contiguous_iter_mut() {}
}

fn slices_to_read(query: Query<(Entity, Either)>) {
    for _ in query.contiguous_iter() {}
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((slices, slices_to_read));
}
