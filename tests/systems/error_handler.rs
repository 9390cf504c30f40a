//! The error handler of a world, which gets the errors of systems, run conditions, commands and observers.

use std::cell::RefCell;

use strata_ecs::entity::EntityError;
use strata_ecs::error::{self, EcsError, ErrorContext, ErrorHandler, Severity};
use strata_ecs::prelude::*;
use strata_ecs::schedule::{OnError, SingleThreadedExecutor};
use strata_ecs::store::OnCommandError;
use strata_ecs::system::ParamError;
use strata_ecs::world::RegisteredSystemError;
use strata_tests::panics::expect_panic;

thread_local! {
    static HANDLED: RefCell<Vec<(ErrorContext, EcsError)>> = const { RefCell::new(Vec::new()) };
}

fn keep(error: EcsError, context: ErrorContext) {
    HANDLED.with_borrow_mut(|handled| handled.push((context, error)));
}

/// The only error that was handled since the last call.
fn handled() -> (ErrorContext, EcsError) {
    let mut handled = HANDLED.take();
    assert_eq!(handled.len(), 1, "{handled:?}");
    handled.remove(0)
}

fn text() -> String {
    let (context, error) = handled();
    format!("{context}: {error}")
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Inner;
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Guarded;
#[derive(Event)]
struct Save;
#[derive(Resource, Default)]
struct Ran(u32);
#[derive(Resource)]
struct Missing;
#[derive(Component)]
struct Mark;

fn fails() -> Result {
    Err("no such file".into())
}

fn asks(_: Res<'_, Missing>) -> bool {
    true
}

fn ran(mut ran: ResMut<'_, Ran>) {
    ran.0 += 1;
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Ran>();
    world.set_error_handler(keep);
    world
}

fn schedule() -> Schedule {
    let mut schedule = Schedule::new(Update);
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule
}

#[test]
fn a_failing_system_calls_it_with_the_schedule_and_the_rest_runs() {
    let mut world = world();
    let mut schedule = schedule();
    schedule.add_systems((fails, ran).chain());
    for runs in 1..4 {
        schedule.run(&mut world);
        let (context, error) = handled();
        assert_eq!((context.kind(), context.schedule()), ("system", Some("Update")));
        assert!(context.name().ends_with("fails"), "{context}");
        assert_eq!(error.to_string(), "no such file");
        assert_eq!(world.resource::<Ran>().0, runs);
    }
}

#[test]
fn a_missing_parameter_calls_it_with_the_typed_error() {
    fn needs(_: Res<'_, Missing>) {}
    let mut world = world();
    let mut schedule = schedule();
    schedule.add_systems(needs);
    schedule.run(&mut world);
    let (context, error) = handled();
    assert!(context.kind() == "system" && context.name().ends_with("needs"), "{context}");
    assert!(error.is::<ParamError>(), "{error}");
}

#[test]
fn a_failing_run_condition_is_named_with_its_system_or_set() {
    let mut world = world();
    let mut of_system = schedule();
    of_system.add_systems(ran.run_if(asks));
    of_system.run(&mut world);
    let (context, _) = handled();
    assert_eq!((context.kind(), context.set(), context.schedule()), ("run condition", None, Some("Update")));
    assert!(context.name().ends_with("asks") && context.system().unwrap().ends_with("ran"), "{context}");
    let mut of_set = schedule();
    of_set.add_systems((ran, ran).in_set(Guarded)).configure_sets(Guarded.run_if(asks));
    of_set.run(&mut world);
    let (context, _) = handled();
    assert_eq!((context.kind(), context.set(), context.system()), ("run condition", Some("Guarded"), None));
    assert_eq!(world.resource::<Ran>().0, 0);
}

#[test]
fn the_text_of_a_failing_run_condition_names_it_and_its_system() {
    let mut schedule = schedule();
    schedule.add_systems(ran.run_if(asks));
    let error = schedule.try_run(&mut World::new()).unwrap_err().to_string();
    assert!(error.starts_with("run condition `") && error.contains("asks` of system `"), "{error}");
    assert!(error.contains("ran` of schedule `Update` could not run: resource"), "{error}");
}

#[test]
fn commands_call_it() {
    let mut world = world();
    let gone = world.spawn_empty().id();
    world.despawn(gone);
    world.commands().entity(gone).insert(Mark);
    world.flush();
    let (context, error) = handled();
    assert_eq!((context.kind(), error.downcast_ref()), ("command", Some(&EntityError::Despawned(gone.into()))));
    assert!(context.name().starts_with("insert(") && context.name().ends_with("Mark)"), "{context}");
    let queues = move |mut commands: Commands<'_, '_>| {
        commands.queue(|_: &mut World| -> Result { Err(EcsError::new(Severity::Info, "no bread")) });
    };
    world.run_system_once(queues).unwrap();
    let (context, error) = handled();
    assert_eq!((error.severity(), error.to_string().as_str()), (Severity::Info, "no bread"));
    assert!(context.kind() == "command" && context.system().is_some(), "{context}");
    world.commands().entity(gone).queue(|_: EntityWorldMut<'_>| {});
    world.flush();
    assert!(handled().1.is::<EntityError>());
    assert_eq!(world.take_command_errors(), (Vec::new(), 0));
}

#[test]
fn observers_and_their_conditions_call_it() {
    let mut world = world();
    let observer = world.add_observer(|_: On<'_, '_, Save>| -> Result { Err("the disk is full".into()) });
    world.trigger(Save);
    let (context, error) = handled();
    assert_eq!((context.kind(), error.to_string().as_str()), ("observer", "the disk is full"));
    assert!(context.event().unwrap().ends_with("Save"), "{context}");
    world.remove_observer(observer);
    let observer = world.add_observer(|_: On<'_, '_, Save>, _: Res<'_, Missing>| {});
    world.trigger(Save);
    assert!(handled().1.is::<ParamError>());
    world.remove_observer(observer);
    world.add_observer((|_: On<'_, '_, Save>| {}).run_if(asks));
    world.trigger(Save);
    let (context, _) = handled();
    assert!(context.kind() == "run condition" && context.name().ends_with("asks"), "{context}");
}

#[test]
fn a_run_condition_of_an_observer_that_cannot_run_is_reported() {
    let mut world = World::new();
    world.init_resource::<Ran>();
    world.on_command_error(OnCommandError::Keep);
    world.add_observer((|_: On<'_, '_, Save>, mut ran: ResMut<'_, Ran>| ran.0 += 1).run_if(asks));
    world.trigger(Save);
    let errors = world.take_command_errors().0;
    assert!(errors.len() == 1 && errors[0].to_string().contains("asks` could not run: resource"), "{errors:?}");
    assert_eq!(world.resource::<Ran>().0, 0);
}

#[test]
fn registered_systems_that_commands_run_call_it() {
    let mut world = world();
    let id = world.register_system(fails);
    world.commands().run_system(id);
    world.flush();
    let (context, error) = handled();
    assert_eq!((context.kind(), error.to_string().as_str()), ("system", "no such file"));
    world.unregister_system(id).unwrap();
    world.commands().run_system(id);
    world.flush();
    let (context, error) = handled();
    assert_eq!((context.kind(), context.name()), ("command", "run_system"));
    assert!(matches!(error.downcast_ref(), Some(RegisteredSystemError::SystemIdNotRegistered(_))), "{error}");
}

#[test]
fn the_error_of_a_registered_system_that_a_command_runs_is_reported() {
    let mut world = World::new();
    world.on_command_error(OnCommandError::Keep);
    let id = world.register_system(fails);
    world.commands().run_system(id);
    world.flush();
    let errors = world.take_command_errors().0;
    assert!(errors.len() == 1 && errors[0].to_string().ends_with("fails` failed: no such file"), "{errors:?}");
}

#[test]
fn a_handler_of_a_schedule_an_observer_or_a_command_takes_precedence() {
    fn other(error: EcsError, context: ErrorContext) {
        keep(error.context("other"), context);
    }
    let mut world = world();
    let mut schedule = schedule();
    schedule.add_systems(fails).set_error_handler(|_| OnError::Stop);
    schedule.try_run(&mut world).expect_err("the handler of the schedule says so");
    world.commands().queue_handled(|_: &mut World| fails(), other);
    world.flush();
    assert!(text().ends_with("failed: other: no such file"));
    world.add_observer(Observer::new(|_: On<'_, '_, Save>, _: Res<'_, Missing>| {}).with_error_handler(other));
    world.trigger(Save);
    assert!(text().contains("failed: other: resource"));
}

#[test]
fn it_comes_before_on_command_error_and_can_be_removed() {
    let mut world = world();
    world.on_command_error(OnCommandError::Panic);
    world.commands().entity(Entity::PLACEHOLDER).despawn();
    world.flush();
    assert!(handled().0.name() == "despawn" && world.error_handler().is_some());
    world.remove_error_handler();
    world.commands().entity(Entity::PLACEHOLDER).despawn();
    assert!(expect_panic(|| world.flush()).contains("command `despawn` was not carried out"));
    let mut schedule = schedule();
    schedule.add_systems(fails);
    schedule.try_run(&mut world).expect_err("there is no handler");
}

#[test]
fn all_handlers_of_the_library_fit() {
    let quiet: [ErrorHandler; 6] = [error::ignore, error::trace, error::debug, error::info, error::warn, error::error];
    let mut schedule = schedule();
    schedule.add_systems(fails);
    for handler in quiet {
        let mut world = World::new();
        world.set_error_handler(handler);
        schedule.run(&mut world);
    }
    let loud: [ErrorHandler; 2] = [error::panic, error::match_severity];
    for handler in loud {
        let mut world = World::new();
        world.set_error_handler(handler);
        let text = expect_panic(|| schedule.run(&mut world));
        assert!(text.ends_with("fails` of schedule `Update` failed: no such file"), "{text}");
    }
    let mut world = World::new();
    world.set_error_handler(error::match_severity);
    let mut mild = Schedule::default();
    mild.add_systems(|| -> Result { Err(EcsError::new(Severity::Ignore, "paused")) });
    mild.run(&mut world);
}

#[test]
fn systems_on_several_threads_call_it() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    fn count(_: EcsError, _: ErrorContext) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
    let mut world = World::new();
    world.set_error_handler(count);
    let mut schedule = Schedule::default();
    schedule.add_systems((fails, fails, fails, fails));
    schedule.run(&mut world);
    assert_eq!(COUNT.load(Ordering::Relaxed), 4);
}

fn run_inner(world: &mut World) -> Result {
    Ok(world.try_run_schedule(Inner)?)
}

#[test]
fn the_error_of_a_schedule_that_a_system_runs_names_the_inner_system_once() {
    let mut world = World::new();
    world.get_resource_or_init::<Schedules>().add_systems(Inner, fails).add_systems(Update, run_inner);
    let text = world.try_run_schedule(Update).unwrap_err().to_string();
    assert!(text.starts_with("schedule `Inner`: system `") && text.ends_with("fails` failed: no such file"), "{text}");
    assert_eq!(text.matches("schedule").count(), 1, "{text}");
    let mut outer = Schedule::default();
    outer.add_systems(run_inner);
    let error = outer.try_run(&mut world).unwrap_err();
    assert_eq!(error.to_string(), text);
    assert!(error.system().unwrap().ends_with("run_inner"));
    assert_eq!(expect_panic(|| world.run_schedule(Update)), text);
}

#[test]
fn context_that_was_added_to_the_error_of_an_inner_schedule_stays() {
    fn run_inner(world: &mut World) -> Result {
        world.try_run_schedule(Inner).context("a turn")
    }
    let mut world = World::new();
    world.get_resource_or_init::<Schedules>().add_systems(Inner, fails);
    let mut outer = Schedule::default();
    outer.add_systems(run_inner);
    let text = outer.try_run(&mut world).unwrap_err().to_string();
    assert!(text.contains("run_inner` failed: a turn: schedule `Inner`: system `"), "{text}");
}

#[test]
fn it_is_called_for_the_inner_system_if_a_schedule_that_a_system_runs_stops() {
    let mut world = world();
    let mut schedules = world.get_resource_or_init::<Schedules>();
    schedules.add_systems(Inner, fails).add_systems(Update, run_inner);
    schedules.entry(Inner).set_error_handler(|_| OnError::Stop);
    world.run_schedule(Update);
    let (context, error) = handled();
    assert_eq!((context.schedule(), error.to_string().as_str()), (Some("Inner"), "no such file"));
    assert!(context.name().ends_with("fails"), "{context}");
}
