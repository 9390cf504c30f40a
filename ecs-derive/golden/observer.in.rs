#[observer(without(Ghost))]
pub fn hurt(on: On<Damage>, health: &mut Health, armor: Option<&Armor>, mut commands: Commands) {
    health.0 -= on.points - armor.map_or(0, |armor| armor.0);
    commands.entity(on.entity).insert(Hurt);
}
