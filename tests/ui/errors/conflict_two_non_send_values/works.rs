use std::rc::Rc;

use strata_ecs::prelude::*;

struct Log(Rc<Vec<u32>>);

#[system]
fn replace(mut log: NonSendMut<Log>) {
    log.0 = Rc::new(log.0.to_vec());
}

fn main() {
    let mut world = World::new();
    world.insert_non_send(Log(Rc::new(vec![1])));
    world.run_system_once(replace).unwrap();
    assert_eq!(*world.non_send::<Log>().0, [1]);
}
