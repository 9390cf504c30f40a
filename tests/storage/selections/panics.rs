//! Panics in the middle of a change of many entities: in clones, closures, iterators and destructors.
//!
//! The worlds have three tables of [`ROWS`] selected entities each, and every place of a panic is tried.

use std::cell::Cell;

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

use super::parts::{Bell, Make, bells};

/// How many entities of each table are selected.
const ROWS: usize = 4;
const SELECTED: usize = 3 * ROWS;

#[derive(Component)]
struct Old(Token);
#[derive(Component)]
struct Older(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Side(Token);
#[derive(Component)]
struct InSecond;
#[derive(Component)]
struct InThird;
#[derive(Component)]
struct Apart;

thread_local! {
    /// How many values of [`Extra`] and [`Mixed`] can be made before one panics.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn made() -> Token {
    let left = LEFT.get();
    assert!(left > 0, "no value is left");
    LEFT.set(left - 1);
    Token::new()
}

#[derive(Component)]
struct Extra(Token);
impl Clone for Extra {
    fn clone(&self) -> Self {
        Self(made())
    }
}
#[derive(Component)]
#[component(storage = "sparse")]
struct Mixed(Token);
impl Clone for Mixed {
    fn clone(&self) -> Self {
        Self(made())
    }
}

/// Which rows of each table are selected.
#[derive(Clone, Copy, Debug)]
enum Selected {
    All,
    First,
    Middle,
    Last,
}

const SELECTIONS: [Selected; 4] = [Selected::All, Selected::First, Selected::Middle, Selected::Last];

struct Scene {
    world: World,
    everyone: Vec<Entity>,
    /// Table by table, in the order in which they are visited.
    chosen: Vec<Entity>,
    /// The values of `Old` that everyone had at first, in the same order.
    old: Vec<u64>,
}

fn old(world: &World, entity: Entity) -> u64 {
    world.get::<Old>(entity).expect("everyone has it").0.id()
}

impl Scene {
    fn new(selected: Selected) -> Self {
        drops::reset();
        LEFT.set(usize::MAX);
        let mut world = World::new();
        let (before, after) = match selected {
            Selected::All => (0, 0),
            Selected::First => (0, 3),
            Selected::Middle => (2, 3),
            Selected::Last => (3, 0),
        };
        let mut everyone = Vec::new();
        let mut chosen = Vec::new();
        for table in 0..3 {
            for row in 0..before + ROWS + after {
                let mut entity = world.spawn((Old(Token::new()), Older(Token::new()), Side(Token::new())));
                match table {
                    0 => &mut entity,
                    1 => entity.insert(InSecond),
                    _ => entity.insert(InThird),
                };
                everyone.push(entity.id());
                if (before..before + ROWS).contains(&row) {
                    chosen.push(entity.id());
                }
            }
        }
        let old = everyone.iter().map(|&entity| old(&world, entity)).collect();
        Self { world, everyone, chosen, old }
    }

    fn select(&mut self) -> EntitySelection<'_> {
        let selection = self.world.many(&self.chosen);
        assert_eq!(selection.ids(), self.chosen, "the tests rely on this order");
        selection
    }

    /// Whether this one is chosen and among the first of them.
    fn is_among(&self, entity: Entity, first: usize) -> bool {
        self.chosen[..first].contains(&entity)
    }

    /// Fails unless exactly the first of the chosen ones have the component.
    fn assert_have<C: Component>(&self, first: usize) {
        for &entity in &self.everyone {
            assert_eq!(self.world.get::<C>(entity).is_some(), self.is_among(entity, first), "{entity:?} of {first}");
        }
    }

    /// Fails unless exactly the first of the chosen ones have another value of `Old` than at the beginning.
    fn assert_renewed(&self, first: usize) {
        for (&entity, &id) in self.everyone.iter().zip(&self.old) {
            let now = old(&self.world, entity);
            assert!(drops::is_alive(now));
            assert_eq!(now != id, self.is_among(entity, first), "{entity:?} of {first}");
        }
    }

    /// Fails unless this number of values exists and the invariants hold; then drops everything.
    fn finish(mut self, values: usize) {
        self.world.check_invariants();
        drops::assert_none_twice();
        assert_eq!(drops::alive(), values);
        drops::fuse(None);
        LEFT.set(usize::MAX);
        let alive: Vec<Entity> = self.everyone.iter().copied().filter(|&id| self.world.contains(id)).collect();
        let count = self.world.many(&alive).insert_with(|_| (Old(Token::new()), Extra(Token::new()), Bell::make(0)));
        assert_eq!(count, alive.len());
        self.world.check_invariants();
        assert!(alive.iter().all(|&entity| self.world.get::<Extra>(entity).is_some()));
        drop(self.world);
        drops::assert_all_dropped_once();
        assert_eq!(bells(), 0);
    }
}

/// How new values get into the selection.
#[derive(Clone, Copy, Debug)]
enum Way {
    Clone,
    With,
    From,
    Columns,
}

const WAYS: [Way; 4] = [Way::Clone, Way::With, Way::From, Way::Columns];

/// Gives each entity a bundle. Making it may panic when a part of it exists already.
fn add(selection: EntitySelection<'_>, way: Way) -> usize {
    match way {
        Way::Clone => selection.insert((Bell::make(0), Extra(Token::new()))),
        Way::With => selection.insert_with(|_| (Bell::make(0), Extra(made()))),
        Way::From => selection.insert_from::<&Old, _>(|old| {
            assert!(drops::is_alive(old.0.id()));
            (Bell::make(0), Extra(made()))
        }),
        Way::Columns => {
            let bells: Vec<Bell> = (0..SELECTED).map(|_| Bell::make(0)).collect();
            let extras: Vec<Extra> = (0..SELECTED).map(|_| Extra(Token::new())).collect();
            selection.insert_columns((&bells[..], &extras[..])).expect("one value for each entity")
        }
    }
}

#[test]
fn if_making_a_value_panics_the_tables_before_are_done_and_the_others_as_they_were() {
    for (selected, way) in SELECTIONS.into_iter().flat_map(|selected| WAYS.map(|way| (selected, way))) {
        for at in 0..SELECTED {
            for destination_has_rows in [false, true] {
                let mut scene = Scene::new(selected);
                let more = if destination_has_rows { 1 } else { 0 };
                for _ in 0..more {
                    let bundle = (Old(Token::new()), Older(Token::new()), Bell::make(0), Extra(Token::new()));
                    scene.world.spawn(bundle);
                }
                LEFT.set(at);
                expect_panic(|| add(scene.select(), way));
                let done = at / ROWS * ROWS;
                scene.assert_have::<Extra>(done);
                scene.assert_have::<Bell>(done);
                scene.assert_renewed(0);
                let all = scene.everyone.len();
                assert_eq!(bells(), (done + more) as isize, "{selected:?} {way:?} {at}");
                scene.finish(3 * all + done + 3 * more);
            }
        }
    }
}

#[test]
fn if_making_a_value_panics_entities_that_had_all_components_keep_what_they_got() {
    for (selected, at) in SELECTIONS.into_iter().flat_map(|selected| (0..SELECTED).map(move |at| (selected, at))) {
        let mut scene = Scene::new(selected);
        LEFT.set(at);
        expect_panic(|| scene.select().insert_with(|_| Old(made())));
        scene.assert_renewed(at);
        let values = 3 * scene.everyone.len();
        scene.finish(values);
    }
}

#[test]
fn tables_that_need_no_change_get_their_values_first() {
    for at in 0..SELECTED {
        let mut scene = Scene::new(Selected::All);
        let third = scene.chosen[2 * ROWS..].to_vec();
        let first = scene.chosen[..2 * ROWS].to_vec();
        scene.world.many(&third).insert_with(|_| Apart);
        LEFT.set(at);
        expect_panic(|| scene.select().insert_with(|_| (Old(made()), Apart)));
        // The third table comes before the others now.
        scene.chosen = third.into_iter().chain(first).collect();
        let done = if at < ROWS { at } else { at / ROWS * ROWS };
        scene.assert_renewed(done);
        scene.assert_have::<Apart>(done.max(ROWS));
        scene.finish(3 * SELECTED);
    }
}

#[test]
fn if_making_a_value_of_a_mixed_bundle_panics_each_entity_has_all_of_it_or_nothing() {
    for (selected, at) in SELECTIONS.into_iter().flat_map(|selected| (0..2 * SELECTED).map(move |at| (selected, at))) {
        let mut scene = Scene::new(selected);
        LEFT.set(at);
        expect_panic(|| scene.select().insert((Extra(Token::new()), Mixed(Token::new()))));
        let mut count = 0;
        for &entity in &scene.everyone {
            let has = scene.world.get::<Extra>(entity).is_some();
            assert_eq!(has, scene.world.get::<Mixed>(entity).is_some());
            assert!(!has || scene.is_among(entity, SELECTED));
            count += usize::from(has);
        }
        assert!(count <= at / 2);
        scene.assert_renewed(0);
        let values = 3 * scene.everyone.len() + 2 * count;
        scene.finish(values);
    }
}

#[test]
fn if_the_drop_of_a_replaced_value_panics_its_table_has_the_new_values_all_the_same() {
    for (selected, at) in SELECTIONS.into_iter().flat_map(|selected| (0..2 * SELECTED).map(move |at| (selected, at))) {
        let mut scene = Scene::new(selected);
        drops::fuse(Some(at));
        expect_panic(|| scene.select().insert_with(|_| (Old(Token::new()), Apart, Older(Token::new()))));
        let done = (at / (2 * ROWS) + 1) * ROWS;
        scene.assert_renewed(done);
        scene.assert_have::<Apart>(done);
        let values = 3 * scene.everyone.len();
        scene.finish(values);
    }
}

#[test]
fn if_the_drop_of_a_value_replaced_in_place_panics_this_entity_has_its_new_value() {
    for (selected, at) in SELECTIONS.into_iter().flat_map(|selected| (0..SELECTED).map(move |at| (selected, at))) {
        let mut scene = Scene::new(selected);
        drops::fuse(Some(at));
        expect_panic(|| scene.select().insert_with(|_| Old(Token::new())));
        scene.assert_renewed(at + 1);
        let values = 3 * scene.everyone.len();
        scene.finish(values);
    }
}

/// Removes a bundle of two components with values, with a panic in each drop.
fn removing_panics<B: Bundle, C: Component>() {
    for (selected, at) in SELECTIONS.into_iter().flat_map(|selected| (0..2 * SELECTED).map(move |at| (selected, at))) {
        let mut scene = Scene::new(selected);
        drops::fuse(Some(at));
        expect_panic(|| scene.select().remove::<B>());
        let done = (at / (2 * ROWS) + 1) * ROWS;
        for &entity in &scene.everyone {
            assert_eq!(scene.world.get::<Older>(entity).is_none(), scene.is_among(entity, done), "{selected:?} {at}");
            assert_eq!(scene.world.get::<C>(entity).is_none(), scene.is_among(entity, done), "{selected:?} {at}");
        }
        let values = 3 * scene.everyone.len() - 2 * done;
        scene.finish(values);
    }
}

#[test]
fn if_the_drop_of_a_removed_value_panics_its_table_is_done_and_the_later_ones_as_they_were() {
    removing_panics::<(Old, Older), Old>();
}

#[test]
fn if_the_drop_of_a_removed_sparse_value_panics_its_table_is_done_and_the_later_ones_as_they_were() {
    removing_panics::<(Side, Older), Side>();
}

#[test]
fn if_a_drop_panics_when_entities_are_despawned_all_of_its_table_are_gone_and_the_later_ones_live() {
    for (selected, at) in SELECTIONS.into_iter().flat_map(|selected| (0..3 * SELECTED).map(move |at| (selected, at))) {
        let mut scene = Scene::new(selected);
        drops::fuse(Some(at));
        expect_panic(|| scene.select().despawn());
        let done = (at / (3 * ROWS) + 1) * ROWS;
        for (&entity, &id) in scene.everyone.iter().zip(&scene.old) {
            let gone = scene.is_among(entity, done);
            assert_eq!((scene.world.contains(entity), drops::is_alive(id)), (!gone, !gone), "{selected:?} {at}");
        }
        let values = 3 * (scene.everyone.len() - done);
        scene.finish(values);
    }
}

#[test]
fn if_the_iterator_of_a_batch_panics_the_entities_so_far_keep_what_they_got() {
    for at in 0..SELECTED {
        let mut scene = Scene::new(Selected::All);
        LEFT.set(at);
        let ids = scene.chosen.clone();
        let batch = ids.iter().map(|&entity| (entity, (Bell::make(0), Extra(made()))));
        expect_panic(|| scene.world.insert_batch(batch));
        scene.assert_have::<Extra>(at);
        assert_eq!(bells(), at as isize);
        scene.finish(3 * SELECTED + at);
    }
}

#[test]
fn if_the_function_of_a_command_panics_the_world_stays_whole() {
    for at in 0..SELECTED {
        let mut scene = Scene::new(Selected::Middle);
        LEFT.set(at);
        let chosen = scene.chosen.clone();
        scene.world.commands().many(chosen).insert_with(|_| (Bell::make(0), Extra(made())));
        expect_panic(|| scene.world.flush());
        let done = at / ROWS * ROWS;
        scene.assert_have::<Extra>(done);
        let values = 3 * scene.everyone.len() + done;
        scene.finish(values);
    }
}
