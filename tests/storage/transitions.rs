//! The transitions that operations record: each change once, in single and batch forms.

use strata_ecs::component::ComponentId;
use strata_ecs::prelude::*;
use strata_ecs::store::Transition::{self, *};

#[derive(Component, Clone)]
struct A(u32);
#[derive(Component, Clone)]
struct B(String);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct S(String);
#[derive(Component)]
#[require(A(1), S(S::text()))]
struct Needs;

impl S {
    fn text() -> String {
        "s".into()
    }
}

fn b() -> B {
    B("b".into())
}

fn s() -> S {
    S(S::text())
}

/// A world that records, with the numbers of the components.
fn world() -> (World, [ComponentId; 4]) {
    let mut world = World::new();
    let ids = [
        world.register_component::<A>(),
        world.register_component::<B>(),
        world.register_component::<S>(),
        world.register_component::<Needs>(),
    ];
    world.record_transitions(true);
    (world, ids)
}

/// Returns the transitions of the entities since the last call, sorted. All entities must have equal transitions.
fn told(world: &mut World, entities: &[Entity]) -> Vec<Transition> {
    let all = world.take_transitions();
    let mut of: Vec<Vec<String>> = Vec::new();
    let mut first = Vec::new();
    for &entity in entities {
        let mut own: Vec<Transition> = all.iter().filter(|(of, _)| *of == entity).map(|(_, told)| *told).collect();
        own.sort_by_key(|told| format!("{told:?}"));
        of.push(own.iter().map(|told| format!("{told:?}")).collect());
        first = own;
    }
    assert!(of.iter().all(|own| *own == of[0]), "{of:?}");
    assert_eq!(all.len(), of.iter().map(Vec::len).sum::<usize>(), "something is told of others: {all:?}");
    first
}

/// Makes a change of a single entity, by a command, and by commands for many entities in one queue, and checks the recorded transitions.
fn each_form(
    start: impl Fn(&mut World) -> Entity,
    change: impl Fn(&mut EntityWorldMut<'_>),
    command: impl Fn(&mut EntityCommands<'_>),
    expected: impl Fn([ComponentId; 4]) -> Vec<Transition>,
) {
    let (mut world, ids) = world();
    for count in [1, 2, 40] {
        let entities: Vec<Entity> = (0..count).map(|_| start(&mut world)).collect();
        world.take_transitions();
        entities.iter().for_each(|&entity| change(&mut world.entity_mut(entity)));
        assert_eq!(told(&mut world, &entities), expected(ids), "one by one");
        let entities: Vec<Entity> = (0..count).map(|_| start(&mut world)).collect();
        world.take_transitions();
        entities.iter().for_each(|&entity| command(&mut world.commands().entity(entity)));
        world.flush();
        assert_eq!(told(&mut world, &entities), expected(ids), "by {count} commands");
    }
}

#[test]
fn inserting_is_told_as_gained_or_replaced() {
    let start = |world: &mut World| world.spawn((A(1), s())).id();
    each_form(
        start,
        |entity| _ = entity.insert((A(2), b(), s())),
        |entity| _ = entity.insert((A(2), b(), s())),
        |[a, b, s, _]| vec![Gained(b), Replaced(a), Replaced(s)],
    );
    each_form(
        start,
        |entity| _ = entity.insert_if_new((A(2), b(), s())),
        |entity| _ = entity.insert_if_new((A(2), b(), s())),
        |[_, b, ..]| vec![Gained(b)],
    );
    each_form(
        start,
        |entity| _ = entity.insert(s()),
        |entity| _ = entity.insert(s()),
        |[_, _, s, _]| vec![Replaced(s)],
    );
}

#[test]
fn removing_is_told_as_lost() {
    let start = |world: &mut World| world.spawn((A(1), b(), s())).id();
    each_form(
        start,
        |entity| _ = entity.remove::<(B, S)>(),
        |entity| _ = entity.remove::<(B, S)>(),
        |[_, b, s, _]| vec![Lost(b), Lost(s)],
    );
    each_form(start, |entity| _ = entity.remove::<B>(), |entity| _ = entity.remove::<B>(), |[_, b, ..]| vec![Lost(b)]);
    each_form(
        start,
        |entity| _ = entity.retain::<B>(),
        |entity| _ = entity.retain::<B>(),
        |[a, _, s, _]| vec![Lost(a), Lost(s)],
    );
    each_form(
        start,
        |entity| drop(entity.take::<(A, S)>()),
        |entity| _ = entity.remove::<(A, S)>(),
        |[a, _, s, _]| vec![Lost(a), Lost(s)],
    );
    each_form(
        start,
        |entity| drop(entity.take_all()),
        |entity| _ = entity.clear(),
        |[a, b, s, _]| vec![Lost(a), Lost(b), Lost(s)],
    );
}

#[test]
fn what_is_removed_and_inserted_again_in_one_operation_is_told_as_renewed() {
    let start = |world: &mut World| world.spawn((A(1), s())).id();
    each_form(
        start,
        |entity| _ = entity.replace::<(A, S), _>((A(2), b(), s())),
        |entity| _ = entity.remove::<(A, S)>().insert((A(2), b(), s())),
        |[a, b, s, _]| vec![Gained(b), Renewed(a), Renewed(s)],
    );
    each_form(
        start,
        |entity| drop(entity.exchange::<A, _>((A(2), b()))),
        |entity| _ = entity.remove::<A>().insert((A(2), b())),
        |[a, b, ..]| vec![Gained(b), Renewed(a)],
    );
}

#[test]
fn what_is_required_is_told_as_gained() {
    each_form(
        |world| world.spawn_empty().id(),
        |entity| _ = entity.insert(Needs),
        |entity| _ = entity.insert(Needs),
        |[a, _, s, needs]| vec![Gained(a), Gained(s), Gained(needs)],
    );
    each_form(
        |world| world.spawn((A(3), s())).id(),
        |entity| _ = entity.insert(Needs),
        |entity| _ = entity.insert(Needs),
        |[_, _, _, needs]| vec![Gained(needs)],
    );
}

#[test]
fn every_way_of_making_entities_tells_of_them() {
    let (mut world, [a, b_id, s_id, _]) = world();
    let [plain, sparse] = [vec![Gained(a), Gained(b_id), Made], vec![Gained(a), Gained(s_id), Made]];
    let one = world.spawn((A(1), b())).id();
    assert_eq!(told(&mut world, &[one]), plain);
    let many: Vec<Entity> = world.spawn_batch((0..20).map(|at| (A(at), b()))).collect();
    assert_eq!(told(&mut world, &many), plain);
    let many: Vec<Entity> = world.spawn_batch((0..20).map(|at| (A(at), s()))).collect();
    assert_eq!(told(&mut world, &many), sparse);
    let many: Vec<Entity> = world.spawn_columns((vec![A(1), A(2)], vec![s(), s()])).unwrap().collect();
    assert_eq!(told(&mut world, &many), sparse);
    let many: Vec<Entity> = (0..20).map(|at| world.commands().spawn((A(at), b())).id()).collect();
    world.flush();
    assert_eq!(told(&mut world, &many), plain);
    let clone = world.clone_entity(one).unwrap();
    assert_eq!(told(&mut world, &[clone]), plain);
    let reserved: Vec<Entity> = world.reserve_entities(3).collect();
    world.flush();
    assert_eq!(told(&mut world, &reserved), [Made]);
}

#[test]
fn every_way_of_ending_entities_tells_of_them() {
    let (mut world, [a, b_id, s_id, _]) = world();
    let expected = [Ended, Lost(a), Lost(b_id), Lost(s_id)];
    let make = |world: &mut World| -> Vec<Entity> { (0..20).map(|at| world.spawn((A(at), b(), s())).id()).collect() };
    for way in 0..5 {
        let entities = make(&mut world);
        world.take_transitions();
        let mut other = World::new();
        match way {
            0 => entities.iter().for_each(|&entity| assert!(world.despawn(entity))),
            1 => _ = world.all::<With<A>>().despawn(),
            2 => entities.iter().for_each(|&entity| world.commands().entity(entity).despawn()),
            3 => _ = world.all::<()>().move_to(&mut other),
            _ => world.clear_entities(),
        }
        world.flush();
        assert_eq!(told(&mut world, &entities), expected, "way {way}");
    }
}

#[test]
fn selections_are_told_of_as_single_entities_are() {
    let (mut world, [a, b_id, ..]) = world();
    let entities: Vec<Entity> = world.spawn_batch((0..20).map(|_| A(1))).collect();
    world.spawn(b());
    world.take_transitions();
    assert_eq!(world.all::<With<A>>().insert((A(2), b())), 20);
    assert_eq!(told(&mut world, &entities), [Gained(b_id), Replaced(a)]);
    assert_eq!(world.all::<With<A>>().remove::<B>(), 20);
    assert_eq!(told(&mut world, &entities), [Lost(b_id)]);
    assert_eq!(world.all::<With<A>>().remove::<B>(), 20);
    assert_eq!(told(&mut world, &entities), []);
}

#[test]
fn what_an_operation_tells_is_complete_if_a_destructor_panics() {
    #[derive(Component)]
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "the bomb goes off");
        }
    }
    let (mut world, [a, ..]) = world();
    let bomb = world.register_component::<Bomb>();
    let [first, second] = [world.spawn((A(1), Bomb)).id(), world.spawn((A(1), Bomb)).id()];
    world.take_transitions();
    let remove = std::panic::AssertUnwindSafe(|| world.entity_mut(first).remove::<Bomb>().id());
    assert!(std::panic::catch_unwind(remove).is_err());
    assert_eq!(told(&mut world, &[first]), [Lost(bomb)]);
    let end = std::panic::AssertUnwindSafe(|| world.despawn(second));
    assert!(std::panic::catch_unwind(end).is_err());
    assert_eq!(told(&mut world, &[second]), [Ended, Lost(a), Lost(bomb)]);
}
