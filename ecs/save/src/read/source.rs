//! A reader of the bytes of a world, with the types that they name.
//!
//! Tests: tests/snapshots/hostile.rs, tests/snapshots/fuzz.rs

use std::collections::HashMap;
use std::sync::Arc;

use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::{ComponentDescriptor, ComponentIdentity};
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::NewColumnContents;

use crate::bytes::Reader;
use crate::encoding::Budget;
use crate::error::Problem;
use crate::layout::form;
use crate::regroup::newest;
use crate::tables::Column;
use crate::types::{ReadColumn, RelationType, ResourceType, TEXT_VERSION};
use crate::unknown::UnknownType;
use crate::values::{Form, Values};

/// Decodes the ticks at which a value was added and changed.
pub(super) fn ticks_of(bytes: [u8; 8]) -> ComponentTicks {
    let [a, b, c, d, e, f, g, h] = bytes;
    let mut ticks = ComponentTicks::new(Tick::new(u32::from_le_bytes([a, b, c, d])));
    ticks.changed = Tick::new(u32::from_le_bytes([e, f, g, h]));
    ticks
}

/// A reader of a file, with the types that the file contains.
pub(super) struct Source<'b> {
    pub(super) reader: Reader<'b>,
    /// The types that the bytes name, by number: components, ends of relations, and kept components.
    pub(super) components: Vec<Named<ReadColumn>>,
    /// The number of components and ends of relations: the number of the first kept component.
    pub(super) first_kept: usize,
    /// For each component number, the first number of the same component: a component may occur under several names.
    pub(super) first_numbers: Vec<usize>,
    /// For each first number, the number under which values have been read.
    pub(super) used: Vec<Option<u32>>,
    pub(super) resources: Vec<Named<ResourceType>>,
    pub(super) kept_resources: Vec<Named<ResourceType>>,
    pub(super) relations: Vec<Named<RelationType>>,
    pub(super) skips_unknown: bool,
    pub(super) keeps_unknown: bool,
    /// The number of elements without bytes that values may still contain.
    pub(super) budget: &'b Budget,
    /// The name of the type that is being read, for errors.
    pub(super) name: Option<String>,
}

/// A type that the bytes name. `known` is `None` if the type is skipped or its values are kept.
pub(super) struct Named<T> {
    pub(super) ty: Arc<UnknownType>,
    pub(super) known: Option<T>,
    /// Whether the type is a side of a relationship.
    pub(super) is_side: bool,
}

/// A sparse set whose values are not read yet.
pub(super) struct Storage<'b> {
    pub(super) entities: Vec<Entity>,
    pub(super) number: u32,
    pub(super) parts: Vec<Column<'b>>,
}

/// The values of an entity that the saving program kept as unknown.
pub(super) struct KeptValues<'b> {
    pub(super) entity: Entity,
    pub(super) ticks: Option<ComponentTicks>,
    pub(super) values: Vec<(u32, Values<'b>)>,
}

/// The kept values of components.
#[derive(Default)]
pub(super) struct Kept<'b> {
    pub(super) stamp: Option<Tick>,
    pub(super) are_tracked: bool,
    /// Values that the saving program kept, and that are still unknown.
    pub(super) all: Vec<KeptValues<'b>>,
    /// Values of columns whose components have become unknown: the entity, the number of the component, and the value.
    pub(super) new: Vec<(Entity, u32, Values<'b>)>,
}

impl<'b> Source<'b> {
    /// Returns `problem` as an error about the component with this number, at an offset.
    pub(super) fn refuse<T>(&mut self, at: usize, number: u32, problem: Problem) -> Result<T, Problem> {
        self.name = self.components.get(number as usize).map(|ty| ty.ty.name.clone());
        self.reader.go_to(at);
        Err(problem)
    }

    /// Reads the names and versions of types. The known types are the results of `find`; an unknown type is an error unless it is skipped
    /// or kept.
    pub(super) fn types<T, U>(
        &mut self,
        known: &HashMap<String, T>,
        find: impl Fn(&T, u32) -> Result<U, Problem>,
    ) -> Result<Vec<Named<U>>, Problem> {
        let mut types = Vec::new();
        for _ in 0..self.reader.len(13)? {
            let name = self.reader.text()?.to_owned();
            let ty = known.get(&name);
            self.name = Some(name.clone());
            let version = self.reader.u32()?;
            let known = match ty {
                Some(ty) => Some(find(ty, version)?),
                None if self.skips_unknown || self.keeps_unknown || version == TEXT_VERSION => None,
                None => return Err(Problem::UnknownName),
            };
            let is_side = self.reader.flag()?;
            self.name = None;
            types.push(Named { ty: Arc::new(UnknownType { name, version }), known, is_side });
        }
        Ok(types)
    }

    /// Records that the bytes contain values of a component. It is an error if they also contain values under another number of this
    /// component.
    pub(super) fn note_use(&mut self, at: usize, number: u32) -> Result<(), Problem> {
        let first = &mut self.used[self.first_numbers[number as usize]];
        match *first.get_or_insert(number) {
            other if other == number => Ok(()),
            other => {
                let name = self.components[other as usize].ty.name.clone();
                self.refuse(at, number, Problem::Same(name))
            }
        }
    }

    /// Checks that an unknown value of this length may be kept: the number of values without bytes is limited.
    pub(super) fn note_empty(&mut self, bytes: usize) -> Result<(), Problem> {
        if bytes == 0 {
            return if self.budget.take() { Ok(()) } else { Err(Problem::TooMany) };
        }
        Ok(())
    }

    pub(super) fn tick(&mut self) -> Result<Tick, Problem> {
        self.reader.u32().map(Tick::new)
    }

    pub(super) fn ticks(&mut self) -> Result<ComponentTicks, Problem> {
        self.reader.u64().map(|ticks| ticks_of(ticks.to_le_bytes()))
    }

    pub(super) fn entities(&mut self) -> Result<Vec<Entity>, Problem> {
        let len = self.reader.len(8)?;
        let mut entities = Vec::with_capacity(len);
        for bytes in self.reader.arrays(len)? {
            let bits = u64::from_le_bytes(*bytes);
            entities.push(Entity::try_from_bits(bits).ok_or(Problem::Entity(bits))?);
        }
        Ok(entities)
    }

    /// Reads the number of a component and its column, which has one value for each of the entities. Values of an unknown component are
    /// added to `kept`; then, or if the component is skipped, there is no column.
    pub(super) fn column(
        &mut self,
        entities: &[Entity],
        kept: &mut Kept<'b>,
    ) -> Result<(u32, Option<Column<'b>>), Problem> {
        let at = self.reader.offset();
        let number = self.reader.u32()?;
        let ty = self.components[..self.first_kept].get(number as usize).ok_or(Problem::Number(number))?;
        let (known, can_be_kept) = (ty.known.clone(), !ty.is_side);
        self.name = Some(ty.ty.name.clone());
        let stamp = self.tick()?;
        let count = entities.len();
        let ticks = if self.reader.flag()? { Some(self.reader.arrays(count)?) } else { None };
        let form = self.reader.u8()?;
        let bytes = self.reader.block()?;
        let offset = self.reader.offset() - bytes.len();
        let form = match form {
            form::PLAIN => Form::Plain,
            form::EVEN => Form::Even,
            form::EACH => Form::Each(self.reader.arrays(count)?),
            _ => return self.refuse(offset - 9, number, Problem::Form),
        };
        let values = Values { offset, bytes, count, form, budget: self.budget };
        if let Some(known) = known {
            known.check(&values).or_else(|(at, problem)| self.refuse(at, number, problem))?;
            self.note_use(at, number)?;
            self.name = None;
            return Ok((number, Some(Column { stamp, ticks, values })));
        }
        let is_kept = self.keeps_unknown && can_be_kept;
        if !is_kept && !self.skips_unknown && count != 0 {
            return self.refuse(at, number, Problem::NotKept);
        }
        if is_kept {
            let one_by_one = values.one_by_one().or_else(|(at, problem)| self.refuse(at, number, problem))?;
            for (entity, values) in entities.iter().zip(one_by_one) {
                self.note_empty(values.bytes.len())?;
                kept.new.push((*entity, number, values));
            }
        }
        self.name = None;
        Ok((number, None))
    }

    /// Reads the values of the parts of a column.
    pub(super) fn new_column(
        &mut self,
        number: u32,
        parts: &[Column<'b>],
        now: Tick,
    ) -> Result<NewColumnContents, Problem> {
        let Some(Named { known: Some(reader), ty, .. }) = self.components.get(number as usize) else {
            return Err(Problem::Number(number));
        };
        let stamp = newest(parts.iter().map(|part| part.stamp), now);
        let values: Vec<Values<'b>> = parts.iter().map(|part| part.values).collect();
        let column = match reader.read(&values, stamp) {
            Ok(column) => column,
            Err((offset, problem)) => {
                self.name = Some(ty.name.clone());
                self.reader.go_to(offset);
                return Err(problem);
            }
        };
        if parts.iter().all(|part| part.ticks.is_none()) {
            return Ok(column);
        }
        let mut ticks = Vec::new();
        for part in parts {
            match part.ticks {
                Some(bytes) => ticks.extend(bytes.iter().map(|bytes| ticks_of(*bytes))),
                None => ticks.extend((0..part.values.count).map(|_| ComponentTicks::new(part.stamp))),
            }
        }
        Ok(column.with_ticks(ticks))
    }

    /// Reads a block of `count` values, and returns the result of calling `read` with them.
    pub(super) fn values<T>(
        &mut self,
        count: usize,
        read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
    ) -> Result<T, Problem> {
        read_values(&mut self.reader, &mut self.name, self.budget, count, read)
    }
}

/// Reads a block of `count` values, and returns the result of calling `read` with them. If `read` succeeds, `name` is cleared; otherwise
/// the reader moves to the offset of the problem.
pub(crate) fn read_values<'b, T>(
    reader: &mut Reader<'b>,
    name: &mut Option<String>,
    budget: &'b Budget,
    count: usize,
    read: impl FnOnce(Values<'b>) -> Result<T, (usize, Problem)>,
) -> Result<T, Problem> {
    let bytes = reader.block()?;
    let offset = reader.offset() - bytes.len();
    match read(Values { offset, bytes, count, form: Form::Unmeasured, budget }) {
        Ok(value) => {
            *name = None;
            Ok(value)
        }
        Err((at, problem)) => {
            reader.go_to(at);
            Err(problem)
        }
    }
}

/// The resources, or the relations, that have values in the file, each with its type as the file describes it.
pub(super) type Used = HashMap<ComponentIdentity, Arc<UnknownType>>;

/// Records that the bytes contain values of a type. It is an error if two types of the file are read as one type, because their values
/// could not be distinguished.
pub(super) fn note_use(used: &mut Used, known: &ComponentDescriptor, ty: &Arc<UnknownType>) -> Result<(), Problem> {
    match used.insert(known.identity(), Arc::clone(ty)) {
        Some(other) if other.name == ty.name => Err(Problem::Twice),
        Some(other) => Err(Problem::Same(other.name.clone())),
        None => Ok(()),
    }
}
