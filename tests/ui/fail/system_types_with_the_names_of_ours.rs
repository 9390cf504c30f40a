use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

mod game {
    use strata_ecs::prelude::*;

    #[derive(SystemParam)]
    pub struct Entity<'w, 's> {
        pub all: Query<'w, 's, &'static super::Health>,
    }
    pub struct Mut<T>(pub T);
    pub struct Ref<T>(pub T);
}

#[system]
fn heal(health: &Health, entity: game::Entity) {
    assert!(health.0 > 0 && entity.all.count() > 0);
}

#[system]
fn own(health: &Health, own: game::Mut<u32>) {
    assert!(health.0 > own.0);
}

#[system]
fn shared(health: &Health, own: game::Ref<u32>) {
    assert!(health.0 > own.0);
}

#[system]
fn optional(health: &Health, own: Option<game::Ref<u32>>) {
    assert!(own.is_none_or(|own| health.0 > own.0));
}

fn main() {
    Schedule::default().add_systems((heal, own, shared, optional));
}
