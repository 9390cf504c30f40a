//! Schedules by label.

use strata_ecs::prelude::*;
use strata_ecs::world::TryRunScheduleError;
use strata_tests::panics::expect_panic;

use super::{Log, Total, log, world};

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
enum Step {
    First,
    Last,
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Nested(u8);

fn add(mut total: ResMut<'_, Total>) {
    total.0 += 1;
}

fn note(text: &'static str) -> impl Fn(ResMut<'_, Log>) + Send + Sync + 'static {
    move |mut log: ResMut<'_, Log>| log.add(text)
}

fn schedules(world: &mut World) -> Mut<'_, Schedules> {
    world.get_resource_or_init::<Schedules>()
}

#[test]
fn schedules_are_run_by_label() {
    let mut world = world();
    let mut first = Schedule::new(Step::First);
    first.add_systems(note("first"));
    world.add_schedule(first);
    schedules(&mut world).add_systems(Step::Last, note("last")).add_systems(Step::Last, note("at last"));
    world.run_schedule(Step::Last);
    world.run_schedule(Step::First.intern());
    world.try_run_schedule(Step::Last).expect("it is there");
    assert_eq!(log(&world), ["last", "at last", "first", "last", "at last"]);
}

#[test]
fn errors_name_the_label() {
    let mut world = world();
    for text in [
        expect_panic(|| world.run_schedule(Nested(3))),
        expect_panic(|| world.schedule_scope(Nested(3), |_, _| ())),
        world.try_run_schedule(Nested(3)).expect_err("there is none").to_string(),
    ] {
        assert!(text.starts_with("schedule `Nested(3)` does not exist"), "{text}");
    }
    assert!(!world.contains_resource::<Schedules>()); // To ask makes nothing.
    schedules(&mut world).add_systems(Nested(3), (add, || Err::<(), _>("it is broken"), add));
    let error = world.try_run_schedule(Nested(3)).expect_err("it fails");
    assert!(matches!(&error, TryRunScheduleError::Failed(label, _) if *label == Nested(3).intern()));
    let text = error.to_string();
    assert!(text.starts_with("schedule `Nested(3)`: system `") && text.ends_with("failed: it is broken"), "{text}");
    assert!(expect_panic(|| world.run_schedule(Nested(3))).ends_with("it is broken"));
    // Those that are not ordered after the one that fails have run.
    assert_eq!(world.resource::<Total>(), &Total(4));
}

#[test]
fn a_schedule_that_runs_itself_is_an_error() {
    fn again(world: &mut World) {
        let error = world.try_run_schedule(Step::First).expect_err("it is running");
        assert!(matches!(&error, TryRunScheduleError::Running(label) if *label == Step::First.intern()));
        assert!(error.to_string().starts_with("schedule `First` is running"), "{error}");
        assert!(world.try_schedule_scope(Step::First, |_, _| ()).is_err());
        world.resource_mut::<Total>().0 += 1;
        world.run_schedule(Step::Last);
    }
    let mut world = world();
    schedules(&mut world).add_systems(Step::First, again).add_systems(Step::Last, add);
    world.run_schedule(Step::First);
    world.run_schedule(Step::First);
    assert_eq!(world.resource::<Total>(), &Total(4));
}

#[test]
fn after_a_panic_the_schedule_is_there_again() {
    fn once(mut runs: Local<'_, u32>) {
        *runs += 1;
        assert!(*runs != 1, "the first run");
    }
    let mut world = world();
    schedules(&mut world).add_systems(Step::First, (once, add));
    assert!(expect_panic(|| world.run_schedule(Step::First)).contains("the first run"));
    world.run_schedule(Step::First);
    assert_eq!(world.resource::<Total>(), &Total(1));
    let scope = |_: &mut World, _: &mut Schedule| panic!("in the scope");
    assert!(expect_panic(|| world.schedule_scope(Step::First, scope)).contains("in the scope"));
    world.run_schedule(Step::First);
    assert_eq!(world.resource::<Total>(), &Total(2));
}

#[test]
fn a_running_schedule_can_be_replaced_and_not_changed() {
    fn change(world: &mut World) {
        let mut schedules = schedules(world);
        assert!(schedules.contains(Step::First));
        assert!(schedules.get(Step::First).is_none() && schedules.get_mut(Step::First).is_none());
        assert!(schedules.remove(Step::First).is_none());
        assert_eq!(schedules.iter().count(), 1);
        let text = expect_panic(|| _ = schedules.add_systems(Step::First, add));
        assert!(text.contains("schedule `First` is running"), "{text}");
    }
    fn replace(world: &mut World) {
        let mut other = Schedule::new(Step::First);
        other.add_systems(add);
        assert!(schedules(world).insert(other).is_none());
    }
    let mut world = world();
    schedules(&mut world).add_systems(Step::First, (change, replace, note("the old one"))).entry(Step::Last);
    world.run_schedule(Step::First);
    assert_eq!((log(&world), world.resource::<Total>()), (vec!["the old one"], &Total(0)));
    world.run_schedule(Step::First);
    assert_eq!((log(&world), world.resource::<Total>()), (vec!["the old one"], &Total(1)));
}

#[test]
fn schedules_are_kept_in_order() {
    let mut schedules = Schedules::new();
    for n in 0..20 {
        schedules.entry(Nested(n)).add_systems(add);
    }
    assert!(
        (0..20)
            .step_by(3)
            .all(|n| schedules.remove(Nested(n)).is_some_and(|it| it.label() == Some(Nested(n).intern())))
    );
    let left: Vec<_> = (0..20).filter(|n| n % 3 != 0).map(|n| Nested(n).intern()).collect();
    assert!(schedules.iter().map(|(label, _)| label).eq(left.iter().copied()));
    assert!(schedules.iter_mut().map(|(label, _)| label).eq(left.iter().copied()));
    assert!(left.iter().all(|label| schedules.get(*label).and_then(Schedule::label) == Some(*label)));
    assert!(!schedules.contains(Nested(3)) && schedules.contains(Nested(4)));
    assert!(schedules.remove(Nested(3)).is_none());
    assert!(expect_panic(|| schedules.insert(Schedule::default()).is_some()).contains("without a label"));
}

#[test]
fn a_schedule_survives_what_happens_to_the_resource() {
    fn remove(world: &mut World) {
        world.remove_resource::<Schedules>();
    }
    fn replace(world: &mut World) {
        *world = World::new();
    }
    let mut world = world();
    schedules(&mut world).add_systems(Step::First, (remove, add));
    world.run_schedule(Step::First);
    world.run_schedule(Step::First);
    assert_eq!(world.resource::<Total>(), &Total(2));
    schedules(&mut world).add_systems(Step::Last, replace);
    world.run_schedule(Step::Last);
    assert!(!world.contains_resource::<Schedules>()); // It belonged to the old world.
}

#[test]
fn commands_run_schedules() {
    fn ask(mut commands: Commands<'_, '_>) {
        commands.run_schedule(Step::First);
        commands.run_schedule(Nested(1));
    }
    let mut world = world();
    schedules(&mut world).add_systems(Step::First, add).add_systems(Step::Last, ask);
    world.run_schedule(Step::Last);
    assert_eq!(world.resource::<Total>(), &Total(1));
    let (errors, _) = world.take_command_errors();
    assert_eq!((errors.len(), errors[0].command()), (1, "run_schedule"));
    assert!(
        errors[0].to_string().contains("ask` was not carried out: schedule `Nested(1)` does not exist"),
        "{}",
        errors[0]
    );
}

#[test]
fn a_schedule_that_was_taken_out_for_a_while_keeps_its_place() {
    let mut schedules = Schedules::new();
    for n in 0..3 {
        schedules.entry(Nested(n)).add_systems(add);
    }
    let taken = schedules.remove_temporarily(Nested(1)).unwrap();
    assert!(schedules.remove_temporarily(Nested(1)).is_none() && schedules.get(Nested(1)).is_none());
    assert!(expect_panic(|| _ = schedules.add_systems(Nested(1), add)).contains("Nested(1)"));
    assert!(schedules.reinsert(taken).is_none());
    assert!(schedules.iter().map(|(label, _)| label).eq((0..3).map(|n| Nested(n).intern())));
    assert_eq!(schedules.get(Nested(1)).unwrap().systems_len(), 1);
    assert!(schedules.remove_temporarily(Nested(7)).is_none());
}
