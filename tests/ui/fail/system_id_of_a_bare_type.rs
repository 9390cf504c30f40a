use strata_ecs::prelude::*;

#[derive(Resource)]
struct OnClick(SystemId<u32>);

#[derive(Component)]
struct Button {
    on_click: SystemId<u64>,
}

#[derive(Resource)]
enum Callback {
    Registered(SystemId<u8>),
    Absent,
}

fn main() {}
