//! The fields of structs.

use std::mem::offset_of;

use strata_ecs::component::{Describe, Field};

use super::*;

/// A point.
#[derive(Describe)]
struct Point {
    /// To the right.
    x: f32,
    y: f32,
}

#[derive(Component)]
#[repr(C)]
struct Body {
    /// In meters,
    ///   from the origin.
    pub at: Point,
    #[doc = concat!(" In ", "kilograms")]
    mass: f64,
    r#type: &'static [Private],
    health: Health,
}

struct Private;

#[derive(Component)]
struct Pair<T>(u8, T);
#[derive(Component)]
struct Row<T: Describe + Send + Sync, const N: usize>(T, [T; N]);
#[derive(Component)]
#[repr(C, packed)]
struct Packed {
    small: u8,
    large: u64,
}
#[derive(Component)]
struct Unit;
#[derive(Component)]
struct Empty {}
#[derive(Component)]
enum Choice {
    #[expect(dead_code, reason = "only one variant is made")]
    One(u8),
    Two {
        value: Point,
    },
}
#[derive(Resource)]
struct Settings {
    volume: f32,
}

fn of<C: Component>() -> &'static [Field] {
    ComponentDescriptor::of::<C>().fields()
}

fn names(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().map(Field::name).collect()
}

#[test]
fn fields_have_names_places_and_types() {
    let fields = of::<Body>();
    assert_eq!(names(fields), ["at", "mass", "type", "health"]);
    let places: Vec<usize> = fields.iter().map(Field::offset).collect();
    let expected = [offset_of!(Body, at), offset_of!(Body, mass), offset_of!(Body, r#type), offset_of!(Body, health)];
    assert_eq!(places, expected);
    assert_eq!(fields[1].type_id(), Some(TypeId::of::<f64>()));
    assert_eq!((fields[1].type_name(), fields[1].layout().size()), ("f64", 8));
    assert_eq!(fields[2].type_id(), Some(TypeId::of::<&'static [Private]>()));
    assert!(fields[2].type_name().ends_with("fields::Private]"));
    let body = Body { at: Point { x: 1.0, y: 2.0 }, mass: 3.0, r#type: &[Private], health: Health(4) };
    assert!(
        (body.at.x + body.at.y - 3.0).abs() < 0.1 && body.mass > 2.0 && body.r#type.len() == 1 && body.health.0 == 4
    );
}

#[test]
fn doc_comments_are_kept() {
    let docs: Vec<&str> = of::<Body>().iter().map(Field::docs).collect();
    assert_eq!(docs[..2], ["In meters,\n  from the origin.", " In kilograms\n"]);
    assert_eq!(docs[2..], ["", ""]);
}

#[test]
fn fields_of_types_that_describe_themselves_are_nested() {
    let fields = of::<Body>();
    assert_eq!(names(fields[0].fields()), ["x", "y"]);
    assert_eq!((fields[0].fields()[1].offset(), fields[0].fields()[0].docs()), (offset_of!(Point, y), "To the right."));
    assert_eq!(names(fields[3].fields()), ["0"]);
    assert!(fields[1].fields().is_empty() && fields[2].fields().is_empty());
    let row = of::<Row<Health, 2>>();
    assert_eq!((names(row), names(row[0].fields())), (vec!["0", "1"], vec!["0"]));
    // Whether a type parameter describes itself its bounds say.
    let pair = of::<Pair<Health>>();
    assert_eq!((names(pair), pair[1].fields().len()), (vec!["0", "1"], 0));
    assert_eq!((pair[1].type_id(), pair[1].offset()), (Some(TypeId::of::<Health>()), offset_of!(Pair<Health>, 1)));
    assert_eq!(Pair(1, 2_u8).0 + Row(1_u8, [2, 3]).1[0], 3);
    assert_eq!(Pair(1, 2_u8).1 + Row(1_u8, [2, 3]).0, 3);
}

#[test]
fn every_form_of_type_is_described() {
    assert_eq!(of::<Packed>().iter().map(Field::offset).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(of::<Packed>()[1].layout().align(), align_of::<u64>());
    assert!(of::<Unit>().is_empty() && of::<Empty>().is_empty() && of::<Choice>().is_empty());
    let settings = ComponentDescriptor::of_resource::<Settings>().fields();
    assert_eq!((names(settings), settings[0].type_name()), (vec!["volume"], "f32"));
    let packed = Packed { small: 1, large: 2 };
    assert_eq!({ packed.large } + u64::from(packed.small), 3);
    assert!(Settings { volume: 1.0 }.volume > 0.5);
    let choice = Choice::Two { value: Point { x: 0.0, y: 1.0 } };
    assert!(matches!(choice, Choice::Two { value: Point { y: 0.5.., .. } }));
    World::new().spawn((Unit, Empty {}));
}

#[test]
fn cfgs_and_macros_decide_which_fields_there_are() {
    macro_rules! written {
        ($Name:ident { $($field:ident: $Type:ty),* } $extra:ident) => {
            #[derive(Component)]
            struct $Name { $($field: $Type,)* $extra: u8, own: u16 }
        };
    }
    written!(Written { a: u8, b: (u8, fn(u8) -> u8) } c);
    #[derive(Component)]
    struct Chosen {
        here: u8,
        #[cfg(any())]
        not_here: u8,
    }
    assert_eq!(names(of::<Written>()), ["a", "b", "c", "own"]);
    assert_eq!(names(of::<Chosen>()), ["here"]);
    let written = Written { a: 1, b: (2, |number| number), c: 3, own: 4 };
    assert_eq!(u16::from(written.a + (written.b.1)(written.b.0) + written.c) + written.own, 10);
    assert_eq!(Chosen { here: 1 }.here, 1);
}

#[test]
fn types_have_names_by_describing_themselves() {
    #[derive(Describe)]
    #[describe(name = "iron")]
    struct Iron;
    #[derive(Describe)]
    struct Alloy<A: Describe, B: Describe, const PERCENT: u8>(A, B);
    #[derive(Component)]
    struct Made<T: Describe + Send + Sync>(T);
    type Steel = Alloy<Iron, u8, 2>;
    let name = ComponentDescriptor::of::<Made<Steel>>().stable_name().expect("all have one").to_string();
    let module = module_path!();
    assert_eq!(name, format!("{module}::Made<{module}::Alloy<iron, u8, 2>>"));
    assert_eq!(names(of::<Made<Steel>>()[0].fields()), ["0", "1"]);
    let made: Made<Steel> = Made(Alloy(Iron, 1));
    assert!(made.0.1 == 1 && matches!(made.0.0, Iron));
}
