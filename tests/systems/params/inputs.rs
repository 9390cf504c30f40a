//! `In`, pipes and maps.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::{catch, expect_panic};

use super::{A, B, H, Total, sum, world};

#[test]
fn a_system_is_given_an_input() {
    fn add(In(amount): In<u32>, mut all: Query<'_, '_, &mut A>) -> usize {
        all.iter_mut().for_each(|mut a| a.0 += amount);
        all.count()
    }
    fn alone(input: In<(u32, u32)>) -> u32 {
        input.0.0 * input.1
    }
    fn exclusive(In(count): In<usize>, world: &mut World) -> usize {
        (0..count).for_each(|_| _ = world.spawn_empty());
        world.len()
    }
    let mut world = world();
    assert_eq!(world.run_system_once_with(add, 3), Ok(20));
    assert_eq!(sum(&mut world), 190 + 60);
    assert_eq!(world.run_system_once_with(alone, (4, 5)), Ok(20));
    assert_eq!(world.run_system_once_with(exclusive, 2), Ok(22));
    assert_eq!(world.run_system_once_with(|mut text: In<String>| text.pop(), String::from("abc")), Ok(Some('c')));
    assert_eq!(world.run_system_once_with(|| 7, ()), Ok(7));
}

#[test]
fn the_input_counts_as_a_parameter() {
    fn conflict(_: In<u32>, _: Query<'_, '_, &H>, _: Query<'_, '_, &mut H>) {}
    let text = expect_panic(|| world().run_system_once_with(conflict, 3));
    assert!(text.contains("parameter 2 and parameter 3 both borrow"), "{text}");
}

#[test]
fn an_input_is_dropped_once_whatever_happens() {
    fn take(_: In<Token>) {}
    fn broken(_: In<Token>) {
        panic!("broken");
    }
    fn missing(_: In<Token>, _: Res<'_, Total>) {}
    drops::reset();
    let mut world = World::new();
    world.run_system_once_with(take, Token::new()).expect("it runs");
    assert!(catch(|| world.run_system_once_with(broken, Token::new())).is_err());
    assert!(world.run_system_once_with(missing, Token::new()).is_err());
    assert!(world.run_system_once(Token::new.pipe(missing)).is_err());
    assert!(catch(|| world.run_system_once(Token::new.pipe(broken))).is_err());
    assert_eq!(drops::dropped(), 5);
    drops::assert_all_dropped_once();
}

#[test]
fn what_one_system_returns_the_next_is_given() {
    fn count(all: Query<'_, '_, &A, With<B>>) -> usize {
        all.count()
    }
    fn set(In(count): In<usize>, mut all: Query<'_, '_, &mut A>, mut runs: Local<'_, u32>) -> u32 {
        *runs += 1;
        all.iter_mut().for_each(|mut a| a.0 = count as u32);
        *runs
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(count.pipe(set).pipe(|In(runs): In<u32>, mut total: ResMut<'_, Total>| total.0 = runs));
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(sum(&mut world), 200);
    assert_eq!(*world.resource::<Total>(), Total(2));
    let names = schedule.system_names();
    assert!(names[0].contains("::count.pipe(") && names[0].contains("::set)"), "{names:?}");
}

#[test]
fn a_pipe_may_be_given_an_input_and_end_in_a_map() {
    fn double(In(number): In<u32>) -> u32 {
        number * 2
    }
    let mut world = World::new();
    assert_eq!(world.run_system_once_with(double.pipe(double).map(|number| number + 1), 5), Ok(21));
    let boxed = IntoSystem::into_system(double);
    assert_eq!(world.run_system_once_with(boxed.map(|number| number.to_string()), 5), Ok(String::from("10")));
}

#[test]
fn commands_of_both_are_applied_in_order_when_both_are_done() {
    fn first(mut commands: Commands<'_, '_>) -> Entity {
        commands.spawn(A(1)).id()
    }
    fn second(In(entity): In<Entity>, all: Query<'_, '_, &A>, mut commands: Commands<'_, '_>) {
        assert!(all.is_empty());
        commands.entity(entity).insert(B(2));
        commands.spawn(A(3));
    }
    let mut world = World::new();
    world.run_system_once(first.pipe(second)).expect("it runs");
    let found: Vec<(u32, Option<u32>)> =
        world.query::<(&A, Option<&B>)>().iter(&world).map(|(a, b)| (a.0, b.map(|b| b.0))).collect();
    assert_eq!(found.len(), 2);
    assert!(found.contains(&(1, Some(2))) && found.contains(&(3, None)), "{found:?}");
}

#[test]
fn a_pipe_borrows_what_both_borrow() {
    fn writes(mut all: Query<'_, '_, &mut A>) -> u32 {
        all.iter_mut().count() as u32
    }
    fn writes_too(_: In<u32>, _: Query<'_, '_, &mut A>, _: ResMut<'_, Total>) {}
    fn exclusive(_: In<u32>, _: &mut World) {}
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(writes.pipe(writes_too));
    schedule.run(&mut world); // Access to the same data is no conflict: the two systems run one after the other.
    assert!(writes.pipe(exclusive).access().is_exclusive());
    assert!(!IntoSystem::into_system(writes).access().is_exclusive());
}

#[test]
fn systems_of_the_whole_world_can_be_piped() {
    fn fill(world: &mut World) -> Entity {
        world.spawn(A(1)).id()
    }
    fn check(In(entity): In<Entity>, all: Query<'_, '_, &A>) -> Entity {
        assert_eq!(all.get(entity), Ok(&A(1)));
        entity
    }
    fn empty(In(entity): In<Entity>, world: &mut World) -> bool {
        world.despawn(entity)
    }
    assert_eq!(World::new().run_system_once(fill.pipe(check).pipe(empty)), Ok(true));
}

#[test]
fn if_the_first_cannot_run_the_second_does_not() {
    fn first(_: Res<'_, Missing>) {}
    fn second(_: In<()>, mut total: ResMut<'_, Total>) {
        total.0 += 1;
    }
    #[derive(Resource)]
    struct Missing;
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(first.pipe(second));
    let error = schedule.try_run(&mut world).expect_err("a resource is missing");
    assert!(
        error.system().expect("it has failed").contains("::first.pipe(") && error.to_string().contains("Missing"),
        "{error}"
    );
    assert_eq!(*world.resource::<Total>(), Total(0));
    world.insert_resource(Missing);
    schedule.run(&mut world);
    assert_eq!(*world.resource::<Total>(), Total(1));
}

#[test]
fn what_a_broken_pipe_recorded_is_forgotten() {
    #[derive(Resource)]
    struct Fuse;
    fn first(_: Res<'_, Fuse>, mut commands: Commands<'_, '_>) {
        commands.spawn(A(1));
    }
    fn second(_: In<()>, mut commands: Commands<'_, '_>, fuse: Option<Res<'_, Total>>) {
        commands.spawn(A(2));
        assert!(fuse.is_some(), "burnt");
    }
    let mut world = World::new();
    world.insert_resource(Fuse);
    let mut schedule = Schedule::default();
    schedule.add_systems(first.pipe(second));
    assert_eq!(expect_panic(|| schedule.run(&mut world)), "burnt");
    world.remove_resource::<Fuse>();
    assert!(schedule.try_run(&mut world).is_err());
    assert_eq!(world.len(), 0);
    world.insert_resource(Fuse);
    world.init_resource::<Total>();
    schedule.run(&mut world);
    assert_eq!(world.len(), 2);
}

#[test]
fn a_pipe_may_change_worlds() {
    fn count(all: Query<'_, '_, &A>) -> usize {
        all.count()
    }
    fn store(In(count): In<usize>, mut total: ResMut<'_, Total>) {
        total.0 = count as u32;
    }
    fn replace(world: &mut World) -> usize {
        *world = super::world();
        world.spawn(A(0));
        world.len()
    }
    let mut schedule = Schedule::default();
    schedule.add_systems((count.pipe(store), replace.pipe(store)));
    for _ in 0..2 {
        let mut world = world();
        schedule.run(&mut world);
        assert_eq!(*world.resource::<Total>(), Total(21));
    }
}

#[system]
fn attributed(all: Query<&A>) -> usize {
    all.count()
}

#[test]
fn items_of_the_attribute_can_be_piped_and_mapped() {
    fn store(In(count): In<usize>, mut total: ResMut<'_, Total>) {
        total.0 = count as u32;
    }
    let mut world = world();
    world.run_system_once(attributed.pipe(store)).expect("it runs");
    assert_eq!(*world.resource::<Total>(), Total(20));
    assert_eq!(world.run_system_once(attributed.map(|count| count * 2)), Ok(40));
}
