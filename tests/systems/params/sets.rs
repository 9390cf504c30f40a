//! `ParamSet`: members that are in each other's way, one at a time.

use strata_ecs::prelude::*;
use strata_tests::panics::{catch, expect_panic};

use super::{A, B, H, HTotal, Total, sum, world};

#[test]
fn members_may_borrow_the_same() {
    fn copy_the_best(mut set: ParamSet<'_, '_, (Query<'_, '_, &A>, Query<'_, '_, &mut A>, ResMut<'_, Total>)>) {
        let best = set.p0().iter().map(|a| a.0).max().unwrap_or(0);
        set.p1().iter_mut().for_each(|mut a| a.0 = best);
        set.p2().0 = best;
        assert_eq!(set.p0().iter().filter(|a| a.0 == best).count(), 20);
    }
    let mut world = world();
    world.run_system_once(copy_the_best).expect("it runs");
    assert_eq!(sum(&mut world), 20 * 19);
    assert_eq!(*world.resource::<Total>(), Total(19));
}

#[test]
fn a_set_has_up_to_eight_members() {
    type One<'w> = ResMut<'w, Total>;
    type Eight<'w> = (One<'w>, One<'w>, One<'w>, One<'w>, One<'w>, One<'w>, One<'w>, One<'w>);
    fn count(mut set: ParamSet<'_, '_, Eight<'_>>) {
        set.p0().0 += 1;
        set.p1().0 += 10;
        set.p2().0 += 100;
        set.p3().0 += 1_000;
        set.p4().0 += 10_000;
        set.p5().0 += 100_000;
        set.p6().0 += 1_000_000;
        set.p7().0 += 10_000_000;
    }
    let mut world = world();
    world.run_system_once(count).expect("it runs");
    assert_eq!(*world.resource::<Total>(), Total(11_111_111));
}

#[test]
fn what_members_record_is_applied_in_their_order() {
    fn spawn(mut set: ParamSet<'_, '_, (Commands<'_, '_>, Commands<'_, '_>, Local<'_, u32>)>) {
        *set.p2() += 100;
        let base = *set.p2();
        set.p1().spawn(A(base + 2));
        set.p0().spawn(A(base));
        set.p0().spawn(A(base + 1)); // Commands that were recorded before are kept.
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(spawn);
    schedule.run(&mut world);
    schedule.run(&mut world);
    let found: Vec<u32> = world.query::<&A>().iter(&world).map(|a| a.0).collect();
    assert_eq!(found, [100, 101, 102, 200, 201, 202]);
}

#[test]
fn sets_nest_in_sets_and_in_tuples() {
    type Inner<'w, 's> = ParamSet<'w, 's, (Query<'w, 's, &'static mut A>, Query<'w, 's, &'static A, With<B>>)>;
    fn nested(
        (mut set, mut total): (
            ParamSet<'_, '_, (Inner<'_, '_>, Query<'_, '_, &mut A>, (Inner<'_, '_>,))>,
            ResMut<'_, Total>,
        ),
    ) {
        set.p0().p0().iter_mut().for_each(|mut a| a.0 += 1);
        total.0 = set.p0().p1().iter().map(|a| a.0).sum();
        set.p1().iter_mut().for_each(|mut a| a.0 += 1);
        set.p2().0.p0().iter_mut().for_each(|mut a| a.0 += 1);
    }
    let mut world = world();
    world.run_system_once(nested).expect("it runs");
    assert_eq!(sum(&mut world), 190 + 60);
    assert_eq!(*world.resource::<Total>(), Total(145 + 10));
}

#[test]
fn a_set_conflicts_with_the_parameters_around_it() {
    fn before(_: Query<'_, '_, &H>, _: ParamSet<'_, '_, (Query<'_, '_, &B>, Query<'_, '_, &mut H>)>) {}
    fn after(_: ParamSet<'_, '_, (Query<'_, '_, &mut H>, Query<'_, '_, &B>)>, _: Query<'_, '_, &H>) {}
    fn two(_: ParamSet<'_, '_, (ResMut<'_, HTotal>,)>, _: ParamSet<'_, '_, (Res<'_, HTotal>, Res<'_, HTotal>)>) {}
    let mut world = world();
    let text = expect_panic(|| world.run_system_once(before));
    assert!(
        text.contains("parameter 1 and parameter 2 both borrow component `") && text.contains("Hidden<u8>`"),
        "{text}"
    );
    let text = expect_panic(|| world.run_system_once(after));
    assert!(text.contains("parameter 1 and parameter 2 both borrow"), "{text}");
    assert!(expect_panic(|| world.run_system_once(two)).contains("resource `"));
}

#[test]
fn parameters_after_a_set_count_on() {
    type Both<'w, 's> = ParamSet<'w, 's, (Query<'w, 's, &'static mut A>, Query<'w, 's, &'static A>)>;
    fn system(_: Both<'_, '_>, _: Query<'_, '_, &H>, _: Query<'_, '_, &mut H>) {}
    fn twice(_: Both<'_, '_>, _: Query<'_, '_, (&mut H, &H)>) {}
    let mut world = world();
    let text = expect_panic(|| world.run_system_once(system));
    assert!(text.contains("parameter 2 and parameter 3 both borrow"), "{text}");
    let text = expect_panic(|| world.run_system_once(twice));
    assert!(text.contains("parameter 2: component `"), "{text}");
}

#[test]
fn a_member_that_conflicts_with_itself_is_refused() {
    fn within(_: ParamSet<'_, '_, (Query<'_, '_, (&mut H, &H)>,)>) {}
    fn tuple(_: ParamSet<'_, '_, (Query<'_, '_, &B>, (Query<'_, '_, &mut H>, Query<'_, '_, &H>))>) {}
    fn beside_an_inner_set(_: ParamSet<'_, '_, ((Query<'_, '_, &H>, ParamSet<'_, '_, (Query<'_, '_, &mut H>,)>),)>) {}
    let mut world = world();
    assert!(expect_panic(|| world.run_system_once(within)).contains("borrowed twice"));
    assert!(expect_panic(|| world.run_system_once(tuple)).contains("both borrow"));
    assert!(expect_panic(|| world.run_system_once(beside_an_inner_set)).contains("both borrow"));
}

#[test]
fn a_missing_member_keeps_the_system_from_running() {
    #[derive(Resource)]
    struct Missing;
    fn never(mut set: ParamSet<'_, '_, (ResMut<'_, Total>, Res<'_, Missing>)>) {
        set.p0().0 += 1;
    }
    fn maybe(mut set: ParamSet<'_, '_, (ResMut<'_, Total>, Option<Res<'_, Missing>>)>) -> bool {
        set.p0().0 += 1;
        set.p1().is_some()
    }
    let mut world = world();
    let error = world.run_system_once(never).expect_err("a resource is missing");
    assert!(error.to_string().contains("Missing"), "{error}");
    assert_eq!(world.run_system_once(maybe), Ok(false));
    assert_eq!(*world.resource::<Total>(), Total(1));
}

#[test]
fn a_panic_with_a_member_in_use_leaves_the_world_usable() {
    fn broken(mut set: ParamSet<'_, '_, (Query<'_, '_, &mut A>, Commands<'_, '_>, ResMut<'_, Total>)>) {
        set.p1().spawn(A(1000));
        set.p2().0 = 7;
        let mut all = set.p0();
        for mut a in &mut all {
            a.0 += 1;
            assert!(a.0 < 15, "too much");
        }
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(broken);
    assert!(expect_panic(|| schedule.run(&mut world)).contains("too much"));
    assert_eq!(world.len(), 20);
    world.query::<&mut A>().iter_mut(&mut world).for_each(|mut a| a.0 = 0);
    schedule.run(&mut world);
    assert_eq!(world.len(), 21); // Not 22: what the broken run asked for is forgotten.
    assert_eq!(*world.resource::<Total>(), Total(7));
}

#[test]
fn commands_of_a_broken_run_are_forgotten_even_if_the_next_run_does_not_begin() {
    #[derive(Resource)]
    struct Fuse;
    fn spawn(mut commands: Commands<'_, '_>, _: Res<'_, Fuse>) {
        commands.spawn_empty();
        panic!("burnt");
    }
    let mut world = World::new();
    world.insert_resource(Fuse);
    let mut schedule = Schedule::default();
    schedule.add_systems(spawn);
    assert!(catch(|| schedule.run(&mut world)).is_err());
    world.remove_resource::<Fuse>();
    assert!(schedule.try_run(&mut world).is_err());
    assert_eq!(world.len(), 0);
}

#[system]
fn rows_and_a_set(b: &mut B, mut set: ParamSet<(Query<&A>, Query<&mut A>, ResMut<Total>, Commands)>) {
    b.0 = set.p0().count() as u32;
    set.p1().iter_mut().for_each(|mut a| a.0 += 1);
    set.p2().0 += 1;
    set.p3().spawn_empty();
}

#[test]
fn a_row_system_may_have_a_set() {
    let mut world = world();
    world.run_system_once(rows_and_a_set).expect("it runs");
    assert_eq!(sum(&mut world), 190 + 20 * 10);
    assert_eq!(*world.resource::<Total>(), Total(10));
    assert!(world.query::<&B>().iter(&world).all(|b| b.0 == 20));
    assert_eq!(world.len(), 30);
}

#[test]
fn a_set_is_fetched_anew_from_each_world() {
    fn best(mut set: ParamSet<'_, '_, (Query<'_, '_, &A>, ResMut<'_, Total>)>) {
        let best = set.p0().iter().map(|a| a.0).max().unwrap_or(0);
        set.p1().0 = best;
    }
    let mut schedule = Schedule::default();
    schedule.add_systems(best);
    for best in [3, 4] {
        let mut world = World::new();
        world.insert_resource(Total(0));
        world.spawn(A(best));
        schedule.run(&mut world);
        assert_eq!(*world.resource::<Total>(), Total(best));
    }
}
