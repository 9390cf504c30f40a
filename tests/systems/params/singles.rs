//! `Single` and `Populated`: systems that are skipped, and inputs and parameters in `#[system]`.

use strata_ecs::prelude::*;
use strata_ecs::query::NestedQuery;
use strata_ecs::system::{ParamError, StaticSystemParam, SystemParamItem};
use strata_ecs::world::{EntityMutExcept, EntityRefExcept, FilteredEntityMut, FilteredEntityRef};

use super::{A, B, Total, world};

#[derive(Component)]
struct Leader;

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

fn log(text: &'static str) -> impl Fn(ResMut<'_, Log>) + Send + Sync + 'static {
    move |mut log: ResMut<'_, Log>| log.0.push(text)
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<&'static str> {
    world.insert_resource(Log::default());
    schedule.run(world);
    world.remove_resource::<Log>().expect("it is there").0
}

fn lead(mut leader: Single<'_, '_, &mut A, With<Leader>>, mut log: ResMut<'_, Log>) {
    leader.0 += 100;
    log.0.push("lead");
}

fn crowd(all: Populated<'_, '_, &B, With<Leader>>, mut log: ResMut<'_, Log>) {
    assert!(all.count() > 0);
    log.0.push("crowd");
}

#[test]
fn a_system_without_its_entity_is_skipped_and_the_next_one_runs() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((lead, crowd, log("next")));
    assert_eq!(run(&mut schedule, &mut world), ["next"]);
    let [first, second] = [world.spawn((A(1), Leader)).id(), world.spawn((A(2), B(2), Leader)).id()];
    assert_eq!(run(&mut schedule, &mut world), ["crowd", "next"]); // Two are not one.
    world.despawn(second);
    assert_eq!(run(&mut schedule, &mut world), ["lead", "next"]);
    assert_eq!(world.get(first), Some(&A(101)));
}

#[test]
fn what_a_skipped_system_has_not_seen_is_new_the_next_time() {
    fn count(_: Single<'_, '_, &Leader>, changed: Query<'_, '_, &A, Changed<A>>, mut total: ResMut<'_, Total>) {
        total.0 += changed.count() as u32;
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(count);
    schedule.run(&mut world);
    world.spawn(Leader);
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>(), &Total(20));
}

#[test]
fn a_caller_that_runs_a_system_by_hand_is_told_that_it_is_skipped() {
    let mut world = world();
    world.init_resource::<Log>();
    let error = world.run_system_once(lead).expect_err("there is no leader");
    assert!(error.is_skip());
    assert!(
        error.to_string().ends_with("lead` could not run: no entity matches the `Single` of parameter 1"),
        "{error}"
    );
    let error = world.run_system_once(|_: Query<'_, '_, &A>, _: Populated<'_, '_, &Leader>| ()).expect_err("none");
    assert!(error.to_string().ends_with("no entity matches the `Populated` of parameter 2"), "{error}");
    assert!(!world.run_system_once(|_: Res<'_, HiddenAway>| ()).expect_err("there is none").is_skip());
    // Nothing of what follows the first reason is looked at, and the first one counts.
    let error = world.run_system_once(|_: Single<'_, '_, &Leader>, _: Res<'_, HiddenAway>| ()).expect_err("none");
    assert!(error.is_skip());
    assert!(
        !world.run_system_once(|_: Res<'_, HiddenAway>, _: Single<'_, '_, &Leader>| ()).expect_err("none").is_skip()
    );
}

#[derive(Resource)]
struct HiddenAway;

#[test]
fn an_option_of_them_skips_nothing() {
    fn both(one: Option<Single<'_, '_, &mut A>>, some: Option<Populated<'_, '_, &B>>) -> (Option<u32>, usize) {
        (one.map(|one| one.0), some.map_or(0, |some| some.count()))
    }
    let mut world = World::new();
    assert_eq!(world.run_system_once(both), Ok((None, 0)));
    world.spawn((A(3), B(3)));
    assert_eq!(world.run_system_once(both), Ok((Some(3), 1)));
    world.spawn(A(4));
    assert_eq!(world.run_system_once(both), Ok((None, 1)));
}

#[test]
fn they_are_what_they_contain() {
    fn single(mut one: Single<'_, '_, (Entity, &mut A, Option<&B>)>) -> (u32, bool) {
        one.1.0 += 1;
        let (entity, a, b) = one.into_inner();
        assert_ne!(entity, Entity::PLACEHOLDER);
        (a.0, b.is_some())
    }
    fn populated(mut some: Populated<'_, '_, &mut A>) -> u32 {
        for mut a in &mut some {
            a.0 *= 2;
        }
        some.iter_mut().for_each(|mut a| a.0 += 1);
        assert_eq!((&some).into_iter().count(), some.iter().count());
        let query: Query<'_, '_, &mut A> = some.into_inner();
        query.into_iter().map(|a| a.0).sum()
    }
    let mut world = World::new();
    world.spawn((A(3), B(3)));
    assert_eq!(world.run_system_once(single), Ok((4, true)));
    assert_eq!(world.run_system_once(populated), Ok(9));
    assert_eq!(world.run_system_once(|all: Populated<'_, '_, &A>| all.into_iter().count()), Ok(1));
}

#[test]
fn a_condition_that_is_skipped_does_not_hold() {
    fn led(_: Single<'_, '_, &Leader>) -> bool {
        true
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((
        log("led").run_if(led),
        log("not").run_if(not(led)),
        log("or").run_if(led.or(|| true)),
        log("nand").run_if(led.nand_eager(|| true)),
        log("xor").run_if((|| true).xor(led)),
        log("changed").run_if(condition_changed(led)),
    ));
    assert_eq!(run(&mut schedule, &mut world), ["or", "nand", "xor"]);
    world.spawn(Leader);
    assert_eq!(run(&mut schedule, &mut world), ["led", "or", "changed"]);
}

#[test]
fn a_pipe_is_skipped_with_its_first_or_second_system() {
    fn first(_: Single<'_, '_, &Leader>) -> u32 {
        3
    }
    fn second(In(n): In<u32>, mut total: ResMut<'_, Total>) {
        total.0 += n;
    }
    fn third(In(n): In<u32>, _: Single<'_, '_, &Leader>, mut total: ResMut<'_, Total>) {
        total.0 += n;
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((
        first.pipe(second),
        (|| 10).pipe(third),
        (|| ()).pipe(|mut total: ResMut<'_, Total>| total.0 += 100),
    ));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>(), &Total(100));
    world.spawn(Leader);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>(), &Total(213));
}

/// One that is led by another entity.
#[system(run_if(resource_exists::<Total>))]
fn follow(a: &mut A, leader: Single<&B, With<Leader>>, all: Populated<&B>) {
    a.0 = leader.0 + all.count() as u32;
}

#[system]
fn follow_by_turns(a: &mut A, mut leader: Single<&mut B, With<Leader>>, mut seen: Option<Single<&mut Seen>>) {
    leader.0 += 1;
    a.0 = leader.0;
    if let Some(seen) = &mut seen {
        seen.0 += 1;
    }
}

#[derive(Component)]
struct Seen(u32);

#[derive(SystemParam)]
struct Led<'w, 's> {
    leader: Single<'w, 's, &'static mut B, With<Leader>>,
    some: Populated<'w, 's, Entity, With<A>>,
}

#[system]
fn follow_a_struct(a: &A, mut led: Led) {
    led.leader.0 += a.0 * led.some.count() as u32;
}

#[test]
fn rows_have_them_beside_their_components() {
    let mut world = World::new();
    world.insert_resource(Total(0));
    let followers = [1, 2, 3].map(|n| world.spawn(A(n)).id());
    let mut schedule = Schedule::default();
    schedule.add_systems((follow, follow_by_turns, follow_a_struct));
    schedule.run(&mut world);
    assert_eq!(followers.map(|entity| world.get::<A>(entity).map(|a| a.0)), [Some(1), Some(2), Some(3)]);
    let leader = world.spawn((B(10), Leader)).id();
    let seen = world.spawn(Seen(0)).id();
    schedule.run(&mut world);
    assert_eq!(followers.map(|entity| world.get::<A>(entity).map(|a| a.0)), [Some(11), Some(12), Some(13)]);
    assert_eq!(world.get::<B>(leader), Some(&B(13 + (11 + 12 + 13) * 3)));
    assert_eq!(world.get::<Seen>(seen).map(|seen| seen.0), Some(3));
}

#[system]
fn attributed_ref(words: InRef<[String]>, all: Query<&A>) -> usize {
    words.iter().map(String::len).sum::<usize>() + all.count()
}

#[system]
fn attributed_mut(InMut(list): InMut<Vec<u32>>, single: Single<&A>) {
    list.push(single.0);
}

#[system]
fn attributed_generic<T: Send + Sync + Clone + 'static>(value: InRef<T>, mut kept: Local<Option<T>>) -> Option<T> {
    kept.replace(value.clone())
}

struct Counter;

impl Counter {
    #[system(associated)]
    fn count(mut n: InMut<usize>, all: Query<&A>) {
        *n += all.count();
    }
}

#[test]
fn attributed_systems_take_inputs_by_reference() {
    let mut world = World::new();
    let words = [String::from("one"), String::from("three")];
    world.spawn(A(4));
    assert_eq!(world.run_system_once_with(attributed_ref, &words), Ok(9));
    let mut list = vec![1];
    assert_eq!(world.run_system_once_with(attributed_mut, &mut list), Ok(()));
    assert_eq!(list, [1, 4]);
    assert_eq!(world.run_system_cached_with(attributed_generic::<u8>, &3), Ok(None));
    assert_eq!(world.run_system_cached_with(attributed_generic::<u8>, &4), Ok(Some(3)));
    let mut n = 1;
    assert_eq!(world.run_system_once_with(Counter::count, &mut n), Ok(()));
    assert_eq!(n, 2);
}

#[test]
fn an_input_can_be_kept_with_the_system() {
    struct Size(usize);
    impl FromWorld for Size {
        fn from_world(world: &mut World) -> Self {
            Self(world.len())
        }
    }
    fn up(InMut(n): InMut<'_, u32>, mut total: ResMut<'_, Total>) {
        *n += 1;
        total.0 += *n;
    }
    fn size(InMut(size): InMut<'_, Size>, mut total: ResMut<'_, Total>) {
        total.0 += 1000 * size.0 as u32;
    }
    let mut world = World::new();
    world.insert_resource(Total(0));
    let mut schedule = Schedule::default();
    schedule.add_systems((up.with_input(10), size.with_input_from::<Size>()));
    world.spawn(A(1));
    schedule.run(&mut world);
    world.spawn(A(1));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>(), &Total(11 + 12 + 2000));
    let mut other = World::new(); // For another world, the value is created again.
    other.insert_resource(Total(0));
    schedule.run(&mut other);
    assert_eq!(other.resource::<Total>(), &Total(13));
}

#[test]
fn functions_are_generic_in_their_parameters() {
    fn any<P: SystemParam + 'static>(param: StaticSystemParam<'_, '_, P>, mut log: ResMut<'_, Log>)
    where
        for<'w, 's> SystemParamItem<'w, 's, P>: Describe,
    {
        log.0.push(param.into_inner().describe());
    }
    trait Describe {
        fn describe(&self) -> &'static str;
    }
    impl Describe for Res<'_, Total> {
        fn describe(&self) -> &'static str {
            "total"
        }
    }
    impl Describe for Query<'_, '_, &A> {
        fn describe(&self) -> &'static str {
            if self.is_empty() { "none" } else { "some" }
        }
    }
    #[system]
    fn rows(a: &mut A, total: StaticSystemParam<Res<'static, Total>>) {
        a.0 = total.0;
    }
    let mut world = world();
    world.resource_mut::<Total>().0 = 7;
    let mut schedule = Schedule::default();
    schedule.add_systems((any::<Res<'_, Total>>, any::<Query<'_, '_, &A>>, rows));
    assert_eq!(run(&mut schedule, &mut world), ["total", "some"]);
    assert_eq!(super::sum(&mut world), 7 * 20);
    let error: ParamError = SystemState::<StaticSystemParam<'_, '_, Single<'_, '_, &Leader>>>::new(&mut world)
        .get(&world)
        .map(|_| ())
        .expect_err("there is none");
    assert!(error.is_skip());
}

#[test]
fn members_of_a_set_may_skip_the_system() {
    fn set(mut set: ParamSet<'_, '_, (Single<'_, '_, &mut A>, Populated<'_, '_, &A>)>) -> u32 {
        set.p0().0 += 1;
        set.p1().iter().map(|a| a.0).sum()
    }
    let mut world = World::new();
    assert!(world.run_system_once(set).expect_err("there is none").is_skip());
    world.spawn(A(4));
    assert_eq!(world.run_system_once(set), Ok(5));
}

/// A `Single` does not drop its item.
#[test]
fn items_of_queries_need_no_drop() {
    fn needs_drop<D: QueryData>() -> bool {
        std::mem::needs_drop::<D::Item<'static, 'static>>()
    }
    #[derive(QueryData)]
    #[query_data(mutable)]
    struct Own {
        a: &'static mut A,
        b: Option<Ref<'static, B>>,
    }
    assert!(!needs_drop::<(Entity, &A, &mut A, Ref<'_, A>, Mut<'_, A>, Has<A>, Option<&A>)>());
    assert!(!needs_drop::<(AnyOf<(&A, &mut B)>, NestedQuery<&A>, Own)>());
    assert!(!needs_drop::<(EntityRef<'_>, EntityMut<'_>, EntityRefExcept<'_, '_, A>, EntityMutExcept<'_, '_, A>)>());
    assert!(!needs_drop::<(FilteredEntityRef<'_, '_>, FilteredEntityMut<'_, '_>)>());
}
