//! Observers that take components of the target of their event.

use strata_ecs::entity_disabling::Disabled;
use strata_ecs::event::Traversal;
use strata_ecs::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct Armor(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Shield(u32);
#[derive(Component)]
struct Ghost;
#[derive(Component)]
struct Rider(Entity);

impl<E> Traversal<E> for &Rider {
    fn traverse(item: &Rider, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

#[derive(EntityEvent)]
#[entity_event(auto_propagate, propagate = &'static Rider)]
struct Damage {
    entity: Entity,
    points: u32,
}

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<String>);

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

fn log(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[observer]
fn hurt(on: On<Damage>, health: &mut Health, armor: Option<&Armor>, Shield(shield): &mut Shield) {
    let points = on.points.saturating_sub(armor.map_or(0, |armor| armor.0));
    let absorbed = points.min(*shield);
    *shield -= absorbed;
    health.0 -= points - absorbed;
}

#[test]
fn an_observer_gets_components_of_the_target_and_changes_them() {
    let mut world = world();
    world.add_observer(hurt);
    let [bare, armed] = [(); 2].map(|()| world.spawn((Health(9), Shield(1))).id());
    world.entity_mut(armed).insert(Armor(2));
    for entity in [bare, armed, bare] {
        world.trigger(Damage { entity, points: 3 });
    }
    let mut left = |entity| (world.get::<Health>(entity).unwrap().0, world.get_mut::<Shield>(entity).unwrap().0);
    assert_eq!((left(bare), left(armed)), ((4, 0), (9, 0)));
}

#[test]
fn a_target_that_lacks_a_component_or_is_gone_is_passed_over() {
    let mut world = world();
    world.add_observer(hurt);
    let [without_shield, gone] = [world.spawn(Health(9)).id(), world.spawn((Health(9), Shield(1))).id()];
    world.despawn(gone);
    for entity in [without_shield, gone] {
        world.trigger(Damage { entity, points: 3 });
    }
    assert_eq!(world.get(without_shield), Some(&Health(9)));
    let errors = world.take_command_errors().0;
    assert!(errors.len() == 1 && errors[0].to_string().contains("which lacks `"), "{errors:?}");
}

#[observer(with(Armor), without(Ghost))]
fn filtered(on: On<Damage>, entity: Entity, is_shielded: Has<Shield>, mut log: ResMut<Log>) {
    assert_eq!(on.entity, entity);
    log.0.push(format!("{} {is_shielded}", on.points));
}

#[test]
fn filters_choose_targets() {
    let mut world = world();
    world.add_observer(filtered);
    let entities = [
        world.spawn(Armor(1)).id(),
        world.spawn((Armor(1), Shield(1))).id(),
        world.spawn((Armor(1), Ghost)).id(),
        world.spawn(Shield(1)).id(),
    ];
    for (at, entity) in entities.into_iter().enumerate() {
        world.trigger(Damage { entity, points: at as u32 });
    }
    assert_eq!(log(&mut world), ["0 false", "1 true"]);
}

#[test]
fn disabled_targets_are_passed_over_unless_the_observer_allows_them() {
    #[observer]
    fn plain(_: On<Damage>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(format!("plain {}", health.0));
    }
    #[observer(allow(Disabled))]
    fn allowing(_: On<Damage>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(format!("allowing {}", health.0));
    }
    let mut world = world();
    world.add_observer(plain);
    world.add_observer(allowing);
    let entity = world.spawn((Health(1), Disabled)).id();
    world.trigger(Damage { entity, points: 0 });
    assert_eq!(log(&mut world), ["allowing 1"]);
}

#[test]
fn an_event_that_goes_on_is_told_with_the_components_of_each_entity() {
    #[observer]
    fn note(on: On<Damage>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(format!("{} of {}", health.0, on.original_event_target()));
    }
    let mut world = world();
    world.add_observer(note);
    let horse = world.spawn(Health(3)).id();
    let saddle = world.spawn(Rider(horse)).id();
    let knight = world.spawn((Health(1), Rider(saddle))).id();
    world.trigger(Damage { entity: knight, points: 0 });
    assert_eq!(log(&mut world), [format!("1 of {knight}"), format!("3 of {knight}")]);
}

#[test]
fn observers_of_the_life_of_components_see_the_values() {
    #[observer]
    fn come(_: On<Add<Health>>, health: &mut Health, mut log: ResMut<Log>) {
        log.0.push(format!("add {}", health.0));
        health.0 += 1;
    }
    #[observer(with(Armor))]
    fn inserted(_: On<Insert<(Health, Armor)>>, health: Option<&Health>, mut log: ResMut<Log>) {
        log.0.push(format!("insert {:?}", health.map(|health| health.0)));
    }
    #[observer]
    fn gone(_: On<Remove<Health>>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(format!("remove {}", health.0));
    }
    #[system]
    fn dead(_: On<Despawn<Health>>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(format!("despawn {}", health.0));
    }
    let mut world = world();
    world.add_observer(come);
    world.add_observer(inserted);
    world.add_observer(gone);
    world.add_observer(dead);
    let entity = world.spawn(Health(1)).id();
    assert_eq!(log(&mut world), ["add 1"]);
    world.entity_mut(entity).insert(Armor(1)).remove::<Health>();
    assert_eq!(log(&mut world), ["insert Some(2)", "remove 2"]);
    world.entity_mut(entity).insert(Health(5));
    world.despawn(entity);
    assert_eq!(log(&mut world), ["add 5", "insert Some(6)", "despawn 6", "remove 6"]);
}

#[test]
fn a_bulk_operation_is_told_with_the_components_of_each_entity() {
    #[observer]
    fn come(_: On<Add<Health>>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(health.0.to_string());
    }
    let mut world = world();
    world.add_observer(come);
    world.spawn_batch((0..4).map(Health));
    assert_eq!(log(&mut world), ["0", "1", "2", "3"]);
}

#[test]
fn other_parameters_come_beside_the_components() {
    #[observer(without(Ghost))]
    fn spread(
        on: On<Damage>,
        mut others: Query<&mut Health, With<Ghost>>,
        health: &mut Health,
        mut count: Local<u32>,
        mut commands: Commands,
    ) -> Result {
        *count += 1;
        health.0 -= on.points;
        others.iter_mut().for_each(|mut other| other.0 -= *count);
        commands.entity(on.entity).insert_if_new(Armor(*count));
        if health.0 == 0 { Err("dead".into()) } else { Ok(()) }
    }
    let mut world = world();
    world.add_observer(spread);
    let [entity, ghost] = [world.spawn(Health(4)).id(), world.spawn((Health(9), Ghost)).id()];
    world.trigger(Damage { entity, points: 2 });
    assert!(world.take_command_errors().0.is_empty());
    world.trigger(Damage { entity, points: 2 });
    let error = world.take_command_errors().0[0].to_string();
    assert!(error.contains("spread") && error.ends_with("dead"), "{error}");
    assert_eq!(world.get(ghost), Some(&Health(6)));
    assert_eq!(world.get::<Armor>(entity).unwrap().0, 1);
}

#[test]
fn a_reference_marks_the_value_as_changed_and_a_mut_does_if_it_is_used() {
    #[observer]
    fn by_reference(_: On<Damage>, _health: &mut Health) {}
    #[observer]
    fn by_mut(on: On<Damage>, mut armor: Mut<Armor>, before: Ref<Health>) {
        assert!(before.is_changed());
        if on.points > 0 {
            armor.0 += 1;
        }
    }
    let mut world = world();
    let entity = world.spawn((Health(1), Armor(1))).id();
    let mut changed = world.query_filtered::<Entity, Or<(Changed<Health>, Changed<Armor>)>>();
    let mut healthy = world.query_filtered::<Entity, Changed<Health>>();
    world.add_observer(by_reference);
    world.add_observer(by_mut);
    world.clear_trackers();
    assert_eq!((changed.iter(&world).count(), healthy.iter(&world).count()), (0, 0));
    world.trigger(Damage { entity, points: 0 });
    assert_eq!(healthy.iter(&world).count(), 1);
    world.clear_trackers();
    let mut armed = world.query_filtered::<Entity, Changed<Armor>>();
    world.trigger(Damage { entity, points: 0 });
    assert_eq!(armed.iter(&world).count(), 0);
    world.trigger(Damage { entity, points: 1 });
    assert_eq!(armed.iter(&world).count(), 1);
}

#[test]
fn an_observer_of_one_entity_takes_its_components() {
    let mut world = world();
    let [a, b] = [(); 2].map(|()| world.spawn((Health(9), Shield(0))).id());
    world.entity_mut(a).observe(hurt);
    for entity in [a, b] {
        world.trigger(Damage { entity, points: 1 });
    }
    assert_eq!((world.get(a), world.get(b)), (Some(&Health(8)), Some(&Health(9))));
}

#[test]
fn conditions_are_asked_before_the_target() {
    #[observer(run_if(|log: Res<Log>| log.0.len() < 2))]
    fn note(_: On<Damage>, health: &Health, mut log: ResMut<Log>) {
        log.0.push(health.0.to_string());
    }
    let mut world = world();
    world.add_observer(note);
    let entity = world.spawn(Health(7)).id();
    (0..5).for_each(|_| world.trigger(Damage { entity, points: 0 }));
    assert_eq!(log(&mut world), ["7", "7"]);
}

#[derive(Component)]
struct Nth<const N: usize>(u32);

macro_rules! many {
    ($($name:ident $nth:literal)*) => {
        #[observer]
        fn all_of_them(_: On<Damage>, $($name: &mut Nth<$nth>,)* mut log: ResMut<Log>) {
            $($name.0 += 1;)*
            log.0.push([$($name.0),*].iter().sum::<u32>().to_string());
        }

        #[test]
        fn many_components_are_taken() {
            let mut world = world();
            world.add_observer(all_of_them);
            let entity = world.spawn_empty().id();
            $(world.entity_mut(entity).insert(Nth::<$nth>(1));)*
            world.trigger(Damage { entity, points: 0 });
            assert_eq!(log(&mut world), ["52"]);
        }
    };
}

many!(a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16 r 17 s 18 t 19 u 20 v 21 w 22 x 23 y 24 z 25);
