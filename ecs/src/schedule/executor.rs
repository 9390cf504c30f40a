//! Executors, which run the systems of a schedule.
//!
//! Tests: tests/schedules/schedule/threads.rs, tests/schedules/determinism

/// Runs the systems of a schedule one after the other, on the thread that runs the schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::SingleThreadedExecutor;
/// # fn first() {}
/// let mut schedule = Schedule::default();
/// schedule.add_systems(first).set_executor(SingleThreadedExecutor::new());
/// schedule.run(&mut World::new());
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct SingleThreadedExecutor(());

impl SingleThreadedExecutor {
    /// Creates the executor. It has no settings.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

/// Runs the systems of a schedule in parallel, on the threads of the world's pool, where that pays off. This is the
/// default.
///
/// The cost of each system is measured in some runs. The systems of a stage with too little work run one after the
/// other, as with the [`SingleThreadedExecutor`]. The result is always the same.
///
/// Without the feature `parallel`, it behaves like the [`SingleThreadedExecutor`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::MultiThreadedExecutor;
/// # fn first() {}
/// let mut schedule = Schedule::default();
/// schedule.add_systems(first).set_executor(MultiThreadedExecutor::new());
/// schedule.run(&mut World::new());
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct MultiThreadedExecutor {
    eager: bool,
}

impl MultiThreadedExecutor {
    /// Creates an executor that runs systems in parallel where that pays off.
    #[must_use]
    pub const fn new() -> Self {
        Self { eager: false }
    }

    /// Creates an executor that runs all systems in parallel that can run in parallel, whatever they cost. This is
    /// slow. It is meant for finding mistakes in systems that synchronize by other means than their parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::MultiThreadedExecutor;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((first, second)).set_executor(MultiThreadedExecutor::eager());
    /// schedule.run(&mut World::new());
    /// ```
    #[must_use]
    pub const fn eager() -> Self {
        Self { eager: true }
    }
}

/// The executor of a schedule: a [`SingleThreadedExecutor`] or a [`MultiThreadedExecutor`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};
///
/// fn chosen(arguments: &[&str]) -> Executor {
///     match arguments.contains(&"--one-thread") {
///         true => SingleThreadedExecutor::new().into(),
///         false => MultiThreadedExecutor::new().into(),
///     }
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.set_executor(chosen(&["--one-thread"]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Executor(ExecutorKind);

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum ExecutorKind {
    One,
    #[default]
    Several,
    Eager,
}

impl Executor {
    /// Returns whether systems may run in parallel.
    #[cfg(feature = "parallel")]
    pub(super) fn is_parallel(self) -> bool {
        self.0 != ExecutorKind::One
    }

    /// Returns whether systems run in parallel, whatever they cost.
    #[cfg(feature = "parallel")]
    pub(super) fn is_eager(self) -> bool {
        self.0 == ExecutorKind::Eager
    }
}

impl_from!([] SingleThreadedExecutor => Executor, |_| Self(ExecutorKind::One));

impl_from!([] MultiThreadedExecutor => Executor, |executor|
    Self(if executor.eager { ExecutorKind::Eager } else { ExecutorKind::Several }));
