//! Parameters that are a system's own: they borrow nothing of the world.

use super::local::Local;
use super::world::{LocalSource, MadeFromStore, NameSource, SystemName};
use crate::system::param::ParamSource;

/// The source of a parameter that borrows nothing of the world, so that a system can have it beside all of the world.
#[doc(hidden)]
pub trait OwnSource: ParamSource {
    /// Fetches it.
    fn own(state: &mut Self::State) -> Self::Got<'static, '_>;
}

impl<T: MadeFromStore + Send + Sync + 'static> OwnSource for LocalSource<T> {
    #[inline]
    fn own(state: &mut T) -> Local<'_, T> {
        Local::from(state)
    }
}

impl OwnSource for NameSource {
    #[inline]
    fn own(state: &mut SystemName) -> SystemName {
        *state
    }
}

impl OwnSource for () {
    #[inline]
    fn own((): &mut ()) {}
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: OwnSource),*> OwnSource for ($($T,)*) {
            #[inline]
            fn own(state: &mut Self::State) -> Self::Got<'static, '_> {
                ($($T::own(&mut state.$at),)*)
            }
        }
    };
}

small_tuples!(tuples);
