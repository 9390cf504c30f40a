//! Selections among other commands of a queue.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;

use super::parts::*;
use super::run::{Calls, Change, Pick, Run, change, command, pick};

/// A command; numbers pick one of the entities that are alive at this point of the queue.
#[derive(Clone, Debug)]
pub(crate) enum Record {
    Spawn(u8, u32),
    Insert(usize, u8, u32),
    Remove(usize, u8),
    Despawn(usize),
    Select(Pick, Change),
}

/// Queues of commands.
pub(crate) fn queues(length: Range<usize>) -> impl Strategy<Value = Vec<Vec<Record>>> {
    let kind = || 0..BUNDLES;
    let value = || 0..10_000_u32;
    let which = any::<usize>;
    let record = prop_oneof![
        5 => (kind(), value()).prop_map(|(kind, value)| Record::Spawn(kind, value)),
        3 => (which(), kind(), value()).prop_map(|(which, kind, value)| Record::Insert(which, kind, value)),
        2 => (which(), kind()).prop_map(|(which, kind)| Record::Remove(which, kind)),
        1 => which().prop_map(Record::Despawn),
        5 => (pick(), change()).prop_map(|(pick, change)| Record::Select(pick, change)),
    ];
    vec(vec(record, 0..25), length)
}

impl Run {
    /// Records commands and carries them out at once; the map changes command by command.
    pub(crate) fn play_queue(&mut self, records: &[Record]) {
        for record in records {
            match record {
                Record::Spawn(kind, value) => {
                    let entity = with_bundle!(*kind, B => self.world.commands().spawn(B::make(*value)).id());
                    self.born(entity, &[mask(*kind)], *value);
                }
                Record::Insert(which, kind, value) => {
                    let Some(entity) = self.living(*which) else { continue };
                    with_bundle!(*kind, B => _ = self.world.commands().entity(entity).insert(B::make(*value)));
                    self.rows.entry(entity).and_modify(|row| give(row, mask(*kind), *value));
                }
                Record::Remove(which, kind) => {
                    let Some(entity) = self.living(*which) else { continue };
                    with_bundle!(*kind, B => _ = self.world.commands().entity(entity).remove::<B>());
                    self.rows.entry(entity).and_modify(|row| take(row, mask(*kind)));
                }
                Record::Despawn(which) => {
                    let Some(entity) = self.living(*which) else { continue };
                    self.world.commands().entity(entity).despawn();
                    self.rows.remove(&entity);
                }
                Record::Select(pick, change) => self.record_selection(pick, *change),
            }
        }
        self.world.flush();
        self.check();
    }

    fn living(&self, which: usize) -> Option<Entity> {
        self.rows.keys().nth(which.checked_rem(self.rows.len())?).copied()
    }

    fn record_selection(&mut self, pick: &Pick, change: Change) {
        let (list, selected) = self.list(pick);
        let mut commands = self.world.commands();
        let selection = match pick {
            Pick::All(filter) => with_filter!(*filter, F => commands.all::<F>()),
            _ => commands.many(list),
        };
        let ids: Vec<Entity> = selected.into_iter().collect();
        match change {
            // In which order the function will be called is not known yet.
            Change::InsertWith(kind, value) | Change::InsertColumns(kind, value) => {
                with_bundle!(kind, B => selection.insert_with(move |entity| B::make(value + entity.index())));
                for id in ids {
                    self.rows.entry(id).and_modify(|row| give(row, mask(kind), value + id.index()));
                }
            }
            _ => {
                let calls = Calls::default();
                command(selection, change, &calls);
                self.expect(change, &ids, &calls);
            }
        }
    }
}

#[test]
fn commands_see_entities_that_earlier_ones_of_the_queue_have_spawned_and_pass_over_despawned_ones() {
    let mut world = World::new();
    let dead = world.spawn(Plain::make(1)).id();
    world.despawn(dead);
    let old = world.spawn(Plain::make(2)).id();
    let mut commands = world.commands();
    let new = commands.spawn(Plain::make(3)).id();
    let empty = commands.spawn_empty().id();
    commands.entity(empty).insert(Plain::make(4));
    commands.all::<With<Plain>>().insert(Unit);
    commands.many([dead, new, old, new]).insert(Aside::make(1));
    commands.entity(old).despawn();
    commands.many(vec![old, new, dead]).remove::<Plain>();
    commands.many([old, dead]).despawn();
    let late = commands.spawn(Plain::make(5)).id();
    world.flush();
    world.check_invariants();
    let has = |id| {
        let row = row_of(&world, id);
        (row[0], row[2].is_some(), row[8].is_some())
    };
    assert_eq!(has(new), (None, true, true));
    assert_eq!(has(empty), (Some(4), true, false));
    assert_eq!(has(late), (Some(5), false, false), "spawned after the selections");
    assert_eq!(world.len(), 3);
}

#[test]
fn commands_in_systems_select_when_they_are_carried_out() {
    fn freeze(mut commands: Commands<'_, '_>, query: Query<'_, '_, Entity, With<Plain>>) {
        let ids: Vec<Entity> = query.iter().collect();
        commands.many(ids).insert_from::<&Plain, _>(|plain| Aside::make(plain.0));
        commands.spawn((Plain::make(50), Tag));
        commands.all::<(With<Tag>, Without<Aside>)>().insert(Unit);
        commands.all::<With<Aside>>().remove::<Plain>();
    }
    let mut world = World::new();
    world.spawn_batch((0..5).map(Plain::make));
    world.run_system_once(freeze).expect("it runs");
    world.check_invariants();
    let mut aside: Vec<u32> = world.query::<&Aside>().iter(&world).map(Part::value).collect();
    aside.sort_unstable();
    assert_eq!(aside, [8, 9, 10, 11, 12]);
    assert_eq!(world.query_filtered::<&Plain, With<Unit>>().iter(&world).map(Part::value).collect::<Vec<_>>(), [50]);
    assert_eq!(world.query::<&Plain>().iter(&world).count(), 1);
}

#[test]
fn commands_that_are_dropped_with_their_queue_drop_what_they_hold() {
    use strata_tests::drops;
    drops::reset();
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..3).map(Heap::make)).collect();
    let held = Heap::make(3);
    let mut commands = world.commands();
    assert!(format!("{:?}", commands.all::<()>()).starts_with("SelectionCommands"));
    commands.all::<()>().insert((Heap::make(1), Unit));
    commands.many(ids).insert_with(move |_| held.clone());
    assert_eq!(drops::alive(), 5);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn commands_leave_entities_alone_that_later_ones_of_the_queue_spawn() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(Plain::make));
    let mut commands = world.commands();
    commands.all::<()>().despawn();
    let hero = commands.spawn(Plain::make(7)).id();
    commands.all::<Without<Unit>>().insert(Aside::make(1));
    let late = commands.spawn(Plain::make(8)).id();
    world.flush();
    world.check_invariants();
    assert_eq!(world.get::<Plain>(hero).map(Part::value), Some(7), "it came after those that were despawned");
    assert!(world.get::<Aside>(hero).is_some() && world.get::<Plain>(late).is_some());
    assert!(world.get::<Aside>(late).is_none());
    assert_eq!(world.len(), 2);
}
