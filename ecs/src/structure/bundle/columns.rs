//! Columns: many values of each of several components, from which many entities are spawned at once.
//!
//! Every column becomes a [`NewColumn`]: either memory with type-erased values, or a function that makes the values in their destination.
//! While values are made, user code runs: `Clone` for repeated values, and functions of the user. This happens before the world changes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::iter::{Map, RepeatN};
use core::ops::Range;

use super::parts::Token;
use crate::access::const_access::may_repeat;
use crate::access::term::{ConstTerm, Group, Usage};
use crate::component::{Component, ComponentDescriptor, ComponentIdentity, ErasedVec, NewColumn, WrongTypeError};

/// The values of one component for many entities: a `Vec<C>`, a `Box<[C]>`, an array, [`core::iter::repeat_n`], which clones one
/// value, or `(0..count).map(make)`, where `make` gets the position in the batch.
///
/// A vector and a boxed slice are used directly; an array is moved to the heap first. Repeated values, and values that a function makes,
/// are written directly to their destination, without a vector in between.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_columns(vec![Health(1), Health(2)]).unwrap();
/// world.spawn_columns([Health(3), Health(4)]).unwrap();
/// world.spawn_columns(std::iter::repeat_n(Health(5), 1000)).unwrap();
/// let ids: Vec<Entity> = world.spawn_columns((0..1000).map(|row| Health(row as u32))).unwrap().collect();
/// assert_eq!(world.get(ids[7]), Some(&Health(7)));
/// assert_eq!(world.len(), 2004);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a column: give a `Vec<C>`, `Box<[C]>`, `[C; N]`, `repeat_n(component, count)` or `(0..count).map(..)`",
    label = "not a column of components",
    note = "`C` must have `#[derive(Component)]`"
)]
pub trait ColumnSource: Sized {
    /// The component.
    type Component: Component;

    #[doc(hidden)]
    fn count(&self, _: Token) -> usize;

    /// Returns the values. Their number is `count`.
    #[doc(hidden)]
    fn into_column<'c>(self, _: Token) -> NewColumn<'c>
    where
        Self: 'c;
}

/// Implements [`ColumnSource`] for types with a known number of values. Each type has an expression that converts it into a [`NewColumn`].
macro_rules! sources {
    ($([$($generics:tt)*] $Source:ty, |$column:ident| $new:expr;)*) => { $(
        impl<$($generics)*> ColumnSource for $Source {
            type Component = C;

            fn count(&self, _: Token) -> usize {
                self.len()
            }

            fn into_column<'c>(self, _: Token) -> NewColumn<'c>
            where
                Self: 'c,
            {
                let $column = self;
                $new
            }
        }
    )* };
}

sources! {
    [C: Component] Vec<C>, |column| NewColumn::Values(ErasedVec::of_vec(column));
    [C: Component] Box<[C]>, |column| NewColumn::Values(ErasedVec::of_vec(column.into_vec()));
    [C: Component, const N: usize] [C; N], |column| NewColumn::Values(ErasedVec::of_vec(Vec::from(column)));
    [C: Component + Clone] RepeatN<C>, |column| NewColumn::of(column);
    [C: Component, F: FnMut(usize) -> C] Map<Range<usize>, F>, |column| NewColumn::of(column);
}

/// The component and the length of a column.
#[derive(Clone, Copy)]
pub struct ColumnHead {
    identity: ComponentIdentity,
    name: &'static str,
    count: usize,
}

/// Columns of equal length, from which [`World::spawn_columns`](crate::world::World::spawn_columns) spawns entities: one
/// [column](ColumnSource), a tuple of up to 16 of them (or of further tuples), or a [`ColumnBatch`].
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Clone)]
/// struct Position(f32);
/// #[derive(Component, Clone)]
/// struct Velocity(f32);
///
/// let mut world = World::new();
/// let positions: Vec<Position> = (0..100).map(|x| Position(x as f32)).collect();
/// let ids = world.spawn_columns((positions, std::iter::repeat_n(Velocity(1.0), 100))).unwrap();
/// assert_eq!(ids.len(), 100);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of columns: give a `Vec` of components, or a tuple of them",
    label = "not a set of columns",
    note = "a column is a `Vec<C>`, `Box<[C]>`, `[C; N]`, `repeat_n(component, count)` or `(0..count).map(..)`; up to 16 go into a \
            tuple, which may contain further tuples: `((a, b), (c, d))`"
)]
pub trait ColumnBundle: Sized {
    /// The components that are known at compile time, as a query term that accesses nothing.
    #[doc(hidden)]
    const COMPONENTS: ConstTerm;
    /// Whether there may be components that `COMPONENTS` does not list.
    #[doc(hidden)]
    const HAS_UNKNOWN: bool = false;
    /// Whether the compiler cannot rule out that two columns have the same component.
    #[doc(hidden)]
    const MAY_REPEAT: bool = Self::HAS_UNKNOWN || may_repeat(&Self::COMPONENTS);

    #[doc(hidden)]
    fn heads(&self, heads: &mut Vec<ColumnHead>, _: Token);

    /// Adds the values of each column to `columns`, in the order in which `heads` adds the metadata.
    #[doc(hidden)]
    fn append<'c>(self, columns: &mut Vec<NewColumn<'c>>, _: Token)
    where
        Self: 'c;
}

/// Returns the name of a component that has two columns, if there is one.
pub(super) fn repeated_column(columns: &impl ColumnBundle) -> Option<&'static str> {
    let mut heads = Vec::new();
    columns.heads(&mut heads, Token::new());
    let twice = |&(at, head): &(usize, &ColumnHead)| heads[..at].iter().any(|other| other.identity == head.identity);
    heads.iter().enumerate().find(twice).map(|(_, head)| head.name)
}

impl<S: ColumnSource> ColumnBundle for S {
    const COMPONENTS: ConstTerm = ConstTerm::of::<S::Component>(Usage::Except);

    fn heads(&self, heads: &mut Vec<ColumnHead>, token: Token) {
        let component = ComponentDescriptor::of::<S::Component>();
        let (identity, name) = (component.identity(), component.name());
        heads.push(ColumnHead { identity, name, count: self.count(token) });
    }

    fn append<'c>(self, columns: &mut Vec<NewColumn<'c>>, token: Token)
    where
        Self: 'c,
    {
        columns.push(self.into_column(token));
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: ColumnBundle),*> ColumnBundle for ($($T,)*) {
            const COMPONENTS: ConstTerm = ConstTerm::Group(Group::All, &[$($T::COMPONENTS),*]);
            const HAS_UNKNOWN: bool = $($T::HAS_UNKNOWN)||*;

            fn heads(&self, heads: &mut Vec<ColumnHead>, token: Token) {
                $(self.$at.heads(heads, token);)*
            }

            fn append<'c>(self, columns: &mut Vec<NewColumn<'c>>, token: Token)
            where
                Self: 'c,
            {
                $(self.$at.append(columns, token);)*
            }
        }
    };
}

all_tuples!(tuples);

/// Columns that are assembled at run time.
///
/// Adding a column replaces an existing column of the same component. [`World::spawn_columns`] takes the batch and checks that the columns
/// have the same length.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let magic = true;
/// let mut batch = ColumnBatch::new();
/// batch.add(vec![Health(1), Health(2)]);
/// if magic {
///     batch.add([Mana(7), Mana(8)]);
/// }
/// let mut world = World::new();
/// let ids: Vec<Entity> = world.spawn_columns(batch).unwrap().collect();
/// assert_eq!(world.get(ids[1]), Some(&Mana(8)));
/// ```
///
/// [`World::spawn_columns`]: crate::world::World::spawn_columns
#[derive(Default)]
#[doc(alias("ColumnBatchBuilder", "ColumnBatchType", "BatchWriter"))]
pub struct ColumnBatch {
    columns: Vec<ErasedVec>,
}

impl ColumnBatch {
    /// Creates a batch without columns.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.spawn_columns(ColumnBatch::new()).unwrap().len(), 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { columns: Vec::new() }
    }

    /// Adds a column. If the batch has a column of the same component, that column is replaced, and its values are dropped. `O(columns)`,
    /// plus the cost of moving the values to the heap if they are not on the heap yet.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut batch = ColumnBatch::new();
    /// batch.add(vec![Health(1)]).add(std::iter::repeat_n(Health(2), 3));
    /// assert_eq!(batch.len(), 1);
    /// assert_eq!(World::new().spawn_columns(batch).unwrap().len(), 3);
    /// ```
    pub fn add<S: ColumnSource>(&mut self, column: S) -> &mut Self {
        self.put(column.into_column(Token::new()).into_values());
        self
    }

    /// Adds a column of the component with this descriptor; the values of the component have the type `T`. Otherwise like
    /// [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// If the values of the component have another type. The error contains the vector.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let mut batch = ColumnBatch::new();
    /// batch.add_by_descriptor(heat, vec![1_f32, 2.0]).unwrap();
    /// assert_eq!(World::new().spawn_columns(batch).unwrap().len(), 2);
    /// ```
    pub fn add_by_descriptor<T: Send + Sync + 'static>(
        &mut self,
        descriptor: &'static ComponentDescriptor,
        values: Vec<T>,
    ) -> Result<&mut Self, WrongTypeError<Vec<T>>> {
        let column = ErasedVec::of_vec_for(descriptor, values);
        self.put(column.map_err(|values| WrongTypeError::of_values(descriptor, values))?);
        Ok(self)
    }

    /// Adds a column, and drops an existing column of the same component.
    fn put(&mut self, column: ErasedVec) {
        let same = |old: &&mut ErasedVec| old.descriptor().identity() == column.descriptor().identity();
        match self.columns.iter_mut().find(same) {
            Some(old) => drop(core::mem::replace(old, column)),
            None => self.columns.push(column),
        }
    }

    /// Returns whether there is a column of this component.
    #[must_use]
    pub fn has<C: Component>(&self) -> bool {
        self.columns.iter().any(|column| column.descriptor().is::<C>())
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Returns whether there are no columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Drops all columns.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut batch = ColumnBatch::new();
    /// batch.add(vec![Health(1)]).clear();
    /// assert!(batch.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.columns.clear();
    }
}

impl ColumnBundle for ColumnBatch {
    const COMPONENTS: ConstTerm = ConstTerm::Group(Group::All, &[]);
    const HAS_UNKNOWN: bool = true;
    const MAY_REPEAT: bool = false;

    fn heads(&self, heads: &mut Vec<ColumnHead>, _: Token) {
        let head = |column: &ErasedVec| {
            let component = column.descriptor();
            ColumnHead { identity: component.identity(), name: component.name(), count: column.len() }
        };
        heads.extend(self.columns.iter().map(head));
    }

    fn append<'c>(self, columns: &mut Vec<NewColumn<'c>>, _: Token)
    where
        Self: 'c,
    {
        columns.extend(self.columns.into_iter().map(NewColumn::Values));
    }
}

impl_debug!([] ColumnBatch => |this, f|
    f.debug_map().entries(this.columns.iter().map(|column| (column.descriptor().name(), column.len()))).finish());

/// The columns for new entities differ in length. Nothing was spawned, and all values were dropped.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let mut world = World::new();
/// let error = world.spawn_columns((vec![Health(1); 3], vec![Mana(2); 4])).unwrap_err();
/// assert!(error.component().ends_with("Mana"));
/// assert_eq!((error.found(), error.expected()), (4, 3));
/// assert!(world.is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnLengthError {
    component: &'static str,
    found: usize,
    expected: usize,
    other: &'static str,
}

impl ColumnLengthError {
    /// Returns the full name of the component whose column has the wrong length. This is the first column whose length differs from the
    /// most frequent length. If several lengths are equally frequent, the first of them counts as the most frequent one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let error = world.spawn_columns((vec![Health(1); 3], vec![Mana(2); 4])).unwrap_err();
    /// assert!(error.component().ends_with("Mana"));
    /// ```
    #[must_use]
    pub fn component(&self) -> &'static str {
        self.component
    }

    /// Returns the length of the column with the wrong length.
    #[must_use]
    pub fn found(&self) -> usize {
        self.found
    }

    /// Returns the length that the column should have.
    #[must_use]
    pub fn expected(&self) -> usize {
        self.expected
    }
}

impl_error!([] ColumnLengthError => |this, f| {
    let Self { component, found, expected, other } = this;
    write!(f, "the column of `{component}` has length {found}, but that of `{other}` has length {expected}")
});

/// Returns the columns and their common length. Values are cloned or made only after the lengths have been compared.
pub(crate) fn equal_columns<'c, B: ColumnBundle + 'c>(
    columns: B,
) -> Result<(Vec<NewColumn<'c>>, usize), ColumnLengthError> {
    let mut heads = Vec::new();
    columns.heads(&mut heads, Token::new());
    for (at, head) in heads.iter().enumerate() {
        if heads[..at].iter().any(|earlier| earlier.identity == head.identity) {
            panic!("bundle `{}` has component `{}` twice", type_name::<B>(), head.name);
        }
    }
    let rows = check_lengths(&heads)?;
    let mut values = Vec::with_capacity(heads.len());
    columns.append(&mut values, Token::new());
    debug_assert!(values.iter().all(|column| column.len() == rows));
    Ok((values, rows))
}

/// Returns the common length of all columns, or an error that names the column with the wrong length.
fn check_lengths(heads: &[ColumnHead]) -> Result<usize, ColumnLengthError> {
    let votes = |head: &ColumnHead| heads.iter().filter(|other| other.count == head.count).count();
    // `max_by_key` returns the last of several equally frequent lengths. The search is in reverse order to get the first.
    let Some(usual) = heads.iter().rev().max_by_key(|head| votes(head)) else { return Ok(0) };
    match heads.iter().find(|head| head.count != usual.count) {
        Some(odd) => {
            Err(ColumnLengthError { component: odd.name, found: odd.count, expected: usual.count, other: usual.name })
        }
        None => Ok(usual.count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_odd_one_out_is_named() {
        let heads = |counts: &[usize]| -> Vec<ColumnHead> {
            let names = ["a", "b", "c", "d"];
            let head = |(&count, name)| ColumnHead { identity: ComponentIdentity::Name(name), name, count };
            counts.iter().zip(names).map(head).collect()
        };
        let odd = |counts: &[usize]| {
            let error = check_lengths(&heads(counts)).unwrap_err();
            (error.component, error.found, error.other, error.expected)
        };
        assert_eq!(check_lengths(&heads(&[])), Ok(0));
        assert_eq!(check_lengths(&heads(&[3, 3, 3])), Ok(3));
        assert_eq!(odd(&[3, 4]), ("b", 4, "a", 3));
        assert_eq!(odd(&[3, 4, 4]), ("a", 3, "b", 4));
        assert_eq!(odd(&[3, 4, 3]), ("b", 4, "a", 3));
        assert_eq!(odd(&[3, 4, 5]), ("b", 4, "a", 3));
        assert_eq!(odd(&[3, 3, 4, 4]), ("c", 4, "a", 3));
    }
}
