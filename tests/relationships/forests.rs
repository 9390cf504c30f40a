//! Systems along a relationship, while entities are spawned, despawned and moved between tables: what they visit, and in which order, is
//! what a system visits that has just been created.

use std::collections::HashSet;

use proptest::prelude::*;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::prelude::*;

use super::Likes;

/// Visited by the systems.
#[derive(Component, Clone, PartialEq, Debug)]
struct Local(u64);
/// Read on targets, which may not be visited.
#[derive(Component, Clone, PartialEq, Debug)]
struct Global(u64);
#[derive(Component, Clone)]
struct Frozen;
#[derive(Component, Clone)]
struct Hot;

/// The visited entities, with what was read along the relationship.
#[derive(Resource, Default, Clone, PartialEq, Debug)]
struct Visited(Vec<(Entity, Vec<Entity>)>);

#[system(down = ChildOf)]
fn down(entity: Entity, _local: &Local, #[parent] parent: Option<Entity>, mut visited: ResMut<Visited>) {
    visited.0.push((entity, parent.into_iter().collect()));
}

#[system(up = ChildOf)]
fn up(entity: Entity, _local: &Local, #[children] children: ChildRows<Entity>, mut visited: ResMut<Visited>) {
    visited.0.push((entity, children.collect()));
}

#[system(down = ChildOf, changed(Local))]
fn down_changed(entity: Entity, _local: &Local, #[parent] parent: Option<Entity>, mut visited: ResMut<Visited>) {
    visited.0.push((entity, parent.into_iter().collect()));
}

#[system(up = ChildOf, changed(Local))]
fn up_changed(entity: Entity, _local: &Local, #[children] children: ChildRows<Entity>, mut visited: ResMut<Visited>) {
    visited.0.push((entity, children.collect()));
}

#[system(down = Likes)]
fn liked(entity: Entity, _local: &Local, #[parent] parent: Option<Entity>, mut visited: ResMut<Visited>) {
    visited.0.push((entity, parent.into_iter().collect()));
}

#[system(up = Likes)]
fn likers(entity: Entity, _local: &Local, #[children] children: ChildRows<Entity>, mut visited: ResMut<Visited>) {
    visited.0.push((entity, children.collect()));
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Visited>();
    world
}

fn take(world: &mut World) -> Vec<(Entity, Vec<Entity>)> {
    std::mem::take(&mut world.resource_mut::<Visited>().0)
}

fn run(world: &mut World, schedule: &mut Schedule) -> Vec<(Entity, Vec<Entity>)> {
    schedule.run(world);
    take(world)
}

fn parent(world: &World, entity: Entity) -> Option<Entity> {
    world.get::<ChildOf>(entity).map(ChildOf::parent)
}

/// The systems that visit all rows, in schedules that are kept.
struct Kept {
    down: Schedule,
    up: Schedule,
    liked: Schedule,
    likers: Schedule,
}

impl Kept {
    fn new() -> Self {
        let [mut all_down, mut all_up, mut all_liked, mut all_likers] = [(); 4].map(|()| Schedule::default());
        all_down.add_systems(down);
        all_up.add_systems(up);
        all_liked.add_systems(liked);
        all_likers.add_systems(likers);
        Self { down: all_down, up: all_up, liked: all_liked, likers: all_likers }
    }

    /// Compares the kept systems with new ones.
    #[track_caller]
    fn assert_as_new(&mut self, world: &mut World) {
        let kept = [&mut self.down, &mut self.up, &mut self.liked, &mut self.likers].map(|kept| run(world, kept));
        world.run_system_once(down).unwrap();
        let mut new = vec![take(world)];
        world.run_system_once(up).unwrap();
        new.push(take(world));
        world.run_system_once(liked).unwrap();
        new.push(take(world));
        world.run_system_once(likers).unwrap();
        new.push(take(world));
        for (kept, new) in kept.iter().zip(&new) {
            assert_eq!(kept, new);
        }
    }
}

/// A root with a middle, which has two leaves.
fn tree(world: &mut World) -> [Entity; 4] {
    let root = world.spawn((Local(1), Global(1))).id();
    let middle = world.spawn((Local(2), Global(2), ChildOf(root))).id();
    let leaves = [3, 4].map(|local| world.spawn((Local(local), Global(local), ChildOf(middle))).id());
    [root, middle, leaves[0], leaves[1]]
}

fn entities(visited: &[(Entity, Vec<Entity>)]) -> Vec<Entity> {
    visited.iter().map(|(entity, _)| *entity).collect()
}

fn changed_down(world: &mut World) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(down_changed);
    run(world, &mut schedule);
    schedule
}

#[test]
fn a_spawned_leaf_is_visited_alone() {
    let mut world = world();
    let [_, middle, ..] = tree(&mut world);
    let mut schedule = changed_down(&mut world);
    let leaf = world.spawn((Local(5), ChildOf(middle))).id();
    assert_eq!(run(&mut world, &mut schedule), [(leaf, vec![middle])]);
    assert_eq!(run(&mut world, &mut schedule), []);
}

#[test]
fn a_despawned_entity_changes_nothing_for_others() {
    let mut world = world();
    let [_, middle, first, second] = tree(&mut world);
    let mut schedule = changed_down(&mut world);
    world.despawn(first);
    assert_eq!(run(&mut world, &mut schedule), []);
    world.get_mut::<Local>(second).unwrap().0 = 9;
    assert_eq!(run(&mut world, &mut schedule), [(second, vec![middle])]);
}

#[test]
fn a_moved_parent_is_found_by_its_children() {
    let mut world = world();
    let [root, middle, first, second] = tree(&mut world);
    let mut schedule = changed_down(&mut world);
    world.entity_mut(middle).insert(Frozen);
    assert_eq!(run(&mut world, &mut schedule), []);
    world.get_mut::<Local>(middle).unwrap().0 = 9;
    let visited = run(&mut world, &mut schedule);
    assert_eq!(visited[0], (middle, vec![root]));
    assert_eq!(
        visited[1..].iter().cloned().collect::<HashSet<_>>(),
        HashSet::from([first, second].map(|leaf| (leaf, vec![middle])))
    );
    // The last row takes the place of the first.
    let other = world.spawn((Local(1), Global(1))).id();
    run(&mut world, &mut schedule);
    world.entity_mut(root).insert(Hot);
    assert_eq!(run(&mut world, &mut schedule), []);
    world.get_mut::<Local>(root).unwrap().0 = 9;
    assert_eq!(entities(&run(&mut world, &mut schedule)).len(), 4);
    world.get_mut::<Local>(other).unwrap().0 = 9;
    assert_eq!(run(&mut world, &mut schedule), [(other, vec![])]);
}

#[test]
fn a_parent_that_leaves_the_visited_tables_is_read_and_its_children_are_roots() {
    let mut world = world();
    let [_, middle, first, second] = tree(&mut world);
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    world.entity_mut(middle).remove::<Local>();
    schedule.assert_as_new(&mut world);
    let visited = run(&mut world, &mut schedule.down);
    assert!(visited.contains(&(first, vec![middle])) && visited.contains(&(second, vec![middle])));
    assert!(!entities(&visited).contains(&middle));
    // In a table that the forest has not seen, and with others in its former table.
    world.entity_mut(middle).insert(Frozen);
    schedule.assert_as_new(&mut world);
    world.entity_mut(middle).insert(Local(7));
    schedule.assert_as_new(&mut world);
    assert_eq!(entities(&run(&mut world, &mut schedule.down))[1], middle);
}

#[test]
fn a_parent_that_is_not_visited_is_found_in_the_row_to_which_it_moves() {
    let mut world = world();
    let bystanders = [(); 3].map(|()| world.spawn(Global(0)).id());
    let parent = world.spawn(Global(1)).id();
    let child = world.spawn((Local(1), ChildOf(parent))).id();
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    for bystander in bystanders {
        world.despawn(bystander);
        assert_eq!(run(&mut world, &mut schedule.down), [(child, vec![parent])]);
    }
    world.entity_mut(parent).insert(Hot);
    assert_eq!(run(&mut world, &mut schedule.down), [(child, vec![parent])]);
    world.entity_mut(parent).insert(Disabled);
    assert_eq!(run(&mut world, &mut schedule.down), [(child, vec![])]);
    world.entity_mut(parent).remove::<Disabled>();
    assert_eq!(run(&mut world, &mut schedule.down), [(child, vec![parent])]);
}

#[test]
fn a_despawned_subtree_leaves_no_trace() {
    let mut world = world();
    let [root, middle, ..] = tree(&mut world);
    let [other, ..] = tree(&mut world);
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    world.despawn(middle);
    schedule.assert_as_new(&mut world);
    assert_eq!(run(&mut world, &mut schedule.down).len(), 5);
    world.despawn(root);
    world.despawn(other);
    schedule.assert_as_new(&mut world);
    assert_eq!(run(&mut world, &mut schedule.down), []);
}

#[test]
fn a_reused_index_is_another_entity() {
    let mut world = world();
    let [root, middle, first, _] = tree(&mut world);
    let mut schedule = changed_down(&mut world);
    world.despawn(first);
    let new = world.spawn((Local(3), ChildOf(root))).id();
    assert_eq!(new.index(), first.index());
    assert_eq!(run(&mut world, &mut schedule), [(new, vec![root])]);
    world.despawn(new);
    let below = world.spawn((Local(3), ChildOf(middle))).id();
    assert_eq!(run(&mut world, &mut schedule), [(below, vec![middle])]);
}

#[test]
fn a_subtree_changes_its_depth_with_its_root() {
    let mut world = world();
    let [_, middle, first, second] = tree(&mut world);
    let [_, other, leaf, _] = tree(&mut world);
    let mut schedule = changed_down(&mut world);
    world.entity_mut(middle).insert(ChildOf(leaf));
    assert_eq!(run(&mut world, &mut schedule), [(middle, vec![leaf]), (first, vec![middle]), (second, vec![middle])]);
    world.entity_mut(middle).remove::<ChildOf>();
    assert_eq!(entities(&run(&mut world, &mut schedule)), [middle, first, second]);
    world.get_mut::<Local>(other).unwrap().0 = 9;
    assert!(!entities(&run(&mut world, &mut schedule)).contains(&middle));
}

#[test]
fn a_refused_circle_changes_nothing() {
    let mut world = world();
    let [root, _, leaf, _] = tree(&mut world);
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    let before = run(&mut world, &mut schedule.down);
    world.entity_mut(root).insert(ChildOf(leaf));
    assert_eq!(parent(&world, root), None);
    schedule.assert_as_new(&mut world);
    assert_eq!(run(&mut world, &mut schedule.down), before);
}

#[test]
fn more_changes_than_are_recorded_are_found() {
    let mut world = world();
    let roots: Vec<Entity> = (0..50).map(|_| world.spawn(Local(0)).id()).collect();
    let mut leaves: Vec<Entity> =
        (0..6000).map(|number| world.spawn((Local(1), ChildOf(roots[number % 50]))).id()).collect();
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    // More rows than the log of a table holds, and more links than the journal holds.
    for leaf in leaves.drain(..5000) {
        world.despawn(leaf);
    }
    schedule.assert_as_new(&mut world);
    for (number, leaf) in leaves.iter().enumerate() {
        for round in 0..6 {
            world.entity_mut(*leaf).insert(ChildOf(roots[(number + round) % 50]));
        }
    }
    schedule.assert_as_new(&mut world);
    world.clear_entities();
    schedule.assert_as_new(&mut world);
    tree(&mut world);
    schedule.assert_as_new(&mut world);
}

#[test]
fn rows_that_are_moved_or_removed_together_are_found() {
    let mut world = world();
    for _ in 0..30 {
        tree(&mut world);
    }
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    let some: Vec<Entity> = world.query_filtered::<Entity, With<Local>>().iter(&world).step_by(7).collect();
    world.many(&some).insert(Frozen);
    schedule.assert_as_new(&mut world);
    world.all::<With<Local>>().insert(Hot);
    schedule.assert_as_new(&mut world);
    world.all::<With<Frozen>>().despawn();
    schedule.assert_as_new(&mut world);
    world.all::<With<Local>>().remove::<Hot>();
    schedule.assert_as_new(&mut world);
}

#[test]
fn each_system_has_its_own_last_run() {
    let mut world = world();
    let [root, middle, first, second] = tree(&mut world);
    let (mut often, mut rarely) = (changed_down(&mut world), changed_down(&mut world));
    let leaf = world.spawn((Local(5), ChildOf(root))).id();
    assert_eq!(entities(&run(&mut world, &mut often)), [leaf]);
    world.despawn(first);
    assert_eq!(run(&mut world, &mut often), []);
    world.entity_mut(second).insert((Frozen, ChildOf(root)));
    assert_eq!(run(&mut world, &mut often), [(second, vec![root])]);
    let visited: HashSet<_> = run(&mut world, &mut rarely).into_iter().collect();
    assert_eq!(visited, HashSet::from([(leaf, vec![root]), (second, vec![root])]));
    world.get_mut::<Local>(middle).unwrap().0 = 7;
    for schedule in [&mut often, &mut rarely] {
        assert_eq!(run(&mut world, schedule), [(middle, vec![root])]);
    }
}

#[test]
fn parents_of_gained_and_lost_children_are_visited_upwards() {
    let mut world = world();
    let [root, middle, first, second] = tree(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems(up_changed);
    run(&mut world, &mut schedule);
    world.despawn(first);
    assert_eq!(run(&mut world, &mut schedule), [(middle, vec![second]), (root, vec![middle])]);
    let leaf = world.spawn((Local(5), ChildOf(root))).id();
    let visited = run(&mut world, &mut schedule);
    assert_eq!(entities(&visited), [leaf, root]);
    world.entity_mut(second).remove::<Local>();
    assert_eq!(run(&mut world, &mut schedule)[0], (middle, vec![]));
}

#[test]
fn shrunk_and_restored_worlds_are_found_as_they_are() {
    let mut world = world();
    tree(&mut world);
    let [_, middle, first, _] = tree(&mut world);
    let mut schedule = Kept::new();
    schedule.assert_as_new(&mut world);
    let snapshot = world.snapshot().unwrap();
    world.despawn(first);
    world.entity_mut(middle).insert(Frozen);
    schedule.assert_as_new(&mut world);
    world.restore(&snapshot).unwrap();
    schedule.assert_as_new(&mut world);
    world.despawn(middle);
    world.shrink_to_fit();
    schedule.assert_as_new(&mut world);
    world.restore(&snapshot).unwrap();
    world.shrink_to_fit();
    schedule.assert_as_new(&mut world);
}

/// A change of the entity with this number, counted around.
#[derive(Clone, Debug)]
enum Edit {
    Spawn(Option<usize>, u8),
    Despawn(usize),
    Link(usize, usize),
    Unlink(usize),
    Like(usize, Option<usize>),
    Toggle(usize, u8),
    Run(u8),
    Shrink,
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..60_usize;
    prop_oneof![
        6 => (prop::option::of(at.clone()), any::<u8>()).prop_map(|(parent, kind)| Edit::Spawn(parent, kind)),
        3 => at.clone().prop_map(Edit::Despawn),
        4 => (at.clone(), at.clone()).prop_map(|(a, b)| Edit::Link(a, b)),
        1 => at.clone().prop_map(Edit::Unlink),
        3 => (at.clone(), prop::option::of(at.clone())).prop_map(|(a, b)| Edit::Like(a, b)),
        5 => (at, any::<u8>()).prop_map(|(a, b)| Edit::Toggle(a, b)),
        4 => any::<u8>().prop_map(Edit::Run),
        1 => Just(Edit::Shrink),
    ]
}

fn toggle<C: Component + Clone>(world: &mut World, entity: Entity, value: C) {
    if world.get::<C>(entity).is_some() {
        world.entity_mut(entity).remove::<C>();
    } else {
        world.entity_mut(entity).insert(value);
    }
}

fn carry_out(world: &mut World, living: &mut Vec<Entity>, edit: &Edit) {
    let pick = |living: &[Entity], at: usize| living.get(at % living.len().max(1)).copied();
    match *edit {
        Edit::Spawn(parent, kind) => {
            let parent = parent.and_then(|at| pick(living, at));
            let entity = world.spawn(Global(u64::from(kind))).id();
            let changes = [kind & 3 != 0, kind & 4 != 0, kind & 24 == 0];
            if changes[0] {
                world.entity_mut(entity).insert(Local(1));
            }
            if changes[1] {
                world.entity_mut(entity).insert(Hot);
            }
            if changes[2] {
                world.entity_mut(entity).insert(Frozen);
            }
            parent.into_iter().for_each(|parent| _ = world.entity_mut(entity).insert(ChildOf(parent)));
            living.push(entity);
        }
        Edit::Despawn(at) => {
            pick(living, at).into_iter().for_each(|entity| _ = world.despawn(entity));
            living.retain(|entity| world.contains(*entity));
        }
        Edit::Link(a, b) => {
            if let (Some(a), Some(b)) = (pick(living, a), pick(living, b))
                && !std::iter::successors(Some(b), |entity| parent(world, *entity)).any(|above| above == a)
            {
                world.entity_mut(a).insert(ChildOf(b));
            }
        }
        Edit::Unlink(at) => pick(living, at).into_iter().for_each(|at| _ = world.entity_mut(at).remove::<ChildOf>()),
        Edit::Like(a, b) => {
            let Some(a) = pick(living, a) else { return };
            match b.and_then(|b| pick(living, b)) {
                Some(b) => world.entity_mut(a).insert(Likes(b)),
                None => world.entity_mut(a).remove::<Likes>(),
            };
        }
        Edit::Toggle(at, what) => {
            let Some(entity) = pick(living, at) else { return };
            match what % 4 {
                0 => toggle(world, entity, Local(u64::from(what))),
                1 => toggle(world, entity, Hot),
                2 => toggle(world, entity, Frozen),
                _ => toggle(world, entity, Disabled),
            }
        }
        Edit::Run(_) => {}
        Edit::Shrink => world.shrink_to_fit(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(200), ..ProptestConfig::default() })]

    #[test]
    fn kept_systems_visit_what_new_ones_visit(edits in prop::collection::vec(edit(), 1..250)) {
        let (mut world, mut living, mut kept) = (world(), Vec::new(), Kept::new());
        for edit in &edits {
            carry_out(&mut world, &mut living, edit);
            match edit {
                Edit::Run(which) if which % 4 == 0 => kept.assert_as_new(&mut world),
                // Systems that run at different times.
                Edit::Run(which) => {
                    let some = [&mut kept.down, &mut kept.up, &mut kept.liked, &mut kept.likers];
                    some.into_iter().skip(usize::from(*which) % 4).for_each(|some| some.run(&mut world));
                    take(&mut world);
                }
                _ => {}
            }
        }
        kept.assert_as_new(&mut world);
    }

    #[test]
    fn changed_rows_are_visited_with_what_is_below_or_above(edits in prop::collection::vec(edit(), 1..250)) {
        let (mut world, mut living) = (world(), Vec::new());
        let [mut downwards, mut upwards] = [(); 2].map(|()| Schedule::default());
        downwards.add_systems(down_changed);
        upwards.add_systems(up_changed);
        let mut before: Vec<(Entity, Local, Option<Entity>)> = Vec::new();
        let mut gained = HashSet::new();
        for edit in edits.iter().chain([&Edit::Run(0)]) {
            if let Edit::Toggle(at, what) = edit && what % 4 == 0 && !living.is_empty() {
                gained.insert(living[at % living.len()]);
            }
            carry_out(&mut world, &mut living, edit);
            if !matches!(edit, Edit::Run(_)) {
                continue;
            }
            let is_visited = |entity: Entity| world.get::<Local>(entity).is_some() && world.get::<Disabled>(entity).is_none();
            let now: Vec<_> = living.iter().copied().filter(|entity| is_visited(*entity)).map(|entity| {
                (entity, world.get::<Local>(entity).unwrap().clone(), parent(&world, entity))
            }).collect();
            let has_changed = |link: &&(Entity, Local, Option<Entity>)| gained.contains(&link.0) || !before.contains(link);
            let changed: HashSet<Entity> = now.iter().filter(has_changed).map(|link| link.0).collect();
            let targets = |links: &[(Entity, Local, Option<Entity>)], others: &[(Entity, Local, Option<Entity>)]| {
                let links = links.iter().filter(|link| !others.iter().any(|other| (other.0, other.2) == (link.0, link.2)));
                links.filter_map(|link| link.2).collect::<Vec<_>>()
            };
            let lines = |entity: Entity| {
                std::iter::successors(Some(entity), |entity| parent(&world, *entity)).take_while(|entity| is_visited(*entity))
            };
            let below: HashSet<Entity> =
                now.iter().map(|link| link.0).filter(|entity| lines(*entity).any(|above| changed.contains(&above))).collect();
            let seeds = changed.iter().copied().chain(targets(&now, &before)).chain(targets(&before, &now));
            let above: HashSet<Entity> = seeds.filter(|entity| world.contains(*entity)).flat_map(lines).collect();
            let visited = run(&mut world, &mut downwards);
            prop_assert_eq!(visited.len(), below.len());
            prop_assert_eq!(entities(&visited).into_iter().collect::<HashSet<_>>(), below);
            let visited = run(&mut world, &mut upwards);
            prop_assert_eq!(visited.len(), above.len());
            prop_assert_eq!(entities(&visited).into_iter().collect::<HashSet<_>>(), above);
            (before, gained) = (now, HashSet::new());
        }
    }
}
