//! `Lookup`: access to other entities by id, in row systems and world systems.

use strata_ecs::prelude::*;
use strata_ecs::query::QueryEntityError;
use strata_tests::panics::expect_panic;

use super::{A, B, H};

#[derive(Component, Debug, PartialEq)]
struct Next(Entity);
#[derive(Component)]
#[component(storage = "sparse")]
struct Marked(u32);
#[derive(Component, Debug, PartialEq)]
struct Wrapper<T: Send + Sync + 'static>(T);

#[system]
fn follow(b: &mut B, next: &Next, all: Lookup<(&A, Option<&Marked>)>) {
    b.0 = all.get(next.0).map_or(0, |(a, marked)| a.0 + marked.map_or(0, |marked| marked.0));
}

#[test]
fn rows_read_other_entities() {
    let mut world = World::new();
    let plain = world.spawn(A(3)).id();
    let marked = world.spawn((A(5), Marked(50))).id();
    let without = world.spawn_empty().id();
    let gone = world.spawn(A(9)).id();
    world.despawn(gone);
    let rows = [plain, marked, without, gone].map(|next| world.spawn((B(7), Next(next))).id());
    world.run_system_once(follow).expect("it runs");
    assert_eq!(rows.map(|row| world.get::<B>(row).expect("it is there").0), [3, 55, 0, 0]);
}

#[test]
fn it_tells_why_there_is_nothing() {
    let mut world = World::new();
    let right = world.spawn((A(1), B(1))).id();
    let wrong = world.spawn(A(2)).id();
    let gone = world.spawn((A(3), B(3))).id();
    world.despawn(gone);
    let look = move |all: Lookup<'_, '_, &A, With<B>>| {
        assert_eq!(all.get(right), Ok(&A(1)));
        assert!(matches!(all.get(wrong), Err(QueryEntityError::QueryDoesNotMatch(entity, _)) if entity == wrong));
        assert!(matches!(all.get(gone), Err(QueryEntityError::NotSpawned(_))));
        assert_eq!([right, wrong, gone].map(|entity| all.contains(entity)), [true, false, false]);
        assert_eq!(all.get_many([right, right]), Ok([&A(1), &A(1)]));
        assert!(matches!(all.get_many([right, wrong, gone]), Err(QueryEntityError::QueryDoesNotMatch(..))));
        assert!(matches!(all.get_many([right, gone, wrong]), Err(QueryEntityError::NotSpawned(_))));
    };
    world.run_system_once(look).expect("it runs");
}

#[test]
fn what_was_found_outlives_the_lookup() {
    fn best<'w>(all: Lookup<'w, '_, &A>, ids: &[Entity]) -> Option<&'w A> {
        ids.iter().filter_map(|id| all.get(*id).ok()).max_by_key(|a| a.0)
    }
    fn system(all: Lookup<'_, '_, &A>, ids: Query<'_, '_, Entity, With<A>>) -> u32 {
        let ids: Vec<Entity> = ids.iter().collect();
        best(all, &ids).map_or(0, |a| a.0)
    }
    let mut world = super::world();
    assert_eq!(world.run_system_once(system), Ok(19));
}

#[test]
fn tables_that_are_new_are_found() {
    fn look(all: Lookup<'_, '_, &A>, next: Query<'_, '_, &Next>, mut found: Local<'_, u32>) {
        *found += 1;
        assert_eq!(all.get(next.single().expect("there is one").0), Ok(&A(*found)));
    }
    let mut world = World::new();
    let first = world.spawn(A(1)).id();
    let next = world.spawn(Next(first)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems(look);
    schedule.run(&mut world);
    let second = world.spawn((A(2), B(0))).id();
    world.entity_mut(next).insert(Next(second));
    schedule.run(&mut world);
    world.despawn(first);
    world.shrink_to_fit();
    let third = world.spawn((A(3), Marked(0))).id();
    world.entity_mut(next).insert(Next(third));
    schedule.run(&mut world);
}

#[test]
fn what_others_write_cannot_be_looked_up() {
    type All<'w, 's, T> = Lookup<'w, 's, &'static Wrapper<T>>;
    #[system]
    fn generic<T: Send + Sync + 'static>(a: &mut Wrapper<T>, all: All<'_, '_, T>) {
        let _ = (a, all);
    }
    fn plain(_: Lookup<'_, '_, &H>, _: Query<'_, '_, &mut H>) {}
    fn world_system(_: Lookup<'_, '_, &H>, _: &World, _: Query<'_, '_, &H>) {}
    let mut world = World::new();
    let text = expect_panic(|| world.run_system_once(generic::<u8>));
    assert!(text.contains("parameter `a` and parameter `all` both borrow component"), "{text}");
    let text = expect_panic(|| world.run_system_once(plain));
    assert!(text.contains("parameter 1 and parameter 2 both borrow component"), "{text}");
    world.run_system_once(world_system).expect("it only reads");
}

#[test]
fn filters_keep_rows_and_lookups_apart() {
    #[system(without(Marked))]
    fn copy(a: &mut A, next: &Next, marked: Lookup<&A, With<Marked>>) {
        a.0 = marked.get(next.0).map_or(0, |a| a.0);
    }
    let mut world = World::new();
    let marked = world.spawn((A(5), Marked(0))).id();
    let row = world.spawn((A(0), Next(marked))).id();
    world.run_system_once(copy).expect("it runs");
    assert_eq!(world.get(row), Some(&A(5)));
}
