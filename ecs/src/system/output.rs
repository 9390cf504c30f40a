//! The output types of systems.
//!
//! Tests: tests/systems/systems.rs, tests/systems/errors.rs

use crate::util::error::EcsError;

/// The return type of a fallible system.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource)]
/// struct Input(String);
///
/// fn parse(input: Res<Input>) -> Result {
///     let number: u32 = input.0.parse()?;
///     assert_eq!(number, 12);
///     Ok(())
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Input("12".into()));
/// world.run_system_once(parse).unwrap().unwrap();
/// ```
pub type Result<T = (), E = EcsError> = core::result::Result<T, E>;

/// The output of a system that a schedule runs: `()`, or a `Result` whose error converts into an [`EcsError`].
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Debug)]
/// # struct Late;
/// # impl std::fmt::Display for Late {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("too late") }
/// # }
/// # impl std::error::Error for Late {}
/// fn late() -> Result<(), Late> {
///     Err(Late)
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems((|| (), late));
/// assert!(schedule.try_run(&mut World::new()).unwrap_err().to_string().ends_with("too late"));
/// ```
#[diagnostic::on_unimplemented(
    message = "a system returns `()` or `Result<(), E>`, not `{Self}`",
    label = "not what a system may return"
)]
pub trait SystemOutput: 'static {
    /// Converts the output into a result.
    ///
    /// # Errors
    ///
    /// If the system returned an error.
    ///
    /// ```
    /// use strata_ecs::system::SystemOutput;
    ///
    /// assert!(().into_result().is_ok());
    /// assert_eq!(Err::<(), _>("no").into_result().unwrap_err().to_string(), "no");
    /// ```
    fn into_result(self) -> Result;
}

impl SystemOutput for () {
    #[inline(always)]
    fn into_result(self) -> Result {
        Ok(())
    }
}

/// The type `!`. A closure that always panics returns it.
type Never = <fn() -> ! as Returns>::Out;

/// Names the return type of a function pointer type.
#[doc(hidden)]
pub trait Returns {
    /// The return type.
    type Out;
}

impl<Out> Returns for fn() -> Out {
    type Out = Out;
}

impl SystemOutput for Never {
    fn into_result(self) -> Result {
        self
    }
}

impl<E: Into<EcsError> + 'static> SystemOutput for core::result::Result<(), E> {
    #[inline]
    fn into_result(self) -> Result {
        self.map_err(Into::into)
    }
}
