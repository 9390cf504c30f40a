//! Observers of filters, and of what exists already.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use strata_ecs::entity_disabling::Disabled;
use strata_ecs::event::{BeginMatch, EndMatch};
use strata_ecs::prelude::*;
use strata_ecs::query::Spawned;
use strata_tests::panics::expect_panic;

#[derive(Component, Clone)]
struct A;
#[derive(Component, Clone)]
struct B;
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct S;
#[derive(Component, Clone)]
#[require(B)]
struct NeedsB;
impl Default for B {
    fn default() -> Self {
        Self
    }
}

/// The events that observers have got, as text.
#[derive(Resource, Default)]
struct Log(Vec<String>);

fn take(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

fn watch<F: QueryFilter + 'static>(world: &mut World) {
    world.init_resource::<Log>();
    world.add_observer(|_: On<BeginMatch<F>>, mut log: ResMut<Log>| log.0.push("begins".into()));
    world.add_observer(|_: On<EndMatch<F>>, mut log: ResMut<Log>| log.0.push("ends".into()));
}

#[test]
fn each_operation_tells_its_result_on_the_whole() {
    let mut world = World::new();
    watch::<(With<A>, Without<B>)>(&mut world);
    let entity = world.spawn(A).id();
    assert_eq!(take(&mut world), ["begins"]);
    world.entity_mut(entity).insert((A, S));
    assert!(take(&mut world).is_empty(), "it had one, and still matches");
    world.entity_mut(entity).insert(B);
    assert_eq!(take(&mut world), ["ends"]);
    world.entity_mut(entity).remove::<(A, B)>();
    assert!(take(&mut world).is_empty());
    world.entity_mut(entity).insert((A, B)).remove::<B>();
    assert_eq!(take(&mut world), ["begins"]);
    world.entity_mut(entity).insert(NeedsB);
    assert_eq!(take(&mut world), ["ends"], "what is required comes as well");
    world.entity_mut(entity).remove::<B>();
    world.entity_mut(entity).clear();
    assert_eq!(take(&mut world), ["begins", "ends"]);
    world.commands().entity(entity).insert(A).insert(B).remove::<B>();
    world.flush();
    assert_eq!(take(&mut world), ["begins"], "the commands for an entity are one operation");
    world.despawn(entity);
    assert_eq!(take(&mut world), ["ends"]);
}

#[test]
fn disabled_entities_do_not_match() {
    let mut world = World::new();
    watch::<With<A>>(&mut world);
    let entity = world.spawn((A, Disabled)).id();
    assert!(take(&mut world).is_empty());
    world.entity_mut(entity).remove::<Disabled>();
    assert_eq!(take(&mut world), ["begins"]);
    world.entity_mut(entity).insert(Disabled);
    assert_eq!(take(&mut world), ["ends"]);
    world.despawn(entity);
    assert!(take(&mut world).is_empty());
}

#[test]
fn sparse_components_are_asked_of_each_entity() {
    let mut world = World::new();
    watch::<(With<A>, Without<S>)>(&mut world);
    let ids: Vec<Entity> = world.spawn_batch([A, A, A]).collect();
    assert_eq!(take(&mut world), ["begins"; 3]);
    world.entity_mut(ids[0]).insert(S);
    world.many(&ids[..2]).insert(S);
    assert_eq!(take(&mut world), ["ends"; 2], "one had it");
    world.all::<With<A>>().remove::<S>();
    assert_eq!(take(&mut world), ["begins"; 2]);
    world.all::<With<A>>().insert(S);
    world.clear_entities();
    assert_eq!(take(&mut world), ["ends"; 3]);
    // The other way round.
    let mut world = World::new();
    watch::<(With<S>, Without<A>)>(&mut world);
    world.spawn_batch([(S, B), (S, B)]);
    assert_eq!(take(&mut world), ["begins"; 2]);
    world.all::<With<B>>().insert(A);
    assert_eq!(take(&mut world), ["ends"; 2]);
}

#[test]
fn removed_observers_leave_others_of_the_component_in_place() {
    let mut world = World::new();
    watch::<With<A>>(&mut world);
    let add = world.add_observer(|_: On<Add<A>>, mut log: ResMut<Log>| log.0.push("add".into()));
    let filter = world.add_observer(|_: On<BeginMatch<With<A>>>, mut log: ResMut<Log>| log.0.push("other".into()));
    assert!(world.remove_observer(add) && world.remove_observer(filter));
    let entity = world.spawn(A).id();
    world.despawn(entity);
    assert_eq!(take(&mut world), ["begins", "ends"]);
}

#[test]
fn an_observer_of_an_entity_is_not_told_of_others() {
    let mut world = World::new();
    world.init_resource::<Log>();
    let [first, second] = [(); 2].map(|()| world.spawn(B).id());
    world
        .entity_mut(first)
        .observe(|on: On<BeginMatch<(With<A>, With<B>)>>, mut log: ResMut<Log>| log.0.push(on.entity.to_string()));
    world.many(&[second, first]).insert(A);
    assert_eq!(take(&mut world), [first.to_string()]);
}

#[test]
fn filters_that_cannot_be_told_are_refused() {
    let refused = |add: fn(&mut World)| expect_panic(move || add(&mut World::new()));
    let text = refused(|world| _ = world.add_observer(|_: On<BeginMatch<Without<A>>>| {}));
    assert!(text.contains("matches entities without components: add `With<C>`"), "{text}");
    let text = refused(|world| _ = world.add_observer(|_: On<EndMatch<Changed<A>>>| {}));
    assert!(text.contains("its filter asks when something happened"), "{text}");
    let text = refused(|world| _ = world.add_observer(|_: On<EndMatch<(With<A>, Spawned)>>| {}));
    assert!(text.contains("its filter asks when something happened"), "{text}");
}

#[test]
fn an_observer_can_be_told_of_what_exists() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.spawn_batch([A, A]);
    world.spawn_batch([(A, B), (A, B)]);
    world.spawn((A, S));
    world.spawn((B, S));
    let note = |on: OnBatch<Add<(A, S)>>, mut log: ResMut<Log>| {
        log.0.push(format!("{} of {}", on.components().len(), on.entities().len()));
    };
    world.add_observer(Observer::new(note).yield_existing());
    let mut told = take(&mut world);
    told.sort();
    assert_eq!(told, ["1 of 1", "1 of 2", "1 of 2", "2 of 1"]);
    let begin = |_: On<BeginMatch<(With<A>, Without<B>)>>, mut log: ResMut<Log>| log.0.push("begins".into());
    world.add_observer(Observer::new(begin).yield_existing());
    assert_eq!(take(&mut world), ["begins"; 3]);
    let entity = world.spawn((B, S)).id();
    take(&mut world);
    let one = |_: On<Insert<S>>, mut log: ResMut<Log>| log.0.push("one".into());
    world.add_observer(Observer::new(one).with_entity(entity).yield_existing());
    assert_eq!(take(&mut world), ["one"]);
    let twice = |_: On<Insert<S>>, mut log: ResMut<Log>| log.0.push("once".into());
    world.add_observer(Observer::new(twice).with_entities([entity, entity]).yield_existing());
    assert_eq!(take(&mut world), ["once"]);
    // For events of removals there are no existing entities, and commands of an observer are applied.
    world.add_observer(Observer::new(|_: On<Remove<A>>, mut log: ResMut<Log>| log.0.push("?".into())).yield_existing());
    world.add_observer(
        Observer::new(|on: On<Add<A>>, mut commands: Commands| commands.entity(on.entity).despawn()).yield_existing(),
    );
    assert_eq!(world.query::<&A>().query(&world).count(), 0);
}

#[test]
fn the_memory_of_dead_entities_is_given_back_and_nothing_is_told_for_them() {
    let mut world = World::new();
    world.init_resource::<Log>();
    let entity = world.spawn(A).observe(|_: On<Remove<A>>, mut log: ResMut<Log>| log.0.push("removed".into())).id();
    world.despawn(entity);
    assert_eq!(take(&mut world), ["removed"]);
    world.shrink_to_fit();
    let other = world.spawn(A).id();
    world.despawn(other);
    assert!(take(&mut world).is_empty());
}
