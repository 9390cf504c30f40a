//! What a system may return.

use crate::error::EcsError;

/// What a fallible system returns.
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

/// What a system of a schedule may return: `()`, or a `Result` whose error can become an [`EcsError`].
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
    /// Whether it went well.
    ///
    /// # Errors
    ///
    /// If the system said so.
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

/// The type that `!` is: what a closure returns that only panics.
type Never = <fn() -> ! as Returns>::Out;

/// Names what a function returns.
#[doc(hidden)]
pub trait Returns {
    /// It.
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
