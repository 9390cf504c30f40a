//! The components of the model and the bundles that are made of them.

use std::cell::Cell;
use std::iter::{RepeatN, repeat_n};

use strata_ecs::bundle::ColumnBundle;
use strata_ecs::prelude::*;
use strata_tests::drops::Token;

use super::faults;

/// How many kinds of components there are.
pub(crate) const KINDS: usize = 8;

/// What the naive world knows of an entity: the value of each component, zero for those without one.
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

fn add_column<P: Part + Clone>(rows: &Rows, mask: u8, batch: &mut ColumnBatch) {
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
    const MASK: u8;
    /// Component number `i` gets `value + i`.
    fn make(value: u32) -> Self;
    /// Writes the values into a row.
    fn read(&self, row: &mut Row);
    /// Adds each component to a builder.
    fn add_to(self, builder: &mut EntityBuilder);
    /// A column for each component; those of `REPEATED` have one value for all rows.
    fn columns(rows: &Rows) -> Self::Columns;
    /// As `columns`, and those of the mask `repeated` have one value for all rows.
    fn add_columns(rows: &Rows, repeated: u8, batch: &mut ColumnBatch);
}

/// The value of a component that comes along because it is required.
pub(crate) const REQUIRED: u32 = 70_000;

thread_local! {
    /// How many values with a token have been made because they were required.
    pub(crate) static REQUIRED_TOKENS: Cell<usize> = const { Cell::new(0) };
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

macro_rules! valued {
    ($(#[$attribute:meta])* $name:ident $index:literal $Column:ident $column:ident) => {
        #[derive(Component)]
        $(#[$attribute])*
        pub(crate) struct $name {
            value: u32,
            _token: Token,
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                faults::call();
                Self { value: self.value, _token: Token::new() }
            }
        }

        impl Make for $name {
            type Columns = $Column<Self>;
            const MASK: u8 = 1 << $index;
            fn make(value: u32) -> Self {
                Self { value: value + $index, _token: Token::new() }
            }
            fn read(&self, row: &mut Row) {
                row[$index] = Some(self.value);
            }
            fn add_to(self, builder: &mut EntityBuilder) {
                builder.add(self);
            }
            fn columns(rows: &Rows) -> Self::Columns {
                $column(rows)
            }
            fn add_columns(rows: &Rows, repeated: u8, batch: &mut ColumnBatch) {
                add_column::<Self>(rows, repeated, batch);
            }
        }

        impl Required for $name {
            fn required() -> Self {
                REQUIRED_TOKENS.set(REQUIRED_TOKENS.get() + 1);
                Self { value: REQUIRED, _token: Token::new() }
            }
        }

        impl Part for $name {
            const INDEX: usize = $index;
            fn value(&self) -> u32 {
                self.value
            }
            fn set(&mut self, value: u32) {
                self.value = value;
            }
        }
    };
}

macro_rules! unit {
    ($(#[$attribute:meta])* $name:ident $index:literal $Column:ident $column:ident) => {
        #[derive(Component)]
        $(#[$attribute])*
        pub(crate) struct $name;

        impl Clone for $name {
            fn clone(&self) -> Self {
                faults::call();
                Self
            }
        }

        impl Make for $name {
            type Columns = $Column<Self>;
            const MASK: u8 = 1 << $index;
            fn make(_: u32) -> Self {
                Self
            }
            fn read(&self, row: &mut Row) {
                row[$index] = Some(0);
            }
            fn add_to(self, builder: &mut EntityBuilder) {
                builder.add(self);
            }
            fn columns(rows: &Rows) -> Self::Columns {
                $column(rows)
            }
            fn add_columns(rows: &Rows, repeated: u8, batch: &mut ColumnBatch) {
                add_column::<Self>(rows, repeated, batch);
            }
        }

        impl Part for $name {
            const INDEX: usize = $index;
            fn value(&self) -> u32 {
                0
            }
            fn set(&mut self, _: u32) {}
        }
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

impl Default for U {
    fn default() -> Self {
        Self
    }
}

/// What the components of `mask` require, as components of a mask.
pub(crate) fn required_by(mask: u8) -> u8 {
    let of = |all: u8, required: u8| if mask & all == 0 { 0 } else { required };
    of(R::MASK, B::MASK | S::MASK | U::MASK) | of(C::MASK, U::MASK)
}

/// The components whose columns have one value for all rows.
pub(crate) const REPEATED: u8 = B::MASK | T::MASK | L::MASK;

/// The components that a world does not clone, and their names: those in tables first.
pub(crate) const UNCLONED: [(usize, &str); 2] = [(L::INDEX, "L"), (T::INDEX, "T")];

/// Whether component number `index` carries a value, and thus a token.
pub(crate) fn carries(index: usize) -> bool {
    !matches!(index, U::INDEX | T::INDEX)
}

macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: Make),*> Make for ($($name,)*) {
            type Columns = ($($name::Columns,)*);
            const MASK: u8 = 0 $(| $name::MASK)*;
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
            fn add_columns(rows: &Rows, repeated: u8, batch: &mut ColumnBatch) {
                $($name::add_columns(rows, repeated, batch);)*
            }
        }
    };
}

impl Make for () {
    // There is no tuple of no columns.
    type Columns = ColumnBatch;
    const MASK: u8 = 0;
    fn make(_: u32) -> Self {}
    fn read(&self, _: &mut Row) {}
    fn add_to(self, _: &mut EntityBuilder) {}
    fn columns(_: &Rows) -> ColumnBatch {
        ColumnBatch::new()
    }
    fn add_columns(_: &Rows, _: u8, _: &mut ColumnBatch) {}
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
    const MASK: u8 = A::MASK | S::MASK | U::MASK;
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
    fn add_columns(rows: &Rows, repeated: u8, batch: &mut ColumnBatch) {
        <(A, (S, U))>::add_columns(rows, repeated, batch);
    }
}

/// How many bundle types there are.
pub(crate) const BUNDLES: u8 = 19;

/// Runs `$body` with `$bundle` as the bundle type of number `$kind`.
macro_rules! with_bundle {
    ($kind:expr, $bundle:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, Derived, L, R, S, T, U};
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
            _ => of!((A, B, S, T, U, L)),
        }
    }};
}
pub(crate) use with_bundle;

/// Runs `$body` with `$part` as the component type of number `$kind`.
macro_rules! with_part {
    ($kind:expr, $part:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, L, R, S, T, U};
        macro_rules! of {
            ($type:ty) => {{
                type $part = $type;
                $body
            }};
        }
        match $kind % 8 {
            0 => of!(A),
            1 => of!(B),
            2 => of!(C),
            3 => of!(S),
            4 => of!(U),
            5 => of!(T),
            6 => of!(L),
            _ => of!(R),
        }
    }};
}
pub(crate) use with_part;

/// As `with_bundle`, with fewer types: for pairs of bundles.
macro_rules! with_old_bundle {
    ($kind:expr, $bundle:ident => $body:expr) => {{
        use $crate::parts::{A, B, C, L, S, T, U};
        macro_rules! of_old {
            ($type:ty) => {{
                type $bundle = $type;
                $body
            }};
        }
        match $kind % 7 {
            0 => of_old!(A),
            1 => of_old!(S),
            2 => of_old!((U, T)),
            3 => of_old!((S, C, A)),
            4 => of_old!(()),
            5 => of_old!((B, S)),
            _ => of_old!((A, B, L)),
        }
    }};
}
pub(crate) use with_old_bundle;
