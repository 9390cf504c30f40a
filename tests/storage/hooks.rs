//! Hooks that the definition of a component names: from when on they run, and with which others.
#![expect(elided_lifetimes_in_paths, reason = "hooks as users write them")]

use std::sync::{Arc, Mutex};

use strata_ecs::component::{ComponentHook, HookContext, Mutable, StorageType};
use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;
use strata_tests::panics::expect_panic;

/// The calls of hooks.
#[derive(Resource, Default, Clone)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

fn logged() -> (World, Log) {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    (world, log)
}

fn note(world: &World, text: impl Into<String>) {
    world.resource::<Log>().0.lock().unwrap().push(text.into());
}

/// A value that can be distinguished from others.
trait Value: Component {
    fn value(&self) -> u32;
}

fn seen<C: Value>(world: &World, context: HookContext) -> u32 {
    assert_eq!(world.component_id::<C>(), Some(context.component_id));
    world.get::<C>(context.entity).unwrap().value()
}

fn added<C: Value>(world: DeferredWorld, context: HookContext) {
    note(&world, format!("add {}", seen::<C>(&world, context)));
}

fn named<C: Value>(name: &'static str) -> impl Fn(DeferredWorld, HookContext) {
    move |world, context| note(&world, format!("{name} {}", seen::<C>(&world, context)))
}

macro_rules! values {
    ($($(#[$of:meta])* $Type:ident)*) => {$(
        #[derive(Component, Clone)]
        $(#[$of])*
        struct $Type(u32);

        impl Value for $Type {
            fn value(&self) -> u32 {
                self.0
            }
        }
    )*};
}

values! {
    #[component(on_add = added::<Self>, on_insert = named::<Table>("insert"), on_discard = named::<Self>("discard"))]
    #[component(on_remove = |world, context| note(&world, format!("remove {}", seen::<Self>(&world, context))))]
    #[component(on_despawn = named::<Self>("despawn"))]
    Table

    #[component(storage = "sparse", on_add = added::<Self>, on_insert = named::<Self>("insert"))]
    #[component(on_discard = named::<Self>("discard"), on_remove = named::<Self>("remove"), on_despawn = named::<Self>("despawn"))]
    Sparse

    #[component(immutable, on_insert, on_discard)]
    Fixed
}

impl Fixed {
    fn on_insert(world: DeferredWorld, HookContext { entity, .. }: HookContext) {
        note(&world, format!("fixed {}", world.get::<Self>(entity).unwrap().0));
    }

    fn on_discard(world: DeferredWorld, HookContext { entity, .. }: HookContext) {
        note(&world, format!("no longer {}", world.get::<Self>(entity).unwrap().0));
    }
}

#[test]
fn hooks_of_a_definition_run_from_the_first_operation_on() {
    fn check<C: Value>(make: fn(u32) -> C) {
        let (mut world, log) = logged();
        let entity = world.spawn(make(1)).id();
        assert_eq!(log.take(), ["add 1", "insert 1"]);
        world.entity_mut(entity).insert(make(2));
        assert_eq!(log.take(), ["discard 1", "insert 2"]);
        world.entity_mut(entity).remove::<C>();
        assert_eq!(log.take(), ["discard 2", "remove 2"]);
        world.entity_mut(entity).insert(make(3));
        assert_eq!(log.take(), ["add 3", "insert 3"]);
        world.despawn(entity);
        assert_eq!(log.take(), ["despawn 3", "discard 3", "remove 3"]);
    }
    check(Table);
    check(Sparse);
}

/// The first operation with a component of the type: each way in which a world comes to know it.
#[test]
fn each_way_to_a_component_knows_its_hooks() {
    fn check<C: Value + Clone>(make: fn(u32) -> C) {
        type Operation<C> = fn(&mut World, fn(u32) -> C);
        let operations: [(&str, Operation<C>); 9] = [
            ("spawn_batch", |world, make| {
                world.spawn_batch([make(1)]);
            }),
            ("insert", |world, make| {
                world.spawn_empty().insert(make(1));
            }),
            ("insert_if_new", |world, make| {
                world.spawn_empty().insert_if_new(make(1));
            }),
            ("commands", |world, make| {
                world.commands().spawn(make(1));
                world.flush();
            }),
            ("commands for an entity", |world, make| {
                let entity = world.spawn_empty().id();
                world.commands().entity(entity).insert(make(1));
                world.flush();
            }),
            ("insert_batch", |world, make| {
                let entity = world.spawn_empty().id();
                world.insert_batch([(entity, make(1))]);
            }),
            ("many", |world, make| {
                let entity = world.spawn_empty().id();
                world.many(&[entity]).insert_with(|_| make(1));
            }),
            ("of another world", |world, make| {
                let mut other = World::new();
                other.insert_resource(Log::default());
                other.spawn(make(1));
                other.all::<With<C>>().move_to(world);
            }),
            ("by id", |world, make| {
                let id = world.register_component::<C>();
                world.spawn_empty().insert_by_id(id, make(1)).unwrap();
            }),
        ];
        for (name, operation) in operations {
            let (mut world, log) = logged();
            operation(&mut world, make);
            assert_eq!(log.take(), ["add 1", "insert 1"], "{name}");
        }
    }
    check(Table);
    check(Sparse);
}

#[derive(Component)]
#[require(Table(7), Sparse(8), Fixed(9))]
struct Whole;

#[test]
fn hooks_of_required_components_run() {
    let (mut world, log) = logged();
    world.spawn(Whole);
    // Those that are stored outside of tables come last.
    assert_eq!(log.take(), ["add 7", "add 8", "insert 7", "fixed 9", "insert 8"]);
}

#[test]
fn hooks_of_immutable_components_see_each_value() {
    let (mut world, log) = logged();
    let entity = world.spawn(Fixed(1)).id();
    world.entity_mut(entity).insert(Fixed(2));
    world.despawn(entity);
    assert_eq!(log.take(), ["fixed 1", "no longer 1", "fixed 2", "no longer 2"]);
}

#[derive(Component)]
#[component(on_add = added::<Self>)]
struct Of<T: Send + Sync + 'static>(u32, std::marker::PhantomData<T>);

impl<T: Send + Sync + 'static> Value for Of<T> {
    fn value(&self) -> u32 {
        self.0
    }
}

#[test]
fn a_generic_component_has_the_hooks_of_its_instance() {
    let (mut world, log) = logged();
    world.spawn((Of::<u8>(1, std::marker::PhantomData), Of::<u16>(2, std::marker::PhantomData)));
    assert_eq!(log.take(), ["add 1", "add 2"]);
}

/// A hook that depends on the value that an expression has.
const CHOSEN: ComponentHook = |world, _| note(&world, "chosen");

#[derive(Component)]
#[component(storage = "sparse", on_add = CHOSEN, on_insert = { const { CHOSEN } }, on_remove = if cfg!(any()) { added::<Table> } else { CHOSEN })]
struct Tag;

#[test]
fn a_hook_is_any_expression_that_is_a_function() {
    let (mut world, log) = logged();
    world.spawn(Tag).remove::<Tag>();
    assert_eq!(log.take(), ["chosen"; 3]);
}

struct ByHand(u32);

impl Component for ByHand {
    const STORAGE_TYPE: StorageType = StorageType::Table;
    type Mutability = Mutable;

    fn on_add() -> Option<ComponentHook> {
        Some(|world, context| note(&world, format!("by hand {}", world.get::<Self>(context.entity).unwrap().0)))
    }
}

#[test]
fn a_component_that_is_implemented_by_hand_has_hooks() {
    let (mut world, log) = logged();
    world.spawn(ByHand(4));
    assert_eq!(log.take(), ["by hand 4"]);
}

#[test]
fn hooks_at_run_time_come_beside_those_of_the_definition_and_not_in_their_place() {
    let (mut world, log) = logged();
    fn run_time(world: DeferredWorld, _: HookContext) {
        note(&world, "run time");
    }
    assert!(world.register_component_hooks::<Fixed>().on_add(run_time).try_on_insert(run_time).is_none());
    world.spawn(Fixed(1));
    assert_eq!(log.take(), ["run time", "fixed 1"]);
    let taken = expect_panic(|| {
        world.register_component_hooks::<Fixed>().on_insert(run_time);
    });
    assert!(taken.contains("Fixed` has an `on_insert` hook already"), "{taken}");
    let id = world.component_id::<Table>().unwrap_or_else(|| world.register_component::<Table>());
    assert!(world.register_component_hooks_by_id(id).unwrap().try_on_despawn(run_time).is_none());
    assert!(World::new().register_component_hooks_by_id(id).is_none());
}

#[test]
fn a_hook_stays_when_an_observer_of_the_same_goes() {
    let (mut world, log) = logged();
    let observer = world.add_observer(|_: On<Add<Table>>, log: Res<Log>| log.0.lock().unwrap().push("observer".into()));
    world.spawn(Table(1));
    assert_eq!(log.take(), ["add 1", "observer", "insert 1"]);
    world.remove_observer(observer);
    world.spawn(Table(2));
    assert_eq!(log.take(), ["add 2", "insert 2"]);
}

#[derive(Component)]
#[component(on_add = |mut world, context| world.commands().entity(context.entity).despawn())]
struct Brief;

#[test]
fn a_hook_that_despawns_its_entity_ends_it_before_the_caller_looks_again() {
    let mut world = World::new();
    let mut entity = world.spawn_empty();
    entity.insert(Brief);
    assert!(entity.is_despawned());
    let id = entity.id();
    assert!(!world.contains(id));
}

#[derive(Component)]
#[component(storage = "sparse", on_add = |mut world, context| world.commands().entity(context.entity).despawn())]
struct BriefSparse;

#[test]
fn so_does_one_of_a_sparse_component_that_the_world_has_not_met() {
    let mut world = World::new();
    let mut entity = world.spawn_empty();
    entity.insert(BriefSparse);
    assert!(entity.is_despawned());
}
