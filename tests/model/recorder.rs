//! The transitions that a world records: together they result in the state of the world, so each change is recorded once.

use std::collections::{HashMap, HashSet};

use strata_ecs::component::ComponentId;
use strata_ecs::prelude::*;
use strata_ecs::store::Transition;

/// The components of each entity, according to the transitions.
pub(crate) struct Recorder {
    rows: HashMap<Entity, HashSet<ComponentId>>,
}

impl Recorder {
    pub(crate) fn new(world: &mut World) -> Self {
        assert!(world.is_empty());
        world.record_transitions(true);
        Self { rows: HashMap::new() }
    }

    /// Follows what has happened since the last time, and compares what has changed, or all, with the world.
    pub(crate) fn check(&mut self, world: &mut World, told: &[(Entity, Transition)], all: bool) {
        let mut touched = HashSet::new();
        let mut ended = HashSet::new();
        for &(entity, transition) in told {
            touched.insert(entity);
            if transition == Transition::Made {
                assert!(self.rows.insert(entity, HashSet::new()).is_none(), "{entity:?} was made twice");
                continue;
            }
            let row = self.rows.get_mut(&entity).unwrap_or_else(|| panic!("{entity:?} was not made: {transition:?}"));
            match transition {
                Transition::Gained(id) => assert!(row.insert(id), "{entity:?} has gained {id:?} twice"),
                Transition::Lost(id) => assert!(row.remove(&id), "{entity:?} has lost {id:?}, which it had not"),
                Transition::Replaced(id) | Transition::Renewed(id) => {
                    assert!(row.contains(&id), "{entity:?} has a new value of {id:?}, which it had not");
                }
                Transition::Ended => assert!(ended.insert(entity), "{entity:?} has ended twice"),
                Transition::Made => unreachable!(),
            }
        }
        for entity in ended {
            let left = self.rows.remove(&entity);
            assert_eq!(left, Some(HashSet::new()), "{entity:?} has ended, and not lost all");
        }
        assert_eq!(self.rows.len(), world.len(), "entities have come or gone untold");
        let seen: Vec<Entity> = if all { self.rows.keys().copied().collect() } else { touched.into_iter().collect() };
        for entity in seen {
            let real = world.get_entity(entity).ok().map(|entity| entity.components().collect());
            assert_eq!(self.rows.get(&entity), real.as_ref(), "what {entity:?} has");
        }
    }
}
