//! Which value counts.

use std::marker::PhantomData;

use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Debug, PartialEq, Default, Clone, Copy)]
struct Value(u32);

impl Value {
    const SEVEN: Self = Self(7);

    fn new(value: u32) -> Self {
        Self(value)
    }
}

#[derive(Component, Debug, PartialEq, Default)]
enum Mood {
    #[default]
    Calm,
    Angry,
    Tense(u8),
    Odd {
        by: u8,
    },
}

#[derive(Component, Debug, PartialEq, Default)]
struct Named {
    x: u32,
    y: u32,
}

#[test]
fn every_form_gives_its_value() {
    #[derive(Component)]
    #[require(Value, Mood::Angry, Named { x: 4, ..Default::default() })]
    struct First;
    #[derive(Component)]
    #[require(Value(3))]
    #[require(Mood::Tense(2), Named)]
    struct Second;
    #[derive(Component)]
    #[require(Value::SEVEN, Mood::Odd { by: 5 }, Named = if 1 < 2 { Named { x: 1, y: 2 } } else { Named::default() },)]
    struct Third;
    #[derive(Component)]
    #[require(Value::new(8), Mood)]
    struct Fourth;
    #[derive(Component)]
    #[require(Value = { let sum = 4 + 5; Value(sum) })]
    enum Fifth {
        Only,
    }

    let mut world = World::new();
    let entity = world.spawn(First);
    assert_eq!((entity.get(), entity.get()), (Some(&Value(0)), Some(&Mood::Angry)));
    assert_eq!(entity.get(), Some(&Named { x: 4, y: 0 }));
    let entity = world.spawn(Second);
    assert_eq!((entity.get(), entity.get()), (Some(&Value(3)), Some(&Mood::Tense(2))));
    assert_eq!(entity.get(), Some(&Named { x: 0, y: 0 }));
    let entity = world.spawn(Third);
    assert_eq!((entity.get(), entity.get()), (Some(&Value(7)), Some(&Mood::Odd { by: 5 })));
    assert_eq!(entity.get(), Some(&Named { x: 1, y: 2 }));
    let entity = world.spawn(Fourth);
    assert_eq!((entity.get(), entity.get()), (Some(&Value(8)), Some(&Mood::Calm)));
    assert_eq!(world.spawn(Fifth::Only).get(), Some(&Value(9)));
}

#[test]
fn the_expression_is_evaluated_for_each_value() {
    thread_local!(static NEXT: Cell<u32> = const { Cell::new(0) });
    #[derive(Component)]
    #[require(Value = Value(NEXT.replace(NEXT.get() + 1)))]
    struct Counts;

    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..3).map(|_| Counts)).chain([]).collect();
    assert!(ids.iter().map(|id| world.get::<Value>(*id).unwrap().0).eq(0..3));
}

#[test]
fn what_is_given_counts_more_than_what_is_required() {
    #[derive(Component)]
    #[require(Value(1))]
    struct Needs;

    let mut world = World::new();
    assert_eq!(world.spawn((Needs, Value(5))).get(), Some(&Value(5)));
    assert_eq!(world.spawn((Value(6), Needs)).get(), Some(&Value(6)));
    let entity = world.spawn(Value(7)).insert(Needs).id();
    assert_eq!(world.get(entity), Some(&Value(7)));
    world.entity_mut(entity).remove::<Needs>();
    assert_eq!(world.get(entity), Some(&Value(7)), "what was required stays");
    world.entity_mut(entity).insert(Needs).remove::<Value>();
    assert!(world.entity(entity).contains::<Needs>(), "the component that required it stays");
    world.entity_mut(entity).insert(Needs);
    assert_eq!(world.get(entity), Some(&Value(1)), "it is required anew");
}

#[derive(Component, Default)]
#[require(Value(1))]
struct Deep;
#[derive(Component, Default)]
#[require(Deep)]
struct Middle;

#[test]
fn what_is_required_requires_in_turn() {
    #[derive(Component)]
    #[require(Middle)]
    struct Top;

    let mut world = World::new();
    let id = world.spawn(Top).id();
    assert!(world.entity(id).contains::<Middle>() && world.entity(id).contains::<Deep>());
    assert_eq!(world.get(id), Some(&Value(1)));
    let top = world.component_id::<Top>().unwrap();
    let names: Vec<&str> =
        world.components().info(top).unwrap().required_components().map(|id| world.components().name(id)).collect();
    assert!(names[0].ends_with("Middle") && names[1].ends_with("Deep") && names[2].ends_with("Value"), "{names:?}");
}

#[test]
fn the_nearest_requirement_counts() {
    #[derive(Component)]
    #[require(Middle, Value(2))]
    struct Own;
    #[derive(Component, Default)]
    #[require(Value(3))]
    struct Sibling;
    #[derive(Component)]
    #[require(Middle, Sibling)]
    struct DeepFirst;
    #[derive(Component)]
    #[require(Sibling, Middle)]
    struct SiblingFirst;

    let mut world = World::new();
    assert_eq!(world.spawn(Own).get(), Some(&Value(2)), "its own before that of others");
    assert_eq!(world.spawn(DeepFirst).get(), Some(&Value(1)), "depth first, in the order of writing");
    assert_eq!(world.spawn(SiblingFirst).get(), Some(&Value(3)));
    assert_eq!(world.spawn((Middle, Sibling)).get(), Some(&Value(1)), "the first of the bundle");
    assert_eq!(world.spawn((Sibling, Middle)).get(), Some(&Value(3)));
}

#[derive(Component, Default)]
#[require(Value(7))]
struct Collider;
#[derive(Component, Default)]
#[require(Value(1), Collider)]
struct Bullet;
#[derive(Component, Default)]
#[require(Bullet)]
struct Missile;
#[derive(Component, Default)]
#[require(Value(5))]
struct Unrelated;
#[derive(Bundle, Default)]
struct Outer {
    collider: Collider,
    inner: Inner,
}
#[derive(Bundle, Default)]
struct Inner {
    unrelated: Unrelated,
    bullet: Bullet,
}

/// The value of an entity that gets a bundle when it is spawned, or by another way.
fn value_of<B: Bundle + Default>(world: &mut World) -> u32 {
    let spawned = world.spawn(B::default()).id();
    let inserted = world.spawn_empty().insert(B::default()).id();
    let if_new = world.spawn_empty().insert_if_new(B::default()).id();
    let by_command = world.commands().spawn(B::default()).id();
    let batch: Vec<Entity> = world.spawn_batch([B::default(), B::default()]).collect();
    world.flush();
    let all = [spawned, inserted, if_new, by_command, batch[0], batch[1]];
    let values = all.map(|id| world.get::<Value>(id).unwrap().0);
    assert_eq!(values, [values[0]; 6]);
    values[0]
}

#[test]
fn in_a_bundle_a_component_counts_more_than_one_that_it_requires() {
    let mut world = World::new();
    assert_eq!(value_of::<(Bullet, Collider)>(&mut world), 1);
    assert_eq!(value_of::<(Collider, Bullet)>(&mut world), 1);
    assert_eq!(value_of::<(Collider, ((), (Bullet,)))>(&mut world), 1);
    // Through others, and with all of a chain.
    assert_eq!(value_of::<(Collider, Missile)>(&mut world), 1);
    assert_eq!(value_of::<(Collider, Bullet, Missile)>(&mut world), 1);
    assert_eq!(value_of::<(Bullet, Missile, Collider)>(&mut world), 1);
    // Among components that no other component requires, the first one in the bundle takes precedence.
    assert_eq!(value_of::<(Unrelated, Bullet)>(&mut world), 5);
    assert_eq!(value_of::<(Bullet, Unrelated)>(&mut world), 1);
    assert_eq!(value_of::<(Collider, Unrelated)>(&mut world), 7);
    assert_eq!(value_of::<(Collider, Unrelated, Bullet)>(&mut world), 5);
    assert_eq!(value_of::<(Collider, Bullet, Unrelated)>(&mut world), 1);
    assert_eq!(value_of::<Outer>(&mut world), 5);
    // A bundle that is put together at run time.
    let mut builder = EntityBuilder::new();
    builder.add(Collider).add(Bullet);
    assert_eq!(world.spawn_dynamic(&mut builder).get(), Some(&Value(1)));
}

#[test]
fn in_a_bundle_a_component_counts_more_than_one_that_it_comes_to_require_at_run_time() {
    #[derive(Component, Default)]
    struct Late;
    #[derive(Component, Default)]
    #[component(storage = "sparse")]
    #[require(Value(2))]
    struct Later;

    let mut world = World::new();
    assert_eq!(value_of::<(Collider, Later)>(&mut world), 7);
    world.all::<With<Value>>().despawn();
    world.register_required_components::<Later, Late>();
    world.register_required_components::<Late, Collider>();
    assert_eq!(value_of::<(Collider, Later)>(&mut world), 2);
    world.all::<With<Value>>().despawn();
    world.register_required_components_with::<Late, Value>(|| Value(3));
    assert_eq!(value_of::<(Collider, Late)>(&mut world), 3);
    assert_eq!(value_of::<(Late, Collider, Later)>(&mut world), 2);
}

#[test]
fn generic_components_require_and_are_required() {
    #[derive(Component, Debug, PartialEq)]
    struct Marker<T>(u32, PhantomData<T>);
    impl<T> Default for Marker<T> {
        fn default() -> Self {
            Self(4, PhantomData)
        }
    }
    #[derive(Component, Debug, PartialEq, Default, Clone)]
    struct Sized<const N: usize>;
    #[derive(Component)]
    #[require(Marker<T>, Sized<N>, Marker<u8>(9, PhantomData))]
    struct Needs<T, const N: usize>(PhantomData<T>);

    let mut world = World::new();
    let entity = world.spawn(Needs::<u16, 3>(PhantomData));
    assert_eq!(entity.get(), Some(&Marker::<u16>(4, PhantomData)));
    assert_eq!(entity.get(), Some(&Marker::<u8>(9, PhantomData)));
    assert!(entity.contains::<Sized<3>>() && !entity.contains::<Sized<4>>());
}

#[test]
fn a_cycle_is_named_and_the_world_goes_on() {
    #[derive(Component, Default)]
    #[require(Second)]
    struct First;
    #[derive(Component, Default)]
    #[require(Value, Third)]
    struct Second;
    #[derive(Component, Default)]
    #[component(storage = "sparse")]
    #[require(First)]
    struct Third;
    #[derive(Component, Default)]
    #[require(Second)]
    struct Outside;

    let mut world = World::new();
    world.spawn(Other(1));
    let known = world.components().len();
    let text = expect_panic(|| world.spawn(Outside).id());
    assert!(text.contains("Second` requires itself through others"), "{text}");
    assert!(text.contains("Third`, which requires `") && text.ends_with("has to go"), "{text}");
    expect_panic(|| world.spawn_batch([(Other(2), First)]).count());
    expect_panic(|| world.register_component::<Third>());
    expect_panic(|| world.spawn_dynamic(EntityBuilder::new().add(Third)).id());
    assert_eq!((world.components().len(), world.len()), (known, 1));
    world.check_invariants();
    assert_eq!(world.spawn(Middle).get(), Some(&Value(1)));
}

#[test]
fn an_alias_does_not_hide_a_mistake() {
    type Same = Value;
    type Me = Selfish;
    #[derive(Component)]
    #[require(Value, Same)]
    struct Twice;
    #[derive(Component, Default)]
    #[require(Me)]
    struct Selfish;

    let mut world = World::new();
    let text = expect_panic(|| world.spawn(Twice).id());
    assert!(text.contains("Twice` requires `") && text.ends_with("Value` twice: keep one of the two"), "{text}");
    let text = expect_panic(|| world.spawn(Selfish).id());
    assert!(text.ends_with("Selfish` requires itself: leave that requirement out"), "{text}");
    assert!(world.is_empty());
}

#[test]
fn diamonds_are_no_cycles() {
    #[derive(Component, Default)]
    #[require(Deep)]
    struct Left;
    #[derive(Component, Default)]
    #[require(Deep)]
    struct Right;
    #[derive(Component)]
    #[require(Left, Right)]
    struct Top;

    let mut world = World::new();
    assert_eq!(world.spawn(Top).get(), Some(&Value(1)));
}

#[test]
fn what_is_retained_keeps_what_it_requires() {
    type Kept = (Option<u32>, Option<u32>, Option<u32>, bool);
    fn retained<R: Requirer>() -> [Kept; 2] {
        let mut world = World::new();
        let [one, other] = [(); 2].map(|()| world.spawn((R::new(1), Other(2))).id());
        world.entity_mut(one).retain::<R>();
        world.commands().entity(other).retain::<R>();
        world.flush();
        [one, other].map(|entity| {
            assert!(world.get::<R>(entity).is_some() && world.get::<Other>(entity).is_none());
            found(&world, entity)
        })
    }
    assert_eq!(retained::<InTable>(), [made::<InTable>(); 2]);
    assert_eq!(retained::<OfSparse>(), [made::<OfSparse>(); 2]);
    assert_eq!(retained::<Both>(), [made::<Both>(); 2]);
    assert_eq!(retained::<Sparse>(), [made::<Sparse>(); 2]);

    // Components that no retained component requires are removed, and missing required components are not constructed.
    let mut world = World::new();
    let mut entity = world.spawn((Both::new(1), Sparse::new(2)));
    entity.remove::<Dense>();
    entity.retain::<Sparse>();
    let entity = entity.id();
    assert_eq!(found(&world, entity), (None, Some(MADE), Some(MADE), false));
}
