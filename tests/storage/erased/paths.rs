//! Fields of values by their paths: read, and set.

use strata_ecs::component::{Describe, ErasedRef, ErasedValue, FieldError};
use strata_ecs::store::OnCommandError;
use strata_ecs::world::{ErasedAccessError, SetFieldError};
use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Describe, Clone, Debug, PartialEq)]
struct Point {
    pub x: f32,
    pub y: f32,
}

#[derive(Describe, Clone, Debug, PartialEq)]
struct Slot {
    pub item: Option<(u32, Point)>,
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Calm,
    Angry,
}

#[derive(Component, Clone, Debug, PartialEq)]
struct Unit {
    pub place: Point,
    pub slots: Vec<Slot>,
    pub grid: [[u8; 2]; 2],
    pub target: Option<Point>,
    pub pair: (u32, Point),
    pub mode: Mode,
    pub parent: Option<Entity>,
    pub r#type: u8,
    secret: u32,
}

/// A type with a list of itself.
#[derive(Component, Clone, Debug, PartialEq)]
struct Tree {
    pub size: u32,
    pub children: Vec<Tree>,
    pub twin: Option<Box<Tree>>,
}

#[derive(Component, Clone, Debug, PartialEq)]
#[component(editable, storage = "sparse")]
struct Own {
    length: usize,
    inner: Inner,
}

#[derive(Describe, Clone, Debug, PartialEq)]
struct Inner {
    hidden: u8,
}

#[derive(Component, Clone, Debug, PartialEq)]
#[component(immutable)]
struct Fixed {
    pub value: u32,
}

#[derive(Component)]
#[repr(C, packed)]
struct Packed {
    pub byte: u8,
    pub number: u64,
}

#[derive(Component)]
struct Changing {
    pub held: Held,
}

fn point(x: f32, y: f32) -> Point {
    Point { x, y }
}

fn unit() -> Unit {
    let item = Some((7, point(3.0, 4.0)));
    Unit {
        place: point(1.0, 2.0),
        slots: vec![Slot { item: None, label: "empty".into() }, Slot { item, label: "sword".into() }],
        grid: [[1, 2], [3, 4]],
        target: None,
        pair: (5, point(6.0, 7.0)),
        mode: Mode::Calm,
        parent: None,
        r#type: 8,
        secret: 9,
    }
}

fn error(value: ErasedRef<'_>, path: &str) -> FieldError {
    match value.try_field(path) {
        Ok(field) => panic!("`{path}` is {}", field.name()),
        Err(error) => error,
    }
}

#[test]
fn fields_elements_tuples_and_options_are_read_by_paths() {
    let value = ErasedValue::of(unit());
    let value = value.as_ref();
    assert_eq!(value.field("place.y").unwrap().get(), Some(&2.0_f32));
    assert_eq!(value.field(".place.y").unwrap().get(), Some(&2.0_f32));
    assert_eq!(value.field("slots[1].label").unwrap().get::<String>().unwrap(), "sword");
    assert_eq!(value.field("slots[1].item.1.x").unwrap().get(), Some(&3.0_f32));
    assert_eq!(value.field("slots[1].item.0.0").unwrap().get(), Some(&7_u32));
    assert_eq!(value.field("grid[1][0]").unwrap().get(), Some(&3_u8));
    assert_eq!(value.field("pair.1.y").unwrap().get(), Some(&7.0_f32));
    assert_eq!(value.field("type").unwrap().get(), Some(&8_u8));
    let slots = value.field("slots").unwrap();
    assert_eq!(slots.field("[1].item.1.y").unwrap().get(), Some(&4.0_f32));
    assert_eq!(slots.field("[0]").unwrap().description().type_name(), std::any::type_name::<Slot>());
}

#[test]
fn a_type_with_a_list_of_itself_is_described_to_any_depth() {
    let leaf = |size| Tree { size, children: Vec::new(), twin: None };
    let tree =
        Tree { size: 1, children: vec![leaf(2), Tree { size: 3, children: vec![leaf(4)], twin: None }], twin: None };
    let value = ErasedValue::of(tree);
    assert_eq!(value.as_ref().field("children[1].children[0].size").unwrap().get(), Some(&4_u32));
}

#[test]
fn a_path_that_leads_nowhere_is_an_error_that_names_the_place() {
    let value = ErasedValue::of(unit());
    let value = value.as_ref();
    let unknown = error(value, "place.z");
    let FieldError::Unknown { of, name, fields } = &unknown else { panic!("{unknown}") };
    assert!(of.ends_with("Point") && name == "z" && fields == &["x", "y"], "{unknown}");
    assert!(unknown.to_string().ends_with("Point` has no field `z`; it has `x`, `y`"), "{unknown}");
    assert_eq!(error(value, "slots[2]"), FieldError::OutOfBounds { list: "slots".into(), index: 2, len: 2 });
    assert_eq!(error(value, "grid[1][5]"), FieldError::OutOfBounds { list: "grid[1]".into(), index: 5, len: 2 });
    assert_eq!(error(value, "target.x"), FieldError::IsNone { path: "target".into() });
    assert_eq!(error(value, "slots[0].item.0"), FieldError::IsNone { path: "slots[0].item".into() });
    assert!(matches!(error(value, "place[0]"), FieldError::NotAList { path, .. } if path == "place"));
    assert!(matches!(error(value, "[0]"), FieldError::NotAList { path, .. } if path.is_empty()));
    assert!(error(value, "mode.Calm").to_string().contains("derive `Describe`"));
    assert!(value.field("slots[2]").is_none());
}

#[test]
fn a_text_that_is_no_path_is_an_error_with_the_position() {
    let value = ErasedValue::of(unit());
    let cases = [
        ("", 0, "the name of a field"),
        (".", 1, "the name of a field"),
        ("place.", 6, "the name of a field"),
        ("place..x", 6, "the name of a field"),
        ("place x", 5, "`.` or `[`"),
        ("slots[", 6, "an index"),
        ("slots[]", 6, "an index"),
        ("slots[-1]", 6, "an index"),
        ("slots[1", 7, "`]`"),
        ("slots[1x]", 7, "`]`"),
        ("slots[1]label", 8, "`.` or `[`"),
        ("slots[99999999999999999999]", 6, "a smaller index"),
        ("größe!", 7, "`.` or `[`"),
    ];
    for (path, at, expected) in cases {
        assert_eq!(error(value.as_ref(), path), FieldError::Syntax { path: path.into(), at, expected });
    }
}

/// The values that a query of changes finds since this was last called.
fn changes<C: Component>(world: &mut World) -> usize {
    let mut changed = world.query_filtered::<Entity, Changed<C>>();
    let count = changed.iter(world).count();
    world.clear_trackers();
    count
}

#[test]
fn a_field_is_set_and_the_component_has_changed() {
    let mut world = World::new();
    let id = world.register_component::<Unit>();
    let entity = world.spawn(unit()).id();
    let other = world.spawn(unit()).id();
    changes::<Unit>(&mut world);
    assert_eq!(changes::<Unit>(&mut world), 0);
    let mut at = world.entity_mut(entity);
    at.set_field(id, "place.y", 9.0_f32).unwrap();
    at.set_field(id, "slots[1].item.1.x", 8.0_f32).unwrap();
    at.set_field(id, "slots[0].label", String::from("shield")).unwrap();
    at.set_field(id, "grid[1][0]", 30_u8).unwrap();
    at.set_field(id, "pair.0", 50_u32).unwrap();
    at.set_field(id, "target", Some(point(0.0, 1.0))).unwrap();
    at.set_field(id, "target.y", 2.0_f32).unwrap();
    at.set_field(id, "mode", Mode::Angry).unwrap();
    at.set_field(id, "parent", Some(other)).unwrap();
    at.set_field(id, "slots[0]", Slot { item: None, label: "gone".into() }).unwrap();
    let mut expected = unit();
    expected.place.y = 9.0;
    expected.slots[1].item = Some((7, point(8.0, 4.0)));
    expected.grid[1][0] = 30;
    expected.pair.0 = 50;
    expected.target = Some(point(0.0, 2.0));
    expected.mode = Mode::Angry;
    expected.parent = Some(other);
    expected.slots[0].label = "gone".into();
    assert_eq!(at.get::<Unit>(), Some(&expected));
    assert_eq!(changes::<Unit>(&mut world), 1);
}

#[test]
fn an_error_writes_nothing_and_is_no_change() {
    let mut world = World::new();
    let id = world.register_component::<Unit>();
    let entity = world.spawn(unit()).id();
    changes::<Unit>(&mut world);
    let mut at = world.entity_mut(entity);
    let mut value = at.get_mut_by_id(id).unwrap();
    let wrong = value.set_field("place.x", 1.0_f64).unwrap_err();
    assert_eq!(wrong, FieldError::WrongType { path: "place.x".into(), expected: "f32", found: "f64" });
    assert_eq!(wrong.to_string(), "`place.x` is a `f32`, and cannot be set to a `f64`");
    assert!(matches!(value.set_field("target", 1.0_f32), Err(FieldError::WrongType { .. })));
    assert!(matches!(value.set_field("slots[7].label", String::new()), Err(FieldError::OutOfBounds { .. })));
    assert!(matches!(value.set_field("target.x", 1.0_f32), Err(FieldError::IsNone { .. })));
    assert!(matches!(value.set_field("colour", 1_u32), Err(FieldError::Unknown { .. })));
    assert!(matches!(value.set_field("place.", 1_u32), Err(FieldError::Syntax { .. })));
    assert_eq!(at.get::<Unit>(), Some(&unit()));
    assert_eq!(changes::<Unit>(&mut world), 0);
}

#[test]
fn a_private_field_is_set_only_if_its_type_says_so() {
    let mut world = World::new();
    let (unit_id, own) = (world.register_component::<Unit>(), world.register_component::<Own>());
    let mut at = world.spawn((unit(), Own { length: 1, inner: Inner { hidden: 2 } }));
    let error = at.set_field(unit_id, "secret", 1_u32).unwrap_err();
    let SetFieldError::Field(FieldError::Private { path, of }) = &error else { panic!("{error}") };
    assert!(path == "secret" && of.ends_with("Unit") && error.to_string().contains("make it `pub`"), "{error}");
    at.set_field(own, "length", 5_usize).unwrap();
    let error = at.set_field(own, "inner.hidden", 5_u8).unwrap_err();
    assert!(matches!(error, SetFieldError::Field(FieldError::Private { path, .. }) if path == "inner.hidden"));
    at.set_field(own, "inner", Inner { hidden: 6 }).unwrap();
    assert_eq!(at.get::<Own>(), Some(&Own { length: 5, inner: Inner { hidden: 6 } }));
    assert_eq!(at.get::<Unit>(), Some(&unit()));
}

#[test]
fn components_that_cannot_be_changed_are_refused() {
    let mut world = World::new();
    let (unit_id, fixed, packed) =
        (world.register_component::<Unit>(), world.register_component::<Fixed>(), world.register_component::<Packed>());
    let unknown = {
        let mut other = World::new();
        other.register_component::<Health>();
        (0..40).for_each(|number| {
            let descriptor = ComponentDescriptor::builder(format!("filler:{number}"), Description::<u8>::new());
            register(&mut other, descriptor);
        });
        register(&mut other, unit_component())
    };
    let mut at = world.spawn((Fixed { value: 1 }, Packed { byte: 1, number: 2 }));
    let refused = |error: SetFieldError| match error {
        SetFieldError::Component(error) => error,
        SetFieldError::Field(error) => panic!("{error}"),
    };
    let error = refused(at.set_field(fixed, "value", 2_u32).unwrap_err());
    assert!(matches!(error, ErasedAccessError::Immutable { .. }), "{error}");
    let error = refused(at.set_field(unit_id, "secret", 2_u32).unwrap_err());
    assert!(matches!(error, ErasedAccessError::Missing { .. }), "{error}");
    let error = refused(at.set_field(unknown, "secret", 2_u32).unwrap_err());
    assert!(matches!(error, ErasedAccessError::UnknownComponent { .. }), "{error}");
    let error = at.set_field(packed, "number", 3_u64).unwrap_err();
    assert!(matches!(error, SetFieldError::Field(FieldError::Private { .. } | FieldError::Packed { .. })), "{error}");
    assert_eq!(at.get::<Fixed>(), Some(&Fixed { value: 1 }));
}

fn unit_component() -> ComponentDescriptorBuilder {
    ComponentDescriptor::builder("paths:last", Description::<u16>::new())
}

#[test]
fn the_old_value_is_dropped_once_and_the_new_one_if_it_does_not_fit() {
    let mut world = World::new();
    let id = world.register_component::<Changing>();
    let entity = world.spawn(Changing { held: Held(Token::new()) }).id();
    world.entity_mut(entity).set_field(id, "held", Held(Token::new())).unwrap();
    assert_eq!(drops::alive(), 1);
    world.entity_mut(entity).set_field(id, "held", Token::new()).unwrap_err();
    assert_eq!(drops::alive(), 1);
    world.despawn(entity);
    assert_eq!(drops::alive(), 0);
}

#[test]
fn a_command_sets_a_field_or_is_reported() {
    let mut world = World::new();
    world.on_command_error(OnCommandError::Keep);
    let id = world.register_component::<Unit>();
    let entity = world.spawn(unit()).id();
    world.commands().entity(entity).set_field(id, "place.x", 5.0_f32).set_field(id, "place.z", 5.0_f32);
    world.flush();
    assert_eq!(world.get::<Unit>(entity).unwrap().place.x, 5.0);
    world.despawn(entity);
    world.commands().entity(entity).set_field(id, "place.x", 6.0_f32);
    world.flush();
    let errors = world.take_command_errors().0;
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].to_string().contains("has no field `z`"), "{}", errors[0]);
    assert!(errors[1].to_string().contains("despawned"), "{}", errors[1]);
    world.on_command_error(OnCommandError::Panic);
    world.commands().entity(entity).set_field(id, "place.x", 6.0_f32);
    expect_panic(|| world.flush());
}

#[test]
fn entities_of_an_iteration_are_set() {
    let mut world = World::new();
    let id = world.register_component::<Own>();
    world.spawn_batch([1, 2].map(|length| Own { length, inner: Inner { hidden: 0 } }));
    for mut entity in world.iter_entities_mut() {
        entity.set_field(id, "length", 7_usize).unwrap();
    }
    assert!(world.query::<&Own>().iter(&world).all(|own| own.length == 7));
}
