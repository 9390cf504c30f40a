//! Which functions are found, and what they do.

use std::fmt;
use std::mem::{ManuallyDrop, MaybeUninit};

use strata_ecs::component::{ComponentFunctions, ComponentKey, Description, Mutable};
use strata_tests::drops::{self, Token};

use super::*;

#[derive(Component, Clone, Default, Debug, PartialEq)]
struct All(String);
#[derive(Component)]
struct Nothing(u8);
#[derive(Component, Clone, Default, Debug, PartialEq)]
struct Unbounded<T>(T);
#[derive(Component, Clone, Default, Debug, PartialEq)]
struct Bounded<T: Clone + fmt::Debug>(T);
#[derive(Component, Clone, Debug, PartialEq)]
struct Sized<const N: usize>([u8; N]);
#[derive(Component, Clone)]
#[component(clone)]
struct Demanded<T>(T);
#[derive(Component, Clone, PartialEq)]
#[component(clone = "never")]
struct Secret;
#[derive(Resource, Clone, Debug)]
struct Settings(u8);

/// The names of the functions that are known.
fn known(functions: &ComponentFunctions) -> String {
    format!("{functions:?}").replace(['"', '[', ']', ','], "")
}

fn of<C: Component>() -> String {
    known(ComponentDescriptor::of::<C>().functions())
}

/// What `Debug` shows of a value, by the function of its descriptor.
fn text<C: Component>(value: &C) -> String {
    let debug = ComponentDescriptor::of::<C>().functions().debug_fn().expect("it is `Debug`");
    // SAFETY: the function belongs to the type of the value.
    fmt::from_fn(|f| unsafe { debug((&raw const *value).cast(), f) }).to_string()
}

#[test]
fn functions_are_found_as_far_as_the_bounds_prove_them() {
    assert_eq!(of::<All>(), "drop clone default eq debug");
    assert_eq!(of::<Nothing>(), "");
    assert_eq!(of::<Health>(), "");
    // A value of an unbounded parameter may be an entity.
    assert_eq!(of::<Unbounded<String>>(), "drop map_entities");
    assert_eq!(of::<Bounded<u8>>(), "clone debug map_entities");
    assert_eq!(of::<Sized<4>>(), "clone eq debug");
    assert_eq!(of::<Demanded<u8>>(), "clone map_entities");
    assert_eq!(of::<Secret>(), "eq");
    assert_eq!(known(ComponentDescriptor::of_resource::<Settings>().functions()), "clone debug");
    assert_eq!(Settings(1).0 + Nothing(1).0 + Demanded(1_u8).0, 3);
    let mut world = World::new();
    let entity = world.spawn((Bounded(1_u8), Sized([1; 3]), Demanded(2_u8))).id();
    let copy = world.clone_entity(entity).expect("all can be cloned");
    assert_eq!(world.get::<Bounded<u8>>(copy), Some(&Bounded(1)));
    assert_eq!(world.get::<Sized<3>>(copy), Some(&Sized([1; 3])));
}

#[test]
fn traits_of_the_type_itself_count_however_they_came() {
    macro_rules! written {
        ($Name:ident $($Trait:ident)*) => {
            #[derive(Component $(, $Trait)*)]
            struct $Name(u8);
        };
    }
    struct Inner;
    #[derive(Component)]
    struct Local(Inner);
    impl Clone for Local {
        fn clone(&self) -> Self {
            let Inner = self.0;
            Self(Inner)
        }
    }
    written!(Plain);
    written!(Copied Clone Copy);
    assert_eq!((of::<Plain>(), of::<Copied>(), of::<Local>()), (String::new(), "clone".into(), "clone".into()));
    assert_eq!(Plain(1).0 + Copied(2).0, 3);
}

#[test]
fn the_functions_do_what_they_say() {
    let functions = ComponentDescriptor::of::<All>().functions();
    let (value, mut copy) = (All("a".into()), MaybeUninit::<All>::uninit());
    let value_at: *const u8 = (&raw const value).cast();
    // SAFETY: each address holds a value of the type, or room for one where a function writes.
    unsafe {
        functions.clone_fn().expect("it is `Clone`")(value_at, copy.as_mut_ptr().cast());
        assert!(functions.eq_fn().expect("it is `PartialEq`")(value_at, copy.as_ptr().cast()));
        copy.assume_init_drop();
        functions.default_fn().expect("it is `Default`")(copy.as_mut_ptr().cast());
        assert!(!functions.eq_fn().expect("it is `PartialEq`")(value_at, copy.as_ptr().cast()));
        assert_eq!(copy.assume_init(), All(String::new()));
    }
    assert_eq!(text(&value), "All(\"a\")");
}

#[test]
fn so_many_values_are_dropped_once() {
    #[derive(Component)]
    struct Held(Token);
    drops::reset();
    let mut held = ManuallyDrop::new([(); 3].map(|()| Held(Token::new())));
    assert_eq!(drops::alive(), 3);
    let drop = ComponentDescriptor::of::<Held>().functions().drop_fn().expect("tokens are dropped");
    // SAFETY: there are three values, which are not used any more.
    unsafe { drop((&raw mut held).cast(), 3) };
    drops::assert_all_dropped_once();
    assert!(ComponentDescriptor::of::<Health>().functions().drop_fn().is_none());
}

#[test]
fn a_component_by_hand_says_what_it_wants_to() {
    #[derive(Clone, Debug, Default, PartialEq)]
    struct ByHand(u8);

    impl Component for ByHand {
        type Mutability = Mutable;
        const STORAGE_TYPE: StorageType = StorageType::Table;
        const KEY: ComponentKey = ComponentKey::new(None, None, module_path!(), "ByHand", line!(), column!());
        const DESCRIPTION: Description<Self> =
            Description::new().with_name("by_hand").with_debug().with_default().with_eq().with_clone().without_clone();
    }

    assert_eq!(of::<ByHand>(), "default eq debug");
    assert_eq!(text(&ByHand(3)), "ByHand(3)");
    assert!(ComponentDescriptor::of::<ByHand>().fields().is_empty());
    assert!(ByHand::DESCRIPTION.name().is_some_and(|name| name == *"by_hand"));
}
