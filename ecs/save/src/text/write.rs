//! Writes the contents of a world to a serializer.
//!
//! Tests: tests/snapshots/text.rs, tests/snapshots/text_ron.rs

use std::collections::HashSet;

use serde_core::Serialize;
use serde_core::ser::{Error as _, SerializeMap, SerializeSeq, SerializeTuple, Serializer};
use strata_ecs::change::ComponentTicks;
use strata_ecs::component::ComponentIdentity;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{ColumnContents, PairsContents, ResourceContents, SnapshotContents};

use super::parts::{Clock, ColumnTimes, ENDS, Ids, Ticks, VERSION, key, part};
use crate::consumers::ConsumersData;
use crate::encoding::is_finite;
use crate::format::WorldFormat;
use crate::regroup::newest;
use crate::types::{ComponentType, RelationType, ResourceType, TEXT_VERSION, name_of};
use crate::write::Saved;

/// Writes a world.
pub(super) fn write<S: Serializer>(
    format: &WorldFormat,
    contents: SnapshotContents<'_>,
    consumers: &ConsumersData,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let saved = Saved::of(format, contents).map_err(S::Error::custom)?;
    if saved.has_unknown() {
        return Err(S::Error::custom("values of unknown types are known as bytes only, and no text has them"));
    }
    let (clock, ids) = (contents.clock(), contents.ids());
    let [tick, last, checked] = [clock.tick, clock.last, clock.checked].map(|tick| tick.get());
    let clock_parts: Clock = (clock.frame_number, clock.is_frame_open, tick, last, checked);
    let ids: Ids = (ids.generations, ids.free, ids.retired, ids.first_generation);

    let (all, columns, groups) = saved.tables(false);
    let tables = groups.iter().map(|group| {
        let column = |at: usize| {
            let parts: Vec<ColumnContents<'_>> = group.iter().map(|number| columns[*number][at]).collect();
            Column::of(&saved, parts)
        };
        Table {
            entities: group.iter().flat_map(|number| all[*number].entities()).copied().collect(),
            stamp: newest(group.iter().map(|number| all[*number].stamp()), clock.tick).get(),
            columns: (0..columns[group[0]].len()).filter_map(column).collect(),
        }
    });
    let storages = saved.storages().into_iter().map(|storage| Table {
        entities: storage.entities(),
        stamp: tick,
        columns: Column::of(&saved, vec![storage.column()]).into_iter().collect(),
    });
    let pairs = saved.pairs().into_iter().filter_map(|pairs| Some(Pairs { ty: saved.relation(pairs)?, pairs }));
    let resources = saved.resources().into_iter().filter_map(|value| Some(Value { ty: saved.resource(value)?, value }));

    let present: HashSet<ComponentIdentity> =
        saved.resources().iter().map(|value| value.descriptor().identity()).collect();
    let absent: Vec<String> =
        format.unnamed_forms(&present).map(|descriptor| key(&name_of(descriptor), TEXT_VERSION)).collect();

    let mut map = serializer.serialize_map(Some(8 + usize::from(!absent.is_empty())))?;
    map.serialize_entry(part::VERSION, &VERSION)?;
    map.serialize_entry(part::CLOCK, &clock_parts)?;
    map.serialize_entry(part::IDS, &ids)?;
    map.serialize_entry(part::TABLES, &tables.collect::<Vec<_>>())?;
    map.serialize_entry(part::STORAGES, &storages.collect::<Vec<_>>())?;
    map.serialize_entry(part::PAIRS, &pairs.collect::<Vec<_>>())?;
    map.serialize_entry(part::RESOURCES, &resources.collect::<Vec<_>>())?;
    if !absent.is_empty() {
        map.serialize_entry(part::ABSENT, &absent)?;
    }
    map.serialize_entry(part::CONSUMERS, consumers)?;
    map.end()
}

fn ticks_of(ticks: ComponentTicks) -> Ticks {
    (ticks.added.get(), ticks.changed.get())
}

/// Serializes a value if its numbers are finite; otherwise returns an error, in which `what` describes the value.
fn checked<S: Serializer>(
    value: &dyn erased_serde::Serialize,
    what: impl FnOnce() -> String,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match is_finite(value) {
        Ok(true) => value.serialize(serializer).map_err(|error| S::Error::custom(format_args!("{}: {error}", what()))),
        Ok(false) => Err(S::Error::custom(format_args!("{}: a number is not finite", what()))),
        Err(error) => Err(S::Error::custom(format_args!("{}: {error}", what()))),
    }
}

/// The values of a component in a table or a sparse set, with the name and the ticks of the column.
struct Column<'c> {
    ty: &'c ComponentType,
    times: ColumnTimes,
    parts: Vec<ColumnContents<'c>>,
}

impl<'c> Column<'c> {
    fn of(saved: &'c Saved<'c>, parts: Vec<ColumnContents<'c>>) -> Option<Self> {
        let (ty, end) = saved.component(parts[0])?;
        let name = match end {
            Some((relation, end)) => format!("{}{}", key(&name_of(relation.descriptor), relation.version), ENDS[end]),
            None => key(&name_of(ty.descriptor), ty.version),
        };
        let stamp = newest(parts.iter().map(|part| part.stamp()), saved.now).get();
        let ticks = parts.iter().any(|part| part.is_tracked()).then(|| {
            let of_part = |part: &ColumnContents<'c>| {
                let unknown = || vec![ComponentTicks::new(part.stamp()); part.values().len()];
                part.ticks().unwrap_or_else(unknown)
            };
            parts.iter().flat_map(of_part).map(ticks_of).collect()
        });
        Some(Self { ty, times: (name, stamp, ticks), parts })
    }

    /// Returns the value in a row of the column.
    fn value(&self, mut row: usize) -> Option<&'c dyn erased_serde::Serialize> {
        for part in &self.parts {
            match row.checked_sub(part.values().len()) {
                Some(left) => row = left,
                None => return (self.ty.show)(part.values(), row),
            }
        }
        None
    }
}

/// The rows of a table or of a sparse set.
struct Table<'c> {
    entities: Vec<Entity>,
    stamp: u32,
    columns: Vec<Column<'c>>,
}

/// Serializes a row of a table: the entity and the values of its components.
struct Row<'t, 'c> {
    of: &'t Table<'c>,
    row: usize,
}

/// Serializes the rows of a table as a list.
struct Rows<'t, 'c>(&'t Table<'c>);

/// Serializes the value of a component in a row.
struct Item<'t, 'c> {
    of: &'t Row<'t, 'c>,
    column: &'t Column<'c>,
}

impl Serialize for Table<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let times: Vec<&ColumnTimes> = self.columns.iter().map(|column| &column.times).collect();
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry(part::STAMP, &self.stamp)?;
        map.serialize_entry(part::COLUMNS, &times)?;
        map.serialize_entry(part::ROWS, &Rows(self))?;
        map.end()
    }
}

impl Serialize for Rows<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0.entities.len()).map(|row| Row { of: self.0, row }))
    }
}

impl Serialize for Row<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.of.columns.len() + 1))?;
        map.serialize_entry(part::ENTITY, &self.of.entities[self.row])?;
        for column in &self.of.columns {
            map.serialize_entry(&column.times.0, &Item { of: self, column })?;
        }
        map.end()
    }
}

impl Serialize for Item<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(value) = self.column.value(self.of.row) else { return serializer.serialize_unit() };
        let what = || format!("component `{}` of entity {}", self.column.times.0, self.of.of.entities[self.of.row]);
        checked(value, what, serializer)
    }
}

/// The pairs of a relation.
struct Pairs<'c> {
    ty: &'c RelationType,
    pairs: PairsContents<'c>,
}

/// Serializes the pairs of a relation as a list.
struct AllPairs<'p, 'c>(&'p Pairs<'c>);

/// Serializes a pair: its ends, positions, ticks and value.
struct Pair<'p, 'c> {
    of: &'p Pairs<'c>,
    at: usize,
    ends: [Entity; 2],
    places: [u32; 2],
    ticks: Ticks,
}

/// Serializes the value of a pair.
struct PairValue<'p, 'c>(&'p Pair<'p, 'c>);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (key(&name_of(self.ty.descriptor), self.ty.version), AllPairs(self)).serialize(serializer)
    }
}

impl Serialize for AllPairs<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.0.pairs.pairs();
        let mut seq = serializer.serialize_seq(Some(all.len()))?;
        for (at, pair) in all.iter().enumerate() {
            let (of, ticks) = (self.0, ticks_of(pair.ticks));
            seq.serialize_element(&Pair { of, at, ends: pair.ends, places: pair.places, ticks })?;
        }
        seq.end()
    }
}

impl Serialize for Pair<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.ends, self.places, self.ticks, PairValue(self)).serialize(serializer)
    }
}

impl Serialize for PairValue<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Pair { of, at, ends: [source, target], .. } = self.0;
        let Some(value) = (of.ty.show)(of.pairs, *at) else { return serializer.serialize_unit() };
        let what = || format!("relation `{}` of {source} and {target}", name_of(of.ty.descriptor));
        checked(value, what, serializer)
    }
}

/// A resource: serializes its name, ticks and value.
struct Value<'c> {
    ty: &'c ResourceType,
    value: ResourceContents<'c>,
}

/// Serializes the value of a resource.
struct Bare<'v, 'c>(&'v Value<'c>);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(3)?;
        tuple.serialize_element(&key(&name_of(self.ty.descriptor), self.ty.version))?;
        tuple.serialize_element(&ticks_of(self.value.ticks()))?;
        tuple.serialize_element(&Bare(self))?;
        tuple.end()
    }
}

impl Serialize for Bare<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value { ty, value } = self.0;
        let Some(value) = (ty.show)(*value) else { return serializer.serialize_unit() };
        checked(&*value, || format!("resource `{}`", name_of(ty.descriptor)), serializer)
    }
}
