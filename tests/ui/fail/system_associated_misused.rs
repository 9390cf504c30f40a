use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

impl Health {
    const MOST: u32 = 100;

    #[system(associated)]
    fn heal(health: &mut Self) {
        health.0 = Health::MOST;
    }

    #[system(associated)]
    fn most(health: &mut Health) {
        health.0 = Self::MOST;
    }

    #[system(associated)]
    fn generic<T: Component>(health: &mut Health, _other: &T) {
        health.0 += 1;
    }
}

#[system]
fn free(health: &mut Self) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems((Health::heal, Health::most, free));
}
