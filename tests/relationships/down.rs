//! Systems that go down and up a relationship.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::prelude::*;

use super::{Guards, Likes};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Local(u64);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Global(u64);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Total(u64);
#[derive(Component)]
struct Frozen;
#[derive(Component)]
#[component(storage = "sparse")]
struct Scale(u64);
#[derive(Resource, Default)]
struct Visited(Vec<Entity>);

fn combine(parent: Option<u64>, local: u64) -> u64 {
    parent.unwrap_or(7).wrapping_mul(31).wrapping_add(local)
}

#[system(down = ChildOf)]
fn place(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) {
    global.0 = combine(parent.map(|parent| parent.0), local.0);
}

#[system(down = ChildOf, par)]
fn place_on_threads(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) {
    global.0 = combine(parent.map(|parent| parent.0), local.0);
}

#[system(down = ChildOf, changed(Local))]
fn place_changed(
    entity: Entity,
    local: &Local,
    global: &mut Global,
    #[parent] parent: Option<&Global>,
    mut visited: ResMut<Visited>,
) {
    global.0 = combine(parent.map(|parent| parent.0), local.0);
    visited.0.push(entity);
}

#[system(up = ChildOf)]
fn add(local: &Local, total: &mut Total, #[children] children: ChildRows<&Total>) {
    total.0 = local.0 + children.map(|child| child.0).sum::<u64>();
}

#[system(up = ChildOf, changed(Local))]
fn add_changed(local: &Local, total: &mut Total, #[children] children: ChildRows<&Total>) {
    total.0 = local.0 + children.map(|child| child.0).sum::<u64>();
}

#[test]
fn parents_come_before_their_children() {
    let mut world = World::new();
    let leaf = world.spawn((Local(3), Global(0))).id();
    let middle = world.spawn((Local(2), Global(0), Frozen)).id();
    let root = world.spawn((Local(1), Global(0))).id();
    world.entity_mut(leaf).insert(ChildOf(middle));
    world.entity_mut(middle).insert(ChildOf(root));
    world.run_system_once(place).unwrap();
    let [a, b, c] = [root, middle, leaf].map(|entity| world.get::<Global>(entity).unwrap().0);
    let expected = combine(Some(combine(None, 1)), 2);
    assert_eq!([a, b, c], [combine(None, 1), expected, combine(Some(expected), 3)]);
}

#[test]
fn a_parent_that_is_not_visited_is_read_if_it_has_the_component() {
    let mut world = World::new();
    let [bare, fixed, hidden] =
        [world.spawn_empty().id(), world.spawn(Global(100)).id(), world.spawn((Global(5), Disabled)).id()];
    let below = |world: &mut World, parent| world.spawn((Local(1), Global(0), ChildOf(parent))).id();
    let children = [bare, fixed, hidden].map(|parent| below(&mut world, parent));
    world.run_system_once(place).unwrap();
    let globals = children.map(|child| world.get::<Global>(child).unwrap().0);
    assert_eq!(globals, [combine(None, 1), combine(Some(100), 1), combine(None, 1)]);
    assert_eq!(world.get::<Global>(fixed).unwrap().0, 100);
}

#[test]
fn what_is_allowed_of_parents_is_read() {
    #[system(down = ChildOf, allow(Disabled))]
    fn place_all(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) {
        global.0 = combine(parent.map(|parent| parent.0), local.0);
    }
    let mut world = World::new();
    let hidden = world.spawn((Global(5), Disabled)).id();
    let child = world.spawn((Local(1), Global(0), ChildOf(hidden))).id();
    world.run_system_once(place_all).unwrap();
    assert_eq!(world.get::<Global>(child).unwrap().0, combine(Some(5), 1));
}

#[test]
fn several_things_are_read_of_a_parent() {
    #[system(down = ChildOf, without(Frozen))]
    fn note(
        seen: &mut Seen,
        #[parent] name: Option<Entity>,
        #[parent] local: Option<&Local>,
        #[parent] scale: Option<Ref<Scale>>,
    ) {
        *seen = Seen(name, local.map(|local| local.0), scale.map(|scale| scale.0));
    }
    #[derive(Component, Default, PartialEq, Debug)]
    struct Seen(Option<Entity>, Option<u64>, Option<u64>);

    let mut world = World::new();
    let root = world.spawn((Local(4), Frozen, Scale(9))).id();
    let middle = world.spawn((Seen::default(), Scale(2), ChildOf(root))).id();
    let leaf = world.spawn((Seen::default(), ChildOf(middle))).id();
    world.run_system_once(note).unwrap();
    assert_eq!(*world.get::<Seen>(middle).unwrap(), Seen(Some(root), Some(4), Some(9)));
    assert_eq!(*world.get::<Seen>(leaf).unwrap(), Seen(Some(middle), None, Some(2)));
}

#[test]
fn sparse_components_are_visited_where_they_are() {
    #[system(down = ChildOf)]
    fn scale(scale: &mut Scale, #[parent] parent: Option<&Scale>) {
        scale.0 += parent.map_or(0, |parent| parent.0);
    }
    let mut world = World::new();
    let leaf = world.spawn((Scale(1), Local(1))).id();
    let middle = world.spawn(Local(2)).id();
    let root = world.spawn((Scale(100), Local(3))).id();
    world.entity_mut(middle).add_child(leaf).insert(ChildOf(root));
    let mut schedule = Schedule::default();
    schedule.add_systems(scale);
    schedule.run(&mut world);
    assert_eq!([leaf, root].map(|entity| world.get::<Scale>(entity).unwrap().0), [1, 100]);
    world.entity_mut(middle).insert(Scale(10));
    schedule.run(&mut world);
    assert_eq!([leaf, middle, root].map(|entity| world.get::<Scale>(entity).unwrap().0), [111, 110, 100]);
}

#[test]
fn circles_and_links_to_oneself_end() {
    #[system(down = Likes)]
    fn liked(total: &mut Total, #[parent] parent: Option<&Total>) {
        total.0 = 1 + parent.map_or(0, |parent| parent.0);
    }
    #[system(down = Guards)]
    fn guarded(total: &mut Total, #[parent] parent: Option<&Total>) {
        total.0 = 1 + parent.map_or(0, |parent| parent.0);
    }
    let mut world = World::new();
    let [a, b, c] = [(); 3].map(|()| world.spawn(Total(0)).id());
    world.entity_mut(a).insert(Likes(b));
    world.entity_mut(b).insert(Likes(c));
    world.entity_mut(c).insert(Likes(a));
    world.run_system_once(liked).unwrap();
    let mut totals = [a, b, c].map(|entity| world.get::<Total>(entity).unwrap().0);
    totals.sort_unstable();
    assert_eq!(totals, [1, 2, 3]);
    world.entity_mut(a).insert(Guards(a));
    world.entity_mut(b).insert(Guards(a));
    world.run_system_once(guarded).unwrap();
    assert_eq!([a, b, c].map(|entity| world.get::<Total>(entity).unwrap().0), [1, 2, 1]);
}

#[test]
fn commands_and_errors_come_in_the_order_of_depths() {
    #[system(down = ChildOf)]
    fn fail_at(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) -> Result {
        global.0 = combine(parent.map(|parent| parent.0), local.0);
        if local.0 == 2 { Err("two".into()) } else { Ok(()) }
    }
    #[system(down = ChildOf, par)]
    fn spawn_each(local: &Local, mut commands: Commands) {
        commands.spawn(Total(local.0));
    }
    let mut world = World::new();
    let leaf = world.spawn((Local(3), Global(0))).id();
    let middle = world.spawn((Local(2), Global(0))).add_child(leaf).id();
    let root = world.spawn((Local(1), Global(0))).add_child(middle).id();
    assert!(world.run_system_once(fail_at).unwrap().is_err());
    assert_eq!([root, leaf].map(|entity| world.get::<Global>(entity).unwrap().0), [combine(None, 1), 0]);
    world.run_system_once(spawn_each).unwrap();
    let totals: Vec<u64> = world.query::<&Total>().iter(&world).map(|total| total.0).collect();
    assert_eq!(totals, [1, 2, 3]);
}

#[test]
fn a_restored_world_has_the_trees_that_it_had() {
    let mut world = World::new();
    let [a, b, c] = [1, 2, 3].map(|local| world.spawn((Local(local), Global(0))).id());
    world.entity_mut(b).insert(ChildOf(a));
    world.entity_mut(c).insert(ChildOf(b));
    let mut schedule = Schedule::default();
    schedule.add_systems(place);
    schedule.run(&mut world);
    let globals = |world: &World| [a, b, c].map(|entity| world.get::<Global>(entity).unwrap().0);
    let before = globals(&world);
    let snapshot = world.snapshot().unwrap();
    world.entity_mut(c).insert(ChildOf(a));
    world.entity_mut(b).remove::<ChildOf>();
    schedule.run(&mut world);
    assert_ne!(globals(&world), before);
    world.restore(&snapshot).unwrap();
    world.get_mut::<Global>(c).unwrap().0 = 0;
    schedule.run(&mut world);
    assert_eq!(globals(&world), before);
}

/// A change of a forest.
#[derive(Clone, Debug)]
enum Edit {
    Spawn(Option<usize>, u64, bool),
    Despawn(usize),
    Link(usize, usize),
    Unlink(usize),
    Write(usize, u64),
    Freeze(usize),
    Lose(usize),
    Gain(usize, u64),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        4 => (prop::option::of(0..40_usize), 0..50_u64, any::<bool>()).prop_map(|(p, l, f)| Edit::Spawn(p, l, f)),
        1 => (0..40_usize).prop_map(Edit::Despawn),
        3 => (0..40_usize, 0..40_usize).prop_map(|(a, b)| Edit::Link(a, b)),
        1 => (0..40_usize).prop_map(Edit::Unlink),
        2 => (0..40_usize, 0..50_u64).prop_map(|(e, l)| Edit::Write(e, l)),
        1 => (0..40_usize).prop_map(Edit::Freeze),
        1 => (0..40_usize).prop_map(Edit::Lose),
        1 => (0..40_usize, 0..50_u64).prop_map(|(e, l)| Edit::Gain(e, l)),
    ];
    prop::collection::vec(edit, 1..60)
}

fn carry_out(world: &mut World, entities: &mut Vec<Entity>, edit: &Edit) {
    let pick = |entities: &[Entity], at: usize| entities.get(at % entities.len().max(1)).copied();
    match *edit {
        Edit::Spawn(parent, local, frozen) => {
            let parent = parent.and_then(|at| pick(entities, at));
            let mut entity = world.spawn((Local(local), Global(0), Total(0)));
            if frozen {
                entity.insert(Frozen);
            }
            if let Some(parent) = parent {
                entity.insert(ChildOf(parent));
            }
            entities.push(entity.id());
        }
        Edit::Despawn(at) => {
            if let Some(entity) = pick(entities, at) {
                world.despawn(entity);
                entities.retain(|entity| world.contains(*entity));
            }
        }
        Edit::Link(a, b) => {
            if let (Some(a), Some(b)) = (pick(entities, a), pick(entities, b)) {
                let above: Vec<Entity> = std::iter::successors(Some(b), |entity| parent(world, *entity)).collect();
                if !above.contains(&a) {
                    world.entity_mut(a).insert(ChildOf(b));
                }
            }
        }
        Edit::Unlink(at) => {
            if let Some(entity) = pick(entities, at) {
                world.entity_mut(entity).remove::<ChildOf>();
            }
        }
        Edit::Write(at, local) => {
            if let Some(entity) = pick(entities, at)
                && let Some(mut old) = world.get_mut::<Local>(entity)
            {
                old.0 = local;
            }
        }
        Edit::Freeze(at) => {
            if let Some(entity) = pick(entities, at) {
                world.entity_mut(entity).insert(Frozen);
            }
        }
        Edit::Lose(at) => {
            if let Some(entity) = pick(entities, at) {
                world.entity_mut(entity).remove::<Local>();
            }
        }
        Edit::Gain(at, local) => {
            if let Some(entity) = pick(entities, at) {
                world.entity_mut(entity).insert(Local(local));
            }
        }
    }
}

fn parent(world: &World, entity: Entity) -> Option<Entity> {
    world.get::<ChildOf>(entity).map(ChildOf::parent)
}

/// What `place` makes of the globals, by recursion.
fn placed(world: &World, entity: Entity) -> u64 {
    let before = parent(world, entity).map(|parent| placed(world, parent));
    match world.get::<Local>(entity) {
        Some(local) => combine(before, local.0),
        None => world.get::<Global>(entity).unwrap().0,
    }
}

/// What `add` makes of the totals, by recursion: children that are not visited do not count.
fn added(world: &World, entity: Entity) -> u64 {
    let children = world.get::<Children>(entity).map_or(&[][..], |children| children);
    let visited = children.iter().filter(|child| world.get::<Local>(**child).is_some());
    world.get::<Local>(entity).unwrap().0 + visited.map(|child| added(world, *child)).sum::<u64>()
}

#[derive(Component, PartialEq, Debug)]
struct Rank(u64);

#[system(down = Likes)]
fn rank(entity: Entity, rank: &mut Rank, #[parent] liked: Option<&Rank>) {
    rank.0 = combine(liked.map(|liked| liked.0), entity.to_bits());
}

#[system(up = Likes)]
fn weigh(entity: Entity, rank: &mut Rank, #[children] likers: ChildRows<&Rank>) {
    // Not the same in another order.
    rank.0 = likers.fold(entity.to_bits(), |sum, liker| combine(Some(sum), liker.0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(150), ..ProptestConfig::default() })]

    #[test]
    fn down_and_up_agree_with_recursion(all in prop::collection::vec(edits(), 1..6)) {
        let mut world = World::new();
        let mut entities = Vec::new();
        let [mut down, mut up, mut threads] = [(); 3].map(|()| Schedule::default());
        down.add_systems(place);
        up.add_systems(add);
        threads.add_systems(place_on_threads);
        for edits in &all {
            edits.iter().for_each(|edit| carry_out(&mut world, &mut entities, edit));
            let expected: HashMap<Entity, u64> = entities.iter().map(|&entity| (entity, placed(&world, entity))).collect();
            for schedule in [&mut down, &mut threads] {
                schedule.run(&mut world);
                for (&entity, &global) in &expected {
                    prop_assert_eq!(world.get::<Global>(entity).unwrap().0, global);
                    if world.get::<Local>(entity).is_some() {
                        world.get_mut::<Global>(entity).unwrap().0 = 1;
                    }
                }
            }
            up.run(&mut world);
            for &entity in entities.iter().filter(|entity| world.get::<Local>(**entity).is_some()) {
                prop_assert_eq!(world.get::<Total>(entity).unwrap().0, added(&world, entity));
            }
        }
    }

    #[test]
    fn only_what_is_below_or_above_a_change_is_visited(all in prop::collection::vec(edits(), 1..8)) {
        let mut world = World::new();
        world.init_resource::<Visited>();
        let mut entities = Vec::new();
        let [mut down, mut up] = [(); 2].map(|()| Schedule::default());
        down.add_systems(place_changed);
        up.add_systems(add_changed);
        // The values of each visited entity at the time of the visit.
        let mut before: HashMap<Entity, (u64, Option<Entity>)> = HashMap::new();
        for edits in &all {
            let mut written = HashSet::new();
            for edit in edits {
                if let Edit::Write(at, _) | Edit::Gain(at, _) = edit
                    && !entities.is_empty()
                {
                    written.insert(entities[at % entities.len()]);
                }
                carry_out(&mut world, &mut entities, edit);
            }
            let visitable = |entity: &Entity| world.get::<Local>(*entity).is_some();
            let has_changed = |entity: Entity| {
                let now = (world.get::<Local>(entity).unwrap().0, parent(&world, entity));
                written.contains(&entity) || before.get(&entity) != Some(&now)
            };
            let is_reached = |&entity: &Entity| {
                let way = std::iter::successors(Some(entity), |entity| parent(&world, *entity));
                way.take_while(visitable).any(has_changed)
            };
            let expected: HashSet<Entity> = entities.iter().copied().filter(visitable).filter(is_reached).collect();
            let globals: Vec<_> = entities.iter().map(|&entity| (entity, placed(&world, entity))).collect();
            before = entities
                .iter()
                .filter(|entity| visitable(entity))
                .map(|&entity| (entity, (world.get::<Local>(entity).unwrap().0, parent(&world, entity))))
                .collect();
            down.run(&mut world);
            let visited = std::mem::take(&mut world.resource_mut::<Visited>().0);
            prop_assert_eq!(visited.len(), visited.iter().collect::<HashSet<_>>().len());
            prop_assert_eq!(visited.into_iter().collect::<HashSet<_>>(), expected);
            for (entity, global) in globals {
                prop_assert_eq!(world.get::<Global>(entity).unwrap().0, global);
            }
            up.run(&mut world);
            for &entity in entities.iter().filter(|entity| world.get::<Local>(**entity).is_some()) {
                prop_assert_eq!(world.get::<Total>(entity).unwrap().0, added(&world, entity));
            }
        }
    }

    /// This also holds for cycles. A new system has no state from earlier runs.
    #[test]
    fn what_is_mended_is_as_if_it_were_new(
        many in any::<bool>(),
        runs in prop::collection::vec(prop::collection::vec((0..150_usize, prop::option::of(0..150_usize)), 0..90), 1..8),
    ) {
        let mut world = World::new();
        let entities: Vec<Entity> = (0..150)
            .map(|n| if many && n % 3 == 0 { world.spawn((Rank(0), Frozen)).id() } else { world.spawn(Rank(0)).id() })
            .collect();
        let [mut down, mut up] = [(); 2].map(|()| Schedule::default());
        down.add_systems(rank);
        up.add_systems(weigh);
        let ranks = |world: &World| entities.iter().map(|&entity| world.get::<Rank>(entity).unwrap().0).collect::<Vec<_>>();
        for links in runs {
            for (source, target) in links {
                match target {
                    Some(target) => world.entity_mut(entities[source]).insert(Likes(entities[target])),
                    None => world.entity_mut(entities[source]).remove::<Likes>(),
                };
            }
            down.run(&mut world);
            let mended = ranks(&world);
            world.run_system_once(rank).unwrap();
            prop_assert_eq!(mended, ranks(&world));
            up.run(&mut world);
            let mended = ranks(&world);
            world.run_system_once(weigh).unwrap();
            prop_assert_eq!(mended, ranks(&world));
        }
    }
}

#[test]
fn what_is_changed_while_it_is_disabled_is_visited_once_when_it_is_enabled() {
    let mut world = World::new();
    world.init_resource::<Visited>();
    let mut schedule = Schedule::default();
    schedule.add_systems(place_changed);
    let mut spawn = |local, parent: Option<Entity>| {
        let mut entity = world.spawn((Local(local), Global(0)));
        parent.into_iter().for_each(|parent| _ = entity.insert(ChildOf(parent)));
        entity.id()
    };
    let root = spawn(1, None);
    let middle = spawn(2, Some(root));
    let leaf = spawn(3, Some(middle));
    let mut visited = |world: &mut World| {
        world.resource_mut::<Visited>().0.clear();
        schedule.run(world);
        std::mem::take(&mut world.resource_mut::<Visited>().0)
    };
    assert_eq!(visited(&mut world), [root, middle, leaf]);
    world.entity_mut(middle).insert(Disabled);
    visited(&mut world);
    world.get_mut::<Local>(middle).unwrap().0 = 20;
    assert!(!visited(&mut world).contains(&middle));
    world.entity_mut(middle).remove::<Disabled>();
    assert_eq!(visited(&mut world), [middle, leaf]);
    let global = |id| world.get::<Global>(id).unwrap().0;
    assert_eq!(global(middle), combine(Some(global(root)), 20));
    assert_eq!(global(leaf), combine(Some(global(middle)), 3));
    assert_eq!(visited(&mut world), []);
}
