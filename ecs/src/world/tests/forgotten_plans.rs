//! Commands between which the plan cache is reset.

use strata_ecs_derive::Component;

use crate::world::World;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
struct Armor;

#[test]
fn steps_are_looked_at_again_when_plans_were_forgotten() {
    let mut world = World::new();
    let entities = [(); 3].map(|()| world.spawn_empty().id());
    for (number, entity) in (0..).zip(entities) {
        world.commands().entity(entity).insert(Health(number)).insert(Armor);
        // Commands must not rely on cached plans, since any operation may clear the cache.
        world.commands().queue(|world: &mut World| world.store.structure.archetypes.forget_plans());
    }
    world.flush();
    for (number, entity) in (0..).zip(entities) {
        assert_eq!(world.get::<Health>(entity).expect("present").0, number);
        assert!(world.get::<Armor>(entity).is_some());
    }
}
