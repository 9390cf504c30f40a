#[derive(Component)]
pub struct Bonds {
    pub parent: Entity,
    pub ranks: HashMap<Rank, Target>,
    #[entities(ignore)]
    pub origin: Option<Entity>,
    pub weight: f32,
}
