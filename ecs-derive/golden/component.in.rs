#[derive(Component)]
#[component(storage = "sparse", track = "never", clone = "never")]
pub struct Stunned {
    pub left: f32,
}
