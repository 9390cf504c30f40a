use std::cell::Cell;
use std::rc::Rc;

use strata_ecs::prelude::*;

struct Window(Rc<Cell<bool>>);

fn draw() {}

fn reopened(mut window: NonSendMut<Window>) -> bool {
    window.0 = Rc::default();
    true
}

fn main() {
    Schedule::default().add_systems(draw.run_if(reopened));
}
