use strata_ecs::prelude::*;

/// As it was once.
#[derive(serde::Deserialize)]
struct OldScore(u8);

#[derive(Resource)]
#[resource(version = 2, upgrade = Score::from_old)]
struct Score(u32);

impl Score {
    fn from_old(OldScore(points): OldScore) -> Self {
        Self(points.into())
    }
}

fn main() {
    World::new().insert_resource(Score(3));
}
