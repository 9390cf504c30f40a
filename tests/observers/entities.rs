//! Observers of single entities.

use std::sync::Arc;

use strata_ecs::event::BeginMatch;
use strata_ecs::observer::ObserverId;
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

use super::{Log, noted, world};

#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
    damage: u32,
}

fn note(hit: On<Hit>, mut log: ResMut<Log>) {
    log.note(hit.damage);
}

fn three(world: &mut World) -> [Entity; 3] {
    [(); 3].map(|()| world.spawn_empty().id())
}

#[test]
fn an_observer_of_entities_is_told_of_their_events_only() {
    let mut world = world();
    let [a, b, c] = three(&mut world);
    world.add_observer(Observer::new(note).with_entity(a).with_entities([c]));
    for (damage, entity) in (1..).zip([a, b, c, Entity::PLACEHOLDER]) {
        world.trigger(Hit { entity, damage });
    }
    assert_eq!(noted(&mut world), ["1", "3"]);
}

#[test]
fn an_observer_that_names_an_entity_twice_is_told_once() {
    let mut world = world();
    let [a, b, _] = three(&mut world);
    let observer = world.add_observer(Observer::new(note).with_entities([a, b, a]));
    world.trigger(Hit { entity: a, damage: 1 });
    assert_eq!(noted(&mut world), ["1"]);
    assert!(world.remove_observer(observer));
    world.trigger(Hit { entity: a, damage: 1 });
    assert!(noted(&mut world).is_empty());
}

#[test]
fn a_removed_observer_is_told_no_more_and_the_others_are() {
    let mut world = world();
    let [a, ..] = three(&mut world);
    let add = |world: &mut World, name: u32, all: bool| -> ObserverId {
        let observer = Observer::new(move |_: On<Hit>, mut log: ResMut<Log>| log.note(name));
        world.add_observer(if all { observer } else { observer.with_entity(a) })
    };
    let ids: Vec<ObserverId> = (0..200).map(|at| add(&mut world, at, at % 2 == 0)).collect();
    // Most of them, so that gaps are closed.
    for (at, &id) in ids.iter().enumerate() {
        assert!(at % 10 == 3 || at % 10 == 4 || world.remove_observer(id));
    }
    assert!(!world.remove_observer(ids[0]));
    world.trigger(Hit { entity: a, damage: 1 });
    let expected: Vec<u32> = (0..200).filter(|at| at % 10 == 4).chain((0..200).filter(|at| at % 10 == 3)).collect();
    assert_eq!(noted(&mut world), expected.iter().map(ToString::to_string).collect::<Vec<_>>());
}

#[test]
fn a_removed_observer_is_dropped_at_once() {
    let mut world = world();
    let value = Arc::new(());
    let held = value.clone();
    let observer = world.add_observer(move |_: On<Hit>| drop(held.clone()));
    assert_eq!(Arc::strong_count(&value), 2);
    world.remove_observer(observer);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn observers_of_a_dead_entity_are_not_told_and_go() {
    let mut world = world();
    let value = Arc::new(());
    let held = value.clone();
    let observe = move |_: On<Hit>, mut log: ResMut<Log>| {
        log.note(Arc::strong_count(&held));
    };
    let entity = world.spawn_empty().observe(observe).id();
    world.despawn(entity);
    world.trigger(Hit { entity, damage: 1 });
    assert!(noted(&mut world).is_empty());
    // An entity in the same place is another one.
    let next = world.spawn_empty().id();
    assert_eq!(next.index(), entity.index());
    world.trigger(Hit { entity: next, damage: 1 });
    assert!(noted(&mut world).is_empty());
    world.shrink_to_fit();
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn observers_of_many_entities_that_die_do_not_pile_up() {
    let mut world = world();
    let value = Arc::new(());
    for _ in 0..5_000 {
        let held = value.clone();
        let entity = world.spawn_empty().observe(move |_: On<Hit>| drop(held.clone())).id();
        world.despawn(entity);
    }
    assert!(Arc::strong_count(&value) < 200);
}

#[test]
fn an_observer_of_two_entities_stays_for_the_second() {
    let mut world = world();
    let [a, b, _] = three(&mut world);
    world.add_observer(Observer::new(note).with_entities([a, b]));
    world.despawn(a);
    world.shrink_to_fit();
    world.trigger(Hit { entity: b, damage: 7 });
    assert_eq!(noted(&mut world), ["7"]);
}

#[test]
fn an_event_for_a_dead_entity_is_told_to_those_of_all() {
    let mut world = world();
    let [entity, ..] = three(&mut world);
    world.despawn(entity);
    world.add_observer(note);
    world.trigger(Hit { entity, damage: 3 });
    assert_eq!(noted(&mut world), ["3"]);
}

#[test]
fn an_observer_may_despawn_the_target_and_the_next_one_sees_it_still() {
    let mut world = world();
    world.add_observer(|hit: On<Hit>, mut commands: Commands| commands.entity(hit.entity).despawn());
    world.add_observer(|hit: On<Hit>, all: Query<Entity>, mut log: ResMut<Log>| log.note(all.contains(hit.entity)));
    let entity = world.spawn_empty().observe(note).id();
    world.trigger(Hit { entity, damage: 1 });
    assert_eq!((noted(&mut world), world.len()), (vec!["true".to_owned(), "1".to_owned()], 0));
}

#[test]
fn commands_observe_and_trigger_in_order() {
    let mut world = world();
    let mut commands = world.commands();
    let mut entity = commands.spawn_empty();
    entity.trigger(|entity| Hit { entity, damage: 1 });
    entity.observe(note);
    entity.trigger(|entity| Hit { entity, damage: 2 });
    let id = entity.id();
    world.flush();
    assert_eq!(noted(&mut world), ["2"]);
    world.despawn(id);
    world.commands().entity(id).observe(note);
    world.flush();
    assert_eq!(world.take_command_errors().0.len(), 1);
}

#[test]
fn the_handle_of_a_recorded_observer_can_be_had_at_once() {
    let mut world = world();
    let mut commands = world.commands();
    let observer = commands.add_observer(note);
    commands.trigger(Hit { entity: Entity::PLACEHOLDER, damage: 1 });
    commands.remove_observer(observer);
    commands.trigger(Hit { entity: Entity::PLACEHOLDER, damage: 2 });
    world.flush();
    assert_eq!(noted(&mut world), ["1"]);
}

#[test]
fn an_observer_of_another_world_is_not_removed() {
    let (mut ours, mut other) = (world(), world());
    let observer = other.add_observer(note);
    assert!(!ours.remove_observer(observer));
    assert!(other.remove_observer(observer));
}

#[test]
fn the_explanation_names_those_that_are_told_and_the_others() {
    let mut world = world();
    let [a, b, _] = three(&mut world);
    world.add_observer(note);
    world.entity_mut(a).observe(note.run_if(|| false));
    world.entity_mut(b).observe(note);
    let explanation = world.explain_event::<Hit>(a);
    assert_eq!((explanation.told().count(), explanation.not_told().count()), (2, 1));
    world.despawn(a);
    assert_eq!(world.explain_event::<Hit>(a).told().count(), 1);
}

#[test]
fn the_explanation_of_what_happens_to_a_component_has_hooks_and_reasons() {
    #[derive(Component)]
    #[component(on_add = |_, _| {}, on_remove = |_, _| {})]
    struct Health;
    #[derive(Component)]
    struct Armor;
    fn healed(_: On<Add<Health>>) {}
    fn changed(_: On<Add<(Health, Armor)>>) {}
    fn armed(_: On<Add<Armor>>) {}
    fn anything(_: OnBatch<Add<()>>) {}
    fn lost(_: On<Remove<Health>>) {}
    fn short(name: &str) -> &str {
        name.rsplit("::").next().unwrap_or(name)
    }

    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn((Health, Armor)).id());
    world.entity_mut(b).observe(healed);
    world.entity_mut(a).observe(healed);
    world.add_observer(changed);
    world.add_observer(armed);
    world.add_observer(anything);
    world.add_observer(lost);
    let explanation = world.explain_event::<Add<Health>>(a);
    assert!(explanation.told().next().is_some_and(|name| name.starts_with("on_add of ")), "hooks come first");
    assert_eq!(explanation.told().map(short).collect::<Vec<_>>(), ["Health", "healed", "changed", "anything"]);
    assert_eq!(explanation.not_told().map(short).collect::<Vec<_>>(), ["healed", "armed"]);
    let text = explanation.to_string();
    assert!(text.contains("healed` is not told: it watches another entity\n"), "{text}");
    assert!(text.contains("armed` is not told: it watches `") && text.contains("::Armor`\n"), "{text}");
    let explanation = world.explain_event::<Remove<Health>>(a);
    assert_eq!(explanation.told().map(short).collect::<Vec<_>>(), ["lost", "Health"], "hooks come last");
    // Events of any component that the entity has.
    let armed_only = world.spawn(Armor).id();
    let explanation = world.explain_event::<Add<()>>(armed_only);
    assert_eq!(explanation.told().map(short).collect::<Vec<_>>(), ["changed", "armed", "anything"]);
}

#[test]
fn the_explanation_of_a_match_goes_by_the_components_of_the_filter() {
    #[derive(Component)]
    struct Enemy;
    #[derive(Component)]
    struct Hidden;
    #[derive(Component)]
    struct Other;
    let mut world = World::new();
    world.add_observer(|_: On<BeginMatch<(With<Enemy>, Without<Hidden>)>>| {});
    world.add_observer(|_: On<BeginMatch<With<Other>>>| {});
    let explanation = world.explain_event::<BeginMatch<With<Enemy>>>(None);
    assert_eq!((explanation.told().count(), explanation.not_told().count()), (1, 1));
    assert!(explanation.to_string().contains("Other`"), "{explanation}");
}

#[test]
fn the_target_may_be_a_value_that_belongs_to_an_entity() {
    struct Part {
        of: Entity,
        number: u32,
    }
    impl ContainsEntity for Part {
        fn entity(&self) -> Entity {
            self.of
        }
    }
    /// Nothing but its target: it is no `Copy`, and is not made of an id.
    #[derive(EntityEvent)]
    struct Broken(Box<Part>);
    #[derive(Resource, Default)]
    struct Numbers(Vec<u32>);

    let mut world = World::new();
    world.init_resource::<Numbers>();
    let car = world
        .spawn_empty()
        .observe(|on: On<'_, '_, Broken>, mut numbers: ResMut<'_, Numbers>| numbers.0.push(on.0.number))
        .id();
    let other = world.spawn_empty().id();
    assert_eq!(ContainsEntity::entity(&world.entity(car)), car);
    world.trigger(Broken(Box::new(Part { of: other, number: 1 })));
    world.trigger(Broken(Box::new(Part { of: car, number: 2 })));
    assert_eq!(world.resource::<Numbers>().0, [2]);
}

/// They are of one function and know the same of it: what differs is each one's own.
#[test]
fn observers_of_one_function_for_many_entities_are_each_their_own() {
    #[derive(Resource, Default)]
    struct Sums(Vec<u32>);

    fn count(hit: On<Hit>, mut hits: Local<u32>, mut sums: ResMut<Sums>) -> Result<(), &'static str> {
        *hits += hit.damage;
        sums.0.push(*hits);
        if hit.entity.index() % 4 == 3 { Err("of no use") } else { Ok(()) }
    }

    let mut world = world();
    world.init_resource::<Sums>();
    let entities: Vec<Entity> = world.spawn_batch((0..12).map(|_| ())).collect();
    for (nth, &entity) in entities.iter().enumerate() {
        let observer = Observer::new(count).with_entity(entity);
        world.add_observer(if nth % 3 == 2 { observer.run_if(|| false) } else { observer });
    }
    for round in 1..4 {
        entities.iter().for_each(|&entity| world.trigger(Hit { entity, damage: 1 }));
        assert_eq!(std::mem::take(&mut world.resource_mut::<Sums>().0), [round; 8]);
    }
    let errors = world.take_command_errors().0;
    assert!(!errors.is_empty() && errors.iter().all(|error| error.to_string().contains("count")), "{errors:?}");
}

/// Panics when it is dropped, if it is to.
struct Bomb {
    _kept: Arc<()>,
    explodes: bool,
}

impl Bomb {
    fn new(kept: &Arc<()>, explodes: bool) -> Self {
        Self { _kept: kept.clone(), explodes }
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.explodes || std::thread::panicking(), "a bomb");
    }
}

#[derive(EntityEvent)]
struct Blow(Entity);

#[test]
fn all_is_tidied_when_a_value_of_an_observer_panics_as_it_is_dropped() {
    let mut world = world();
    let [a, b, _] = three(&mut world);
    let kept = Arc::new(());
    let (bomb, other) = (Bomb::new(&kept, true), Bomb::new(&kept, false));
    world.add_observer(Observer::new(move |_: On<Hit>| _ = &bomb).with_entity(a));
    let second = world.add_observer(Observer::new(move |_: On<Blow>| _ = &other).with_entity(b));
    world.despawn(a);
    world.despawn(b);
    expect_panic(|| world.shrink_to_fit());
    // Observers of events of another type have been removed as well.
    assert_eq!(Arc::strong_count(&kept), 1);
    assert!(!world.remove_observer(second));
    let bomb = Bomb::new(&kept, true);
    let observer = world.add_observer(move |_: On<Hit>, mut log: ResMut<Log>| {
        _ = &bomb;
        log.note("told");
    });
    expect_panic(|| world.remove_observer(observer));
    let [entity, ..] = three(&mut world);
    world.trigger(Hit { entity, damage: 1 });
    assert_eq!(noted(&mut world), Vec::<String>::new());
    assert_eq!(Arc::strong_count(&kept), 1);
}
