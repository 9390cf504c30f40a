//! Row systems and changes: the options `added` and `changed`, `Ref` parameters, and which writes count as changes.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Health(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Armour(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Burning(u32);
#[derive(Component)]
struct Boss;
#[derive(Component)]
#[component(storage = "sparse")]
struct Hidden;
#[derive(Component)]
struct Timer<T: Send + Sync + 'static>(T);
#[derive(Component)]
#[component(track = "always")]
struct Logged(u32);

/// The entities that a system was called for since they were taken.
#[derive(Resource, Default)]
struct Seen(Vec<Entity>);

/// Returns the entities that a system has seen since the last call, in order.
fn seen(world: &mut World) -> Vec<Entity> {
    let mut seen = core::mem::take(&mut world.resource_mut::<Seen>().0);
    seen.sort_unstable();
    seen
}

/// A world with the resource, and three entities with a health of 1, 2 and 3.
fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let entities = [1, 2, 3].map(|points| world.spawn(Health(points)).id());
    (world, entities)
}

/// A schedule of some systems.
fn schedule<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems);
    schedule
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<Entity> {
    schedule.run(world);
    world.check_invariants();
    seen(world)
}

#[system(changed(Health))]
fn note_changed(entity: Entity, mut seen: ResMut<Seen>) {
    seen.0.push(entity);
}

#[system(added(Health))]
fn note_added(entity: Entity, mut seen: ResMut<Seen>) {
    seen.0.push(entity);
}

#[test]
fn changed_rows_are_visited_once() {
    let (mut world, all) = world();
    let mut schedule = schedule(note_changed);
    assert_eq!(run(&mut schedule, &mut world), all);
    assert_eq!(run(&mut schedule, &mut world), []);
    world.get_mut::<Health>(all[1]).unwrap().0 += 1;
    assert_eq!(run(&mut schedule, &mut world), [all[1]]);
    assert_eq!(run(&mut schedule, &mut world), []);
}

#[test]
fn added_rows_are_visited_once_and_not_when_they_change() {
    let (mut world, all) = world();
    let mut schedule = schedule(note_added);
    assert_eq!(run(&mut schedule, &mut world), all);
    world.get_mut::<Health>(all[1]).unwrap().0 += 1;
    assert_eq!(run(&mut schedule, &mut world), []);
    let new = world.spawn(Health(4)).id();
    world.entity_mut(all[2]).insert(Armour(1));
    assert_eq!(run(&mut schedule, &mut world), [new]);
    world.entity_mut(all[0]).remove::<Health>();
    world.entity_mut(all[0]).insert(Health(9));
    assert_eq!(run(&mut schedule, &mut world), [all[0]]);
}

#[test]
fn each_system_sees_each_change_once() {
    let (mut world, all) = world();
    let mut often = schedule(note_changed);
    let mut seldom = schedule(note_changed);
    assert_eq!(run(&mut often, &mut world), all);
    world.get_mut::<Health>(all[0]).unwrap().0 += 1;
    assert_eq!(run(&mut often, &mut world), [all[0]]);
    world.get_mut::<Health>(all[2]).unwrap().0 += 1;
    assert_eq!(run(&mut often, &mut world), [all[2]]);
    assert_eq!(run(&mut seldom, &mut world), all);
    assert_eq!(run(&mut seldom, &mut world), []);
}

#[system]
fn wound_every_row(health: &mut Health) {
    if health.0 == 2 {
        health.0 = 20;
    }
}

#[system]
fn wound_some_rows(mut health: Mut<Health>) {
    if health.0 == 2 {
        health.0 = 20;
    }
}

#[system]
fn wound_if_there(_: Entity, health: Option<&mut Health>) {
    if let Some(health) = health
        && health.0 == 2
    {
        health.0 = 20;
    }
}

#[system]
fn wound_some_if_there(_: Entity, health: Option<Mut<Health>>) {
    if let Some(mut health) = health
        && health.0 == 2
    {
        health.0 = 20;
    }
}

#[test]
fn a_plain_borrow_counts_for_all_rows() {
    let (mut world, all) = world();
    let mut before = schedule(note_changed);
    run(&mut before, &mut world);
    assert_eq!(run(&mut schedule((wound_every_row, note_changed)), &mut world), all);
    assert_eq!(run(&mut before, &mut world), all);
    assert_eq!(run(&mut schedule(wound_if_there), &mut world), []);
    assert_eq!(run(&mut before, &mut world), all);
}

#[test]
fn mut_counts_where_it_is_dereferenced_mutably() {
    for optional in [false, true] {
        let (mut world, all) = world();
        let mut before = schedule(note_changed);
        run(&mut before, &mut world);
        let mut wound = if optional { schedule(wound_some_if_there) } else { schedule(wound_some_rows) };
        run(&mut wound, &mut world);
        assert_eq!(run(&mut before, &mut world), [all[1]]);
        assert_eq!(world.get(all[1]), Some(&Health(20)));
        run(&mut wound, &mut world);
        assert_eq!(run(&mut before, &mut world), []);
    }
}

/// Writes what it looks for.
#[system(changed(Health))]
fn note_and_write(entity: Entity, health: &mut Health, mut seen: ResMut<Seen>) {
    health.0 += 1;
    seen.0.push(entity);
}

#[test]
fn a_system_does_not_see_its_own_writes() {
    let (mut world, all) = world();
    let mut own = schedule(note_and_write);
    let mut other = schedule(note_changed);
    assert_eq!(run(&mut own, &mut world), all);
    assert_eq!(run(&mut own, &mut world), []);
    assert_eq!(run(&mut other, &mut world), all);
    world.get_mut::<Health>(all[1]).unwrap().0 += 1;
    assert_eq!(run(&mut own, &mut world), [all[1]]);
    assert_eq!(run(&mut other, &mut world), [all[1]]);
    assert_eq!(run(&mut own, &mut world), []);
}

#[system(changed(Health, Armour))]
fn both_changed(entity: Entity, mut seen: ResMut<Seen>) {
    seen.0.push(entity);
}

#[system(changed(Health))]
fn wear_down(id: Entity, health: Ref<Health>, armour: &mut Armour, #[row] gold: Mut<Logged>, mut seen: ResMut<Seen>) {
    armour.0 += health.0;
    if armour.0.is_multiple_of(2) {
        gold.into_inner().0 += 1;
    }
    seen.0.push(id);
}

#[system(changed(Armour))]
fn armour_changed(id: Entity, mut seen: ResMut<Seen>) {
    seen.0.push(id);
}

#[test]
fn of_scattered_rows_each_is_written_and_marked_and_no_other() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let all: Vec<Entity> = world.spawn_batch((0..3000).map(|n| (Health(n), Armour(0), Logged(0)))).collect();
    let (mut wear, mut watch) = (schedule(wear_down), schedule(armour_changed));
    assert_eq!(run(&mut wear, &mut world), all);
    assert_eq!(run(&mut watch, &mut world), all);
    let before: Vec<(u32, u32)> =
        all.iter().map(|&id| (world.get::<Armour>(id).unwrap().0, world.get::<Logged>(id).unwrap().0)).collect();
    // Single rows, more of them than fit into one group, and consecutive rows.
    let changed: Vec<usize> = (0..3000).filter(|n| n % 7 == 3 || (1000..1100).contains(n)).collect();
    for &n in changed.iter().rev() {
        world.get_mut::<Health>(all[n]).unwrap().0 = 1;
    }
    let expected: Vec<Entity> = changed.iter().map(|&n| all[n]).collect();
    assert_eq!(run(&mut wear, &mut world), expected);
    assert_eq!(run(&mut watch, &mut world), expected);
    for (n, &id) in all.iter().enumerate() {
        let (armour, gold) = before[n];
        let is_changed = changed.binary_search(&n).is_ok();
        let worn = armour + u32::from(is_changed);
        assert_eq!(world.get(id), Some(&Armour(worn)));
        assert_eq!(world.get::<Logged>(id).unwrap().0, gold + u32::from(is_changed && worn.is_multiple_of(2)));
    }
}

#[system(added(Armour), changed(Health), with(Boss), without(Hidden), any(Health, Burning))]
fn every_option(entity: Entity, mut seen: ResMut<Seen>) {
    seen.0.push(entity);
}

#[test]
fn all_components_of_a_list_must_have_changed() {
    let (mut world, [first, second, third]) = world();
    for entity in [first, second, third] {
        world.entity_mut(entity).insert(Armour(1));
    }
    let mut both = schedule(both_changed);
    assert_eq!(run(&mut both, &mut world).len(), 3);
    world.get_mut::<Health>(first).unwrap().0 += 1;
    world.get_mut::<Armour>(second).unwrap().0 += 1;
    world.get_mut::<Health>(third).unwrap().0 += 1;
    world.get_mut::<Armour>(third).unwrap().0 += 1;
    assert_eq!(run(&mut both, &mut world), [third]);
}

#[test]
fn changes_are_one_demand_among_others() {
    let (mut world, [first, second, third]) = world();
    for entity in [first, second, third] {
        world.entity_mut(entity).insert(Boss);
    }
    let mut every = schedule(every_option);
    assert_eq!(run(&mut every, &mut world), []);
    world.entity_mut(first).insert(Armour(1));
    world.entity_mut(second).insert((Armour(1), Health(5)));
    world.entity_mut(third).insert((Armour(1), Health(5), Hidden));
    assert_eq!(run(&mut every, &mut world), [second]);
    world.entity_mut(second).insert((Armour(2), Health(6)));
    assert_eq!(run(&mut every, &mut world), []);
}

#[system(changed(Burning))]
fn note_burning(entity: Entity, burning: &Burning, mut seen: ResMut<Seen>) {
    assert!(burning.0 > 0);
    seen.0.push(entity);
}

#[system]
fn fan(mut burning: Mut<Burning>) {
    if burning.0 == 2 {
        burning.0 = 20;
    }
}

#[test]
fn sparse_components_have_changes_too() {
    let (mut world, [first, second, third]) = world();
    world.entity_mut(first).insert(Burning(1));
    world.entity_mut(third).insert(Burning(2));
    let mut burning = schedule(note_burning);
    assert_eq!(run(&mut burning, &mut world), [first, third]);
    run(&mut schedule(fan), &mut world);
    assert_eq!(run(&mut burning, &mut world), [third]);
    world.entity_mut(second).insert(Burning(7));
    assert_eq!(run(&mut burning, &mut world), [second]);
}

#[system]
fn look(entity: Entity, health: Ref<Health>, burning: Option<Ref<Burning>>, mut seen: ResMut<Seen>) {
    if health.is_changed() && !health.is_added() || burning.is_some_and(|burning| burning.is_added()) {
        seen.0.push(entity);
    }
    assert!(health.0 > 0 && (health.is_changed() || !health.is_added()));
}

#[test]
fn a_row_may_be_asked_whether_it_has_changed() {
    let (mut world, all) = world();
    let mut looking = schedule(look);
    assert_eq!(run(&mut looking, &mut world), []);
    world.get_mut::<Health>(all[1]).unwrap().0 += 1;
    world.entity_mut(all[2]).insert(Burning(1));
    assert_eq!(run(&mut looking, &mut world), [all[1], all[2]]);
    assert_eq!(run(&mut looking, &mut world), []);
}

type Watched<'a> = Ref<'a, Health>;

#[system]
fn by_other_names(
    entity: Entity,
    one: Ref<'_, Health>,
    #[row] two: Watched,
    #[row] three: Option<Watched>,
    mut seen: ResMut<Seen>,
) {
    let three = three.expect("the rows have the component");
    assert_eq!((one.is_changed(), one.is_changed()), (two.is_changed(), three.is_changed()));
    if two.is_changed() {
        seen.0.push(entity);
    }
}

#[test]
fn a_ref_is_one_by_any_name() {
    let (mut world, all) = world();
    let mut named = schedule(by_other_names);
    assert_eq!(run(&mut named, &mut world), all);
    world.get_mut::<Health>(all[0]).unwrap().0 += 1;
    assert_eq!(run(&mut named, &mut world), [all[0]]);
}

#[test]
fn a_system_with_a_ref_is_called_by_hand() {
    let mut seen = Seen::default();
    let burning = Burning(1);
    look(Entity::PLACEHOLDER, Ref::from(&Health(1)), Some(Ref::from(&burning)), ResMut::from(&mut seen));
    assert_eq!(seen.0, [Entity::PLACEHOLDER]);
}

#[system(changed(T), added(Timer<T>))]
fn generic<T: Component>(entity: Entity, value: Ref<T>, mut seen: ResMut<Seen>) {
    assert!(value.is_changed());
    seen.0.push(entity);
}

#[test]
fn components_of_any_type_are_watched() {
    let (mut world, all) = world();
    let mut watching = schedule(generic::<Health>);
    assert_eq!(run(&mut watching, &mut world), []);
    world.entity_mut(all[1]).insert(Timer(Health(1)));
    world.entity_mut(all[2]).insert((Timer(Health(1)), Health(4)));
    world.entity_mut(all[0]).insert((Timer(1.5_f32), Health(4)));
    assert_eq!(run(&mut watching, &mut world), [all[2]]);
}

/// The rows that look for changes exclude those that are written.
#[system(changed(Timer<u32>), without(Boss))]
fn excluded(entity: Entity, mut seen: ResMut<Seen>, mut bosses: Query<&mut Timer<u32>, With<Boss>>) {
    bosses.iter_mut().for_each(|mut timer| timer.0 += 1);
    seen.0.push(entity);
}

#[test]
fn others_may_be_written_if_filters_exclude_them() {
    let (mut world, _) = world();
    let entity = world.spawn(Timer(1_u32)).id();
    let boss = world.spawn((Timer(1_u32), Boss)).id();
    assert_eq!(run(&mut schedule(excluded), &mut world), [entity]);
    assert_eq!(world.get::<Timer<u32>>(boss).unwrap().0, 2);
}

#[system(changed(Logged))]
fn note_logged(entity: Entity, logged: &Logged, mut seen: ResMut<Seen>) {
    assert!(logged.0 > 0);
    seen.0.push(entity);
}

#[test]
fn what_is_always_tracked_is_tracked_before_a_system_asks() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let [old, new] = [1, 2].map(|points| world.spawn(Logged(points)).id());
    let id = world.component_id::<Logged>().unwrap();
    assert!(world.components().info(id).unwrap().is_tracked());
    assert_eq!(run(&mut schedule(note_logged), &mut world), [old, new]);
}

#[system(changed(Health))]
fn fails_at_the_second(entity: Entity, mut seen: ResMut<Seen>) -> Result {
    if seen.0.len() == 1 {
        return Err("enough".into());
    }
    seen.0.push(entity);
    Ok(())
}

#[test]
fn what_a_failed_run_did_not_come_to_has_been_seen_all_the_same() {
    let (mut world, all) = world();
    let mut failing = schedule(fails_at_the_second);
    assert!(failing.try_run(&mut world).is_err());
    assert_eq!(seen(&mut world), [all[0]]);
    assert!(failing.try_run(&mut world).is_ok());
    assert_eq!(seen(&mut world), []);
}

#[test]
fn other_runs_between_two_of_a_system_make_nothing_new() {
    let (mut world, all) = world();
    let mut schedule = schedule(note_changed);
    for _ in 0..20 {
        schedule.add_systems(|| {});
    }
    assert_eq!(run(&mut schedule, &mut world), all);
    assert_eq!(run(&mut schedule, &mut world), []);
}
