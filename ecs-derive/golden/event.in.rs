#[derive(Event)]
pub struct Explosion<const LOUD: bool> {
    pub radius: f32,
}
