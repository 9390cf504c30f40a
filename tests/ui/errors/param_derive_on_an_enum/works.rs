use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Board<'w> {
    score: Option<Res<'w, Score>>,
}

fn read(board: Board) -> bool {
    board.score.is_some()
}

fn main() {
    let mut world = World::new();
    assert!(!world.run_system_once(read).unwrap());
    world.insert_resource(Score(3));
    assert!(world.run_system_once(read).unwrap());
    assert_eq!(world.resource::<Score>().0, 3);
}
