//! To ask for the changes of pairs reads them, so nothing else may write their values meanwhile.

use strata_ecs::prelude::*;

#[derive(Relation)]
struct Likes(u32);

#[system]
fn of_sources(mut all: Query<Pairs<&mut Likes>>, new: Query<Entity, Changed<Pairs<Likes>>>) {
    all.iter_mut().flatten().for_each(|(_, mut likes)| likes.0 += new.iter().count() as u32);
}

#[system]
fn of_targets(mut all: Query<Pairs<&mut Likes>>, new: Query<Entity, Added<PairsTo<Likes>>>) {
    all.iter_mut().flatten().for_each(|(_, mut likes)| likes.0 += new.iter().count() as u32);
}

#[system(pairs = Likes)]
fn of_a_row(likes: &mut Likes, new: Query<Entity, Changed<Pairs<Likes>>>) {
    likes.0 += new.iter().count() as u32;
}

#[system]
fn of_one_query(mut all: Query<Pairs<&mut Likes>, Changed<PairsTo<Likes>>>) {
    all.iter_mut().flatten().for_each(|(_, mut likes)| likes.0 += 1);
}

// A query may write what it asks for, of the entities that it asks.
#[system]
fn of_the_same(mut all: Query<Pairs<&mut Likes>, Changed<Pairs<Likes>>>) {
    all.iter_mut().flatten().for_each(|(_, mut likes)| likes.0 += 1);
}

fn main() {
    Schedule::default().add_systems((of_sources, of_targets, of_a_row, of_one_query, of_the_same));
}
