//! Sizes and alignments at the edges.

use std::mem::align_of;
use std::sync::atomic::{AtomicUsize, Ordering};

use strata_tests::panics::catch;
use strata_tests::process;

use super::*;

#[test]
fn a_million_zero_sized_rows_are_dropped_exactly_once_each() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    #[derive(Component)]
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct NothingAside;
    impl Drop for NothingAside {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    const ROWS: usize = 1_000_000;
    let mut world = World::new();
    world.spawn_batch((0..ROWS).map(|_| Nothing));
    assert_eq!(world.query::<&Nothing>().iter(&world).count(), ROWS);
    let first = world.query_filtered::<Entity, With<Nothing>>().iter(&world).next().expect("a million");
    world.entity_mut(first).insert(NothingAside);
    world.despawn(first);
    assert_eq!(DROPS.load(Ordering::Relaxed), 2);
    world.clear_entities();
    assert_eq!(DROPS.load(Ordering::Relaxed), ROWS + 1);
    world.spawn_batch((0..1000).map(|_| (Nothing, NothingAside)));
    drop(world);
    assert_eq!(DROPS.load(Ordering::Relaxed), ROWS + 2001);
}

#[derive(Component)]
#[repr(align(64))]
struct AlignedNothing;

#[derive(Component)]
#[component(storage = "sparse")]
#[repr(align(64))]
struct AlignedNothingAside;

#[test]
fn zero_sized_values_of_a_great_alignment_stand_aligned() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(|_| (AlignedNothing, AlignedNothingAside))).collect();
    for entity in entities {
        let inside = std::ptr::from_ref(world.get::<AlignedNothing>(entity).expect("present")).addr();
        let aside = std::ptr::from_ref(world.get::<AlignedNothingAside>(entity).expect("present")).addr();
        assert_eq!((inside % 64, aside % 64), (0, 0));
    }
    for slice in world.query::<&AlignedNothing>().contiguous_iter(&world) {
        assert_eq!((slice.as_ptr().addr() % 64, slice.len()), (0, 100));
    }
    let mut builder = EntityBuilder::new();
    builder.add(AlignedNothing);
    let entity = world.spawn_dynamic(&mut builder).id();
    assert_eq!(std::ptr::from_ref(world.get::<AlignedNothing>(entity).expect("present")).addr() % 64, 0);
}

#[derive(Component)]
#[repr(align(4096))]
struct Page(u32);

#[test]
fn an_alignment_of_a_page_survives_twenty_growths() {
    #[derive(Component)]
    struct Small(u8);
    let mut world = World::new();
    let mut growths = 0;
    let mut place = 0;
    let mut query = world.query::<(&Page, &Small)>();
    let mut value = 0;
    while growths < 10 {
        world.spawn((Page(value), Small(value.to_le_bytes()[0])));
        value += 1;
        let first = query.iter(&world).next().map(|(page, _)| std::ptr::from_ref(page).addr()).expect("a row");
        growths += u32::from(first != place);
        place = first;
        assert_eq!(first % align_of::<Page>(), 0);
    }
    // A further ten growths, none of which can be missed because the capacity doubles at most.
    for _ in 0..10 {
        let rows = world.len();
        world.spawn_batch((0..rows.min(400)).map(|_| (Page(0), Small(0))));
    }
    assert!(query.iter(&world).all(|(page, _)| std::ptr::from_ref(page).addr() % align_of::<Page>() == 0));
    for (expected, (page, small)) in (0..value).zip(query.iter(&world)) {
        assert_eq!((page.0, small.0), (expected, expected.to_le_bytes()[0]));
    }
    world.check_invariants();
}

/// The stack of a program's main thread. The sanitizer puts guards around each value on it.
const MAIN_STACK: usize = if cfg!(strata_nightly) { 64 << 20 } else { 8 << 20 };

#[derive(Component, Clone)]
struct Huge([u8; 1 << 20]);
#[derive(Component, Clone)]
struct Small(u8);
#[derive(Component, Clone)]
#[require(HugeByRequirement)]
struct NeedsHuge;
#[derive(Component, Clone)]
struct HugeByRequirement([u8; 1 << 20]);

impl Default for HugeByRequirement {
    fn default() -> Self {
        Self([6; 1 << 20])
    }
}

/// Each step stands in a function of its own: without optimisation, a function has room on the stack for every value
/// that it names.
mod huge {
    use super::*;

    pub(super) fn spawn(world: &mut World) -> Entity {
        world.spawn((Huge([7; 1 << 20]), Small(1))).id()
    }
    pub(super) fn spawn_batch(world: &mut World) {
        world.spawn_batch((0..3).map(|value| (Huge([value; 1 << 20]), Small(value)))).count();
    }
    pub(super) fn insert(world: &mut World, entity: Entity) {
        world.entity_mut(entity).insert(Huge([9; 1 << 20]));
    }
    pub(super) fn take(world: &mut World, entity: Entity) -> u8 {
        world.entity_mut(entity).take::<Huge>().map_or(0, |huge| huge.0[1 << 19])
    }
    pub(super) fn command(world: &mut World, entity: Entity) {
        world.commands().entity(entity).insert(Huge([5; 1 << 20]));
        world.flush();
    }
    pub(super) fn clone(world: &mut World, entity: Entity) -> Entity {
        world.clone_entity(entity).expect("all components are `Clone`")
    }
    pub(super) fn exchange(world: &mut World, entity: Entity) -> u8 {
        world.entity_mut(entity).exchange::<Huge, NeedsHuge>(NeedsHuge).map_or(0, |huge| huge.0[1 << 19])
    }
    pub(super) fn require_many(world: &mut World) {
        world.spawn_batch((0..3).map(|_| NeedsHuge)).for_each(drop);
    }
    pub(super) fn require_columns(world: &mut World) {
        world.spawn_columns(vec![NeedsHuge; 3]).expect("one column").for_each(drop);
    }
    pub(super) fn select_insert(world: &mut World) {
        world.all::<With<Small>>().insert(HugeByRequirement([3; 1 << 20]));
    }
    pub(super) fn select_insert_with(world: &mut World) {
        world.all::<With<Small>>().insert_with(|_| (HugeByRequirement([4; 1 << 20]), NeedsHuge));
    }
    pub(super) fn select_remove(world: &mut World) {
        world.all::<With<Small>>().remove::<(HugeByRequirement, NeedsHuge)>();
    }
    pub(super) fn select_from(world: &mut World) {
        world.all::<With<Small>>().insert_from::<&Small, _>(|small| HugeByRequirement([small.0; 1 << 20]));
    }
    pub(super) fn move_all(world: &mut World, other: &mut World) {
        world.all::<()>().move_to(other);
    }
    pub(super) fn insert_by_id(world: &mut World) -> Entity {
        let huge = world.register_component::<Huge>();
        let mut entity = world.spawn_empty();
        assert!(entity.insert_by_id(huge, Huge([6; 1 << 20])).is_ok());
        entity.id()
    }
    pub(super) fn build(world: &mut World) -> Entity {
        let mut builder = EntityBuilder::new();
        builder.add(Huge([4; 1 << 20]));
        world.spawn_dynamic(&mut builder).id()
    }
}

/// Runs an action with the stack of a main thread, for the test `name`; in a process of its own, which an overflow ends.
fn on_main_stack(name: &str, action: fn()) {
    let name = format!("layout::{name}");
    if !process::is_child_for(&name) {
        let output = process::run_in_child(&name);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let thread = std::thread::Builder::new().stack_size(MAIN_STACK).spawn(action).expect("a thread starts");
    thread.join().expect("no panic and no overflow");
}

#[test]
fn a_component_of_a_mebibyte_is_spawned_on_the_stack_of_a_main_thread() {
    on_main_stack("a_component_of_a_mebibyte_is_spawned_on_the_stack_of_a_main_thread", || {
        let mut world = World::new();
        let entity = huge::spawn(&mut world);
        world.entity_mut(entity).remove::<Small>();
        assert!(world.get::<Huge>(entity).expect("present").0.iter().all(|byte| *byte == 7));
        world.check_invariants();
    });
}

#[test]
fn a_batch_of_mebibytes_is_spawned_on_the_stack_of_a_main_thread() {
    on_main_stack("a_batch_of_mebibytes_is_spawned_on_the_stack_of_a_main_thread", || {
        let mut world = World::new();
        huge::spawn_batch(&mut world);
        let sum: u32 = world.query::<&Huge>().iter(&world).map(|huge| u32::from(huge.0[5])).sum();
        assert_eq!(sum, 3);
        assert_eq!(world.query::<&Small>().iter(&world).map(|small| u32::from(small.0)).sum::<u32>(), 3);
    });
}

#[test]
fn a_mebibyte_is_inserted_and_taken_on_the_stack_of_a_main_thread() {
    on_main_stack("a_mebibyte_is_inserted_and_taken_on_the_stack_of_a_main_thread", || {
        let mut world = World::new();
        let entity = world.spawn(Small(1)).id();
        huge::insert(&mut world, entity);
        huge::insert(&mut world, entity);
        assert_eq!(huge::take(&mut world, entity), 9);
        assert_eq!(huge::take(&mut world, entity), 0);
    });
}

#[test]
fn a_mebibyte_goes_through_commands_on_the_stack_of_a_main_thread() {
    on_main_stack("a_mebibyte_goes_through_commands_on_the_stack_of_a_main_thread", || {
        let mut world = World::new();
        let entity = world.spawn(Small(1)).id();
        huge::command(&mut world, entity);
        assert_eq!(world.get::<Huge>(entity).expect("present").0[0], 5);
    });
}

#[test]
fn a_mebibyte_goes_through_a_builder_on_the_stack_of_a_main_thread() {
    on_main_stack("a_mebibyte_goes_through_a_builder_on_the_stack_of_a_main_thread", || {
        let mut world = World::new();
        let built = huge::build(&mut world);
        assert_eq!(world.get::<Huge>(built).expect("present").0[0], 4);
    });
}

#[test]
fn a_mebibyte_is_inserted_by_id_on_the_stack_of_a_main_thread() {
    on_main_stack("a_mebibyte_is_inserted_by_id_on_the_stack_of_a_main_thread", || {
        let mut world = World::new();
        let built = huge::insert_by_id(&mut world);
        assert_eq!(world.get::<Huge>(built).expect("present").0[0], 6);
    });
}

#[test]
fn a_capacity_that_overflows_is_refused_and_nothing_shrinks() {
    #[derive(Component, Clone)]
    struct Wide([u64; 1 << 10]);
    struct Endless(u32);
    impl Iterator for Endless {
        type Item = Wide;
        fn next(&mut self) -> Option<Wide> {
            self.0 = self.0.checked_sub(1)?;
            Some(Wide([0; 1 << 10]))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX / 4096, None)
        }
    }
    let mut world = World::new();
    let kept = world.spawn(Wide([1; 1 << 10])).id();
    // A promise of 2^52 rows: to believe it is to fail; to doubt it is to spawn the three there are.
    match catch(|| world.spawn_batch(Endless(3)).count()) {
        Ok(spawned) => assert_eq!((spawned, world.len()), (3, 4)),
        Err(text) => assert!(text.contains("capacity") && world.len() == 1, "{text}"),
    }
    assert!(world.contains(kept));
    assert_usable(&mut world);
}

#[test]
fn hazard_19_clones_exchanges_requirements_and_selections_do_not_overflow_the_stack() {
    on_main_stack("hazard_19_clones_exchanges_requirements_and_selections_do_not_overflow_the_stack", || {
        let (mut world, mut other) = (World::new(), World::new());
        let entity = huge::spawn(&mut world);
        let copy = huge::clone(&mut world, entity);
        assert_eq!(world.get::<Huge>(copy).map(|huge| huge.0[9]), Some(7));
        assert_eq!(huge::exchange(&mut world, entity), 7);
        assert_eq!(world.get::<HugeByRequirement>(entity).map(|huge| huge.0[9]), Some(6));
        huge::insert(&mut world, entity);
        assert_eq!(world.get::<Huge>(entity).map(|huge| huge.0[9]), Some(9));
        huge::require_many(&mut world);
        huge::require_columns(&mut world);
        assert_eq!(world.query::<&HugeByRequirement>().iter(&world).count(), 7);
        huge::select_insert(&mut world);
        huge::select_insert_with(&mut world);
        huge::select_remove(&mut world);
        huge::select_from(&mut world);
        huge::move_all(&mut world, &mut other);
        assert!(world.is_empty() && other.query::<&Huge>().iter(&other).count() == 2);
        world.check_invariants();
        other.check_invariants();
    });
}
