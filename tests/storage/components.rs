//! Components of every shape: structs, enums, generics, zero-sized, over-aligned, owning, neither `Default` nor `Clone`.

use std::marker::PhantomData;
use std::mem::align_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Named {
    x: f32,
    y: f32,
}

#[derive(Component, Debug, PartialEq)]
struct Pair(u8, u64);

#[derive(Component, Debug, PartialEq)]
struct Unit;

#[derive(Component, Debug, PartialEq)]
struct Braces {}

#[derive(Component, Debug, PartialEq)]
enum Mood {
    Calm,
    Angry { level: u8 },
    Other(String),
}

#[derive(Component, Debug, PartialEq)]
struct Wrapper<T: Send + Sync + 'static>(T);

#[derive(Component, Debug, PartialEq)]
struct WithClause<T>
where
    T: Clone + Send + Sync + 'static,
{
    value: T,
}

#[derive(Component, Debug, PartialEq)]
struct Grid<const W: usize, const H: usize = 2> {
    cells: [[u8; W]; H],
}

#[derive(Component, Debug, PartialEq)]
struct Marker<T: Send + Sync + 'static>(PhantomData<T>);

#[derive(Component, Debug, PartialEq)]
struct Chain {
    value: u32,
    next: Option<Box<Self>>,
}

#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    small: u8,
    large: u64,
}

#[derive(Component, Debug, PartialEq)]
#[repr(align(4096))]
struct Page([u8; 3]);

#[derive(Component, Debug, PartialEq)]
#[repr(align(128))]
struct AlignedUnit;

#[derive(Component)]
struct Callback(Box<dyn Fn() -> u32 + Send + Sync>);

/// Spawns it, moves it to other tables twice, and takes it out again.
fn round_trip<C: Component + PartialEq + std::fmt::Debug>(make: impl Fn() -> C) {
    #[derive(Component)]
    struct Neighbour(u16);
    #[derive(Component)]
    struct Further;

    let mut world = World::new();
    let entity = world.spawn(make()).id();
    assert_eq!(world.get::<C>(entity), Some(&make()));
    world.entity_mut(entity).insert(Neighbour(1));
    assert_eq!(world.get::<C>(entity), Some(&make()));
    world.entity_mut(entity).insert(Further).remove::<Neighbour>();
    assert_eq!(world.get::<C>(entity), Some(&make()));
    for _ in 0..70 {
        world.spawn((make(), Further));
    }
    let seen = world.query::<&C>().iter(&world).filter(|found| **found == make()).count();
    assert_eq!(seen, 71);
    assert_eq!(world.entity_mut(entity).take::<C>(), Some(make()));
    assert!(!world.entity(entity).contains::<C>());
    world.check_invariants();
}

#[test]
fn structs_of_every_form_are_stored() {
    round_trip(|| Named { x: 1.0, y: 2.0 });
    round_trip(|| Pair(3, u64::MAX));
    round_trip(|| Unit);
    round_trip(|| Braces {});
}

#[test]
fn enums_are_stored() {
    round_trip(|| Mood::Calm);
    round_trip(|| Mood::Angry { level: 9 });
    round_trip(|| Mood::Other(String::from("a heap string")));
}

#[test]
fn generics_are_stored_and_each_type_is_a_component_of_its_own() {
    round_trip(|| Wrapper(5_u8));
    round_trip(|| Wrapper(String::from("five")));
    round_trip(|| WithClause { value: vec![1, 2, 3] });
    round_trip(|| Marker::<String>(PhantomData));

    let mut world = World::new();
    let entity = world.spawn((Wrapper(1_u8), Wrapper(2_u16), Wrapper(String::from("3")))).id();
    assert_eq!(world.get::<Wrapper<u8>>(entity), Some(&Wrapper(1)));
    assert_eq!(world.get::<Wrapper<u16>>(entity), Some(&Wrapper(2)));
    assert_eq!(world.get::<Wrapper<String>>(entity), Some(&Wrapper(String::from("3"))));
    assert!(world.get::<Wrapper<u32>>(entity).is_none());
}

#[test]
fn const_generics_are_components_of_their_own() {
    round_trip(|| Grid::<3> { cells: [[1, 2, 3], [4, 5, 6]] });
    let mut world = World::new();
    let entity = world.spawn((Grid::<1, 1> { cells: [[1]] }, Grid::<1, 3> { cells: [[1], [2], [3]] })).id();
    assert!(world.get::<Grid<1, 1>>(entity).is_some());
    assert!(world.get::<Grid<1, 3>>(entity).is_some());
    assert!(world.get::<Grid<3, 1>>(entity).is_none());
}

#[test]
fn recursive_and_packed_types_are_stored() {
    round_trip(|| Chain { value: 1, next: Some(Box::new(Chain { value: 2, next: None })) });
    round_trip(|| Packed { small: 1, large: u64::MAX });
}

#[test]
fn over_aligned_types_stand_aligned_in_every_row() {
    round_trip(|| Page([1, 2, 3]));
    let mut world = World::new();
    world.spawn_batch((0..40).map(|value| Page([value, 0, 0]))).count();
    for page in world.query::<&Page>().iter(&world) {
        assert_eq!(std::ptr::from_ref(page).addr() % align_of::<Page>(), 0);
    }
}

#[test]
fn zero_sized_over_aligned_types_stand_aligned() {
    round_trip(|| AlignedUnit);
    let mut world = World::new();
    let entity = world.spawn(AlignedUnit).id();
    let place = std::ptr::from_ref(world.get::<AlignedUnit>(entity).expect("present")).addr();
    assert_eq!(place % 128, 0);
}

#[test]
fn closures_behind_a_box_can_be_called_in_place() {
    let mut world = World::new();
    let base = 40;
    let entity = world.spawn(Callback(Box::new(move || base + 2))).id();
    assert_eq!((world.get::<Callback>(entity).expect("present").0)(), 42);
}

#[test]
fn a_value_is_dropped_once_however_it_leaves() {
    #[derive(Component)]
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    #[derive(Component)]
    struct Other;

    let drops = Arc::new(AtomicUsize::new(0));
    let new = || Counted(Arc::clone(&drops));
    let mut world = World::new();

    let despawned = world.spawn(new()).id();
    world.despawn(despawned);
    assert_eq!(drops.swap(0, Ordering::Relaxed), 1, "despawn");

    let removed = world.spawn((new(), Other)).id();
    world.entity_mut(removed).remove::<Counted>();
    assert_eq!(drops.swap(0, Ordering::Relaxed), 1, "remove");

    let overwritten = world.spawn(new()).id();
    world.entity_mut(overwritten).insert(new());
    assert_eq!(drops.swap(0, Ordering::Relaxed), 1, "insert over it");

    let moved = world.spawn(new()).id();
    world.entity_mut(moved).insert(Other);
    assert_eq!(drops.load(Ordering::Relaxed), 0, "a move drops nothing");

    let taken = world.entity_mut(moved).take::<Counted>();
    assert_eq!(drops.load(Ordering::Relaxed), 0, "the caller owns what was taken");
    drop(taken);
    assert_eq!(drops.swap(0, Ordering::Relaxed), 1);

    *world.get_mut::<Counted>(overwritten).expect("present") = new();
    assert_eq!(drops.swap(0, Ordering::Relaxed), 1, "assignment through get_mut");

    drop(world);
    assert_eq!(drops.load(Ordering::Relaxed), 1, "the last one dies with the world");
    assert_eq!(Arc::strong_count(&drops), 1);
}

#[test]
fn local_types_of_one_name_are_distinct() {
    fn one(world: &mut World) -> Entity {
        #[derive(Component)]
        struct Local(u8);
        world.spawn(Local(1)).id()
    }
    fn two(world: &mut World) -> (Entity, usize) {
        #[derive(Component)]
        struct Local(u64);
        let entity = world.spawn(Local(u64::MAX)).id();
        let found: Vec<u64> = world.query::<&Local>().iter(world).map(|local| local.0).collect();
        assert_eq!(found, [u64::MAX]);
        (entity, found.len())
    }
    let mut world = World::new();
    let first = one(&mut world);
    let (second, count) = two(&mut world);
    assert_ne!(first, second);
    assert_eq!(count, 1);
    world.check_invariants();
}

#[test]
fn registering_is_idempotent_and_looking_up_registers_nothing() {
    let mut world = World::new();
    assert!(world.component_id::<Named>().is_none());
    assert!(world.component_id::<Named>().is_none());
    let id = world.register_component::<Named>();
    assert_eq!(world.register_component::<Named>(), id);
    assert_eq!(world.component_id::<Named>(), Some(id));
    assert_ne!(world.register_component::<Unit>(), id);
    world.spawn(Named { x: 0.0, y: 0.0 });
    assert_eq!(world.component_id::<Named>(), Some(id));
}

#[test]
fn worlds_number_their_components_on_their_own() {
    let mut first = World::new();
    let mut second = World::new();
    first.register_component::<Unit>();
    let named = first.spawn(Named { x: 1.0, y: 1.0 }).id();
    let other = second.spawn((Named { x: 2.0, y: 2.0 }, Unit)).id();
    assert_eq!(first.get::<Named>(named).map(|at| at.x), Some(1.0));
    assert_eq!(second.get::<Named>(other).map(|at| at.x), Some(2.0));
    first.check_invariants();
    second.check_invariants();
}

#[derive(Component, Debug, PartialEq)]
#[component(summary_tick)]
struct Summarized(u8);

#[test]
fn a_component_with_the_option_summary_tick_is_as_one_without() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Summarized(n)).id());
    let mut changed = world.query_filtered::<Entity, Changed<Summarized>>();
    assert_eq!(changed.iter(&world).count(), 2);
    world.clear_trackers();
    world.get_mut::<Summarized>(b).unwrap().0 += 1;
    assert_eq!(changed.iter(&world).collect::<Vec<_>>(), [b]);
    assert_eq!((world.get(a), world.get(b)), (Some(&Summarized(1)), Some(&Summarized(3))));
}
