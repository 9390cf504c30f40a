//! Serialization of lists of messages with `serde`, including the state that determines when messages are dropped.
//!
//! Tests: tests/snapshots/bounds.rs

use alloc::vec::Vec;

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::Messages;

/// The serialized form of a list. It lacks the origin, which is unique only within one process.
type SerializedMessages<L> = (u64, u32, [u64; 2], u64, L, L);

/// Serializes the messages in the list, and their numbers.
impl<M: Serialize> Serialize for Messages<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [old, new] = self.lists();
        let (new_start, ages, checkpoints, limit) = self.age_state();
        let state: SerializedMessages<&[M]> = (new_start, ages, checkpoints, limit as u64, old, new);
        state.serialize(serializer)
    }
}

/// Deserializes a new list with the same messages and numbers. Numbers that no list can have are an error.
impl<'de, M: Deserialize<'de>> Deserialize<'de> for Messages<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (new_start, ages, checkpoints, limit, old, new) = SerializedMessages::<Vec<M>>::deserialize(deserializer)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self::from_state(new_start, (ages, checkpoints, limit), old, new)
            .ok_or_else(|| D::Error::custom("no list of messages has such numbers"))
    }
}
