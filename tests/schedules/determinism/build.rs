//! Worlds and schedules of random descriptions, and what happens to worlds between runs.

use std::sync::Arc;

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleConfigs;

use super::conditions::{condition, only_if};
use super::parts::{A, B, C, D, E, Extra, F, Kept, Link, Note, One, S, Set, T};
use super::plan::{Case, Leaf, Node};
use super::probe::{Probe, Seen};
use super::systems;

pub(crate) fn spawn(world: &mut World, bits: u16, nth: usize, before: &[Entity]) -> Entity {
    let number = nth as u64;
    let mut entity = world.spawn_empty();
    let has = |bit: u16| bits >> bit & 1 == 1;
    // Few of many kinds would make a table for each entity.
    if has(0) || has(5) {
        entity.insert((A(number), B(number)));
    }
    if has(1) && has(6) {
        entity.insert(C(number));
    }
    if has(2) {
        entity.insert(D(number));
    }
    if has(3) {
        entity.insert(T);
    }
    if has(4) {
        entity.insert(S);
    }
    if has(7) {
        entity.insert(E(number));
    }
    if has(8) && has(9) {
        entity.insert(F(number));
    }
    if has(10) && has(11) {
        entity.insert(Kept(number));
    }
    if let (true, Some(other)) = (has(12) && has(13), before.get(usize::from(bits) % (nth + 1))) {
        entity.insert(Link(*other));
    }
    entity.id()
}

/// Something that happens outside of the schedule.
pub(crate) fn interfere(world: &mut World, what: u8, detail: u8) {
    let some = world.iter_entities().map(|entity| entity.id()).nth(usize::from(detail) % (world.len() + 1));
    match (what % 7, some) {
        (0, Some(some)) => _ = world.despawn(some),
        (1, Some(some)) => _ = world.entity_mut(some).insert((A(7), S)),
        (2, Some(some)) => _ = world.entity_mut(some).remove::<A>(),
        (3, _) => world.resource_mut::<One>().0 += u64::from(detail),
        (4, _) => _ = world.reserve_entities(usize::from(detail % 20)).count(),
        (5, _) => world.insert_resource(Extra(u64::from(detail))),
        _ => _ = world.write_message(Note(u64::from(detail))),
    }
}

pub(crate) fn count(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Leaf(_) => 1,
            Node::Group { members, .. } => count(members),
        })
        .sum()
}

/// With all that is said of the order, or as much of it as makes no cycle.
pub(crate) fn schedule_without_cycles(case: &Case, seen: &Arc<Seen>, world: &mut World) -> Schedule {
    let schedules = [Orders::All, Orders::OfSets, Orders::Chains].map(|orders| schedule(case, seen, orders));
    let mut built = schedules.into_iter().filter_map(|mut schedule| schedule.initialize(world).ok().map(|()| schedule));
    built.next().expect("chains make no cycle")
}

/// Which demands on the order count.
#[derive(Clone, Copy, PartialEq)]
enum Orders {
    All,
    OfSets,
    Chains,
}

fn schedule(case: &Case, seen: &Arc<Seen>, orders: Orders) -> Schedule {
    let mut schedule = Schedule::default();
    for (number, set) in case.sets.iter().enumerate() {
        let number = number as u8;
        let mut configs = Set(number).into_configs();
        let earlier = |other: Option<u8>| other.filter(|_| number > 0).map(|other| Set(other % number));
        if let Some(parent) = earlier(set.parent) {
            configs = configs.in_set(parent);
        }
        if let Some(after) = earlier(set.after).filter(|_| orders != Orders::Chains) {
            configs = configs.after(after);
        }
        if let Some(which) = set.condition {
            configs = configs.run_if(condition(which));
        }
        schedule.configure_sets(configs);
    }
    let mut next = 0;
    for node in &case.nodes {
        schedule.add_systems(configs(node, seen, orders, &mut next));
    }
    schedule
}

fn configs(node: &Node, seen: &Arc<Seen>, orders: Orders, next: &mut usize) -> ScheduleConfigs {
    let (members, chain, which) = match node {
        Node::Leaf(leaf) => {
            let system = *next;
            *next += 1;
            let probe = Probe { seen: Arc::clone(seen), system, seed: u64::from(leaf.seed) };
            return leaf_configs(leaf, probe, orders);
        }
        Node::Group { members, chain, condition } => (members, chain, condition),
    };
    let mut members: Vec<ScheduleConfigs> = members.iter().map(|member| configs(member, seen, orders, next)).collect();
    let mut all = members.pop().expect("a group has members");
    // From the last to the first, each pair in the way of the whole.
    while let Some(first) = members.pop() {
        all = match chain {
            0 => (first, all).chain(),
            1 => (first, all).chain_ignore_deferred(),
            _ => (first, all).into_configs(),
        };
    }
    only_if(all, *which)
}

fn leaf_configs(leaf: &Leaf, probe: Probe, orders: Orders) -> ScheduleConfigs {
    let mut configs = systems::system(leaf, probe);
    if let Some(set) = leaf.set {
        configs = configs.in_set(Set(set));
    }
    if let Some((how, set)) = leaf.order.filter(|_| orders == Orders::All) {
        configs = match how {
            0 => configs.before(Set(set)),
            1 => configs.after(Set(set)),
            2 => configs.before_ignore_deferred(Set(set)),
            _ => configs.after_ignore_deferred(Set(set)),
        };
    }
    only_if(configs, leaf.condition)
}
