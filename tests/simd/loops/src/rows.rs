//! The components, the worlds that have them, and when two values of one are the same.

use strata_ecs::prelude::*;

use crate::values::Random;

/// Whether two results of one computation are what the library promises.
trait Same {
    fn same(&self, other: &Self) -> bool;
}

/// The bits of a NaN are open, as everywhere in Rust.
macro_rules! float_same {
    ($($Float:ty)*) => {
        $(impl Same for $Float {
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        })*
    };
}

macro_rules! integer_same {
    ($($Integer:ty)*) => {
        $(impl Same for $Integer {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        })*
    };
}

float_same!(f32 f64);
integer_same!(i16 i32 i64 u8 u16 u64);

impl<T: Same, const N: usize> Same for [T; N] {
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(one, other)| one.same(other))
    }
}

/// Result of `min` and `max`: which zero of two is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyZero(pub(crate) f32);

impl Same for AnyZero {
    fn same(&self, other: &Self) -> bool {
        self.0 == other.0 || self.0.same(&other.0)
    }
}

/// The components, with a random value of each.
macro_rules! components {
    ($($field:ident: $Name:ident($Value:ty), |$random:ident| $value:expr;)*) => {
        $(
            #[derive(Component, Clone, Copy, Debug)]
            pub(crate) struct $Name(pub(crate) $Value);
        )*

        /// The values of one entity.
        #[derive(Bundle, Clone, Copy, Debug)]
        pub struct Row {
            $($field: $Name,)*
        }

        #[derive(QueryData)]
        #[query_data(mutable)]
        struct Columns {
            $($field: &'static mut $Name,)*
        }

        impl Row {
            fn random(random: &mut Random) -> Self {
                Self { $($field: $Name({ let $random = &mut *random; $value }),)* }
            }

            /// The component in which two rows differ, with its values.
            #[must_use]
            pub fn difference(&self, other: &Self) -> Option<String> {
                $(if !self.$field.0.same(&other.$field.0) {
                    return Some(format!("{:?} and {:?}", self.$field, other.$field));
                })*
                None
            }
        }

        impl ColumnsReadOnlyItem<'_, '_> {
            fn row(&self) -> Row {
                Row { $($field: *self.$field,)* }
            }
        }

        impl ColumnsItem<'_, '_> {
            fn set(&mut self, row: &Row) {
                $(*self.$field = row.$field;)*
            }
        }
    };
}

components! {
    a: A(f32), |random| random.single();
    b: B(f32), |random| random.single();
    c: C(f32), |random| random.single();
    finite: Finite(f32), |random| random.finite();
    any_zero: Chosen(AnyZero), |random| AnyZero(random.single());
    d: D(f64), |random| random.double();
    e: E(f64), |random| random.double();
    i: I(i32), |random| random.integer() as i32;
    j: J(i32), |random| random.integer() as i32;
    long: Long(i64), |random| random.integer() as i64;
    unsigned: Unsigned(u64), |random| random.integer();
    byte: Byte(u8), |random| random.integer() as u8;
    octet: Octet(u8), |random| random.integer() as u8;
    short: Short(i16), |random| random.integer() as i16;
    word: Word(u16), |random| random.integer() as u16;
    position: Position([f32; 3]), |random| [random.single(), random.finite(), random.single()];
    velocity: Velocity([f32; 3]), |random| [random.finite(), random.finite(), random.single()];
    matrix: Matrix([f32; 16]), |random| core::array::from_fn(|_| random.finite());
    vector: Vector([f32; 4]), |random| [random.single(), random.finite(), random.single(), random.finite()];
}

/// Not every entity has it.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct Maybe(pub(crate) f32);

/// Stored outside of tables, so that each row has to be asked.
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct Marked;

/// Makes another table.
#[derive(Component)]
struct Other;

/// A table: the components that it has in addition to the common ones.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// How many rows.
    pub len: usize,
    /// The optional component.
    pub maybe: bool,
    /// A component without values.
    pub other: bool,
}

/// Fills a world.
pub fn spawn(world: &mut World, tables: &[Table], random: &mut Random) {
    for table in tables {
        for _ in 0..table.len {
            let mut entity = world.spawn(Row::random(random));
            if table.maybe {
                entity.insert(Maybe(random.single()));
            }
            if table.other {
                entity.insert(Other);
            }
            if random.one_in(3) {
                entity.insert(Marked);
            }
        }
    }
}

/// All rows, in the order of a query.
#[must_use]
pub fn read(world: &mut World) -> Vec<Row> {
    let mut query = world.query::<Columns>();
    query.iter(world).map(|columns| columns.row()).collect()
}

/// Gives all rows the values that they had when they were read.
pub fn write(world: &mut World, rows: &[Row]) {
    let mut query = world.query::<Columns>();
    let mut rows = rows.iter();
    for mut columns in query.iter_mut(world) {
        columns.set(rows.next().expect("a value for each row"));
    }
}
