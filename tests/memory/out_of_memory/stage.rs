//! The worlds in which operations are tried, and what has to be right about them afterwards.

use std::cell::OnceCell;
use std::sync::Arc;

use strata_ecs::event::{Relate, Unrelate};
use strata_ecs::message::MessageCursor;
use strata_ecs::pool::{ThreadPool, ThreadPoolBuilder};
use strata_ecs::prelude::*;
use strata_ecs::removal::{RemovedComponentReader, RemovedValueReader};

use super::kinds::*;

/// The contents of the worlds before the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing.
    Fresh,
    /// Tables and storages of all kinds, with room for no further row.
    Full,
    /// The same, where changes are tracked and removals are read.
    Watched,
    /// As `Full`, with observers and hooks that record commands.
    Observed,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Fresh, Kind::Full, Kind::Watched, Kind::Observed];

#[derive(Default)]
pub(crate) struct Readers {
    pub(crate) held: Option<RemovedValueReader<Held>>,
    pub(crate) aside: Option<RemovedValueReader<Aside>>,
    pub(crate) name: Option<RemovedValueReader<Title>>,
    pub(crate) mark: Option<RemovedComponentReader<Mark>>,
    pub(crate) tag: Option<RemovedComponentReader<Tag>>,
    pub(crate) given: Option<RemovedComponentReader<Given>>,
}

pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) other: World,
    /// Entities of the first world.
    pub(crate) ids: Vec<Entity>,
    pub(crate) readers: Readers,
    pub(crate) cursor: MessageCursor<Note>,
    pub(crate) schedule: Schedule,
    /// Kept for the operation, so that they are dropped after it and not counted with it.
    pub(crate) changes: Option<QueryState<Entity, Or<(Changed<Held>, Changed<Aside>, Added<Tag>, Changed<Mark>)>>>,
}

/// A pool of one thread, so that no helper is called. Rayon aborts the process if the allocation of a helper's job fails, and the costs that
/// are measured at run time decide whether a helper is called.
fn pool_without_helpers() -> Arc<ThreadPool> {
    thread_local! {
        static POOL: OnceCell<Arc<ThreadPool>> = const { OnceCell::new() };
    }
    let start = || Arc::new(ThreadPoolBuilder::new().num_threads(1).build().expect("threads can be started"));
    POOL.with(|pool| Arc::clone(pool.get_or_init(start)))
}

fn watch(world: &mut World) {
    let _ = world.query_filtered::<Entity, Or<(Changed<Held>, Changed<Aside>, Added<Tag>, Changed<Mark>)>>();
    let _ = world.query::<(Ref<'_, Title>, Ref<'_, Page>, Ref<'_, Loose>)>();
}

/// Observers of components in both kinds of storage, which record commands or write a resource.
fn observe(world: &mut World) {
    world.init_resource::<Seen>();
    world.add_observer(|add: On<'_, '_, Add<Held>>, mut commands: Commands<'_, '_>| {
        commands.entity(add.entity).insert(Seal(add.entity.index()));
    });
    world.add_observer(|_: On<'_, '_, Discard<Held>>, mut seen: ResMut<'_, Seen>| seen.0 += 1);
    world.add_observer(|remove: On<'_, '_, Remove<Aside>>, mut commands: Commands<'_, '_>| {
        commands.entity(remove.entity).try_remove::<Seal>();
    });
    world.add_observer(|insert: On<'_, '_, Insert<Aside>>, mut commands: Commands<'_, '_>| {
        commands.entity(insert.entity).insert(SealAside(format!("seal {}", insert.entity.index())));
    });
    world.add_observer(|_: On<'_, '_, Despawn<Title>>, mut seen: ResMut<'_, Seen>| seen.0 += 1);
    world.add_observer(|add: On<'_, '_, Add<ChildOf>>, mut commands: Commands<'_, '_>| {
        commands.entity(add.entity).insert(Seal(add.entity.index()));
    });
    world.add_observer(|_: On<'_, '_, Remove<Children>>, mut seen: ResMut<'_, Seen>| seen.0 += 1);
    world.add_observer(|relate: On<'_, '_, Relate<Owes>>, mut commands: Commands<'_, '_>| {
        commands.entity(relate.source).insert(Seal(1));
    });
    world.add_observer(|_: On<'_, '_, Unrelate<Owes>>, mut seen: ResMut<'_, Seen>| seen.0 += 1);
    world.register_component::<Hooked>();
}

/// Entities in several tables, each of which is full.
fn fill(world: &mut World) -> Vec<Entity> {
    let mut ids: Vec<Entity> = (0..4).map(|number| world.spawn(whole(number)).id()).collect();
    ids.extend((0..4).map(|number| world.spawn((Mark(number as u32), held(number))).id()));
    ids.extend((0..4).map(|number| world.spawn((name(number), Loose(number as u64))).id()));
    ids.extend((0..2).map(|number| world.spawn(Needy(number)).id()));
    ids.extend((0..2).map(|_| world.spawn_empty().id()));
    ids
}

impl Stage {
    pub(crate) fn new(kind: Kind) -> Self {
        let (mut world, mut other) = (World::new(), World::new());
        world.set_thread_pool(pool_without_helpers());
        other.set_thread_pool(pool_without_helpers());
        let mut readers = Readers::default();
        let mut changes = None;
        let ids = match kind {
            Kind::Fresh => (0..16).map(|_| world.spawn_empty().id()).collect(),
            Kind::Full | Kind::Watched | Kind::Observed => {
                if kind == Kind::Watched {
                    watch(&mut world);
                    watch(&mut other);
                    changes = Some(world.query_filtered());
                    readers = Readers {
                        held: Some(world.removed_value_reader()),
                        aside: Some(world.removed_value_reader()),
                        name: Some(world.removed_value_reader()),
                        mark: Some(world.removed_reader()),
                        tag: Some(world.removed_reader()),
                        given: Some(world.removed_reader()),
                    };
                }
                let ids = fill(&mut world);
                fill(&mut other);
                world.init_resource::<Store>();
                (0..3).for_each(|number| _ = world.write_message(note(number)));
                if kind == Kind::Observed {
                    observe(&mut world);
                    observe(&mut other);
                }
                world.clear_trackers();
                ids
            }
        };
        let schedule = Schedule::default();
        Self { world, other, ids, readers, cursor: MessageCursor::default(), schedule, changes }
    }

    /// Whether both worlds are in order and of use.
    pub(crate) fn check(&mut self) {
        // Both sides of links agree from then on.
        self.world.flush();
        self.other.flush();
        use_world(&mut self.world);
        use_world(&mut self.other);
        self.read_removed();
        self.world.clear_trackers();
        self.world.check_invariants();
        let mut log = 0;
        self.world.register_message::<Note>();
        let messages = self.world.resource::<Messages<Note>>();
        self.cursor.read(messages).for_each(|note| {
            assert!(note.0.starts_with("note "));
            log += 1;
        });
        assert!(log < 1000);
        self.schedule.run(&mut self.world);
        self.world.check_invariants();
        self.world.clear_entities();
        self.read_removed();
        self.world.shrink_to_fit();
        self.world.check_invariants();
        assert_eq!(self.world.len(), 0);
        use_world(&mut self.world);
    }

    fn read_removed(&mut self) {
        let Readers { held, aside, name, mark, tag, given } = &mut self.readers;
        if let Some(reader) = held {
            reader.read(&self.world).for_each(|(_, held)| assert!(held.0.starts_with("held ")));
        }
        if let Some(reader) = aside {
            reader.read(&self.world).for_each(|(_, aside)| assert!(aside.0.starts_with("aside ")));
        }
        if let Some(reader) = name {
            reader.read(&self.world).for_each(|(_, name)| assert!(name.0.starts_with("name ")));
        }
        let number = mark.as_mut().map_or(0, |reader| reader.read(&self.world).count())
            + tag.as_mut().map_or(0, |reader| reader.read(&self.world).count())
            + given.as_mut().map_or(0, |reader| reader.read(&self.world).count());
        assert!(number < 10_000);
    }
}

/// Reads every value: one that is not what its type says, or was dropped, is noticed.
fn read_all(world: &mut World) {
    let mut count = 0;
    world.query::<&Held>().iter(world).for_each(|held| assert!(held.0.starts_with("held ")));
    world.query::<&Title>().iter(world).for_each(|name| assert!(name.0.starts_with("name ")));
    world.query::<&Aside>().iter(world).for_each(|aside| assert!(aside.0.starts_with("aside ")));
    world.query::<&Given>().iter(world).for_each(|given| assert_eq!(given.0, "given"));
    world.query::<&GivenAside>().iter(world).for_each(|given| assert_eq!(given.0, "given aside"));
    world.query::<&Newcomer<0>>().iter(world).for_each(|new| assert_eq!(new.0, "newcomer 0"));
    world.query::<&Newcomer<1>>().iter(world).for_each(|new| assert_eq!(new.0, "newcomer 1"));
    world.query::<&NewcomerAside<0>>().iter(world).for_each(|new| assert_eq!(new.0, "newcomer aside 0"));
    world.query::<(&Page, Option<&Mark>, Has<Tag>)>().iter(world).for_each(|_| count += 1);
    world.query::<(Entity, Option<&Loose>)>().iter(world).for_each(|_| count -= 1);
    assert!(count <= 0);
}

/// Does a little of everything in a world.
fn use_world(world: &mut World) {
    world.check_invariants();
    read_all(world);
    world.flush();
    let before = world.len();
    let first = world.spawn(whole(900)).id();
    let second = world.spawn((name(901), Loose(5), newcomer::<1>())).id();
    let hooked = world.spawn(hooked(1)).id();
    let third = world.spawn((Needy(3), newcomer_aside::<0>(), newcomer::<0>())).id();
    assert_eq!(world.get::<Held>(first).expect("present").0, "held 900");
    assert_eq!(world.get::<Title>(second).expect("present").0, "name 901");
    assert_eq!(world.get::<Given>(third).expect("present").0, "given");
    assert_eq!(world.get::<SealAside>(hooked).expect("inserted by the hook").0, "seal of a hook");
    assert!(world.despawn(hooked));
    world.entity_mut(first).insert((name(902), newcomer::<2>())).remove::<(Held, Aside)>();
    assert_eq!(world.get::<Title>(first).expect("present").0, "name 902");
    assert_eq!(world.get::<Newcomer<2>>(first).expect("present").0, "newcomer 2");
    world.entity_mut(second).insert(whole(903));
    assert_eq!(world.get::<Aside>(second).expect("present").0, "aside 903");
    let copies = world.spawn_batch((0..5).map(|number| (held(number), name(number)))).collect::<Vec<_>>();
    assert!(copies.iter().all(|&id| world.contains(id)));
    world.commands().entity(third).insert((held(904), newcomer::<3>()));
    world.commands().spawn((aside(905), Tag));
    world.flush();
    assert_eq!(world.get::<Held>(third).expect("present").0, "held 904");
    assert_eq!(world.len(), before + 3 + 5 + 1);
    world.insert_resource(Store::default());
    assert_eq!(world.get_resource_or_init::<NewStore<0>>().0, "new store 0");
    assert_eq!(world.get_resource_or_init::<NewStore<1>>().0, "new store 1");
    world.resource_scope(|world: &mut World, store: Mut<'_, Store>| {
        assert_eq!(store.0, "store");
        world.write_message(note(906));
    });
    assert!(world.despawn(copies[2]));
    world.check_invariants();
    read_all(world);
}
