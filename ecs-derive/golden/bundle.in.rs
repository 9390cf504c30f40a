#[derive(Bundle)]
pub struct Troll<T: Component> {
    pub health: Health,
    pub weapon: T,
    #[bundle(ignore)]
    pub note: String,
}
