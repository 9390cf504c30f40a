//! While a system changes a non-Send value, no other code may look at it, not even another parameter of the same system.
//! `NonSendMut` alone is enough: it reads, too.
use std::rc::Rc;

use strata_ecs::prelude::*;

struct Log(Rc<Vec<u32>>);

#[system]
fn replace(old: NonSend<Log>, mut new: NonSendMut<Log>) {
    new.0 = Rc::new(old.0.to_vec());
}

fn main() {
    Schedule::default().add_systems(replace);
}
