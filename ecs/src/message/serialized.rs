//! Lists of messages as `serde` writes and reads them: with all that decides when messages go.

use alloc::vec::Vec;

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::Messages;

/// Without the origin, which tells lists apart in one process.
type State<L> = (u64, u32, [u64; 2], u64, L, L);

/// The messages that are there, and their numbers.
impl<M: Serialize> Serialize for Messages<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [old, new] = self.lists();
        let (new_start, ages, checkpoints, limit) = self.age_state();
        let state: State<&[M]> = (new_start, ages, checkpoints, limit as u64, old, new);
        state.serialize(serializer)
    }
}

/// Another list with the same messages and numbers. Numbers that a list cannot have are an error.
impl<'de, M: Deserialize<'de>> Deserialize<'de> for Messages<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (new_start, ages, checkpoints, limit, old, new) = State::<Vec<M>>::deserialize(deserializer)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self::from_state(new_start, (ages, checkpoints, limit), old, new)
            .ok_or_else(|| D::Error::custom("no list of messages has such numbers"))
    }
}
