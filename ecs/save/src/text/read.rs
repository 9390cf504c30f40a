//! Converts the input of a deserializer to the bytes of a saved world.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde_core::Deserialize;
use serde_core::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use strata_ecs::prelude::Entity;

use super::value::Parse;
use super::{Clock, ColumnTimes, ENDS, Ids, Ticks, VERSION, part};
use crate::bytes::{Lengths, Writer};
use crate::consumers::{self, ConsumersData};
use crate::format::WorldFormat;
use crate::read::form;
use crate::types::{ComponentType, RelationType, ResourceType, TEXT_VERSION};
use crate::write::{begin, end, write_types};

/// The types of a format by their names in texts.
struct Types<'f> {
    format: &'f WorldFormat,
    components: HashMap<String, usize>,
    relations: HashMap<String, usize>,
    resources: HashMap<String, usize>,
}

/// The number of a type, and the function that reads its values; `None` if the type is skipped.
type Found<'f> = Option<(usize, Option<&'f Parse>)>;

/// Values of the components of entities.
struct Table {
    stamp: u32,
    columns: Vec<ColumnTimes>,
    rows: Vec<Row>,
}

struct Row {
    entity: Entity,
    values: HashMap<String, Option<Vec<u8>>>,
}

/// A pair: its ends, places, ticks and value.
type Pair = ([Entity; 2], [u32; 2], Ticks, Vec<u8>);

/// The contents that have been read.
#[derive(Default)]
struct World {
    version: Option<u32>,
    clock: Option<Clock>,
    ids: Option<Ids>,
    tables: Option<Vec<Table>>,
    storages: Option<Vec<Table>>,
    pairs: Option<Vec<(usize, Vec<Pair>)>>,
    resources: Option<Vec<(usize, Ticks, Vec<u8>)>>,
    absent: Vec<String>,
    consumers: ConsumersData,
}

impl<'f> Types<'f> {
    fn of(format: &'f WorldFormat) -> Self {
        fn numbers<N: IntoIterator<Item = String>>(names: impl Iterator<Item = N>) -> HashMap<String, usize> {
            names.enumerate().flat_map(|(number, names)| names.into_iter().map(move |name| (name, number))).collect()
        }
        Self {
            format,
            components: numbers(format.components.iter().map(ComponentType::names)),
            relations: numbers(format.relations.iter().map(RelationType::names)),
            resources: numbers(format.resources.iter().map(ResourceType::names)),
        }
    }

    /// Finds the type with a name and version among those of one kind.
    fn find<E: Error>(
        &self,
        numbers: &HashMap<String, usize>,
        key: &str,
        parse: impl Fn(usize, u32) -> Option<&'f Parse>,
    ) -> Result<Option<(usize, &'f Parse)>, E> {
        let split = key.rsplit_once('@').and_then(|(name, version)| Some((name, version.parse().ok()?)));
        let Some((name, version)) = split else {
            return Err(E::custom(format_args!("`{key}` is no name with a version, as in \"health@1\"")));
        };
        match numbers.get(name) {
            Some(&number) => match parse(number, version) {
                Some(parse) => Ok(Some((number, parse))),
                None => Err(E::custom(format_args!("`{name}` is not read in version {version} (`with_upgrade`)"))),
            },
            None if self.format.skips_unknown || version == TEXT_VERSION => Ok(None),
            None => {
                Err(E::custom(format_args!("the format does not know `{name}` (`with_alias`, or `skipping_unknown`)")))
            }
        }
    }

    /// Finds a component, or an end of a relation, that has no value in the text.
    fn component<E: Error>(&self, key: &str) -> Result<Found<'f>, E> {
        for (end, suffix) in ENDS.into_iter().enumerate() {
            if let Some(relation) = key.strip_suffix(suffix) {
                let found = self.relation(relation)?;
                return Ok(found.map(|(number, _)| (self.format.components.len() + 2 * number + end, None)));
            }
        }
        let format = self.format;
        let found = self.find(&self.components, key, |number, version| {
            let ty = &format.components[number];
            ty.text.parse(version, ty.version).map(|parse| &**parse)
        })?;
        Ok(found.map(|(number, parse)| (number, Some(parse))))
    }

    fn relation<E: Error>(&self, key: &str) -> Result<Option<(usize, &'f Parse)>, E> {
        let format = self.format;
        self.find(&self.relations, key, |number, version| {
            let ty = &format.relations[number];
            ty.text.parse(version, ty.version).map(|parse| &**parse)
        })
    }

    fn resource<E: Error>(&self, key: &str) -> Result<Option<(usize, &'f Parse)>, E> {
        let format = self.format;
        self.find(&self.resources, key, |number, version| {
            let ty = &format.resources[number];
            ty.text.parse(version, ty.version).map(|parse| &**parse)
        })
    }
}

/// Reads a value of a type, which is determined when it is read, and writes it as it is in files.
struct ValueSeed<'p, F> {
    parse: Option<&'p Parse>,
    what: F,
}

impl<'de, F: FnOnce() -> String> DeserializeSeed<'de> for ValueSeed<'_, F> {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        match self.parse {
            Some(parse) => {
                let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(deserializer);
                let value = parse(&mut erased);
                value.map_err(|error| D::Error::custom(format_args!("{}: {error}", (self.what)())))
            }
            None => <()>::deserialize(deserializer).map(|()| Vec::new()),
        }
    }
}

/// Reads a list whose items need the types.
struct ListSeed<'t, 'f, T>(&'t Types<'f>, PhantomData<T>);

/// A value that needs the types to be read.
trait Typed: Sized {
    const EXPECTED: &'static str;

    fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<Self, D::Error>;
}

/// Reads one such value.
struct OneSeed<'t, 'f, T>(&'t Types<'f>, PhantomData<T>);

impl<'de, T: Typed> DeserializeSeed<'de> for OneSeed<'_, '_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::read(self.0, deserializer)
    }
}

impl<'de, T: Typed> DeserializeSeed<'de> for ListSeed<'_, '_, T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Typed> Visitor<'de> for ListSeed<'_, '_, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", T::EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = seq.next_element_seed(OneSeed(self.0, PhantomData))? {
            all.push(one);
        }
        Ok(all)
    }
}

/// Creates a visitor of a map or a sequence from a function.
macro_rules! visitor {
    ($Visitor:ident($types:ident) -> $Value:ty, $expected:expr, $visit:ident($Access:ident $access:ident) $body:block) => {
        struct $Visitor<'t, 'f>(&'t Types<'f>);

        impl<'de> Visitor<'de> for $Visitor<'_, '_> {
            type Value = $Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expected)
            }

            fn $visit<A: $Access<'de>>(self, mut $access: A) -> Result<$Value, A::Error> {
                let $types = self.0;
                $body
            }
        }
    };
}

/// A required part.
fn there<T, E: Error>(value: Option<T>, name: &'static str) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(name))
}

visitor!(WorldVisitor(types) -> World, "a world", visit_map(MapAccess map) {
    let mut world = World::default();
    while let Some(name) = map.next_key::<String>()? {
        match name.as_str() {
            part::VERSION => world.version = Some(map.next_value()?),
            part::CLOCK => world.clock = Some(map.next_value()?),
            part::IDS => world.ids = Some(map.next_value()?),
            part::TABLES => world.tables = Some(map.next_value_seed(ListSeed(types, PhantomData))?),
            part::STORAGES => world.storages = Some(map.next_value_seed(ListSeed(types, PhantomData))?),
            part::PAIRS => {
                let all: Vec<Option<_>> = map.next_value_seed(ListSeed(types, PhantomData))?;
                world.pairs = Some(all.into_iter().flatten().collect());
            }
            part::RESOURCES => {
                let all: Vec<Option<_>> = map.next_value_seed(ListSeed(types, PhantomData))?;
                world.resources = Some(all.into_iter().flatten().collect());
            }
            part::ABSENT => world.absent = map.next_value()?,
            part::CONSUMERS => world.consumers = map.next_value()?,
            other => return Err(A::Error::custom(format_args!("a world has no part `{other}`"))),
        }
    }
    Ok(world)
});

visitor!(TableVisitor(types) -> Table, "a table", visit_map(MapAccess map) {
    let (mut stamp, mut columns, mut rows) = (None, None, None);
    while let Some(name) = map.next_key::<String>()? {
        match name.as_str() {
            part::STAMP => stamp = Some(map.next_value()?),
            part::COLUMNS => columns = Some(map.next_value()?),
            part::ROWS => rows = Some(map.next_value_seed(ListSeed(types, PhantomData))?),
            other => return Err(A::Error::custom(format_args!("a table has no part `{other}`"))),
        }
    }
    Ok(Table { stamp: there(stamp, part::STAMP)?, columns: there(columns, part::COLUMNS)?, rows: there(rows, part::ROWS)? })
});

impl Typed for Table {
    const EXPECTED: &'static str = "tables";

    fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TableVisitor(types))
    }
}

visitor!(RowVisitor(types) -> Row, "an entity with its components", visit_map(MapAccess map) {
    let (mut entity, mut values) = (None, HashMap::new());
    while let Some(name) = map.next_key::<String>()? {
        if name == part::ENTITY {
            entity = Some(map.next_value::<Entity>()?);
            continue;
        }
        let what = || match entity {
            Some(entity) => format!("component `{name}` of entity {entity}"),
            None => format!("component `{name}`"),
        };
        let found = types.component(&name).map_err(|error: A::Error| A::Error::custom(format_args!("{}: {error}", what())))?;
        let value = match found {
            Some((_, parse)) => Some(map.next_value_seed(ValueSeed { parse, what })?),
            None => {
                map.next_value::<IgnoredAny>()?;
                None
            }
        };
        if values.insert(name.clone(), value).is_some() {
            return Err(A::Error::custom(format_args!("component `{name}` is there twice")));
        }
    }
    Ok(Row { entity: there(entity, part::ENTITY)?, values })
});

impl Typed for Row {
    const EXPECTED: &'static str = "entities";

    fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor(types))
    }
}

/// The next item of a tuple.
fn item<'de, A: SeqAccess<'de>, T: DeserializeSeed<'de>>(
    seq: &mut A,
    at: usize,
    seed: T,
) -> Result<T::Value, A::Error> {
    seq.next_element_seed(seed)?.ok_or_else(|| A::Error::invalid_length(at, &"more items"))
}

/// Reads pairs with the function for their values, or nothing if they are skipped.
struct PairsSeed<'p> {
    parse: &'p Parse,
    name: &'p str,
}

impl<'de> DeserializeSeed<'de> for &PairsSeed<'_> {
    type Value = Vec<Pair>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Pair>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &PairsSeed<'_> {
    type Value = Vec<Pair>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Pair>, A::Error> {
        let mut all = Vec::new();
        while let Some(pair) = seq.next_element_seed(PairSeed(self))? {
            all.push(pair);
        }
        Ok(all)
    }
}

struct PairSeed<'s, 'p>(&'s PairsSeed<'p>);

impl<'de> DeserializeSeed<'de> for PairSeed<'_, '_> {
    type Value = Pair;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Pair, D::Error> {
        deserializer.deserialize_tuple(4, self)
    }
}

impl<'de> Visitor<'de> for PairSeed<'_, '_> {
    type Value = Pair;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ends, places, ticks and value of a pair")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pair, A::Error> {
        let ends: [Entity; 2] = item(&mut seq, 0, PhantomData)?;
        let (places, ticks) = (item(&mut seq, 1, PhantomData)?, item(&mut seq, 2, PhantomData)?);
        let what = || format!("relation `{}` of {} and {}", self.0.name, ends[0], ends[1]);
        let value = item(&mut seq, 3, ValueSeed { parse: Some(self.0.parse), what })?;
        Ok((ends, places, ticks, value))
    }
}

visitor!(RelationVisitor(types) -> Option<(usize, Vec<Pair>)>, "a relation and its pairs", visit_seq(SeqAccess seq) {
    let name: String = item(&mut seq, 0, PhantomData)?;
    Ok(match types.relation(&name)? {
        Some((number, parse)) => Some((number, item(&mut seq, 1, &PairsSeed { parse, name: &name })?)),
        None => {
            item(&mut seq, 1, PhantomData::<IgnoredAny>)?;
            None
        }
    })
});

impl Typed for Option<(usize, Vec<Pair>)> {
    const EXPECTED: &'static str = "relations";

    fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, RelationVisitor(types))
    }
}

visitor!(ResourceVisitor(types) -> Option<(usize, Ticks, Vec<u8>)>, "a resource", visit_seq(SeqAccess seq) {
    let name: String = item(&mut seq, 0, PhantomData)?;
    let ticks: Ticks = item(&mut seq, 1, PhantomData)?;
    Ok(match types.resource(&name)? {
        Some((number, parse)) => {
            let what = || format!("resource `{name}`");
            Some((number, ticks, item(&mut seq, 2, ValueSeed { parse: Some(parse), what })?))
        }
        None => {
            item(&mut seq, 2, PhantomData::<IgnoredAny>)?;
            None
        }
    })
});

impl Typed for Option<(usize, Ticks, Vec<u8>)> {
    const EXPECTED: &'static str = "resources";

    fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(3, ResourceVisitor(types))
    }
}

fn ticks_as_bytes((added, changed): &Ticks) -> [u8; 8] {
    (u64::from(*added) | u64::from(*changed) << 32).to_le_bytes()
}

/// Writes the column of a component, or of a skipped one.
fn write_column<E: Error>(
    out: &mut Writer,
    number: usize,
    (name, stamp, ticks): &ColumnTimes,
    rows: &[Row],
) -> Result<(), E> {
    out.u32(number as u32);
    out.u32(*stamp);
    out.u8(ticks.is_some().into());
    if let Some(ticks) = ticks {
        if ticks.len() != rows.len() {
            return Err(E::custom(format_args!("there is not one tick for each value of component `{name}`")));
        }
        out.arrays(ticks, ticks_as_bytes);
    }
    out.u8(form::EVEN);
    let (at, mut lengths) = (out.bytes.len(), Lengths::default());
    out.block(|out| {
        rows.iter().try_for_each(|row| {
            let Some(value) = row.values.get(name) else {
                return Err(E::custom(format_args!(
                    "entity {} has no component `{name}`, and others of its table do",
                    row.entity
                )));
            };
            let bytes = value.as_deref().unwrap_or_default();
            out.extend_from_slice(bytes);
            lengths.push(bytes.len()).map_err(E::custom)
        })
    })?;
    if let Some(each) = lengths.each() {
        out.bytes[at - 1] = form::EACH;
        out.arrays(each, |len| len.to_le_bytes());
    }
    Ok(())
}

/// A format without the text-form resources that a text does not name, and the numbers that its resources then have. The resources that are
/// not named are unchanged by the load.
fn named_only(format: &WorldFormat, named: impl Iterator<Item = usize>) -> (WorldFormat, Vec<usize>) {
    let named: HashSet<usize> = named.collect();
    let is_kept: Vec<bool> =
        format.resources.iter().enumerate().map(|(at, ty)| ty.version != TEXT_VERSION || named.contains(&at)).collect();
    let before = |at: usize| is_kept[..at].iter().filter(|is_kept| **is_kept).count();
    let numbers = (0..is_kept.len()).map(before).collect();
    let mut format = format.clone();
    let mut kept = is_kept.into_iter();
    format.resources.retain(|_| kept.next() == Some(true));
    (format, numbers)
}

/// The bytes of the saved world.
pub(super) fn read<'de, D: Deserializer<'de>>(format: &WorldFormat, deserializer: D) -> Result<Vec<u8>, D::Error> {
    let types = Types::of(format);
    let world = deserializer.deserialize_map(WorldVisitor(&types))?;
    match there(world.version, part::VERSION)? {
        VERSION => {}
        version => return Err(D::Error::custom(format_args!("the text is in version {version}"))),
    }
    let (tables, storages) = (there(world.tables, part::TABLES)?, there(world.storages, part::STORAGES)?);
    // One additional component stands for all skipped ones in tables, so that tables with skipped components count as incomplete. Sparse
    // sets of skipped components are left out.
    let numbered = |table: &Table| {
        let number =
            |times: &ColumnTimes| types.component::<D::Error>(&times.0).map(|found| found.map(|(number, _)| number));
        table.columns.iter().map(number).collect::<Result<Vec<_>, _>>()
    };
    let first_end = format.components.len();
    let passed_over = usize::from(format.skips_unknown);

    let resources = there(world.resources, part::RESOURCES)?;
    let absent: Vec<Option<_>> = world.absent.iter().map(|key| types.resource(key)).collect::<Result<_, _>>()?;
    let (format, numbers) = named_only(
        format,
        resources.iter().map(|(number, ..)| *number).chain(absent.into_iter().flatten().map(|(number, _)| number)),
    );

    let mut out = Writer::new(Vec::new());
    begin(&mut out, crate::read::VERSION);
    write_types(&format, &mut out, passed_over);
    // The text contains no values of unknown types, so the two lists of their types are empty.
    out.len(0);
    out.len(0);
    let (frame, is_open, tick, last, checked) = there(world.clock, part::CLOCK)?;
    out.u64(frame);
    out.u8(is_open.into());
    [tick, last, checked].into_iter().for_each(|tick| out.u32(tick));
    let (generations, free, retired, first) = there(world.ids, part::IDS)?;
    [generations, free, retired].iter().for_each(|list| out.u32s(list));
    out.u32(first);
    let number_in_file = |number: Option<usize>| match number {
        None => first_end,
        Some(number) if number < first_end => number,
        // The end components of relations are numbered after the additional component for skipped ones.
        Some(number) => number + passed_over,
    };
    let write_rows = |out: &mut Writer, rows: &[Row]| out.u64s(rows, |row| row.entity.to_bits());
    out.len(tables.len());
    for table in &tables {
        write_rows(&mut out, &table.rows);
        out.u32(table.stamp);
        let mut columns: Vec<(usize, &ColumnTimes)> =
            numbered(table)?.into_iter().map(number_in_file).zip(&table.columns).collect();
        if let Some(row) = table.rows.iter().find(|row| row.values.len() != columns.len()) {
            return Err(D::Error::custom(format_args!(
                "entity {} has other components than its table has columns",
                row.entity
            )));
        }
        let mut is_passed_over = false;
        columns.retain(|(number, _)| *number != first_end || !std::mem::replace(&mut is_passed_over, true));
        out.len(columns.len());
        for (number, times) in columns {
            write_column(&mut out, number, times, &table.rows)?;
        }
    }
    let mut known = Vec::new();
    for storage in &storages {
        match (&numbered(storage)?[..], &storage.columns[..]) {
            ([Some(number)], [times]) => known.push((number_in_file(Some(*number)), times, &storage.rows)),
            ([None], _) => {}
            _ => return Err(D::Error::custom("a storage has one column")),
        }
    }
    out.len(known.len());
    for (number, times, rows) in known {
        write_rows(&mut out, rows);
        write_column(&mut out, number, times, rows)?;
    }
    let pairs = there(world.pairs, part::PAIRS)?;
    out.len(pairs.len());
    for (number, pairs) in pairs {
        out.u32(number as u32);
        let ends: Vec<Entity> = pairs.iter().flat_map(|(ends, ..)| *ends).collect();
        out.u64s(&ends, |end| end.to_bits());
        out.arrays(&pairs, |(_, [source, target], ..)| (u64::from(*source) | u64::from(*target) << 32).to_le_bytes());
        out.arrays(&pairs, |(_, _, ticks, _)| ticks_as_bytes(ticks));
        out.len(pairs.iter().map(|(.., value)| value.len()).sum());
        pairs.iter().for_each(|(.., value)| out.bytes.extend_from_slice(value));
    }
    // The text contains no values of unknown types, which a load would keep as bytes.
    out.len(0);
    out.len(resources.len());
    for (number, ticks, value) in resources {
        out.u32(numbers[number] as u32);
        out.bytes.extend_from_slice(&ticks_as_bytes(&ticks));
        out.len(value.len());
        out.bytes.extend_from_slice(&value);
    }
    out.u8(0);
    out.block(|out| consumers::write(&world.consumers, out)).map_err(D::Error::custom)?;
    end(&mut out);
    Ok(out.bytes)
}
