#[derive(Component)]
#[component(storage = "sparse", clone = "never")]
pub struct Stunned {
    pub left: f32,
}
