//! Random histories of a world whose indexes are close to their last generation: no id is given out twice, and a slot that is worn out is
//! retired.

use std::collections::HashSet;

use strata_ecs::prelude::*;
use strata_tests::effort;

#[derive(Component, Clone, PartialEq, Debug)]
struct Value(u64);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Mark;
#[derive(Relation, Clone)]
struct Likes(u32);

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % end
    }
}

/// How many generations the indexes have left at most.
const LEFT: u32 = 4;

struct History {
    world: World,
    random: Random,
    living: Vec<Entity>,
    /// All ids that have been given out.
    ever: HashSet<Entity>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut world = World::new();
        world.register_component::<Value>();
        for index in 0..16_u64 {
            let generation = u64::from(u32::MAX - random.below(LEFT));
            let id = Entity::from_bits(generation << 32 | index);
            world.spawn_at(id, Value(id.to_bits())).expect("the id was free");
        }
        let living: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
        Self { world, random, ever: living.iter().copied().collect(), living }
    }

    fn come(&mut self, ids: impl IntoIterator<Item = Entity>) {
        for id in ids {
            assert!(self.ever.insert(id), "{id} is given out again");
            self.living.push(id);
        }
    }

    fn pick(&mut self) -> Option<Entity> {
        let count = self.living.len() as u32;
        (count != 0).then(|| self.living[self.random.below(count) as usize])
    }

    fn go(&mut self, id: Entity) {
        self.living.retain(|&other| other != id);
    }

    fn step(&mut self) {
        let count = 1 + self.random.below(4) as usize;
        match self.random.below(12) {
            0 => {
                let id = self.world.spawn((Value(0), Mark)).id();
                self.come([id]);
            }
            1 => {
                let ids: Vec<Entity> = self.world.spawn_batch((0..count as u64).map(Value)).collect();
                self.come(ids);
            }
            2 => {
                let mut commands = self.world.commands();
                let ids: Vec<Entity> = (0..count).map(|nth| commands.spawn((Value(nth as u64), Mark)).id()).collect();
                commands.entity(ids[0]).despawn();
                self.world.flush();
                self.come(ids.iter().copied());
                self.go(ids[0]);
            }
            3 => {
                let ids: Vec<Entity> = (0..count).map(|_| self.world.reserve_entity()).collect();
                self.world.flush();
                self.come(ids);
            }
            4 => {
                if let Some(source) = self.pick() {
                    let id = self.world.clone_entity(source).expect("all can be cloned");
                    self.come([id]);
                }
            }
            5 => {
                if let Some((source, target)) = self.pick().zip(self.pick()) {
                    assert!(self.world.relate(source, Likes(1), target));
                }
            }
            6 => {
                let ids: Vec<Entity> = (0..count).filter_map(|_| self.pick()).collect();
                self.world.many(&ids).despawn();
                ids.into_iter().for_each(|id| self.go(id));
            }
            7 => {
                // Entities that did not exist yet no longer exist, but their ids are not reused.
                let snapshot = self.world.snapshot().expect("all can be cloned");
                let id = self.world.spawn(Value(1)).id();
                self.world.restore(&snapshot).expect("it is of this world");
                assert!(!self.world.contains(id));
            }
            8 => self.world.shrink_to_fit(),
            9 if self.random.below(10) == 0 => {
                self.world.clear_entities();
                self.living.clear();
            }
            _ => {
                if let Some(id) = self.pick() {
                    assert!(self.world.despawn(id));
                    self.go(id);
                    assert!(self.world.get_entity(id).is_err() && !self.world.despawn(id));
                }
            }
        }
    }
}

#[test]
fn indexes_close_to_their_last_generation_give_out_no_id_twice() {
    for seed in 0..u64::from(effort::cases(60)) {
        let mut history = History::new(seed);
        for _ in 0..120 {
            history.step();
            history.world.check_invariants();
            assert_eq!(history.world.len(), history.living.len(), "seed {seed}");
            assert!(history.living.iter().all(|&id| history.world.contains(id)), "seed {seed}");
        }
    }
}
