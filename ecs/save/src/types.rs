//! The types that are saved: their names and versions in files, and the functions that write and read their values.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::{fmt, slice};

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::component::{
    ComponentDescriptor, ComponentIdentity, ErasedSlice, PersistenceKind, UpgradeList, UpgradeSource,
};
use strata_ecs::prelude::{Component, Relation, Resource};
use strata_ecs::relation::{PairSource, PairTarget};
use strata_ecs::snapshot::{
    NewColumnContents, NewPairsContents, PairContents, PairsContents, ResourceContents, SnapshotBuilder,
    SnapshotOptions, StorageContents,
};

use crate::bytes::Lengths;
use crate::error::Problem;
#[cfg(feature = "text")]
use crate::text::TextOf;
use crate::values::{Values, are_bytes, count_without_bytes, of_plain_bytes, read_values, write_values};

type WriteValues = fn(ErasedSlice<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type ReadValues = fn(&[Values<'_>], Tick) -> Result<NewColumnContents, (usize, Problem)>;
type ReadOld = dyn Fn(&[Values<'_>], Tick) -> Result<NewColumnContents, (usize, Problem)> + Send + Sync;
type WriteResource = fn(ResourceContents<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type WritePairs = fn(PairsContents<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type ReadPairs = dyn Fn(Values<'_>, Vec<PairContents>) -> Result<NewPairsContents, (usize, Problem)> + Send + Sync;
/// Enables snapshots to clone values of a type.
type WithClone = fn(SnapshotOptions) -> SnapshotOptions;
type ReadResource =
    dyn Fn(Values<'_>, &mut SnapshotBuilder, ComponentTicks) -> Result<(), (usize, Problem)> + Send + Sync;

/// The version of values in the [text form](strata_ecs::component::TextForm) of their type. Other versions start at 1.
pub(crate) const TEXT_VERSION: u32 = 0;

/// The function that reads a resource in its text form.
fn read_text(descriptor: &'static ComponentDescriptor) -> Arc<ReadResource> {
    Arc::new(move |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
        for text in read_values::<String>(&[values])? {
            builder
                .add_resource_text(descriptor, &text, ticks)
                .map_err(|error| (values.offset, Problem::Value(error)))?;
        }
        Ok(())
    })
}

/// The earlier names and versions of a type, with the functions that read values of these versions.
#[derive(Clone)]
struct Earlier<Read> {
    names: Vec<String>,
    upgrades: Vec<(u32, Read)>,
}

impl<Read: Clone> Earlier<Read> {
    /// The names in the definition of a type.
    fn of(descriptor: &'static ComponentDescriptor) -> Self {
        let named = |name: &&'static str| match descriptor.stable_name() {
            Some(own) => own.renamed(name).to_string(),
            // A type without a stable name has its path as the name in files, with its type parameters.
            None => {
                let parameters = descriptor.name().find('<').map_or("", |at| &descriptor.name()[at..]);
                format!("{name}{parameters}")
            }
        };
        Self { names: descriptor.aliases().iter().map(named).collect(), upgrades: Vec::new() }
    }

    /// The current name and the earlier names of a type in files.
    fn names(&self, of: &'static ComponentDescriptor) -> Vec<String> {
        [name_of(of)].into_iter().chain(self.names.iter().cloned()).collect()
    }

    /// Adds the function that reads a version of a type. `made` is the type of the values that it creates.
    #[track_caller]
    fn add(&mut self, version: u32, own: &ComponentDescriptor, made: &ComponentDescriptor, read: Read) {
        assert!(own.identity() == made.identity(), "an upgrade of `{}` makes `{}`", own.name(), made.name());
        // There may be at most one upgrade per version.
        let is_there = self.reader(version).is_some();
        assert!(!is_there, "there are two upgrades of version {version} of `{}`", own.name());
        self.upgrades.push((version, read));
    }

    fn reader(&self, version: u32) -> Option<Read> {
        self.upgrades.iter().find(|(other, _)| *other == version).map(|(_, read)| read.clone())
    }

    /// Adds the names and versions to the debug output of a type.
    fn show(&self, shown: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result {
        let upgrades: Vec<u32> = self.upgrades.iter().map(|(version, _)| *version).collect();
        shown.field("aliases", &self.names).field("upgrades", &upgrades).finish()
    }
}

/// The sides of relationships whose other side is not among the components.
pub(crate) fn one_sided(components: &[ComponentType]) -> HashSet<ComponentIdentity> {
    let all: HashSet<ComponentIdentity> = components.iter().map(|ty| ty.descriptor.identity()).collect();
    let has_no_other = |ty: &&ComponentType| {
        StorageContents::other_side_of(ty.descriptor).is_some_and(|other| !all.contains(&other.identity()))
    };
    components.iter().filter(has_no_other).map(|ty| ty.descriptor.identity()).collect()
}

/// Types by all of their names.
pub(crate) fn by_name<T: Clone>(types: &[T], names: impl Fn(&T) -> Vec<String>) -> HashMap<String, T> {
    types.iter().flat_map(|ty| names(ty).into_iter().map(|name| (name, ty.clone()))).collect()
}

/// A component that is saved: see [`components!`](crate::components).
#[derive(Clone)]
pub struct ComponentType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteValues,
    pub(crate) read: ReadValues,
    /// Earlier names, with the parameters of the type.
    earlier: Earlier<Arc<ReadOld>>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(ErasedSlice<'v>, usize) -> Option<&'v dyn erased_serde::Serialize>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for ComponentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, earlier, .. } = self;
        earlier.show(f.debug_struct("ComponentType").field("component", &descriptor.name()).field("version", version))
    }
}

/// A resource that is saved: see [`resources!`](crate::resources).
#[derive(Clone)]
pub struct ResourceType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WriteResource,
    pub(crate) read: Arc<ReadResource>,
    pub(crate) with_clone: WithClone,
    earlier: Earlier<Arc<ReadResource>>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(ResourceContents<'v>) -> Option<Box<dyn erased_serde::Serialize + 'v>>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, earlier, .. } = self;
        earlier.show(f.debug_struct("ResourceType").field("resource", &descriptor.name()).field("version", version))
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
    pub(crate) is_symmetric: bool,
    pub(crate) with_clone: WithClone,
    earlier: Earlier<Arc<ReadPairs>>,
    #[cfg(feature = "text")]
    pub(crate) show: for<'v> fn(PairsContents<'v>, usize) -> Option<&'v dyn erased_serde::Serialize>,
    #[cfg(feature = "text")]
    pub(crate) text: TextOf,
}

impl fmt::Debug for RelationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { descriptor, version, earlier, .. } = self;
        earlier.show(f.debug_struct("RelationType").field("relation", &descriptor.name()).field("version", version))
    }
}

impl ComponentType {
    /// Creates the entry of a component that `serde` can write and read. Its name in files is its [stable
    /// name](strata_ecs::component::StableName); version, earlier names and upgrades are taken from its definition.
    #[must_use]
    pub fn of<C: Component + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WriteValues = |values, out, lengths| {
            let Some(values) = values.downcast_ref::<C>() else { unreachable!("the values are of this component") };
            write_values(values, out, lengths)
        };
        let read: ReadValues = |values, stamp| Ok(NewColumnContents::of_clone(read_values::<C>(values)?, stamp));
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
        Self {
            descriptor,
            version: descriptor.version(),
            write,
            read,
            earlier: Earlier::of(descriptor),
            // The components of a relation have no values, so `()` is written.
            #[cfg(feature = "text")]
            show: |_, _| Some(&()),
            #[cfg(feature = "text")]
            text: TextOf::of::<()>(),
        }
    }

    /// Sets the version. Values are written in this version, and values of another version are rejected unless they can be
    /// [upgraded](Self::with_upgrade). The default is the version in the definition, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Reads values of an older version as another type, and converts them to this one. Only the `serde` format of that type matters: use a
    /// copy of the old struct.
    ///
    /// # Panics
    ///
    /// If the function creates values of another component, or if there already is a function for this version.
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

    /// Reads values of an older version as another type.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, C: Component>(&mut self, version: u32, upgrade: fn(Old) -> C) {
        let made = ComponentDescriptor::of::<C>();
        let read = move |values: &[Values<'_>], stamp| {
            let values = read_values::<Old>(values)?;
            Ok(NewColumnContents::of(values.into_iter().map(upgrade).collect(), stamp))
        };
        self.earlier.add(version, self.descriptor, made, Arc::new(read));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// Adds an earlier name of the component in files. Values under that name can be read, and the current name is written. The name of a
    /// generic type includes its parameters, as in `bag<sword>`: unlike the option `alias` of the definition, this is the whole name of one
    /// such component.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.earlier.names.push(name.to_owned());
        self
    }

    /// The current name and the earlier names in files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.earlier.names(self.descriptor)
    }

    /// The function that reads values of a version.
    pub(crate) fn reader(&self, version: u32) -> Option<ReadColumn> {
        if version == self.version {
            return Some(ReadColumn::Current(self.descriptor, self.read));
        }
        self.earlier.reader(version).map(|read| ReadColumn::Old(self.descriptor, read))
    }

    /// Like [`reader`](Self::reader), with the problem if a version cannot be read.
    pub(crate) fn find_reader(&self, version: u32) -> Result<ReadColumn, Problem> {
        self.reader(version).ok_or(Problem::ValueVersion(version))
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

/// How the values of a component in a file are read.
#[derive(Clone)]
pub(crate) enum ReadColumn {
    Current(&'static ComponentDescriptor, ReadValues),
    Old(&'static ComponentDescriptor, Arc<ReadOld>),
}

impl ReadColumn {
    /// The descriptor of the component.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        match self {
            Self::Current(descriptor, _) | Self::Old(descriptor, _) => descriptor,
        }
    }

    /// Checks the number of bytes of the values, if it is known in advance.
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
    /// Creates the entry of a relation whose values `serde` can write and read. Its name in files is its [stable
    /// name](strata_ecs::component::StableName); version, earlier names and upgrades are taken from its definition.
    #[must_use]
    pub fn of<R: Relation + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WritePairs = |pairs, out, lengths| {
            let Some(values) = pairs.values::<R>() else { unreachable!("the values are of this relation") };
            write_values(values, out, lengths)
        };
        let read = |values: Values<'_>, pairs| Ok(NewPairsContents::of(pairs, read_values::<R>(&[values])?));
        // The end components of a relation have no size, so each value takes 0 bytes.
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
            is_symmetric: R::SYMMETRIC,
            with_clone: SnapshotOptions::with_clone::<R>,
            earlier: Earlier::of(descriptor),
            #[cfg(feature = "text")]
            show: show_pair::<R>,
            #[cfg(feature = "text")]
            text: TextOf::of::<R>(),
        };
        R::upgrades(&mut ty);
        ty
    }

    /// Sets the version. Values are written in this version, and values of another version are rejected unless they can be
    /// [upgraded](Self::with_upgrade). The default is the version in the definition, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Reads values of an older version as another type, of which only the `serde` format matters, and converts them to this one.
    ///
    /// # Panics
    ///
    /// If the function creates values of another relation, or if there already is a function for this version.
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

    /// Reads values of an older version as another type.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, R: Relation>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        let made = PairsContents::descriptor_of::<R>();
        let read = move |values: Values<'_>, pairs| {
            let values = read_values::<Old>(&[values])?;
            Ok(NewPairsContents::of(pairs, values.into_iter().map(upgrade).collect()))
        };
        self.earlier.add(version, self.descriptor, made, Arc::new(read));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// Adds an earlier name of the relation in files. Values under that name can be read, and the current name is written. It is the whole
    /// name, including type parameters, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.earlier.names.push(name.to_owned());
        self
    }

    /// The current name and the earlier names in files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.earlier.names(self.descriptor)
    }

    /// This entry, with the function that reads values of a version.
    pub(crate) fn reader(&self, version: u32) -> Option<Self> {
        if version == self.version {
            return Some(self.clone());
        }
        self.earlier.reader(version).map(|read| Self { read, ..self.clone() })
    }

    /// Like [`reader`](Self::reader), with the problem if a version cannot be read.
    pub(crate) fn find_reader(&self, version: u32) -> Result<Self, Problem> {
        self.reader(version).ok_or(Problem::ValueVersion(version))
    }
}

impl ResourceType {
    /// Creates the entry of a resource that `serde` can write and read; also of a list of messages, `Messages<M>`. Its name in files is its
    /// [stable name](strata_ecs::component::StableName); version, earlier names and upgrades are taken from its definition.
    #[must_use]
    pub fn of<R: Resource + Clone + Serialize + DeserializeOwned>() -> Self {
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
            with_clone: SnapshotOptions::with_clone::<R>,
            earlier: Earlier::of(descriptor),
            #[cfg(feature = "text")]
            show: show_resource::<R>,
            #[cfg(feature = "text")]
            text: TextOf::of::<R>(),
        };
        R::upgrades(&mut ty);
        ty
    }

    /// Creates the entry of a resource that is written in its [text form](strata_ecs::component::TextForm).
    pub(crate) fn of_text(descriptor: &'static ComponentDescriptor) -> Self {
        let write: WriteResource = |resource, out, lengths| {
            let Some(text) = resource.text() else { unreachable!("the type has a text form") };
            write_values(&[text], out, lengths)
        };
        Self {
            descriptor,
            version: TEXT_VERSION,
            write,
            read: read_text(descriptor),
            with_clone: |options| options,
            earlier: Earlier::of(descriptor),
            #[cfg(feature = "text")]
            show: show_text,
            #[cfg(feature = "text")]
            text: TextOf::of::<String>(),
        }
    }

    /// Also reads values that are in a file in the text form, if the type has one.
    pub(crate) fn add_text_form(&mut self) {
        let has_form = self.descriptor.persistence() == PersistenceKind::Text;
        if has_form && self.version != TEXT_VERSION && self.earlier.reader(TEXT_VERSION).is_none() {
            self.earlier.upgrades.push((TEXT_VERSION, read_text(self.descriptor)));
            #[cfg(feature = "text")]
            self.text.add_text_form(TEXT_VERSION);
        }
    }

    /// Sets the version. The value is written in this version, and a value of another version is rejected unless it can be
    /// [upgraded](Self::with_upgrade). The default is the version in the definition, or 1.
    #[must_use]
    pub fn with_version(self, version: u32) -> Self {
        Self { version, ..self }
    }

    /// Reads a value of an older version as another type, of which only the `serde` format matters, and converts it to this one.
    ///
    /// # Panics
    ///
    /// If the function creates another resource, or if there already is a function for this version.
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

    /// Reads a value of an older version as another type.
    #[track_caller]
    fn add_upgrade<Old: DeserializeOwned + 'static, R: Resource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        let made = ComponentDescriptor::of_resource::<R>();
        let read = move |values: Values<'_>, builder: &mut SnapshotBuilder, ticks| {
            let values = read_values::<Old>(&[values])?;
            values.into_iter().for_each(|value| _ = builder.add_resource(upgrade(value), ticks));
            Ok(())
        };
        self.earlier.add(version, self.descriptor, made, Arc::new(read));
        #[cfg(feature = "text")]
        self.text.add(version, upgrade);
    }

    /// Adds an earlier name of the resource in files. A value under that name can be read, and the current name is written. It is the whole
    /// name, including type parameters, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.earlier.names.push(name.to_owned());
        self
    }

    /// The current name and the earlier names in files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.earlier.names(self.descriptor)
    }

    /// This entry, with the function that reads values of a version.
    pub(crate) fn reader(&self, version: u32) -> Option<Self> {
        if version == self.version {
            return Some(self.clone());
        }
        self.earlier.reader(version).map(|read| Self { read, ..self.clone() })
    }

    /// Like [`reader`](Self::reader), with the problem if a version cannot be read. Resources that are not listed have the version of the
    /// text form, all others the versions of formats that list them.
    pub(crate) fn find_reader(&self, version: u32) -> Result<Self, Problem> {
        let is_listed = self.version != TEXT_VERSION;
        let problem = if is_listed { Problem::ValueVersion(version) } else { Problem::NotListed };
        self.reader(version).ok_or(problem)
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
fn show_resource<R: Resource + Serialize>(
    resource: ResourceContents<'_>,
) -> Option<Box<dyn erased_serde::Serialize + '_>> {
    Some(Box::new(resource.get::<R>()?))
}

#[cfg(feature = "text")]
fn show_text(resource: ResourceContents<'_>) -> Option<Box<dyn erased_serde::Serialize + '_>> {
    Some(Box::new(resource.text()?))
}

/// The components that have numbers in a file: those with names, and those of the ends of relations.
pub(crate) fn known_components(
    named: &[ComponentType],
    relations: impl IntoIterator<Item = RelationType>,
) -> Vec<ComponentType> {
    named.iter().cloned().chain(relations.into_iter().flat_map(|ty| ty.ends)).collect()
}

/// The name of a type in files.
pub(crate) fn name_of(descriptor: &ComponentDescriptor) -> String {
    match descriptor.stable_name() {
        Some(name) => name.to_string(),
        None => descriptor.name().to_string(),
    }
}
