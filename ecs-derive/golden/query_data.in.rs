#[derive(QueryData)]
#[query_data(mutable)]
pub struct Mover {
    pub entity: Entity,
    /// Where it is.
    pub position: &'static mut Position,
    velocity: Option<&'static Velocity>,
}
