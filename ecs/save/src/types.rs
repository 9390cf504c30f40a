//! How values of one type become bytes, and values again.

use std::cmp::Ordering;
use std::sync::Arc;
use std::{fmt, slice};

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::{ComponentDescriptor, ErasedSlice, UpgradeList, UpgradeSource};
use strata_ecs::prelude::{Component, Relation, Resource};
use strata_ecs::relation::{PairSource, PairTarget};
use strata_ecs::snapshot::{
    NewColumnContents, NewPairsContents, PairContents, PairsContents, ResourceContents, SnapshotBuilder,
};

use crate::bytes::{Lengths, Reader};
use crate::encoding::{Budget, decode, encode_all};
use crate::error::Problem;
use crate::fixed::Fixed;
#[cfg(feature = "text")]
use crate::text::TextOf;

type WriteValues = fn(ErasedSlice<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type ReadValues = fn(&[Values<'_>], Tick) -> Result<NewColumnContents, (usize, Problem)>;
type ReadOld = dyn Fn(&[Values<'_>], Tick) -> Result<NewColumnContents, (usize, Problem)> + Send + Sync;
type WriteResource = fn(ResourceContents<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type WritePairs = fn(PairsContents<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type ReadPairs = dyn Fn(Values<'_>, Vec<PairContents>) -> Result<NewPairsContents, (usize, Problem)> + Send + Sync;
type ReadResource =
    dyn Fn(Values<'_>, &mut SnapshotBuilder, ComponentTicks) -> Result<(), (usize, Problem)> + Send + Sync;

/// The bytes of so many values. A column has one such part, or several if tables become one since components are left out.
#[derive(Clone, Copy)]
pub(crate) struct Values<'b> {
    /// Where the bytes begin in the file: an error says how many are before it.
    pub(crate) offset: usize,
    pub(crate) bytes: &'b [u8],
    pub(crate) count: usize,
    pub(crate) form: Form<'b>,
    /// That of the whole file.
    pub(crate) budget: &'b Budget,
}

/// How values are there as bytes.
#[derive(Clone, Copy)]
pub(crate) enum Form<'b> {
    /// As they lie in memory.
    Plain,
    /// In postcard's encoding, each with as many bytes as the others.
    Even,
    /// In postcard's encoding, with the number of the bytes of each.
    Each(&'b [[u8; 4]]),
    /// In postcard's encoding: where one ends is not known beforehand.
    Unmeasured,
}

impl<'b> Values<'b> {
    pub(crate) fn are_plain(&self) -> bool {
        matches!(self.form, Form::Plain)
    }

    /// Whether there are as many bytes as the values have: with a size of each, or if it is said in bytes how many each of them has.
    pub(crate) fn check(&self, size: Option<usize>) -> Result<(), (usize, Problem)> {
        let sum = match (self.form, size) {
            (_, Some(size)) => self.count as u128 * size as u128,
            // The sum of so many lengths of 4 bytes does not overflow.
            (Form::Each(lengths), None) => lengths.iter().map(|len| u128::from(u32::from_le_bytes(*len))).sum(),
            (Form::Even | Form::Plain, None) => (self.bytes.len() / self.count.max(1) * self.count) as u128,
            (Form::Unmeasured, None) => return Ok(()),
        };
        let len = self.bytes.len();
        match sum.cmp(&(len as u128)) {
            Ordering::Less => Err((self.offset + sum as usize, Problem::ValuesTooLong)),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err((self.offset + len, Problem::Ended)),
        }
    }

    /// Each value by itself.
    pub(crate) fn one_by_one(self) -> Result<impl Iterator<Item = Self>, (usize, Problem)> {
        self.check(None)?;
        let Self { offset, bytes, count, form, budget } = self;
        let size = bytes.len() / count.max(1);
        let one_form = if self.are_plain() { Form::Plain } else { Form::Unmeasured };
        let mut begin = 0;
        Ok((0..count).map(move |at| {
            let len = match form {
                Form::Each(lengths) => u32::from_le_bytes(lengths[at]) as usize,
                _ => size,
            };
            let own = &bytes[begin..begin + len];
            let one = Self { offset: offset + begin, bytes: own, count: 1, form: one_form, budget };
            begin += len;
            one
        }))
    }
}

/// A component that is saved: see [`components!`](crate::components).
#[derive(Clone)]
pub struct ComponentType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteValues,
    pub(crate) read: ReadValues,
    /// Names that it had, with the parameters of its type.
    pub(crate) aliases: Vec<String>,
    /// By version: what reads older values.
    upgrades: Vec<(u32, Arc<ReadOld>)>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(ErasedSlice<'v>, usize) -> Option<&'v dyn erased_serde::Serialize>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for ComponentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, aliases, upgrades, .. } = self;
        shown(f.debug_struct("ComponentType").field("component", &descriptor.name()), *version, aliases, upgrades)
    }
}

/// A resource that is saved: see [`resources!`](crate::resources).
#[derive(Clone)]
pub struct ResourceType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteResource,
    pub(crate) read: Arc<ReadResource>,
    aliases: Vec<String>,
    /// By version: what reads older values.
    upgrades: Vec<(u32, Arc<ReadResource>)>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(ResourceContents<'v>) -> Option<&'v dyn erased_serde::Serialize>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, aliases, upgrades, .. } = self;
        shown(f.debug_struct("ResourceType").field("resource", &descriptor.name()), *version, aliases, upgrades)
    }
}

/// A relation whose pairs are saved: see [`relations!`](crate::relations).
#[derive(Clone)]
pub struct RelationType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WritePairs,
    pub(crate) read: Arc<ReadPairs>,
    /// The components of sources and of targets.
    pub(crate) ends: [ComponentType; 2],
    aliases: Vec<String>,
    /// By version: what reads older values.
    upgrades: Vec<(u32, Arc<ReadPairs>)>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(PairsContents<'v>, usize) -> Option<&'v dyn erased_serde::Serialize>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for RelationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, aliases, upgrades, .. } = self;
        shown(f.debug_struct("RelationType").field("relation", &descriptor.name()), *version, aliases, upgrades)
    }
}

/// What is shown of each type behind its name.
fn shown<T>(
    shown: &mut fmt::DebugStruct<'_, '_>,
    version: u32,
    aliases: &[String],
    upgrades: &[(u32, T)],
) -> fmt::Result {
    let upgrades: Vec<u32> = upgrades.iter().map(|(version, _)| *version).collect();
    shown.field("version", &version).field("aliases", &aliases).field("upgrades", &upgrades).finish()
}

impl ComponentType {
    /// A component whose values `serde` can write and read. Its name in files is its
    /// [stable name](strata_ecs::component::StableName); version, earlier names and upgrades are those of its definition.
    #[must_use]
    pub fn of<C: Component + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WriteValues = |values, out, lengths| {
            let Some(values) = values.downcast_ref::<C>() else { unreachable!("the values are of this component") };
            write_values(values, out, lengths)
        };
        let read: ReadValues = |values, stamp| Ok(NewColumnContents::of(read_values::<C>(values)?, stamp));
        let mut ty = Self::with(ComponentDescriptor::of::<C>(), write, read);
        #[cfg(feature = "text")]
        {
            ty.show = show_component::<C>;
            ty.text = TextOf::of::<C>();
        }
        C::upgrades(&mut ty);
        ty
    }

    fn with(descriptor: &'static ComponentDescriptor, write: WriteValues, read: ReadValues) -> Self {
        let (version, aliases) = (descriptor.version(), aliases_of(descriptor));
        Self {
            descriptor,
            version,
            write,
            read,
            aliases,
            upgrades: Vec::new(),
            // Those of a component without values.
            #[cfg(feature = "text")]
            show: |_, _| Some(&()),
            #[cfg(feature = "text")]
            text: TextOf::of::<()>(),
        }
    }

    /// Values of this version are written, and those of another one are refused, but for those that can be
    /// [upgraded](Self::with_upgrade). Without this it is the version that the definition says, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Values of an older version are read as another type, and made values of this one. Of that type only its `serde` format counts:
    /// a copy of the struct as it was.
    ///
    /// # Panics
    ///
    /// If the function makes values of another component, or there is one for this version.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{ComponentType, WorldFormat, components};
    ///
    /// /// As it was in version 1.
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// #[component(name = "game.health")]
    /// struct HealthV1(u8);
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(name = "game.life")]
    /// struct Life {
    ///     now: f32,
    ///     most: f32,
    /// }
    ///
    /// let mut old = World::new();
    /// let ann = old.spawn(HealthV1(3)).id();
    /// let bytes = WorldFormat::new().with_components(components![HealthV1]).save(&mut old)?;
    ///
    /// let life = ComponentType::of::<Life>()
    ///     .with_version(2)
    ///     .with_alias("game.health")
    ///     .with_upgrade(1, |HealthV1(now)| Life { now: now.into(), most: 100.0 });
    /// let mut world = World::new();
    /// WorldFormat::new().with_components([life]).load(&mut world, &bytes)?;
    /// assert_eq!(world.get(ann), Some(&Life { now: 3.0, most: 100.0 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_upgrade<Old, C>(mut self, version: u32, upgrade: fn(Old) -> C) -> Self
    where
        Old: DeserializeOwned + 'static,
        C: Component + Clone,
    {
        self.add_upgrade(version, upgrade);
        self
    }

    /// Values of an older version are read as another type.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, C: Component>(&mut self, version: u32, upgrade: fn(Old) -> C) {
        let (own, made) = (self.descriptor, ComponentDescriptor::of::<C>());
        assert!(own.identity() == made.identity(), "an upgrade of `{}` makes `{}`", own.name(), made.name());
        check_new(&self.upgrades, version, own);
        let read = move |values: &[Values<'_>], stamp| {
            let values = read_values::<Old>(values)?;
            Ok(NewColumnContents::of(values.into_iter().map(upgrade).collect(), stamp))
        };
        self.upgrades.push((version, Arc::new(read)));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// The component had another name in files. Those are read, too, and the new name is written. The name of a type with parameters has
    /// these, as in `bag<sword>`: unlike the option `alias` of the definition, this is the whole name of one such component.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.aliases.push(name.to_owned());
        self
    }

    /// The name in files, and those that it had.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        [name_of(self.descriptor)].into_iter().chain(self.aliases.iter().cloned())
    }

    /// What reads values of a version.
    pub(crate) fn reader(&self, version: u32) -> Option<ReadColumn> {
        if version == self.version {
            return Some(ReadColumn::Current(self.descriptor, self.read));
        }
        upgrade_of(&self.upgrades, version).map(|read| ReadColumn::Old(self.descriptor, read))
    }
}

impl<C: Component> UpgradeList<C> for ComponentType {
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> C) {
        self.add_upgrade(version, upgrade);
    }
}

impl<R: Relation> UpgradeList<R> for RelationType {
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        self.add_upgrade(version, upgrade);
    }
}

impl<R: Resource> UpgradeList<R> for ResourceType {
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        self.add_upgrade(version, upgrade);
    }
}

/// The names that a type had, as its definition says them.
fn aliases_of(descriptor: &'static ComponentDescriptor) -> Vec<String> {
    let alias = |name: &&'static str| match descriptor.stable_name() {
        Some(own) => own.renamed(name).to_string(),
        // What has no stable name is in files by its path, with the parameters of the type.
        None => {
            let parameters = descriptor.name().find('<').map_or("", |at| &descriptor.name()[at..]);
            format!("{name}{parameters}")
        }
    };
    descriptor.aliases().iter().map(alias).collect()
}

/// There is one upgrade for each version.
#[track_caller]
fn check_new<T>(upgrades: &[(u32, T)], version: u32, of: &ComponentDescriptor) {
    let is_there = upgrades.iter().any(|(other, _)| *other == version);
    assert!(!is_there, "there are two upgrades of version {version} of `{}`", of.name());
}

/// The upgrade of a version.
fn upgrade_of<T: Clone>(upgrades: &[(u32, T)], version: u32) -> Option<T> {
    upgrades.iter().find(|(other, _)| *other == version).map(|(_, read)| read.clone())
}

/// How the values of a component in a file are read.
#[derive(Clone)]
pub(crate) enum ReadColumn {
    Current(&'static ComponentDescriptor, ReadValues),
    Old(&'static ComponentDescriptor, Arc<ReadOld>),
}

impl ReadColumn {
    /// What is known of the component.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        match self {
            Self::Current(descriptor, _) | Self::Old(descriptor, _) => descriptor,
        }
    }

    /// Whether there are as many bytes as so many values have, as far as that is known beforehand.
    pub(crate) fn check(&self, values: &Values<'_>) -> Result<(), (usize, Problem)> {
        let size = match self {
            Self::Current(descriptor, _) if values.are_plain() && are_bytes(descriptor) => {
                Some(descriptor.layout().size())
            }
            Self::Current(..) | Self::Old(..) => None,
        };
        values.check(size)
    }

    pub(crate) fn read(&self, values: &[Values<'_>], stamp: Tick) -> Result<NewColumnContents, (usize, Problem)> {
        match self {
            Self::Current(descriptor, read) => match of_plain_bytes(descriptor, values, stamp)? {
                Some(column) => Ok(column),
                None => read(values, stamp),
            },
            Self::Old(_, read) => read(values, stamp),
        }
    }
}

impl RelationType {
    /// A relation whose values `serde` can write and read. Its name in files is its
    /// [stable name](strata_ecs::component::StableName); version, earlier names and upgrades are those of its definition.
    #[must_use]
    pub fn of<R: Relation + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WritePairs = |pairs, out, lengths| {
            let Some(values) = pairs.values::<R>() else { unreachable!("the values are of this relation") };
            write_values(values, out, lengths)
        };
        let read = |values: Values<'_>, pairs| Ok(NewPairsContents::of(pairs, read_values::<R>(&[values])?));
        // Such components have no size.
        let write_end: WriteValues = |values, _, lengths| (0..values.len()).try_for_each(|_| lengths.push(0));
        let end = |descriptor, read| ComponentType::with(descriptor, write_end, read);
        let sources = end(ComponentDescriptor::of::<PairSource<R>>(), |values, stamp| {
            Ok(NewColumnContents::of_sources::<R>(count_without_bytes(values)?, stamp))
        });
        let targets = end(ComponentDescriptor::of::<PairTarget<R>>(), |values, stamp| {
            Ok(NewColumnContents::of_targets::<R>(count_without_bytes(values)?, stamp))
        });
        let (descriptor, read, ends) = (PairsContents::descriptor_of::<R>(), Arc::new(read), [sources, targets]);
        let mut ty = Self {
            descriptor,
            version: descriptor.version(),
            write,
            read,
            ends,
            aliases: aliases_of(descriptor),
            upgrades: Vec::new(),
            #[cfg(feature = "text")]
            show: show_pair::<R>,
            #[cfg(feature = "text")]
            text: TextOf::of::<R>(),
        };
        R::upgrades(&mut ty);
        ty
    }

    /// Values of this version are written, and those of another one are refused, but for those that can be
    /// [upgraded](Self::with_upgrade). Without this it is the version that the definition says, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Values of an older version are read as another type, of which only the `serde` format counts, and made values of this one.
    ///
    /// # Panics
    ///
    /// If the function makes values of another relation, or there is one for this version.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{RelationType, WorldFormat, relations};
    ///
    /// #[derive(Relation, Clone, Serialize, Deserialize)]
    /// #[relation(name = "hunting")]
    /// struct OldHunting(u32);
    ///
    /// #[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// #[relation(name = "chasing")]
    /// struct Chasing {
    ///     since: f32,
    /// }
    ///
    /// let mut old = World::new();
    /// let [wolf, rabbit] = [(); 2].map(|()| old.spawn_empty().id());
    /// old.relate(wolf, OldHunting(3), rabbit);
    /// let bytes = WorldFormat::new().with_relations(relations![OldHunting]).save(&mut old)?;
    ///
    /// let chasing = RelationType::of::<Chasing>()
    ///     .with_version(2)
    ///     .with_alias("hunting")
    ///     .with_upgrade(1, |since: u32| Chasing { since: since as f32 });
    /// let mut world = World::new();
    /// WorldFormat::new().with_relations([chasing]).load(&mut world, &bytes)?;
    /// assert_eq!(*world.get_pair::<Chasing>(wolf, rabbit).unwrap(), Chasing { since: 3.0 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_upgrade<Old, R>(mut self, version: u32, upgrade: fn(Old) -> R) -> Self
    where
        Old: DeserializeOwned + 'static,
        R: Relation + Clone,
    {
        self.add_upgrade(version, upgrade);
        self
    }

    /// Values of an older version are read as another type.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, R: Relation>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        let (own, made) = (self.descriptor, PairsContents::descriptor_of::<R>());
        assert!(own.identity() == made.identity(), "an upgrade of `{}` makes `{}`", own.name(), made.name());
        check_new(&self.upgrades, version, own);
        let read = move |values: Values<'_>, pairs| {
            let values = read_values::<Old>(&[values])?;
            Ok(NewPairsContents::of(pairs, values.into_iter().map(upgrade).collect()))
        };
        self.upgrades.push((version, Arc::new(read)));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// The relation had another name in files. Those are read, too, and the new name is written. It is the whole name, with the parameters
    /// of the type if it has some, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.aliases.push(name.to_owned());
        self
    }

    /// The name in files, and those that it had.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        [name_of(self.descriptor)].into_iter().chain(self.aliases.iter().cloned())
    }

    /// The same, which reads values of a version.
    pub(crate) fn reader(&self, version: u32) -> Option<Self> {
        if version == self.version {
            return Some(self.clone());
        }
        upgrade_of(&self.upgrades, version).map(|read| Self { read, ..self.clone() })
    }
}

impl ResourceType {
    /// A resource that `serde` can write and read, and that is known to be `Clone`; also a list of messages, `Messages<M>`. Its name in
    /// files is its [stable name](strata_ecs::component::StableName); version, earlier names and upgrades are those of its definition.
    #[must_use]
    pub fn of<R: Resource + Serialize + DeserializeOwned>() -> Self {
        let write: WriteResource = |resource, out, lengths| {
            let Some(value) = resource.get::<R>() else { unreachable!("the value is of this type") };
            write_values(slice::from_ref(value), out, lengths)
        };
        let read = |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
            read_values::<R>(&[values])?.into_iter().for_each(|value| _ = builder.add_resource(value, ticks));
            Ok(())
        };
        let descriptor = ComponentDescriptor::of_resource::<R>();
        let mut ty = Self {
            descriptor,
            version: descriptor.version(),
            write,
            read: Arc::new(read),
            aliases: aliases_of(descriptor),
            upgrades: Vec::new(),
            #[cfg(feature = "text")]
            show: show_resource::<R>,
            #[cfg(feature = "text")]
            text: TextOf::of::<R>(),
        };
        R::upgrades(&mut ty);
        ty
    }

    /// The value is written in this version, and one of another version is refused, but for those that can be
    /// [upgraded](Self::with_upgrade). Without this it is the version that the definition says, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// A value of an older version is read as another type, of which only the `serde` format counts, and made a value of this one.
    ///
    /// # Panics
    ///
    /// If the function makes another resource, or there is one for this version.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{ResourceType, WorldFormat, resources};
    ///
    /// #[derive(Resource, Clone, Serialize, Deserialize)]
    /// #[resource(name = "game.score")]
    /// struct OldScore(u32);
    ///
    /// #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    /// #[resource(name = "game.points")]
    /// struct Points {
    ///     of_players: Vec<u32>,
    /// }
    ///
    /// let mut old = World::new();
    /// old.insert_resource(OldScore(3));
    /// let bytes = WorldFormat::new().with_resources(resources![OldScore]).save(&mut old)?;
    ///
    /// let points = ResourceType::of::<Points>()
    ///     .with_version(2)
    ///     .with_alias("game.score")
    ///     .with_upgrade(1, |score: u32| Points { of_players: vec![score] });
    /// let mut world = World::new();
    /// WorldFormat::new().with_resources([points]).load(&mut world, &bytes)?;
    /// assert_eq!(world.resource::<Points>(), &Points { of_players: vec![3] });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_upgrade<Old, R>(mut self, version: u32, upgrade: fn(Old) -> R) -> Self
    where
        Old: DeserializeOwned + 'static,
        R: Resource,
    {
        self.add_upgrade(version, upgrade);
        self
    }

    /// A value of an older version is read as another type.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, R: Resource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        let (own, made) = (self.descriptor, ComponentDescriptor::of_resource::<R>());
        assert!(own.identity() == made.identity(), "an upgrade of `{}` makes `{}`", own.name(), made.name());
        check_new(&self.upgrades, version, own);
        let read = move |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
            let values = read_values::<Old>(&[values])?;
            values.into_iter().for_each(|value| _ = builder.add_resource(upgrade(value), ticks));
            Ok(())
        };
        self.upgrades.push((version, Arc::new(read)));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// The resource had another name in files. Those are read, too, and the new name is written. It is the whole name, with the parameters
    /// of the type if it has some, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.aliases.push(name.to_owned());
        self
    }

    /// The name in files, and those that it had.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        [name_of(self.descriptor)].into_iter().chain(self.aliases.iter().cloned())
    }

    /// The same, which reads values of a version.
    pub(crate) fn reader(&self, version: u32) -> Option<Self> {
        if version == self.version {
            return Some(self.clone());
        }
        upgrade_of(&self.upgrades, version).map(|read| Self { read, ..self.clone() })
    }
}

#[cfg(feature = "text")]
fn show_component<C: Serialize + 'static>(values: ErasedSlice<'_>, row: usize) -> Option<&dyn erased_serde::Serialize> {
    Some(values.downcast_ref::<C>()?.get(row)?)
}

#[cfg(feature = "text")]
fn show_pair<R: Relation + Serialize>(pairs: PairsContents<'_>, at: usize) -> Option<&dyn erased_serde::Serialize> {
    Some(pairs.values::<R>()?.get(at)?)
}

#[cfg(feature = "text")]
fn show_resource<R: Resource + Serialize>(resource: ResourceContents<'_>) -> Option<&dyn erased_serde::Serialize> {
    Some(resource.get::<R>()?)
}

/// Values, one behind the other.
fn write_values<T: Serialize>(values: &[T], out: &mut Vec<u8>, lengths: &mut Lengths) -> Result<(), String> {
    let empty = encode_all(values, out, |len| lengths.push(len))?;
    lengths.empty += empty;
    Ok(())
}

/// All values of some bytes, by `serde`.
fn read_values<T: DeserializeOwned>(parts: &[Values<'_>]) -> Result<Vec<T>, (usize, Problem)> {
    // There may be fewer than is said: room is made for those that are there.
    let mut values = Vec::new();
    for part in parts {
        match part.form {
            Form::Plain => read_plain(*part, &mut values)?,
            Form::Unmeasured => read_encoded(*part, &mut values)?,
            Form::Even | Form::Each(_) => {
                part.check(None)?;
                read_measured(*part, &mut values)?;
            }
        }
    }
    Ok(values)
}

/// Values in postcard's encoding, of which it is known how many bytes each has.
fn read_measured<T: DeserializeOwned>(part: Values<'_>, values: &mut Vec<T>) -> Result<(), (usize, Problem)> {
    let even = part.bytes.len() / part.count.max(1);
    values.reserve(part.count.min(part.bytes.len()));
    let mut at = 0;
    for row in 0..part.count {
        let len = match part.form {
            Form::Each(lengths) => u32::from_le_bytes(lengths[row]) as usize,
            _ => even,
        };
        let mut left = &part.bytes[at..at + len];
        match decode(&mut left, part.budget) {
            Ok(value) => values.push(value),
            Err(error) => return Err((part.offset + at, Problem::Value(error.to_string()))),
        }
        at += len;
        if !left.is_empty() {
            return Err((part.offset + at - left.len(), Problem::ValuesTooLong));
        }
    }
    Ok(())
}

/// Plain values by `serde`.
fn read_plain<T: DeserializeOwned>(part: Values<'_>, values: &mut Vec<T>) -> Result<(), (usize, Problem)> {
    let mut fixed = Fixed(Reader::new(part.bytes));
    for _ in 0..part.count {
        let at = part.offset + fixed.0.offset();
        values.push(T::deserialize(&mut fixed).map_err(|error| (at, Problem::Value(error.to_string())))?);
    }
    ended(part.bytes, fixed.0.left()).map_err(|(at, problem)| (part.offset + at, problem))
}

/// Values in postcard's encoding.
fn read_encoded<T: DeserializeOwned>(part: Values<'_>, values: &mut Vec<T>) -> Result<(), (usize, Problem)> {
    let mut left = part.bytes;
    for _ in 0..part.count {
        let at = part.offset + part.bytes.len() - left.len();
        values.push(decode(&mut left, part.budget).map_err(|error| (at, Problem::Value(error.to_string())))?);
    }
    ended(part.bytes, left).map_err(|(at, problem)| (part.offset + at, problem))
}

/// How many values there are, of a type without a size.
fn count_without_bytes(parts: &[Values<'_>]) -> Result<usize, (usize, Problem)> {
    match parts.iter().find(|part| !part.bytes.is_empty()) {
        Some(part) => Err((part.offset, Problem::ValuesTooLong)),
        None => Ok(parts.iter().map(|part| part.count).sum()),
    }
}

fn ended(bytes: &[u8], left: &[u8]) -> Result<(), (usize, Problem)> {
    if left.is_empty() { Ok(()) } else { Err((bytes.len() - left.len(), Problem::ValuesTooLong)) }
}

/// The components that numbers in a file stand for: those with names there, and those of the ends of relations.
pub(crate) fn known_components(
    named: &[ComponentType],
    relations: impl IntoIterator<Item = RelationType>,
) -> Vec<ComponentType> {
    named.iter().cloned().chain(relations.into_iter().flat_map(|ty| ty.ends)).collect()
}

/// Whether plain values of a type are read as bytes, and not by `serde`.
fn are_bytes(descriptor: &ComponentDescriptor) -> bool {
    cfg!(target_endian = "little") && descriptor.functions().take_any_bytes()
}

/// The bytes of values, as they go into files, of a type of which any bytes are a value.
pub(crate) fn plain_bytes(values: ErasedSlice<'_>) -> Option<&[u8]> {
    values.plain_bytes().filter(|_| are_bytes(values.descriptor()))
}

/// Values that a file has as they lie in the memory of this machine. None if they cannot be had without `serde`.
fn of_plain_bytes(
    descriptor: &'static ComponentDescriptor,
    parts: &[Values<'_>],
    stamp: Tick,
) -> Result<Option<NewColumnContents>, (usize, Problem)> {
    if !parts.iter().all(Values::are_plain) || !are_bytes(descriptor) {
        return Ok(None);
    }
    parts.iter().try_for_each(|part| part.check(Some(descriptor.layout().size())))?;
    Ok(match parts {
        [part] => NewColumnContents::of_plain_bytes(descriptor, part.bytes, stamp),
        _ => {
            let bytes: Vec<u8> = parts.iter().flat_map(|part| part.bytes).copied().collect();
            NewColumnContents::of_plain_bytes(descriptor, &bytes, stamp)
        }
    })
}

/// The name of a type in files.
pub(crate) fn name_of(descriptor: &ComponentDescriptor) -> String {
    match descriptor.stable_name() {
        Some(name) => name.to_string(),
        None => descriptor.name().to_string(),
    }
}
