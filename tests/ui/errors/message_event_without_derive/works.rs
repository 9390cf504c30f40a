use strata_ecs::event::Event;

#[derive(Event)]
struct Hit(u32);

fn uses<T: Event>(_: T) {}

fn main() {
    let hit = Hit(1);
    assert_eq!(hit.0, 1);
    uses(hit);
}
