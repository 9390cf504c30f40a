//! Values of which the program knows a layout and functions, as those of a script.

use std::alloc::Layout;
use std::fmt;
use std::ptr::NonNull;

use strata_ecs::component::{ErasedValue, LayoutDescription};
use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::*;

/// The type of the values, which only the functions below use.
#[repr(C, align(32))]
struct Object {
    number: u64,
    token: Token,
}

unsafe fn drop_objects(values: *mut u8, count: usize) {
    // SAFETY: the caller promises so many values, which are objects.
    unsafe { std::ptr::slice_from_raw_parts_mut(values.cast::<Object>(), count).drop_in_place() }
}

unsafe fn clone_object(from: *const u8, to: *mut u8) {
    // SAFETY: the caller promises an object, and room for one.
    unsafe { to.cast::<Object>().write(Object { number: (*from.cast::<Object>()).number, token: Token::new() }) }
}

unsafe fn default_object(to: *mut u8) {
    // SAFETY: the caller promises room for an object.
    unsafe { to.cast::<Object>().write(Object { number: 0, token: Token::new() }) }
}

unsafe fn objects_are_equal(a: *const u8, b: *const u8) -> bool {
    // SAFETY: the caller promises two objects.
    unsafe { (*a.cast::<Object>()).number == (*b.cast::<Object>()).number }
}

unsafe fn debug_object(value: *const u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // SAFETY: the caller promises an object.
    write!(f, "object {}", unsafe { (*value.cast::<Object>()).number })
}

fn object(storage: StorageType) -> &'static ComponentDescriptor {
    // SAFETY: objects may be sent and shared, and the functions are for them.
    let description = unsafe { LayoutDescription::new(Layout::new::<Object>()) };
    let description = description.with_drop(drop_objects).with_clone(clone_object).with_default(default_object);
    let description = description.with_eq(objects_are_equal).with_debug(debug_object);
    let name = if storage == StorageType::Table { "layouts:object" } else { "layouts:object aside" };
    ComponentDescriptor::builder_of_layout(name, description).storage(storage).build()
}

fn make(descriptor: &'static ComponentDescriptor, number: u64) -> ErasedValue {
    let mut value = std::mem::MaybeUninit::new(Object { number, token: Token::new() });
    // SAFETY: the component has objects as values; this one is not used again, nor dropped.
    unsafe { ErasedValue::from_raw(descriptor, NonNull::from(&mut value).cast()) }
}

fn number(world: &World, entity: Entity, id: ComponentId) -> u64 {
    let object = world.get_by_id(entity, id).unwrap().as_ptr().cast::<Object>();
    assert!(object.is_aligned());
    // SAFETY: the component has objects as values, and the world is borrowed.
    unsafe { object.as_ref().number }
}

#[test]
fn values_live_in_both_storages_and_are_dropped_once() {
    for storage in STORAGES {
        drops::reset();
        let mut world = World::new();
        let descriptor = object(storage);
        assert!(std::ptr::eq(descriptor, object(storage)));
        let id = world.register_component_with_descriptor(descriptor).unwrap();
        let mut entities = Vec::new();
        for n in 0..40 {
            let mut entity = world.spawn(Health(1));
            entity.insert_by_ids([(id, make(descriptor, n))]).unwrap();
            if n % 3 == 0 {
                entity.remove::<Health>();
            }
            entities.push(entity.id());
        }
        for (n, &entity) in (0..).zip(&entities) {
            assert_eq!(number(&world, entity, id), n);
        }
        let copy = world.clone_entity(entities[7]).unwrap();
        assert_eq!(number(&world, copy, id), 7);
        let [a, b] = [copy, entities[7]].map(|entity| world.get_by_id(entity, id).unwrap());
        assert_eq!((a.try_eq(b), format!("{a:?}").as_str()), (Some(true), "object 7"));
        let mut value = world.get_mut_by_id(copy, id).unwrap();
        assert!(value.downcast_mut::<Object>().is_none());
        // SAFETY: the component has objects as values, and this one is borrowed mutably.
        unsafe { value.as_ptr().cast::<Object>().as_mut().number = 70 };
        assert_eq!(number(&world, copy, id), 70);
        assert!(world.entity_mut(copy).insert_by_id(id, 3_u8).is_err());
        world.entity_mut(copy).insert_erased(ErasedValue::default_of(descriptor).unwrap()).unwrap();
        assert_eq!((number(&world, copy, id), drops::alive()), (0, 41));
        let table = world.entity(copy).location().table;
        assert!(world.column_by_id::<Object>(table, id).is_err());
        world.entity_mut(entities[1]).remove_by_id(id).unwrap();
        world.despawn(entities[2]);
        let mut other = World::new();
        let map = world.many(&entities[3..9]).move_to(&mut other);
        let moved = other.components().get_id_by_name(descriptor.name()).unwrap();
        assert_eq!(number(&other, map.get(entities[5]).unwrap(), moved), 5);
        world.check_invariants();
        other.check_invariants();
        drop((world, other));
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_layout_whose_values_cannot_lie_side_by_side_is_refused() {
    let layout = Layout::from_size_align(12, 8).expect("it is a layout");
    // SAFETY: no function is added.
    let message = expect_panic(|| unsafe { LayoutDescription::new(layout) });
    assert!(message.contains("not a multiple of its alignment"), "{message}");
}

#[test]
fn other_functions_are_another_definition() {
    unsafe fn other_default(to: *mut u8) {
        // SAFETY: the caller promises room for a byte.
        unsafe { to.write(1) }
    }

    unsafe fn byte_default(to: *mut u8) {
        // SAFETY: the caller promises room for a byte.
        unsafe { to.write(0) }
    }

    let build = |default| {
        // SAFETY: the function is for bytes.
        let description = unsafe { LayoutDescription::new(Layout::new::<u8>()) }.with_default(default);
        ComponentDescriptor::builder_of_layout("layouts:byte", description).build()
    };
    assert!(std::ptr::eq(build(byte_default), build(byte_default)));
    assert!(!std::ptr::eq(build(byte_default), build(other_default)));
    let mut world = World::new();
    assert!(world.register_component_with_descriptor(build(byte_default)).is_ok());
    assert!(world.register_component_with_descriptor(build(other_default)).is_err());
}
