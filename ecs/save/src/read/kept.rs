//! Reads values whose types were unknown when they were saved, and keeps values whose types are unknown now.
//!
//! Tests: tests/snapshots/unknown.rs

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::StorageType;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{NewColumnContents, SnapshotBuilder};

use super::source::{Kept, KeptValues, Source, Storage, Used, note_use, ticks_of};
use crate::error::Problem;
use crate::tables::{Column, Inserted};
use crate::unknown::{UnknownComponents, UnknownResources, UnknownValue};
use crate::values::{Form, Values};

impl<'b> Source<'b> {
    /// Reads the component values that the saving program kept as unknown. Values whose types this format knows are added to sparse sets,
    /// or are returned if the component is stored in tables. The others are added to `kept`.
    pub(super) fn kept_values(
        &mut self,
        kept: &mut Kept<'b>,
        storages: &mut Vec<Storage<'b>>,
        now: Tick,
    ) -> Result<Inserted<'b>, Problem> {
        let mut inserted = Inserted::new();
        let at = self.reader.offset();
        let entities = self.entities()?;
        if entities.is_empty() {
            return Ok(inserted);
        }
        kept.stamp = Some(self.tick()?);
        kept.are_tracked = self.reader.flag()?;
        let ticks = if kept.are_tracked { Some(self.reader.arrays(entities.len())?) } else { None };
        // A second list for the same entity would hide the first one.
        let mut found = HashSet::new();
        for (row, entity) in entities.into_iter().enumerate() {
            if !found.insert(entity) {
                self.reader.go_to(at);
                return Err(Problem::Twice);
            }
            let (mut left, len) = (Vec::new(), self.reader.len(13)?);
            let mut numbers = HashSet::new();
            for _ in 0..len {
                let at = self.reader.offset();
                let number = self.reader.u32()?;
                let number = (number as usize)
                    .checked_add(self.first_kept)
                    .filter(|number| *number < self.components.len())
                    .ok_or(Problem::Number(number))? as u32;
                self.name = Some(self.components[number as usize].ty.name.clone());
                if !numbers.insert(number) {
                    return self.refuse(at, number, Problem::Twice);
                }
                let form = if self.reader.flag()? { Form::Plain } else { Form::Unmeasured };
                let bytes = self.reader.block()?;
                let values =
                    Values { offset: self.reader.offset() - bytes.len(), bytes, count: 1, form, budget: self.budget };
                self.name = None;
                match &self.components[number as usize].known {
                    Some(known) => {
                        let is_sparse = known.descriptor().storage() == Some(StorageType::Sparse);
                        self.note_use(at, number)?;
                        if is_sparse {
                            add_to_storage(storages, entity, number, Column { stamp: now, ticks: None, values });
                        } else {
                            inserted.entry(entity).or_default().values.push((number, values));
                        }
                    }
                    None if self.keeps_unknown => left.push((number, values)),
                    None => {}
                }
            }
            let ticks = ticks.map(|ticks| ticks_of(ticks[row]));
            kept.all.push(KeptValues { entity, ticks, values: left });
        }
        Ok(inserted)
    }

    /// Reads the resources that the saving program kept as unknown, and adds the resources whose types this format knows. The others are
    /// kept together with `new`, the resources that have become unknown.
    pub(super) fn resources_kept(
        &mut self,
        builder: &mut SnapshotBuilder,
        new: Vec<UnknownValue>,
        used: &mut Used,
        now: Tick,
    ) -> Result<(), Problem> {
        let (mut ticks, mut all) = (ComponentTicks::new(now), Vec::new());
        if self.reader.flag()? {
            ticks = self.ticks()?;
            for _ in 0..self.reader.len(13)? {
                let number = self.reader.u32()?;
                let ty = self.kept_resources.get(number as usize).ok_or(Problem::Number(number))?;
                let (unknown, known) = (Arc::clone(&ty.ty), ty.known.clone());
                self.name = Some(unknown.name.clone());
                if let Some(ty) = &known {
                    note_use(used, ty.descriptor, &unknown)?;
                }
                let is_plain = self.reader.flag()?;
                match known {
                    Some(ty) => self.values(1, |values| (ty.read)(values, builder, ComponentTicks::new(now)))?,
                    None => {
                        let bytes = self.reader.block()?;
                        self.name = None;
                        all.push(UnknownValue { ty: unknown, is_plain, bytes: bytes.into() });
                    }
                }
            }
        }
        all.extend(new);
        let mut names = HashSet::new();
        if let Some(value) = all.iter().find(|value| !names.insert(value.name())) {
            self.name = Some(value.name().to_owned());
            return Err(Problem::Twice);
        }
        if self.keeps_unknown && !all.is_empty() {
            builder.add_resource(UnknownResources(all), ticks);
        }
        Ok(())
    }

    /// Adds the kept values of components to the builder.
    pub(super) fn add_kept(&mut self, kept: Kept<'b>, builder: &mut SnapshotBuilder, now: Tick) -> Result<(), Problem> {
        let Kept { stamp, are_tracked, mut all, new } = kept;
        let stamp = if new.is_empty() { stamp.unwrap_or(now) } else { now };
        let mut places: HashMap<Entity, usize> =
            all.iter().enumerate().map(|(place, kept)| (kept.entity, place)).collect();
        for (entity, number, values) in new {
            let place = *places.entry(entity).or_insert_with(|| {
                all.push(KeptValues { entity, ticks: None, values: Vec::new() });
                all.len() - 1
            });
            all[place].values.push((number, values));
        }
        all.retain(|kept| !kept.values.is_empty());
        if all.is_empty() {
            return Ok(());
        }
        // A table, a sparse set and the kept values could each have a value of one component, with the same number or different ones.
        let mut names = HashSet::new();
        for kept in &all {
            names.clear();
            let mut of_one = kept.values.iter();
            if let Some((number, values)) =
                of_one.find(|(number, _)| !names.insert(&self.components[*number as usize].ty.name))
            {
                return self.refuse(values.offset, *number, Problem::Twice);
            }
        }
        let ticks = all.iter().map(|kept| kept.ticks.unwrap_or(ComponentTicks::new(now))).collect();
        let value = |(number, values): (u32, Values<'b>)| UnknownValue {
            ty: Arc::clone(&self.components[number as usize].ty),
            is_plain: values.are_plain(),
            bytes: values.bytes.into(),
        };
        let (entities, values) = all
            .into_iter()
            .map(|kept| (kept.entity, UnknownComponents(kept.values.into_iter().map(value).collect())))
            .unzip();
        let column = NewColumnContents::of::<UnknownComponents>(values, stamp);
        builder.add_storage(entities, if are_tracked { column.with_ticks(ticks) } else { column });
        Ok(())
    }
}

/// Adds a value to the sparse set of a component.
fn add_to_storage<'b>(storages: &mut Vec<Storage<'b>>, entity: Entity, number: u32, value: Column<'b>) {
    // There are at most as many sparse sets as known components.
    let place = storages.iter().position(|storage| storage.number == number).unwrap_or_else(|| {
        storages.push(Storage { entities: Vec::new(), number, parts: Vec::new() });
        storages.len() - 1
    });
    storages[place].entities.push(entity);
    storages[place].parts.push(value);
}
