//! Non-Send values as parameters of every form.
#![forbid(unsafe_code)]
#![deny(warnings)]

use std::cell::RefCell;
use std::rc::Rc;

use strata_ecs::prelude::*;
use strata_ecs::system::NonSendMarker;

#[derive(Component)]
struct Health(u32);

struct Table<T>(Rc<RefCell<Vec<T>>>);

#[system]
fn of_rows(health: &mut Health, log: NonSend<'_, Table<u32>>, mut count: NonSendMut<'_, usize>) {
    log.0.borrow_mut().push(health.0);
    *count += 1;
    health.0 += 1;
}

#[system]
fn optional(a: Option<NonSend<'_, Table<u8>>>, b: Option<NonSendMut<'_, Table<char>>>, _: NonSendMarker) {
    assert!(a.is_none() && b.is_none());
}

#[system]
fn different(first: NonSend<'_, Table<u32>>, second: Option<NonSendMut<'_, Table<i32>>>) {
    assert!(first.0.borrow().len() == 1 && second.is_none());
}

#[system]
fn in_a_set(mut set: ParamSet<'_, '_, (NonSend<'_, usize>, NonSendMut<'_, usize>)>) {
    let count = *set.p0();
    *set.p1() = count + 1;
}

#[system]
fn in_general<T: PartialEq<u32> + 'static>(table: NonSend<'_, Table<T>>) {
    assert!(table.0.borrow()[0] == 7);
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(7));
    world.insert_non_send(Table::<u32>(Rc::default()));
    world.init_non_send::<usize>();
    let mut schedule = Schedule::default();
    schedule.add_systems((of_rows, optional, different, in_a_set, in_general::<u32>));
    schedule.run(&mut world);
    assert_eq!(*world.non_send::<usize>(), 2);
}
