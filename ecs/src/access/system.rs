//! The access of a system, parameter by parameter.

use alloc::string::String;
use alloc::vec::Vec;

use super::query::FilteredAccess;
use crate::component::Components;

/// The access of one parameter of a system.
///
/// ```
/// use strata_ecs::access::ParamAccess;
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let access = ParamAccess::Query(world.query::<&Health>().access().clone());
/// assert!(matches!(access, ParamAccess::Query(query) if query.touches(id)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ParamAccess {
    /// Components, through a query.
    Query(FilteredAccess),
    /// One resource.
    Resource {
        /// The id of the resource in its world.
        id: u32,
        /// The name of the type of the resource.
        name: &'static str,
        /// Whether the system borrows it mutably.
        write: bool,
        /// Whether the system reads it as a list of messages, and keeps its position in the list.
        reads_messages: bool,
    },
    /// All resources, including those that are not registered yet.
    AllResources {
        /// Whether the resources are borrowed mutably.
        write: bool,
    },
    /// One non-send value.
    NonSend {
        /// The id of the type in its world.
        id: u32,
        /// The name of the type.
        name: &'static str,
        /// Whether the system borrows it mutably.
        write: bool,
    },
    /// The whole world, for reading.
    World,
}

impl ParamAccess {
    fn writes(&self) -> bool {
        match self {
            Self::Query(query) => query.writes_anything(),
            Self::Resource { write, .. } | Self::AllResources { write } | Self::NonSend { write, .. } => *write,
            Self::World => false,
        }
    }
}

/// The access of a system, parameter by parameter.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn exclusive(world: &mut World) {
///     world.clear_entities();
/// }
///
/// let system = IntoSystem::into_system(exclusive);
/// assert!(system.access().is_exclusive());
/// ```
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Access {
    params: Vec<(usize, ParamAccess)>,
    exclusive: bool,
    /// Whether the access is exclusive, but the system makes no structural changes while it runs. Always false for a union of systems.
    keeps_structure: bool,
    /// Whether the system records changes that are applied later.
    deferred: bool,
    /// Whether the system uses a non-send value.
    non_send: bool,
    /// The reason why the system is refused, for example because two parameters conflict; `None` if it is not refused.
    refusal: Option<String>,
}

/// A conflict of two parameters of one system: both borrow the same data, at least one of them mutably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccessConflict {
    /// The index of the earlier parameter in `params`.
    pub(crate) first: usize,
    /// The data, for instance "component `Position`".
    pub(crate) what: String,
}

impl Access {
    /// Returns exclusive access. No other system runs at the same time.
    pub(crate) fn exclusive() -> Self {
        Self { exclusive: true, deferred: true, non_send: true, ..Self::default() }
    }

    /// Returns exclusive access of a system that makes no structural changes while it runs. No other system runs at the same time.
    pub(crate) fn exclusive_values() -> Self {
        Self { keeps_structure: true, ..Self::exclusive() }
    }

    /// Returns whether the system makes no structural changes while it runs.
    pub(crate) fn keeps_structure(&self) -> bool {
        !self.exclusive || self.keeps_structure
    }

    /// Returns whether the system borrows the whole world mutably.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// assert!(alone.access().is_exclusive());
    /// let shared = IntoSystem::into_system(|| 3);
    /// assert!(!shared.access().is_exclusive());
    /// ```
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Returns the access of each parameter, with the number of the parameter from 0.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// assert!(alone.access().params().is_empty()); // It borrows everything, not one thing for each parameter.
    /// ```
    #[must_use]
    pub fn params(&self) -> &[(usize, ParamAccess)] {
        &self.params
    }

    /// Returns the access of two systems that run one after the other as one system. Each parameter keeps its number, so a number may occur
    /// twice.
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            params: self.params.iter().chain(&other.params).cloned().collect(),
            exclusive: self.exclusive | other.exclusive,
            keeps_structure: false,
            deferred: self.deferred | other.deferred,
            non_send: self.non_send | other.non_send,
            refusal: self.refusal.as_ref().or(other.refusal.as_ref()).cloned(),
        }
    }

    /// Returns the access without the parameters for which `is_meant` returns false.
    pub(crate) fn of_params(&self, is_meant: impl Fn(usize) -> bool) -> Self {
        let params = self.params.iter().filter(|(param, _)| is_meant(*param)).cloned().collect();
        Self { params, refusal: self.refusal.clone(), ..*self }
    }

    /// Marks the system as refused, so that it never runs. Only the first reason is kept.
    pub(crate) fn refuse(&mut self, why: String) {
        self.refusal.get_or_insert(why);
    }

    /// Returns the reason why the system is refused; `None` if it is not refused.
    pub(crate) fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Panics if the system is refused, for example because two parameters conflict.
    ///
    /// # Panics
    ///
    /// If the system is refused, at the location of the caller.
    #[track_caller]
    pub(crate) fn expect_agreement(&self) {
        #[cold]
        #[track_caller]
        fn fail(why: &str) -> ! {
            panic!("{why}")
        }
        if let Some(why) = &self.refusal {
            fail(why);
        }
    }

    /// Returns each parameter, paired with each parameter of another system.
    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a ParamAccess, &'a ParamAccess)> {
        self.params.iter().flat_map(|(_, a)| other.params.iter().map(move |(_, b)| (a, b)))
    }

    /// Returns the first data that prevents two systems from running at the same time, for instance "component `Position`". `None` if
    /// [`collides_with`](Self::collides_with) returns false.
    pub(crate) fn first_collision(&self, other: &Self, components: &Components) -> Option<String> {
        self.pairs(other).find_map(|pair| match pair {
            (ParamAccess::Query(a), ParamAccess::Query(b)) => Some(a.collision_with(b, components)?.text(components)),
            (a, b) => conflict(a, b, components),
        })
    }

    /// Returns the ids of the resources that the system reads as lists of messages. An id may occur more than once.
    pub(crate) fn message_readers(&self) -> impl Iterator<Item = u32> {
        self.params.iter().filter_map(|(_, access)| match access {
            ParamAccess::Resource { id, reads_messages: true, .. } => Some(*id),
            _ => None,
        })
    }

    /// Returns whether a parameter reads the whole world.
    pub(crate) fn looks_at_world(&self) -> bool {
        self.params.iter().any(|(_, access)| matches!(access, ParamAccess::World))
    }

    /// Returns whether the system may run on any thread. If a system borrows the whole world mutably, or has a parameter for a non-send
    /// value, it runs on the thread that runs the schedule.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let idle = IntoSystem::into_system(|| 3);
    /// assert!(idle.access().is_send());
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// assert!(!alone.access().is_send());
    /// ```
    #[must_use]
    pub fn is_send(&self) -> bool {
        !self.non_send
    }

    /// Records that the system uses a non-send value.
    #[cfg(feature = "std")]
    pub(crate) fn add_non_send(&mut self) {
        self.non_send = true;
    }

    /// Records that the system makes changes that are applied after its run.
    pub(crate) fn add_deferred(&mut self) {
        self.deferred = true;
    }

    /// Returns whether the system borrows nothing mutably, and records no changes that are applied later.
    pub(crate) fn is_read_only(&self) -> bool {
        !self.exclusive && !self.deferred && !self.params.iter().any(|(_, access)| access.writes())
    }

    /// Adds the access of a parameter. `hidden` is called with the index of each earlier entry. Conflicts with entries for which it returns
    /// true are permitted.
    ///
    /// # Errors
    ///
    /// If the access conflicts with an earlier parameter. Then nothing is added.
    pub(crate) fn add(
        &mut self,
        param: usize,
        access: ParamAccess,
        components: &Components,
        hidden: impl Fn(usize) -> bool,
    ) -> Result<(), AccessConflict> {
        for (first, (_, other)) in self.params.iter().enumerate().filter(|(at, _)| !hidden(*at)) {
            if let Some(what) = conflict(other, &access, components) {
                return Err(AccessConflict { first, what });
            }
        }
        self.params.push((param, access));
        Ok(())
    }

    /// Frees unused capacity.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.params.shrink_to_fit();
    }

    /// Returns whether the system makes changes that are applied after its run.
    pub(crate) fn is_deferred(&self) -> bool {
        self.deferred
    }

    /// Returns all data about which two systems conflict, so that their order matters. An item is for instance "component `Position`".
    pub(crate) fn conflicts(&self, other: &Self, components: &Components) -> Vec<String> {
        if self.exclusive || other.exclusive {
            return alloc::vec![String::from("the whole world (`&mut World`)")];
        }
        let mut all = Vec::new();
        for what in self.pairs(other).filter_map(|(a, b)| conflict(a, b, components)) {
            if !all.contains(&what) {
                all.push(what);
            }
        }
        all
    }

    /// Returns the access of the system as bit masks.
    #[cfg(feature = "parallel")]
    pub(crate) fn footprint(&self) -> Footprint {
        if self.exclusive {
            return Footprint { touched: u128::MAX, written: u128::MAX };
        }
        let mut all = Footprint { touched: Footprint::WORLD, written: 0 };
        for (_, access) in &self.params {
            match access {
                ParamAccess::Query(query) => {
                    query.each_borrowed(|id, writes| match id {
                        Some(id) => all.add(id.index(), writes),
                        None => all.add_all(writes),
                    });
                }
                ParamAccess::Resource { id, write, .. } | ParamAccess::NonSend { id, write, .. } => {
                    all.add(*id as usize, *write);
                }
                ParamAccess::AllResources { write } => all.add_all(*write),
                ParamAccess::World => all.touched = u128::MAX,
            }
        }
        all
    }

    /// Returns whether two systems must not run at the same time.
    pub(crate) fn collides_with(&self, other: &Self, components: &Components) -> bool {
        let collide = |pair: (&ParamAccess, &ParamAccess)| match pair {
            (ParamAccess::Query(a), ParamAccess::Query(b)) => a.collision_with(b, components).is_some(),
            (a, b) => conflict(a, b, components).is_some(),
        };
        self.exclusive || other.exclusive || self.pairs(other).any(collide)
    }

    /// Returns whether two systems have no conflict. A schedule may nevertheless run such systems one after the other, for instance if
    /// their queries visit rows of the same tables that differ only in a sparse component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// let idle = IntoSystem::into_system(|| 3);
    /// assert!(idle.access().is_compatible(idle.access(), world.components()));
    /// assert!(!idle.access().is_compatible(alone.access(), world.components()));
    /// ```
    #[must_use]
    pub fn is_compatible(&self, other: &Self, components: &Components) -> bool {
        !self.exclusive && !other.exclusive && self.pairs(other).all(|(a, b)| conflict(a, b, components).is_none())
    }
}

/// The data that a system borrows and the data that it writes, as bit masks. Several components or resources share a bit.
///
/// Two systems can collide only if one of them writes a bit that the other one borrows.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Footprint {
    pub(crate) touched: u128,
    pub(crate) written: u128,
}

#[cfg(feature = "parallel")]
impl Footprint {
    /// A bit that every system borrows, and that only an exclusive system writes.
    const WORLD: u128 = 1 << 127;

    /// Adds all components, or all resources.
    fn add_all(&mut self, writes: bool) {
        self.touched |= !Self::WORLD;
        if writes {
            self.written |= !Self::WORLD;
        }
    }

    fn add(&mut self, id: usize, writes: bool) {
        let bit = 1 << (id % 127);
        self.touched |= bit;
        if writes {
            self.written |= bit;
        }
    }
}

/// Returns the data about which two parameters conflict; `None` if they can be used at the same time.
fn conflict(a: &ParamAccess, b: &ParamAccess, components: &Components) -> Option<String> {
    match (a, b) {
        (ParamAccess::Query(a), ParamAccess::Query(b)) => {
            a.conflict_with(b).map(|found| alloc::format!("{}{}", found.text(components), a.note(b)))
        }
        (
            ParamAccess::Resource { id, name, write, .. },
            ParamAccess::Resource { id: other, write: other_write, .. },
        ) => (id == other && (*write || *other_write)).then(|| alloc::format!("resource `{name}`")),
        (ParamAccess::NonSend { id, name, write }, ParamAccess::NonSend { id: other, write: other_write, .. }) => {
            (id == other && (*write || *other_write)).then(|| alloc::format!("non-Send value `{name}`"))
        }
        (ParamAccess::AllResources { write }, ParamAccess::Resource { name, write: other_write, .. })
        | (ParamAccess::Resource { name, write: other_write, .. }, ParamAccess::AllResources { write }) => {
            (*write || *other_write).then(|| alloc::format!("resource `{name}`"))
        }
        (ParamAccess::AllResources { write }, ParamAccess::AllResources { write: other_write }) => {
            (*write || *other_write).then(|| String::from("every resource"))
        }
        (ParamAccess::World, other) | (other, ParamAccess::World) => {
            other.writes().then(|| String::from("the whole world (`&World`)"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::ComponentId;

    /// Two ids share a bit if their difference is a multiple of 127.
    #[cfg(feature = "parallel")]
    #[test]
    fn what_collides_has_footprints_that_meet() {
        let query = |ids: &[usize], add: fn(&mut FilteredAccess, ComponentId)| {
            let mut access = FilteredAccess::default();
            ids.iter().for_each(|id| add(&mut access, ComponentId(*id as u32)));
            ParamAccess::Query(access)
        };
        let resource = |id, write| ParamAccess::Resource { id, name: "resource", write, reads_messages: false };
        let params = [
            query(&[], FilteredAccess::add_read),
            query(&[0, 130], FilteredAccess::add_read),
            query(&[3, 127], FilteredAccess::add_write),
            query(&[130], FilteredAccess::add_write),
            query(&[126], FilteredAccess::add_write),
            resource(3, false),
            resource(3, true),
            resource(130, true),
            ParamAccess::AllResources { write: false },
            ParamAccess::AllResources { write: true },
            ParamAccess::World,
            ParamAccess::Query(FilteredAccess::all_but([ComponentId(0)].into_iter(), false)),
            ParamAccess::Query(FilteredAccess::all_but([ComponentId(130)].into_iter(), true)),
        ];
        let mut all: Vec<_> =
            params.into_iter().map(|param| Access { params: alloc::vec![(0, param)], ..Access::default() }).collect();
        all.extend([Access::default(), Access::exclusive()]);
        let (components, mut collisions) = (Components::default(), 0);
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let (one, other) = (a.footprint(), b.footprint());
            let meet = (one.touched & other.written) | (one.written & other.touched) != 0;
            assert!(meet || !a.collides_with(b, &components), "{a:?} and {b:?}");
            collisions += usize::from(a.collides_with(b, &components));
        }
        assert!(collisions > all.len());
        let apart = [&all[2], &all[4]].map(Access::footprint);
        assert_eq!(apart[0].touched & apart[1].written, 0);
    }
}
