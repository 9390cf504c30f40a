//! Values that a system keeps.

use std::cell::{Cell, RefCell};
use std::sync::mpsc::{Receiver, Sender, channel};

use strata_ecs::prelude::*;
use strata_ecs::schedule::MultiThreadedExecutor;
use strata_ecs::system::{LocalBuilder, SystemParamBuilder};
use strata_ecs::world::WorldId;

use super::Total;

/// A receiver cannot be shared between threads.
struct Inbox {
    sender: Sender<u32>,
    receiver: Receiver<u32>,
}

impl FromWorld for Inbox {
    fn from_world(_: &mut World) -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }
}

#[derive(SystemParam)]
struct Counted<'s, T: FromWorld + Send + 'static> {
    value: Local<'s, T>,
}

fn count(runs: Local<'_, Cell<u32>>, mut names: Local<'_, RefCell<Vec<u32>>>, mut total: ResMut<'_, Total>) {
    runs.set(runs.get() + 1);
    names.get_mut().push(runs.get());
    total.0 = names.borrow().iter().sum();
}

#[test]
fn a_value_that_cannot_be_shared_is_kept_by_systems_on_any_thread() {
    let mut world = World::new();
    world.insert_resource(Total(0));
    let mut schedule = Schedule::default();
    schedule.set_executor(MultiThreadedExecutor::eager());
    schedule.add_systems((count, || ()));
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Total>().0, 6);
}

#[test]
fn it_may_stand_in_structs_builders_states_and_functions_of_the_world() {
    let mut world = World::new();
    let receive = |inbox: Counted<'_, Inbox>| {
        inbox.value.sender.send(3).unwrap();
        inbox.value.receiver.recv().unwrap()
    };
    assert_eq!(world.run_system_once(receive).unwrap(), 3);
    let cell = |_: &mut World, cell: Local<'_, Cell<u32>>| cell.replace(5);
    let id = world.register_system(cell);
    assert_eq!([(); 2].map(|()| world.run_system(id).unwrap()), [0, 5]);
    let built =
        (LocalBuilder(Cell::new(7)),).build_state(&mut world).build_system(|cell: Local<'_, Cell<u32>>| cell.get());
    assert_eq!(world.run_system_once(built).unwrap(), 7);
}

#[test]
fn a_system_knows_its_world() {
    let mut worlds = [World::new(), World::new()];
    let mut schedule = Schedule::default();
    schedule.add_systems(|id: WorldId, mut seen: Local<'_, Option<WorldId>>, world: &World| {
        assert!(id == world.id() && seen.replace(id).is_none_or(|before| before == id));
    });
    schedule.run(&mut worlds[0]);
    schedule.run(&mut worlds[0]);
    let exclusive = |world: &mut World, id: WorldId| world.id() == id;
    assert!(worlds.iter_mut().all(|world| world.run_system_once(exclusive).unwrap()));
}
