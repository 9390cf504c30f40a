//! Resources that a format saves or skips without listing them, because their types define it.
//!
//! Tests: tests/snapshots/bounds.rs, tests/snapshots/apps.rs

use std::collections::HashSet;

use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, PersistenceKind};
use strata_ecs::prelude::World;
use strata_ecs::snapshot::LocalForm;

use crate::format::WorldFormat;
use crate::local_types::LocalType;
use crate::types::{ResourceType, TEXT_VERSION, name_of};

impl WorldFormat {
    /// Returns this format with the resources of a world that have a [text form](strata_ecs::component::TextForm), unless the format lists
    /// them or leaves them out. Resources that are [skipped](strata_ecs::component::Persistence::Skipped) are left out.
    pub(crate) fn for_world(&self, world: &World) -> Self {
        let mut format = self.clone();
        let is_listed = |form: &&LocalForm| self.locals.iter().any(|local| local.type_id == form.type_id());
        let forms = world.registered_locals().iter().filter(|form| !is_listed(form));
        format.locals.extend(forms.map(LocalType::of_form));
        format.resources.iter_mut().for_each(ResourceType::add_text_form);
        let listed: HashSet<ComponentIdentity> = self.resources.iter().map(|ty| ty.descriptor.identity()).collect();
        let unlisted: Vec<&'static ComponentDescriptor> =
            world.resource_types().filter(|ty| !listed.contains(&ty.identity())).collect();
        let is_skipped = |ty: &&&ComponentDescriptor| ty.persistence() == PersistenceKind::Skipped;
        let skipped = unlisted.iter().filter(is_skipped).filter_map(|ty| ty.value_type_id());
        format.options = format.options.without_resources(skipped);
        let has_form = |ty: &&&'static ComponentDescriptor| {
            ty.persistence() == PersistenceKind::Text && !self.options.leaves_out_resource(ty)
        };
        let mut forms: Vec<&'static ComponentDescriptor> = unlisted.iter().filter(has_form).copied().collect();
        // The resources are sorted by name, because the bytes must not depend on the order of registration.
        forms.sort_by_key(|ty| name_of(ty));
        format.resources.extend(forms.into_iter().map(ResourceType::of_text));
        format
    }

    /// Returns the resources of this format that are saved in their text form and are not in `named`, the resources that a file contains. A
    /// load does not change them.
    pub(crate) fn unnamed_forms<'f>(
        &'f self,
        named: &'f HashSet<ComponentIdentity>,
    ) -> impl Iterator<Item = &'static ComponentDescriptor> + 'f {
        let forms = self.resources.iter().filter(|ty| ty.version == TEXT_VERSION).map(|ty| ty.descriptor);
        forms.filter(|ty| !named.contains(&ty.identity()))
    }
}
