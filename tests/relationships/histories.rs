//! Random histories of linked entities, compared with an oracle of plain maps.

use std::collections::{HashMap, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;

use crate::{Flies, GuardedBy, Guards, LikedBy, Likes, Pilot};

/// The relationships: `ChildOf`, `Guards`, `Likes`, `Flies`.
const KINDS: usize = 4;
/// Those whose sources end with their target.
const LINKED: [bool; KINDS] = [true, true, false, false];
const CHILD_OF: usize = 0;
const GUARDS: usize = 1;
const FLIES: usize = 3;

/// Something that moves an entity to another table.
#[derive(Component, Clone)]
struct Mark;

/// A step of a history. Entities are indexes into the list of all entities that have existed.
#[derive(Clone, Debug)]
enum Step {
    Spawn(Option<(usize, usize)>),
    Link(usize, usize, usize),
    Unlink(usize, usize),
    RemoveList(usize, usize),
    Despawn(usize),
    DespawnMany(Vec<usize>),
    Mark(usize),
    Bulk(usize, Vec<usize>, usize),
    UnlinkAll(usize),
    SpawnBatch(usize, usize, usize),
    Queue(Vec<Step>),
    Replace(usize, Vec<usize>),
    Insert(usize, usize, Vec<usize>),
    Clone(usize),
    Shrink,
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let entity = 0..24_usize;
    let kind = 0..KINDS;
    let some = || vec(0..24_usize, 0..6);
    let simple = prop_oneof![
        4 => proptest::option::of((kind.clone(), entity.clone())).prop_map(Step::Spawn),
        8 => (kind.clone(), entity.clone(), entity.clone()).prop_map(|(kind, a, b)| Step::Link(kind, a, b)),
        2 => (kind.clone(), entity.clone()).prop_map(|(kind, a)| Step::Unlink(kind, a)),
        1 => (kind.clone(), entity.clone()).prop_map(|(kind, a)| Step::RemoveList(kind, a)),
        1 => entity.clone().prop_map(Step::Despawn),
        1 => entity.clone().prop_map(Step::Mark),
    ];
    let queue = vec(simple.clone(), 1..8).prop_map(Step::Queue);
    prop_oneof![
        16 => simple,
        3 => queue,
        1 => some().prop_map(Step::DespawnMany),
        2 => (kind.clone(), some(), entity.clone()).prop_map(|(kind, all, target)| Step::Bulk(kind, all, target)),
        1 => kind.clone().prop_map(Step::UnlinkAll),
        1 => (kind, entity.clone(), 0..4_usize).prop_map(|(kind, target, count)| Step::SpawnBatch(kind, target, count)),
        1 => (entity.clone(), some()).prop_map(|(target, all)| Step::Replace(target, all)),
        1 => (entity.clone(), 0..4_usize, some()).prop_map(|(target, at, all)| Step::Insert(target, at, all)),
        1 => entity.prop_map(Step::Clone),
        1 => Just(Step::Shrink),
        1 => Just(Step::Clear),
    ]
}

#[derive(Default)]
struct Oracle {
    alive: HashSet<Entity>,
    links: [HashMap<Entity, Entity>; KINDS],
    lists: [HashMap<Entity, Vec<Entity>>; KINDS],
}

impl Oracle {
    fn unlink(&mut self, kind: usize, source: Entity) {
        if let Some(target) = self.links[kind].remove(&source) {
            let list = self.lists[kind].get_mut(&target).expect("each link is listed");
            list.retain(|&other| other != source);
            if list.is_empty() {
                self.lists[kind].remove(&target);
            }
        }
    }

    fn is_below(&self, kind: usize, entity: Entity, top: Entity) -> bool {
        let up = |entity: &Entity| self.links[kind].get(entity).copied().filter(|above| above != entity);
        std::iter::successors(Some(entity), up).any(|above| above == top)
    }

    fn link(&mut self, kind: usize, source: Entity, target: Entity) {
        if !self.alive.contains(&source) || self.links[kind].get(&source) == Some(&target) {
            return;
        }
        self.unlink(kind, source);
        let itself = source == target;
        let refused = !self.alive.contains(&target)
            || itself && kind != GUARDS
            || !itself && LINKED[kind] && self.is_below(kind, target, source);
        if refused {
            return;
        }
        if kind == FLIES {
            for other in self.lists[kind].get(&target).cloned().unwrap_or_default() {
                self.unlink(kind, other);
            }
        }
        self.links[kind].insert(source, target);
        self.lists[kind].entry(target).or_default().push(source);
    }

    /// In one operation: what ends does so before the first link comes.
    fn link_all(&mut self, kind: usize, sources: &[Entity], target: Entity) {
        for source in sources {
            if self.links[kind].get(source).is_some_and(|&old| old != target) {
                self.unlink(kind, *source);
            }
        }
        sources.iter().for_each(|&source| self.link(kind, source, target));
    }

    fn despawn(&mut self, entity: Entity) {
        if !self.alive.remove(&entity) {
            return;
        }
        for (kind, is_linked) in LINKED.into_iter().enumerate() {
            self.unlink(kind, entity);
            for source in self.lists[kind].get(&entity).cloned().unwrap_or_default() {
                self.unlink(kind, source);
                if is_linked {
                    self.despawn(source);
                }
            }
        }
    }
}

/// Returns the target of an entity, and its sources.
fn sides(world: &World, kind: usize, entity: Entity) -> (Option<Entity>, Vec<Entity>) {
    fn of<R: Relationship>(world: &World, entity: Entity) -> (Option<Entity>, Vec<Entity>) {
        let list = world.get::<R::RelationshipTarget>(entity).map(|list| list.iter().collect());
        (world.get::<R>(entity).map(R::get), list.unwrap_or_default())
    }
    match kind {
        CHILD_OF => of::<ChildOf>(world, entity),
        GUARDS => of::<Guards>(world, entity),
        FLIES => of::<Flies>(world, entity),
        _ => of::<Likes>(world, entity),
    }
}

/// Does something with the components of a kind.
macro_rules! with_kind {
    ($kind:expr, |$R:ident, $S:ident| $body:expr) => {
        match $kind {
            CHILD_OF => {
                type $R = ChildOf;
                type $S = Children;
                $body
            }
            GUARDS => {
                type $R = Guards;
                type $S = GuardedBy;
                $body
            }
            FLIES => {
                type $R = Flies;
                type $S = Pilot;
                $body
            }
            _ => {
                type $R = Likes;
                type $S = LikedBy;
                $body
            }
        }
    };
}

struct History {
    world: World,
    oracle: Oracle,
    all: Vec<Entity>,
}

impl History {
    fn entity(&self, number: usize) -> Entity {
        self.all.get(number % self.all.len().max(1)).copied().unwrap_or(Entity::PLACEHOLDER)
    }

    fn alive(&self, numbers: &[usize]) -> Vec<Entity> {
        let mut seen = HashSet::new();
        let all = numbers.iter().map(|&number| self.entity(number));
        all.filter(|entity| self.oracle.alive.contains(entity) && seen.insert(*entity)).collect()
    }

    fn note(&mut self, entity: Entity) {
        self.all.push(entity);
        self.oracle.alive.insert(entity);
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Spawn(link) => {
                let entity = match link {
                    None => self.world.spawn_empty().id(),
                    Some((kind, target)) => {
                        let target = self.entity(target);
                        with_kind!(kind, |R, _S| self.world.spawn(<R as Relationship>::from(target)).id())
                    }
                };
                self.note(entity);
                if let Some((kind, target)) = link {
                    // The list of all was shorter when the target was chosen.
                    self.all.pop();
                    let target = self.entity(target);
                    self.all.push(entity);
                    self.oracle.link(kind, entity, target);
                }
            }
            Step::Link(kind, source, target) => {
                let (source, target) = (self.entity(source), self.entity(target));
                if let Ok(mut source) = self.world.get_entity_mut(source) {
                    with_kind!(kind, |R, _S| _ = source.insert(<R as Relationship>::from(target)));
                }
                self.oracle.link(kind, source, target);
            }
            Step::Unlink(kind, source) => {
                let source = self.entity(source);
                if let Ok(mut source) = self.world.get_entity_mut(source) {
                    with_kind!(kind, |R, _S| _ = source.remove::<R>());
                }
                self.oracle.unlink(kind, source);
            }
            Step::RemoveList(kind, target) => {
                let target = self.entity(target);
                if let Ok(mut target) = self.world.get_entity_mut(target) {
                    with_kind!(kind, |_R, S| _ = target.remove::<S>());
                }
                for source in self.oracle.lists[kind].get(&target).cloned().unwrap_or_default() {
                    self.oracle.unlink(kind, source);
                }
            }
            Step::Despawn(entity) => {
                let entity = self.entity(entity);
                self.world.despawn(entity);
                self.oracle.despawn(entity);
            }
            Step::DespawnMany(ref all) => {
                let all = self.alive(all);
                self.world.many(&all).despawn();
                all.into_iter().for_each(|entity| self.oracle.despawn(entity));
            }
            Step::Mark(entity) => {
                let entity = self.entity(entity);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let had = entity.contains::<Mark>();
                    if had {
                        entity.remove::<Mark>()
                    } else {
                        entity.insert(Mark)
                    };
                }
            }
            Step::Queue(ref steps) => self.queue(steps),
            Step::Replace(target, ref all) => {
                let (target, all) = (self.entity(target), self.alive(all));
                let Ok(mut entity) = self.world.get_entity_mut(target) else { return };
                entity.replace_children(&all);
                for source in self.oracle.lists[CHILD_OF].get(&target).cloned().unwrap_or_default() {
                    if !all.contains(&source) {
                        self.oracle.unlink(CHILD_OF, source);
                    }
                }
                self.oracle.link_all(CHILD_OF, &all, target);
                if let Some(list) = self.oracle.lists[CHILD_OF].get_mut(&target) {
                    list.sort_by_key(|source| all.iter().position(|other| other == source));
                }
            }
            Step::Insert(target, at, ref all) => {
                let (target, all) = (self.entity(target), self.alive(all));
                let Ok(mut entity) = self.world.get_entity_mut(target) else { return };
                entity.insert_children(at, &all);
                self.oracle.link_all(CHILD_OF, &all, target);
                if let Some(list) = self.oracle.lists[CHILD_OF].get_mut(&target) {
                    // All are taken out, and put at their places in ascending order. The last time counts.
                    let listed: Vec<Entity> = all.iter().copied().filter(|source| list.contains(source)).collect();
                    list.retain(|source| !listed.contains(source));
                    for (nth, source) in listed.iter().enumerate() {
                        if !listed[nth + 1..].contains(source) {
                            list.insert((at + nth).min(list.len()), *source);
                        }
                    }
                }
            }
            Step::Clone(entity) => {
                let entity = self.entity(entity);
                let Ok(clone) = self.world.clone_entity(entity) else { return };
                self.note(clone);
                for kind in 0..KINDS {
                    if let Some(&target) = self.oracle.links[kind].get(&entity) {
                        self.oracle.link(kind, clone, target);
                    }
                }
            }
            Step::Bulk(..) | Step::UnlinkAll(_) | Step::SpawnBatch(..) => self.run_in_bulk(step),
            Step::Shrink => self.world.shrink_to_fit(),
            Step::Clear => {
                self.world.clear_entities();
                self.oracle = Oracle::default();
            }
        }
    }

    /// Bulk changes are made table by table, so the world says in which order sources come; the rest is compared.
    fn run_in_bulk(&mut self, step: &Step) {
        match *step {
            Step::Bulk(kind, ref sources, target) => {
                let (sources, target) = (self.alive(sources), self.entity(target));
                with_kind!(kind, |R, _S| _ =
                    self.world.many(&sources).insert_with(|_| <R as Relationship>::from(target)));
                let last = self.world.get::<Pilot>(target).and_then(|pilot| pilot.iter().next());
                if kind == FLIES {
                    // Which of them is the last one depends on their tables.
                    let all = sources.iter().filter(|&&source| Some(source) != last);
                    all.for_each(|&source| self.oracle.unlink(kind, source));
                    sources.iter().filter(|&&source| Some(source) == last).for_each(|&source| {
                        self.oracle.link(kind, source, target);
                    });
                } else {
                    self.oracle.link_all(kind, &sources, target);
                }
                self.take_order(kind, target);
            }
            Step::UnlinkAll(kind) => {
                with_kind!(kind, |R, _S| _ = self.world.all::<With<R>>().remove::<R>());
                (self.oracle.links[kind], self.oracle.lists[kind]) = Default::default();
            }
            Step::SpawnBatch(kind, target, count) => {
                let target = self.entity(target);
                let made: Vec<Entity> = with_kind!(kind, |R, _S| {
                    self.world.spawn_batch((0..count).map(|_| <R as Relationship>::from(target))).collect()
                });
                for entity in made {
                    self.note(entity);
                    self.oracle.link(kind, entity, target);
                }
            }
            _ => unreachable!("not in bulk"),
        }
    }

    /// Takes the order of the sources of a target over from the world, if they are the same.
    fn take_order(&mut self, kind: usize, target: Entity) {
        let (_, order) = sides(&self.world, kind, target);
        if let Some(list) = self.oracle.lists[kind].get_mut(&target) {
            list.sort_by_key(|source| order.iter().position(|other| other == source));
        }
    }

    /// Records steps, and applies them.
    fn queue(&mut self, steps: &[Step]) {
        let mut spawned = Vec::new();
        let all = self.all.clone();
        let entity = |number: usize| all.get(number % all.len().max(1)).copied().unwrap_or(Entity::PLACEHOLDER);
        let mut commands = self.world.commands();
        for step in steps {
            match *step {
                Step::Spawn(None) => spawned.push((commands.spawn_empty().id(), None)),
                Step::Spawn(Some((kind, target))) => {
                    let target = entity(target);
                    let made = with_kind!(kind, |R, _S| commands.spawn(<R as Relationship>::from(target)).id());
                    spawned.push((made, Some((kind, target))));
                }
                Step::Link(kind, source, target) => {
                    let target = entity(target);
                    let mut source = commands.entity(entity(source));
                    with_kind!(kind, |R, _S| _ = source.try_insert(<R as Relationship>::from(target)));
                }
                Step::Unlink(kind, source) => {
                    let mut source = commands.entity(entity(source));
                    with_kind!(kind, |R, _S| _ = source.try_remove::<R>());
                }
                Step::RemoveList(kind, target) => {
                    let mut target = commands.entity(entity(target));
                    with_kind!(kind, |_R, S| _ = target.try_remove::<S>());
                }
                Step::Despawn(dead) => commands.entity(entity(dead)).try_despawn(),
                Step::Mark(marked) => _ = commands.entity(entity(marked)).try_insert(Mark),
                _ => unreachable!("no command"),
            }
        }
        self.world.flush();
        // The steps that follow each other on one entity are one operation: of its links only the last ones count, and its list goes
        // before they come.
        let mut made = spawned.into_iter();
        let mut at = 0;
        while at < steps.len() {
            let on = |step: &Step| match *step {
                Step::Link(_, entity, _)
                | Step::Unlink(_, entity)
                | Step::RemoveList(_, entity)
                | Step::Despawn(entity)
                | Step::Mark(entity) => Some(entity % all.len().max(1)),
                _ => None,
            };
            if let Step::Spawn(_) = steps[at] {
                let (entity, link) = made.next().expect("each spawn has an id");
                self.note(entity);
                if let Some((kind, target)) = link {
                    self.oracle.link(kind, entity, target);
                }
                at += 1;
                continue;
            }
            let count = steps[at..].iter().take_while(|step| on(step).is_some() && on(step) == on(&steps[at])).count();
            self.run_as_one(&steps[at..at + count], &entity);
            at += count;
        }
    }

    fn run_as_one(&mut self, steps: &[Step], entity: &dyn Fn(usize) -> Entity) {
        // A despawned entity is despawned with all entities that are linked to it when the operation begins.
        if let Some(Step::Despawn(dead)) = steps.iter().find(|step| matches!(step, Step::Despawn(_))) {
            return self.oracle.despawn(entity(*dead));
        }
        // By kind: what the entity names in the end, if that has changed.
        let mut named: [Option<Option<Entity>>; KINDS] = [None; KINDS];
        // Whether the entity has lost a list with itself on it: that link ends whatever else is done.
        let mut lost = [false; KINDS];
        let mut on = Entity::PLACEHOLDER;
        for step in steps {
            match *step {
                Step::Link(kind, source, target) => {
                    on = entity(source);
                    named[kind] = Some(Some(entity(target)));
                }
                Step::Unlink(kind, source) => {
                    on = entity(source);
                    named[kind] = Some(None);
                }
                Step::RemoveList(kind, target) => {
                    on = entity(target);
                    for source in self.oracle.lists[kind].get(&on).cloned().unwrap_or_default() {
                        lost[kind] |= source == on;
                        self.oracle.unlink(kind, source);
                    }
                }
                _ => {}
            }
        }
        for kind in 0..KINDS {
            match named[kind] {
                Some(Some(target)) if lost[kind] && target == on => {}
                Some(Some(target)) => self.oracle.link(kind, on, target),
                Some(None) => self.oracle.unlink(kind, on),
                None => {}
            }
        }
    }

    fn compare(&mut self) {
        self.world.check_invariants();
        assert_eq!(self.world.len(), self.oracle.alive.len(), "how many are alive");
        for &entity in &self.all {
            assert_eq!(self.world.contains(entity), self.oracle.alive.contains(&entity), "whether {entity} is alive");
            for kind in 0..KINDS {
                let (named, mut list) = sides(&self.world, kind, entity);
                assert_eq!(named, self.oracle.links[kind].get(&entity).copied(), "what {entity} names by kind {kind}");
                let mut expected = self.oracle.lists[kind].get(&entity).cloned().unwrap_or_default();
                if kind == GUARDS {
                    list.sort();
                    expected.sort();
                }
                assert_eq!(list, expected, "what {entity} lists by kind {kind}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_are_what_an_oracle_says(steps in vec(step(), 1..40)) {
        let mut world = World::new();
        world.on_command_error(strata_ecs::world::OnCommandError::Ignore);
        let mut history = History { world, oracle: Oracle::default(), all: Vec::new() };
        for step in &steps {
            history.run(step);
            history.compare();
        }
    }
}
