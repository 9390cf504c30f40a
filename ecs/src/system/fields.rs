//! Structs of parameters: the parts that `#[derive(SystemParam)]` uses.
//!
//! The derive generates the source of a struct as [`Fields`] of a tuple that has a [`Field`] for each field. The tuple is nested
//! like all tuples. The derive requires each field to be a [`FieldParam`], so that a field of another type is reported once, at its
//! type.
//!
//! Tests: tests/systems/params/structs.rs

use core::marker::PhantomData;

use super::meta::SystemMeta;
use super::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam};
use super::param_error::ParamError;
use super::params::ReadOnlySource;
use super::reborrow::Reborrow;
use crate::access::const_access::ConstAccess;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

/// A field of a struct of parameters. It is a parameter in which only the lifetimes `'w` and `'s` of the struct differ from fetch
/// to fetch. `N` distinguishes fields of the same type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a `SystemParam` struct: it is no parameter, or what it borrows lacks a derive",
    label = "not a system parameter",
    note = "the fields are system parameters: `Query<'w, 's, ..>`, `Res<'w, T>`, `ResMut<'w, T>`, `Local<'s, T>`, \
            `MessageReader<'w, 's, T>`, `MessageWriter<'w, T>`, `Commands<'w, 's>`, `&'w World`, `ParamSet<'w, 's, ..>`, tuples of these, `PhantomData`, and structs with \
            `#[derive(SystemParam)]`",
    note = "lifetimes are `'w` for what is borrowed from the world, and `'s` for what the system keeps"
)]
pub trait FieldParam<'w, 's, 'a, const N: usize>: Sized {
    /// The source that fetches the field.
    type Source: ParamSource;
    /// The parameter with a shorter lifetime.
    type Short;

    fn item(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self;

    fn short(this: &'a mut Self) -> Self::Short;
}

/// A parameter as fetched with these lifetimes. This trait is separate from [`FieldParam`]: if the compiler knew that one `Item` is
/// the parameter itself, it would assume this for all others.
#[doc(hidden)]
pub trait FetchedParam<'w, 's>: SystemParam {
    fn fetched(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'w, 's, P: SystemParam<Item<'w, 's> = P>> FetchedParam<'w, 's> for P {
    #[inline(always)]
    fn fetched(got: <P::Source as ParamSource>::Got<'w, 's>) -> P {
        <P as SystemParam>::item(got)
    }
}

#[diagnostic::do_not_recommend]
impl<'w, 's, 'a, P: FetchedParam<'w, 's> + Reborrow<'a>, const N: usize> FieldParam<'w, 's, 'a, N> for P {
    type Source = P::Source;
    type Short = P::Short;

    #[inline(always)]
    fn item(got: <P::Source as ParamSource>::Got<'w, 's>) -> P {
        P::fetched(got)
    }

    #[inline(always)]
    fn short(this: &'a mut P) -> P::Short {
        this.reborrow()
    }
}

/// The names of a struct's fields, for messages.
#[doc(hidden)]
pub trait FieldNames: 'static {
    const NAMES: &'static [&'static str];
    /// For each field, its path and its message, if it has a message. Empty if no field has one.
    const MESSAGES: &'static [Option<[&'static str; 2]>] = &[];
}

/// Returns the path of a field and its message, if it has one.
const fn message_of<P: FieldNames>(field: usize) -> Option<[&'static str; 2]> {
    if field < P::MESSAGES.len() { P::MESSAGES[field] } else { None }
}

/// The source of field number `N` of the struct `P`.
#[doc(hidden)]
pub struct Field<P, const N: usize, S>(PhantomData<fn() -> (P, S)>);

forwarding_source! {
    [P: FieldNames, const N: usize, S: ParamSource] Field<P, N, S> => S, S::Got<'w, 's>;
    COUNT = 1, ACCESS = ConstAccess::Field { name: P::NAMES[N], access: &S::ACCESS };
    init |store, meta| meta.field(P::NAMES[N], |meta| S::init(store, meta));
    get |got| match const { message_of::<P>(N) } {
        Some([field, message]) => got.map_err(|error| error.of_field(field, message)),
        None => got,
    };
}

impl<P: FieldNames, const N: usize, S: ReadOnlySource> ReadOnlySource for Field<P, N, S> {}

/// The source of all fields. The system sees them as one parameter.
#[doc(hidden)]
pub struct Fields<S>(PhantomData<fn() -> S>);

forwarding_source! {
    [S: ParamSource] Fields<S> => S, S::Got<'w, 's>;
    COUNT = 1, ACCESS = S::ACCESS;
    init |store, meta| meta.init_composite(|meta| S::init(store, meta));
    get |got| got;
}

impl<S: ReadOnlySource> ReadOnlySource for Fields<S> {}

/// A parameter that is fetched as field `N` of the struct `P`. Builders of structs consist of these.
#[doc(hidden)]
pub struct BuiltField<P, const N: usize, T>(T, PhantomData<fn() -> P>);

params! {
    [P: FieldNames, const N: usize, T: SystemParam] BuiltField<P, N, T> => BuiltField<P, N, T::Item<'w, 's>>, Field<P, N, T::Source>, |got| BuiltField(T::item(got), PhantomData);
}

/// The builder of a field.
#[doc(hidden)]
pub struct FieldBuilder<B>(pub B);

impl<P: FieldNames, const N: usize, T: SystemParam, B: BuildParam<T>> BuildParam<BuiltField<P, N, T>>
    for FieldBuilder<B>
{
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, Field<P, N, T::Source>> {
        site.field(P::NAMES[N], |site| self.0.build(site)).forwarded()
    }
}

/// Builds the state of a struct from its fields, which are given as a tuple.
#[doc(hidden)]
pub fn build_fields<'b, T: SystemParam>(
    fields: impl BuildParam<T>,
    site: &mut BuildSite<'_, 'b>,
) -> Built<'b, Fields<T::Source>> {
    site.init_composite(|site| fields.build(site)).forwarded()
}

params! {
    /// A `PhantomData` field of a struct of parameters: it names a type and fetches nothing.
    ///
    /// ```
    /// use std::marker::PhantomData;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(SystemParam)]
    /// struct Spawner<'w, 's, T: Component + Default> {
    ///     commands: Commands<'w, 's>,
    ///     marker: PhantomData<T>,
    /// }
    ///
    /// impl<T: Component + Default> Spawner<'_, '_, T> {
    ///     fn spawn(&mut self) {
    ///         self.commands.spawn(T::default());
    ///     }
    /// }
    /// # #[derive(Component, Default)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.run_system_once(|mut spawner: Spawner<Health>| spawner.spawn()).unwrap();
    /// assert_eq!(world.query::<&Health>().iter(&world).count(), 1);
    /// ```
    [T: ?Sized] PhantomData<T> => Self, (), |()| PhantomData;
}
