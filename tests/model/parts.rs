//! The components of the model and the bundles that are made of them.

use std::cell::Cell;
use std::iter::{RepeatN, repeat_n};

use strata_ecs::bundle::ColumnBundle;
use strata_ecs::prelude::*;
use strata_ecs::selection::{InsertColumnsError, SliceBundle};
use strata_tests::drops::Token;

use super::faults;

/// How many kinds of components there are.
pub(crate) const KINDS: usize = 12;

/// A set of components, one bit for each.
pub(crate) type Mask = u16;

/// The values of an entity's components, zero for those without one.
pub(crate) type Row = [Option<u32>; KINDS];

/// How many rows columns have, and what is in them.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) value: u32,
    pub(crate) count: u32,
    /// The component whose column has one row more.
    pub(crate) odd: Option<usize>,
}

impl Rows {
    /// How many rows the column of component number `index` has.
    pub(crate) fn of(&self, index: usize) -> usize {
        self.count as usize + usize::from(self.odd == Some(index))
    }

    /// The value of row number `nth`, where it is not the same in all.
    pub(crate) fn value(&self, nth: u32) -> u32 {
        self.value + 10 * nth
    }
}

/// A column with a value for each row.
fn each<P: Part>(rows: &Rows) -> Vec<P> {
    (0..rows.of(P::INDEX) as u32).map(|nth| P::make(rows.value(nth))).collect()
}

/// A column with one value for all rows.
fn repeated<P: Part + Clone>(rows: &Rows) -> RepeatN<P> {
    repeat_n(P::make(rows.value), rows.of(P::INDEX))
}

fn add_column<P: Part + Clone>(rows: &Rows, mask: Mask, batch: &mut ColumnBatch) {
    if mask & P::MASK == 0 {
        batch.add(each::<P>(rows))
    } else {
        batch.add(repeated::<P>(rows))
    };
}

/// A component of the model, or a bundle of them.
pub(crate) trait Make: Bundle + Clone {
    /// Columns of the components.
    type Columns: ColumnBundle;
    /// One bit for each component.
    const MASK: Mask;
    /// Component number `i` gets `value + i`.
    fn make(value: u32) -> Self;
    /// Writes the values into a row.
    fn read(&self, row: &mut Row);
    /// Adds each component to a builder.
    fn add_to(self, builder: &mut EntityBuilder);
    /// A column for each component; those of `REPEATED` have one value for all rows.
    fn columns(rows: &Rows) -> Self::Columns;
    /// As `columns`, and those of the mask `repeated` have one value for all rows.
    fn add_columns(rows: &Rows, repeated: Mask, batch: &mut ColumnBatch);
    /// A vector for each component.
    type Vectors;
    /// The same as slices.
    type Slices<'v>: SliceBundle;
    /// Vectors of the components that `make` makes of these values.
    fn vectors(values: &[u32]) -> Self::Vectors;
    fn slices(vectors: &Self::Vectors) -> Self::Slices<'_>;
    /// Inserts what `make` makes of these values into a selection, as slices.
    fn insert_columns(selection: EntitySelection<'_>, values: &[u32]) -> Result<usize, InsertColumnsError> {
        selection.insert_columns(Self::slices(&Self::vectors(values)))
    }
}

/// The value of a component that comes along because it is required.
pub(crate) const REQUIRED: u32 = 70_000;

thread_local! {
    /// How many values with a token have been made because they were required.
    pub(crate) static REQUIRED_TOKENS: Cell<usize> = const { Cell::new(0) };
}

thread_local! {
    static RINGS: Cell<isize> = const { Cell::new(0) };
}

/// How many values without a size but with a destructor exist on this thread.
pub(crate) fn rings() -> isize {
    RINGS.get()
}

/// Without a size; counts its drop.
pub(crate) struct Ring;

impl Ring {
    fn new() -> Self {
        RINGS.set(RINGS.get() + 1);
        Self
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        RINGS.set(RINGS.get() - 1);
    }
}

/// A component that may be required.
pub(crate) trait Required: Sized {
    fn required() -> Self;
}

/// A component of the model.
pub(crate) trait Part: Component + Make {
    const INDEX: usize;
    fn value(&self) -> u32;
    fn set(&mut self, value: u32);
}

/// A component, and the bundle of it alone; `$make` gets its value.
macro_rules! part {
    ($name:ident $index:literal $Column:ident $column:ident, |$value:ident| $make:expr, |$me:ident| $read:expr, $set:expr) => {
        impl $name {
            fn of($value: u32) -> Self {
                $make
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                faults::call();
                Self::of(self.value())
            }
        }

        impl Make for $name {
            type Columns = $Column<Self>;
            const MASK: Mask = 1 << $index;
            fn make(value: u32) -> Self {
                Self::of(value + $index)
            }
            fn read(&self, row: &mut Row) {
                row[$index] = Some(self.value());
            }
            fn add_to(self, builder: &mut EntityBuilder) {
                builder.add(self);
            }
            fn columns(rows: &Rows) -> Self::Columns {
                $column(rows)
            }
            fn add_columns(rows: &Rows, repeated: Mask, batch: &mut ColumnBatch) {
                add_column::<Self>(rows, repeated, batch);
            }
            type Vectors = Vec<Self>;
            type Slices<'v> = &'v [Self];
            fn vectors(values: &[u32]) -> Vec<Self> {
                values.iter().map(|value| Self::make(*value)).collect()
            }
            fn slices(vectors: &Vec<Self>) -> &[Self] {
                vectors
            }
        }

        impl Part for $name {
            const INDEX: usize = $index;
            fn value(&self) -> u32 {
                let address = std::ptr::from_ref(self).addr();
                assert!(address.is_multiple_of(align_of::<Self>()), "a value is not aligned");
                let $me = self;
                $read
            }
            fn set(&mut self, value: u32) {
                let set: fn(&mut Self, u32) = $set;
                set(self, value);
            }
        }
    };
}

/// With a value and a token.
macro_rules! valued {
    ($(#[$attribute:meta])* $name:ident $($rest:tt)*) => {
        #[derive(Component)]
        $(#[$attribute])*
        pub(crate) struct $name {
            value: u32,
            _token: Token,
        }

        part!($name $($rest)*, |value| Self { value, _token: Token::new() }, |me| me.value, |me, value| me.value = value);

        impl Required for $name {
            fn required() -> Self {
                REQUIRED_TOKENS.set(REQUIRED_TOKENS.get() + 1);
                Self::of(REQUIRED)
            }
        }
    };
}

/// With a value and nothing to drop.
macro_rules! plain {
    ($(#[$attribute:meta])* $name:ident $($rest:tt)*) => {
        #[derive(Component)]
        $(#[$attribute])*
        pub(crate) struct $name(u32);

        part!($name $($rest)*, |value| Self(value), |me| me.0, |me, value| me.0 = value);
    };
}

/// Without a size.
macro_rules! unit {
    ($(#[$attribute:meta])* $name:ident $($rest:tt)*) => {
        #[derive(Component)]
        $(#[$attribute])*
        pub(crate) struct $name;

        part!($name $($rest)*, |_value| Self, |_me| 0, |_, _| {});
    };
}

/// Without a size, and with a destructor.
macro_rules! ringing {
    ($(#[$attribute:meta])* $name:ident $($rest:tt)*) => {
        #[derive(Component)]
        $(#[$attribute])*
        pub(crate) struct $name(Ring);

        part!($name $($rest)*, |_value| Self(Ring::new()), |_me| 0, |_, _| {});
    };
}

valued!(A 0 Vec each);
valued!(B 1 RepeatN repeated);
valued!(
    #[repr(align(256))]
    #[require(U)]
    C 2 Vec each
);
valued!(
    #[component(storage = "sparse")]
    S 3 Vec each
);
unit!(U 4 Vec each);
unit!(
    #[component(storage = "sparse", clone = "never")]
    T 5 RepeatN repeated
);
// The largest alignment of a value that lies in a queue as it is.
valued!(
    #[repr(align(64))]
    #[component(clone = "never")]
    L 6 RepeatN repeated
);
// It requires others, in tables and outside of them.
valued!(
    #[component(storage = "sparse")]
    #[require(B = B::required(), S = S::required(), U)]
    R 7 Vec each
);
plain!(N 8 Vec each);
plain!(
    #[component(storage = "sparse")]
    O 9 Vec each
);
ringing!(Z 10 Vec each);
ringing!(
    #[component(storage = "sparse")]
    Y 11 Vec each
);

impl Default for U {
    fn default() -> Self {
        Self
    }
}

/// Returns the components that the components of `mask` require, as a mask.
pub(crate) fn required_by(mask: Mask) -> Mask {
    let of = |all: Mask, required: Mask| if mask & all == 0 { 0 } else { required };
    of(R::MASK, B::MASK | S::MASK | U::MASK) | of(C::MASK, U::MASK)
}

/// The components whose columns have one value for all rows.
pub(crate) const REPEATED: Mask = B::MASK | T::MASK | L::MASK;

/// The components that a world does not clone, and their names: those in tables first.
pub(crate) const UNCLONED: [(usize, &str); 2] = [(L::INDEX, "L"), (T::INDEX, "T")];

/// Whether component number `index` has a value.
pub(crate) fn carries(index: usize) -> bool {
    !matches!(index, U::INDEX | T::INDEX | Z::INDEX | Y::INDEX)
}

/// Whether component number `index` has a token.
pub(crate) fn counts(index: usize) -> bool {
    carries(index) && !matches!(index, N::INDEX | O::INDEX)
}

/// The components that lie in tables.
pub(crate) const IN_TABLES: Mask = A::MASK | B::MASK | C::MASK | U::MASK | L::MASK | N::MASK | Z::MASK;

/// The indices of the components of a mask.
pub(crate) fn indices(mask: Mask) -> impl Iterator<Item = usize> {
    (0..KINDS).filter(move |index| mask & (1 << index) != 0)
}

macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: Make),*> Make for ($($name,)*) {
            type Columns = ($($name::Columns,)*);
            const MASK: Mask = 0 $(| $name::MASK)*;
            fn make(_value: u32) -> Self {
                ($($name::make(_value),)*)
            }
            #[expect(non_snake_case, reason = "the type parameters name the members")]
            fn read(&self, _row: &mut Row) {
                let ($($name,)*) = self;
                $($name.read(_row);)*
            }
            #[expect(non_snake_case, reason = "the type parameters name the members")]
            fn add_to(self, _builder: &mut EntityBuilder) {
                let ($($name,)*) = self;
                $($name.add_to(_builder);)*
            }
            fn columns(rows: &Rows) -> Self::Columns {
                ($($name::columns(rows),)*)
            }
            fn add_columns(rows: &Rows, repeated: Mask, batch: &mut ColumnBatch) {
                $($name::add_columns(rows, repeated, batch);)*
            }
            type Vectors = ($($name::Vectors,)*);
            type Slices<'v> = ($($name::Slices<'v>,)*);
            fn vectors(values: &[u32]) -> Self::Vectors {
                ($($name::vectors(values),)*)
            }
            #[expect(non_snake_case, reason = "the type parameters name the members")]
            fn slices(vectors: &Self::Vectors) -> Self::Slices<'_> {
                let ($($name,)*) = vectors;
                ($($name::slices($name),)*)
            }
        }
    };
}

impl Make for () {
    // There is no tuple of no columns.
    type Columns = ColumnBatch;
    const MASK: Mask = 0;
    fn make(_: u32) -> Self {}
    fn read(&self, _: &mut Row) {}
    fn add_to(self, _: &mut EntityBuilder) {}
    fn columns(_: &Rows) -> ColumnBatch {
        ColumnBatch::new()
    }
    fn add_columns(_: &Rows, _: Mask, _: &mut ColumnBatch) {}
    // Nor is there one of no slices.
    type Vectors = ();
    type Slices<'v> = &'v [A];
    fn vectors(_: &[u32]) {}
    fn slices((): &()) -> &[A] {
        &[]
    }
    fn insert_columns(selection: EntitySelection<'_>, _: &[u32]) -> Result<usize, InsertColumnsError> {
        Ok(selection.insert(()))
    }
}
tuple!(P);
tuple!(P Q);
tuple!(P Q R);
tuple!(P Q R V);
tuple!(P Q R V W X);

#[derive(Bundle, Clone)]
pub(crate) struct Derived {
    a: A,
    rest: (S, U),
}

impl Make for Derived {
    type Columns = <(A, (S, U)) as Make>::Columns;
    const MASK: Mask = A::MASK | S::MASK | U::MASK;
    fn make(value: u32) -> Self {
        Self { a: A::make(value), rest: Make::make(value) }
    }
    fn read(&self, row: &mut Row) {
        self.a.read(row);
        self.rest.read(row);
    }
    fn add_to(self, builder: &mut EntityBuilder) {
        self.a.add_to(builder);
        self.rest.add_to(builder);
    }
    fn columns(rows: &Rows) -> Self::Columns {
        <(A, (S, U))>::columns(rows)
    }
    fn add_columns(rows: &Rows, repeated: Mask, batch: &mut ColumnBatch) {
        <(A, (S, U))>::add_columns(rows, repeated, batch);
    }
    type Vectors = <(A, (S, U)) as Make>::Vectors;
    type Slices<'v> = <(A, (S, U)) as Make>::Slices<'v>;
    fn vectors(values: &[u32]) -> Self::Vectors {
        <(A, (S, U))>::vectors(values)
    }
    fn slices(vectors: &Self::Vectors) -> Self::Slices<'_> {
        <(A, (S, U))>::slices(vectors)
    }
}

/// How many bundle types there are.
pub(crate) const BUNDLES: u8 = 27;

/// Runs `$body` with `$bundle` as the bundle type of number `$kind`.
macro_rules! with_bundle {
    ($kind:expr, $bundle:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, Derived, L, N, O, R, S, T, U, Y, Z};
        macro_rules! of {
            ($type:ty) => {{
                type $bundle = $type;
                $body
            }};
        }
        match $kind % $crate::parts::BUNDLES {
            0 => of!(A),
            1 => of!(B),
            2 => of!((A, B)),
            3 => of!((A, C, U)),
            4 => of!(S),
            5 => of!(T),
            6 => of!((A, S)),
            7 => of!((U, T)),
            8 => of!((B, (C, S, T))),
            9 => of!(Derived),
            10 => of!((U, A, B, T, C, S)),
            11 => of!(()),
            12 => of!(C),
            13 => of!(L),
            14 => of!((S, L, T, A)),
            15 => of!(R),
            16 => of!((A, R)),
            17 => of!((B, C, R, U)),
            18 => of!((A, B, S, T, U, L)),
            19 => of!(N),
            20 => of!(O),
            21 => of!(Z),
            22 => of!(Y),
            23 => of!((A, N, U)),
            24 => of!((S, O, T)),
            25 => of!((S, N, Y, Z)),
            _ => of!((A, N, S, O, T, U)),
        }
    }};
}
pub(crate) use with_bundle;

/// Runs `$body` with `$part` as the component type of number `$kind`.
macro_rules! with_part {
    ($kind:expr, $part:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, L, N, O, R, S, T, U, Y, Z};
        macro_rules! of {
            ($type:ty) => {{
                type $part = $type;
                $body
            }};
        }
        match usize::from($kind) % $crate::parts::KINDS {
            0 => of!(A),
            1 => of!(B),
            2 => of!(C),
            3 => of!(S),
            4 => of!(U),
            5 => of!(T),
            6 => of!(L),
            7 => of!(R),
            8 => of!(N),
            9 => of!(O),
            10 => of!(Z),
            _ => of!(Y),
        }
    }};
}
pub(crate) use with_part;

/// How many bundle types there are for pairs.
pub(crate) const OLD_BUNDLES: u8 = 8;

/// As `with_bundle`, with fewer types: for pairs of bundles.
macro_rules! with_old_bundle {
    ($kind:expr, $bundle:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, L, N, S, T, U, Y};
        macro_rules! of_old {
            ($type:ty) => {{
                type $bundle = $type;
                $body
            }};
        }
        match $kind % $crate::parts::OLD_BUNDLES {
            0 => of_old!(A),
            1 => of_old!(S),
            2 => of_old!((U, T)),
            3 => of_old!((S, C, A)),
            4 => of_old!(()),
            5 => of_old!((B, S)),
            6 => of_old!((A, B, L)),
            _ => of_old!((N, Y)),
        }
    }};
}
pub(crate) use with_old_bundle;

/// How many filter types there are.
pub(crate) const FILTERS: u8 = 14;

/// Runs `$body` with `$filter` as the filter type of number `$kind`.
macro_rules! with_filter {
    ($kind:expr, $filter:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, N, O, S, T, U, Y, Z};
        macro_rules! of {
            ($type:ty) => {{
                type $filter = $type;
                $body
            }};
        }
        match $kind % $crate::parts::FILTERS {
            0 => of!(()),
            1 => of!(With<A>),
            2 => of!(Without<B>),
            3 => of!(With<S>),
            4 => of!((With<A>, Without<S>)),
            5 => of!((With<U>, Without<T>)),
            6 => of!(Or<(With<T>, With<U>)>),
            7 => of!((With<A>, Without<U>)),
            8 => of!(Or<(With<N>, With<C>)>),
            9 => of!(Without<Z>),
            10 => of!((With<N>, Without<Y>)),
            11 => of!((With<Z>, With<O>)),
            12 => of!((Without<T>, Or<(Without<C>, With<S>)>)),
            _ => of!(With<N>),
        }
    }};
}
pub(crate) use with_filter;

/// Whether an entity with this row matches the filter of number `kind`.
pub(crate) fn matches_filter(kind: u8, row: &Row) -> bool {
    let has = |index: usize| row[index].is_some();
    match kind % FILTERS {
        0 => true,
        1 => has(A::INDEX),
        2 => !has(B::INDEX),
        3 => has(S::INDEX),
        4 => has(A::INDEX) && !has(S::INDEX),
        5 => has(U::INDEX) && !has(T::INDEX),
        6 => has(T::INDEX) || has(U::INDEX),
        7 => has(A::INDEX) && !has(U::INDEX),
        8 => has(N::INDEX) || has(C::INDEX),
        9 => !has(Z::INDEX),
        10 => has(N::INDEX) && !has(Y::INDEX),
        11 => has(Z::INDEX) && has(O::INDEX),
        12 => !has(T::INDEX) && (!has(C::INDEX) || has(S::INDEX)),
        _ => has(N::INDEX),
    }
}

/// Whether component number `index` has no size but a destructor.
pub(crate) fn rings_of(index: usize) -> bool {
    matches!(index, Z::INDEX | Y::INDEX)
}
