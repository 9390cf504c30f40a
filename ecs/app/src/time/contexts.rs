//! Debug output, hashes and text forms of clocks with the contexts of this crate.
//!
//! Tests: tests/snapshots/apps.rs

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use strata_ecs::component::Persistence;

use super::base::{Span, Time};
use super::fixed::Fixed;
use super::real::Real;
use super::virtual_time::Virtual;
use crate::form::{Words, as_text};

/// Contexts of this crate are shown with their values, and other contexts as the names of their types. So a context need not be `Debug`,
/// and differences between worlds still show the time of the clock.
impl<T: Default + 'static> fmt::Debug for Time<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { context, wrap_period, delta, elapsed, .. } = self;
        let any: &dyn Any = context;
        let known: [Option<&dyn fmt::Debug>; 4] = [
            any.downcast_ref::<()>().map(|context| context as _),
            any.downcast_ref::<Real>().map(|context| context as _),
            any.downcast_ref::<Virtual>().map(|context| context as _),
            any.downcast_ref::<Fixed>().map(|context| context as _),
        ];
        let mut shown = f.debug_struct("Time");
        match known.into_iter().flatten().next() {
            Some(context) => shown.field("context", context),
            None => shown.field("context", &format_args!("{} {{ .. }}", type_name::<T>())),
        };
        shown.field("delta", &delta.duration).field("elapsed", &elapsed.duration).field("wrap_period", wrap_period);
        shown.finish()
    }
}

/// The hash covers the times, and the context if its type is one of this crate. So a context need not be `Hash`. The seconds are not
/// hashed, because they are derived from the durations.
impl<T: Default + 'static> Hash for Time<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { context, wrap_period, delta, elapsed, wrapped } = self;
        [*wrap_period, delta.duration, elapsed.duration, wrapped.duration].hash(state);
        let context: &dyn Any = context;
        if let Some(context) = context.downcast_ref::<Virtual>() {
            context.hash(state);
        } else if let Some(context) = context.downcast_ref::<Fixed>() {
            context.hash(state);
        }
    }
}

impl<T: Default + 'static> Time<T> {
    /// Returns the persistence of a clock. Files contain the clocks of this crate, except the real clock, even if a format does not list
    /// them. The form of other contexts is unknown.
    pub(super) fn persistence_of_context() -> Persistence<Self> {
        let context = TypeId::of::<T>();
        if context == TypeId::of::<Real>() {
            Persistence::Transient
        } else if [TypeId::of::<()>(), TypeId::of::<Virtual>(), TypeId::of::<Fixed>()].contains(&context) {
            as_text()
        } else {
            Persistence::Listed
        }
    }
}

/// Only for clocks with the contexts that [`persistence_of`] writes as text.
impl<T: Default + 'static> Words for Time<T> {
    fn write(&self, text: &mut String) {
        let Self { context, wrap_period, delta, elapsed, wrapped } = self;
        [*wrap_period, delta.duration, elapsed.duration, wrapped.duration].write(text);
        let context: &dyn Any = context;
        if let Some(context) = context.downcast_ref::<Virtual>() {
            context.write(text);
        } else if let Some(context) = context.downcast_ref::<Fixed>() {
            context.write(text);
        }
    }

    fn read(text: &mut &str) -> Option<Self> {
        let [wrap_period, delta, elapsed, wrapped] = <[Duration; 4]>::read(text)?;
        let mut context = T::default();
        let any: &mut dyn Any = &mut context;
        if let Some(context) = any.downcast_mut() {
            *context = Virtual::read(text)?;
        } else if let Some(context) = any.downcast_mut() {
            *context = Fixed::read(text)?;
        }
        let [delta, elapsed, wrapped] = [delta, elapsed, wrapped].map(Span::from);
        Some(Self { context, wrap_period, delta, elapsed, wrapped }).filter(|_| !wrap_period.is_zero())
    }
}
