//! `CombinatorSystem` and `AdapterSystem`: systems that are made of others in a way of one's own.

use std::ops::Not;

use strata_ecs::prelude::*;
use strata_ecs::system::{
    Adapt, AdapterSystem, BoxedSystem, CombinatorSystem, Combine, RunSystemError, SystemIn, SystemInput,
};
use strata_tests::panics::expect_panic;

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<&'static str>);
#[derive(Resource)]
struct Missing;
#[derive(Component)]
struct Player;
#[derive(Component)]
struct Mark(&'static str);

/// Runs the second system first, and gives it twice the input.
struct Backwards;

impl<A, B> Combine<A, B> for Backwards
where
    A: System<In = In<u32>, Out = u32>,
    B: System<In = In<u32>, Out = u32>,
{
    type In = In<u32>;
    type Out = (u32, u32);

    fn combine<T>(
        input: u32,
        data: &mut T,
        a: impl FnOnce(u32, &mut T) -> Result<u32, RunSystemError>,
        b: impl FnOnce(u32, &mut T) -> Result<u32, RunSystemError>,
    ) -> Result<(u32, u32), RunSystemError> {
        let second = b(2 * input, data)?;
        Ok((a(input, data)?, second))
    }
}

/// The first output that can be had.
struct OrElse;

impl<A: System<In = ()>, B: System<In = (), Out = A::Out>> Combine<A, B> for OrElse {
    type In = ();
    type Out = A::Out;

    fn combine<T>(
        (): (),
        data: &mut T,
        a: impl FnOnce((), &mut T) -> Result<A::Out, RunSystemError>,
        b: impl FnOnce((), &mut T) -> Result<A::Out, RunSystemError>,
    ) -> Result<A::Out, RunSystemError> {
        a((), data).or_else(|_| b((), data))
    }
}

fn or_else<A: System<In = ()>, B: System<In = (), Out = A::Out>>(a: A, b: B) -> BoxedSystem<(), A::Out> {
    CombinatorSystem::<OrElse, A, B>::new(a, b, "or_else".into())
}

/// Counts the runs of a system, and negates its output.
struct Negated(u32);

impl<S: System<Out: Not>> Adapt<S> for Negated {
    type In = S::In;
    type Out = (u32, <S::Out as Not>::Output);

    fn adapt(
        &mut self,
        input: <S::In as SystemInput>::Inner<'_>,
        run_system: impl FnOnce(SystemIn<'_, S>) -> Result<S::Out, RunSystemError>,
    ) -> Result<Self::Out, RunSystemError> {
        self.0 += 1;
        let out = run_system(input)?;
        Ok((self.0, !out))
    }
}

fn first(In(number): In<u32>, mut log: ResMut<'_, Log>, mut commands: Commands<'_, '_>) -> u32 {
    log.0.push("first");
    commands.spawn(Mark("first"));
    number
}

fn second(In(number): In<u32>, mut log: ResMut<'_, Log>, mut commands: Commands<'_, '_>) -> u32 {
    log.0.push("second");
    commands.spawn(Mark("second"));
    number
}

#[test]
fn a_combinator_runs_its_systems_in_any_order_with_inputs_of_its_own() {
    let system = CombinatorSystem::<Backwards, _, _>::new(
        IntoSystem::into_system(first),
        IntoSystem::into_system(second),
        "backwards".into(),
    );
    assert_eq!(system.name(), "backwards");
    let mut world = World::new();
    world.init_resource::<Log>();
    assert_eq!(world.run_system_once_with(system, 3).unwrap(), (3, 6));
    assert_eq!(world.resource::<Log>(), &Log(vec!["second", "first"]));
    let marks: Vec<&str> = world.query::<&Mark>().iter(&world).map(|mark| mark.0).collect();
    assert_eq!(marks, ["first", "second"], "commands are applied in the order of the systems");
}

#[test]
fn a_combinator_handles_the_error_of_a_system_that_cannot_run() {
    let name = |_: Res<'_, Missing>| "missing";
    let player = |_: Single<'_, '_, &Player>| "player";
    let system = || or_else(IntoSystem::into_system(name), or_else(IntoSystem::into_system(player), boxed(|| "none")));
    fn boxed<M>(system: impl IntoSystem<(), &'static str, M>) -> BoxedSystem<(), &'static str> {
        IntoSystem::into_system(system)
    }
    let mut world = World::new();
    assert_eq!(world.run_system_once(system()).unwrap(), "none");
    world.spawn(Player);
    assert_eq!(world.run_system_once(system()).unwrap(), "player");
    world.insert_resource(Missing);
    assert_eq!(world.run_system_once(system()).unwrap(), "missing");
}

#[test]
fn an_error_that_a_combinator_returns_is_that_of_the_system_that_could_not_run() {
    let system = || {
        or_else(
            IntoSystem::into_system(|_: Single<'_, '_, &Player>| ()),
            IntoSystem::into_system(|_: Res<'_, Missing>| ()),
        )
    };
    let mut world = World::new();
    let error = world.run_system_once(system()).unwrap_err();
    assert!(!error.is_skip() && error.to_string().starts_with("system `or_else` could not run"), "{error}");
    assert!(error.to_string().contains("Missing"), "{error}");
    let mut schedule = Schedule::default();
    schedule.add_systems(or_else(
        IntoSystem::into_system(|_: Res<'_, Missing>| ()),
        IntoSystem::into_system(|_: Single<'_, '_, &Player>| ()),
    ));
    schedule.try_run(&mut world).expect("the second system is skipped, and so is the whole");
}

#[test]
fn a_combinator_is_a_condition_and_its_systems_see_each_change_once() {
    /// Holds if exactly one of two conditions does.
    struct Xor;

    impl<A: System<In = (), Out = bool>, B: System<In = (), Out = bool>> Combine<A, B> for Xor {
        type In = ();
        type Out = bool;

        fn combine<T>(
            (): (),
            data: &mut T,
            a: impl FnOnce((), &mut T) -> Result<bool, RunSystemError>,
            b: impl FnOnce((), &mut T) -> Result<bool, RunSystemError>,
        ) -> Result<bool, RunSystemError> {
            Ok(a((), data)? ^ b((), data)?)
        }
    }
    let condition = CombinatorSystem::<Xor, _, _>::new(
        IntoSystem::into_system(|log: Res<'_, Log>| log.is_changed()),
        IntoSystem::into_system(|runs: Res<'_, Runs>| runs.is_added()),
        "xor".into(),
    );
    let mut world = World::new();
    world.init_resource::<Log>();
    world.init_resource::<Runs>();
    let mut schedule = Schedule::default();
    schedule.add_systems((|mut runs: ResMut<'_, Runs>| runs.0 += 1).run_if(condition));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 0, "both are new");
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 0, "neither has changed");
    world.resource_mut::<Log>().0.push("changed");
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 1, "the change of the log is seen once");
}

#[derive(Resource, Default)]
struct Runs(u32);

#[test]
fn an_adapter_keeps_a_value_and_changes_the_output() {
    let mut world = World::new();
    let mut system = AdapterSystem::new(Negated(10), IntoSystem::into_system(|In(bit): In<bool>| bit), "not".into());
    system.initialize(&mut world);
    assert_eq!(system.name(), "not");
    assert_eq!(system.run(true, &mut world).unwrap(), (11, false));
    assert_eq!(system.run(false, &mut world).unwrap(), (12, true));
    let mut system = AdapterSystem::new(Negated(0), IntoSystem::into_system(|_: Res<'_, Missing>| true), "n".into());
    let error = system.run((), &mut world).unwrap_err().to_string();
    assert!(error.starts_with("system `n` could not run") && error.contains("Missing"), "{error}");
    world.insert_resource(Missing);
    assert_eq!(system.run((), &mut world).unwrap(), (2, false));
}

#[test]
fn combinators_that_are_nested_too_deep_are_refused() {
    fn no() -> BoxedSystem<(), bool> {
        IntoSystem::into_system(|| false)
    }
    let text = expect_panic(|| drop((0..600).fold(no(), |all, _| or_else(all, no()))));
    assert!(text.contains("nested more than 500 deep"), "{text}");
}
