//! Random histories of entities that are disabled and enabled: no addition and no change of a component is lost. Some may be found a second
//! time: when entities of a table that no consumer has read are the first ones in another table.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::prelude::*;
use strata_tests::effort;

#[derive(Component, Clone, Default)]
struct A;

#[derive(Component, Clone, Default)]
#[component(storage = "sparse")]
struct S;

/// Puts an entity into another table.
#[derive(Component, Clone, Default)]
struct Elsewhere;

#[derive(Clone, Copy, Debug)]
enum Step {
    Spawn { elsewhere: bool, disabled: bool },
    Insert,
    InsertSparse,
    Remove,
    Change,
    Move,
    MoveBack,
    Disable,
    DisableAndInsert,
    Enable,
    EnableAndMove,
    DisableAll,
    DisableAndInsertAll,
    EnableAll,
    EnableAndInsertAll,
    MoveAll,
    MoveAndInsertAll,
    Despawn,
    Consume,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<(bool, bool)>().prop_map(|(elsewhere, disabled)| Step::Spawn { elsewhere, disabled }),
        1 => Just(Step::Insert),
        1 => Just(Step::InsertSparse),
        1 => Just(Step::Remove),
        2 => Just(Step::Change),
        1 => Just(Step::Move),
        1 => Just(Step::MoveBack),
        2 => Just(Step::Disable),
        1 => Just(Step::DisableAndInsert),
        2 => Just(Step::Enable),
        1 => Just(Step::EnableAndMove),
        1 => Just(Step::DisableAll),
        1 => Just(Step::DisableAndInsertAll),
        1 => Just(Step::EnableAll),
        1 => Just(Step::EnableAndInsertAll),
        1 => Just(Step::MoveAll),
        1 => Just(Step::MoveAndInsertAll),
        1 => Just(Step::Despawn),
        3 => Just(Step::Consume),
    ]
}

/// Entities with additions and changes of `A` and `S`.
#[derive(Resource, Default)]
struct New([BTreeSet<Entity>; 4]);

impl New {
    const ADDED: [usize; 2] = [0, 1];
    const ADDED_SPARSE: [usize; 2] = [2, 3];

    fn note(&mut self, kinds: &[usize], entity: Entity) {
        kinds.iter().for_each(|&kind| _ = self.0[kind].insert(entity));
    }

    fn forget(&mut self, kinds: &[usize], entity: Entity) {
        kinds.iter().for_each(|&kind| _ = self.0[kind].remove(&entity));
    }
}

fn consume(
    added: Query<'_, '_, Entity, Added<A>>,
    changed: Query<'_, '_, Entity, Changed<A>>,
    added_sparse: Query<'_, '_, Entity, Added<S>>,
    changed_sparse: Query<'_, '_, Entity, Changed<S>>,
    mut new: ResMut<'_, New>,
) {
    new.0 = [
        added.iter().collect(),
        changed.iter().collect(),
        added_sparse.iter().collect(),
        changed_sparse.iter().collect(),
    ];
}

/// A world, and a model of what its consumer has not got.
struct History {
    world: World,
    consumer: Schedule,
    entities: Vec<Entity>,
    new: New,
}

impl History {
    fn new() -> Self {
        let mut world = World::new();
        world.init_resource::<New>();
        let mut consumer = Schedule::default();
        consumer.add_systems(consume);
        consumer.run(&mut world);
        Self { world, consumer, entities: Vec::new(), new: New::default() }
    }

    fn insert(&mut self, entity: Entity) {
        let is_there = self.world.entity(entity).contains::<A>();
        self.new.note(if is_there { &New::ADDED[1..] } else { &New::ADDED }, entity);
    }

    fn filtered(&self, is_meant: impl Fn(EntityRef<'_>) -> bool) -> Vec<Entity> {
        self.entities.iter().copied().filter(|&entity| is_meant(self.world.entity(entity))).collect()
    }

    fn insert_all(&mut self, is_meant: impl Fn(EntityRef<'_>) -> bool) {
        self.filtered(is_meant).into_iter().for_each(|entity| self.insert(entity));
    }

    fn take(&mut self, step: Step, at: usize) {
        self.world.increment_change_tick();
        if let Step::Spawn { elsewhere, disabled } = step {
            let mut entity = self.world.spawn((A, S));
            let id = entity.id();
            if disabled {
                entity.insert(Disabled);
            }
            if elsewhere {
                entity.insert(Elsewhere);
            }
            self.entities.push(id);
            self.new.note(&[0, 1, 2, 3], id);
            return;
        }
        let Some(&id) = self.entities.get(at % self.entities.len().max(1)) else { return };
        match step {
            Step::Spawn { .. } => {}
            Step::Insert => {
                self.insert(id);
                self.world.entity_mut(id).insert(A);
            }
            Step::InsertSparse => {
                let is_there = self.world.entity(id).contains::<S>();
                self.new.note(if is_there { &New::ADDED_SPARSE[1..] } else { &New::ADDED_SPARSE }, id);
                self.world.entity_mut(id).insert(S);
            }
            Step::Remove => {
                self.new.forget(&New::ADDED, id);
                self.world.entity_mut(id).remove::<A>();
            }
            Step::Change => {
                if let Some(mut a) = self.world.get_mut::<A>(id) {
                    a.set_changed();
                    self.new.note(&New::ADDED[1..], id);
                }
                if let Some(mut s) = self.world.get_mut::<S>(id) {
                    s.set_changed();
                    self.new.note(&New::ADDED_SPARSE[1..], id);
                }
            }
            Step::Move => _ = self.world.entity_mut(id).insert(Elsewhere),
            Step::MoveBack => _ = self.world.entity_mut(id).remove::<Elsewhere>(),
            Step::Disable => _ = self.world.entity_mut(id).insert(Disabled),
            Step::DisableAndInsert => {
                self.insert(id);
                self.world.entity_mut(id).insert((A, Disabled));
            }
            Step::Enable => _ = self.world.entity_mut(id).remove::<Disabled>(),
            Step::EnableAndMove => _ = self.world.entity_mut(id).replace::<Disabled, Elsewhere>(Elsewhere),
            Step::DisableAll => _ = self.world.all::<Without<Disabled>>().insert(Disabled),
            Step::DisableAndInsertAll => {
                self.insert_all(|entity| !entity.contains::<Disabled>());
                self.world.all::<Without<Disabled>>().insert((A, Disabled));
            }
            Step::EnableAndInsertAll => {
                self.insert_all(|entity| entity.contains::<Disabled>());
                let disabled = self.filtered(|entity| entity.contains::<Disabled>());
                disabled.into_iter().for_each(|id| _ = self.world.entity_mut(id).replace::<Disabled, A>(A));
            }
            Step::MoveAndInsertAll => {
                self.insert_all(|entity| !entity.contains::<Elsewhere>() && !entity.contains::<Disabled>());
                self.world.all::<Without<Elsewhere>>().insert((A, Elsewhere));
            }
            Step::EnableAll => _ = self.world.all::<With<Disabled>>().remove::<Disabled>(),
            Step::MoveAll => _ = self.world.all::<Without<Elsewhere>>().insert(Elsewhere),
            Step::Despawn => {
                self.new.forget(&[0, 1, 2, 3], id);
                self.entities.retain(|&entity| entity != id);
                self.world.despawn(id);
            }
            Step::Consume => self.consume(),
        }
    }

    fn consume(&mut self) {
        self.consumer.run(&mut self.world);
        let is_enabled = |entity: &Entity| !self.world.entity(*entity).contains::<Disabled>();
        let expected: [BTreeSet<Entity>; 4] =
            self.new.0.clone().map(|new| new.into_iter().filter(is_enabled).collect());
        for new in &mut self.new.0 {
            new.retain(|entity| self.world.entity(*entity).contains::<Disabled>());
        }
        for (expected, found) in expected.iter().zip(&self.world.resource::<New>().0) {
            assert!(expected.is_subset(found), "{expected:?} are new, and {found:?} were found");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_addition_and_change_is_found_when_the_entity_is_enabled(steps in vec((step(), 0..4_usize), 1..40)) {
        let mut history = History::new();
        for (step, at) in steps {
            history.take(step, at);
        }
        history.world.all::<With<Disabled>>().remove::<Disabled>();
        history.consume();
        history.consume();
        history.world.check_invariants();
    }
}
