//! Serializes ids with `serde`, as one number.
//!
//! Tests: tests/snapshots/saves.rs

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::Entity;

/// Serializes an id as the number of [`Entity::to_bits`].
impl Serialize for Entity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.to_bits())
    }
}

/// Deserializes an id from its number. A number that no id has is an error. The entity need not be alive.
impl<'de> Deserialize<'de> for Entity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = u64::deserialize(deserializer)?;
        Self::try_from_bits(bits).ok_or_else(|| D::Error::custom(format_args!("no entity has the id {bits:#x}")))
    }
}
