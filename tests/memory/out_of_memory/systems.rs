//! Operations that run systems.

use strata_ecs::prelude::*;
use strata_ecs::schedule::SingleThreadedExecutor;

use super::kinds::*;
use super::operations::Operation;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
enum Set {
    First,
    Last,
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

fn spawns(mut commands: Commands<'_, '_>) {
    commands.spawn(whole(1));
    commands.spawn((newcomer::<0>(), name(3))).insert(Tag);
    commands.spawn_batch((0..10).map(|number| (held(number), Needy(1))));
}

fn changes(mut names: Query<'_, '_, (Entity, &mut Title), Without<Newcomer<4>>>, mut commands: Commands<'_, '_>) {
    for (entity, mut name) in &mut names {
        name.0 = String::from("name changed");
        commands.entity(entity).insert(aside(5)).remove::<Loose>();
    }
}

fn watches(changed: Query<'_, '_, &Held, Or<(Changed<Held>, Added<Aside>)>>, mut seen: Local<'_, Vec<String>>) {
    seen.extend(changed.iter().map(|held| held.0.clone()));
}

fn reads_removed(mut held: RemovedValues<'_, '_, Held>, mut tags: RemovedComponents<'_, '_, Tag>) {
    assert!(held.read().count() + tags.read().count() < 1000);
}

fn writes(mut notes: MessageWriter<'_, Note>, mut new: MessageWriter<'_, NewNote<2>>) {
    (0..5).for_each(|number| _ = notes.write(note(number)));
    new.write(new_note::<2>());
}

fn reads(mut notes: MessageReader<'_, '_, Note>) {
    assert!(notes.read().all(|note| note.0.starts_with("note ")));
}

fn removes(world: &mut World) {
    world.all::<With<Tag>>().remove::<(Held, Aside)>();
}

#[system]
fn rows(mark: &mut Mark, held: Option<&Held>) {
    mark.0 += held.map_or(1, |held| held.0.len() as u32);
}

#[system(par, with(Held))]
fn more_rows(mark: &mut Mark) {
    mark.0 += 1;
}

fn is_used(store: Option<Res<'_, Store>>) -> bool {
    store.is_some()
}

fn counts(In(number): In<u32>, all: Query<'_, '_, &Held>) -> u32 {
    all.iter().count() as u32 + number
}

fn needs(_: ResMut<'_, NewStore<3>>, _: Single<'_, '_, &Page>) {}

fn fill(schedule: &mut Schedule) {
    schedule.add_systems((spawns, changes, watches, reads_removed).chain());
    schedule.add_systems(((writes, reads).chain().in_set(Set::First), removes.in_set(Set::Last).run_if(is_used)));
    schedule.add_systems((rows, more_rows).chain().in_set(Set::Last));
    schedule.configure_sets((Set::First, Set::Last).chain());
    schedule.add_systems((|| 3).pipe(counts).map(|_: u32| ()));
}

pub(crate) const SYSTEMS: &[Operation] = &[
    ("run_system_once", |stage| {
        let _ = stage.world.run_system_once(spawns);
        let _ = stage.world.run_system_once(watches);
        let _ = stage.world.run_system_once(reads_removed);
        let _ = stage.world.run_system_once(rows);
        let _ = stage.world.run_system_once(needs);
        let _ = stage.world.run_system_once_with(counts, 4);
    }),
    ("a schedule is built and run", |stage| {
        fill(&mut stage.schedule);
        stage.schedule.set_executor(SingleThreadedExecutor::new());
        stage.schedule.run(&mut stage.world);
        stage.schedule.run(&mut stage.world);
    }),
    ("a schedule runs on both worlds", |stage| {
        stage.schedule.add_systems((spawns, changes, watches, rows).chain());
        stage.schedule.run(&mut stage.world);
        stage.schedule.run(&mut stage.other);
        stage.schedule.add_systems((reads_removed, writes, reads).chain());
        stage.schedule.run(&mut stage.world);
    }),
    ("a schedule with threads", |stage| {
        fill(&mut stage.schedule);
        for _ in 0..3 {
            stage.schedule.run(&mut stage.world);
        }
    }),
    ("schedules by label", |stage| {
        stage.world.init_resource::<Schedules>();
        stage.world.resource_mut::<Schedules>().add_systems(Update, (spawns, rows).chain());
        stage.world.run_schedule(Update);
        stage.world.resource_mut::<Schedules>().add_systems(Update, watches);
        stage.world.run_schedule(Update);
    }),
    ("registered systems", |stage| {
        let id = stage.world.register_system(spawns);
        let _ = stage.world.run_system(id);
        let _ = stage.world.run_system_cached(changes);
        let _ = stage.world.run_system_cached(watches);
        let counter = stage.world.register_system(counts);
        let _ = stage.world.run_system_with(counter, 3);
        stage.world.commands().run_system(id);
        stage.world.commands().run_system_cached(reads_removed);
        stage.world.flush();
        let _ = stage.world.unregister_system(id);
        let _ = stage.world.unregister_system_cached(changes);
    }),
    ("states of systems", |stage| {
        let mut state = SystemState::<(
            Query<'_, '_, (&mut Held, Option<&Newcomer<5>>)>,
            Commands<'_, '_>,
            Local<'_, Vec<u32>>,
            RemovedComponents<'_, '_, Aside>,
            MessageReader<'_, '_, NewNote<3>>,
        )>::new(&mut stage.world);
        if let Ok((mut query, mut commands, mut local, ..)) = state.get_mut(&mut stage.world) {
            local.push(query.iter_mut().count() as u32);
            commands.spawn(whole(3));
        }
        state.apply(&mut stage.world);
    }),
    ("a diagram and a report", |stage| {
        fill(&mut stage.schedule);
        stage.schedule.run(&mut stage.world);
        let _ = stage.schedule.diagram(&mut stage.world).map(|diagram| format!("{diagram:?}"));
        let _ = format!("{:?}", stage.schedule.report(&stage.world));
        let _ = stage.schedule.ambiguities(&stage.world).len();
        let _ = format!("{}", stage.world.explain_query::<(&Held, Has<Title>)>());
    }),
];
