//! References to components and resources that detect changes.
// Tests: tests/changes/change_detection/detect.rs

mod ticks;
mod detect;
mod borrowed;
mod erased;
mod entity;

pub use self::borrowed::{Mut, Ref};
pub use self::detect::{DetectChanges, DetectChangesMut};
pub(crate) use self::detect::{detect_changes, detect_changes_mut};
#[doc(hidden)]
pub use self::entity::{ReadEntity, WriteEntities, WriteEntity};
pub use self::erased::ErasedMut;
pub(crate) use self::ticks::{TickPlace, Ticks};
pub use crate::storage::tick::{ComponentTicks, Tick};
pub use crate::util::origin::Origin;
