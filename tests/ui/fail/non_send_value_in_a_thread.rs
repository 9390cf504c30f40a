use std::rc::Rc;

use strata_ecs::prelude::*;

struct Window(Rc<u32>);

fn draw(window: NonSend<Window>) {
    std::thread::scope(|scope| {
        scope.spawn(|| println!("{}", window.0));
    });
}

fn close(mut world: World) {
    let window = world.non_send_mut::<Window>();
    std::thread::scope(|scope| {
        scope.spawn(move || drop(window));
    });
}

fn main() {
    World::new().run_system_once(draw).unwrap();
    close(World::new());
}
