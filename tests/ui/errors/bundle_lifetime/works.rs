use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Bundle)]
struct Monster {
    health: Health,
    #[bundle(ignore)]
    note: String,
}

fn main() {
    let mut world = World::new();
    let troll = Monster { health: Health(30), note: "hungry".to_owned() };
    let troll = world.spawn(troll).take::<Monster>().unwrap();
    assert_eq!((troll.health.0, troll.note.as_str()), (30, ""));
}
