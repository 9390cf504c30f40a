//! Configurations of systems and sets, with their constraints, before they are added to a schedule.
//!
//! Tests: tests/schedules/schedule/orders.rs, tests/schedules/schedule/conditions.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::set::{FunctionSet, IntoSystemSet};
use crate::schedule::label::{InternedSystemSet, SystemSet};
use crate::system::{BoxedSystem, EcsError, IntoSystem, SystemCondition, SystemOutput};

/// The common type of all systems of a schedule.
pub type ScheduleSystem = BoxedSystem<(), Result<(), EcsError>>;

/// Systems and sets: the values that [`IntoScheduleConfigs`](super::IntoScheduleConfigs) can configure.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn gravity() {}
/// # fn movement() {}
///
/// #[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
/// enum Phase { Input, Physics }
///
/// let mut schedule = Schedule::default();
/// schedule.configure_sets((Phase::Input, Phase::Physics).chain()); // sets
/// schedule.add_systems((gravity, movement).chain().in_set(Phase::Physics)); // systems
/// # schedule.run(&mut World::new());
/// ```
pub trait Schedulable: Sized {
    /// Formats the system or set, for `Debug`.
    #[doc(hidden)]
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl Schedulable for ScheduleSystem {
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Schedulable for InternedSystemSet {
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One constraint on the order.
#[derive(Clone, Copy)]
pub(super) struct OrderConfig {
    /// The other system or set.
    pub(super) other: InternedSystemSet,
    /// Whether the configured system or set runs after `other`, and not before it.
    pub(super) after: bool,
    /// Whether the commands of the earlier of the two are applied before the later one runs.
    pub(super) sync: bool,
}

/// A system or a set.
pub(super) struct NodeConfig<T> {
    pub(super) node: T,
    /// The sets that the system or set is in.
    pub(super) sets: Vec<InternedSystemSet>,
    pub(super) orders: Vec<OrderConfig>,
    pub(super) conditions: Vec<BoxedSystem<(), bool>>,
    /// The sets whose systems may conflict with this system or set without an order.
    pub(super) ambiguous_with: Vec<InternedSystemSet>,
    pub(super) ambiguous_with_all: bool,
}

/// Systems or sets that were added together.
pub(super) struct GroupConfig<T> {
    pub(super) members: Vec<Config<T>>,
    /// If set, each member runs after the previous one.
    pub(super) chained: Option<Chain>,
    /// The conditions of the group. The members run only if all of them hold. Each condition is evaluated once for all
    /// members.
    pub(super) conditions: Vec<BoxedSystem<(), bool>>,
}

/// How consecutive members of a chained group are ordered.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) sync: bool,
}

pub(super) enum Config<T> {
    Leaf(Box<NodeConfig<T>>),
    Group(GroupConfig<T>),
}

impl<T: Schedulable> Config<T> {
    fn leaf(node: T) -> Self {
        Self::Leaf(Box::new(NodeConfig {
            node,
            sets: Vec::new(),
            orders: Vec::new(),
            conditions: Vec::new(),
            ambiguous_with: Vec::new(),
            ambiguous_with_all: false,
        }))
    }

    /// Applies a change to each system or set of the configuration.
    fn each(&mut self, change: &mut impl FnMut(&mut NodeConfig<T>)) {
        // The configurations that have not been visited, the next one last. A list instead of recursion, since groups
        // may be nested deeply.
        let mut open = alloc::vec![self];
        while let Some(config) = open.pop() {
            match config {
                Self::Leaf(leaf) => change(leaf),
                Self::Group(group) => open.extend(group.members.iter_mut().rev()),
            }
        }
    }
}

impl<T> Drop for GroupConfig<T> {
    /// Dismantles nested groups in a loop, since recursion could overflow the stack.
    fn drop(&mut self) {
        let mut open = core::mem::take(&mut self.members);
        while let Some(mut config) = open.pop() {
            if let Config::Group(group) = &mut config {
                open.append(&mut group.members);
            }
        }
    }
}

/// Configured systems or sets (`ScheduleConfigs<InternedSystemSet>`) that have not been added to a schedule yet.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn first() {}
/// # fn second() {}
/// let both = (first, second).into_configs();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(both);
/// assert_eq!(schedule.systems_len(), 2);
/// ```
pub struct ScheduleConfigs<T = ScheduleSystem> {
    pub(super) config: Config<T>,
}

impl<T: Schedulable> fmt::Debug for ScheduleConfigs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut list, mut open) = (f.debug_list(), alloc::vec![&self.config]);
        while let Some(config) = open.pop() {
            match config {
                Config::Leaf(leaf) => _ = list.entry(&fmt::from_fn(|f| leaf.node.describe(f))),
                Config::Group(group) => open.extend(group.members.iter().rev()),
            }
        }
        list.finish()
    }
}

impl<T: Schedulable> ScheduleConfigs<T> {
    fn with_each(mut self, mut change: impl FnMut(&mut NodeConfig<T>)) -> Self {
        self.config.each(&mut change);
        self
    }

    fn ordered(self, other: InternedSystemSet, after: bool, sync: bool) -> Self {
        self.with_each(|leaf| leaf.orders.push(OrderConfig { other, after, sync }))
    }

    fn chained(mut self, sync: bool) -> Self {
        if let Config::Group(group) = &mut self.config {
            group.chained = Some(Chain { sync });
        }
        self
    }

    fn only_if(mut self, condition: BoxedSystem<(), bool>) -> Self {
        match &mut self.config {
            Config::Leaf(leaf) => leaf.conditions.push(condition),
            Config::Group(group) => group.conditions.push(condition),
        }
        self
    }
}

/// A value that is a system, a set, a tuple, or a configured value, classified by its type alone. A tuple always counts
/// as a tuple, whatever its members are.
///
/// A function that takes systems has this bound first, and then `S::Whole: IntoScheduleConfigs<..>`. So rustc knows
/// which impl applies when it checks the second bound, and its error points at the tuple member that is not a system.
/// The bound `S: IntoScheduleConfigs<..>` alone would be sufficient, but then the error would point at the whole tuple.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::{ScheduleShape, ScheduleSystem};
/// # fn first() {}
/// # fn second() {}
///
/// fn add<Marker, S: ScheduleShape<Marker>>(schedule: &mut Schedule, systems: S)
/// where
///     S::Whole: IntoScheduleConfigs<ScheduleSystem, Marker>,
/// {
///     schedule.add_systems(systems.whole().chain());
/// }
/// add(&mut Schedule::default(), (first, second));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to a schedule: what is underlined is no system",
    label = "neither a system nor a tuple of at most 20 systems",
    note = "write `#[system]` above the function to see which parameter is wrong; such a function may also take components (`&T`, \
            `&mut T`), and up to 40 parameters",
    note = "a system is a function with at most 16 parameters, all of which implement `SystemParam`, or with `&mut World` and after it \
            only `Local`, `&mut QueryState` and `&mut SystemState`; it returns `()` or `Result`",
    note = "a tuple has at most 20 systems, and may contain further tuples: `((a, b), (c, d))`",
    note = "a system with an input, `In<T>`, is added behind one that returns it: `first.pipe(second)`"
)]
pub trait ScheduleShape<Marker>: Sized {
    /// The type itself.
    type Whole;

    /// Returns the value itself.
    fn whole(self) -> Self::Whole;
}

/// Values that can be added to a schedule: systems that return `()` or `Result`, system sets (with
/// [`configure_sets`](super::Schedule::configure_sets)), and nested tuples of up to 20 of these.
///
/// All methods except `chain` and `run_if` apply to each member of a tuple.
///
/// If you implement this trait by hand, also implement [`ScheduleShape`], with the type itself as `Whole`. bevy_ecs has
/// no such trait.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn first() {}
/// # fn second() {}
/// # fn fallible() -> Result { Ok(()) }
/// let mut schedule = Schedule::default();
/// schedule.add_systems(first).add_systems((second, (first, fallible)));
/// assert_eq!(schedule.systems_len(), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to a schedule: what is underlined is no system",
    label = "neither a system nor a tuple of at most 20 systems",
    note = "write `#[system]` above the function to see which parameter is wrong; such a function may also take components (`&T`, \
            `&mut T`), and up to 40 parameters",
    note = "a system is a function with at most 16 parameters, all of which implement `SystemParam`, or with `&mut World` and after it \
            only `Local`, `&mut QueryState` and `&mut SystemState`; it returns `()` or `Result`",
    note = "a tuple has at most 20 systems, and may contain further tuples: `((a, b), (c, d))`",
    note = "a system with an input, `In<T>`, is added behind one that returns it: `first.pipe(second)`",
    note = "`configure_sets` takes sets instead: values of a type with `#[derive(SystemSet)]`, and tuples of them"
)]
pub trait IntoScheduleConfigs<T: Schedulable, Marker>: ScheduleShape<Marker, Whole = Self> {
    /// Checks all systems at compile time, like `IntoSystem::CHECKED`.
    #[doc(hidden)]
    const CHECKED: () = ();

    /// Converts the value into configurations of systems or sets.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::ScheduleConfigs;
    /// # fn first() {}
    /// # fn second() {}
    ///
    /// fn plugin() -> ScheduleConfigs {
    ///     (first, second).into_configs()
    /// }
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((plugin(), plugin()));
    /// assert_eq!(schedule.systems_len(), 4);
    /// ```
    #[track_caller]
    fn into_configs(self) -> ScheduleConfigs<T>;

    /// Makes each member of the tuple run after the previous one, and see the effects of its commands.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Egg;
    ///
    /// fn lay(mut commands: Commands) {
    ///     commands.spawn(Egg);
    /// }
    ///
    /// fn count(eggs: Query<&Egg>) {
    ///     assert_eq!(eggs.count(), 1);
    /// }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((lay, count).chain());
    /// schedule.run(&mut World::new());
    /// ```
    #[track_caller]
    fn chain(self) -> ScheduleConfigs<T> {
        self.into_configs().chained(true)
    }

    /// Orders the members of the tuple, like [`chain`](Self::chain), but commands may be applied later than before the
    /// next member. They are applied at the latest before the next system that is ordered after these without ignoring
    /// deferred commands, before the next exclusive system (one with `&mut World`) that is ordered after these, or at
    /// the end of the run.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn spawn(mut commands: Commands) { commands.spawn_empty(); }
    ///
    /// fn count(all: Query<Entity>) {
    ///     assert!(all.is_empty());
    /// }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((spawn, count).chain_ignore_deferred());
    /// schedule.run(&mut World::new());
    /// ```
    #[track_caller]
    fn chain_ignore_deferred(self) -> ScheduleConfigs<T> {
        self.into_configs().chained(false)
    }

    /// Orders the members of the tuple, like [`chain`](Self::chain). In bevy_ecs, only conflicting systems are ordered
    /// by this. Here all are ordered, which is one of the orders that bevy_ecs allows.
    #[track_caller]
    fn chain_weak(self) -> ScheduleConfigs<T> {
        self.chain()
    }

    /// Orders systems, like [`before`](Self::before); see [`chain_weak`](Self::chain_weak).
    #[track_caller]
    fn before_weak<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        self.before(set)
    }

    /// Orders systems, like [`after`](Self::after); see [`chain_weak`](Self::chain_weak).
    #[track_caller]
    fn after_weak<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        self.after(set)
    }

    /// Runs these systems before a system, or before all systems of a set. The later systems see the effects of the
    /// commands of these systems.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((second, first.before(second)));
    /// schedule.initialize(&mut World::new()).unwrap();
    /// assert!(schedule.system_names()[0].ends_with("first"));
    /// ```
    #[track_caller]
    fn before<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        self.into_configs().ordered(set.into_system_set(), false, true)
    }

    /// Runs these systems after a system, or after all systems of a set. These systems see the effects of the commands
    /// of the earlier ones.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((second.after(first), first));
    /// schedule.initialize(&mut World::new()).unwrap();
    /// assert!(schedule.system_names()[0].ends_with("first"));
    /// ```
    #[track_caller]
    fn after<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        self.into_configs().ordered(set.into_system_set(), true, true)
    }

    /// Orders systems, like [`before`](Self::before), but commands may be applied later, as with
    /// [`chain_ignore_deferred`](Self::chain_ignore_deferred).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((second, first.before_ignore_deferred(second)));
    /// schedule.initialize(&mut World::new()).unwrap();
    /// assert!(schedule.system_names()[0].ends_with("first"));
    /// ```
    #[track_caller]
    fn before_ignore_deferred<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        self.into_configs().ordered(set.into_system_set(), false, false)
    }

    /// Orders systems, like [`after`](Self::after), but commands may be applied later, as with
    /// [`chain_ignore_deferred`](Self::chain_ignore_deferred).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((second.after_ignore_deferred(first), first));
    /// schedule.initialize(&mut World::new()).unwrap();
    /// assert!(schedule.system_names()[0].ends_with("first"));
    /// ```
    #[track_caller]
    fn after_ignore_deferred<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        self.into_configs().ordered(set.into_system_set(), true, false)
    }

    /// Adds these systems or sets to a set. The order and the conditions of the set apply to them.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)] struct Drawing;
    /// # fn shapes() {}
    /// # fn text() {}
    /// # fn clear() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(((shapes, text).in_set(Drawing), clear.before(Drawing)));
    /// schedule.initialize(&mut World::new()).unwrap();
    /// assert!(schedule.system_names()[0].ends_with("clear"));
    /// ```
    #[track_caller]
    fn in_set(self, set: impl SystemSet) -> ScheduleConfigs<T> {
        let set = set.intern();
        assert!(
            FunctionSet::function_of(set).is_none(),
            "systems cannot be put into `{set:?}`, which is the set of a function"
        );
        self.into_configs().with_each(|leaf| leaf.sets.push(set))
    }

    /// Runs the systems only if a condition holds. The condition is evaluated once per run, before the first of the
    /// systems would run.
    ///
    /// With several conditions, as in `system.run_if(a).run_if(b)`, all must hold. All conditions are evaluated each
    /// time, in this order, so that a condition that counts its runs counts all of them; `a.and_then(b)` evaluates `b`
    /// only if `a` holds. If a tuple or set has a condition, the conditions inside of it are evaluated only if that
    /// condition holds.
    ///
    /// If the parameters of a condition cannot be fetched, this is an error, as for any system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Paused(bool);
    /// # #[derive(Resource, Default)] struct Time(u32);
    ///
    /// fn running(paused: Res<Paused>) -> bool {
    ///     !paused.0
    /// }
    ///
    /// fn step(mut time: ResMut<Time>) {
    ///     time.0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Paused>();
    /// world.init_resource::<Time>();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((step, step).run_if(running));
    /// schedule.run(&mut world);
    /// world.resource_mut::<Paused>().0 = true;
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Time>().0, 2);
    /// ```
    #[track_caller]
    fn run_if<M>(self, condition: impl SystemCondition<M>) -> ScheduleConfigs<T> {
        self.into_configs().only_if(condition.into_condition())
    }

    /// Adds a condition, like [`run_if`](Self::run_if), but each system gets its own copy of the condition, which is
    /// evaluated when that system would run.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Time(u32);
    ///
    /// fn early(time: Res<Time>) -> bool {
    ///     time.0 == 0
    /// }
    ///
    /// fn step(mut time: ResMut<Time>) {
    ///     time.0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Time>();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((step, step).distributive_run_if(early));
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Time>().0, 1);
    /// ```
    #[track_caller]
    fn distributive_run_if<M>(self, condition: impl SystemCondition<M> + Clone) -> ScheduleConfigs<T> {
        self.into_configs().with_each(|leaf| leaf.conditions.push(condition.clone().into_condition()))
    }

    /// Allows these systems to conflict with a system, or with the systems of a set, without an order.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Sum(u32);
    /// # fn one(mut sum: ResMut<Sum>) { sum.0 += 1; }
    /// # fn two(mut sum: ResMut<Sum>) { sum.0 += 2; }
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((one, two.ambiguous_with(one)));
    /// schedule.initialize(&mut world).unwrap();
    /// assert!(schedule.ambiguities(&world).is_empty());
    /// ```
    #[track_caller]
    fn ambiguous_with<M>(self, set: impl IntoSystemSet<M>) -> ScheduleConfigs<T> {
        let set = set.into_system_set();
        self.into_configs().with_each(|leaf| leaf.ambiguous_with.push(set))
    }

    /// Allows these systems to conflict with all other systems without an order.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Sum(u32);
    /// # fn one(mut sum: ResMut<Sum>) { sum.0 += 1; }
    /// # fn print(_: Res<Sum>) {}
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((one, print.ambiguous_with_all()));
    /// schedule.initialize(&mut world).unwrap();
    /// assert!(schedule.ambiguities(&world).is_empty());
    /// ```
    #[track_caller]
    fn ambiguous_with_all(self) -> ScheduleConfigs<T> {
        self.into_configs().with_each(|leaf| leaf.ambiguous_with_all = true)
    }
}

/// Implements [`ScheduleShape`] for types that are added unchanged.
macro_rules! whole {
    ($([$($generics:tt)*] $Type:ty: $Marker:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> ScheduleShape<$Marker> for $Type {
            type Whole = Self;

            fn whole(self) -> Self {
                self
            }
        }
    )* };
}
pub(super) use whole;

whole! {
    [T: Schedulable] ScheduleConfigs<T>: ();
    [S: IntoSystem<(), Out, Marker>, Out: SystemOutput, Marker] S: (SystemConfigMarker, Out, Marker);
    [S: SystemSet] S: SetConfigMarker;
}

impl<T: Schedulable> IntoScheduleConfigs<T, ()> for ScheduleConfigs<T> {
    fn into_configs(self) -> Self {
        self
    }
}

/// Marker type: distinguishes single systems from tuples.
#[doc(hidden)]
pub struct SystemConfigMarker;

#[diagnostic::do_not_recommend]
impl<S, Out, Marker> IntoScheduleConfigs<ScheduleSystem, (SystemConfigMarker, Out, Marker)> for S
where
    S: IntoSystem<(), Out, Marker>,
    Out: SystemOutput,
{
    const CHECKED: () = S::CHECKED;

    fn into_configs(self) -> ScheduleConfigs {
        ScheduleConfigs { config: Config::leaf(S::into_fallible_system(self)) }
    }
}

/// Marker type: distinguishes sets from systems and tuples.
#[doc(hidden)]
pub struct SetConfigMarker;

#[diagnostic::do_not_recommend]
impl<S: SystemSet> IntoScheduleConfigs<InternedSystemSet, SetConfigMarker> for S {
    fn into_configs(self) -> ScheduleConfigs<InternedSystemSet> {
        ScheduleConfigs { config: Config::leaf(self.intern()) }
    }
}
