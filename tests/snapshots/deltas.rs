//! Worlds that follow another one by deltas: they are equal to it, but for the ids.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::event::Relate;
use strata_ecs::prelude::*;
use strata_ecs::snapshot::{JournalError, JournalPosition, SnapshotOptions};
use strata_save::{
    ApplyError, Delta, DeltaError, DeltaMark, LoadError, NotSaved, Problem, Replica, WorldFormat, components,
    relations, resources,
};

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Plain(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain)]
#[repr(C)]
pub(super) struct Wide(pub(super) [u64; 3]);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Owned(String);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Empty;
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse")]
pub(super) struct Rare(pub(super) u16);
#[derive(Component, Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(immutable)]
struct Label(String);
/// Requires other components, which can be removed.
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[require(Plain(7), Tag)]
struct Needs(u8);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Target(Entity);
/// Followers stay when the leader ends, and may follow each other.
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relationship(relationship_target = Followers)]
struct Follows {
    #[relationship]
    leader: Entity,
    since: u32,
}
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[relationship_target(relationship = Follows)]
struct Followers(Vec<Entity>);

#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Hunts(pub(super) u32);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(exclusive, acyclic, on_target_despawn = "cascade")]
struct Rides(String);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(symmetric)]
struct Knows {
    by: Entity,
}

#[derive(Resource, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Score(Vec<u32>);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Focus(Entity);

pub(super) fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Plain, Wide, Owned, Empty, Rare, Tag, Label, Needs, Target])
        .with_components(components![ChildOf, Children, Follows, Followers])
        .with_relations(relations![Hunts, Rides, Knows])
        .with_resources(resources![Score, Focus])
}

#[derive(Clone, Debug)]
enum Step {
    Spawn(u8, u32),
    Batch(u8, u32, usize),
    Despawn(usize),
    Insert(usize, u8, u32),
    Remove(usize, u8),
    Write(u8, u32),
    WriteOne(usize, u32),
    Commands(usize, usize, u8, u32),
    Bulk(u8, u8, u32),
    Link(usize, usize, u8),
    Sort(usize),
    Unlink(usize),
    Aim(usize, usize),
    Relate(u8, usize, usize, u32),
    Unrelate(u8, usize, usize),
    WritePairs(u32),
    Score(u32),
    NoScore,
    Focus(usize),
    Move(usize),
    Clear,
    Shrink,
    EndFrame,
    /// A delta for one replica or for both.
    Delta(bool, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let (which, kind, value) = (0..40_usize, 0..16_u8, 0..1000_u32);
    prop_oneof![
        6 => (kind.clone(), value.clone()).prop_map(|(kind, value)| Step::Spawn(kind, value)),
        2 => (kind.clone(), value.clone(), 0..70_usize).prop_map(|(kind, value, count)| Step::Batch(kind, value, count)),
        4 => which.clone().prop_map(Step::Despawn),
        8 => (which.clone(), kind.clone(), value.clone()).prop_map(|(which, kind, value)| Step::Insert(which, kind, value)),
        6 => (which.clone(), kind.clone()).prop_map(|(which, kind)| Step::Remove(which, kind)),
        3 => (kind.clone(), value.clone()).prop_map(|(kind, value)| Step::Write(kind, value)),
        4 => (which.clone(), value.clone()).prop_map(|(which, value)| Step::WriteOne(which, value)),
        4 => (which.clone(), which.clone(), kind.clone(), value.clone()).prop_map(|(a, b, kind, value)| Step::Commands(a, b, kind, value)),
        2 => (kind.clone(), kind.clone(), value.clone()).prop_map(|(with, kind, value)| Step::Bulk(with, kind, value)),
        6 => (which.clone(), which.clone(), kind.clone()).prop_map(|(a, b, kind)| Step::Link(a, b, kind)),
        1 => which.clone().prop_map(Step::Sort),
        2 => which.clone().prop_map(Step::Unlink),
        3 => (which.clone(), which.clone()).prop_map(|(a, b)| Step::Aim(a, b)),
        6 => (kind.clone(), which.clone(), which.clone(), value.clone()).prop_map(|(kind, a, b, value)| Step::Relate(kind, a, b, value)),
        3 => (kind, which.clone(), which.clone()).prop_map(|(kind, a, b)| Step::Unrelate(kind, a, b)),
        1 => value.clone().prop_map(Step::WritePairs),
        1 => value.prop_map(Step::Score),
        1 => Just(Step::NoScore),
        1 => which.clone().prop_map(Step::Focus),
        1 => which.prop_map(Step::Move),
        1 => prop_oneof![4 => Just(Step::Shrink), 1 => Just(Step::Clear)],
        1 => Just(Step::EndFrame),
        8 => any::<[bool; 2]>().prop_map(|[one, other]| Step::Delta(one, other)),
    ]
}

fn all(world: &World) -> Vec<Entity> {
    world.tables().iter().flat_map(|table| table.entities()).copied().collect()
}

fn pick(world: &World, which: usize) -> Option<Entity> {
    let all = all(world);
    (!all.is_empty()).then(|| all[which % all.len()])
}

fn insert(mut entity: EntityWorldMut, kind: u8, value: u32) {
    match kind {
        0..3 => entity.insert(Plain(value)),
        3 => entity.insert(Wide([value.into(); 3])),
        4 => entity.insert((Owned(value.to_string()), Rare(value as u16))),
        5 => entity.insert(Empty),
        6..8 => entity.insert(Rare(value as u16)),
        8 => entity.insert(Tag),
        9 => entity.insert(Label(value.to_string())),
        10 => entity.insert(Needs(value as u8)),
        11 => entity.insert((Needs(value as u8), Plain(value), Label("both".into()))),
        _ => entity.insert((Wide([1; 3]), Tag, Empty)),
    };
}

fn remove(mut entity: EntityWorldMut, kind: u8) {
    match kind {
        0..3 => entity.remove::<Plain>(),
        3 => entity.remove::<Wide>(),
        4 => entity.remove::<(Owned, Tag)>(),
        5 => entity.remove::<Empty>(),
        6..8 => entity.remove::<Rare>(),
        8 => entity.remove::<Tag>(),
        9 => entity.remove::<Label>(),
        10 => entity.remove::<Needs>(),
        11 => entity.retain::<(Plain, ChildOf)>(),
        _ => entity.remove::<(Wide, Tag, Empty)>(),
    };
}

fn is_above(world: &World, above: Entity, mut below: Entity) -> bool {
    while let Some(parent) = world.get::<ChildOf>(below) {
        below = parent.0;
        if below == above {
            return true;
        }
    }
    below == above
}

fn carry_out(world: &mut World, aside: &mut World, step: &Step) {
    match *step {
        Step::Spawn(kind, value) => {
            let entity = world.spawn(Plain(value)).id();
            insert(world.entity_mut(entity), kind, value);
        }
        Step::Batch(kind, value, count) => match kind % 3 {
            0 => drop(world.spawn_batch((0..count as u32).map(|at| (Plain(at + value), Owned(at.to_string()))))),
            1 => drop(world.spawn_batch((0..count).map(|_| (Tag, Empty, Rare(value as u16))))),
            _ => drop(world.spawn_batch((0..count).map(|_| Needs(value as u8)))),
        },
        Step::Despawn(which) => _ = pick(world, which).map(|entity| world.despawn(entity)),
        Step::Insert(which, kind, value) => {
            if let Some(entity) = pick(world, which) {
                insert(world.entity_mut(entity), kind, value);
            }
        }
        Step::Remove(which, kind) => {
            if let Some(entity) = pick(world, which) {
                remove(world.entity_mut(entity), kind);
            }
        }
        Step::Write(kind, value) => match kind % 3 {
            0 => world.query::<&mut Plain>().iter_mut(world).for_each(|mut plain| {
                if plain.0 % 3 == value % 3 {
                    plain.0 += value;
                }
            }),
            1 => world.query::<&mut Owned>().iter_mut(world).for_each(|mut owned| owned.0.push('x')),
            _ => world.query::<&mut Rare>().iter_mut(world).for_each(|mut rare| rare.0 ^= 1),
        },
        Step::WriteOne(which, value) => {
            if let Some(entity) = pick(world, which) {
                if let Some(mut plain) = world.get_mut::<Plain>(entity) {
                    plain.0 = value;
                } else if let Some(mut wide) = world.get_mut::<Wide>(entity) {
                    wide.0[1] += 1;
                }
            }
        }
        Step::Commands(a, b, kind, value) => {
            let [a, b] = [a, b].map(|which| pick(world, which));
            let mut commands = world.commands();
            let new = commands.spawn((Plain(value), Tag)).id();
            if let (Some(a), Some(b)) = (a, b) {
                commands.entity(a).insert(Owned("by command".into())).remove::<Plain>();
                commands.entity(b).insert((Rare(3), Target(new))).remove::<Owned>();
                if kind % 4 == 0 {
                    commands.entity(a).despawn();
                }
                commands.entity(new).insert(Needs(1));
            }
            if kind % 5 == 0 {
                commands.entity(new).despawn();
            }
            world.flush();
        }
        Step::Bulk(with, kind, value) => {
            match (with % 3, kind % 4) {
                (0, 0) => world.all::<With<Plain>>().insert(Empty),
                (0, 1) => world.all::<With<Empty>>().remove::<(Plain, Tag)>(),
                (0, _) => world.all::<With<Rare>>().insert((Tag, Plain(value))),
                (1, 0) => world.all::<With<Tag>>().remove::<Tag>(),
                (1, 1) => world.all::<With<Owned>>().insert(Rare(value as u16)),
                (1, 2) => world.all::<(With<Empty>, Without<Plain>)>().despawn(),
                (1, _) => world.all::<With<Plain>>().remove::<Rare>(),
                (_, 0) => world.all::<With<Wide>>().despawn(),
                (_, 1) => world.all::<With<Needs>>().insert_with(|entity| Owned(entity.index().to_string())),
                (_, _) => world.all::<Without<Plain>>().insert(Plain(1)),
            };
        }
        Step::Link(a, b, kind) => {
            if let (Some(child), Some(parent)) = (pick(world, a), pick(world, b))
                && child != parent
            {
                if kind % 3 == 0 {
                    world.entity_mut(child).insert(Follows { leader: parent, since: kind.into() });
                } else if !is_above(world, child, parent) {
                    match kind % 4 {
                        0 => _ = world.entity_mut(child).insert(ChildOf(parent)),
                        1 => _ = world.entity_mut(parent).insert_children(0, &[child]),
                        _ => _ = world.entity_mut(parent).add_child(child),
                    }
                }
            }
        }
        Step::Sort(which) => {
            let parents: Vec<Entity> = world.query_filtered::<Entity, With<Children>>().iter(world).collect();
            if let Some(&parent) = parents.get(which % parents.len().max(1)) {
                let mut children = world.get::<Children>(parent).unwrap().to_vec();
                children.reverse();
                world.entity_mut(parent).replace_children(&children);
            }
        }
        Step::Unlink(which) => {
            if let Some(child) = pick(world, which) {
                world.entity_mut(child).remove::<(ChildOf, Follows)>();
            }
        }
        Step::Aim(a, b) => {
            if let (Some(a), Some(b)) = (pick(world, a), pick(world, b)) {
                world.entity_mut(a).insert(Target(b));
            }
        }
        Step::Relate(kind, a, b, value) => {
            if let (Some(a), Some(b)) = (pick(world, a), pick(world, b)) {
                match kind % 3 {
                    0 => _ = world.relate(a, Hunts(value), b),
                    1 => _ = world.relate(a, Rides(value.to_string()), b),
                    _ => _ = world.relate(a, Knows { by: b }, b),
                }
                world.take_command_errors();
            }
        }
        Step::Unrelate(kind, a, b) => {
            if let (Some(a), Some(b)) = (pick(world, a), pick(world, b)) {
                match kind {
                    0..5 => _ = world.unrelate::<Hunts>(a, b),
                    5..8 => _ = world.unrelate::<Knows>(a, b),
                    8..11 => world.unrelate_from::<Hunts>(a),
                    11..13 => world.unrelate_to::<Knows>(a),
                    _ => world.unrelate_from::<Rides>(a),
                }
            }
        }
        Step::WritePairs(value) => {
            let ends: Vec<_> = world.pairs::<Hunts>().map(|(source, _, target)| [source, target]).collect();
            for [source, target] in ends.into_iter().step_by(2) {
                world.get_pair_mut::<Hunts>(source, target).unwrap().0 = value;
            }
        }
        Step::Score(value) => world.get_resource_or_insert_with(Score::default).0.push(value),
        Step::NoScore => drop(world.remove_resource::<Score>()),
        Step::Focus(which) => _ = pick(world, which).map(|entity| world.insert_resource(Focus(entity))),
        Step::Move(which) => {
            if let Some(entity) = pick(world, which) {
                // It comes back as another one.
                world.many(&[entity]).move_to(aside);
                let other = pick(aside, 0).unwrap();
                aside.many(&[other]).move_to(world);
            }
        }
        Step::Clear => world.clear_entities(),
        Step::Shrink => world.shrink_to_fit(),
        Step::EndFrame => world.frame(|_| {}),
        Step::Delta(..) => {}
    }
}

/// All that some entities hold, with the ids that a function gives them.
fn shown(world: &World, entities: &[Entity], id: &dyn Fn(Entity) -> Entity) -> String {
    let mut lines = BTreeMap::new();
    for &own in entities {
        let mut line = String::new();
        let entity = world.entity(own);
        write!(line, "{:?} {:?}", entity.get::<Plain>(), entity.get::<Wide>()).unwrap();
        write!(line, " {:?} {:?}", entity.get::<Owned>(), entity.get::<Empty>()).unwrap();
        write!(line, " {:?} {:?}", entity.get::<Rare>(), entity.get::<Tag>()).unwrap();
        write!(line, " {:?} {:?}", entity.get::<Label>(), entity.get::<Needs>()).unwrap();
        write!(line, " aims at {:?}", entity.get::<Target>().map(|target| id(target.0))).unwrap();
        write!(line, " child of {:?}", entity.get::<ChildOf>().map(|parent| id(parent.0))).unwrap();
        let children = entity.get::<Children>().map(|children| children.iter().map(&id).collect::<Vec<_>>());
        write!(line, " {children:?}").unwrap();
        write!(line, " follows {:?}", entity.get::<Follows>().map(|follows| (id(follows.leader), follows.since)))
            .unwrap();
        let followers = entity.get::<Followers>().map(|all| all.0.iter().copied().map(&id).collect::<Vec<_>>());
        write!(line, " {followers:?}").unwrap();
        let mut hunts: Vec<_> = world.pairs_from::<Hunts>(own).map(|(target, pair)| (id(target), pair)).collect();
        hunts.sort_unstable_by_key(|(target, _)| *target);
        let mut rides: Vec<_> = world.pairs_from::<Rides>(own).map(|(target, pair)| (id(target), pair)).collect();
        rides.sort_unstable_by_key(|(target, _)| *target);
        let mut knows: Vec<_> =
            world.pairs_from::<Knows>(own).map(|(target, pair)| (id(target), id(pair.by))).collect();
        knows.sort_unstable();
        write!(line, " {hunts:?} {rides:?} {knows:?}").unwrap();
        lines.insert(id(own), line);
    }
    let mut out =
        format!("{:?} {:?}\n", world.get_resource::<Score>(), world.get_resource::<Focus>().map(|focus| id(focus.0)));
    lines.into_iter().for_each(|(id, line)| writeln!(out, "{id}: {line}").unwrap());
    out
}

/// A world that follows another one.
pub(super) struct Follower {
    pub(super) world: World,
    pub(super) replica: Replica,
    /// Up to where it has come; the first delta is a full one.
    at: Option<JournalPosition>,
    /// Entities that the other world knows nothing of.
    own: Vec<Entity>,
}

impl Follower {
    fn new(own: usize) -> Self {
        let mut world = World::new();
        let own = world.spawn_batch((0..own as u32).map(Plain)).collect();
        Self { world, replica: Replica::new(), at: None, own }
    }

    /// Gets what has changed, or all if that is not known. Says whether it was too late.
    fn update(&mut self, format: &WorldFormat, world: &mut World) -> bool {
        let delta = match self.at.map(|at| format.delta_since(world, &at)) {
            Some(Ok(delta)) => Ok(delta),
            Some(Err(DeltaError::Journal(JournalError::TooLate | JournalError::Restored))) => Err(()),
            Some(Err(error)) => panic!("{error}"),
            None => Err(()),
        };
        let was_late = delta.is_err() && self.at.is_some();
        let delta = delta.unwrap_or_else(|()| format.full_delta(world).unwrap());
        self.apply(format, world, delta);
        was_late
    }

    fn apply(&mut self, format: &WorldFormat, world: &mut World, delta: Delta) {
        let applied = self.replica.apply(format, &mut self.world, &delta.bytes).unwrap();
        assert_eq!(applied.missing, 0);
        if !delta.is_full {
            let told = (applied.made, applied.changed, applied.ended, applied.values);
            assert_eq!(told, (delta.made, delta.changed, delta.ended, delta.values));
        }
        self.at = Some(delta.position);
        self.check(world);
    }

    fn check(&mut self, world: &World) {
        self.world.check_invariants();
        assert!(self.world.take_command_errors().0.is_empty());
        let reverse: HashMap<Entity, Entity> = self.replica.iter().map(|(source, own)| (own, source)).collect();
        let here: Vec<Entity> = all(&self.world).into_iter().filter(|one| !self.own.contains(one)).collect();
        let theirs = shown(world, &all(world), &|one| one);
        let ours = shown(&self.world, &here, &|one| reverse.get(&one).copied().unwrap_or(one));
        assert_eq!(ours, theirs);
        assert!(self.own.iter().enumerate().all(|(at, own)| self.world.get(*own) == Some(&Plain(at as u32))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(64), ..ProptestConfig::default() })]

    #[test]
    fn replicas_become_equal(
        before in vec(step(), 0..30),
        steps in vec(step(), 0..120),
        capacity in prop_oneof![Just(1_usize << 16), 0..60_usize],
        own in 0..20_usize,
    ) {
        let format = format();
        let (mut world, mut aside) = (World::new(), World::new());
        before.iter().for_each(|step| carry_out(&mut world, &mut aside, step));
        format.start_journal(&mut world, capacity).unwrap();
        let mut followers = [Follower::new(0), Follower::new(own)];
        for step in &steps {
            if let Step::Delta(one, other) = *step {
                for follower in followers.iter_mut().zip([one, other]).filter_map(|(one, wants)| wants.then_some(one)) {
                    follower.update(&format, &mut world);
                }
            }
            carry_out(&mut world, &mut aside, step);
            world.check_invariants();
        }
        for follower in &mut followers {
            let late = follower.update(&format, &mut world);
            prop_assert!(!late || capacity < 60);
            // And once more, without a change.
            follower.update(&format, &mut world);
        }
    }
}

#[test]
fn pairs_that_have_turned_round_since_are_turned_round() {
    let format = format();
    let (mut world, mut aside) = (World::new(), World::new());
    let [a, b] = [1, 2].map(|n| world.spawn(Plain(n)).id());
    for capacity in [0, 1 << 16] {
        format.start_journal(&mut world, capacity).unwrap();
        let mut follower = Follower::new(3);
        carry_out(&mut world, &mut aside, &Step::EndFrame);
        for (from, to) in [(a, b), (b, a), (a, b)] {
            world.unrelate::<Rides>(to, from);
            world.unrelate::<Hunts>(to, from);
            world.relate(from, Rides("here".into()), to);
            world.relate(from, Hunts(1), to);
            world.relate(from, Knows { by: to }, to);
            assert!(world.take_command_errors().0.is_empty());
            follower.update(&format, &mut world);
        }
    }
}

#[test]
fn hooks_and_observers_of_a_replica_are_told() {
    #[derive(Resource, Clone, Default)]
    struct Seen(Vec<&'static str>);

    let format = format();
    let mut world = World::new();
    format.start_journal(&mut world, 100).unwrap();
    let mut there = World::new();
    there.init_resource::<Seen>();
    there.add_observer(|_: On<Add<Plain>>, mut seen: ResMut<Seen>| seen.0.push("added"));
    there.add_observer(|_: On<Insert<Plain>>, mut seen: ResMut<Seen>| seen.0.push("inserted"));
    there.add_observer(|_: On<Discard<Plain>>, mut seen: ResMut<Seen>| seen.0.push("discarded"));
    there.add_observer(|_: On<Remove<Plain>>, mut seen: ResMut<Seen>| seen.0.push("removed"));
    let mut replica = Replica::new();
    let mut update = |world: &mut World, from: Option<JournalPosition>| {
        let delta = match from {
            Some(from) => format.delta_since(world, &from).unwrap(),
            None => format.full_delta(world).unwrap(),
        };
        replica.apply(&format, &mut there, &delta.bytes).unwrap();
        let told: Vec<&str> = there.resource_mut::<Seen>().0.drain(..).collect();
        (delta.position, told)
    };
    let (at, told) = update(&mut world, None);
    assert!(told.is_empty());
    let entity = world.spawn((Plain(1), Empty)).id();
    let (at, told) = update(&mut world, Some(at));
    assert_eq!(told, ["added", "inserted"]);
    world.get_mut::<Plain>(entity).unwrap().0 = 2;
    let (at, told) = update(&mut world, Some(at));
    assert!(told.is_empty(), "it was written in place");
    world.entity_mut(entity).insert(Plain(3));
    let (at, told) = update(&mut world, Some(at));
    assert_eq!(told, ["discarded", "inserted"]);
    world.entity_mut(entity).remove::<Plain>();
    let (at, told) = update(&mut world, Some(at));
    assert_eq!(told, ["discarded", "removed"]);
    world.entity_mut(entity).insert(Plain(3));
    let (at, _) = update(&mut world, Some(at));
    world.despawn(entity);
    let (_, told) = update(&mut world, Some(at));
    assert_eq!(told, ["discarded", "removed"]);
}

#[test]
fn links_that_are_turned_around_come_over() {
    let format = format();
    let mut world = World::new();
    format.start_journal(&mut world, 100).unwrap();
    let [a, b, c] = [0, 1, 2].map(|at| world.spawn(Plain(at)).id());
    world.entity_mut(b).insert(ChildOf(a));
    world.entity_mut(c).insert(ChildOf(b));
    let mut follower = Follower::new(3);
    follower.update(&format, &mut world);
    world.entity_mut(b).remove::<ChildOf>();
    world.entity_mut(c).remove::<ChildOf>();
    world.entity_mut(a).insert(ChildOf(c));
    world.entity_mut(b).insert(ChildOf(a));
    follower.update(&format, &mut world);

    // The first entity in the delta gets a parent that is still its descendant in the replica.
    let root = world.spawn(Plain(3)).id();
    follower.update(&format, &mut world);
    world.entity_mut(c).insert(Empty);
    world.entity_mut(b).insert(ChildOf(root));
    world.entity_mut(c).insert(ChildOf(b));
    follower.update(&format, &mut world);
}

#[test]
fn deltas_are_applied_once_and_in_order() {
    let format = format();
    let mut world = World::new();
    let entity = world.spawn(Plain(0)).id();
    assert!(matches!(format.full_delta(&mut world), Err(DeltaError::Journal(JournalError::Off))));
    format.start_journal(&mut world, 100).unwrap();
    let full = format.full_delta(&mut world).unwrap();
    world.get_mut::<Plain>(entity).unwrap().0 = 1;
    let first = format.delta_since(&mut world, &full.position).unwrap();
    world.get_mut::<Plain>(entity).unwrap().0 = 2;
    let second = format.delta_since(&mut world, &first.position).unwrap();
    let both = format.delta_since(&mut world, &full.position).unwrap();

    let mut there = World::new();
    let mut replica = Replica::new();
    let apply = |replica: &mut Replica, there: &mut World, delta: &Delta| replica.apply(&format, there, &delta.bytes);
    assert!(matches!(apply(&mut replica, &mut there, &first), Err(ApplyError::NotNext { replica: None, .. })));
    apply(&mut replica, &mut there, &full).unwrap();
    let own = replica.get(entity).unwrap();
    let refuses = |replica: &mut Replica, there: &mut World, delta: &Delta| {
        let (before, mark) = (there.checksum().is_ok(), replica.mark());
        let value = there.get::<Plain>(own).copied();
        assert!(matches!(apply(replica, there, delta), Err(ApplyError::NotNext { replica: Some(_), .. })));
        assert_eq!((there.get::<Plain>(own).copied(), replica.mark(), there.checksum().is_ok()), (value, mark, before));
    };
    refuses(&mut replica, &mut there, &second);
    apply(&mut replica, &mut there, &first).unwrap();
    refuses(&mut replica, &mut there, &first);
    refuses(&mut replica, &mut there, &both);
    apply(&mut replica, &mut there, &second).unwrap();
    refuses(&mut replica, &mut there, &second);
    assert_eq!(there.get(own), Some(&Plain(2)));
    // A full one may come at any time.
    apply(&mut replica, &mut there, &full).unwrap();
    assert_eq!(there.get(own), Some(&Plain(0)));
    apply(&mut replica, &mut there, &both).unwrap();
    assert_eq!(there.get(own), Some(&Plain(2)));
    assert!(matches!(apply(&mut replica, &mut World::new(), &full), Err(ApplyError::OtherWorld)));
    // A mark goes along with a file.
    let mark = DeltaMark::from(first.position);
    assert_eq!(DeltaMark::from_bytes(mark.to_bytes()), mark);
}

#[test]
fn a_restore_starts_an_epoch() {
    let format = format();
    let mut world = World::new();
    let entity = world.spawn(Plain(0)).id();
    format.start_journal(&mut world, 100).unwrap();
    let mut follower = Follower::new(2);
    follower.update(&format, &mut world);
    let snapshot = world.snapshot().unwrap();
    world.despawn(entity);
    world.spawn((Plain(7), Owned("wrong".into())));
    follower.update(&format, &mut world);
    world.restore(&snapshot).unwrap();
    let at = follower.at.unwrap();
    assert!(matches!(format.delta_since(&mut world, &at), Err(DeltaError::Journal(JournalError::Restored))));
    // It gets all that there is, and goes on from there.
    assert!(follower.update(&format, &mut world));
    world.spawn(Plain(8));
    assert!(!follower.update(&format, &mut world));

    let mut other = World::new();
    format.start_journal(&mut other, 100).unwrap();
    let at = follower.at.unwrap();
    assert!(matches!(format.delta_since(&mut other, &at), Err(DeltaError::Journal(JournalError::OtherWorld))));
    world.stop_journal();
    assert!(matches!(format.delta_since(&mut world, &at), Err(DeltaError::Journal(JournalError::Off))));
    format.start_journal(&mut world, 100).unwrap();
    assert!(matches!(format.delta_since(&mut world, &at), Err(DeltaError::Journal(JournalError::TooLate))));
    assert!(follower.update(&format, &mut world));
}

#[test]
fn a_journal_that_starts_anew_hands_out_no_position_twice() {
    let format = format();
    let mut world = World::new();
    let entity = world.spawn(Plain(0)).id();
    format.start_journal(&mut world, 100).unwrap();
    let mut follower = Follower::new(0);
    follower.update(&format, &mut world);
    world.stop_journal();
    world.get_mut::<Plain>(entity).unwrap().0 = 1;
    world.spawn(Plain(2));
    format.start_journal(&mut world, 100).unwrap();
    let position = world.journal_position().unwrap();
    world.spawn(Plain(3));
    // It would never know what happened between the two journals.
    let delta = format.delta_since(&mut world, &position).unwrap();
    let error = follower.replica.apply(&format, &mut follower.world, &delta.bytes).unwrap_err();
    assert!(matches!(error, ApplyError::NotNext { .. }), "{error}");
    assert!(follower.update(&format, &mut world));
}

#[test]
fn ticks_that_wrap_around_hide_nothing() {
    let format = format();
    let mut world = World::new();
    let entity = world.spawn(Plain(0)).id();
    format.start_journal(&mut world, 100).unwrap();
    let mut follower = Follower::new(0);
    follower.update(&format, &mut world);
    for runs in [1 << 20, 1 << 31, u32::MAX] {
        world.get_mut::<Plain>(entity).unwrap().0 += 1;
        world.skip_change_ticks(runs);
        follower.update(&format, &mut world);
    }
}

#[test]
fn what_is_not_saved_is_named_or_left_out() {
    #[derive(Component)]
    struct Sprite;
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(save = "skip")]
    struct Cache;
    #[derive(Resource)]
    struct Window;
    #[derive(Relation)]
    struct Sees;

    let format = format();
    let mut world = World::new();
    format.start_journal(&mut world, 100).unwrap();
    let entity = world.spawn((Plain(1), Cache)).id();
    let mut follower = Follower::new(0);
    follower.update(&format, &mut world);
    world.entity_mut(entity).insert((Sprite, Rare(1)));
    world.insert_resource(Window);
    world.relate(entity, Sees, entity);
    let Err(DeltaError::NotSaved(all)) = format.delta_since(&mut world, &follower.at.unwrap()) else { unreachable!() };
    assert!(
        matches!(all[..], [NotSaved::Component(_), NotSaved::Relation(_), NotSaved::Resource(_)]),
        "{all:?} {}",
        DeltaError::NotSaved(all.clone())
    );
    let known_only = format.clone().with_known_only();
    follower.update(&known_only, &mut world);
    let partly = format.clone().without_component::<Sprite>().without_relation::<Sees>().without_resource::<Window>();
    world.entity_mut(entity).insert(Plain(2));
    follower.update(&partly, &mut world);
    let filtered = format.with_only_entities::<With<Plain>>();
    assert!(matches!(filtered.full_delta(&mut world), Err(DeltaError::OnlySomeEntities)));
}

#[test]
fn a_replica_may_begin_with_a_file_and_have_things_of_its_own() {
    #[derive(Component)]
    struct Sprite(u32);

    let format = format();
    let mut world = World::new();
    let [a, b] = [0, 1].map(|at| world.spawn((Plain(at), Target(Entity::PLACEHOLDER))).id());
    world.insert_resource(Score(vec![1]));
    format.start_journal(&mut world, 100).unwrap();
    let position = world.journal_position().unwrap();
    let bytes = format.save(&mut world).unwrap();
    world.entity_mut(a).insert((ChildOf(b), Target(b)));
    world.remove_resource::<Score>();
    let delta = format.delta_since(&mut world, &position).unwrap();

    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    let replica = Replica::of_loaded(&loaded, position.into());
    let mut follower = Follower { world: loaded, replica, at: None, own: Vec::new() };
    follower.apply(&format, &mut world, delta.clone());

    let mut living = World::new();
    let own = living.spawn(Plain(0)).id();
    let map = format.load_entities(&mut living, &bytes).unwrap();
    let replica = Replica::of_entities(&living, &map, position.into());
    living.entity_mut(map.get(a).unwrap()).insert(Sprite(3));
    let mut follower = Follower { world: living, replica, at: None, own: vec![own] };
    follower.apply(&format, &mut world, delta);
    let own_a = follower.replica.get(a).unwrap();
    assert_eq!(follower.world.get::<Sprite>(own_a).unwrap().0, 3);

    // An entity that the program despawns stays despawned, and values that name it do not name another entity.
    follower.world.despawn(own_a);
    world.get_mut::<Plain>(a).unwrap().0 = 9;
    world.entity_mut(b).insert(Target(a));
    let delta = format.delta_since(&mut world, &follower.at.unwrap()).unwrap();
    let applied = follower.replica.apply(&format, &mut follower.world, &delta.bytes).unwrap();
    assert_eq!(applied.missing, 1);
    let own_b = follower.replica.get(b).unwrap();
    assert_eq!(follower.world.get(own_b), Some(&Target(own_a)));
    follower.replica.forget_ended(&follower.world);
    assert_eq!((follower.replica.get(a), follower.replica.get(b)), (None, Some(own_b)));
}

/// The bytes with the checksum that they should have.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= 16 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[..12]);
        hasher.update(&bytes[16..]);
        bytes[12..16].copy_from_slice(&hasher.finalize().to_le_bytes());
    }
    bytes
}

/// A small delta with something of everything, and a follower that has come to where it begins.
pub(super) fn small() -> (WorldFormat, Follower, Vec<u8>) {
    let format = format();
    let (mut world, mut aside) = (World::new(), World::new());
    let ids: Vec<Entity> = world.spawn_batch((0..3).map(Plain)).collect();
    world.entity_mut(ids[1]).insert(ChildOf(ids[0]));
    world.insert_resource(Score(vec![1]));
    format.start_journal(&mut world, 100).unwrap();
    let mut follower = Follower::new(1);
    follower.update(&format, &mut world);
    world.get_mut::<Plain>(ids[0]).unwrap().0 = 8;
    world.entity_mut(ids[1]).insert((Wide([1; 3]), Owned("one".into()), Rare(3)));
    let new = world.spawn((Target(ids[0]), Tag, ChildOf(ids[0]))).id();
    world.relate(new, Hunts(3), ids[0]);
    world.despawn(ids[2]);
    world.remove_resource::<Score>();
    world.insert_resource(Focus(new));
    carry_out(&mut world, &mut aside, &Step::EndFrame);
    let delta = format.delta_since(&mut world, &follower.at.unwrap()).unwrap();
    (format, follower, delta.bytes)
}

#[test]
fn damaged_deltas_change_nothing() {
    let (format, mut follower, mut bytes) = small();
    let state = |follower: &Follower| {
        let own: HashMap<Entity, Entity> = follower.replica.iter().map(|(source, own)| (own, source)).collect();
        (shown(&follower.world, &all(&follower.world), &|one| one), own.len(), follower.replica.mark())
    };
    let mut before = state(&follower);
    for len in strata_tests::effort::places(0..bytes.len()) {
        let cut = bytes[..len].to_vec();
        assert!(follower.replica.apply(&format, &mut follower.world, &cut).is_err(), "{len} bytes");
        let error = follower.replica.apply(&format, &mut follower.world, &signed(cut)).unwrap_err();
        assert!(!error.to_string().is_empty());
        assert_eq!(state(&follower), before, "{len} bytes");
    }
    let mut more = bytes.clone();
    more.push(0);
    let error = follower.replica.apply(&format, &mut follower.world, &signed(more)).unwrap_err();
    assert!(matches!(error, ApplyError::Load(LoadError::Bytes { problem: Problem::TooLong, .. })), "{error}");
    for bit in strata_tests::effort::places(0..bytes.len() * 8) {
        let mut wrong = bytes.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(follower.replica.apply(&format, &mut follower.world, &wrong).is_err(), "bit {bit}");
    }
    assert_eq!(state(&follower), before);
    // With the right checksum some of them are deltas of something else.
    let (mut refused, mut taken) = (0, 0);
    for bit in strata_tests::effort::places(0..bytes.len() * 8) {
        let mut wrong = bytes.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        match follower.replica.apply(&format, &mut follower.world, &signed(wrong)) {
            Err(_) => {
                assert_eq!(state(&follower), before, "bit {bit}");
                refused += 1;
            }
            Ok(_) => {
                follower.world.check_invariants();
                taken += 1;
                // As before, with marks of another world.
                (_, follower, bytes) = small();
                before = state(&follower);
            }
        }
    }
    assert!(refused > taken && taken != 0, "{refused} {taken}");
    // That one is of another world.
    follower.replica.apply(&format, &mut follower.world, &small().2).unwrap_err();
    follower.replica.apply(&format, &mut follower.world, &bytes).unwrap();
}

#[test]
fn a_delta_has_little_more_than_what_has_changed() {
    #[derive(Component, Clone, Copy, Serialize, Deserialize)]
    #[component(plain)]
    #[repr(C)]
    struct A([f32; 3]);
    #[derive(Component, Clone, Copy, Serialize, Deserialize)]
    #[component(plain)]
    #[repr(C)]
    struct B([f32; 3]);
    let format = WorldFormat::new().with_components(components![A, B, Plain]);
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..20_000).map(|at| (A([0.5; 3]), B([1.5; 3]), Plain(at)))).collect();
    format.start_journal(&mut world, 100).unwrap();
    let at = world.journal_position().unwrap();
    for id in ids.iter().step_by(100) {
        world.get_mut::<A>(*id).unwrap().0[0] += 1.0;
        world.get_mut::<B>(*id).unwrap().0[0] += 1.0;
        world.get_mut::<Plain>(*id).unwrap().0 += 1;
    }
    let delta = format.delta_since(&mut world, &at).unwrap();
    assert_eq!((delta.made, delta.changed, delta.values), (0, 0, 600));
    let untracked = {
        // Without the ticks that the journal needs.
        let mut other = World::new();
        other.spawn_batch((0..20_000).map(|at| (A([0.5; 3]), B([1.5; 3]), Plain(at))));
        format.save(&mut other).unwrap().len()
    };
    assert!(delta.bytes.len() <= untracked / 50 + 100, "{} of {untracked}", delta.bytes.len());
    // Nothing has changed since.
    let delta = format.delta_since(&mut world, &delta.position).unwrap();
    assert!(delta.bytes.len() < 250 && delta.values == 0, "{}", delta.bytes.len());
    _ = world.snapshot_with(&SnapshotOptions::new()).unwrap();
}

#[test]
fn observers_of_a_replica_see_complete_entities_whatever_was_made_first() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(&'static str, Option<String>, Vec<u32>)>);
    for child_first in [false, true] {
        for changed in [false, true] {
            let (mut world, mut there, mut replica) = (World::new(), World::new(), Replica::new());
            format().start_journal(&mut world, 1 << 10).unwrap();
            there.init_resource::<Seen>();
            there.add_observer(
                |add: On<Insert<ChildOf>>, up: Query<&ChildOf>, labels: Query<&Label>, mut seen: ResMut<Seen>| {
                    let parent = up.get(add.entity).unwrap().parent();
                    seen.0.push(("link", labels.get(parent).ok().map(|label| label.0.clone()), vec![]));
                },
            );
            there.add_observer(
                |add: On<Insert<Label>>, down: Query<&Children>, plain: Query<&Plain>, mut seen: ResMut<Seen>| {
                    let children = down.get(add.entity).into_iter().flat_map(|children| children.iter());
                    let below = children.filter_map(|child| plain.get(child).ok()).map(|plain| plain.0).collect();
                    seen.0.push(("label", None, below));
                },
            );
            there.add_observer(|hunt: On<Relate<Hunts>>, plain: Query<&Plain>, mut seen: ResMut<Seen>| {
                let ends = [hunt.source, hunt.target].map(|end| plain.get(end).map_or(0, |plain| plain.0));
                seen.0.push(("pair", None, ends.to_vec()));
            });
            let make = |world: &mut World| world.spawn_empty().id();
            let [first, second] = [make(&mut world), make(&mut world)];
            let (child, parent) = if child_first { (first, second) } else { (second, first) };
            if changed {
                // Both are there when the values come.
                let sent = format().full_delta(&mut world).unwrap();
                replica.apply(&format(), &mut there, &sent.bytes).unwrap();
            }
            world.entity_mut(child).insert((ChildOf(parent), Plain(3)));
            world.relate(child, Hunts(1), parent);
            world.entity_mut(parent).insert((Label("parent".into()), Plain(4)));
            let sent = format().full_delta(&mut world).unwrap();
            replica.apply(&format(), &mut there, &sent.bytes).unwrap();
            there.check_invariants();
            let mut seen = there.resource::<Seen>().0.clone();
            seen.sort();
            let expected =
                [("label", None, vec![3]), ("link", Some("parent".to_owned()), vec![]), ("pair", None, vec![3, 4])];
            assert_eq!(seen, expected, "child first: {child_first}, changed: {changed}");
        }
    }
}
