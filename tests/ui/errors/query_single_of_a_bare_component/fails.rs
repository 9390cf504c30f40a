//! `Single` and `Populated` take the same terms as a query. Say how to borrow the component: `&Health` to read it, `&mut Health` to change
//! it.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn announce(_boss: Single<Health>) {}

fn main() {}
