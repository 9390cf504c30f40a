//! How values of one type become bytes, and values again.

use std::slice;

use postcard::Serializer;
use postcard::ser_flavors::Flavor;
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::{ComponentDescriptor, ErasedSlice};
use strata_ecs::prelude::{Component, Relation, Resource};
use strata_ecs::relation::{PairSource, PairTarget};
use strata_ecs::snapshot::{
    NewColumnContents, NewPairsContents, PairContents, PairsContents, ResourceContents, SnapshotBuilder,
};

use crate::error::Problem;

type WriteValues = fn(ErasedSlice<'_>, &mut Vec<u8>) -> Result<(), String>;
type ReadValues = fn(&[u8], usize, Tick) -> Result<NewColumnContents, (usize, Problem)>;
type WriteResource = fn(ResourceContents<'_>, &mut Vec<u8>) -> Result<(), String>;
type WritePairs = fn(PairsContents<'_>, &mut Vec<u8>) -> Result<(), String>;
type ReadPairs = fn(&[u8], Vec<PairContents>) -> Result<NewPairsContents, (usize, Problem)>;
type ReadResource = fn(&[u8], &mut SnapshotBuilder, ComponentTicks) -> Result<(), (usize, Problem)>;

/// A component that is saved: see [`components!`](crate::components).
#[derive(Clone, Copy, Debug)]
pub struct ComponentType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteValues,
    pub(crate) read: ReadValues,
}

/// A resource that is saved: see [`resources!`](crate::resources).
#[derive(Clone, Copy, Debug)]
pub struct ResourceType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteResource,
    pub(crate) read: ReadResource,
}

/// A relation whose pairs are saved: see [`relations!`](crate::relations).
#[derive(Clone, Copy, Debug)]
pub struct RelationType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WritePairs,
    pub(crate) read: ReadPairs,
    /// The components of sources and of targets.
    pub(crate) ends: [ComponentType; 2],
}

impl ComponentType {
    /// A component whose values `serde` can write and read. Its name in files is its
    /// [stable name](strata_ecs::component::StableName).
    #[must_use]
    pub fn of<C: Component + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WriteValues = |values, out| {
            let Some(values) = values.downcast_ref::<C>() else { unreachable!("the values are of this component") };
            write_values(values, out)
        };
        let read: ReadValues = |bytes, count, stamp| {
            let mut left = bytes;
            // There may be fewer than is said: room is made for those that are there.
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(read_value::<C>(bytes, &mut left)?);
            }
            ended(bytes, left)?;
            Ok(NewColumnContents::of(values, stamp))
        };
        Self { descriptor: ComponentDescriptor::of::<C>(), version: 1, write, read }
    }

    /// Values of this version are written, and those of another one are refused. Without this it is 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }
}

impl RelationType {
    /// A relation whose values `serde` can write and read. Its name in files is its
    /// [stable name](strata_ecs::component::StableName).
    #[must_use]
    pub fn of<R: Relation + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WritePairs = |pairs, out| {
            let Some(values) = pairs.values::<R>() else { unreachable!("the values are of this relation") };
            write_values(values, out)
        };
        let read: ReadPairs = |bytes, pairs| {
            let mut left = bytes;
            let mut values = Vec::new();
            for _ in 0..pairs.len() {
                values.push(read_value::<R>(bytes, &mut left)?);
            }
            ended(bytes, left)?;
            Ok(NewPairsContents::of(pairs, values))
        };
        // Such components have no size.
        let write_end: WriteValues = |_, _| Ok(());
        let end = |descriptor, read| ComponentType { descriptor, version: 1, write: write_end, read };
        let sources = end(ComponentDescriptor::of::<PairSource<R>>(), |bytes, count, stamp| {
            ended(bytes, bytes)?;
            Ok(NewColumnContents::of_sources::<R>(count, stamp))
        });
        let targets = end(ComponentDescriptor::of::<PairTarget<R>>(), |bytes, count, stamp| {
            ended(bytes, bytes)?;
            Ok(NewColumnContents::of_targets::<R>(count, stamp))
        });
        Self { descriptor: PairsContents::descriptor_of::<R>(), version: 1, write, read, ends: [sources, targets] }
    }

    /// Values of this version are written, and those of another one are refused. Without this it is 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }
}

impl ResourceType {
    /// A resource that `serde` can write and read, and that is known to be `Clone`; also a list of messages, `Messages<M>`. Its name in files is its [stable name](strata_ecs::component::StableName).
    #[must_use]
    pub fn of<R: Resource + Serialize + DeserializeOwned>() -> Self {
        let write: WriteResource = |resource, out| {
            let Some(value) = resource.get::<R>() else { unreachable!("the value is of this type") };
            write_values(slice::from_ref(value), out)
        };
        let read: ReadResource = |bytes, builder, ticks| {
            let mut left = bytes;
            let value = read_value::<R>(bytes, &mut left)?;
            ended(bytes, left)?;
            builder.add_resource(value, ticks);
            Ok(())
        };
        Self { descriptor: ComponentDescriptor::of_resource::<R>(), version: 1, write, read }
    }

    /// The value is written in this version, and one of another version is refused. Without this it is 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }
}

/// Where postcard writes to.
struct End<'b>(&'b mut Vec<u8>);

impl Flavor for End<'_> {
    type Output = ();

    #[inline]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(data);
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Values, one behind the other.
fn write_values<T: Serialize>(values: &[T], out: &mut Vec<u8>) -> Result<(), String> {
    let mut serializer = Serializer { output: End(out) };
    values.iter().try_for_each(|value| value.serialize(&mut serializer)).map_err(|error| error.to_string())
}

/// The next value of what is left of some bytes. An error says how many bytes were before it.
fn read_value<T: DeserializeOwned>(bytes: &[u8], left: &mut &[u8]) -> Result<T, (usize, Problem)> {
    let at = bytes.len() - left.len();
    let (value, rest) = postcard::take_from_bytes(left).map_err(|error| (at, Problem::Value(error.to_string())))?;
    *left = rest;
    Ok(value)
}

fn ended(bytes: &[u8], left: &[u8]) -> Result<(), (usize, Problem)> {
    if left.is_empty() { Ok(()) } else { Err((bytes.len() - left.len(), Problem::ValuesTooLong)) }
}

/// The components that numbers in a file stand for: those with names there, and those of the ends of relations.
pub(crate) fn known_components(
    named: &[ComponentType],
    relations: impl IntoIterator<Item = RelationType>,
) -> Vec<ComponentType> {
    named.iter().copied().chain(relations.into_iter().flat_map(|ty| ty.ends)).collect()
}

/// The bytes of values, as they go into files, of a type of which any bytes are a value.
pub(crate) fn plain_bytes(values: ErasedSlice<'_>) -> Option<&[u8]> {
    let is_plain = cfg!(target_endian = "little") && values.descriptor().functions().take_any_bytes();
    values.plain_bytes().filter(|_| is_plain)
}

/// So many values of their bytes in a file.
pub(crate) fn of_plain_bytes(
    descriptor: &'static ComponentDescriptor,
    bytes: &[u8],
    count: usize,
    stamp: Tick,
) -> Result<NewColumnContents, (usize, Problem)> {
    if cfg!(target_endian = "big") || !descriptor.functions().take_any_bytes() {
        return Err((0, Problem::PlainBytes));
    }
    let expected = count.checked_mul(descriptor.layout().size());
    match expected {
        Some(expected) if expected == bytes.len() => {
            NewColumnContents::of_plain_bytes(descriptor, bytes, stamp).ok_or((0, Problem::PlainBytes))
        }
        Some(expected) if expected < bytes.len() => Err((expected, Problem::ValuesTooLong)),
        _ => Err((bytes.len(), Problem::Ended)),
    }
}

/// The name of a type in files.
pub(crate) fn name_of(descriptor: &ComponentDescriptor) -> String {
    match descriptor.stable_name() {
        Some(name) => name.to_string(),
        None => descriptor.name().to_string(),
    }
}
