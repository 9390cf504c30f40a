use strata_ecs::prelude::*;

#[derive(Component)]
pub(super) struct Included(pub(super) u8);
