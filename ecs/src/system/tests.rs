//! Tests of the properties of prepared systems.

use alloc::rc::Rc;
use alloc::sync::Arc;
use core::panic::Location;

use super::{BoxedSystem, IntoSystem, Local, NonSend, NonSendMarker, NonSendMut, ParamSet, SystemMeta};
use crate::access::Access;
use crate::structure::store::Store;
use crate::system::commands::Commands;

type Shared = Rc<u32>;

fn access(mut system: BoxedSystem, store: &mut Store) -> Access {
    system.prepare(store);
    system.access().clone()
}

#[test]
fn a_system_with_such_a_parameter_stays_on_its_thread() {
    let mut store = Store::new();
    let stays: [BoxedSystem; 8] = [
        IntoSystem::into_system(|_: NonSend<'_, Shared>| ()),
        IntoSystem::into_system(|_: NonSendMut<'_, Shared>| ()),
        IntoSystem::into_system(|_: Option<NonSend<'_, Shared>>| ()),
        IntoSystem::into_system(|_: Option<NonSendMut<'_, Shared>>| ()),
        IntoSystem::into_system(|_: NonSendMarker| ()),
        IntoSystem::into_system(|_: ParamSet<'_, '_, (NonSend<'_, Shared>, NonSendMut<'_, Shared>)>| ()),
        IntoSystem::into_system((|_: NonSendMarker| ()).pipe(|| ())),
        IntoSystem::into_system((|| ()).pipe(|_: NonSendMarker| ())),
    ];
    assert!(stays.into_iter().all(|system| !access(system, &mut store).is_send()));
    assert!(access(IntoSystem::into_system(|_: Local<'_, u32>, _: Commands<'_, '_>| ()), &mut store).is_send());
}

#[test]
fn systems_are_in_each_others_way_if_one_writes() {
    let mut store = Store::new();
    let read = access(IntoSystem::into_system(|_: NonSend<'_, Shared>| ()), &mut store);
    let write = access(IntoSystem::into_system(|_: Option<NonSendMut<'_, Shared>>| ()), &mut store);
    let other = access(IntoSystem::into_system(|_: NonSendMut<'_, Rc<u64>>| ()), &mut store);
    let compatible = |a: &Access, b: &Access| a.is_compatible(b, &store.structure.archetypes.components);
    assert!(compatible(&read, &read) && compatible(&write, &other));
    assert!(!compatible(&read, &write) && !compatible(&write, &write));
    assert!(read.is_read_only() && !write.is_read_only());
}

#[test]
fn systems_share_what_they_know_if_it_is_the_same() {
    let new = || Arc::new(SystemMeta::new("system", &[], 1, 0));
    let (one, mut other) = (new(), new());
    SystemMeta::share(&mut other, &one);
    assert!(Arc::ptr_eq(&one, &other));
    // Changed metadata is no longer shared.
    SystemMeta::make_own(&mut other).place = Some(Location::caller());
    SystemMeta::share(&mut other, &one);
    assert!(!Arc::ptr_eq(&one, &other));
    let mut borrows = new();
    SystemMeta::make_own(&mut borrows).access.add_deferred();
    SystemMeta::share(&mut borrows, &one);
    assert!(!Arc::ptr_eq(&one, &borrows));
    assert!(!one.access.is_deferred());
}
