//! The requirements of the components of a world.
//!
//! Tests: tests/storage/required/runtime.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Components;
use crate::component::ComponentId;
use crate::component::info::ComponentInfo;
use crate::component::required::{NewRequirements, Required, RequiredComponentsError, merge, requires};

impl Components {
    /// Returns all components that a component requires, directly or through others.
    pub(crate) fn required(&self, id: ComponentId) -> &[Required] {
        self.info(id).map_or(&[], ComponentInfo::required)
    }

    /// Returns all components that the components `ids` require, directly or through others, except `ids`. If several of `ids` require the
    /// same component, one of them determines its constructor: a component takes precedence over the components that it requires; otherwise
    /// the first component of the list takes precedence.
    pub(crate) fn required_by(&self, ids: &[ComponentId]) -> Box<[Required]> {
        self.required_by_with(ids, &NewRequirements::default())
    }

    /// Like [`required_by`](Self::required_by), but includes new requirements that are not adopted yet.
    pub(crate) fn required_by_with(&self, ids: &[ComponentId], more: &NewRequirements) -> Box<[Required]> {
        let required_by = |id| (id, more.of(id).unwrap_or_else(|| self.required(id)));
        let mut rest: Vec<(ComponentId, &[Required])> = ids.iter().copied().map(required_by).collect();
        rest.retain(|(_, required)| !required.is_empty());
        let mut all = Vec::new();
        // Requirements have no cycles, so `rest` always contains a component that no other component of `rest` requires.
        while let Some(next) = rest.iter().position(|(id, _)| !rest.iter().any(|(_, required)| requires(required, *id)))
        {
            merge(&mut all, rest.remove(next).1);
        }
        all.retain(|required| !ids.contains(&required.id));
        all.into()
    }

    /// Returns the requirements that change if `by` is to require another component. Pass the result to [`Components::adopt_requirements`].
    ///
    /// # Errors
    ///
    /// If `by` already requires the other component directly, or if the two components would require each other.
    pub(crate) fn requirements_with(
        &self,
        by: ComponentId,
        required: Required,
    ) -> Result<NewRequirements, RequiredComponentsError> {
        let names = (self.name(by), self.name(required.id));
        if by == required.id || self.required(required.id).iter().any(|further| further.id == by) {
            return Err(RequiredComponentsError::CyclicRequirement { requiree: names.0, required: names.1 });
        }
        let mut requires = self.infos[by.index()].requires.clone().unwrap_or_default();
        if requires.direct.iter().any(|earlier| earlier.id == required.id) {
            return Err(RequiredComponentsError::DuplicateRegistration { requiree: names.0, required: names.1 });
        }
        requires.direct.push(required);
        let mut new = NewRequirements(Vec::new());
        let is_concerned = |info: &&ComponentInfo| info.id == by || info.required().iter().any(|other| other.id == by);
        let mut concerned: Vec<ComponentId> = self.infos.iter().filter(is_concerned).map(|info| info.id).collect();
        // A component requires more components than each component that it requires. So it comes later in this order, and can use their new
        // requirements.
        concerned.sort_unstable_by_key(|&id| (id != by, self.required(id).len(), id));
        for id in concerned {
            let of_this = if id == by { Some(requires.clone()) } else { self.infos[id.index()].requires.clone() };
            if let Some(mut requires) = of_this {
                requires.resolve(|id| new.of(id).unwrap_or_else(|| self.required(id)));
                new.0.push((id, requires));
            }
        }
        Ok(new)
    }

    /// Replaces the requirements of some components. Does not allocate.
    pub(crate) fn adopt_requirements(&mut self, new: NewRequirements) {
        for (id, requires) in new.0 {
            self.infos[id.index()].requires = Some(requires);
        }
        for slot in 0..self.sole_storages.len() as u32 {
            if let Some(id) = self.ids.get_by_slot(slot) {
                self.note_sole_storage(Some(slot), ComponentId(id));
            }
        }
    }
}
