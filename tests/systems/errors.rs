//! Errors of systems: any error, with context and severity.

use std::num::ParseIntError;

use strata_ecs::error::{BevyError, EcsError, Severity};
use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleBuildError;
use strata_ecs::system::SystemState;
use strata_ecs::{bail, bevy_error, ecs_error, ensure};
use strata_tests::panics::expect_panic_at;

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

fn parse(text: &str) -> Result<u32> {
    text.parse().context("the width")
}

#[test]
fn every_error_becomes_one_and_is_found_again() {
    let error = parse("x").unwrap_err().context("the map");
    assert_eq!(error.to_string(), "the map: the width: invalid digit found in string");
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.is::<ParseIntError>());
    assert!(error.into_inner().is::<ParseIntError>());
    assert_eq!(EcsError::from("only a text").to_string(), "only a text");
    let boxed: BoxError = String::from("a text in a box").into();
    assert_eq!(EcsError::from(boxed).severity(), Severity::Panic);
}

#[test]
fn what_was_said_of_an_error_goes_with_it_through_a_box() {
    let fails = || -> Result { Err(EcsError::new(Severity::Info, "late").context("the train")) };
    let mut schedule = Schedule::default();
    schedule.add_systems(fails).set_error_handler(|error| {
        assert_eq!((error.severity(), error.error().to_string().as_str()), (Severity::Info, "the train: late"));
        strata_ecs::schedule::OnError::Stop
    });
    let error = EcsError::from(schedule.try_run(&mut World::new()).unwrap_err().into_inner());
    assert_eq!((error.severity(), error.to_string().as_str()), (Severity::Info, "the train: late"));
    assert_eq!(Box::<dyn std::error::Error>::from(error).to_string(), "the train: late");
}

#[test]
fn the_macros_return() {
    fn check(width: i32) -> Result<(), BevyError> {
        ensure!(width != 1);
        ensure!(width != 2, Severity::Debug, "{} is even", width);
        if width == 3 {
            bail!(Severity::Warning, "{width} is odd");
        } else if width == 4 {
            bail!("four");
        }
        Ok(())
    }
    assert!(check(0).is_ok());
    let said: Vec<(String, Severity)> =
        (1..=4).map(|width| check(width).unwrap_err()).map(|error| (error.to_string(), error.severity())).collect();
    let expected = [("`width != 1` does not hold", Severity::Panic), ("2 is even", Severity::Debug)];
    assert_eq!(said[..2], expected.map(|(text, severity)| (text.to_owned(), severity)));
    assert_eq!(said[2..], [("3 is odd".to_owned(), Severity::Warning), ("four".to_owned(), Severity::Panic)]);
    assert_eq!(bevy_error!("{}", 1).to_string(), ecs_error!("1").to_string());
}

#[test]
fn a_schedule_goes_on_after_what_is_not_bad() {
    for (severity, goes_on) in [
        (Severity::Ignore, true),
        (Severity::Trace, true),
        (Severity::Debug, true),
        (Severity::Info, true),
        (Severity::Warning, true),
        (Severity::Error, false),
        (Severity::Panic, false),
    ] {
        let fails = move || -> Result { Err(EcsError::new(severity, "a test of severities")) };
        let mut world = World::new();
        world.init_resource::<Log>();
        let mut schedule = Schedule::default();
        schedule.add_systems((fails, |mut log: ResMut<'_, Log>| log.0.push("later")).chain());
        assert_eq!(schedule.try_run(&mut world).is_ok(), goes_on, "{severity:?}");
        assert_eq!(world.resource::<Log>().0.len(), usize::from(goes_on), "{severity:?}");
    }
}

#[test]
fn a_handler_of_ones_own_decides_alone() {
    let fails = || -> Result { Err(EcsError::new(Severity::Ignore, "nothing")) };
    let mut schedule = Schedule::default();
    schedule.add_systems(fails).set_error_handler(|_| strata_ecs::schedule::OnError::Stop);
    assert!(schedule.try_run(&mut World::new()).is_err());
}

#[test]
fn row_systems_fail_with_all_of_it() {
    #[derive(Component)]
    struct Text(&'static str);

    #[system]
    fn parse_all(text: &Text) -> Result {
        parse(text.0).with_severity(Severity::Info)?;
        Ok(())
    }

    let mut world = World::new();
    world.spawn(Text("x"));
    let mut schedule = Schedule::default();
    schedule.add_systems(parse_all);
    assert!(schedule.try_run(&mut world).is_ok());
    schedule.set_error_handler(|error| {
        assert_eq!(error.severity(), Severity::Info);
        assert!(error.to_string().contains("the width: invalid digit"), "{error}");
        strata_ecs::schedule::OnError::Stop
    });
    assert!(schedule.try_run(&mut world).is_err());
}

/// A component with a type parameter: the compiler does not know whether two of them are the same.
#[derive(Component)]
struct Of<T: Send + Sync + 'static>(T);
type Byte = Of<u8>;
type Octet = Of<u8>;

/// Where the user's code asks for the query.
#[test]
fn a_query_that_borrows_twice_is_a_panic_at_the_caller() {
    type Twice<'a> = (&'a mut Of<u8>, &'a Of<u8>);
    let mut world = World::new();
    let entity = world.spawn(Of(1_u8)).id();
    let expect = |line: u32, action: &mut dyn FnMut()| {
        let ((file, at), text) = expect_panic_at(action);
        assert!(file.ends_with("systems/errors.rs") && at == line, "{file}:{at}, not {line}: {text}");
        assert!(text.starts_with("query `(") && text.contains("Of<u8>` twice, once mutably"), "{text}");
    };
    expect(line!(), &mut || _ = world.query::<Twice<'_>>());
    expect(line!(), &mut || _ = world.query_filtered::<Twice<'_>, ()>());
    expect(line!(), &mut || _ = world.try_query::<Twice<'_>>());
    expect(line!(), &mut || _ = world.try_query_filtered::<Twice<'_>, ()>());
    expect(line!(), &mut || _ = world.entity_mut(entity).into_mutable().get_components_mut::<Twice<'_>>());
    assert_eq!(world.query::<&Of<u8>>().iter(&world).map(|one| one.0).sum::<u8>(), 1);
}

/// The conflict is found when the system is prepared for a world; the message says where the program has added it.
#[test]
fn a_conflict_that_is_found_at_run_time_names_the_place_where_the_system_is_used() {
    type Both<'w, 's> = (Query<'w, 's, &'static mut Of<u8>>, Query<'w, 's, &'static Of<u8>>);
    fn plain(_: Query<'_, '_, &mut Of<u8>>, _: Query<'_, '_, &Of<u8>>) {}
    fn asks(_: Query<'_, '_, &mut Of<u8>>, _: Query<'_, '_, &Of<u8>>) -> usize {
        0
    }
    #[system]
    fn marked(first: Query<'_, '_, &mut Byte>, second: Query<'_, '_, &Octet>) {
        let _ = (first, second);
    }
    fn idle() {}
    let expect = |line: u32, action: &mut dyn FnMut()| {
        let ((file, at), text) = expect_panic_at(action);
        assert!(file.ends_with("systems/errors.rs") && at == line, "{file}:{at}, not {line}: {text}");
        let place = format!("systems/errors.rs:{line}:");
        assert!(text.starts_with("system `") && text.contains(" (used at ") && text.contains(&place), "{line}: {text}");
    };
    let new = Schedule::default;
    expect(line!(), &mut || new().add_systems(plain).run(&mut World::new()));
    expect(line!(), &mut || new().add_systems(marked).run(&mut World::new()));
    expect(line!(), &mut || new().add_systems((idle, (plain, idle))).run(&mut World::new()));
    expect(line!(), &mut || new().add_systems((idle, (idle, marked).chain()).chain()).run(&mut World::new()));
    expect(line!(), &mut || new().add_systems(idle.run_if(asks.map(|count| count == 0))).run(&mut World::new()));
    expect(line!(), &mut || new().add_systems(asks.map(|_| ()).before(idle)).run(&mut World::new()));
    expect(line!(), &mut || _ = World::new().run_system_once(plain));
    expect(line!(), &mut || _ = World::new().run_system_once(marked));
    expect(line!(), &mut || _ = SystemState::<Both<'_, '_>>::new(&mut World::new()));
    expect(line!(), &mut || _ = IntoSystem::into_system(plain).run((), &mut World::new()));
    expect(line!(), &mut || IntoSystem::into_system(idle.pipe(plain)).initialize(&mut World::new()));
}

/// No system of the schedule has run, and the error can be distinguished from others.
#[test]
fn a_conflict_is_an_error_of_a_schedule_that_is_built() {
    fn asks_twice(_: Query<'_, '_, (&mut Byte, &Octet)>) {}
    fn never() {
        unreachable!("the schedule is not built");
    }
    let mut schedule = Schedule::default();
    schedule.add_systems((never, |_: Query<'_, '_, &mut Byte>, _: Query<'_, '_, &Octet>| ()).chain());
    let error = schedule.initialize(&mut World::new()).unwrap_err();
    assert!(matches!(&error, ScheduleBuildError::Parameters(_)), "{error:?}");
    assert!(error.to_string().contains("parameter 1 and parameter 2 both borrow component `"), "{error}");
    assert!(schedule.try_run(&mut World::new()).is_err());
    let mut schedule = Schedule::default();
    schedule.add_systems((asks_twice, never).chain());
    let error = schedule.try_run(&mut World::new()).unwrap_err().to_string();
    assert!(error.starts_with("system `") && error.contains("parameter 1: component `"), "{error}");
    assert!(error.contains("is borrowed twice, once mutably") && error.contains("systems/errors.rs"), "{error}");
}
