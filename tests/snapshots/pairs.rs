//! Pairs of relations in snapshots as data and in saved worlds.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::change::ComponentTicks;
use strata_ecs::prelude::*;
use strata_ecs::relation::{PairSource, PairTarget};
use strata_ecs::snapshot::{
    BuildError, NewColumnContents, NewPairsContents, PairContents, SnapshotBuilder, SnapshotOptions,
};
use strata_ecs::store::OnCommandError;
use strata_save::{LoadError, WorldFormat, components, relations};

use super::saves::signed;

#[derive(Component, Clone, Serialize, Deserialize)]
struct Body(u8);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Hunts(u32);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(exclusive, acyclic, on_target_despawn = "cascade")]
struct Rides(String);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(symmetric)]
struct Knows;
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(symmetric, exclusive)]
struct Weds(u8);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(on_target_despawn = "ignore")]
struct Mourns(u64);

fn format() -> WorldFormat {
    WorldFormat::new().with_components(components![Body]).with_relations(relations![Hunts, Rides, Knows, Weds, Mourns])
}

#[derive(Clone, Debug)]
enum Step {
    Spawn,
    Despawn(usize),
    Relate(u8, usize, usize, u8),
    Unrelate(u8, usize, usize),
    Forget(u8, usize),
    EndFrame,
}

fn step() -> impl Strategy<Value = Step> {
    let (kind, which) = (0..5_u8, 0..12_usize);
    prop_oneof![
        3 => Just(Step::Spawn),
        2 => which.clone().prop_map(Step::Despawn),
        12 => (kind.clone(), which.clone(), which.clone(), any::<u8>()).prop_map(|(kind, a, b, value)| Step::Relate(kind, a, b, value)),
        4 => (kind.clone(), which.clone(), which.clone()).prop_map(|(kind, a, b)| Step::Unrelate(kind, a, b)),
        1 => (kind, which).prop_map(|(kind, a)| Step::Forget(kind, a)),
        1 => Just(Step::EndFrame),
    ]
}

fn pick(world: &World, which: usize) -> Option<Entity> {
    let all: Vec<Entity> = world.tables().iter().flat_map(|table| table.entities()).copied().collect();
    (!all.is_empty()).then(|| all[which % all.len()])
}

macro_rules! of_kind {
    ($kind:expr, $f:ident($($arg:expr),*)) => {
        match $kind {
            0 => $f::<Hunts>($($arg),*),
            1 => $f::<Rides>($($arg),*),
            2 => $f::<Knows>($($arg),*),
            3 => $f::<Weds>($($arg),*),
            _ => $f::<Mourns>($($arg),*),
        }
    };
}

trait Make: Relation + PartialEq + std::fmt::Debug {
    fn make(value: u8) -> Self;
}

macro_rules! make {
    ($($R:ident: $value:ident => $made:expr;)*) => { $(
        impl Make for $R {
            fn make($value: u8) -> Self {
                $made
            }
        }
    )* };
}

make! {
    Hunts: value => Hunts(value.into());
    Rides: value => Rides(value.to_string());
    Knows: _value => Knows;
    Weds: value => Weds(value);
    Mourns: value => Mourns(value.into());
}

fn relate<R: Make>(world: &mut World, a: Entity, b: Entity, value: u8) {
    world.relate(a, R::make(value), b);
}

fn unrelate<R: Make>(world: &mut World, a: Entity, b: Entity) {
    world.unrelate::<R>(a, b);
}

fn forget<R: Make>(world: &mut World, a: Entity) {
    world.entity_mut(a).remove::<PairSource<R>>();
}

fn look_at<R: Make>(world: &mut World, out: &mut String) {
    let all: Vec<Entity> = world.tables().iter().flat_map(|table| table.entities()).copied().collect();
    for entity in all {
        let from: Vec<String> = world.pairs_from::<R>(entity).map(|pair| format!("{pair:?}")).collect();
        let to: Vec<String> = world.pairs_to::<R>(entity).map(|pair| format!("{pair:?}")).collect();
        writeln!(out, "{entity}: {from:?} {to:?}").unwrap();
    }
    let sources: Vec<Entity> = world.query_filtered::<Entity, With<PairSource<R>>>().iter(world).collect();
    let targets: Vec<Entity> = world.query_filtered::<Entity, With<PairTarget<R>>>().iter(world).collect();
    writeln!(out, "{} {sources:?} {targets:?}", world.pair_count::<R>()).unwrap();
}

fn look(world: &mut World) -> String {
    world.check_invariants();
    let mut out = String::new();
    (0..5).for_each(|kind| of_kind!(kind, look_at(world, &mut out)));
    out
}

fn play(world: &mut World, steps: &[Step]) -> String {
    // Pairs that cannot be are reported, and not made.
    world.on_command_error(OnCommandError::Ignore);
    for step in steps {
        match *step {
            Step::Spawn => _ = world.spawn(Body(1)),
            Step::Despawn(which) => {
                if let Some(entity) = pick(world, which) {
                    world.despawn(entity);
                }
            }
            Step::Relate(kind, a, b, value) => {
                if let (Some(a), Some(b)) = (pick(world, a), pick(world, b)) {
                    of_kind!(kind, relate(world, a, b, value));
                }
            }
            Step::Unrelate(kind, a, b) => {
                if let (Some(a), Some(b)) = (pick(world, a), pick(world, b)) {
                    of_kind!(kind, unrelate(world, a, b));
                }
            }
            Step::Forget(kind, a) => {
                if let Some(a) = pick(world, a) {
                    of_kind!(kind, forget(world, a));
                }
            }
            Step::EndFrame => world.frame(|_| ()),
        }
    }
    look(world)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(96), ..ProptestConfig::default() })]

    #[test]
    fn pairs_go_on_in_a_loaded_world(
        before in vec(step(), 0..120),
        other in vec(step(), 0..20),
        after in vec(step(), 0..60),
    ) {
        let mut world = World::new();
        (0..6).for_each(|_| _ = world.spawn(Body(0)));
        play(&mut world, &before);
        let bytes = format().save(&mut world).unwrap();

        let mut loaded = World::new();
        // There relations have other numbers.
        let entity = loaded.spawn(Body(0)).id();
        loaded.relate(entity, Mourns(1), entity);
        play(&mut loaded, &other);
        format().load(&mut loaded, &bytes).unwrap();
        prop_assert_eq!(&format().save(&mut loaded).unwrap(), &bytes);
        prop_assert_eq!(look(&mut loaded), look(&mut world));
        prop_assert_eq!(play(&mut loaded, &after), play(&mut world, &after));
        prop_assert_eq!(format().save(&mut loaded).unwrap(), format().save(&mut world).unwrap());
    }
}

/// A world with pairs of each kind.
fn full() -> (World, [Entity; 5]) {
    let mut world = World::new();
    let ids = [(); 5].map(|()| world.spawn(Body(7)).id());
    let [a, b, c, d, e] = ids;
    for (from, to) in [(a, b), (a, c), (d, b), (b, b), (c, b)] {
        world.relate(from, Hunts(3), to);
    }
    world.relate(a, Rides("horse".into()), b);
    world.relate(b, Rides("cart".into()), c);
    world.relate(a, Knows, b);
    world.relate(c, Knows, a);
    world.relate(d, Weds(1), c);
    world.relate(a, Mourns(1), e);
    world.despawn(e);
    (world, ids)
}

#[test]
fn each_byte_gives_pairs_that_can_be_or_an_error() {
    let bytes = format().save(&mut full().0).unwrap();
    let (mut loaded, mut refused) = (0, 0);
    for at in strata_tests::effort::places(16..bytes.len()) {
        for with in (0..6).chain([0x7f, 0x80, 0xff]) {
            let mut lying = bytes.clone();
            lying[at] = with;
            let mut world = World::new();
            match format().load(&mut world, &signed(lying)) {
                Ok(()) => {
                    world.check_invariants();
                    loaded += 1;
                    // Everything that is there can be taken away.
                    for which in 0..4 {
                        if let Some(entity) = pick(&world, which) {
                            world.despawn(entity);
                            world.check_invariants();
                        }
                    }
                }
                Err(LoadError::Build(BuildError::Pair(..) | BuildError::Side(_))) => {
                    assert!(world.is_empty());
                    refused += 1;
                }
                Err(_) => assert!(world.is_empty()),
            }
        }
        assert!(format().load(&mut World::new(), &signed(bytes[..at].to_vec())).is_err());
    }
    assert!(loaded.min(refused) > strata_tests::effort::rounds(100), "{loaded} {refused}");
}

/// Builds a world of three entities with these pairs. `marks` are the entities that have the components of sources and of targets.
fn built<R: Make>(pairs: &[(usize, usize, [u32; 2])], marks: [&[usize]; 2]) -> Result<World, BuildError> {
    let mut world = World::new();
    let mut ids: Vec<Entity> = (0..4).map(|_| world.spawn_empty().id()).collect();
    world.despawn(ids[3]);
    // One that is to come.
    ids.push(Entity::from_bits(ids[3].to_bits() + (1 << 32)));
    let snapshot = world.snapshot().unwrap();
    let contents = snapshot.contents();
    let mut builder = SnapshotBuilder::new(contents.ids(), contents.clock());
    let tick = contents.clock().tick;
    builder.add_table(ids[..3].to_vec(), tick, []);
    let marked = marks.map(|of| of.iter().map(|&at| ids[at]).collect::<Vec<_>>());
    let [sources, targets] = marked;
    let count = sources.len();
    builder.add_storage(sources, NewColumnContents::of_sources::<R>(count, tick));
    let count = targets.len();
    builder.add_storage(targets, NewColumnContents::of_targets::<R>(count, tick));
    let values = pairs.iter().map(|_| R::make(1)).collect();
    let ticks = ComponentTicks::new(tick);
    let pairs =
        pairs.iter().map(|&(source, target, places)| PairContents { ends: [ids[source], ids[target]], places, ticks });
    builder.add_pairs(NewPairsContents::of::<R>(pairs.collect(), values));
    let mut other = World::new();
    let snapshot = builder.build(&mut other, &SnapshotOptions::new())?;
    other.restore(&snapshot).unwrap();
    other.check_invariants();
    Ok(other)
}

#[test]
fn what_a_relation_does_not_allow_is_refused() {
    let pair = |built: Result<World, BuildError>| matches!(built, Err(BuildError::Pair(..)));
    let side = |built: Result<World, BuildError>| matches!(built, Err(BuildError::Side(_)));
    let world = built::<Hunts>(&[(0, 1, [1, 0]), (0, 2, [0, 0])], [&[0], &[1, 2]]).unwrap();
    let order: Vec<u32> = world.pairs_from::<Hunts>(pick(&world, 0).unwrap()).map(|(to, _)| to.index()).collect();
    assert_eq!(order, [2, 1]);
    // A repeated pair, two pairs at one position, a pair after a gap.
    assert!(pair(built::<Hunts>(&[(0, 1, [0, 0]), (0, 1, [1, 1])], [&[0], &[1]])));
    assert!(pair(built::<Hunts>(&[(0, 1, [0, 0]), (0, 2, [0, 0])], [&[0], &[1, 2]])));
    assert!(pair(built::<Hunts>(&[(0, 1, [1, 0])], [&[0], &[1]])));
    // Without the components, or with too many.
    assert!(side(built::<Hunts>(&[(0, 1, [0, 0])], [&[0], &[]])));
    assert!(side(built::<Hunts>(&[(0, 1, [0, 0])], [&[0, 2], &[1]])));
    assert!(side(built::<Hunts>(&[], [&[0], &[]])));
    // Pairs of dead entities, and of entities that do not exist yet.
    assert!(pair(built::<Hunts>(&[(0, 3, [0, 0])], [&[0], &[]])));
    assert!(pair(built::<Mourns>(&[(3, 0, [0, 0])], [&[], &[0]])));
    assert!(built::<Mourns>(&[(0, 3, [0, 9])], [&[0], &[]]).is_ok());
    assert!(pair(built::<Mourns>(&[(0, 4, [0, 0])], [&[0], &[]])));
    // An exclusive one has one target, and an acyclic one no circle.
    assert!(pair(built::<Rides>(&[(0, 1, [0, 0]), (0, 2, [1, 0])], [&[0], &[1, 2]])));
    assert!(pair(built::<Rides>(&[(0, 1, [0, 0]), (1, 2, [0, 0]), (2, 0, [0, 0])], [&[0, 1, 2], &[0, 1, 2]])));
    assert!(pair(built::<Rides>(&[(0, 0, [0, 0])], [&[0], &[0]])));
    assert!(built::<Rides>(&[(0, 1, [0, 0]), (2, 1, [0, 1])], [&[0, 2], &[1]]).is_ok());
    // A symmetric one is the same from both sides.
    assert!(pair(built::<Knows>(&[(0, 1, [0, 0]), (1, 0, [1, 1])], [&[0, 1], &[0, 1]])));
    assert!(pair(built::<Knows>(&[(0, 0, [0, 1])], [&[0], &[0]])));
    assert!(built::<Knows>(&[(0, 1, [0, 0]), (2, 0, [0, 1])], [&[0, 1, 2], &[0, 1, 2]]).is_ok());
    assert!(pair(built::<Weds>(&[(0, 1, [0, 0]), (2, 0, [0, 1])], [&[0, 1, 2], &[0, 1, 2]])));
    assert!(pair(built::<Weds>(&[(0, 1, [0, 0]), (1, 0, [1, 1])], [&[0, 1], &[0, 1]])));
}

#[test]
fn ticks_of_pairs_are_those_of_before() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Hunts(1), b);
    let made = world.change_tick();
    world.frame(|_| ());
    world.increment_change_tick();
    world.relate(a, Hunts(2), b);
    let bytes = format().save(&mut world).unwrap();
    let mut loaded = World::new();
    format().load(&mut loaded, &bytes).unwrap();
    let snapshot = loaded.snapshot().unwrap();
    let pairs = snapshot.contents().pairs().next().unwrap();
    let ticks = pairs.pairs()[0].ticks;
    assert_eq!((ticks.added, pairs.values::<Hunts>()), (made, Some(&[Hunts(2)][..])));
    assert_eq!(ticks.changed.get(), made.get() + 1);
    assert!(pairs.values::<Knows>().is_none());
}
