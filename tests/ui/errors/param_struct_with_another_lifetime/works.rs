use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Board<'w> {
    score: Res<'w, Score>,
}

fn read(board: Board) -> u32 {
    board.score.0
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(3));
    assert_eq!(world.run_system_once(read).unwrap(), 3);
}
