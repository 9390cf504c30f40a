//! Reads the input of a deserializer, and converts values to the bytes that they have in a file.
//!
//! Tests: tests/snapshots/text.rs, tests/snapshots/text_ron.rs

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde_core::Deserialize;
use serde_core::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use strata_ecs::prelude::Entity;

use super::parts::{Clock, ColumnTimes, ENDS, Ids, Ticks, part, there};
use crate::consumers::ConsumersData;
use crate::format::WorldFormat;
use crate::text_values::Parse;
use crate::types::{ComponentType, RelationType, ResourceType, TEXT_VERSION};

/// The types of a format by their names in texts.
pub(super) struct Types<'f> {
    format: &'f WorldFormat,
    components: HashMap<String, usize>,
    relations: HashMap<String, usize>,
    resources: HashMap<String, usize>,
}

/// The number of a type, and the function that reads its values; `None` if the type is skipped.
pub(super) type Found<'f> = Option<(usize, Option<&'f Parse>)>;

/// The rows of a table or of a sparse set.
pub(super) struct Table {
    pub(super) stamp: u32,
    pub(super) columns: Vec<ColumnTimes>,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) entity: Entity,
    pub(super) values: HashMap<String, Option<Vec<u8>>>,
}

/// A pair: its ends, its positions in the lists of the ends, its ticks and its value.
pub(super) type Pair = ([Entity; 2], [u32; 2], Ticks, Vec<u8>);

/// The contents that have been read.
#[derive(Default)]
pub(super) struct World {
    pub(super) version: Option<u32>,
    pub(super) clock: Option<Clock>,
    pub(super) ids: Option<Ids>,
    pub(super) tables: Option<Vec<Table>>,
    pub(super) storages: Option<Vec<Table>>,
    pub(super) pairs: Option<Vec<(usize, Vec<Pair>)>>,
    pub(super) resources: Option<Vec<(usize, Ticks, Vec<u8>)>>,
    pub(super) absent: Vec<String>,
    pub(super) consumers: ConsumersData,
}

impl<'f> Types<'f> {
    pub(super) fn of(format: &'f WorldFormat) -> Self {
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

    /// Finds the type with the name and version in `key`. `numbers` are the types of one kind by name, and `parse` returns the function for
    /// a version.
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

    /// Finds a component, or an end of a relation. The components at the ends of relations have no values in the text, so no function reads
    /// them.
    pub(super) fn component<E: Error>(&self, key: &str) -> Result<Found<'f>, E> {
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

    pub(super) fn resource<E: Error>(&self, key: &str) -> Result<Option<(usize, &'f Parse)>, E> {
        let format = self.format;
        self.find(&self.resources, key, |number, version| {
            let ty = &format.resources[number];
            ty.text.parse(version, ty.version).map(|parse| &**parse)
        })
    }
}

/// Reads a value with the function for its type, and converts it to the bytes that it has in a file. `what` describes the value in errors.
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

/// Reads a list of [`Typed`] items.
struct ListSeed<'t, 'f, T>(&'t Types<'f>, PhantomData<T>);

/// A value that can only be read with the types of the format.
trait Typed: Sized {
    const EXPECTED: &'static str;

    fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<Self, D::Error>;
}

/// Reads a [`Typed`] value.
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

/// Defines a visitor of a map or a sequence with this body.
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

/// Returns the next item of a tuple.
fn item<'de, A: SeqAccess<'de>, T: DeserializeSeed<'de>>(
    seq: &mut A,
    at: usize,
    seed: T,
) -> Result<T::Value, A::Error> {
    seq.next_element_seed(seed)?.ok_or_else(|| A::Error::invalid_length(at, &"more items"))
}

/// Reads the pairs of a relation.
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

/// Reads the contents of the input.
pub(super) fn read<'de, D: Deserializer<'de>>(types: &Types<'_>, deserializer: D) -> Result<World, D::Error> {
    deserializer.deserialize_map(WorldVisitor(types))
}
