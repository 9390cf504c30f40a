use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);

#[system]
fn repair<T: Component + Amount>(amount: &mut T, others: Query<&Health>) {
    amount.add(others.iter().count() as u32);
}

trait Amount {
    fn add(&mut self, amount: u32);
}
impl Amount for Health {
    fn add(&mut self, amount: u32) {
        self.0 += amount;
    }
}
impl Amount for Armour {
    fn add(&mut self, amount: u32) {
        self.0 += amount;
    }
}

fn main() {
    Schedule::new().add_systems((repair::<Armour>, repair::<Health>));
}
