//! The parameters, wherever parameters may stand.

use strata_ecs::message::{MessageCursor, Messages};
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

use super::{Hidden, Hit, Log, log, take_log, world};

#[derive(Component)]
struct Health(u32);

#[test]
fn a_system_makes_the_messages_of_its_parameters() {
    fn writer(_: MessageWriter<'_, Hit>) {}
    fn reader(hits: MessageReader<'_, '_, Hit>) {
        assert!(hits.is_empty());
    }
    fn mutator(_: MessageMutator<'_, '_, Hit>) {}
    fn kept(world: &World) -> bool {
        world.contains_resource::<Messages<Hit>>()
    }
    let mut worlds = [World::new(), World::new(), World::new(), World::new()];
    worlds[0].run_system_once(writer).unwrap();
    worlds[1].run_system_once(reader).unwrap();
    worlds[2].run_system_once(mutator).unwrap();
    assert_eq!([0, 1, 2, 3].map(|at| kept(&worlds[at])), [true, true, true, false]);
}

#[test]
fn messages_that_were_removed_are_named() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(log);
    schedule.run(&mut world);
    world.remove_resource::<Messages<Hit>>();
    let error = schedule.try_run(&mut world).unwrap_err().to_string();
    assert!(error.contains("log` could not run: resource") && error.contains("Hit>` was there"), "{error}");
    world.write_message(Hit(3));
    schedule.run(&mut world);
    assert_eq!(take_log(&mut world), [3]);
}

#[test]
fn messages_that_were_replaced_are_read_from_their_beginning() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(log);
    world.write_message_batch((0..10).map(Hit));
    schedule.run(&mut world);
    world.insert_resource(Messages::<Hit>::default());
    world.write_message(Hit(20));
    schedule.run(&mut world);
    assert_eq!(take_log(&mut world)[10..], [20]);
}

#[test]
fn rows_share_a_writer_and_each_sees_the_messages_of_the_frame() {
    #[system]
    fn hurt(health: &mut Health, hits: Res<Messages<Hit>>, mut healed: MessageWriter<Hidden<u32>>) {
        health.0 += hits.iter_current_update_messages().map(|hit| hit.0).sum::<u32>();
        healed.write(Hidden(health.0));
    }
    let mut world = world();
    world.spawn_batch([Health(10), Health(20), Health(30)]);
    world.write_message_batch([Hit(10), Hit(20)]);
    let mut schedule = Schedule::default();
    schedule.add_systems(hurt);
    schedule.run(&mut world);
    let healths: Vec<u32> = world.resource_mut::<Messages<Hidden<u32>>>().drain().map(|hidden| hidden.0).collect();
    assert_eq!(healths, [40, 50, 60]);
}

#[test]
fn each_step_of_an_iterator_counts_at_once() {
    fn read(mut hits: MessageReader<'_, '_, Hit>) -> (Option<u32>, Option<u32>, usize, Option<u64>) {
        let mut iter = hits.read();
        let (first, fourth) = (iter.next().map(|hit| hit.0), iter.nth(2).map(|hit| hit.0));
        // It is not used any more, but it is still there.
        let left = hits.len();
        hits.read().next();
        let id = hits.read_with_id().next().map(|(_, id)| id.id);
        assert!(hits.read().nth(9).is_none() && hits.is_empty());
        (first, fourth, left, id)
    }
    let mut world = world();
    world.write_message_batch((0..3).map(Hit));
    let mut schedule = Schedule::default();
    schedule.run(&mut world);
    // Some of the frame before, and some of this one.
    world.write_message_batch((3..8).map(Hit));
    assert_eq!(world.run_system_once(read).unwrap(), (Some(0), Some(3), 4, Some(5)));
}

#[test]
fn structs_sets_and_tuples_hold_them() {
    #[derive(SystemParam)]
    struct Battle<'w, 's, M: Message> {
        hits: MessageReader<'w, 's, M>,
        out: (MessageWriter<'w, Hidden<u8>>, MessageMutator<'w, 's, Hidden<u16>>),
    }

    #[system]
    fn fight(mut battle: Battle<Hit>) {
        battle.out.0.write_batch(battle.hits.read().map(|hit| Hidden(hit.0 as u8)));
        battle.out.1.read().for_each(|hidden| hidden.0 += 1);
    }

    #[system]
    fn echo(mut set: ParamSet<(MessageReader<Hit>, MessageWriter<Hit>)>) {
        let more: Vec<Hit> = set.p0().read().filter(|hit| hit.0 > 0).map(|hit| Hit(hit.0 - 1)).collect();
        set.p1().write_batch(more);
    }

    let mut world = world();
    world.write_message(Hit(3));
    let mut schedule = Schedule::default();
    schedule.add_systems((echo, fight, log));
    for _ in 0..6 {
        schedule.run(&mut world);
    }
    assert_eq!(take_log(&mut world), [3, 2, 1, 0]);
    assert_eq!(world.resource::<Messages<Hidden<u8>>>().get_cursor().missed(world.resource()), 0);
}

#[test]
fn a_condition_reads_with_a_cursor_of_its_own() {
    fn any(mut hits: MessageReader<'_, '_, Hit>) -> bool {
        hits.read().count() > 0
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((log.run_if(any), log.run_if(any.and(|| true))));
    let mut lens = Vec::new();
    for run in 0..4 {
        if run % 2 == 0 {
            world.write_message(Hit(run));
        }
        schedule.run(&mut world);
        lens.push(take_log(&mut world));
    }
    assert_eq!(lens, [vec![0, 0], vec![], vec![2, 2], vec![]]);
}

#[test]
fn systems_with_messages_are_called_by_hand_in_a_test() {
    let mut messages = Messages::default();
    let mut cursor = MessageCursor::default();
    fn write(mut hits: MessageWriter<'_, Hit>) {
        hits.write_default();
    }
    fn double(mut hits: MessageMutator<'_, '_, Hit>) {
        hits.read().for_each(|hit| hit.0 += 2);
    }
    write(MessageWriter::from(&mut messages));
    double(MessageMutator::from((&mut messages, &mut cursor)));
    let mut log_of = Log::default();
    log(MessageReader::from((&messages, &mut MessageCursor::default())), ResMut::from(&mut log_of));
    assert_eq!(log_of.0, [2]);
}

#[test]
fn parameters_with_messages_of_unknown_types_are_checked_when_the_system_is_built() {
    fn twice<T: Send + Sync + 'static>(_: MessageWriter<'_, Hidden<T>>, _: MessageReader<'_, '_, Hidden<T>>) {}
    let text = expect_panic(|| World::new().run_system_once(twice::<u8>));
    assert!(text.contains("parameter 1 and parameter 2 both borrow resource") && text.contains("Hidden<u8>"), "{text}");
}

#[test]
fn readers_of_one_type_and_writers_of_several_get_along() {
    #[system]
    fn two_readers(first: MessageReader<Hit>, second: MessageReader<Hit>, all: Res<Messages<Hit>>) {
        assert_eq!((first.len(), second.len(), all.len()), (1, 1, 1));
    }
    #[system]
    fn two_types(_first: MessageWriter<Hit>, _second: MessageWriter<Hidden<u8>>, _third: MessageWriter<Hidden<u16>>) {}
    let mut world = world();
    world.write_message(Hit(1));
    world.run_system_once(two_readers).unwrap();
    world.run_system_once(two_types).unwrap();
}

#[test]
fn commands_write_when_they_are_applied() {
    fn late(mut commands: Commands<'_, '_>, mut hits: MessageWriter<'_, Hit>) {
        commands.write_message(Hit(2));
        hits.write(Hit(1));
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((late, log).chain());
    schedule.run(&mut world);
    assert_eq!(take_log(&mut world), [1, 2]);
}

#[test]
fn a_mutator_writes_too_and_reads_what_it_has_written() {
    fn answer(mut hits: MessageMutator<'_, '_, Hit>) -> Vec<u64> {
        let read = hits.read_with_id().map(|(_, id)| id.id).collect();
        if hits.write(Hit(7)).id == 1 {
            hits.write_batch([Hit(8), Hit(9)]);
        }
        read
    }
    let mut world = World::new();
    let answer = {
        world.write_message(Hit(1));
        let id = world.register_system(answer);
        move |world: &mut World| world.run_system(id).unwrap()
    };
    assert_eq!(answer(&mut world), [0]);
    assert_eq!(answer(&mut world), [1, 2, 3]);
}

#[test]
fn reading_on_several_threads_visits_each_unread_message_once() {
    let mut messages = Messages::<Hit>::default();
    let mut cursor = MessageCursor::default();
    messages.write_batch((0..3000).map(Hit));
    let seen = std::sync::Mutex::new(Vec::new());
    cursor.par_read(&messages).for_each_with_id(|hit, id| seen.lock().unwrap().push((id.id as u32, hit.0)));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert!(seen.into_iter().eq((0..3000).map(|number| (number, number))));
    assert!(cursor.par_read(&messages).is_empty() && cursor.read(&messages).next().is_none());
}
