//! An observer's command may exchange the worlds in each operation, at each moment in which commands are applied. Whatever goes on then
//! goes on in the world where it began, or ends: nothing of it gets into the world that has come.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde::{Deserialize, Serialize};
use strata_ecs::bundle::InsertMode;
use strata_ecs::component::HookContext;
use strata_ecs::entity::EntityCloner;
use strata_ecs::event::{Relate, Unrelate};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::Restored;
use strata_ecs::world::DeferredWorld;

use super::exchanged_worlds::Aside;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Text(pub(super) String);
#[derive(Component, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
#[require(Needed)]
pub(super) struct Number(pub(super) u32);
#[derive(Component, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Needed(pub(super) u32);
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(storage = "sparse")]
pub(super) struct Sparse(pub(super) u32);
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(on_add = hooked, on_discard = hooked, on_remove = hooked)]
pub(super) struct Hooked(pub(super) u32);
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relationship(relationship_target = Wards)]
pub(super) struct Guards(pub(super) Entity);
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[relationship_target(relationship = Guards, linked_spawn)]
pub(super) struct Wards(Vec<Entity>);
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Likes(pub(super) String);
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(exclusive, on_target_despawn = "cascade")]
pub(super) struct Owns(pub(super) u32);
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(symmetric)]
pub(super) struct Knows(pub(super) u32);

/// Commands that observers of it record are applied when it has been delivered.
#[derive(Event)]
pub(super) struct Rang;
/// It goes up from child to parent.
#[derive(EntityEvent)]
#[entity_event(propagate, auto_propagate)]
pub(super) struct Pushed(pub(super) Entity);

/// When the worlds are exchanged: by which of the commands of observers and hooks.
#[derive(Resource, Clone)]
pub(super) struct Moment {
    pub(super) left: Arc<AtomicUsize>,
    aside: Aside,
}

impl Moment {
    fn record(&self, commands: &mut Commands<'_, '_>) {
        let moment = self.clone();
        commands.queue(move |world: &mut World| {
            if moment.left.fetch_sub(1, Relaxed) == 0 {
                moment.aside.exchange(world);
            }
        });
    }
}

fn hooked(mut world: DeferredWorld<'_>, _: HookContext) {
    if let Some(moment) = world.get_resource::<Moment>().cloned() {
        moment.record(&mut world.commands());
    }
}

macro_rules! observe {
    ($world:ident $moment:ident: $($pattern:ty)*) => {$(
        let moment = $moment.clone();
        $world.add_observer(move |_: On<'_, '_, $pattern>, mut commands: Commands<'_, '_>| moment.record(&mut commands));
    )*};
}

/// The entities of a world.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    pub(super) root: Entity,
    pub(super) children: [Entity; 3],
    pub(super) others: [Entity; 4],
}

/// Entities with everything that operations lead on from.
pub(super) fn fill(world: &mut World, number: u32) -> Ids {
    let text = || Text(format!("text {number}"));
    let root = world.spawn((text(), Number(number), Sparse(number), Hooked(number))).id();
    let children =
        [0, 1, 2].map(|nth| world.spawn((text(), Number(nth), Sparse(nth), Hooked(nth), ChildOf(root))).id());
    let others = [0, 1, 2, 3].map(|nth| world.spawn((text(), Hooked(nth))).id());
    world.entity_mut(others[0]).insert(Guards(root));
    world.entity_mut(others[1]).insert((Guards(root), Number(9)));
    world.relate(root, Likes(String::from("first")), others[2]);
    world.relate(root, Likes(String::from("second")), others[3]);
    world.relate(children[0], Likes(String::from("third")), root);
    world.relate(root, Owns(number), others[3]);
    world.relate(children[1], Owns(number), children[2]);
    world.relate(root, Knows(number), children[0]);
    world.spawn(ChildOf(children[0]));
    Ids { root, children, others }
}

/// A world with observers of everything, and another one of whose entities each has an id that is one of the first world as well.
fn worlds(left: usize) -> (World, Moment, Ids) {
    let (mut here, aside) = Aside::pair();
    let moment = Moment { left: Arc::new(AtomicUsize::new(usize::MAX)), aside };
    // Those of the other world are unrelated.
    moment.aside.with(|other| {
        other.spawn_batch((0..3).map(Number)).for_each(drop);
        fill(other, 100);
        other.spawn_batch((0..20).map(|nth| (Text(nth.to_string()), Sparse(nth)))).for_each(drop);
    });
    let ids = fill(&mut here, 1);
    here.insert_resource(moment.clone());
    observe!(here moment: Add<Text> Insert<Text> Discard<Text> Remove<Text> Add<Number> Insert<Number> Discard<Number> Remove<Number>
        Add<Needed> Remove<Needed> Add<Sparse> Insert<Sparse> Discard<Sparse> Remove<Sparse> Despawn<Text> Despawn<Sparse> Add<Guards>
        Insert<ChildOf> Discard<ChildOf> Add<Children> Insert<Children> Discard<Children> Remove<Children> Discard<Wards>
        Relate<Likes> Unrelate<Likes> Relate<Owns> Unrelate<Owns> Relate<Knows> Unrelate<Knows> Rang Pushed Restored);
    here.flush();
    moment.left.store(left, Relaxed);
    (here, moment, ids)
}

/// Everything of a world that an operation could have changed.
fn contents(world: &World) -> Vec<String> {
    let mut all = vec![format!("{} entities, next {}", world.len(), world.entities().index_bound())];
    let mut entities: Vec<_> = world.iter_entities().collect();
    entities.sort_by_key(|entity| entity.id());
    for entity in entities {
        let id = entity.id();
        let mut components: Vec<_> =
            entity.components().filter_map(|id| Some(world.components().info(id)?.name())).collect();
        components.sort_unstable();
        let values = (entity.get::<Text>(), entity.get::<Number>(), entity.get::<Needed>(), entity.get::<Sparse>());
        let links = (entity.get::<ChildOf>(), entity.get::<Children>(), entity.get::<Guards>(), entity.get::<Wards>());
        let mut likes: Vec<_> =
            world.pairs_from::<Likes>(id).map(|pair| (pair.1, pair.0)).map(|pair| format!("{pair:?}")).collect();
        likes.sort_unstable();
        let owns: Vec<_> = world.pairs_from::<Owns>(id).map(|pair| format!("{pair:?}")).collect();
        let mut knows: Vec<_> = world.pairs_from::<Knows>(id).map(|pair| format!("{pair:?}")).collect();
        knows.sort_unstable();
        all.push(format!("{id}: {components:?} {values:?} {links:?} {likes:?} {owns:?} {knows:?}"));
    }
    all
}

pub(super) type Operation = fn(&mut World, Ids);

/// Operations that end in the world in which they began.
const WHOLE: &[(&str, Operation)] = &[
    ("spawn", |world, _| _ = world.spawn((Text(String::from("new")), Number(5), Sparse(1), Hooked(1)))),
    ("spawn linked", |world, ids| _ = world.spawn((ChildOf(ids.root), Guards(ids.children[0]), Number(5)))),
    ("spawn_at", |world, _| {
        _ = world.spawn_at(Entity::from_bits(1 << 32 | 90), (Number(5), Sparse(1))).expect("it is free")
    }),
    ("spawn_batch", |world, _| world.spawn_batch((0..4).map(Number)).for_each(drop)),
    ("spawn_batch sparse", |world, _| {
        world.spawn_batch((0..4).map(|n| (Number(n), Sparse(n), Hooked(n)))).for_each(drop)
    }),
    ("spawn_batch linked", |world, ids| world.spawn_batch([0; 4].map(|_| ChildOf(ids.root))).for_each(drop)),
    ("spawn_dynamic", |world, ids| {
        let mut builder = EntityBuilder::new();
        builder.add(Number(1)).add(Sparse(2)).add(ChildOf(ids.root));
        world.spawn_dynamic(&mut builder);
    }),
    ("insert", |world, ids| {
        _ = world.entity_mut(ids.others[2]).insert((Number(8), Sparse(8), Text(String::from("other"))))
    }),
    ("insert if new", |world, ids| {
        _ = world.entity_mut(ids.others[2]).insert_if_new((Number(8), Sparse(8), Text(String::new())))
    }),
    ("insert a link", |world, ids| _ = world.entity_mut(ids.children[1]).insert(ChildOf(ids.others[0]))),
    ("insert a list", |world, ids| _ = world.entity_mut(ids.others[2]).insert(Guards(ids.others[3]))),
    ("remove", |world, ids| _ = world.entity_mut(ids.root).remove::<(Number, Sparse, Hooked)>()),
    ("remove a link", |world, ids| _ = world.entity_mut(ids.children[1]).remove::<ChildOf>()),
    ("remove a list", |world, ids| _ = world.entity_mut(ids.root).remove::<Children>()),
    ("take", |world, ids| assert!(world.entity_mut(ids.root).take::<(Number, Sparse)>().is_some())),
    ("take_all", |world, ids| drop(world.entity_mut(ids.root).take_all())),
    ("replace", |world, ids| _ = world.entity_mut(ids.root).replace::<(Number, Sparse), Text>(Text(String::from("t")))),
    ("exchange", |world, ids| {
        _ = world.entity_mut(ids.root).exchange::<Number, Needed>(Needed(3)).expect("it is there")
    }),
    ("retain", |world, ids| _ = world.entity_mut(ids.root).retain::<Text>()),
    ("clear", |world, ids| _ = world.entity_mut(ids.root).clear()),
    ("despawn", |world, ids| assert!(world.despawn(ids.root))),
    ("despawn a leaf", |world, ids| world.entity_mut(ids.others[3]).despawn()),
    ("clear_entities", |world, _| world.clear_entities()),
    ("clone_entity", |world, ids| _ = world.clone_entity(ids.root).expect("all can be cloned")),
    ("clone of a source", |world, ids| _ = world.clone_entity(ids.children[0]).expect("all can be cloned")),
    ("clone_and_spawn", |world, ids| _ = world.entity_mut(ids.root).clone_and_spawn().expect("all can be cloned")),
    ("clone to a target", |world, ids| {
        _ = EntityCloner::build_opt_out(world).clone_entity(ids.root, ids.others[0]).expect("all can be cloned");
    }),
    ("clone some to a target", |world, ids| {
        let mut cloner = EntityCloner::build_opt_in(world);
        cloner.allow::<(Number, Sparse)>().clone_entity(ids.root, ids.others[0]).expect("all can be cloned");
    }),
    ("clone if new", |world, ids| {
        let mut cloner = EntityCloner::build_opt_out(world);
        cloner.insert_mode(InsertMode::Keep).clone_entity(ids.root, ids.others[1]).expect("all can be cloned");
    }),
    ("clone a tree", |world, ids| {
        let mut cloner = EntityCloner::build_opt_out(world).linked_cloning(true).finish();
        _ = cloner.spawn_clone(world, ids.root).expect("all can be cloned");
    }),
    ("clone a tree to a target", |world, ids| {
        let mut cloner = EntityCloner::build_opt_out(world).linked_cloning(true).finish();
        cloner.clone_entity(world, ids.root, ids.others[2]).expect("all can be cloned");
    }),
    ("move components", |world, ids| {
        let mut cloner = EntityCloner::build_opt_out(world).move_components(true).finish();
        cloner.clone_entity(world, ids.root, ids.others[2]).expect("it is alive");
    }),
    ("move a tree", |world, ids| {
        let mut cloner = EntityCloner::build_opt_out(world).move_components(true).linked_cloning(true).finish();
        cloner.spawn_clone(world, ids.root).expect("it is alive");
    }),
    ("relate", |world, ids| assert!(world.relate(ids.children[2], Likes(String::from("new")), ids.others[1]))),
    ("relate exclusively", |world, ids| assert!(world.relate(ids.root, Owns(77), ids.others[1]))),
    ("relate symmetrically", |world, ids| assert!(world.relate(ids.root, Knows(77), ids.others[1]))),
    ("unrelate", |world, ids| assert!(world.unrelate::<Likes>(ids.root, ids.others[2]))),
    ("unrelate_from", |world, ids| world.unrelate_from::<Likes>(ids.root)),
    ("unrelate_to", |world, ids| world.unrelate_to::<Owns>(ids.others[3])),
    ("despawn a target", |world, ids| assert!(world.despawn(ids.children[2]))),
    ("all: insert", |world, _| _ = world.all::<With<Text>>().insert((Number(3), Sparse(4)))),
    ("all: insert hooked", |world, _| _ = world.all::<With<Text>>().insert(Hooked(3))),
    ("all: insert_with", |world, _| _ = world.all::<With<Text>>().insert_with(|_| (Number(3), Sparse(4)))),
    ("many: insert links", |world, ids| _ = world.many(&ids.others[..3]).insert(ChildOf(ids.others[3]))),
    ("all: remove", |world, _| _ = world.all::<With<Text>>().remove::<(Number, Sparse, Hooked)>()),
    ("all: remove links", |world, _| _ = world.all::<With<Text>>().remove::<ChildOf>()),
    ("all: despawn", |world, _| _ = world.all::<With<Number>>().despawn()),
    ("many: insert", |world, ids| _ = world.many(&ids.others).insert((Number(3), Sparse(4)))),
    ("many: insert sparse", |world, ids| _ = world.many(&ids.others).insert(Sparse(4))),
    ("many: remove sparse", |world, ids| _ = world.many(&ids.children).remove::<Sparse>()),
    ("many: despawn", |world, ids| _ = world.many(&ids.children).despawn()),
    ("insert_batch", |world, ids| _ = world.insert_batch(ids.others.map(|id| (id, (Number(4), Sparse(5)))))),
    ("insert_batch_if_new", |world, ids| _ = world.insert_batch_if_new(ids.others.map(|id| (id, Number(4))))),
    ("despawn_all", |world, _| world.despawn_all::<With<Sparse>>()),
    ("modify_component", |world, ids| {
        _ = world.entity_mut(ids.root).modify_component(|number: &mut Number| number.0 += 1)
    }),
    ("add_children", |world, ids| _ = world.entity_mut(ids.root).add_children(&ids.others)),
    ("add_child", |world, ids| _ = world.entity_mut(ids.others[0]).add_child(ids.children[0])),
    ("insert_children", |world, ids| {
        _ = world.entity_mut(ids.root).insert_children(1, &[ids.others[3], ids.children[2]])
    }),
    ("detach_children", |world, ids| _ = world.entity_mut(ids.root).detach_children(&ids.children[..2])),
    ("detach_all_children", |world, ids| _ = world.entity_mut(ids.root).detach_all_children()),
    ("replace_children", |world, ids| {
        _ = world.entity_mut(ids.root).replace_children(&[ids.others[3], ids.children[1]])
    }),
    ("replace_related", |world, ids| {
        _ = world.entity_mut(ids.root).replace_related::<Guards>(&[ids.others[3], ids.others[1]])
    }),
    ("despawn_children", |world, ids| _ = world.entity_mut(ids.root).despawn_children()),
    ("with_child", |world, ids| _ = world.entity_mut(ids.root).with_child((Number(3), Sparse(3)))),
    ("insert_recursive", |world, ids| {
        _ = world.entity_mut(ids.root).insert_recursive::<Children>((Number(7), Text(String::new())))
    }),
    ("remove_recursive", |world, ids| _ = world.entity_mut(ids.root).remove_recursive::<Children, (Number, Hooked)>()),
    ("entity relate", |world, ids| _ = world.entity_mut(ids.root).relate(Owns(6), ids.others[0])),
    ("entry", |world, ids| _ = world.entity_mut(ids.others[3]).entry::<Sparse>().insert_entry(Sparse(3))),
    ("commands", |world, ids| {
        let mut commands = world.commands();
        commands.entity(ids.root).insert((Number(4), Sparse(4))).remove::<Text>();
        commands.spawn((Number(5), ChildOf(ids.root)));
        commands.entity(ids.children[1]).despawn();
        commands.relate(ids.root, Owns(8), ids.others[0]);
        commands.spawn_batch([Number(1), Number(2)]);
        commands.entity(ids.others[0]).with_child(Number(5)).clone_and_spawn();
        commands.insert_batch(ids.others.map(|id| (id, Text(String::from("batch")))));
        world.flush();
    }),
    ("a system", |world, ids| {
        let system = move |mut commands: Commands<'_, '_>| {
            commands.entity(ids.root).insert_children(0, &[ids.others[2]]).insert(Number(4));
            commands.entity(ids.children[0]).despawn();
            commands.spawn((Number(3), ChildOf(ids.others[0]))).with_child(Sparse(3));
        };
        world.run_system_once(system).expect("it runs");
    }),
    ("a schedule", |world, ids| {
        let mut schedule = Schedule::default();
        let insert = move |mut commands: Commands<'_, '_>| _ = commands.entity(ids.root).insert(Number(4));
        let despawn = move |mut commands: Commands<'_, '_>| commands.entity(ids.children[0]).despawn();
        schedule.add_systems((insert, despawn));
        schedule.run(world);
    }),
];

/// Operations of which a later step is the program's, which panics in a world that the entity is not in.
const STEPS: &[(&str, Operation)] = &[
    ("spawn with children", |world, _| {
        _ = world.spawn((Number(5), children![(Number(6), children![Sparse(6)]), Text(String::new())]))
    }),
    ("spawn, insert", |world, _| _ = world.spawn(Number(1)).insert(Sparse(3)).insert(Text(String::new()))),
    ("insert, remove", |world, ids| {
        _ = world.entity_mut(ids.root).insert(Number(4)).remove::<Sparse>().remove::<Text>()
    }),
    ("insert, despawn", |world, ids| {
        let mut entity = world.entity_mut(ids.root);
        entity.insert(Number(4));
        entity.despawn();
    }),
    ("with_children", |world, ids| {
        world.entity_mut(ids.root).with_children(|parent| (0..3).for_each(|n| _ = parent.spawn(Number(n))));
    }),
    ("spawn, with_children", |world, _| {
        world.spawn(Number(1)).with_children(|parent| (0..3).for_each(|n| _ = parent.spawn(Number(n))));
    }),
    ("spawn, add_children", |world, ids| _ = world.spawn(Number(1)).add_children(&ids.others).detach_all_children()),
    ("insert, clone", |world, ids| _ = world.entity_mut(ids.root).insert(Number(4)).clone_and_spawn()),
    ("insert, relate", |world, ids| {
        world.entity_mut(ids.root).insert(Number(4)).relate(Owns(1), ids.others[0]).unrelate::<Likes>(ids.others[2]);
    }),
    ("insert, read and write", |world, ids| {
        let mut entity = world.entity_mut(ids.root);
        let id = entity.world().id();
        entity.insert(Number(4));
        let is_here = entity.world().id() == id;
        assert_eq!(
            (entity.is_spawned(), entity.get::<Text>().is_some(), entity.contains::<Hooked>()),
            (is_here, is_here, is_here)
        );
        assert_eq!(entity.get_mut::<Number>().map(|mut number| number.0 += 1).is_some(), is_here);
        assert_eq!(entity.as_mutable().get_mut::<Text>().is_some(), is_here);
        assert_eq!(entity.modify_component(|number: &mut Number| number.0 += 1).is_some(), is_here);
        assert_eq!(entity.into_mut::<Number>().is_some(), is_here);
    }),
    ("insert, observe", |world, ids| {
        world.entity_mut(ids.root).insert(Number(4)).observe(|_: On<'_, '_, Remove<Number>>| {}).remove::<Number>();
    }),
    ("insert, entry", |world, ids| {
        _ = world.entity_mut(ids.others[3]).insert(Number(4)).entry::<Sparse>().or_insert(Sparse(3));
    }),
    ("insert, despawn children", |world, ids| {
        world.entity_mut(ids.root).insert(Number(4)).despawn_related::<Children>().insert_recursive::<Wards>(Sparse(4));
    }),
    ("with_related", |world, ids| {
        world
            .entity_mut(ids.root)
            .with_related::<Guards>(Number(4))
            .with_related::<ChildOf>(Number(5))
            .replace_children(&[]);
    }),
];

/// Two worlds have the same contents. Otherwise the first difference is printed.
#[track_caller]
fn assert_same(found: &[String], expected: &[String], what: &str, moment: usize) {
    let differing = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!((differing, found.len()), (None, expected.len()), "{what}, moment {moment}");
}

/// Plays an operation with an exchange at each of its moments.
fn play(name: &str, operation: Operation, is_whole: bool) {
    let (mut twin, moment, ids) = worlds(usize::MAX);
    operation(&mut twin, ids);
    twin.flush();
    let expected = contents(&twin);
    moment.aside.finish_with(twin, World::check_invariants);
    for left in 0.. {
        let (mut here, moment, ids) = worlds(left);
        let first = here.id();
        let untouched = moment.aside.with(|other| contents(other));
        let done = catch_unwind(AssertUnwindSafe(|| operation(&mut here, ids)));
        assert!(done.is_ok() || !is_whole && here.id() != first, "{name}: no panic at moment {left}");
        here.flush();
        let has_come = here.id() != first;
        if has_come {
            assert_same(&contents(&here), &untouched, "nothing gets into the world that has come", left);
            moment.aside.exchange(&mut here);
        }
        here.flush();
        if done.is_ok() && is_whole {
            assert_same(&contents(&here), &expected, "the operation is complete", left);
        }
        moment.left.store(usize::MAX, Relaxed);
        here.remove_resource::<Moment>();
        moment.aside.finish_with(here, World::check_invariants);
        if !has_come {
            assert!(left > 0, "{name}: there is a moment");
            break;
        }
    }
}

#[test]
fn an_operation_in_which_the_worlds_are_exchanged_ends_in_its_own_world() {
    let failed: Vec<&str> =
        WHOLE.iter().filter(|(name, operation)| fails(name, *operation, true)).map(|one| one.0).collect();
    assert!(failed.is_empty(), "these fail: {failed:?}");
}

#[test]
fn an_entity_of_a_world_that_was_exchanged_for_another_one_is_not_there() {
    let failed: Vec<&str> =
        STEPS.iter().filter(|(name, operation)| fails(name, *operation, false)).map(|one| one.0).collect();
    assert!(failed.is_empty(), "these fail: {failed:?}");
}

pub(super) fn fails(name: &str, operation: Operation, is_whole: bool) -> bool {
    catch_unwind(|| play(name, operation, is_whole)).is_err()
}

/// The number of ids that were given out and are neither alive nor free.
fn pending(world: &mut World) -> usize {
    world.flush();
    let living: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
    // Free indexes are reused before new indexes are used.
    let bound = world.entities().index_bound();
    let again: Vec<Entity> = (living.len()..bound).map(|_| world.spawn_empty().id()).collect();
    let lost = again.iter().filter(|id| id.index() as usize >= bound).count();
    again.into_iter().for_each(|id| assert!(world.despawn(id)));
    lost
}

#[test]
fn ids_that_were_reserved_before_the_worlds_are_exchanged_belong_to_entities_of_their_world() {
    type Way = fn(&mut World, &Moment, Ids);
    fn exchange(world: &mut World, moment: &Moment) {
        let moment = moment.clone();
        world.commands().queue(move |world: &mut World| moment.aside.exchange(world));
    }
    fn exchange_by_observer(world: &mut World, ids: Ids) {
        world.commands().entity(ids.root).insert(Number(77));
    }
    let ways: [(&str, Way); 8] = [
        ("by Commands", |world, moment, _| {
            world.commands().spawn_empty();
            world.commands().spawn(Number(1));
            exchange(world, moment);
            world.commands().spawn_empty();
        }),
        ("in a command", |world, moment, _| {
            world.commands().queue(|world: &mut World| _ = world.reserve_entity());
            exchange(world, moment);
        }),
        ("by commands of a command", |world, moment, _| {
            world.commands().queue(|world: &mut World| _ = world.commands().spawn_empty().insert(Number(4)).id());
            exchange(world, moment);
        }),
        ("and an observer exchanges the worlds", |world, _, ids| {
            world.commands().spawn_empty();
            exchange_by_observer(world, ids);
        }),
        ("and an observer exchanges the worlds before they are used", |world, _, ids| {
            let id = world.commands().spawn_empty().id();
            exchange_by_observer(world, ids);
            world.commands().entity(id).insert(Number(4));
            world.commands().spawn_empty();
        }),
        ("in a command, and an observer exchanges the worlds", |world, _, ids| {
            world.commands().queue(|world: &mut World| _ = world.reserve_entity());
            exchange_by_observer(world, ids);
        }),
        ("in a command that inserts something", |world, _, ids| {
            world.commands().spawn_empty();
            world.commands().queue(move |world: &mut World| {
                _ = world.reserve_entity();
                world.entity_mut(ids.root).insert(Number(77));
            });
            world.commands().spawn_empty();
        }),
        ("and the command panics", |world, moment, _| {
            world.commands().spawn_empty();
            world.commands().queue(|world: &mut World| _ = world.reserve_entity());
            let moment = moment.clone();
            world.commands().queue(move |world: &mut World| {
                moment.aside.exchange(world);
                panic!("after the exchange");
            });
        }),
    ];
    for (name, record) in ways {
        let (mut here, moment, ids) = worlds(0);
        let first = here.id();
        record(&mut here, &moment, ids);
        _ = catch_unwind(AssertUnwindSafe(|| here.flush()));
        assert_ne!(here.id(), first, "{name}: the worlds are exchanged");
        assert_eq!(pending(&mut here), 0, "{name}: in the world that has come");
        moment.aside.exchange(&mut here);
        assert_eq!(pending(&mut here), 0, "{name}: in their world");
        here.remove_resource::<Moment>();
        moment.aside.finish_with(here, World::check_invariants);
    }
}
