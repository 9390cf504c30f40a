//! Systems that own their input.
//!
//! Tests: tests/systems/params/singles.rs, tests/hazards/preparing.rs

use super::map::Wrap;
use crate::structure::store::{Store, WorldId};
use crate::system::input::{InputItem, SystemInput};
use crate::system::memory::StateVisitor;
use crate::system::param_error::ParamError;

/// The input of a system: a value, or a function that makes it for a world.
pub(in crate::system) enum OwnInput<T> {
    Value(T),
    MadeBy(fn(&mut Store) -> T, Option<(WorldId, T)>),
}

impl<I, Out, T> Wrap<I, Out> for OwnInput<T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    T: Send + Sync + 'static,
{
    type In = ();
    type Out = Out;

    fn wrap(
        &mut self,
        _: &str,
        (): (),
        run: impl FnOnce(InputItem<'_, I>) -> Result<Out, ParamError>,
    ) -> Result<Out, ParamError> {
        match self {
            Self::Value(value) | Self::MadeBy(_, Some((_, value))) => run(value),
            Self::MadeBy(_, None) => panic!("a system was not initialised, so it has no input"),
        }
    }

    fn prepare(&mut self, name: &str, store: &mut Store) {
        let world = store.id();
        if let Self::MadeBy(make, made) = self
            && made.as_ref().is_none_or(|(of, _)| *of != world)
        {
            // The old value is removed first: if its `Drop` or `make` panics, there is no value.
            drop(made.take());
            let value = make(store);
            assert!(world == store.id(), "system `{name}`: its input has replaced the world");
            *made = Some((world, value));
        }
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        if let Self::Value(value) | Self::MadeBy(_, Some((_, value))) = self {
            keeper.value(value);
        }
    }
}
