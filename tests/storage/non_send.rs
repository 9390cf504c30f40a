//! Values of a world that stay on one thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread;

use strata_ecs::prelude::*;
use strata_ecs::system::NonSendMarker;
use strata_tests::drops::{self, Token};
use strata_tests::panics::{catch, expect_panic};

/// Neither `Send` nor `Sync`.
#[derive(Clone, Default, Debug, PartialEq)]
struct Log(Rc<RefCell<Vec<u32>>>);

impl Log {
    fn note(&self, number: u32) {
        self.0.borrow_mut().push(number);
    }
}

/// Counts its drop in a shared cell, on whatever thread.
struct Held(#[expect(dead_code, reason = "counts its drop")] Token, #[expect(dead_code, reason = "not `Send`")] Rc<()>);

#[derive(Component)]
struct Health(u32);
#[derive(Resource, Default)]
struct Runs(u32);

/// Runs something on another thread that has this name.
fn elsewhere<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(String::from("elsewhere"));
        builder.spawn_scoped(scope, action).expect("a thread").join().expect("no panic")
    })
}

/// The parts of a message about a thread that is not the owner.
fn names_both(text: &str) -> bool {
    let here = thread::current();
    let here = format!("thread `{}` ({:?})", here.name().expect("tests have names"), here.id());
    text.contains("::Log`")
        && text.contains(&format!("inserted on {here}"))
        && text.contains("used on thread `elsewhere` (")
}

#[test]
fn a_value_is_inserted_read_written_and_removed() {
    let mut world = World::new();
    assert!(!world.contains_non_send::<Log>());
    assert!(world.get_non_send::<Log>().is_none() && world.get_non_send_mut::<Log>().is_none());
    assert!(world.remove_non_send::<Log>().is_none());
    let log = Log::default();
    world.insert_non_send(log.clone());
    world.insert_non_send(Rc::new(Cell::new(7)));
    world.non_send::<Log>().note(1);
    world.non_send_mut::<Log>().note(2);
    world.get_non_send::<Log>().expect("present").note(3);
    assert_eq!(*log.0.borrow(), [1, 2, 3]);
    assert_eq!(world.non_send::<Rc<Cell<i32>>>().get(), 7, "each type has its own");
    *world.non_send_mut::<Log>() = Log::default();
    assert_eq!(world.remove_non_send(), Some(Log::default()));
    assert!(!world.contains_non_send::<Log>());
    world.init_non_send::<Log>();
    world.non_send::<Log>().note(4);
    world.init_non_send::<Log>();
    assert_eq!(*world.non_send::<Log>().0.borrow(), [4]);
    assert!(format!("{world:?}").contains("Log"));
}

#[test]
fn a_value_that_is_missing_is_an_error_with_its_name() {
    let mut world = World::new();
    for text in [expect_panic(|| world.non_send::<Log>().note(1)), expect_panic(|| world.non_send_mut::<Log>().note(1))]
    {
        assert!(text.contains("::Log` does not exist; insert it with `World::insert_non_send`"), "{text}");
    }
    let error = world.run_system_once(|_: NonSend<'_, Log>| ()).unwrap_err().to_string();
    assert!(error.contains("::Log` does not exist") && error.contains("make the parameter an `Option`"), "{error}");
    assert!(world.run_system_once(|log: Option<NonSendMut<'_, Log>>| log.is_none()).unwrap());
}

#[test]
fn systems_read_and_write_it() {
    #[system]
    fn each(health: &mut Health, log: NonSend<'_, Log>) {
        log.note(health.0);
        health.0 += 1;
    }
    #[system]
    fn replace(mut log: NonSendMut<'_, Log>, other: Option<NonSend<'_, Rc<u32>>>) {
        assert!(other.is_none());
        let copy = log.0.borrow().clone();
        *log = Log(Rc::new(RefCell::new(copy)));
        log.note(100);
    }
    #[system]
    fn each_again(_: &Health, mut log: NonSendMut<'_, Log>, _: NonSendMarker) {
        log.0 = Rc::new(RefCell::new(Vec::new()));
    }
    #[derive(SystemParam)]
    struct Logger<'w> {
        log: NonSend<'w, Log>,
    }
    fn through_a_struct(logger: Logger<'_>) -> usize {
        logger.log.0.borrow().len()
    }
    let mut world = World::new();
    world.spawn_batch([Health(1), Health(2)]);
    let log = Log::default();
    world.insert_non_send(log.clone());
    let mut schedule = Schedule::default();
    schedule.add_systems((each, replace));
    schedule.run(&mut world);
    assert_eq!(*log.0.borrow(), [1, 2]);
    assert_eq!(*world.non_send::<Log>().0.borrow(), [1, 2, 100]);
    assert_eq!(world.run_system_once(through_a_struct).unwrap(), 3);
    world.run_system_once(each_again).unwrap();
    assert_eq!(world.run_system_once(through_a_struct).unwrap(), 0);
}

#[test]
fn changes_are_seen_as_those_of_resources() {
    fn watch(log: NonSend<'_, Log>, mut seen: ResMut<'_, Seen>) {
        seen.0.push((log.is_added(), log.is_changed()));
    }
    fn write(mut log: NonSendMut<'_, Log>, mut runs: ResMut<'_, Runs>) {
        runs.0 += 1;
        match runs.0 {
            1 => assert!(log.is_added()),
            2 => log.bypass_change_detection().note(1),
            3 => *log = Log::default(),
            4 => log.set_changed(),
            _ => assert!(!log.is_changed()),
        }
    }
    #[derive(Resource, Default)]
    struct Seen(Vec<(bool, bool)>);
    let mut world = World::new();
    world.init_resource::<Runs>();
    world.init_resource::<Seen>();
    world.init_non_send::<Log>();
    let mut schedule = Schedule::default();
    schedule.add_systems((write, watch));
    (0..5).for_each(|_| schedule.run(&mut world));
    let (new, changed, same) = ((true, true), (false, true), (false, false));
    assert_eq!(world.resource::<Seen>().0, [new, same, changed, changed, same]);
    world.non_send_mut::<Log>().0 = Rc::default();
    world.resource_mut::<Runs>().0 = 1;
    schedule.run(&mut world);
    world.insert_non_send(Log::default());
    world.resource_mut::<Runs>().0 = 1;
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0[5..], [changed, changed], "to replace it is to change it");
    world.remove_non_send::<Log>();
    world.insert_non_send(Log::default());
    world.resource_mut::<Runs>().0 = 1;
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0[7..], [new]);
}

#[test]
fn on_another_thread_it_can_neither_be_used_nor_replaced() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_non_send(log.clone());
    let texts = elsewhere(|| {
        assert!(world.contains_non_send::<Log>());
        // To make one that is there is to do nothing.
        world.init_non_send::<Log>();
        [
            expect_panic(|| world.non_send::<Log>().note(1)),
            expect_panic(|| world.get_non_send::<Log>().is_some()),
            expect_panic(|| world.non_send_mut::<Log>().note(1)),
            expect_panic(|| world.get_non_send_mut::<Log>().is_some()),
            expect_panic(|| drop(world.remove_non_send::<Log>())),
            expect_panic(|| world.insert_non_send(Log::default())),
        ]
    });
    for text in texts {
        assert!(names_both(&text), "{text}");
    }
    assert!(Rc::ptr_eq(&world.non_send::<Log>().0, &log.0));
    assert_eq!((Rc::strong_count(&log.0), log.0.borrow().len()), (2, 0));
    world.check_invariants();
}

#[test]
fn threads_may_share_the_world_with_the_owner() {
    let mut world = World::new();
    world.insert_non_send(Log::default());
    world.insert_resource(Runs(3));
    let world = &world;
    thread::scope(|scope| {
        let other =
            scope.spawn(move || (world.resource::<Runs>().0, catch(|| world.non_send::<Log>().note(1)).is_err()));
        world.non_send::<Log>().note(2);
        assert_eq!(other.join().unwrap(), (3, true));
    });
    assert_eq!(*world.non_send::<Log>().0.borrow(), [2]);
}

#[test]
fn a_system_that_runs_on_another_thread_fails_and_nothing_else_does() {
    fn count(mut runs: ResMut<'_, Runs>) {
        runs.0 += 1;
    }
    fn spawn(mut commands: Commands<'_, '_>) {
        commands.spawn(Health(1));
    }
    fn note(log: NonSend<'_, Log>) {
        log.note(1);
    }
    let mut world = World::new();
    world.init_resource::<Runs>();
    world.insert_non_send(Log::default());
    let mut schedule = Schedule::default();
    schedule.add_systems((count, spawn, note));
    let error = elsewhere(|| {
        assert!(world.run_system_once(|log: Option<NonSendMut<'_, Log>>| log.is_some()).is_err());
        schedule.try_run(&mut world).unwrap_err()
    });
    assert!(error.system().expect("it has failed").ends_with("note"));
    assert!(names_both(&error.to_string()), "{error}");
    assert_eq!((world.resource::<Runs>().0, world.len()), (1, 1));
    schedule.run(&mut world);
    assert_eq!((world.resource::<Runs>().0, world.len()), (2, 2));
    assert_eq!(*world.non_send::<Log>().0.borrow(), [1]);
    world.check_invariants();
}

#[test]
fn a_value_belongs_to_the_thread_that_inserted_it_last() {
    let mut world = World::new();
    world.insert_non_send(Log::default());
    world.remove_non_send::<Log>();
    elsewhere(|| {
        world.insert_non_send(Log::default());
        world.non_send::<Log>().note(1);
    });
    assert!(world.contains_non_send::<Log>());
    assert!(catch(|| world.non_send::<Log>().note(1)).is_err());
    // That thread is gone, and no other will be it.
    elsewhere(|| assert!(catch(|| world.non_send::<Log>().note(1)).is_err()));
}

#[test]
fn a_world_drops_it_on_its_thread_and_leaks_it_on_another() {
    let held = || Held(Token::new(), Rc::default());
    let mut world = World::new();
    world.insert_non_send(held());
    world.insert_non_send(held());
    assert_eq!(drops::alive(), 1, "the first was replaced");
    drop(world);
    assert_eq!(drops::alive(), 0);
    let mut world = World::new();
    let shared = Rc::new(());
    world.insert_non_send(Rc::clone(&shared));
    elsewhere(move || drop(world));
    assert_eq!(Rc::strong_count(&shared), 2, "it has not been touched");
    // And back again.
    let mut world = World::new();
    world.insert_non_send(Rc::clone(&shared));
    let world = elsewhere(move || world);
    drop(world);
    assert_eq!(Rc::strong_count(&shared), 2);
}

#[test]
fn a_drop_that_panics_finds_the_new_value_in_place() {
    let mut world = World::new();
    world.insert_non_send(Held(Token::armed(), Rc::default()));
    assert!(catch(|| world.insert_non_send(Held(Token::new(), Rc::default()))).is_err());
    assert!(world.contains_non_send::<Held>());
    assert_eq!(drops::alive(), 1);
    // All others are dropped, if one panics with the world.
    world.insert_non_send((Token::armed(), Rc::new(1)));
    world.insert_non_send((Token::new(), Rc::new('a')));
    assert!(catch(|| drop(world)).is_err());
    assert_eq!(drops::alive(), 0);
}

#[test]
fn parameters_that_are_in_each_others_way_are_refused_when_the_system_is_built() {
    let mut world = World::new();
    world.insert_non_send(Log::default());
    let text = expect_panic(|| world.run_system_once(|_: NonSend<'_, Log>, _: NonSendMut<'_, Log>| ()));
    assert!(
        text.contains("parameter 1 and parameter 2 both borrow non-Send value `") && text.contains("::Log`"),
        "{text}"
    );
    let text = expect_panic(|| world.run_system_once(|_: &World, _: NonSendMut<'_, Log>| ()));
    assert!(text.contains("the whole world"), "{text}");
    world.run_system_once(|_: NonSend<'_, Log>, _: Option<NonSend<'_, Log>>, _: &World| ()).unwrap();
    world.run_system_once(|_: NonSendMut<'_, Log>, _: Option<NonSendMut<'_, Rc<u32>>>| ()).unwrap();
    let swap = |mut set: ParamSet<'_, '_, (NonSend<'_, Log>, NonSendMut<'_, Log>)>| {
        set.p0().note(1);
        *set.p1() = Log::default();
    };
    world.run_system_once(swap).unwrap();
}

#[test]
fn conditions_and_pipes_may_read_it() {
    let mut world = World::new();
    world.insert_non_send(Log::default());
    world.init_resource::<Runs>();
    let mut schedule = Schedule::default();
    let count = |mut runs: ResMut<'_, Runs>| runs.0 += 1;
    schedule.add_systems(count.run_if(|log: NonSend<'_, Log>| !log.0.borrow().is_empty()));
    schedule.run(&mut world);
    world.non_send::<Log>().note(1);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 1);
    let length =
        (|log: NonSend<'_, Log>| log.0.borrow().len()).pipe(|In(length): In<usize>, log: NonSendMut<'_, Log>| {
            log.note(length as u32);
        });
    world.run_system_once(length).unwrap();
    assert_eq!(*world.non_send::<Log>().0.borrow(), [1, 1]);
}

#[test]
fn a_system_is_tested_by_hand() {
    fn note(log: NonSend<'_, Log>, mut numbers: NonSendMut<'_, Vec<u32>>) -> bool {
        log.note(numbers.len() as u32);
        numbers.reborrow().push(1);
        numbers.into_inner().push(2);
        log.is_changed()
    }
    let (log, mut numbers) = (Log::default(), vec![]);
    assert!(note(NonSend::from(&log), NonSendMut::from(&mut numbers)));
    assert_eq!((&*log.0.borrow(), numbers), (&vec![0], vec![1, 2]));
    let mut value = 3;
    let read = NonSend::from(NonSendMut::from(&mut value));
    assert_eq!((*read, format!("{read:?}")), (3, String::from("NonSend(3)")));
}

#[test]
fn a_world_with_such_values_is_send_and_sync() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<World>();
}

#[test]
fn all_are_cleared_at_once_unless_one_belongs_to_another_thread() {
    let mut world = World::new();
    let (log, other) = (Log::default(), Rc::new(5));
    world.insert_non_send(log.clone());
    world.insert_non_send(Rc::clone(&other));
    world.insert_resource(Runs(3));
    elsewhere(|| world.insert_non_send(Cell::new(1)));
    let text = expect_panic(|| world.clear_non_send());
    assert!(text.contains("Cell<i32>` was inserted on"), "{text}");
    assert!(world.contains_non_send::<Log>() && world.contains_non_send::<Cell<i32>>());
    let mut world = World::new();
    world.insert_non_send(log.clone());
    world.insert_non_send(Rc::clone(&other));
    world.insert_resource(Runs(3));
    world.clear_non_send();
    assert_eq!((Rc::strong_count(&log.0), Rc::strong_count(&other)), (2, 2), "the first world has them");
    assert!(!world.contains_non_send::<Log>() && !world.contains_non_send::<Rc<i32>>());
    assert_eq!(world.resource::<Runs>().0, 3);
    // One that is cleared is new when it is inserted again.
    world.insert_non_send(Log::default());
    assert!(world.non_send_mut::<Log>().is_added());
    world.check_invariants();
}

#[test]
fn a_drop_that_panics_while_all_are_cleared_leaves_none() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    let mut world = World::new();
    world.insert_non_send(Bomb);
    world.insert_non_send(Held(Token::new(), Rc::default()));
    assert_eq!(expect_panic(|| world.clear_non_send()), "boom");
    assert_eq!(drops::alive(), 0);
    assert!(!world.contains_non_send::<Bomb>());
    world.clear_non_send();
}
