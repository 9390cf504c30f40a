//! Buffers that systems fill, and inputs of several parts.

use strata_ecs::prelude::*;
use strata_ecs::schedule::MultiThreadedExecutor;
use strata_ecs::system::{Deferred, StaticSystemInput, SystemBuffer, SystemInput, SystemMeta};
use strata_ecs::world::DeferredWorld;
use strata_tests::panics::catch;

#[derive(Component)]
struct Number(u32);

#[derive(Resource, Default, Debug, PartialEq)]
struct Applied(Vec<(String, u32, usize)>);

#[derive(Event)]
struct Now;

/// Is written to `Applied`.
#[derive(Default)]
struct Sum(u32);

impl Sum {
    fn note(&mut self, how: &str, meta: &SystemMeta, world: &mut DeferredWorld<'_>) {
        let name = meta.name().rsplit("::").next().unwrap_or_default();
        let (sum, count) = (std::mem::take(&mut self.0), world.len());
        world.resource_mut::<Applied>().0.push((format!("{how} {name}"), sum, count));
    }
}

impl SystemBuffer for Sum {
    fn apply(&mut self, meta: &SystemMeta, world: &mut World) {
        self.note("apply", meta, &mut world.into());
        world.spawn(Number(0));
    }

    fn queue(&mut self, meta: &SystemMeta, mut world: DeferredWorld<'_>) {
        self.note("queue", meta, &mut world);
        world.commands().spawn(Number(0));
    }
}

fn first(all: Query<'_, '_, &Number>, mut sum: Deferred<'_, Sum>) {
    sum.0 += all.iter().map(|number| number.0).sum::<u32>();
}

fn second(mut sum: Deferred<'_, Sum>, mut commands: Commands<'_, '_>) {
    sum.0 += 100;
    commands.spawn(Number(5));
}

#[system]
fn rows(number: &Number, mut sum: Deferred<'_, Sum>) {
    sum.0 += number.0;
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Applied>();
    world.spawn_batch([Number(1), Number(2)]);
    world
}

fn applied(world: &mut World) -> Vec<(String, u32, usize)> {
    std::mem::take(&mut world.resource_mut::<Applied>().0)
}

#[test]
fn buffers_are_applied_where_commands_are() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.set_executor(MultiThreadedExecutor::eager());
    schedule.add_systems((first, second));
    schedule.run(&mut world);
    let expected = [("apply first", 3, 2), ("apply second", 100, 3)].map(|(how, sum, len)| (how.into(), sum, len));
    assert_eq!(applied(&mut world), expected);
    // What `first` and `second` made, and the command of the second.
    assert_eq!(world.len(), 5);
    world.run_system_once(rows).unwrap();
    assert_eq!(applied(&mut world), [("apply rows".into(), 8, 5)]);
    world.check_invariants();
}

#[test]
fn an_observer_queues_its_buffer() {
    let mut world = world();
    let told = |_: On<'_, '_, Now>, mut sum: Deferred<'_, Sum>| sum.0 += 7;
    world.add_observer(told);
    world.trigger(Now);
    let found = applied(&mut world);
    assert_eq!((found.len(), &found[0].0[..5], found[0].1, found[0].2), (1, "queue", 7, 2));
    assert_eq!(world.len(), 3);
    // In the middle of an operation, too.
    world.add_observer(|_: On<'_, '_, Remove<Number>>, mut sum: Deferred<'_, Sum>| sum.0 += 1);
    let entity = world.query_filtered::<Entity, With<Number>>().iter(&world).next().unwrap();
    world.despawn(entity);
    assert_eq!((applied(&mut world).len(), world.len()), (1, 3));
    world.check_invariants();
}

#[test]
fn what_a_run_that_broke_off_has_filled_is_applied_with_the_next() {
    let mut world = world();
    let mut fails = true;
    let id = world.register_system(move |mut sum: Deferred<'_, Sum>| {
        sum.0 += 1;
        assert!(!std::mem::take(&mut fails), "once");
    });
    assert!(catch(|| world.run_system(id)).is_err());
    assert_eq!(applied(&mut world), []);
    world.run_system(id).unwrap();
    assert_eq!(applied(&mut world)[0].1, 2);
}

/// Puts another world in the place of its own.
#[derive(Default)]
struct Swap(bool);

impl SystemBuffer for Swap {
    fn apply(&mut self, _: &SystemMeta, world: &mut World) {
        if self.0 {
            let mut other = World::new();
            other.init_resource::<Applied>();
            std::mem::swap(world, &mut other);
            world.insert_resource(Old(other));
        }
    }

    fn queue(&mut self, _: &SystemMeta, _: DeferredWorld<'_>) {}
}

#[derive(Resource)]
struct Old(World);

#[test]
fn a_buffer_waits_while_another_world_is_in_the_place_of_its_own() {
    let mut world = world();
    let mut times = 0;
    let id = world.register_system(move |mut swap: Deferred<'_, Swap>, mut sum: Deferred<'_, Sum>| {
        times += 1;
        swap.0 = times == 1;
        sum.0 += 1;
    });
    world.run_system(id).unwrap();
    assert_eq!(applied(&mut world), []);
    let mut world = world.remove_resource::<Old>().unwrap().0;
    assert_eq!(applied(&mut world), []);
    world.run_system(id).unwrap();
    assert_eq!(applied(&mut world)[0].1, 2);
    world.check_invariants();
}

#[system]
fn add((InMut(total), In(amount)): (InMut<'_, u32>, In<u32>), all: Query<'_, '_, &Number>) -> usize {
    *total += amount;
    all.count()
}

fn generic<I>(StaticSystemInput(mut given): StaticSystemInput<'_, I>)
where
    I: for<'i> SystemInput<Inner<'i>: std::ops::DerefMut<Target = u32>> + 'static,
{
    *given += 1;
}

#[test]
fn an_input_may_have_several_parts_or_any_type() {
    let mut world = world();
    let mut total = 1;
    assert_eq!(world.run_system_once_with(add, (&mut total, 3)).unwrap(), 2);
    let same =
        |(mut total, In(amount), name): (InMut<'_, u32>, In<u32>, InRef<'_, str>)| *total += amount + name.len() as u32;
    world.run_system_once_with(same, (&mut total, 1, "two")).unwrap();
    let piped = (|| (3_u32, 4_u32)).pipe(|(In(a), In(b)): (In<u32>, In<u32>)| a * b);
    assert_eq!(world.run_system_once(piped).unwrap(), 12);
    world.run_system_once_with(generic::<InMut<'_, u32>>, &mut total).unwrap();
    assert_eq!(total, 9);
}

#[test]
fn a_schedule_may_name_the_place_where_all_is_applied() {
    let mut world = world();
    let mut schedule = Schedule::default();
    let later = |mut sum: Deferred<'_, Sum>| sum.0 += 7;
    schedule.add_systems((second.before(ApplyDeferred), later.before(ApplyDeferred)));
    schedule.add_systems(ApplyDeferred);
    let seen = |applied: Res<'_, Applied>, all: Query<'_, '_, &Number>| {
        assert_eq!(applied.0.iter().map(|(_, sum, _)| sum).sum::<u32>(), 107);
        assert_eq!(all.count(), 5);
    };
    schedule.add_systems(seen.after(ApplyDeferred));
    schedule.run(&mut world);
    assert_eq!(applied(&mut world).len(), 2);
}

#[test]
fn a_queue_of_commands_is_a_buffer() {
    let mut world = world();
    let spawn = |mut queue: Deferred<'_, CommandQueue>| queue.push(|world: &mut World| _ = world.spawn(Number(6)));
    world.run_system_once(spawn).unwrap();
    assert_eq!(world.len(), 3);
    world.add_observer(|_: On<'_, '_, Now>, mut queue: Deferred<'_, CommandQueue>| {
        queue.push(|world: &mut World| _ = world.spawn(Number(7)));
    });
    world.trigger(Now);
    assert_eq!(world.len(), 4);
}
