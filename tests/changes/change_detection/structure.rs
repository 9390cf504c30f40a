//! The effect of inserting, removing and moving on ticks, for each kind of storage.

use strata_ecs::prelude::*;

use super::parts::{Aside, Extra, Health, Marked, Needy, Other, Tag};
use super::watcher::Watcher;

/// How many entities there are besides: enough for several groups of rows.
const OTHERS: usize = 200;

/// A world with many entities, and two watchers that have seen them all.
struct Scene<C> {
    world: World,
    entities: Vec<Entity>,
    changed: Watcher<Changed<C>>,
    added: Watcher<Added<C>>,
}

impl<C: Component + Default + Clone> Scene<C> {
    fn new() -> Self {
        let mut world = World::new();
        let mut entities: Vec<Entity> = world.spawn_batch((0..OTHERS).map(|_| C::default())).collect();
        entities.extend(world.spawn_batch((0..OTHERS).map(|_| (C::default(), Other(1)))));
        let (changed, added) = (Watcher::of(&mut world), Watcher::of(&mut world));
        let mut scene = Self { world, entities, changed, added };
        scene.expect("nothing has happened", &[], &[]);
        scene
    }

    /// Each watcher sees what it should, once.
    fn expect(&mut self, what: &str, changed: &[Entity], added: &[Entity]) {
        let sorted = |entities: &[Entity]| {
            let mut sorted = entities.to_vec();
            sorted.sort_unstable();
            sorted
        };
        assert_eq!(self.changed.sees(&mut self.world), sorted(changed), "changed: {what}");
        assert_eq!(self.added.sees(&mut self.world), sorted(added), "added: {what}");
        assert_eq!(self.changed.sees(&mut self.world), [], "seen twice: {what}");
        assert_eq!(self.added.sees(&mut self.world), [], "seen twice: {what}");
        self.world.check_invariants();
    }
}

/// Calls a test for each kind of storage.
macro_rules! for_each_storage {
    ($($test:ident),* $(,)?) => {
        $(
            mod $test {
                use super::super::parts::{Aside, Health, Marked, Tag};

                #[test]
                fn in_a_table() {
                    super::check::$test::<Health>();
                }

                #[test]
                fn in_a_table_without_a_size() {
                    super::check::$test::<Marked>();
                }

                #[test]
                fn in_a_sparse_set() {
                    super::check::$test::<Aside>();
                }

                #[test]
                fn as_a_tag() {
                    super::check::$test::<Tag>();
                }
            }
        )*
    };
}

for_each_storage![
    spawning_adds,
    insert_over_a_value_is_a_change_but_no_addition,
    insert_if_new_over_a_value_is_nothing,
    removing_and_inserting_is_an_addition,
    removing_and_inserting_by_commands_is_an_addition,
    many_inserts_by_commands_are_changes,
    other_components_may_come_and_go,
    swap_removes_carry_ticks,
    selections_carry_ticks,
    whole_tables_exchange_columns,
    replace_exchange_and_take_give_new_values,
    retain_keeps_ticks,
    clones_are_new,
    what_comes_from_another_world_is_new,
    what_is_cleared_is_not_seen,
];

mod check {
    use super::*;

    pub(super) trait Part: Component + Default + Clone + std::fmt::Debug {}
    impl<C: Component + Default + Clone + std::fmt::Debug> Part for C {}

    pub(super) fn spawning_adds<C: Part>() {
        let mut scene = Scene::<C>::new();
        let world = &mut scene.world;
        let mut new = vec![world.spawn(C::default()).id(), world.spawn((C::default(), Other(3), Extra([1; 3]))).id()];
        new.extend(world.spawn_batch((0..20).map(|_| C::default())));
        new.extend(world.spawn_columns((vec![C::default(); 5], vec![Other(1); 5])).expect("of one length"));
        let [at, first, second] = [3000, 3001, 3002].map(|index| Entity::from_raw_u32(index).expect("a valid index"));
        new.push(world.spawn_at(at, C::default()).expect("it is free").id());
        world.spawn_columns_at(&[first, second], vec![C::default(); 2]).expect("they are free");
        new.extend([first, second]);
        new.push(world.spawn_dynamic(EntityBuilder::new().add(C::default()).add(Other(2))).id());
        let mut commands = world.commands();
        new.extend((0..20).map(|_| commands.spawn((C::default(), Other(1))).id()).collect::<Vec<_>>());
        new.push(commands.spawn(C::default()).id());
        new.push(commands.spawn_empty().insert(C::default()).insert(Other(4)).id());
        world.flush();
        scene.expect("spawned", &new, &new);
    }

    pub(super) fn insert_over_a_value_is_a_change_but_no_addition<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[3]).insert(C::default());
        scene.expect("in place", &entities[3..4], &[]);
        scene.world.entity_mut(entities[5]).insert((C::default(), Other(2)));
        scene.expect("while moving", &entities[5..6], &[]);
        scene.world.entity_mut(entities[7]).insert_dynamic(EntityBuilder::new().add(C::default()));
        scene.expect("from a builder", &entities[7..8], &[]);
        scene.world.insert_batch(entities[9..30].iter().map(|&entity| (entity, C::default())));
        scene.expect("a batch", &entities[9..30], &[]);
        scene.world.many(&entities[30..60]).insert(C::default());
        scene.expect("a selection in place", &entities[30..60], &[]);
        scene.world.many(&entities[30..60]).insert((C::default(), Other(1)));
        scene.expect("a selection that moves", &entities[30..60], &[]);
        let slice = vec![C::default(); 9];
        scene.world.many(&entities[60..69]).insert_columns(&slice[..]).expect("of one length");
        scene.expect("columns", &entities[60..69], &[]);
    }

    pub(super) fn insert_if_new_over_a_value_is_nothing<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[3]).insert_if_new(C::default());
        scene.world.entity_mut(entities[4]).insert_if_new((C::default(), Other(1)));
        for &entity in &entities[5..100] {
            scene.world.commands().entity(entity).insert_if_new((C::default(), Other(1)));
        }
        scene.world.flush();
        scene.expect("there already", &[], &[]);
        let without = scene.world.spawn(Other(1)).id();
        scene.world.entity_mut(without).insert_if_new(C::default());
        scene.expect("missing", &[without], &[without]);
    }

    pub(super) fn removing_and_inserting_is_an_addition<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[3]).remove::<C>();
        scene.expect("removed", &[], &[]);
        scene.world.entity_mut(entities[3]).insert(C::default());
        scene.expect("inserted again", &entities[3..4], &entities[3..4]);
        scene.world.entity_mut(entities[4]).remove::<C>().insert(C::default());
        scene.expect("both", &entities[4..5], &entities[4..5]);
        scene.world.many(&entities[5..50]).remove::<C>();
        scene.world.many(&entities[5..50]).insert(C::default());
        scene.expect("many", &entities[5..50], &entities[5..50]);
    }

    pub(super) fn removing_and_inserting_by_commands_is_an_addition<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        // One, a few, and so many that they are carried out together.
        for some in [&entities[3..4], &entities[10..14], &entities[20..150]] {
            for &entity in some {
                scene.world.commands().entity(entity).remove::<C>().insert(C::default());
            }
            scene.world.flush();
            scene.expect("in place", some, some);
            for &entity in some {
                scene.world.commands().entity(entity).remove::<C>().insert(C::default()).insert(Other(3));
            }
            scene.world.flush();
            scene.expect("while moving", some, some);
            for &entity in some {
                scene.world.commands().entity(entity).retain::<()>().insert((C::default(), Other(2)));
            }
            scene.world.flush();
            scene.expect("retaining nothing", some, some);
            for &entity in some {
                scene.world.commands().entity(entity).insert(C::default()).remove::<C>().insert_if_new(C::default());
            }
            scene.world.flush();
            scene.expect("twice", some, some);
        }
    }

    pub(super) fn many_inserts_by_commands_are_changes<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        for some in [&entities[3..4], &entities[10..14], &entities[20..150]] {
            for &entity in some {
                scene.world.commands().entity(entity).insert(C::default()).insert(Other(9));
            }
            scene.world.flush();
            scene.expect("inserted", some, &[]);
            for &entity in some {
                scene.world.commands().entity(entity).remove::<Other>().insert(C::default());
            }
            scene.world.flush();
            scene.expect("inserted while another goes", some, &[]);
        }
    }

    pub(super) fn other_components_may_come_and_go<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        let old = scene.world.entity(entities[3]).get_change_ticks::<C>();
        scene.world.entity_mut(entities[3]).insert(Other(3));
        scene.world.entity_mut(entities[OTHERS + 3]).remove::<Other>();
        assert_eq!(scene.world.entity(entities[3]).get_change_ticks::<C>(), old);
        scene.expect("others", &[], &[]);
        for &entity in &entities[..150] {
            scene.world.commands().entity(entity).insert(Other(3));
        }
        scene.world.flush();
        scene.expect("others by commands", &[], &[]);
        // A change that has not been seen yet goes along.
        scene.world.entity_mut(entities[3]).insert(C::default());
        scene.world.entity_mut(entities[3]).remove::<Other>();
        scene.expect("unseen", &entities[3..4], &[]);
    }

    pub(super) fn swap_removes_carry_ticks<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        let last = entities[OTHERS - 1];
        scene.world.entity_mut(last).insert(C::default());
        for row in [0, 70, 150] {
            // First the changed one comes to the row, then another.
            scene.world.despawn(entities[row]);
            scene.world.entity_mut(entities[row + 1]).insert(Other(2));
        }
        scene.expect("the last one has moved", &[last], &[]);
        let new = scene.world.spawn(C::default()).id();
        scene.world.despawn(entities[3]);
        scene.world.despawn(entities[OTHERS + 5]);
        scene.expect("the new one has moved", &[new], &[new]);
    }

    pub(super) fn selections_carry_ticks<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        let some: Vec<Entity> = entities[..OTHERS].iter().copied().step_by(3).collect();
        for &entity in &some[10..20] {
            scene.world.entity_mut(entity).insert(C::default());
        }
        scene.world.many(&some).insert(Other(1));
        scene.world.many(&some[5..15]).remove::<Other>();
        scene.expect("there and back", &some[10..20], &[]);
        scene.world.entity_mut(some[1]).insert(C::default());
        scene.world.many(&entities[100..160]).despawn();
        scene.expect("despawned", &some[1..2], &[]);
    }

    pub(super) fn whole_tables_exchange_columns<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[3]).insert(C::default());
        scene.world.entity_mut(entities[OTHERS + 3]).insert(C::default());
        // The rows of a table all move to one that is new, and on to one that was left.
        scene.world.all::<Without<Other>>().insert(Extra([1; 3]));
        scene.world.all::<With<Extra>>().remove::<Extra>();
        scene.world.all::<With<Other>>().insert(Extra([1; 3]));
        scene.expect("others by the table", &[entities[3], entities[OTHERS + 3]], &[]);
        let all = scene.world.all::<With<Extra>>().insert(C::default());
        assert_eq!(all, OTHERS);
        scene.expect("all of a table", &entities[OTHERS..], &[]);
        scene.world.all::<With<Extra>>().insert((C::default(), Extra([2; 3])));
        scene.expect("all of a table, while moving", &entities[OTHERS..], &[]);
        scene.world.all::<With<C>>().remove::<C>();
        scene.world.all::<With<Other>>().insert(C::default());
        scene.expect("all again", &entities[OTHERS..], &entities[OTHERS..]);
    }

    pub(super) fn replace_exchange_and_take_give_new_values<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[3]).replace::<C, _>(C::default());
        scene.expect("replaced by itself", &entities[3..4], &entities[3..4]);
        scene.world.entity_mut(entities[4]).replace::<C, _>((C::default(), Other(2)));
        scene.expect("replaced while moving", &entities[4..5], &entities[4..5]);
        scene.world.entity_mut(entities[5]).exchange::<C, _>(C::default()).expect("it has one");
        scene.expect("exchanged", &entities[5..6], &entities[5..6]);
        scene.world.entity_mut(entities[6]).exchange::<C, _>((C::default(), Other(2))).expect("it has one");
        scene.expect("exchanged while moving", &entities[6..7], &entities[6..7]);
        let taken = scene.world.entity_mut(entities[7]).take::<C>().expect("it has one");
        scene.expect("taken", &[], &[]);
        scene.world.entity_mut(entities[7]).insert(taken);
        scene.expect("put back", &entities[7..8], &entities[7..8]);
        let mut all = scene.world.entity_mut(entities[8]).take_all();
        scene.world.entity_mut(entities[8]).insert_dynamic(&mut all);
        scene.expect("all taken and put back", &entities[8..9], &entities[8..9]);
    }

    pub(super) fn retain_keeps_ticks<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[OTHERS]).retain::<C>();
        scene.world.commands().entity(entities[OTHERS + 1]).retain::<C>();
        scene.world.flush();
        scene.expect("retained", &[], &[]);
        scene.world.entity_mut(entities[OTHERS + 2]).insert(C::default()).retain::<C>();
        scene.expect("changed and retained", &entities[OTHERS + 2..OTHERS + 3], &[]);
    }

    pub(super) fn clones_are_new<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        let clones = [3, OTHERS + 3].map(|at| scene.world.clone_entity(entities[at]).expect("it can be cloned"));
        scene.expect("cloned", &clones, &clones);
        let mut parts = scene.world.entity_mut(entities[5]).clone_components().expect("they can be cloned");
        scene.world.entity_mut(entities[6]).insert_dynamic(&mut parts);
        scene.expect("cloned over a value", &entities[6..7], &[]);
    }

    pub(super) fn what_comes_from_another_world_is_new<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        let mut other = World::new();
        (0..1000).for_each(|_| _ = other.increment_change_tick());
        let there: Vec<Entity> = other.spawn_batch((0..5).map(|_| (C::default(), Other(1)))).collect();
        let map = other.all::<()>().move_to(&mut scene.world);
        let mut new: Vec<Entity> = there.iter().map(|&entity| map.get(entity).expect("it has moved")).collect();
        scene.expect("from another world", &new, &new);
        let map = scene.world.many(&entities[..100]).move_to(&mut other);
        scene.expect("gone", &[], &[]);
        let mut watcher = Watcher::<Changed<C>>::new();
        assert_eq!(watcher.sees(&mut other).len(), 100);
        let back = other.all::<()>().move_to(&mut scene.world);
        let home = |entity: &Entity| back.get(map.get(*entity).expect("it has moved")).expect("it has come back");
        new = entities[..100].iter().map(home).collect();
        scene.expect("back again", &new, &new);
    }

    pub(super) fn what_is_cleared_is_not_seen<C: Part>() {
        let mut scene = Scene::<C>::new();
        let entities = scene.entities.clone();
        scene.world.entity_mut(entities[3]).insert(C::default()).clear();
        scene.world.entity_mut(entities[4]).insert(C::default());
        scene.world.despawn(entities[4]);
        scene.expect("cleared", &[], &[]);
        scene.world.clear_entities();
        scene.expect("no entities", &[], &[]);
        let new: Vec<Entity> = scene.world.spawn_batch((0..300).map(|_| C::default())).collect();
        scene.expect("others in their rows", &new, &new);
    }
}

#[test]
fn required_components_are_added_where_they_were_missing() {
    let mut world = World::new();
    let without = world.spawn(Other(1)).id();
    let with = world.spawn((Health(3), Aside(3))).id();
    let (mut table, mut sparse) = (Watcher::<Added<Health>>::of(&mut world), Watcher::<Changed<Aside>>::of(&mut world));
    let new = world.spawn(Needy).id();
    world.entity_mut(without).insert(Needy);
    world.entity_mut(with).insert(Needy);
    assert_eq!(table.sees(&mut world), [without, new]);
    assert_eq!(sparse.sees(&mut world), [without, new]);
    // A component that one step removes and another one requires is constructed again.
    world.commands().entity(with).remove::<(Health, Aside, Needy)>().insert(Needy);
    world.flush();
    assert_eq!(table.sees(&mut world), [with]);
    assert_eq!(sparse.sees(&mut world), [with]);
    world.entity_mut(with).replace::<(Health, Aside), _>(Needy);
    assert_eq!(table.sees(&mut world), [with]);
    assert_eq!(sparse.sees(&mut world), [with]);
    world.entity_mut(with).exchange::<(Health, Aside), _>(Needy).expect("it has both");
    assert_eq!(table.sees(&mut world), [with]);
    assert_eq!(sparse.sees(&mut world), [with]);
}

#[test]
fn a_component_that_moves_with_many_others_keeps_its_own_ticks() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Marked, Aside(1), Tag)).id();
    let mut watchers = (
        Watcher::<Changed<Health>>::of(&mut world),
        Watcher::<Changed<Marked>>::of(&mut world),
        Watcher::<Changed<Aside>>::of(&mut world),
        Watcher::<Changed<Tag>>::of(&mut world),
    );
    world.get_mut::<Marked>(entity).expect("present").set_changed();
    world.get_mut::<Tag>(entity).expect("present").set_changed();
    world.entity_mut(entity).insert(Other(1)).remove::<Other>();
    assert_eq!(watchers.0.sees(&mut world), []);
    assert_eq!(watchers.1.sees(&mut world), [entity]);
    assert_eq!(watchers.2.sees(&mut world), []);
    assert_eq!(watchers.3.sees(&mut world), [entity]);
}
