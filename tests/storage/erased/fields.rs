//! Fields of values, by name.

use strata_ecs::component::{Describe, ErasedValue};

use super::*;

#[derive(Describe)]
struct Place {
    x: f32,
    floor: Option<u8>,
}

#[derive(Component)]
struct Body {
    place: Place,
    name: String,
    owner: Entity,
    lists: Vec<[i16; 2]>,
    opaque: std::sync::atomic::AtomicU32,
}

#[derive(Component)]
#[repr(C, packed)]
struct Packed {
    byte: u8,
    number: u64,
}

fn body(owner: Entity) -> Body {
    let place = Place { x: 1.5, floor: Some(2) };
    Body { place, name: String::from("ann"), owner, lists: vec![[1, 2]], opaque: 7.into() }
}

#[test]
fn plain_data_is_read_by_name() {
    let value = ErasedValue::of(body(Entity::PLACEHOLDER));
    let value = value.as_ref();
    assert_eq!(value.field("name").unwrap().get::<String>().unwrap(), "ann");
    assert_eq!(value.field("owner").unwrap().get(), Some(&Entity::PLACEHOLDER));
    assert_eq!(value.field("lists").unwrap().get(), Some(&vec![[1_i16, 2]]));
    let place = value.field("place").unwrap();
    assert_eq!(place.field("x").unwrap().get(), Some(&1.5_f32));
    assert_eq!(place.field("floor").unwrap().get(), Some(&Some(2_u8)));
    assert_eq!(place.fields().map(|field| field.name()).collect::<Vec<_>>(), ["x", "floor"]);
    assert!(value.field("x").is_none() && place.field("name").is_none());
    assert!(value.field("name").unwrap().get::<u64>().is_none() && place.get::<u32>().is_none());
    let shown = format!("{value:?}");
    assert!(shown.contains("x: 1.5") && shown.contains("name: \"ann\"") && shown.contains("opaque: .."), "{shown}");
    assert_eq!(value.fields().last().unwrap().description().name(), "opaque");
}

#[test]
fn fields_of_values_in_a_world_are_read() {
    let mut world = World::new();
    let owner = world.spawn_empty().id();
    let entity = world.spawn(body(owner)).id();
    let id = world.component_id::<Body>().unwrap();
    assert_eq!(world.get_by_id(entity, id).unwrap().field("owner").unwrap().get(), Some(&owner));
    let description = Description::<Place>::new().with_fields(Place::FIELDS);
    let place = register(&mut world, ComponentDescriptor::builder("fields:place", description));
    world.entity_mut(entity).insert_by_id(place, Place { x: 4.0, floor: None }).unwrap();
    assert_eq!(format!("{:?}", world.get_by_id(entity, place).unwrap()), "fields:place { x: 4.0, floor: .. }");
}

#[test]
fn fields_of_a_packed_struct_are_named_and_not_shown() {
    let value = ErasedValue::of(Packed { byte: 1, number: 2 });
    assert_eq!(value.as_ref().field("byte").unwrap().get::<u8>(), None);
    assert_eq!(value.as_ref().field("number").unwrap().get::<u64>(), None);
    let Packed { byte, number } = value.downcast().unwrap();
    assert_eq!((byte, number), (1, 2));
}

/// Hidden items cannot be used to read memory that is not a value: here, a field with an offset past the end of the value.
#[test]
fn a_field_with_another_offset_is_the_one_that_the_function_gives() {
    use strata_ecs::__private::{Probe, TypeFields, field, fields};

    const LIST: TypeFields<Place> =
        fields(&[field("x", 4096, "", |place: &Place| (&raw const place.x).cast_mut(), Probe::<f32>::FIELD_TYPE)]);
    let description = Description::<Place>::new().with_fields(LIST);
    let mut world = World::new();
    let id = register(&mut world, ComponentDescriptor::builder("fields:elsewhere", description));
    let entity = world.spawn_empty().id();
    world.entity_mut(entity).insert_by_id(id, Place { x: 4.0, floor: None }).unwrap();
    let value = world.get_by_id(entity, id).unwrap();
    assert_eq!(value.field("x").unwrap().description().offset(), 4096);
    assert_eq!(value.field("x").unwrap().get(), Some(&4.0_f32));
}

#[derive(Component)]
struct Target(#[entities] Entity);

#[test]
fn entities_inside_of_values_are_replaced() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    let entity = world.spawn((Target(a), Health(1))).id();
    let (target, health) = (world.component_id::<Target>().unwrap(), world.component_id::<Health>().unwrap());
    assert!(world.get_mut_by_id(entity, target).unwrap().map_entities(&mut (a, b)));
    assert!(!world.get_mut_by_id(entity, health).unwrap().map_entities(&mut (a, b)));
    assert_eq!(world.get::<Target>(entity).unwrap().0, b);
}
