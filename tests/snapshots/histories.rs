//! Operations after a world was restored have the results that they have after the snapshot, including ids and order.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strata_ecs::prelude::*;
use strata_ecs::query::Spawned;
use strata_ecs::removal::{RemovedComponentReader, RemovedValueReader};
use strata_ecs::snapshot::{ColumnContents, SnapshotContents, SnapshotOptions};
use strata_save::{WorldFormat, components, resources};

/// Counts the values that are alive.
#[derive(Clone, Debug)]
struct Token(#[expect(dead_code, reason = "it is counted")] Arc<()>);

thread_local! {
    /// The counter of loaded tokens.
    static LOADED: RefCell<Arc<()>> = RefCell::default();
}

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer)?;
        Ok(Self(LOADED.with_borrow(Arc::clone)))
    }
}

/// A format for the worlds of games. Tokens that it loads count as this one.
pub(crate) fn format(alive: &Arc<()>) -> WorldFormat {
    LOADED.set(Arc::clone(alive));
    WorldFormat::new()
        .with_components(components![Plain, Wide, Owned, Empty, Rare, RareOwned, Tag, CountedTag])
        .with_components(components![ChildOf, Children, Follows, Followers])
        .with_resources(resources![Score, Log, Messages<Step>])
}

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Plain(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain)]
#[repr(C)]
struct Wide([u64; 5]);
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
struct Owned(String, Token);
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
struct Empty;
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(storage = "sparse")]
struct Rare(u16);
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(storage = "sparse")]
struct RareOwned(Vec<u8>, Token);
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(storage = "sparse")]
struct CountedTag;

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

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
struct Score(Vec<u32>);
#[derive(Message, Clone, Debug, Serialize, Deserialize)]
struct Step(u32, Token);

/// The values that systems have seen since the log was last taken.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
struct Log(String);

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Early;
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Late;

fn watch(
    changed: Query<(Entity, &Plain), Changed<Plain>>,
    added: Query<Entity, Added<Rare>>,
    spawned: Query<Entity, Spawned>,
    mut removed: RemovedComponents<Plain>,
    mut log: ResMut<Log>,
) {
    let changed: Vec<_> = changed.iter().collect();
    let (added, spawned): (Vec<_>, Vec<_>) = (added.iter().collect(), spawned.iter().collect());
    writeln!(log.0, "watch {changed:?} {added:?} {spawned:?} {:?}", removed.read().collect::<Vec<_>>()).unwrap();
}

fn read(
    mut steps: MessageReader<Step>,
    mut lost: RemovedValues<Owned>,
    mut seen: Local<Vec<u32>>,
    mut last: Local<Option<Entity>>,
    mut log: ResMut<Log>,
) {
    seen.extend(steps.read().map(|step| step.0));
    let before = seen.len().saturating_sub(9);
    seen.drain(..before);
    let lost: Vec<(Entity, String)> = lost.read().map(|(entity, owned)| (entity, owned.0.clone())).collect();
    writeln!(log.0, "read {:?} {lost:?} {:?}", *seen, *last).unwrap();
    *last = lost.last().map(|(entity, _)| *entity).or(*last);
}

fn work(
    all: Query<(Entity, &mut Plain)>,
    mut commands: Commands,
    mut steps: MessageWriter<Step>,
    mut runs: Local<u32>,
) {
    *runs += 1;
    for (at, (entity, mut plain)) in (0..).zip(all) {
        match (at + *runs) % 7 {
            0 => commands.entity(entity).despawn(),
            1 => _ = commands.entity(entity).insert(Rare(at as u16)),
            2 => _ = commands.entity(entity).remove::<(Plain, Rare)>(),
            3 => plain.0 += 1,
            _ => {}
        }
    }
    steps.write(Step(*runs, Token(LOADED.with_borrow(Arc::clone))));
    (0..*runs % 3).for_each(|at| _ = commands.spawn((Plain(at), Tag)));
}

fn is_third(mut runs: Local<u32>) -> bool {
    *runs += 1;
    runs.is_multiple_of(3)
}

/// It has often something that it has not read.
fn seldom(mut removed: RemovedComponents<Plain>, mut steps: MessageReader<Step>, mut log: ResMut<Log>) {
    let steps: Vec<u32> = steps.read().map(|step| step.0).collect();
    writeln!(log.0, "seldom {:?} {steps:?}", removed.read().collect::<Vec<_>>()).unwrap();
}

#[system(down = ChildOf, changed(Plain))]
fn below(entity: Entity, plain: &Plain, mut log: ResMut<Log>) {
    writeln!(log.0, "below {entity} {plain:?}").unwrap();
}

fn whole(
    world: &mut World,
    changed: &mut QueryState<Entity, Changed<Plain>>,
    steps: &mut SystemState<MessageReader<Step>>,
    mut sum: Local<u64>,
) {
    *sum += steps.get_mut(world).unwrap().read().map(|step| u64::from(step.0)).sum::<u64>();
    let changed: Vec<Entity> = changed.iter(world).collect();
    writeln!(world.resource_mut::<Log>().0, "whole {changed:?} {}", *sum).unwrap();
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn(u8, u32),
    Batch(u8, u32, usize),
    Despawn(usize),
    Insert(usize, u8, u32),
    Remove(usize, u8),
    Write(u8, u32),
    Link(usize, usize),
    Unlink(usize),
    Reserve(usize),
    Score(u32),
    NoScore,
    Message(u32),
    EndFrame,
    Clear,
    Shrink,
    /// Runs a schedule.
    Run(bool),
}

pub(crate) fn step() -> impl Strategy<Value = Operation> {
    let (which, kind, value) = (any::<usize>(), 0..16_u8, 0..1000_u32);
    prop_oneof![
        6 => (kind.clone(), value.clone()).prop_map(|(kind, value)| Operation::Spawn(kind, value)),
        2 => (kind.clone(), value.clone(), 0..80_usize).prop_map(|(kind, value, count)| Operation::Batch(kind, value, count)),
        5 => which.prop_map(Operation::Despawn),
        8 => (which, kind.clone(), value.clone()).prop_map(|(which, kind, value)| Operation::Insert(which, kind, value)),
        6 => (which, kind.clone()).prop_map(|(which, kind)| Operation::Remove(which, kind)),
        3 => (kind, value.clone()).prop_map(|(kind, value)| Operation::Write(kind, value)),
        3 => (which, which).prop_map(|(child, parent)| Operation::Link(child, parent)),
        1 => which.prop_map(Operation::Unlink),
        1 => (0..4_usize).prop_map(Operation::Reserve),
        1 => value.clone().prop_map(Operation::Score),
        1 => Just(Operation::NoScore),
        2 => value.prop_map(Operation::Message),
        2 => Just(Operation::EndFrame),
        1 => Just(Operation::Clear),
        1 => Just(Operation::Shrink),
        6 => any::<bool>().prop_map(Operation::Run),
    ]
}

pub(crate) struct Game {
    pub(crate) world: World,
    pub(crate) alive: Arc<()>,
    removed: RemovedComponentReader<Plain>,
    lost: RemovedValueReader<Owned>,
    /// It keeps the changes known.
    _tracked: QueryState<Entity, Changed<Plain>>,
}

impl Game {
    /// With components that have other numbers.
    pub(crate) fn of_another_process() -> Self {
        let mut world = World::new();
        world.register_component::<CountedTag>();
        world.register_component::<Rare>();
        world.register_component::<Wide>();
        world.register_component::<Owned>();
        Self::of(world)
    }

    pub(crate) fn new() -> Self {
        Self::of(World::new())
    }

    fn of(mut world: World) -> Self {
        let (removed, lost) = (world.removed_reader::<Plain>(), world.removed_value_reader::<Owned>());
        world.init_resource::<Messages<Step>>();
        world.init_resource::<Log>();
        let (mut early, mut late) = (Schedule::new(Early), Schedule::new(Late));
        early.add_systems((watch, work, read).chain());
        late.add_systems((read, below, seldom.run_if(is_third), whole, work, watch).chain());
        world.add_schedule(early);
        world.add_schedule(late);
        // Its changes are known from the beginning.
        let tracked = world.query_filtered::<Entity, Changed<Plain>>();
        Self { world, alive: Arc::new(()), removed, lost, _tracked: tracked }
    }

    fn token(&self) -> Token {
        Token(Arc::clone(&self.alive))
    }

    fn entities(&self) -> Vec<Entity> {
        self.world.tables().iter().flat_map(|table| table.entities()).copied().collect()
    }

    fn pick(&self, which: usize) -> Option<Entity> {
        let all = self.entities();
        (!all.is_empty()).then(|| all[which % all.len()])
    }

    fn insert(&mut self, entity: Entity, kind: u8, value: u32) {
        let (token, mut entity) = (self.token(), self.world.entity_mut(entity));
        match kind % 8 {
            0 => entity.insert(Plain(value)),
            1 => entity.insert(Wide([value.into(); 5])),
            2 => entity.insert(Owned(value.to_string(), token)),
            3 => entity.insert(Empty),
            4 => entity.insert(Rare(value as u16)),
            5 => entity.insert(RareOwned(vec![1; value as usize % 7], token)),
            6 => entity.insert(Tag),
            _ => entity.insert((CountedTag, Plain(value + 1))),
        };
    }

    fn remove(&mut self, entity: Entity, kind: u8) {
        let mut entity = self.world.entity_mut(entity);
        match kind % 8 {
            0 => entity.remove::<Plain>(),
            1 => entity.remove::<Wide>(),
            2 => entity.remove::<Owned>(),
            3 => entity.remove::<Empty>(),
            4 => entity.remove::<Rare>(),
            5 => entity.remove::<RareOwned>(),
            6 => entity.remove::<Tag>(),
            _ => entity.remove::<(CountedTag, Plain)>(),
        };
    }

    /// Does a step, and writes down what comes of it.
    fn step(&mut self, step: &Operation, out: &mut String) {
        match *step {
            Operation::Spawn(kind, value) => {
                let entity = self.world.spawn_empty().id();
                writeln!(out, "spawned {entity}").unwrap();
                self.insert(entity, kind, value);
                if kind >= 8 {
                    self.insert(entity, kind / 2, value);
                }
            }
            Operation::Batch(kind, value, count) => {
                let spawned: Vec<Entity> = match kind % 2 {
                    0 => self.world.spawn_batch((0..count as u32).map(|at| Plain(at + value))).collect(),
                    _ => {
                        let token = self.token();
                        self.world.spawn_batch((0..count).map(|_| (Owned(String::new(), token.clone()), Tag))).collect()
                    }
                };
                writeln!(out, "spawned {spawned:?}").unwrap();
            }
            Operation::Despawn(which) => {
                if let Some(entity) = self.pick(which) {
                    self.world.despawn(entity);
                }
            }
            Operation::Insert(which, kind, value) => {
                if let Some(entity) = self.pick(which) {
                    self.insert(entity, kind, value);
                }
            }
            Operation::Remove(which, kind) => {
                if let Some(entity) = self.pick(which) {
                    self.remove(entity, kind);
                }
            }
            Operation::Write(kind, value) => match kind % 3 {
                0 => self.world.query::<&mut Plain>().iter_mut(&mut self.world).for_each(|mut plain| {
                    if plain.0 % 3 == value % 3 {
                        plain.0 += value;
                    }
                }),
                1 => {
                    let mut owned = self.world.query::<&mut Owned>();
                    owned.iter_mut(&mut self.world).for_each(|mut owned| owned.0.push('x'));
                }
                _ => self.world.query::<&mut Rare>().iter_mut(&mut self.world).for_each(|mut rare| rare.0 ^= 1),
            },
            Operation::Link(which, parent) => {
                if let (Some(child), Some(parent)) = (self.pick(which), self.pick(parent))
                    && child != parent
                {
                    if which % 3 == 0 {
                        self.world.entity_mut(child).insert(Follows { leader: parent, since: which as u32 });
                    } else if !self.is_above(child, parent) {
                        self.world.entity_mut(child).insert(ChildOf(parent));
                    }
                }
            }
            Operation::Unlink(child) => {
                if let Some(child) = self.pick(child) {
                    self.world.entity_mut(child).remove::<(ChildOf, Follows)>();
                }
            }
            Operation::Reserve(count) => {
                let reserved: Vec<Entity> = self.world.reserve_entities(count).collect();
                writeln!(out, "reserved {reserved:?}").unwrap();
            }
            Operation::Score(value) => {
                let score = self.world.remove_resource::<Score>();
                let mut score = score.unwrap_or_default();
                score.0.push(value);
                self.world.insert_resource(score);
            }
            Operation::NoScore => drop(self.world.remove_resource::<Score>()),
            Operation::Message(value) => {
                let token = self.token();
                self.world.write_message(Step(value, token));
            }
            Operation::EndFrame => self.world.frame(|_| {}),
            Operation::Clear => self.world.clear_entities(),
            Operation::Shrink => self.world.shrink_to_fit(),
            Operation::Run(is_early) => {
                if is_early {
                    self.world.run_schedule(Early);
                } else {
                    self.world.run_schedule(Late);
                }
                out.push_str(&std::mem::take(&mut self.world.resource_mut::<Log>().0));
                // Entities may have ended before a command for them is carried out.
                drop(self.world.take_command_errors());
            }
        }
        self.world.check_invariants();
    }

    fn is_above(&self, above: Entity, mut below: Entity) -> bool {
        while let Some(parent) = self.world.get::<ChildOf>(below) {
            below = parent.0;
            if below == above {
                return true;
            }
        }
        false
    }

    pub(crate) fn play(&mut self, steps: &[Operation]) -> String {
        let mut out = String::new();
        steps.iter().for_each(|step| self.step(step, &mut out));
        self.write(&mut out);
        out
    }

    /// All that can be seen.
    fn write(&mut self, out: &mut String) {
        let removed: Vec<Entity> = self.removed.read(&self.world).collect();
        let lost: Vec<(Entity, String)> =
            self.lost.read(&self.world).map(|(entity, owned)| (entity, owned.0.clone())).collect();
        writeln!(out, "{removed:?} {lost:?}").unwrap();
        let world = &self.world;
        writeln!(out, "frame {} tick {:?}", world.frame_number(), world.change_tick()).unwrap();
        writeln!(out, "{:?} {:?}", world.get_resource::<Score>(), world.get_resource::<Messages<Step>>()).unwrap();
        for table in world.tables() {
            // In whatever order the world has met them.
            let mut names: Vec<_> = table.components().iter().map(|id| world.components().name(*id)).collect();
            names.sort_unstable();
            writeln!(out, "table {names:?}").unwrap();
            for &id in table.entities() {
                let entity = world.entity(id);
                write!(out, "  {id} {:?} {:?}", entity.get::<Plain>(), entity.get_change_ticks::<Plain>()).unwrap();
                write!(out, " {:?} {:?}", entity.get::<Wide>(), entity.get::<Owned>().map(|owned| &owned.0)).unwrap();
                write!(out, " {:?} {:?}", entity.get::<Empty>(), entity.get::<Rare>()).unwrap();
                write!(out, " {:?} {:?}", entity.get::<RareOwned>().map(|owned| &owned.0), entity.get::<Tag>())
                    .unwrap();
                write!(out, " {:?} {:?}", entity.get::<CountedTag>(), entity.get::<ChildOf>()).unwrap();
                writeln!(out, " {:?}", entity.get::<Children>().map(|children| children.to_vec())).unwrap();
                writeln!(out, "    {:?} {:?}", entity.get::<Follows>(), entity.get::<Followers>()).unwrap();
            }
        }
        let all = |world: &mut World| -> String {
            let rare: Vec<Entity> = world.query_filtered::<Entity, With<Rare>>().iter(world).collect();
            let tags: Vec<Entity> = world.query_filtered::<Entity, With<Tag>>().iter(world).collect();
            let plain: Vec<(Entity, Plain)> =
                world.query::<(Entity, &Plain)>().iter(world).map(|(e, p)| (e, *p)).collect();
            format!("{rare:?} {tags:?} {plain:?}")
        };
        out.push_str(&all(&mut self.world));
    }
}

/// All data of a snapshot.
fn shown(contents: SnapshotContents<'_>) -> String {
    let of_column = |column: ColumnContents<'_>| format!("{:?} {:?}", column.stamp(), column.ticks());
    let tables = contents.tables().flat_map(|table| table.columns()).map(of_column);
    let storages = contents.storages().map(|storage| of_column(storage.column()));
    let ticks: Vec<String> = tables.chain(storages).collect();
    let stamps: Vec<_> = contents.tables().map(|table| table.stamp()).collect();
    format!("{contents:?} {ticks:?} {stamps:?} {:?}", contents.left_out())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(48), ..ProptestConfig::default() })]

    #[test]
    fn what_follows_is_what_would_have_followed(
        before in vec(step(), 0..60),
        wrong in vec(step(), 0..40),
        more in vec(step(), 0..20),
        after in vec(step(), 0..40),
    ) {
        let mut game = Game::new();
        game.play(&before);
        let mut snapshot = game.world.snapshot().unwrap();
        let expected = game.play(&after);

        game.world.restore(&snapshot).unwrap();
        game.world.check_invariants();
        game.play(&wrong);
        game.world.restore(&snapshot).unwrap();
        game.world.check_invariants();
        prop_assert_eq!(&game.play(&after), &expected);

        // The memory of a snapshot of something else does as well, and so does a snapshot of what was restored.
        game.play(&more);
        let mut other = game.world.snapshot().unwrap();
        game.world.restore(&snapshot).unwrap();
        game.world.snapshot_into(&mut other).unwrap();
        game.play(&more);
        game.world.restore(&other).unwrap();
        game.world.check_invariants();
        prop_assert_eq!(&game.play(&after), &expected);
        game.world.snapshot_into(&mut snapshot).unwrap();

        // The contents of the living world are equal to the contents of its copy.
        let copied = shown(snapshot.contents());
        prop_assert_eq!(shown(game.world.living_contents(&SnapshotOptions::new()).unwrap().contents()), copied);

        // And once more, with the values of the snapshot itself.
        let expected = game.play(&after);
        game.play(&wrong);
        game.world.restore_from(snapshot).unwrap();
        game.world.check_invariants();
        prop_assert_eq!(&game.play(&after), &expected);

        drop(other);
        let Game { world, alive, .. } = game;
        drop(world);
        prop_assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn two_worlds_that_were_wrong_in_different_ways_agree_again(
        before in vec(step(), 0..40),
        wrong in [vec(step(), 0..40), vec(step(), 0..40)],
        after in vec(step(), 0..40),
    ) {
        let [one, other] = wrong.map(|wrong| {
            let mut game = Game::new();
            game.play(&before);
            let snapshot = game.world.snapshot().unwrap();
            game.play(&wrong);
            game.world.restore(&snapshot).unwrap();
            game.play(&after)
        });
        prop_assert_eq!(one, other);
    }
}
