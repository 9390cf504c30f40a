//! Systems with inputs, systems made of others, and conditions.
#![deny(warnings)]

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource, Default)]
struct Score(u32);

fn count(all: Query<'_, '_, &Health>) -> Option<usize> {
    Some(all.count()).filter(|count| *count > 0)
}

fn add<const N: u32>(In(count): In<Option<usize>>, mut score: ResMut<'_, Score>) -> Result {
    score.0 += count.ok_or("the count is missing")? as u32 * N;
    Ok(())
}

fn generic<T: Send + Sync + 'static>(mut input: In<Vec<T>>) -> Option<T> {
    input.pop()
}

#[system]
fn any(all: Query<&Health>) -> bool {
    !all.is_empty()
}

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn exclusive(In(amount): In<u32>, world: &mut World) -> u32 {
    world.resource_mut::<Score>().0 += amount;
    world.resource::<Score>().0
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Score>();
    let mut schedule = Schedule::default();
    let fails = count.pipe(add::<3>);
    schedule.add_systems((fails.run_if(any), heal.run_if(any), (heal, heal).chain().run_if(not(any).or(|| true))));
    let high = |score: Res<'_, Score>| score.0 > 5;
    schedule.add_systems((|| 7).pipe(exclusive).map(|_| ()).run_if(high.and(any)));
    schedule.run(&mut world);
    world.spawn_batch([Health(1), Health(2)]);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 13);
    assert_eq!(world.run_system_once_with(generic, vec![1, 2]).unwrap(), Some(2));
    assert!(world.run_system_once_with(add::<1>, None).unwrap().is_err());
    assert_eq!(world.query::<&Health>().iter(&world).map(|health| health.0).sum::<u32>(), 9);
}
