#[derive(Component)]
#[component(storage = "sparse", track = "never", clone = "never")]
#[component(on_add, on_insert = started::<Self>, on_remove = named("remove"))]
pub struct Stunned {
    pub left: f32,
}
