//! Lists of sources as `serde` writes and reads them: as the entities in their order.

use alloc::vec::Vec;

use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::source_list::SourceList;
use crate::entity::Entity;

impl Serialize for SourceList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

/// A list that is in no world: whether the entities name its target is seen when it comes to one.
impl<'de> Deserialize<'de> for SourceList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Entity>::deserialize(deserializer).map(Self::from)
    }
}
