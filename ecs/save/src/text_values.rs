//! Reads and writes values of one type with any serializer and deserializer.
//!
//! Tests: tests/snapshots/text.rs

use std::any::Any;
use std::sync::Arc;

use erased_serde::{Deserializer, Error};
use serde_core::Serialize;
use serde_core::de::{DeserializeOwned, Error as _};

use crate::encoding::encode;

/// A function that reads a value and returns the bytes that it has in a file.
pub(crate) type Parse = dyn Fn(&mut dyn Deserializer<'_>) -> Result<Vec<u8>, Error> + Send + Sync;

/// The functions that read the values of a type, by version.
#[derive(Clone)]
pub(crate) struct TextOf {
    current: Arc<Parse>,
    encode: fn(&dyn Any) -> Result<Vec<u8>, Error>,
    old: Vec<(u32, Arc<Parse>)>,
}

/// Encodes a value in the form that files contain.
fn encoded<T: Serialize + 'static>(value: &dyn Any) -> Result<Vec<u8>, Error> {
    let Some(value) = value.downcast_ref::<T>() else { unreachable!("the value is of this type") };
    let mut bytes = Vec::new();
    encode(value, &mut bytes).map_err(Error::custom)?;
    Ok(bytes)
}

impl TextOf {
    pub(crate) fn of<T: Serialize + DeserializeOwned + 'static>() -> Self {
        let current =
            |deserializer: &mut dyn Deserializer<'_>| encoded::<T>(&erased_serde::deserialize::<T>(deserializer)?);
        Self { current: Arc::new(current), encode: encoded::<T>, old: Vec::new() }
    }

    /// Adds the function that reads values of an older version: they are read as `Old` and then converted.
    pub(crate) fn add<Old: DeserializeOwned + 'static, T: 'static>(&mut self, version: u32, upgrade: fn(Old) -> T) {
        let encode = self.encode;
        let parse = move |deserializer: &mut dyn Deserializer<'_>| {
            encode(&upgrade(erased_serde::deserialize::<Old>(deserializer)?))
        };
        self.old.push((version, Arc::new(parse)));
    }

    /// Adds the function that reads values of a version in their text form.
    pub(crate) fn add_text_form(&mut self, version: u32) {
        let parse = |deserializer: &mut dyn Deserializer<'_>| {
            encoded::<String>(&erased_serde::deserialize::<String>(deserializer)?)
        };
        self.old.push((version, Arc::new(parse)));
    }

    /// Returns the function that reads values of `version`; `None` if that version is not supported. `own` is the current version of the
    /// type.
    pub(crate) fn parse(&self, version: u32, own: u32) -> Option<&Arc<Parse>> {
        if version == own {
            return Some(&self.current);
        }
        self.old.iter().find(|(other, _)| *other == version).map(|(_, parse)| parse)
    }
}
