/// Moves what is not stunned.
#[system(without(Stunned))]
pub fn movement(position: &mut Position, velocity: &Velocity, entity: Entity, dt: Res<Dt>) {
    position.x += velocity.x * dt.0;
}
