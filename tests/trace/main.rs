//! Spans that a subscriber of `tracing` gets: with the feature `trace`.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use strata_ecs::prelude::*;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, PipelineOutcome, Pipelining, SingleThreadedExecutor};
use strata_ecs::store::OnCommandError;
use strata_ecs::world::DeferredWorld;
use strata_tests::panics::expect_panic;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, subscriber};

/// A span, as the subscriber got it.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    /// The kind of the span, and its fields.
    text: String,
    /// The number of the span that it is in.
    parent: Option<usize>,
    /// How often it was entered and left.
    entered: usize,
    left: usize,
    /// In how many spans the thread was already when it was entered last.
    depth: usize,
}

static SPANS: Mutex<Vec<Told>> = Mutex::new(Vec::new());

/// All other events that the subscriber got, with their level unless it is `WARN`.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    /// Those that the thread is in.
    static CURRENT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Whether the next span of commands is refused with a panic.
static REFUSES: AtomicBool = AtomicBool::new(false);

struct Listener;

struct Fields(String);

/// The name of a type or of a system, without the modules that it and its parameters stand in.
fn without_paths(name: &str) -> String {
    let parts = name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    parts.map(|part| part.rsplit("::").next().unwrap_or(part)).collect()
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push_str(&format!(" {}={}", field.name(), without_paths(value)));
    }
}

fn spans() -> MutexGuard<'static, Vec<Told>> {
    SPANS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "strata_ecs"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let is_of_commands = attributes.metadata().name() == "commands";
        assert!(!(is_of_commands && REFUSES.swap(false, Ordering::Relaxed)), "the subscriber");
        let mut fields = Fields(attributes.metadata().name().to_owned());
        attributes.record(&mut fields);
        let parent = match attributes.parent() {
            Some(parent) => Some(parent.into_u64() as usize - 1),
            None if attributes.is_contextual() => CURRENT.with_borrow(|current| current.last().copied()),
            None => None,
        };
        let mut spans = spans();
        spans.push(Told { text: fields.0, parent, entered: 0, left: 0, depth: 0 });
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(match *event.metadata().level() {
            tracing::Level::WARN => String::new(),
            other => other.to_string(),
        });
        event.record(&mut fields);
        WARNINGS.lock().unwrap_or_else(PoisonError::into_inner).push(fields.0);
    }

    fn enter(&self, span: &Id) {
        let number = span.into_u64() as usize - 1;
        let depth = CURRENT.with_borrow_mut(|current| {
            current.push(number);
            current.len() - 1
        });
        let told = &mut spans()[number];
        told.entered += 1;
        told.depth = depth;
    }

    fn exit(&self, span: &Id) {
        let number = span.into_u64() as usize - 1;
        spans()[number].left += 1;
        assert_eq!(CURRENT.with_borrow_mut(Vec::pop), Some(number), "spans end in the order in which they began");
    }
}

/// The spans that something gives, as texts: parents before a slash.
fn told(action: impl FnOnce()) -> Vec<String> {
    told_with_depths(action).0
}

/// The same, and how many spans the thread was in when it entered each. Read before another test has its turn.
fn told_with_depths(action: impl FnOnce()) -> (Vec<String>, Vec<usize>) {
    static INSTALL: Once = Once::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    INSTALL.call_once(|| subscriber::set_global_default(Listener).expect("there is no other subscriber"));
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    spans().clear();
    action();
    let spans = spans();
    let text = |told: &Told| {
        assert_eq!((told.entered, told.left), (1, 1), "{told:?}");
        match told.parent {
            Some(parent) => format!("{} / {}", spans[parent].text, told.text),
            None => told.text.clone(),
        }
    };
    (spans.iter().map(text).collect(), spans.iter().map(|told| told.depth).collect())
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

fn one() {}
fn two() {}
fn spawn(mut commands: Commands) {
    commands.spawn_empty();
}
fn records_nothing(_: Commands) {}
fn alone(_: &mut World) {}

#[test]
fn schedules_systems_and_commands_have_spans() {
    let mut world = World::new();
    let mut schedule = Schedule::new(Update);
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems((spawn, records_nothing, one.run_if(|| false), two.run_if(|| true), alone).chain());
    let run = "schedule name=Update";
    let expected = [
        run.to_owned(),
        format!("{run} / system name=spawn schedule=Update"),
        format!("{run} / commands system=spawn"),
        format!("{run} / system name=records_nothing schedule=Update"),
        format!("{run} / system name=two schedule=Update"),
        format!("{run} / system name=alone schedule=Update"),
    ];
    assert_eq!(told(|| schedule.run(&mut world)), expected);
}

#[test]
fn a_schedule_without_a_name_has_a_span_without_one() {
    let mut schedule = Schedule::default();
    schedule.add_systems(one);
    assert_eq!(told(|| schedule.run(&mut World::new())), ["schedule", "schedule / system name=one"]);
}

#[test]
fn systems_on_other_threads_are_in_the_span_of_the_run() {
    static HERE: AtomicUsize = AtomicUsize::new(0);
    /// Gives another thread the time to come, without counting on it.
    fn meet() {
        let before = HERE.fetch_add(1, Ordering::Relaxed);
        let _ = (0..100_000).find(|_| {
            std::thread::yield_now();
            HERE.load(Ordering::Relaxed) > before + 1
        });
    }
    fn one() {
        meet();
    }
    fn two() {
        meet();
    }
    let mut world = World::new();
    let mut schedule = Schedule::new(Update);
    schedule.set_executor(MultiThreadedExecutor::eager()).add_systems((one, two, one, two, spawn));
    for _ in 0..5 {
        let mut spans = told(|| schedule.run(&mut world));
        spans.sort_unstable();
        let run = "schedule name=Update";
        let expected = [
            run.to_owned(),
            format!("{run} / commands system=spawn"),
            format!("{run} / system name=one schedule=Update"),
            format!("{run} / system name=one schedule=Update"),
            format!("{run} / system name=spawn schedule=Update"),
            format!("{run} / system name=two schedule=Update"),
            format!("{run} / system name=two schedule=Update"),
        ];
        assert_eq!(spans, expected);
    }
}

#[derive(Component)]
struct Number(u32);

#[test]
fn the_systems_of_a_pipeline_have_a_span_each_and_these_lie_within_each_other() {
    #[system]
    fn first(number: &mut Number) {
        number.0 += 1;
    }
    #[system]
    fn skipped(number: &mut Number) {
        number.0 += 1;
    }
    #[system]
    fn last(number: &mut Number) {
        number.0 *= 2;
    }
    #[system(par)]
    fn par_first(number: &mut Number) {
        number.0 += 1;
    }
    #[system(par)]
    fn par_last(number: &mut Number) {
        number.0 += 1;
    }
    let executors: [Executor; 2] = [SingleThreadedExecutor::new().into(), MultiThreadedExecutor::eager().into()];
    for executor in executors {
        let mut world = World::new();
        // More than one block, so that it would show if blocks had spans.
        world.spawn_batch((0..2_000_000).map(Number));
        let mut schedule = Schedule::new(Update);
        schedule.set_executor(executor).set_pipelining(Pipelining::Always);
        schedule.add_systems((first, skipped.run_if(|| false), last, par_first, par_last, one).chain());
        schedule.initialize(&mut world).expect("there is an order");
        let run = "schedule name=Update";
        let system = |name: &str| format!("{run} / system name={name} schedule=Update");
        let expected =
            [run.to_owned(), system("first"), system("last"), system("par_first"), system("par_last"), system("one")];
        let (spans, depths) = told_with_depths(|| schedule.run(&mut world));
        assert_eq!(spans, expected);
        let report = schedule.report(&world);
        let outcomes: Vec<_> = report.pipelines().iter().map(|pipeline| pipeline.outcome()).collect();
        assert_eq!(outcomes, [PipelineOutcome::Used; 2]);
        assert!(report.pipelines().iter().all(|pipeline| pipeline.block_rows() < 2_000_000), "{report}");
        // On another thread than the thread of the run, they are not inside of its span, but are still its children.
        let within = |depths: &[usize]| depths[1] == depths[0] + 1;
        assert!(within(&depths[1..3]) && within(&depths[3..5]) && depths[5] <= 1, "{depths:?}");
    }
}

#[test]
fn spans_end_when_a_system_panics_or_fails() {
    fn explode() {
        panic!("as a test");
    }
    fn fail() -> Result {
        Err("as a test".into())
    }
    let mut world = World::new();
    let mut schedule = Schedule::new(Update);
    schedule.add_systems((fail, explode));
    let spans = told(|| _ = strata_tests::panics::catch(|| schedule.try_run(&mut world)));
    assert_eq!(spans.len(), 3);
    assert_eq!(CURRENT.with_borrow(Vec::len), 0);
}

#[test]
fn a_run_within_a_run_is_in_the_span_of_its_system() {
    fn nested(world: &mut World) {
        let mut schedule = Schedule::default();
        schedule.add_systems(one);
        schedule.run(world);
    }
    let mut schedule = Schedule::new(Update);
    schedule.add_systems(nested);
    let spans = told(|| schedule.run(&mut World::new()));
    assert_eq!(spans[2], "system name=nested schedule=Update / schedule");
    assert_eq!(spans[3], "schedule / system name=one");
}

#[derive(Component)]
struct Health(u32);

#[test]
fn a_subscriber_that_panics_leaves_the_world_in_order() {
    fn promise(mut commands: Commands<'_, '_>) {
        let id = commands.spawn_empty().id();
        commands.entity(id).insert(Health(1));
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((promise, promise, promise));
    let _ = told(|| {
        REFUSES.store(true, Ordering::Relaxed);
        expect_panic(|| schedule.run(&mut world));
        world.check_invariants();
        // The first system's are lost, its entity is not.
        assert_eq!((world.len(), world.query::<&Health>().count(&world)), (3, 2));

        let mut queue = CommandQueue::default();
        let promised = Commands::new(&mut queue, &world).spawn(Health(2)).id();
        world.commands().spawn(Health(3));
        REFUSES.store(true, Ordering::Relaxed);
        expect_panic(|| queue.apply(&mut world));
        world.check_invariants();
        assert!(queue.is_empty() && world.contains(promised) && world.get::<Health>(promised).is_none());
        world.flush();
        assert_eq!(world.query::<&Health>().count(&world), 3);
    });
}

#[test]
fn the_first_command_of_each_kind_that_fails_is_warned_of() {
    fn hurt(mut commands: Commands<'_, '_>, dead: Res<'_, Dead>) {
        commands.entity(dead.0).insert(Health(1)).remove::<Health>();
        commands.entity(dead.0).try_despawn();
    }
    #[derive(Resource)]
    struct Dead(Entity);

    let mut world = World::new();
    let dead = world.spawn_empty().id();
    world.despawn(dead);
    world.insert_resource(Dead(dead));
    let mut schedule = Schedule::default();
    schedule.add_systems(hurt);
    let _ = told(|| {
        let warnings = || std::mem::take(&mut *WARNINGS.lock().unwrap_or_else(PoisonError::into_inner));
        let _ = warnings();
        schedule.run(&mut world);
        let first = warnings();
        assert_eq!(first.len(), 2, "{first:?}");
        assert!(first[0].contains("insert(") && first[1].contains("remove("), "{first:?}");
        for warning in &first {
            assert!(warning.contains("::hurt") && warning.contains(&dead.to_string()), "{warning}");
        }
        schedule.run(&mut world);
        assert!(warnings().is_empty(), "the same again");
        world.commands().entity(dead).insert(Health(2));
        world.flush();
        assert_eq!(warnings().len(), 1, "the same command outside of the system");
        assert_eq!(world.take_command_errors().0.len(), 5, "all are kept");
        world.on_command_error(OnCommandError::Keep);
        world.commands().entity(dead).despawn();
        world.flush();
        assert!(warnings().is_empty() && world.take_command_errors().0.len() == 1);
    });
}

#[test]
fn handlers_by_name_tell_of_the_error_and_ignore_does_not() {
    use strata_ecs::error::{debug, error, ignore, info, trace, warn};
    fn fail(_: &mut World) -> Result {
        Err("no bread".into())
    }
    let mut world = World::new();
    let _ = told(|| {
        let warnings = || std::mem::take(&mut *WARNINGS.lock().unwrap_or_else(PoisonError::into_inner));
        let _ = warnings();
        for handler in [trace, debug, info, warn, error, ignore] {
            world.commands().queue_handled(fail, handler);
        }
        world.flush();
        let told = warnings();
        assert_eq!(told.len(), 5, "{told:?}");
        let levels = ["TRACE ", "DEBUG ", "INFO ", " ", "ERROR "];
        assert!(told.iter().zip(levels).all(|(text, level)| text.starts_with(level)), "{told:?}");
        assert!(told.iter().all(|text| text.contains("fail` failed: no bread")), "{told:?}");
    });
}

#[derive(EntityEvent)]
struct Hit(Entity);

#[test]
fn each_observer_has_a_span_of_each_event_and_of_each_operation() {
    fn hit(hit: On<Hit>, mut commands: Commands) {
        commands.entity(hit.0).insert(Health(1));
    }
    fn asleep(_: On<Hit>) {}
    fn healed(_: On<Insert<Health>>) {}
    fn counted(_: OnBatch<Add<Health>>) {}
    fn next(hit: On<Hit>, mut world: DeferredWorld) {
        world.trigger(Next(hit.0));
    }
    #[derive(Event)]
    struct Next(#[expect(dead_code, reason = "only triggered")] Entity);

    let mut world = World::new();
    world.add_observer(hit);
    world.add_observer(asleep.run_if(|| false));
    world.add_observer(healed);
    world.add_observer(counted);
    let entity = world.spawn_empty().id();
    let expected = [
        "observer name=hit event=Hit",
        "observer name=asleep event=Hit",
        "observer name=counted event=Add<Health>",
        "observer name=healed event=Insert<Health>",
    ];
    assert_eq!(told(|| world.trigger(Hit(entity))), expected);
    // One span each, however many entities there are.
    assert_eq!(told(|| _ = world.spawn_batch([1, 2, 3].map(Health))), expected[2..]);

    let mut world = World::new();
    let entity = world.spawn_empty().id();
    world.add_observer(next);
    world.add_observer(|_: On<Next>| {});
    let spans = told(|| world.trigger(Hit(entity)));
    assert!(
        spans[1].starts_with("observer name=next event=Hit / observer name=") && spans[1].ends_with(" event=Next"),
        "{spans:?}"
    );
}

#[test]
fn each_hook_has_a_span_of_each_operation() {
    let mut world = World::new();
    world.register_component_hooks::<Health>().on_add(|_, _| {}).on_discard(|_, _| {});
    assert_eq!(told(|| _ = world.spawn_batch([1, 2].map(Health))), ["hook name=on_add component=Health"]);
    let despawn = || assert_eq!(world.all::<With<Health>>().despawn(), 2);
    assert_eq!(told(despawn), ["hook name=on_discard component=Health"]);
}

#[test]
fn spans_of_observers_and_hooks_end_when_these_panic() {
    let mut world = World::new();
    world.register_component_hooks::<Health>().on_add(|_, _| panic!("as a test"));
    world.add_observer(|_: On<Add<Health>>| panic!("as a test"));
    let spans = told(|| {
        expect_panic(|| _ = world.spawn(Health(1)));
        world.check_invariants();
        world.register_component_hooks::<Number>().on_remove(|_, _| panic!("as a test"));
        let entity = world.spawn(Number(1)).id();
        expect_panic(|| world.despawn(entity));
        assert!(!world.contains(entity));
    });
    assert_eq!(spans[0], "hook name=on_add component=Health");
    assert_eq!(spans[spans.len() - 1], "hook name=on_remove component=Number");
    assert_eq!(CURRENT.with_borrow(Vec::len), 0);
}
