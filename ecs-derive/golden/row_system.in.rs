/// Moves what is not stunned.
#[system(without(Stunned), changed(Velocity))]
pub fn movement(position: &mut Position, velocity: Ref<Velocity>, entity: Entity, dt: Res<Dt>) {
    position.x += velocity.x * dt.0;
}
