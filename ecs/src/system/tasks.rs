//! Parameters in parallel loops. All tasks share the parameters that only read. For commands and messages each task has its own
//! recorder.
//!
//! Recorded commands and messages are joined in the order of tasks. The tasks depend on the number of rows only, so the result is
//! the same as in a plain loop, on any number of threads.
//!
//! Tests: tests/systems/parallel/systems.rs, tests/systems/parallel/commands.rs

use core::marker::PhantomData;
use core::ops::Range;

use super::fields::{Field, FieldNames, Fields};
use super::param::{ParamSource, SystemParam};
use super::params::{
    CommandsSource, Lookup, LookupSource, MessageWriter, NameSource, OptionSource, QuerySource, Reads, Res,
    ResourceSource, ResourceSourceWith, WorldSource, Writes,
};
use crate::entity::SplitStream;
use crate::query::change::DetectChangesMut as _;
use crate::query::{FilterTerms, Query, QueryFilter, ReadOnlyFetch, ReadOnlyQueryData};
use crate::storage::message::{Message, Messages};
use crate::storage::resource::Resource;
use crate::structure::cell::ReadCell;
use crate::system::ResMut;
use crate::system::commands::{CommandQueue, Commands};
use crate::util::origin::SystemOrigin;
use crate::util::pool::{LANES, Pool, ResultSlots, Tasks};
use crate::util::tuples::Groups;

/// The source of a parameter that the tasks of a parallel loop can use.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a parameter of this type cannot be shared by the threads of a parallel loop",
    label = "cannot be shared by the threads",
    note = "what threads share is read only: `Query<&T>`, `Lookup<&T>`, `Res<T>`, `Option<Res<T>>` and `&World`; and what is \
            recorded is put in order afterwards: `Commands` and `MessageWriter<T>`",
    note = "leave `par` out; or write a component of the row, an atomic or a `Mutex` in a resource, or messages that \
            another system adds up"
)]
pub trait TaskSource: ParamSource {
    /// The data that all tasks share.
    type Common<'t>: Send + Sync;
    /// The data that a task records.
    type Part: Send;

    /// Whether the parameter records anything.
    const RECORDS: bool;

    /// Returns an empty part.
    fn part() -> Self::Part;

    /// Returns the shared data for this number of tasks. The tasks run in lanes if they record.
    fn common<'t>(got: &'t Self::Got<'_, '_>, tasks: usize) -> Self::Common<'t>;

    /// Returns the parameter of a task.
    ///
    /// # Safety
    ///
    /// - If the source records, no other parameter of this task is in use.
    unsafe fn lend<'c: 't, 't>(
        common: &'t Self::Common<'c>,
        part: &'t mut Self::Part,
        task: usize,
    ) -> Self::Got<'t, 't>;

    /// Appends the data that tasks have recorded to the parameter.
    fn join(got: &mut Self::Got<'_, '_>, part: Self::Part);
}

/// Implements sources whose parameters are copied for each task.
macro_rules! copied {
    ($([$($generics:tt)*] $Source:ty => $Got:ty;)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($generics)*> TaskSource for $Source {
            type Common<'t> = $Got;
            type Part = ();

            const RECORDS: bool = false;

            #[inline]
            fn part() {}

            #[inline]
            fn common<'t>(got: &'t Self::Got<'_, '_>, _: usize) -> Self::Common<'t> {
                *got
            }

            #[inline]
            unsafe fn lend<'c: 't, 't>(common: &'t Self::Common<'c>, (): &'t mut (), _: usize) -> Self::Got<'t, 't> {
                *common
            }

            #[inline]
            fn join(_: &mut Self::Got<'_, '_>, (): ()) {}
        })*
    };
}

copied! {
    [R: Resource] ResourceSource<R, Reads> => Res<'t, R>;
    [T: ReadOnlyFetch, F: FilterTerms] QuerySource<T, F> => <Self as ParamSource>::Got<'t, 't>;
    [T: ReadOnlyFetch, F: FilterTerms] LookupSource<T, F> => <Self as ParamSource>::Got<'t, 't>;
    [] () => ();
    [] WorldSource => ReadCell<'t>;
    [] NameSource => super::params::SystemName;
}

/// The shared data for recording commands in a task's own queue.
#[doc(hidden)]
pub struct TaskRecorder<'t> {
    /// Each lane of tasks has its own part of the ids, so the ids that a task gets do not depend on which task runs first.
    ids: SplitStream<'t>,
    system: SystemOrigin,
}

impl TaskSource for CommandsSource {
    type Common<'t> = TaskRecorder<'t>;
    type Part = CommandQueue;

    const RECORDS: bool = true;

    #[inline]
    fn part() -> CommandQueue {
        CommandQueue::default()
    }

    #[inline]
    fn common<'t>(got: &'t Commands<'_, '_>, tasks: usize) -> Self::Common<'t> {
        TaskRecorder { ids: got.ids.split(tasks.min(LANES) as u32, 0), system: got.system }
    }

    #[inline]
    unsafe fn lend<'c: 't, 't>(
        common: &'t Self::Common<'c>,
        part: &'t mut CommandQueue,
        task: usize,
    ) -> Commands<'t, 't> {
        Commands::from_parts(&mut part.queue, common.ids.part((task % LANES) as u32), common.system)
    }

    fn join(got: &mut Commands<'_, '_>, mut part: CommandQueue) {
        got.append(&mut part);
    }
}

/// The messages that a task writes.
#[doc(hidden)]
pub struct WrittenMessages<M>(Messages<M>, ());

#[diagnostic::do_not_recommend]
impl<M: Message> TaskSource for ResourceSourceWith<Messages<M>, Writes, ()> {
    type Common<'t> = ();
    type Part = WrittenMessages<M>;

    const RECORDS: bool = true;

    #[inline]
    fn part() -> WrittenMessages<M> {
        WrittenMessages(Messages::unnumbered(), ())
    }

    #[inline]
    fn common(_: &Self::Got<'_, '_>, _: usize) {}

    #[inline]
    unsafe fn lend<'c: 't, 't>(
        (): &'t (),
        WrittenMessages(messages, nothing): &'t mut WrittenMessages<M>,
        _: usize,
    ) -> Self::Got<'t, 't> {
        (ResMut::from(messages), nothing)
    }

    fn join((messages, ()): &mut Self::Got<'_, '_>, mut part: WrittenMessages<M>) {
        // A message writer marks the resource as changed even if it writes nothing, so a task's writer does, too.
        messages.set_changed();
        messages.bypass_change_detection().take_over(&mut part.0);
    }
}

/// Implements structs of parameters and their fields. These are lent out like the parameters inside.
macro_rules! of_what_is_inside {
    ($Source:ty, $($generics:tt)*) => {
        impl<$($generics)*> TaskSource for $Source {
            type Common<'t> = S::Common<'t>;
            type Part = S::Part;

            const RECORDS: bool = S::RECORDS;

            #[inline]
            fn part() -> S::Part {
                S::part()
            }

            #[inline]
            fn common<'t>(got: &'t Self::Got<'_, '_>, tasks: usize) -> Self::Common<'t> {
                S::common(got, tasks)
            }

            #[inline]
            unsafe fn lend<'c: 't, 't>(
                common: &'t Self::Common<'c>,
                part: &'t mut S::Part,
                task: usize,
            ) -> Self::Got<'t, 't> {
                // SAFETY: forwarded: if the source records, no other parameter of this task is in use.
                unsafe { S::lend(common, part, task) }
            }

            #[inline]
            fn join(got: &mut Self::Got<'_, '_>, part: S::Part) {
                S::join(got, part);
            }
        }
    };
}

of_what_is_inside!(Field<P, N, S>, P: FieldNames, const N: usize, S: TaskSource);
of_what_is_inside!(Fields<S>, S: TaskSource);

impl<S: TaskSource> TaskSource for OptionSource<S> {
    type Common<'t> = Option<S::Common<'t>>;
    type Part = S::Part;

    const RECORDS: bool = S::RECORDS;

    #[inline]
    fn part() -> S::Part {
        S::part()
    }

    #[inline]
    fn common<'t>(got: &'t Self::Got<'_, '_>, tasks: usize) -> Self::Common<'t> {
        got.as_ref().map(|got| S::common(got, tasks))
    }

    #[inline]
    unsafe fn lend<'c: 't, 't>(common: &'t Self::Common<'c>, part: &'t mut S::Part, task: usize) -> Self::Got<'t, 't> {
        // SAFETY: forwarded: if the source records, no other parameter of this task is in use.
        common.as_ref().map(|common| unsafe { S::lend(common, part, task) })
    }

    #[inline]
    fn join(got: &mut Self::Got<'_, '_>, part: S::Part) {
        if let Some(got) = got {
            S::join(got, part);
        }
    }
}

macro_rules! sources {
    ($($T:ident $at:tt)*) => {
        impl<$($T: TaskSource),*> TaskSource for ($($T,)*) {
            type Common<'t> = ($($T::Common<'t>,)*);
            type Part = ($($T::Part,)*);

            const RECORDS: bool = false $(|| $T::RECORDS)*;

            #[inline]
            fn part() -> Self::Part {
                ($($T::part(),)*)
            }

            #[inline]
            fn common<'t>(got: &'t Self::Got<'_, '_>, tasks: usize) -> Self::Common<'t> {
                ($($T::common(&got.$at, tasks),)*)
            }

            #[inline]
            unsafe fn lend<'c: 't, 't>(
                common: &'t Self::Common<'c>,
                part: &'t mut Self::Part,
                task: usize,
            ) -> Self::Got<'t, 't> {
                // SAFETY: forwarded for each member: if it records, no other parameter of this task is in use.
                unsafe { ($($T::lend(&common.$at, &mut part.$at, task),)*) }
            }

            #[inline]
            fn join(got: &mut Self::Got<'_, '_>, part: Self::Part) {
                $($T::join(&mut got.$at, part.$at);)*
            }
        }
    };
}

small_tuples!(sources);

of_what_is_inside!(Groups<S>, S: TaskSource);

/// A fetched value that has not been converted into the user's parameter type.
pub(crate) struct Fetched<'w, 's, S: ParamSource>(pub(crate) S::Got<'w, 's>);

params! {
    [S: ParamSource] Fetched<'_, '_, S> => Fetched<'w, 's, S>, S, |got| Fetched(got);
}

/// Runs all tasks, each with a parameter of its own, and joins the data that they have recorded. Each thread has a value of type
/// `T`, which the tasks on this thread share.
///
/// # Errors
///
/// The error of the first task that fails. The data recorded by this task and by the tasks before it is kept; the rest is
/// discarded.
pub(crate) fn run_tasks<S: TaskSource, T: Default, E: Send>(
    pool: &Pool,
    tasks: Tasks,
    got: &mut S::Got<'_, '_>,
    run: impl for<'t> Fn(&mut T, Range<usize>, S::Got<'t, 't>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    // An empty part is joined first: as in a plain loop, a system that might record something counts as having recorded it, even without
    // tasks.
    S::join(got, S::part());
    // Each lane has ids of its own: the ids that a task gets depend only on the tasks before it in the lane.
    let tasks = if S::RECORDS { tasks.in_lanes() } else { tasks };
    let common = S::common(got, tasks.len());
    let parts = ResultSlots::<(S::Part, Result<(), E>)>::new(tasks.len());
    pool.work_off(tasks, |tasks| {
        let mut kept = T::default();
        let mut open: Option<OpenTask<S::Part>> = None;
        while let Some((task, rows)) = tasks.take() {
            if let Some(done) = open.take_if(|open| open.end != task) {
                // SAFETY: each task is taken once, and `done.first` is the first task of a sequence, so only this thread writes at
                // this position, and only once.
                unsafe { parts.put(done.first, (done.part, Ok(()))) }
            }
            let OpenTask { part, end, .. } =
                open.get_or_insert_with(|| OpenTask { first: task, end: task, part: S::part() });
            *end = task + 1;
            // SAFETY: each task is taken once, and its parameter is used in this call only.
            let result = run(&mut kept, rows, unsafe { S::lend(&common, part, task) });
            if result.is_err() {
                if let Some(OpenTask { first, part, .. }) = open.take() {
                    // SAFETY: each task is taken once, and `first` is the first task of a sequence, so only this thread writes at
                    // this position, and only once.
                    unsafe { parts.put(first, (part, result)) }
                }
                // Tasks before this one may still be pending in other lanes: these are not abandoned.
                tasks.abandon_rest();
            }
        }
        if let Some(OpenTask { first, part, .. }) = open {
            // SAFETY: each task is taken once, and `first` is the first task of a sequence, so only this thread writes at this
            // position, and only once.
            unsafe { parts.put(first, (part, Ok(()))) }
        }
    });
    drop(common);
    // All tasks before the first one that failed were taken and have finished, so the parts are joined up to the error, as in a plain loop.
    for (part, result) in parts.into_parts() {
        S::join(got, part);
        result?;
    }
    Ok(())
}

/// The data that a thread records while it takes consecutive tasks.
struct OpenTask<P> {
    first: usize,
    end: usize,
    part: P,
}

/// A parameter of a system that can be passed to a parallel loop:
/// [`QueryParIter::for_each_with`](crate::query::QueryParIter::for_each_with).
///
/// These parameters are `Query`s and [`Lookup`]s that only read, [`Res`], `Option<Res>`, `&World`, [`Commands`], [`MessageWriter`]
/// and tuples of these.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::TaskParam;
/// # #[derive(Component)] struct Health(u32);
///
/// fn can_be_given<'w, 's, P: TaskParam<'w, 's>>(_: P) {}
///
/// fn system(all: Query<&Health>, mut commands: Commands) {
///     can_be_given((all, commands.reborrow()));
/// }
/// # World::new().run_system_once(system).unwrap();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared by the threads of a parallel loop",
    label = "cannot be shared by the threads",
    note = "what threads share is read only: `Query<&T>`, `Lookup<&T>`, `Res<T>`, `Option<Res<T>>` and `&World`; and what is \
            recorded is put in order afterwards: `Commands` and `MessageWriter<T>`; tuples of these"
)]
pub trait TaskParam<'w, 's>: SystemParam<Source: TaskSource> {
    #[doc(hidden)]
    fn into_got(self) -> <Self::Source as ParamSource>::Got<'w, 's>;
}

/// Implements [`TaskParam`] for parameters, each with the value that its source fetches.
macro_rules! task_params {
    ($([$($generics:tt)*] $Param:ty => |$this:ident| $got:expr;)*) => { $(
        impl<'w, 's, $($generics)*> TaskParam<'w, 's> for $Param {
            fn into_got(self) -> <Self::Source as ParamSource>::Got<'w, 's> {
                let $this = self;
                $got
            }
        }
    )* };
}

task_params! {
    [R: Resource] Res<'w, R> => |this| this;
    [R: Resource] Option<Res<'w, R>> => |this| this;
    [D: ReadOnlyQueryData, F: QueryFilter] Query<'w, 's, D, F> => |this| this.with_same_terms();
    [D: ReadOnlyQueryData, F: QueryFilter] Lookup<'w, 's, D, F> => |this| this.query.with_same_terms();
    [] Commands<'w, 's> => |this| this;
    // Leaking the box of a zero-sized value leaks no memory.
    [M: Message] MessageWriter<'w, M> => |this| (ResMut::from(this.messages), alloc::boxed::Box::leak(alloc::boxed::Box::new(())));
    [T: ?Sized] PhantomData<T> => |_this| ();
    [] () => |_this| ();
}

macro_rules! task_tuples {
    ($([$($T:ident $at:tt)*])*) => {
        impl<'w, 's, $($($T: TaskParam<'w, 's>),*),*> TaskParam<'w, 's> for ($($($T,)*)*) {
            fn into_got(self) -> <Self::Source as ParamSource>::Got<'w, 's> {
                grouped!($([$(self.$at.into_got()),*])*)
            }
        }
    };
}

task_tuples!([A 0]);
task_tuples!([A 0 B 1]);
task_tuples!([A 0 B 1 C 2]);
task_tuples!([A 0 B 1 C 2 D 3]);
large_tuples!(task_tuples);
