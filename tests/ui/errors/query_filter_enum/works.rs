use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield;

type Sturdy = Or<(With<Health>, With<Shield>)>;

fn main() {
    let mut world = World::new();
    world.spawn(Health(1));
    world.spawn(Shield);
    assert_eq!(world.query_filtered::<Entity, Sturdy>().iter(&world).count(), 2);
}
