//! Executors, which run the systems of a schedule.

/// The systems of a schedule run one after the other, on the thread that runs the schedule.
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
    /// It has no settings.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

/// The systems of a schedule run side by side, on the threads of the world's pool, where that is worth it: the default.
///
/// Now and then it is measured what each system costs. Stages in which there is too little to do run one after the other, as
/// with the [`SingleThreadedExecutor`], and cheap systems are handed over together. The result is the same in any case.
///
/// Without the feature `parallel` it is the same as the other one.
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
    /// Hands over what is worth it.
    #[must_use]
    pub const fn new() -> Self {
        Self { eager: false }
    }

    /// Hands over every system that may run beside another, whatever it costs. Slow: to find mistakes in systems that
    /// synchronise by other means than their parameters.
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

/// What runs the systems of a schedule: a [`SingleThreadedExecutor`] or a [`MultiThreadedExecutor`].
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
    /// Whether systems may run side by side.
    #[cfg(feature = "parallel")]
    pub(super) fn is_parallel(self) -> bool {
        self.0 != ExecutorKind::One
    }

    /// Whether they do so whatever they cost.
    #[cfg(feature = "parallel")]
    pub(super) fn is_eager(self) -> bool {
        self.0 == ExecutorKind::Eager
    }
}

impl_from!([] SingleThreadedExecutor => Executor, |_| Self(ExecutorKind::One));

impl_from!([] MultiThreadedExecutor => Executor, |executor|
    Self(if executor.eager { ExecutorKind::Eager } else { ExecutorKind::Several }));
