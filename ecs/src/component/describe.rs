//! Types that describe themselves, and finding out which ones do.

use alloc::string::String;
use core::marker::PhantomData;

use super::Component;
use super::name::{NameParameter, StableName};
use crate::entity::Entity;

/// A type that says what its stable name is: every component, numbers, `bool`, `char`, `String` and `Entity`.
///
/// A type with parameters has a [stable name](StableName) if its own bounds say that its type parameters describe themselves:
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Describe};
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(name = "sword")]
/// struct Sword;
///
/// #[derive(Component)]
/// #[component(name = "inventory")]
/// struct Inventory<T: Describe + Send + Sync, const SLOTS: usize>([Option<T>; SLOTS]);
///
/// #[derive(Component)]
/// struct Pile<T>(Vec<T>);
///
/// let name = ComponentDescriptor::of::<Inventory<Sword, 4>>().stable_name().unwrap();
/// assert_eq!(name, *"inventory<sword, 4>");
/// assert!(ComponentDescriptor::of::<Pile<Sword>>().stable_name().is_none());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe itself: derive `Component` for it",
    label = "has no description"
)]
pub trait Describe: 'static {
    /// The name of the type in files.
    const NAME: Option<StableName>;
}

#[diagnostic::do_not_recommend]
impl<C: Component> Describe for C {
    const NAME: Option<StableName> = C::DESCRIPTION.name;
}

impl Describe for Entity {
    const NAME: Option<StableName> = Some(StableName::by_path("strata_ecs::entity::Entity"));
}

macro_rules! simple_types {
    ($($Type:ty)*) => { $(
        impl Describe for $Type {
            const NAME: Option<StableName> = Some(StableName::by_path(stringify!($Type)));
        }
    )* };
}

simple_types! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char String }

/// Asks whether bounds hold for a type. A constant of a probe is its own if they do, and else that of [`Unproved`], which every
/// probe has. Where the type has parameters, the bounds at the place decide.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

/// What a [`Probe`] answers if bounds are not known to hold.
pub trait Unproved {
    /// The parameter of a stable name: a type without one.
    const PARAMETER: NameParameter = NameParameter::Type(None);
}

impl<T> Unproved for Probe<T> {}

impl<T: Describe> Probe<T> {
    /// The parameter of a stable name.
    pub const PARAMETER: NameParameter = NameParameter::Type(T::NAME);
}
