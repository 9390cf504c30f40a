//! Relations in files.
//!
//! Tests: tests/snapshots/pairs.rs

use std::fmt;
use std::sync::Arc;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::component::{ComponentDescriptor, UpgradeList, UpgradeSource};
use strata_ecs::prelude::Relation;
use strata_ecs::relation::{PairSource, PairTarget};
use strata_ecs::snapshot::{NewColumnContents, NewPairsContents, PairContents, PairsContents, SnapshotOptions};

use super::component::{ComponentType, WriteValues};
use super::earlier::Earlier;
use crate::bytes::Lengths;
use crate::error::Problem;
#[cfg(feature = "text")]
use crate::text_values::TextOf;
use crate::values::{Values, count_without_bytes, read_values, write_values};

type WritePairs = fn(PairsContents<'_>, &mut Vec<u8>, &mut Lengths) -> Result<(), String>;
type ReadPairs = dyn Fn(Values<'_>, Vec<PairContents>) -> Result<NewPairsContents, (usize, Problem)> + Send + Sync;

/// The entry of a relation in a [`WorldFormat`](crate::WorldFormat): see [`relations!`](crate::relations).
#[derive(Clone)]
pub struct RelationType {
    pub(crate) descriptor: &'static ComponentDescriptor,
    pub(crate) version: u32,
    pub(crate) write: WritePairs,
    pub(crate) read: Arc<ReadPairs>,
    /// The components that list the pairs of a source and of a target.
    pub(crate) ends: [ComponentType; 2],
    pub(crate) is_symmetric: bool,
    pub(crate) with_clone: fn(SnapshotOptions) -> SnapshotOptions,
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

impl RelationType {
    /// Creates the entry of a relation whose values `serde` can write and read. The name in files is the [stable
    /// name](strata_ecs::component::StableName) of the relation. The version, earlier names and upgrades are taken from its definition.
    #[must_use]
    pub fn of<R: Relation + Clone + Serialize + DeserializeOwned>() -> Self {
        let write: WritePairs = |pairs, out, lengths| {
            let Some(values) = pairs.values::<R>() else { unreachable!("the values are of this relation") };
            write_values(values, out, lengths)
        };
        let read = |values: Values<'_>, pairs| Ok(NewPairsContents::of(pairs, read_values::<R>(&[values])?));
        // The components of the ends have no size.
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

    /// Reads values of an older version as the type `Old`, and converts them to the current type. Only the `serde` format of `Old` matters.
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

    /// Adds the function that reads values of an older version as the type `Old`.
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

    /// Adds an earlier name of the relation in files. Values under that name can be read; the current name is written. This is the whole
    /// name, including type parameters, unlike the option `alias` of the definition.
    #[must_use]
    pub fn with_alias(mut self, name: &'static str) -> Self {
        self.earlier.names.push(name.to_owned());
        self
    }

    /// Returns the current name and the earlier names in files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.earlier.names(self.descriptor)
    }

    /// Returns a copy of this entry that reads values of a version; `None` if that version is not supported.
    pub(crate) fn reader(&self, version: u32) -> Option<Self> {
        if version == self.version {
            return Some(self.clone());
        }
        self.earlier.reader(version).map(|read| Self { read, ..self.clone() })
    }

    /// Like [`reader`](Self::reader), but returns a problem if a version is not supported.
    pub(crate) fn find_reader(&self, version: u32) -> Result<Self, Problem> {
        self.reader(version).ok_or(Problem::ValueVersion(version))
    }
}

impl<R: Relation> UpgradeList<R> for RelationType {
    fn add<Old: UpgradeSource>(&mut self, version: u32, upgrade: fn(Old) -> R) {
        self.add_upgrade(version, upgrade);
    }
}

#[cfg(feature = "text")]
fn show_pair<R: Relation + Serialize>(pairs: PairsContents<'_>, at: usize) -> Option<&dyn erased_serde::Serialize> {
    Some(pairs.values::<R>()?.get(at)?)
}

/// Returns the components that have numbers in a file: the named components, then two end components for each relation.
pub(crate) fn known_components(
    named: &[ComponentType],
    relations: impl IntoIterator<Item = RelationType>,
) -> Vec<ComponentType> {
    named.iter().cloned().chain(relations.into_iter().flat_map(|ty| ty.ends)).collect()
}
