//! Sets of systems: the sets that users define, and the implicit set of each function.
//!
//! Tests: tests/schedules/schedule/orders.rs, tests/schedules/schedule/removal.rs

use alloc::string::{String, ToString};
use core::any::{Any, TypeId};

use strata_ecs_derive::SystemSet;

use crate::schedule::label::{InternedSystemSet, SystemSet};
use crate::system::{BoxedSystem, IntoSystem, SystemInput};

/// A value that constraints can refer to: a [`SystemSet`] or a system. A system stands for all systems of the schedule
/// that were made from the same function.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)] struct Physics;
/// # fn input() {}
/// # fn gravity() {}
/// # fn draw() {}
/// let mut schedule = Schedule::default();
/// schedule.add_systems((draw.after(Physics), gravity.in_set(Physics).after(input), input));
/// schedule.initialize(&mut World::new()).unwrap();
/// let names = schedule.system_names();
/// assert!(names[0].ends_with("input") && names[1].ends_with("gravity") && names[2].ends_with("draw"));
/// ```
#[diagnostic::on_unimplemented(
    message = "systems cannot be ordered by `{Self}`: it is neither a system nor a system set",
    label = "neither a system nor a system set",
    note = "add `#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]` to a type whose values name sets",
    note = "a system is a function with at most 16 parameters, all of which implement `SystemParam`, or with `&mut World`; write \
            `#[system]` above it to see which parameter is wrong"
)]
pub trait IntoSystemSet<Marker>: Sized {
    /// Returns the set.
    ///
    /// # Panics
    ///
    /// If the value is a system that is composed of other systems, for instance by `pipe`. Add the system to a set
    /// instead, and order by that set.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::IntoSystemSet;
    /// # fn idle() {}
    /// assert!(format!("{:?}", idle.into_system_set()).ends_with("idle"));
    /// ```
    fn into_system_set(self) -> InternedSystemSet;
}

#[diagnostic::do_not_recommend]
impl<S: SystemSet> IntoSystemSet<()> for S {
    fn into_system_set(self) -> InternedSystemSet {
        self.intern()
    }
}

/// Marker type: distinguishes systems from sets.
#[doc(hidden)]
pub struct SystemSetMarker;

#[diagnostic::do_not_recommend]
impl<S, In, Out, Marker> IntoSystemSet<(SystemSetMarker, In, Out, Marker)> for S
where
    S: IntoSystem<In, Out, Marker>,
    In: SystemInput + 'static,
    Out: 'static,
{
    fn into_system_set(self) -> InternedSystemSet {
        let system = IntoSystem::into_system(self);
        let Some(set) = FunctionSet::of(&system) else {
            panic!("systems cannot be ordered by `{}`, which is made of others: put it into a set", system.name());
        };
        set.intern()
    }
}

/// The implicit set of all systems of one function.
#[derive(Clone, SystemSet)]
pub(super) struct FunctionSet {
    function: TypeId,
    name: String,
}

impl FunctionSet {
    /// Returns the implicit set of a system.
    pub(super) fn of<In: SystemInput + 'static, Out: 'static>(system: &BoxedSystem<In, Out>) -> Option<Self> {
        let facts = system.facts();
        Some(Self { function: facts.function?, name: facts.name.to_string() })
    }

    /// Returns the function of a set, if it is the implicit set of a function.
    pub(super) fn function_of(set: InternedSystemSet) -> Option<TypeId> {
        let set: &dyn Any = &*set;
        set.downcast_ref::<Self>().map(|set| set.function)
    }
}

impl_eq!([] FunctionSet, function);

impl_debug!([] FunctionSet => |this, f| f.write_str(&this.name));
