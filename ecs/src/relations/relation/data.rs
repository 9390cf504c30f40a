//! Converts the pairs of a relation to data, and builds pairs from data. The data are validated: pairs that
//! [`relate`](crate::world::World::relate) could not have made are an error.
//!
//! Tests: tests/snapshots/pairs.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::components::{PairSource, PairTarget};
use super::index::PairIndex;
use super::storage::{
    CopyOf, PairContents, PairsCopy, PairsFault, PairsParts, PairsSetting, PartsOf, clone_of, descriptor_of,
};
use super::traits::{OnTargetDespawn, Relation};
use crate::component::ComponentDescriptor;
use crate::entity::Entity;
use crate::storage::tick::TickCells;
use crate::util::alloc_error::AllocError;

impl dyn PairsCopy + '_ {
    /// Returns the pairs, by row, without their values.
    pub(crate) fn contents(&self) -> Vec<PairContents> {
        let ranks = self.index().ranks();
        let pairs = self.index().ends().iter().zip(ranks).zip(self.ticks());
        pairs.map(|((&ends, places), ticks)| PairContents { ends, places, ticks: ticks.get() }).collect()
    }

    /// Returns the live entities that are the source (`end` is 0) or the target (`end` is 1) of pairs.
    pub(crate) fn entities(&self, end: usize) -> Vec<Entity> {
        self.index().entities(end).collect()
    }
}

impl<R: Relation> PairsParts for PartsOf<R> {
    fn relation(&self) -> &'static ComponentDescriptor {
        descriptor_of::<R>()
    }

    fn pairs(&self) -> &[PairContents] {
        &self.pairs
    }

    fn retain(&mut self, wanted: &[bool]) {
        let mut flags = wanted.iter();
        self.pairs.retain(|_| flags.next() == Some(&true));
        let mut flags = wanted.iter();
        self.values.retain(|_| flags.next() == Some(&true));
    }

    fn components(&self) -> [&'static ComponentDescriptor; 2] {
        [ComponentDescriptor::of::<PairSource<R>>(), ComponentDescriptor::of::<PairTarget<R>>()]
    }

    fn build(
        self: Box<Self>,
        setting: &PairsSetting<'_>,
    ) -> Result<Result<Box<dyn PairsCopy>, PairsFault>, AllocError> {
        let Self { pairs, values } = *self;
        let Some(clone) = clone_of::<R>(setting.clones) else { return Ok(Err(PairsFault::NotClone)) };
        if pairs.len() != values.len() {
            return Ok(Err(PairsFault::Length));
        }
        if !pairs.iter().all(|pair| (setting.is_known)(pair.ticks.added) && (setting.is_known)(pair.ticks.changed)) {
            return Ok(Err(PairsFault::Ticks));
        }
        let may_lack_target = R::ON_TARGET_DESPAWN == OnTargetDespawn::Ignore && !R::SYMMETRIC;
        let may_be = |[source, target]: [Entity; 2]| {
            let has_target = (setting.is_alive)(target) || (may_lack_target && (setting.is_past)(target));
            (setting.is_alive)(source) && has_target && (source != target || !(R::SYMMETRIC || R::ACYCLIC))
        };
        if let Some(wrong) = pairs.iter().find(|pair| !may_be(pair.ends)) {
            return Ok(Err(PairsFault::Pair(wrong.ends)));
        }
        let all = pairs.iter().map(|pair| (pair.ends, pair.places));
        let index = match PairIndex::of([R::EXCLUSIVE, R::SYMMETRIC], all, |entity| !(setting.is_alive)(entity))? {
            Ok(index) => index,
            Err(ends) => return Ok(Err(PairsFault::Pair(ends))),
        };
        if R::ACYCLIC
            && let Some(ends) = index.circle()
        {
            return Ok(Err(PairsFault::Pair(ends)));
        }
        let ticks = pairs.iter().map(|pair| TickCells::of(pair.ticks)).collect();
        Ok(Ok(Box::new(CopyOf { index, values, ticks, clone })))
    }
}
