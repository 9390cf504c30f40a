//! Labels: the names of system sets and of schedules.
//!
//! A label is a value of a user's type. It is identified by its type and value: `Physics::Forces` of one type and
//! `Physics::Forces` of another type are different labels. Labels are interned, which yields a `Copy` type that is
//! compared by address. So labels of all types can be stored in one list.
// Tests: tests/systems/labels.rs

mod dynamic;
mod parts;

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;
use core::hash::{Hash, Hasher};

pub use self::dynamic::{DynEq, DynHash};
#[doc(hidden)]
pub use self::parts::{LabelLacks, LabelParts, LabelProbe, demand_label};
use crate::util::interner::InternedValue;
pub use crate::util::interner::{Internable, Interned, Interner};

/// The name of a set of systems. The systems of a set can be ordered or disabled together.
///
/// Derive it, together with the traits that a label needs, so that it can be cloned, compared, hashed and printed. Each
/// value of the type is a set.
///
/// [`in_set`](crate::schedule::IntoScheduleConfigs::in_set) adds systems to sets.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
/// enum Physics {
///     Forces,
///     Collisions,
/// }
///
/// #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Drawing;
///
/// let sets = [Physics::Forces.intern(), Physics::Collisions.intern(), Drawing.intern()];
/// assert_eq!(sets[0], Physics::Forces.intern());
/// assert_ne!(sets[0], sets[1]);
/// assert_eq!(format!("{sets:?}"), "[Forces, Collisions, Drawing]");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system set: add `#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]` to it",
    label = "not a system set",
    note = "systems are ordered by a system itself with `before` and `after`; `in_set` takes a value of your own type"
)]
#[doc(alias("phase", "UpdateInGroup", "SystemLabel"))]
pub trait SystemSet: Any + Send + Sync {
    /// Returns the full name of the type of the set.
    #[doc(hidden)]
    fn dyn_type_name(&self) -> &'static str {
        core::any::type_name::<Self>()
    }

    /// Clones the label into a box.
    #[doc(hidden)]
    fn dyn_clone(&self) -> Box<dyn SystemSet>;

    /// Returns whether the other label has the same type and is equal.
    #[doc(hidden)]
    fn dyn_eq(&self, other: &dyn SystemSet) -> bool;

    /// Hashes the type and the value.
    #[doc(hidden)]
    fn dyn_hash(&self, state: &mut dyn Hasher);

    /// Prints the label with its type's `Debug` impl.
    #[doc(hidden)]
    fn dyn_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Converts the label into a `Copy` value that is compared by address. `O(1)` if the program has a usual number of
    /// labels.
    ///
    /// The first call for a label leaks a copy of the label, which lives as long as the program. So do not intern an
    /// unlimited number of different labels.
    fn intern(&self) -> InternedSystemSet
    where
        Self: Sized,
    {
        static SETS: Interner<dyn SystemSet> = Interner::new();
        SETS.intern_with(self, || InternedValue::Boxed(self.dyn_clone()))
    }
}

/// A [`SystemSet`] that is compared by address.
///
/// ```
/// use strata_ecs::label::InternedSystemSet;
/// use strata_ecs::prelude::*;
/// # #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)] struct Drawing;
/// let set: InternedSystemSet = Drawing.intern();
/// assert_eq!(set.intern(), set);
/// ```
pub type InternedSystemSet = Interned<dyn SystemSet>;

/// The name of a schedule.
///
/// Derive it, together with the traits that a label needs, so that it can be cloned, compared, hashed and printed.
///
/// A world stores schedules by label: see [`Schedules`](crate::world::Schedules).
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Startup;
///
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Level(u32);
///
/// assert_eq!(Level(1).intern(), Level(1).intern());
/// assert_ne!(Level(1).intern(), Startup.intern());
/// assert_eq!(format!("{:?}", Level(1).intern()), "Level(1)");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a schedule label: add `#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]` \
               to it",
    label = "not a schedule label"
)]
#[doc(alias("Stage", "Phase"))]
pub trait ScheduleLabel: Any + Send + Sync {
    /// Returns the full name of the type of the label.
    #[doc(hidden)]
    fn dyn_type_name(&self) -> &'static str {
        core::any::type_name::<Self>()
    }

    /// Clones the label into a box.
    #[doc(hidden)]
    fn dyn_clone(&self) -> Box<dyn ScheduleLabel>;

    /// Returns whether the other label has the same type and is equal.
    #[doc(hidden)]
    fn dyn_eq(&self, other: &dyn ScheduleLabel) -> bool;

    /// Hashes the type and the value.
    #[doc(hidden)]
    fn dyn_hash(&self, state: &mut dyn Hasher);

    /// Prints the label with its type's `Debug` impl.
    #[doc(hidden)]
    fn dyn_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Converts the label into a `Copy` value that is compared by address. `O(1)` if the program has a usual number of
    /// labels.
    ///
    /// The first call for a label leaks a copy of the label, which lives as long as the program. So do not intern an
    /// unlimited number of different labels.
    fn intern(&self) -> InternedScheduleLabel
    where
        Self: Sized,
    {
        static LABELS: Interner<dyn ScheduleLabel> = Interner::new();
        LABELS.intern_with(self, || InternedValue::Boxed(self.dyn_clone()))
    }
}

/// A [`ScheduleLabel`] that is compared by address.
///
/// ```
/// use strata_ecs::label::InternedScheduleLabel;
/// use strata_ecs::prelude::*;
/// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Startup;
/// let label: InternedScheduleLabel = Startup.intern();
/// assert_eq!(label.intern(), label);
/// ```
pub type InternedScheduleLabel = Interned<dyn ScheduleLabel>;

/// Implements the label trait for interned labels, and equality, hashing and `Debug` for trait objects of labels.
macro_rules! label {
    ($Label:ident) => {
        #[diagnostic::do_not_recommend]
        impl $Label for Interned<dyn $Label> {
            fn dyn_type_name(&self) -> &'static str {
                (**self).dyn_type_name()
            }

            fn dyn_clone(&self) -> Box<dyn $Label> {
                (**self).dyn_clone()
            }

            fn dyn_eq(&self, other: &dyn $Label) -> bool {
                let other: &dyn Any = other;
                other.downcast_ref().is_some_and(|other| self == other)
            }

            fn dyn_hash(&self, mut state: &mut dyn Hasher) {
                self.hash(&mut state);
            }

            fn dyn_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).dyn_fmt(f)
            }

            /// Returns the label itself.
            fn intern(&self) -> Self {
                *self
            }
        }

        impl PartialEq for dyn $Label {
            fn eq(&self, other: &Self) -> bool {
                self.dyn_eq(other)
            }
        }

        impl Eq for dyn $Label {}

        impl Hash for dyn $Label {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.dyn_hash(state);
            }
        }

        impl_debug!([] dyn $Label => |this, f| this.dyn_fmt(f));
    };
}

label!(SystemSet);
label!(ScheduleLabel);
