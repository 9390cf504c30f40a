//! The parameters of observers, for different events.

use std::fmt::Debug;
use std::marker::PhantomData;

use strata_ecs::prelude::*;
use strata_ecs::system::SystemName;
use strata_ecs::world::DeferredWorld;

use super::{Log, noted, world};

#[derive(Event, Debug)]
struct Alarm(u32);
#[derive(Event)]
enum Weather {
    Rain { mm: u32 },
    Sun,
}
#[derive(Event)]
struct Typed<T>(T);
#[derive(EntityEvent)]
struct Got<T: Debug> {
    entity: Entity,
    what: T,
}
#[derive(EntityEvent)]
struct Only<T>(#[event_target] Entity, PhantomData<T>);
#[derive(Message)]
struct Note;
#[derive(Component)]
struct Mark(u32);
#[derive(Resource, Default)]
struct Counted(u32);

#[derive(SystemParam)]
struct Marks<'w, 's> {
    marks: Query<'w, 's, &'static mut Mark>,
    log: ResMut<'w, Log>,
}

#[test]
fn parameters_of_all_kinds() {
    fn many(
        alarm: On<Alarm>,
        mut marks: Query<&mut Mark>,
        log: Option<ResMut<Log>>,
        mut count: Local<u32>,
        mut writer: MessageWriter<Note>,
        mut set: ParamSet<(Query<Entity, With<Mark>>, Query<Entity, Without<Mark>>)>,
    ) {
        *count += alarm.0;
        for mut mark in &mut marks {
            mark.0 += *count;
        }
        writer.write(Note);
        log.unwrap().note(format!("{} {}", set.p0().iter().count(), set.p1().iter().count()));
    }
    let mut world = world();
    world.init_resource::<Messages<Note>>();
    world.spawn(Mark(1));
    world.add_observer(many);
    world.trigger(Alarm(2));
    world.trigger(Alarm(3));
    assert_eq!(noted(&mut world), ["1 0", "1 0"]);
    assert_eq!(world.query::<&Mark>().iter(&world).next().unwrap().0, 1 + 2 + 5);
    assert_eq!(world.resource::<Messages<Note>>().len(), 2);
}

#[test]
fn derived_parameters_worlds_and_nothing() {
    let mut world = world();
    world.spawn(Mark(1));
    world.add_observer(|alarm: On<Alarm>, mut marks: Marks| {
        marks.marks.iter_mut().for_each(|mut mark| mark.0 += alarm.0);
        marks.log.note("derived");
    });
    world.add_observer(|_: On<Alarm>, world: &World| assert_eq!(world.len(), 1));
    world.add_observer(|alarm: On<Alarm>, mut world: DeferredWorld| {
        let text = format!("{:?}", alarm.event());
        world.resource_mut::<Log>().note(text);
    });
    world.add_observer(|_: On<Alarm>| {});
    world.trigger(Alarm(4));
    assert_eq!(noted(&mut world), ["derived", "Alarm(4)"]);
}

#[test]
fn a_deferred_world_comes_beside_what_is_the_observers_own() {
    let mut world = world();
    let mark = world.spawn(Mark(1)).id();
    world.add_observer(move |alarm: On<Alarm>, mut world: DeferredWorld, mut told: Local<u32>, name: SystemName| {
        *told += 1;
        world.get_mut::<Mark>(mark).unwrap().0 += alarm.0 * *told;
        world.commands().spawn(Mark(*told));
        assert!(name.as_str().contains("observers::params"));
    });
    for n in 1..=3 {
        world.trigger(Alarm(10));
        assert_eq!(world.len(), 1 + n);
    }
    assert_eq!(world.get::<Mark>(mark).unwrap().0, 1 + 10 + 20 + 30);
}

#[test]
fn a_condition_beside_a_deferred_world_is_asked_each_time() {
    let mut world = world();
    world.init_resource::<Counted>();
    let count = |_: On<Alarm>, mut world: DeferredWorld, mut told: Local<u32>| {
        *told += 1;
        world.resource_mut::<Counted>().0 = *told;
    };
    world.add_observer(count.run_if(|counted: Res<Counted>| counted.0 < 2));
    (0..5).for_each(|_| world.trigger(Alarm(0)));
    assert_eq!(world.resource::<Counted>().0, 2);
}

#[test]
fn changes_are_those_since_the_observer_ran() {
    let mut world = world();
    let entity = world.spawn(Mark(1)).id();
    world.add_observer(|_: On<Alarm>, changed: Query<(), Changed<Mark>>, mut log: ResMut<Log>| {
        log.note(changed.iter().count());
    });
    world.trigger(Alarm(0));
    world.trigger(Alarm(0));
    world.get_mut::<Mark>(entity).unwrap().0 = 2;
    world.trigger(Alarm(0));
    assert_eq!(noted(&mut world), ["1", "0", "1"]);
}

#[test]
fn a_system_with_the_attribute_observes() {
    #[system]
    fn raise(alarm: On<Alarm>, mut log: ResMut<Log>) {
        log.note(alarm.0);
    }
    let mut world = world();
    world.add_observer(raise);
    world.trigger(Alarm(6));
    assert_eq!(noted(&mut world), ["6"]);
}

#[test]
fn observers_of_generic_events_are_kept_apart() {
    fn note<T: Debug + Send + Sync + 'static>(got: On<Got<T>>, mut log: ResMut<Log>) {
        log.note(format!("{:?}", got.what));
    }
    let mut world = world();
    world.add_observer(note::<u32>);
    world.add_observer(|event: On<Typed<&'static str>>, mut log: ResMut<Log>| log.note(event.0));
    world.add_observer(|_: On<Typed<u32>>, mut log: ResMut<Log>| log.note("a number"));
    let entity = world.spawn_empty().observe(|only: On<Only<u8>>, mut log: ResMut<Log>| log.note(only.0)).id();
    world.trigger(Got { entity, what: 1_u32 });
    world.trigger(Got { entity, what: "text" });
    world.trigger(Typed("typed"));
    world.trigger(Typed(1_u32));
    world.trigger(Only::<u8>(entity, PhantomData));
    world.trigger(Only::<u16>(entity, PhantomData));
    assert_eq!(noted(&mut world), ["1".to_owned(), "typed".into(), "a number".into(), entity.to_string()]);
}

#[test]
fn enums_are_events() {
    let mut world = world();
    world.add_observer(|weather: On<Weather>, mut log: ResMut<Log>| match *weather {
        Weather::Rain { mm } => log.note(mm),
        Weather::Sun => log.note("sun"),
    });
    world.trigger(Weather::Rain { mm: 3 });
    world.trigger(Weather::Sun);
    assert_eq!(noted(&mut world), ["3", "sun"]);
}

#[test]
fn nothing_but_values_changes_while_an_event_is_told() {
    let mut world = world();
    world.add_observer(|_: On<Alarm>, mut commands: Commands, mut log: ResMut<Log>, all: Query<Entity>| {
        commands.spawn_empty();
        log.note(all.iter().count());
    });
    world.add_observer(|_: On<Alarm>, all: Query<Entity>, mut log: ResMut<Log>| log.note(all.iter().count()));
    world.trigger(Alarm(0));
    assert_eq!((noted(&mut world), world.len()), (vec!["0".to_owned(), "0".into()], 1));
}
