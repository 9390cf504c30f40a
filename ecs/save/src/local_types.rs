//! The types of `Local`s of systems, and the encoding of their values in files.
//!
//! Tests: tests/snapshots/consumers.rs

use std::any::{Any, TypeId};
use std::fmt;
use std::time::Duration;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::LocalForm;

use crate::encoding::{Budget, decode, encode};

pub(crate) type AnyValue = dyn Any + Send + Sync;

/// A type of `Local`s, and the encoding of its values.
#[derive(Clone)]
pub(crate) struct LocalType {
    pub(crate) type_id: TypeId,
    pub(crate) name: &'static str,
    code: LocalCode,
}

/// The encoding of values.
#[derive(Clone)]
enum LocalCode {
    /// Encodes values by `serde`, with functions for the type.
    Serde {
        write: fn(&AnyValue, &mut Vec<u8>) -> Result<(), String>,
        read: fn(&[u8], &Budget) -> Result<Box<AnyValue>, String>,
    },
    /// Encodes values as text, for a type that is registered with the world.
    Text(LocalForm),
}

impl fmt::Debug for LocalType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalType").field("name", &self.name).finish_non_exhaustive()
    }
}

impl LocalType {
    pub(crate) fn of<T: Serialize + DeserializeOwned + Send + Sync + 'static>(name: &'static str) -> Self {
        let write = |value: &AnyValue, out: &mut Vec<u8>| {
            let Some(value) = value.downcast_ref::<T>() else { unreachable!("the value is of this type") };
            encode(value, out).map(drop).map_err(|error| error.to_string())
        };
        let read = |bytes: &[u8], budget: &Budget| {
            let value: Box<AnyValue> = Box::new(decode_all::<T>(bytes, budget)?);
            Ok(value)
        };
        Self { type_id: TypeId::of::<T>(), name, code: LocalCode::Serde { write, read } }
    }

    /// Creates the entry of a type that is registered with a world.
    pub(crate) fn of_form(form: &LocalForm) -> Self {
        Self { type_id: form.type_id(), name: form.name(), code: LocalCode::Text(form.clone()) }
    }

    pub(crate) fn write(&self, value: &AnyValue, out: &mut Vec<u8>) -> Result<(), String> {
        match &self.code {
            LocalCode::Serde { write, .. } => write(value, out),
            LocalCode::Text(form) => {
                let Some(text) = form.write(value) else { unreachable!("the value is of this type") };
                encode(&text, out).map(drop).map_err(|error| error.to_string())
            }
        }
    }

    pub(crate) fn read(&self, bytes: &[u8], budget: &Budget) -> Result<Box<AnyValue>, String> {
        match &self.code {
            LocalCode::Serde { read, .. } => read(bytes, budget),
            LocalCode::Text(form) => form.read(&decode_all::<String>(bytes, budget)?),
        }
    }

    /// Returns the name of the type in files.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the types of `Local`s that snapshots clone by default.
    pub(crate) fn simple() -> impl Iterator<Item = Self> {
        macro_rules! of {
            ($($T:ty)*) => {
                [$(
                    LocalType::of::<$T>(stringify!($T)),
                    LocalType::of::<Option<$T>>(concat!("Option<", stringify!($T), ">")),
                    LocalType::of::<Vec<$T>>(concat!("Vec<", stringify!($T), ">")),
                )*]
            };
        }
        of! {
            () bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Entity Duration
        }
        .into_iter()
    }
}

/// Decodes a value from all of the bytes.
fn decode_all<T: DeserializeOwned>(mut bytes: &[u8], budget: &Budget) -> Result<T, String> {
    let value: T = decode(&mut bytes, budget).map_err(|error| error.to_string())?;
    if bytes.is_empty() { Ok(value) } else { Err("there is more than the value".to_owned()) }
}
