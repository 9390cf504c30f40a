use strata_ecs::prelude::*;

use std::rc::Rc;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Shared(Rc<u8>);

fn main() {
    let _ = Shared(Rc::new(1));
}
