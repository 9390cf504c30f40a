//! Playing operations on both worlds.

use std::cell::Cell;

use strata_ecs::prelude::*;
use strata_tests::drops;
use strata_tests::panics::catch;

use super::commands::Kept;
use super::naive::Naive;
use super::operations::{Operation, Step};
use super::parts::{KINDS, Make, Part, with_bundle, with_old_bundle, with_part};
use super::watch::{Watch, read};

pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) naive: Naive,
    watch: Watch,
    /// Every id ever seen, living or not.
    pub(crate) ids: Vec<Entity>,
    /// Values that a panic made unreachable without dropping them.
    leaked: usize,
}

/// What an operation did to the worlds.
pub(crate) enum Effect {
    /// Both worlds were changed alike.
    Exact,
    /// The operation was broken off; the naive world follows the real one.
    Partial,
    /// As `Partial`, but every value that cannot be reached was dropped.
    Whole,
}

impl Run {
    pub(crate) fn new() -> Self {
        drops::reset();
        let mut world = World::new();
        let watch = Watch::new(&mut world);
        Self { world, naive: Naive::default(), watch, ids: Vec::new(), leaked: 0 }
    }

    pub(crate) fn step(&mut self, step: &Step) {
        drops::fuse(step.fuse);
        let effect = self.apply(&step.operation);
        drops::disarm();
        match effect {
            Effect::Exact => {}
            Effect::Partial => self.follow(),
            Effect::Whole => {
                let leaked = self.leaked;
                self.follow();
                assert_eq!(self.leaked, leaked, "a value was neither dropped nor kept");
            }
        }
        self.check();
    }

    pub(crate) fn finish(self) {
        drop(self.world);
        drops::assert_none_twice();
        assert_eq!(drops::alive(), self.leaked, "the world did not drop what it held");
    }

    pub(crate) fn pick(&self, which: usize) -> Entity {
        if self.ids.is_empty() { Entity::PLACEHOLDER } else { self.ids[which % self.ids.len()] }
    }

    fn check(&mut self) {
        self.world.check_invariants();
        drops::assert_none_twice();
        assert_eq!(self.world.len(), self.naive.rows.len());
        for entity in &self.ids {
            assert_eq!(read(&self.world, *entity), self.naive.rows.get(entity).copied(), "{entity:?}");
            self.watch.check_entity(&self.world, &self.naive, *entity);
        }
        self.watch.check(&self.world, &self.naive);
        assert_eq!(self.world.get_resource::<Kept>().map(|kept| kept.value), self.naive.resource);
        assert_eq!(drops::alive(), self.naive.tokens() + self.leaked);
    }

    /// Takes over what the real world holds, which must be readable; what is alive beyond that was leaked by the panic.
    fn follow(&mut self) {
        self.world.flush();
        // Which commands were carried out is for the real world to say.
        let _ = self.world.take_command_errors();
        self.world.check_invariants();
        for entity in self.world.iter_entities() {
            if !self.ids.contains(&entity.id()) {
                self.ids.push(entity.id());
            }
        }
        self.naive.rows.clear();
        for entity in &self.ids {
            if let Some(row) = read(&self.world, *entity) {
                self.naive.rows.insert(*entity, row);
            }
        }
        self.naive.resource = self.world.get_resource::<Kept>().map(|kept| kept.value);
        let reachable = self.naive.tokens();
        assert!(drops::alive() >= reachable + self.leaked, "something that can be reached is dead");
        self.leaked = drops::alive() - reachable;
    }

    fn apply(&mut self, operation: &Operation) -> Effect {
        match operation {
            Operation::Spawn { kind, value } => {
                let entity = with_bundle!(kind, M => self.world.spawn(M::make(*value)).id());
                self.born(entity, with_bundle!(kind, M => M::MASK), *value);
            }
            Operation::SpawnDynamic { first, second, value } => {
                let Some((mut builder, mask)) = builder(*first, *second, *value) else { return Effect::Exact };
                let entity = self.world.spawn_dynamic(&mut builder).id();
                self.born(entity, mask, *value);
            }
            Operation::SpawnBatch { kind, count, promised, panic_at } => {
                return self.batch(*kind, *count, *promised, *panic_at);
            }
            Operation::SpawnAt { which, kind, value } => return self.spawn_at(*which, *kind, *value),
            Operation::Reserve { count, spawn_between, fill } => self.reserve(*count, *spawn_between, *fill),
            Operation::Exchange { which, old, new, value } => {
                return self.exchange(self.pick(*which), *old, *new, *value);
            }
            Operation::Insert { .. }
            | Operation::InsertDynamic { .. }
            | Operation::Remove { .. }
            | Operation::Take { .. }
            | Operation::InsertIfNew { .. }
            | Operation::Replace { .. }
            | Operation::Retain { .. }
            | Operation::ClearEntity { .. }
            | Operation::Despawn { .. }
            | Operation::Write { .. } => self.change(operation),
            Operation::WriteAll { kind, value, inside } => self.write_all(*kind, *value, *inside),
            Operation::InsertResource { value } => {
                let kept = Kept::new(*value);
                let _ = catch(|| self.world.insert_resource(kept));
                self.naive.resource = Some(*value);
            }
            Operation::RemoveResource => {
                let removed = self.world.remove_resource::<Kept>();
                assert_eq!(removed.as_ref().map(|kept| kept.value), self.naive.resource.take());
                let _ = catch(|| drop(removed));
            }
            Operation::Scope { value, panics } => self.scope(*value, *panics),
            Operation::Clear => {
                if catch(|| self.world.clear_entities()).is_err() {
                    assert_eq!(self.world.len(), 0, "a panic left entities behind");
                    return Effect::Partial;
                }
                self.naive.rows.clear();
            }
            // Nothing that can be seen changes.
            Operation::Shrink => self.world.shrink_to_fit(),
            Operation::Commands { commands, reserved, fate } => return self.commands(commands, *reserved, *fate),
            Operation::Bulk { bulk, panic_at } => return self.bulk(bulk, *panic_at),
        }
        Effect::Exact
    }

    pub(crate) fn born(&mut self, entity: Entity, mask: u8, value: u32) {
        self.naive.spawn(entity, mask, value);
        assert!(!self.ids.contains(&entity), "{entity:?} was handed out twice");
        self.ids.push(entity);
    }

    fn spawn_at(&mut self, which: usize, kind: u8, value: u32) -> Effect {
        let entity = self.pick(which);
        let outcome = catch(|| with_bundle!(kind, M => self.world.spawn_at(entity, M::make(value)).is_ok()));
        if self.naive.rows.contains_key(&entity) {
            assert_ne!(outcome, Ok(true), "spawned at a living entity");
        }
        // Whether a world takes an id that died is its own affair; it may not take it and fail, though.
        if outcome == Ok(true) { Effect::Partial } else { Effect::Exact }
    }

    fn reserve(&mut self, count: u32, spawn_between: bool, fill: Option<u8>) {
        let mut reserved: Vec<Entity> = self.world.reserve_entities(count as usize).collect();
        reserved.push(self.world.reserve_entity());
        assert!(reserved.iter().all(|entity| self.world.get::<super::parts::A>(*entity).is_none()));
        if spawn_between {
            let entity = self.world.spawn(()).id();
            self.born(entity, 0, 0);
        }
        if let Some(kind) = fill {
            let given_away = catch(|| with_bundle!(kind, M => self.world.spawn_at(reserved[0], M::make(5)).is_ok()));
            assert_ne!(given_away, Ok(true));
        }
        self.world.flush();
        for entity in reserved {
            self.born(entity, 0, 0);
        }
    }

    /// A change of one entity: complete in both worlds, even if a destructor panics in its course.
    fn change(&mut self, operation: &Operation) {
        match *operation {
            Operation::Insert { which, kind, value } => {
                let entity = self.pick(which);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = with_bundle!(kind, M => { let made = M::make(value); catch(|| entity.insert(made).id()) });
                }
                self.naive.insert(entity, with_bundle!(kind, M => M::MASK), value);
            }
            Operation::InsertDynamic { which, first, second, value } => {
                let entity = self.pick(which);
                let Some((mut builder, mask)) = builder(first, second, value) else { return };
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = catch(|| entity.insert_dynamic(&mut builder).id());
                    assert!(builder.is_empty());
                }
                let _ = catch(|| builder.clear());
                self.naive.insert(entity, mask, value);
            }
            Operation::Remove { which, kind } => {
                let entity = self.pick(which);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = with_bundle!(kind, M => catch(|| entity.remove::<M>().id()));
                }
                self.naive.remove(entity, with_bundle!(kind, M => M::MASK));
            }
            Operation::Take { which, kind } => {
                let entity = self.pick(which);
                let expected = self.naive.take(entity, with_bundle!(kind, M => M::MASK));
                let Ok(mut entity) = self.world.get_entity_mut(entity) else { return };
                let found = with_bundle!(kind, M => {
                    let taken = entity.take::<M>();
                    let mut row = [None; KINDS];
                    let found = taken.as_ref().map(|bundle| { bundle.read(&mut row); row });
                    let _ = catch(|| discard(taken));
                    found
                });
                assert_eq!(found, expected);
            }
            Operation::Despawn { which } => {
                let entity = self.pick(which);
                let lived = self.naive.rows.remove(&entity).is_some();
                if let Ok(despawned) = catch(|| self.world.despawn(entity)) {
                    assert_eq!(despawned, lived);
                }
            }
            Operation::Write { which, kind, value } => {
                let entity = self.pick(which);
                with_part!(kind, P => {
                    let found = self.world.get_mut::<P>(entity).map(|mut part| part.set(value)).is_some();
                    assert_eq!(found, self.naive.has(entity, P::MASK));
                    if found && super::parts::carries(P::INDEX) {
                        self.naive.rows.get_mut(&entity).expect("it lives")[P::INDEX] = Some(value);
                    }
                });
            }
            _ => self.change_shape(operation),
        }
    }

    /// The changes that keep some components and not others.
    fn change_shape(&mut self, operation: &Operation) {
        match *operation {
            Operation::InsertIfNew { which, kind, value } => {
                let entity = self.pick(which);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = with_bundle!(kind, M => { let made = M::make(value); catch(|| entity.insert_if_new(made).id()) });
                }
                self.naive.insert_if_new(entity, with_bundle!(kind, M => M::MASK), value);
            }
            Operation::Replace { which, old, new, value } => {
                let entity = self.pick(which);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = with_bundle!(new, New => with_old_bundle!(old, Old => {
                        let made = New::make(value);
                        catch(|| entity.replace::<Old, New>(made).id())
                    }));
                }
                self.naive.remove(entity, with_old_bundle!(old, Old => Old::MASK));
                self.naive.insert(entity, with_bundle!(new, New => New::MASK), value);
            }
            Operation::Retain { which, kind } => {
                let entity = self.pick(which);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = with_bundle!(kind, M => catch(|| entity.retain::<M>().id()));
                }
                self.naive.retain(entity, with_bundle!(kind, M => M::MASK));
            }
            Operation::ClearEntity { which } => {
                let entity = self.pick(which);
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    let _ = catch(|| entity.clear().id());
                }
                self.naive.retain(entity, 0);
            }
            _ => unreachable!("not a change of one entity"),
        }
    }

    /// Either the old components come out and the new ones go in, or nothing happens and the new ones come back.
    #[expect(clippy::result_large_err, reason = "what comes back is as large as the bundle")]
    fn exchange(&mut self, entity: Entity, old: u8, new: u8, value: u32) -> Effect {
        let id = entity;
        let expected = self.naive.take(entity, with_old_bundle!(old, Old => Old::MASK));
        if expected.is_some() {
            self.naive.insert(entity, with_bundle!(new, New => New::MASK), value);
        }
        let Ok(mut entity) = self.world.get_entity_mut(entity) else { return Effect::Exact };
        with_bundle!(new, New => with_old_bundle!(old, Old => {
            let made = New::make(value);
            let mut offered = [None; KINDS];
            made.read(&mut offered);
            // The destructor of a replaced value may panic; then what came out is dropped, and the change is complete.
            match catch(|| entity.exchange::<Old, New>(made)) {
                Ok(outcome) => {
                    let mut row = [None; KINDS];
                    match &outcome {
                        Ok(old) => old.read(&mut row),
                        Err(new) => new.read(&mut row),
                    }
                    assert_eq!((outcome.is_ok(), row), expected.map_or((false, offered), |row| (true, row)));
                    let _ = catch(|| discard(outcome));
                    Effect::Exact
                }
                Err(_) => {
                    assert!(expected.is_some(), "nothing is dropped if nothing is exchanged");
                    assert_eq!(read(&self.world, id), self.naive.rows.get(&id).copied());
                    Effect::Whole
                }
            }
        }))
    }

    fn write_all(&mut self, kind: u8, value: u32, inside: bool) {
        with_part!(kind, P => {
            let mut query = self.world.query::<(Entity, &mut P)>();
            let mut count = 0;
            if inside {
                query.iter_mut(&mut self.world).for_each(|(entity, mut part)| { part.set(value + entity.index()); count += 1; });
            } else {
                for (entity, mut part) in query.iter_mut(&mut self.world) {
                    part.set(value + entity.index());
                    count += 1;
                }
            }
            for (entity, row) in &mut self.naive.rows {
                if let Some(old) = &mut row[P::INDEX] {
                    count -= 1;
                    if super::parts::carries(P::INDEX) {
                        *old = value + entity.index();
                    }
                }
            }
            assert_eq!(count, 0, "rows were missed or visited twice");
        });
    }

    fn scope(&mut self, value: u32, panics: bool) {
        let had = self.naive.resource.is_some();
        let entered = Cell::new(false);
        let outcome = catch(|| {
            self.world.resource_scope(|world: &mut World, mut kept: Mut<'_, Kept>| {
                entered.set(true);
                assert!(!world.contains_resource::<Kept>());
                kept.value = value;
                assert!(!panics, "the closure breaks");
            });
        });
        assert_eq!((entered.get(), outcome.is_ok()), (had, had && !panics));
        if had {
            self.naive.resource = Some(value);
        }
    }

    fn batch(&mut self, kind: u8, count: u32, promised: usize, panic_at: Option<u32>) -> Effect {
        let before = self.world.len();
        let outcome = catch(|| {
            with_bundle!(kind, M => {
                let items = (0..count).map(|i| { assert!(Some(i) != panic_at, "the iterator breaks"); M::make(i) });
                self.world.spawn_batch(Promising { items, promised }).collect::<Vec<Entity>>()
            })
        });
        match outcome {
            Ok(entities) => {
                assert_eq!(entities.len(), count as usize);
                let mask = with_bundle!(kind, M => M::MASK);
                for (value, entity) in (0..).zip(entities) {
                    self.born(entity, mask, value);
                }
                Effect::Exact
            }
            Err(text) => {
                assert_eq!(text, "the iterator breaks");
                assert_eq!(self.world.len() - before, panic_at.expect("it broke") as usize);
                Effect::Partial
            }
        }
    }
}

/// A builder with two bundles, and the components in it; none if the destructor of an overwritten value panicked.
fn builder(first: u8, second: u8, value: u32) -> Option<(EntityBuilder, u8)> {
    let mut builder = EntityBuilder::new();
    let filled = catch(|| {
        with_bundle!(first, M => { M::make(value).add_to(&mut builder); });
        with_bundle!(second, M => { M::make(value).add_to(&mut builder); });
    });
    if filled.is_err() {
        let _ = catch(|| builder.clear());
        return None;
    }
    Some((builder, with_bundle!(first, M => M::MASK) | with_bundle!(second, M => M::MASK)))
}

/// An iterator that promises any number of items.
pub(crate) struct Promising<I> {
    pub(crate) items: I,
    pub(crate) promised: usize,
}

impl<I: Iterator> Iterator for Promising<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.items.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.promised, None)
    }
}

/// Drops a value of which only the type parameter knows whether it has a destructor.
pub(crate) fn discard<T>(_: T) {}
