//! Changes that exchange components or keep some: `insert_if_new`, `replace`, `exchange`, `retain`, `clear`.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};

#[derive(Component, Debug, PartialEq)]
struct A(u32, Token);
#[derive(Component, Debug, PartialEq)]
struct B(u32, Token);
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u32, Token);
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct P(u32, Token);
#[derive(Component, Debug, PartialEq)]
struct Unit;
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Tag;

/// The bit of each component.
const ALL: u8 = 0b11_1111;

/// The components of the test, and bundles of them: each value is `value`.
trait Make: Bundle {
    const MASK: u8;
    fn make(value: u32) -> Self;
    /// The values in it, by component; zero for those without one.
    fn values(&self) -> [Option<u32>; 6];
}

macro_rules! part {
    ($($name:ident $bit:literal)*) => { $(
        impl Make for $name {
            const MASK: u8 = 1 << $bit;
            fn make(value: u32) -> Self {
                Self(value, Token::new())
            }
            fn values(&self) -> [Option<u32>; 6] {
                let mut values = [None; 6];
                values[$bit] = Some(self.0);
                values
            }
        }
    )* };
}

macro_rules! unit {
    ($($name:ident $bit:literal)*) => { $(
        impl Make for $name {
            const MASK: u8 = 1 << $bit;
            fn make(_: u32) -> Self {
                Self
            }
            fn values(&self) -> [Option<u32>; 6] {
                let mut values = [None; 6];
                values[$bit] = Some(0);
                values
            }
        }
    )* };
}

part!(A 0 B 1 S 2 P 3);
unit!(Unit 4 Tag 5);

macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: Make),*> Make for ($($name,)*) {
            const MASK: u8 = 0 $(| $name::MASK)*;
            fn make(_value: u32) -> Self {
                ($($name::make(_value),)*)
            }
            #[expect(non_snake_case, reason = "the type parameters name the members")]
            fn values(&self) -> [Option<u32>; 6] {
                let ($($name,)*) = self;
                let mut values = [None; 6];
                $(values = std::array::from_fn(|at| values[at].or($name.values()[at]));)*
                values
            }
        }
    };
}

impl Make for () {
    const MASK: u8 = 0;
    fn make(_: u32) -> Self {}
    fn values(&self) -> [Option<u32>; 6] {
        [None; 6]
    }
}
tuple!(M N);
tuple!(M N O);
tuple!(M N O Q R V);

/// Runs `$action::<Bundle>($mask)`, or `$action::<$other, Bundle>($mask)`, for bundles with and without tables, sparse sets and tags.
macro_rules! for_each_bundle {
    ($action:ident, $mask:expr $(, $other:ty)?) => {
        $action::<$($other,)? ()>($mask);
        $action::<$($other,)? A>($mask);
        $action::<$($other,)? S>($mask);
        $action::<$($other,)? Tag>($mask);
        $action::<$($other,)? (B, A)>($mask);
        $action::<$($other,)? (S, A)>($mask);
        $action::<$($other,)? (P, S)>($mask);
        $action::<$($other,)? (Tag, Unit, B)>($mask);
        $action::<$($other,)? (P, A, Tag, S, Unit, B)>($mask);
    };
}

/// A world with an entity that has the components of a mask, each with the value 1, between two that have all.
fn world_with(mask: u8) -> (World, Entity) {
    drops::reset();
    let mut world = World::new();
    world.spawn(<(A, B, S)>::make(7)).insert((P::make(7), Unit, Tag));
    let mut entity = world.spawn_empty();
    macro_rules! insert {
        ($($name:ident)*) => { $(if mask & $name::MASK != 0 { entity.insert($name::make(1)); })* };
    }
    insert!(A B S P Unit Tag);
    let id = entity.id();
    world.spawn(<(A, B, S)>::make(7)).insert((P::make(7), Unit, Tag));
    (world, id)
}

/// Returns the values of an entity, by component.
fn found(world: &World, entity: Entity) -> [Option<u32>; 6] {
    let entity = world.entity(entity);
    let unit = |has: bool| has.then_some(0);
    [
        entity.get::<A>().map(|a| a.0),
        entity.get::<B>().map(|b| b.0),
        entity.get::<S>().map(|s| s.0),
        entity.get::<P>().map(|p| p.0),
        unit(entity.contains::<Unit>()),
        unit(entity.contains::<Tag>()),
    ]
}

/// The values of a mask: `value` where there is one.
fn values(mask: u8, value: u32) -> [Option<u32>; 6] {
    std::array::from_fn(|at| (mask & 1 << at != 0).then_some(if at < 4 { value } else { 0 }))
}

/// Returns the first values, or the other values where the first are missing.
fn either(first: [Option<u32>; 6], second: [Option<u32>; 6]) -> [Option<u32>; 6] {
    std::array::from_fn(|at| first[at].or(second[at]))
}

/// The entity has these values, no other one has changed, and what no entity has was dropped once.
fn assert_left(mut world: World, entity: Entity, expected: [Option<u32>; 6], held: [Option<u32>; 6]) {
    world.check_invariants();
    assert_eq!(found(&world, entity), expected);
    for other in world.iter_entities().map(|other| other.id()).filter(|other| *other != entity) {
        assert_eq!(found(&world, other), values(ALL, 7));
    }
    let tokens = |values: [Option<u32>; 6]| values[..4].iter().flatten().count();
    drops::assert_none_twice();
    assert_eq!(drops::alive(), 8 + tokens(expected) + tokens(held));
    drop(world);
    drops::assert_none_twice();
    assert_eq!(drops::alive(), tokens(held));
}

/// Every component that a sparse or a table-stored one may meet: none, all, each alone, all but each, and halves.
fn masks() -> impl Iterator<Item = u8> {
    let single = (0..6).map(|bit| 1 << bit);
    [0, ALL, 0b01_0011, 0b10_1100].into_iter().chain(single.clone()).chain(single.map(|bit: u8| ALL & !bit))
}

fn insert_if_new<New: Make>(mask: u8) {
    let (mut world, entity) = world_with(mask);
    world.entity_mut(entity).insert_if_new(New::make(2));
    assert_left(world, entity, either(values(mask, 1), values(New::MASK, 2)), [None; 6]);
}

#[test]
fn insert_if_new_adds_what_is_missing_and_drops_the_rest() {
    for mask in masks() {
        for_each_bundle!(insert_if_new, mask);
    }
}

fn retain<Kept: Make>(mask: u8) {
    let (mut world, entity) = world_with(mask);
    world.entity_mut(entity).retain::<Kept>();
    assert_left(world, entity, values(mask & Kept::MASK, 1), [None; 6]);
}

#[test]
fn retain_keeps_what_is_named_as_far_as_it_is_there() {
    for mask in masks() {
        for_each_bundle!(retain, mask);
    }
}

#[test]
fn clear_leaves_an_entity_without_components() {
    for mask in 0..=ALL {
        let (mut world, entity) = world_with(mask);
        assert_eq!(world.entity_mut(entity).clear().as_readonly().components().count(), 0);
        assert_left(world, entity, [None; 6], [None; 6]);
    }
}

fn replace<Old: Make, New: Make>(mask: u8) {
    let (mut world, entity) = world_with(mask);
    world.entity_mut(entity).replace::<Old, New>(New::make(2));
    assert_left(world, entity, either(values(New::MASK, 2), values(mask & !Old::MASK, 1)), [None; 6]);
}

fn exchange<Old: Make, New: Make>(mask: u8) {
    let (mut world, entity) = world_with(mask);
    let outcome = world.entity_mut(entity).exchange::<Old, New>(New::make(2));
    let complete = Old::MASK & mask == Old::MASK;
    let (held, expected) = match &outcome {
        Ok(old) => (values(Old::MASK, 1), [old.values(), either(values(New::MASK, 2), values(mask & !Old::MASK, 1))]),
        Err(new) => (values(New::MASK, 2), [new.values(), values(mask, 1)]),
    };
    assert_eq!((outcome.is_ok(), expected[0]), (complete, held));
    assert_left(world, entity, expected[1], held);
    drop(outcome);
    drops::assert_all_dropped_once();
}

/// Every pair of bundles, on an entity with these components.
fn each_pair(mask: u8) {
    macro_rules! pairs {
        ($action:ident: $($old:ty),*) => { $(for_each_bundle!($action, mask, $old);)* };
    }
    pairs!(replace: (), A, S, Tag, (A, B), (A, S), (S, P), (Unit, Tag, A), (A, B, (S, P, (Unit, Tag))));
    pairs!(exchange: (), A, S, Tag, (A, B), (A, S), (S, P), (Unit, Tag, A), (A, B, (S, P, (Unit, Tag))));
}

#[test]
fn replace_and_exchange_of_any_bundles_that_overlap_or_not_do_what_they_say() {
    masks().for_each(each_pair);
}

#[test]
fn the_same_changes_by_command_have_the_same_outcome() {
    fn check<M: Make>(mask: u8) {
        let (mut world, entity) = world_with(mask);
        world.commands().entity(entity).retain::<M>();
        world.flush();
        assert_left(world, entity, values(mask & M::MASK, 1), [None; 6]);
        let (mut world, entity) = world_with(mask);
        world.commands().entity(entity).insert_if_new(M::make(2));
        world.flush();
        assert_left(world, entity, either(values(mask, 1), values(M::MASK, 2)), [None; 6]);
        let (mut world, entity) = world_with(mask);
        world.commands().entity(entity).clear().insert(M::make(2));
        world.flush();
        assert_left(world, entity, values(M::MASK, 2), [None; 6]);
    }
    for mask in masks() {
        for_each_bundle!(check, mask);
    }
}

#[test]
fn an_entity_handle_can_be_used_on_after_each_change() {
    let (mut world, id) = world_with(ALL);
    let mut entity = world.entity_mut(id);
    entity.replace::<A, _>(Tag).insert_if_new(A::make(3)).retain::<(A, S)>().insert(B::make(3)).clear();
    entity.insert(A::make(4)).insert_if_new((A::make(5), P::make(5)));
    assert!(entity.exchange::<(A, P), S>(S::make(6)).is_ok_and(|(a, p)| (a.0, p.0) == (4, 5)));
    assert_eq!(entity.id(), id);
    assert_left(world, id, values(S::MASK, 6), [None; 6]);
}

#[test]
fn a_component_of_a_thousand_bytes_and_one_of_none_change_places() {
    #[derive(Component, Debug, PartialEq)]
    #[repr(align(128))]
    struct Wide([u8; 1024]);
    let mut world = World::new();
    let mut entity = world.spawn(Wide([1; 1024]));
    let wide = entity.exchange::<Wide, Unit>(Unit).expect("it is there");
    assert_eq!((wide.0, entity.contains::<Wide>()), ([1; 1024], false));
    assert_eq!(entity.exchange::<Unit, (Wide, Tag)>((Wide([2; 1024]), Tag)).ok(), Some(Unit));
    assert_eq!(entity.get::<Wide>().map(|wide| wide.0), Some([2; 1024]));
    world.check_invariants();
}
