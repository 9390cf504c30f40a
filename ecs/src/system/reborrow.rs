//! Handing a parameter on for a shorter time.

use super::param::SystemParam;

/// A parameter that a row system can hand to its function once per row: every system parameter.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a row system",
    label = "cannot be handed to each row",
    note = "beside components, row systems take `Query`, `Lookup`, `Res`, `ResMut`, `Local`, `Commands`, `&World`, `ParamSet` \
            and tuples of these, and structs with `#[derive(SystemParam)]`"
)]
pub trait Reborrow {
    /// The same parameter for a shorter time.
    type Short<'a>
    where
        Self: 'a;

    fn reborrow(&mut self) -> Self::Short<'_>;
}

#[diagnostic::do_not_recommend]
impl<P: SystemParam> Reborrow for P {
    type Short<'a>
        = P::Item<'a, 'a>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> P::Item<'_, '_> {
        P::short(self)
    }
}
