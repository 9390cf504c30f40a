//! Removals as parameters of systems.

use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Burning;
#[derive(Resource, Default)]
struct Seen(Vec<Entity>);
#[derive(Resource, Default)]
struct Sum(u32);

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.init_resource::<Seen>();
    world.init_resource::<Sum>();
    let ids = world.spawn_batch((0..4).map(|n| (Health(n), Burning))).collect();
    (world, ids)
}

fn see(mut removed: RemovedComponents<'_, '_, Health>, mut seen: ResMut<'_, Seen>) {
    seen.0.extend(removed.read());
}

fn sum(mut removed: RemovedValues<'_, '_, Health>, mut sum: ResMut<'_, Sum>) {
    sum.0 += removed.read().map(|(_, health)| health.0).sum::<u32>();
}

#[test]
fn each_system_sees_each_removal_once() {
    let (mut world, ids) = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((see, sum, sum));
    schedule.run(&mut world);
    assert!(world.resource::<Seen>().0.is_empty());
    world.despawn(ids[1]);
    world.despawn(ids[3]);
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [ids[1], ids[3]]);
    assert_eq!(world.resource::<Sum>().0, 2 * (1 + 3));
}

#[test]
fn a_system_sees_what_commands_of_an_earlier_one_remove_in_the_same_run() {
    let (mut world, ids) = world();
    let despawn = move |mut commands: Commands<'_, '_>| commands.entity(ids[2]).despawn();
    let mut schedule = Schedule::default();
    schedule.add_systems((despawn, see, sum).chain());
    schedule.run(&mut world);
    assert_eq!((world.resource::<Seen>().0.len(), world.resource::<Sum>().0), (1, 2));
}

#[test]
fn a_system_that_a_condition_keeps_from_running_loses_nothing() {
    let (mut world, ids) = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(see.run_if(|runs: Local<'_, u32>| {
        let mut runs = runs;
        *runs += 1;
        *runs == 4
    }));
    for &id in &ids[..3] {
        schedule.run(&mut world);
        world.despawn(id);
    }
    assert!(world.resource::<Seen>().0.is_empty());
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, ids[..3]);
}

#[test]
fn removals_can_be_a_condition() {
    fn any(mut removed: RemovedComponents<'_, '_, Burning>) -> bool {
        removed.read().count() > 0
    }
    fn any_value(removed: RemovedValues<'_, '_, Burning>) -> bool {
        !removed.is_empty()
    }
    let (mut world, ids) = world();
    let mut schedule = Schedule::default();
    let count = |mut sum: ResMut<'_, Sum>| sum.0 += 1;
    schedule.add_systems((count.run_if(any), count.run_if(any_value)));
    schedule.run(&mut world);
    world.entity_mut(ids[0]).remove::<Burning>();
    schedule.run(&mut world);
    assert_eq!(world.resource::<Sum>().0, 2);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Sum>().0, 3, "the second condition has not read it");
}

/// Writes the component whose removals it reads: the log is another place.
#[test]
fn a_system_writes_the_component_whose_removals_it_reads() {
    fn grow(
        mut healths: Query<'_, '_, &mut Health>,
        mut removed: RemovedComponents<'_, '_, Health>,
        values: RemovedValues<'_, '_, Health>,
    ) {
        let grown = 100 * removed.read().count() as u32 + values.len() as u32;
        healths.iter_mut().for_each(|mut health| health.0 += grown);
    }
    let (mut world, ids) = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(grow);
    schedule.initialize(&mut world).expect("the schedule has an order");
    world.despawn(ids[0]);
    world.despawn(ids[3]);
    schedule.run(&mut world);
    let healths: u32 = world.query::<&Health>().iter(&world).map(|health| health.0).sum();
    assert_eq!(healths, 1 + 2 + 2 * 202);
}

#[derive(SystemParam)]
struct Lost<'w, 's, T: Component<Mutability = Mutable>> {
    entities: RemovedComponents<'w, 's, T>,
    values: RemovedValues<'w, 's, T>,
    living: Query<'w, 's, &'static mut T>,
}

#[test]
fn removals_stand_beside_everything_in_structs_tuples_and_sets() {
    type Set<'w, 's> = ParamSet<'w, 's, (RemovedComponents<'w, 's, Health>, Query<'w, 's, &'static mut Health>)>;
    fn without_set(mut lost: Lost<'_, '_, Health>, mut sum: ResMut<'_, Sum>) {
        sum.0 += lost.entities.read().count() as u32 + lost.values.read().count() as u32;
        lost.living.iter_mut().for_each(|mut health| health.0 += 1);
    }
    fn with_set(
        mut set: Set<'_, '_>,
        (mut tuple, _local): (RemovedComponents<'_, '_, Health>, Local<'_, u32>),
        mut sum: ResMut<'_, Sum>,
    ) {
        sum.0 += set.p0().read().count() as u32 + tuple.read().count() as u32;
        set.p1().iter_mut().for_each(|mut health| health.0 += 1);
    }
    let (mut world, ids) = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((without_set, with_set));
    schedule.initialize(&mut world).expect("the schedule has an order");
    world.despawn(ids[1]);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Sum>().0, 4);
}

#[test]
fn a_schedule_may_change_worlds() {
    let mut schedule = Schedule::default();
    schedule.add_systems(see);
    for _ in 0..2 {
        let (mut world, ids) = world();
        schedule.initialize(&mut world).expect("the schedule has an order");
        world.despawn(ids[1]);
        schedule.run(&mut world);
        assert_eq!(world.resource::<Seen>().0, [ids[1]]);
    }
}

#[test]
fn a_system_can_be_called_by_hand() {
    let (mut world, ids) = world();
    let mut reader = world.removed_reader::<Health>();
    let mut values = world.removed_value_reader::<Health>();
    world.despawn(ids[3]);
    fn first(mut removed: RemovedComponents<'_, '_, Health>) -> Option<Entity> {
        removed.read().next()
    }
    let mut removed = RemovedComponents::from((&world, &mut reader));
    assert_eq!(format!("{removed:?}"), "RemovedComponents<changes::removed::params::Health> { len: 1 }");
    assert_eq!((first(removed.reborrow()), first(removed)), (Some(ids[3]), None));
    let mut removed = RemovedValues::from((&world, &mut values));
    assert_eq!(removed.read().map(|(id, health)| (id, health.0)).next(), Some((ids[3], 3)));
}

#[test]
fn systems_that_are_no_more_leave_nothing_behind() {
    let (mut world, _) = world();
    for _ in 0..1000 {
        world.run_system_once(see).unwrap();
    }
    world.shrink_to_fit();
    let before = world.allocated_bytes();
    world.spawn_batch((0..1000).map(Health));
    world.clear_entities();
    world.shrink_to_fit();
    assert!(world.allocated_bytes() <= before);
}
