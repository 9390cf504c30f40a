//! The item of a read-only query cannot be written, and a variant that is not handled is missed.

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

fn read(query: Query<Either>) {
    for item in &query {
        if let EitherReadOnlyItem::A(a) = item {
            a.0 += 1;
        }
    }
}

fn forget(mut query: Query<Either>) {
    for item in &mut query {
        match item {
            EitherItem::A(mut a) => a.0 += 1,
        }
    }
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((read, forget));
}
