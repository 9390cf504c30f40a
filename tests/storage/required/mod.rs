//! Components that others require: which come along, with which values, by every way in which components get onto entities.

mod if_new;
mod panics;
mod rules;
mod runtime;
mod sequences;
mod ways;

use std::cell::Cell;
use std::thread::LocalKey;

use strata_ecs::prelude::*;
use strata_tests::drops::Token;

thread_local! {
    static DENSE: Cell<usize> = const { Cell::new(0) };
    static LOOSE: Cell<usize> = const { Cell::new(0) };
    static FAR: Cell<usize> = const { Cell::new(0) };
    static MARK: Cell<usize> = const { Cell::new(0) };
    /// How many calls of constructors go well before one panics.
    static FUSE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Counts the call of a constructor, and panics if it is the chosen one.
fn call(counter: &'static LocalKey<Cell<usize>>) {
    if let Some(left) = FUSE.get() {
        FUSE.set(left.checked_sub(1));
        assert!(left != 0, "the constructor breaks");
    }
    counter.set(counter.get() + 1);
}

/// How often each constructor has returned since the last time: of `Dense`, `Loose`, `Far` and `Mark`.
fn calls() -> [usize; 4] {
    [&DENSE, &LOOSE, &FAR, &MARK].map(|counter| counter.take())
}

/// The value that constructors give.
const MADE: u32 = 1000;

/// Required, in a table; requires another one.
#[derive(Component, Debug, PartialEq)]
#[require(Far)]
struct Dense(u32, Token);

impl Dense {
    fn new(value: u32) -> Self {
        Self(value, Token::new())
    }

    fn made() -> Self {
        call(&DENSE);
        Self::new(MADE)
    }
}

/// Required, outside the tables.
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Loose(u32, Token);

impl Loose {
    fn new(value: u32) -> Self {
        Self(value, Token::new())
    }

    fn made() -> Self {
        call(&LOOSE);
        Self::new(MADE)
    }
}

/// Required by what is required; wants to lie apart.
#[derive(Component, Debug, PartialEq)]
#[repr(align(256))]
struct Far(u32, Token);

impl Default for Far {
    fn default() -> Self {
        call(&FAR);
        Self(MADE, Token::new())
    }
}

/// A bit.
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Mark;

impl Default for Mark {
    fn default() -> Self {
        call(&MARK);
        Self
    }
}

/// Not required by anything.
#[derive(Component, Debug, PartialEq, Clone)]
struct Other(u32);

/// A component that can be inserted by all operations.
trait Requirer: Component + Clone + PartialEq + std::fmt::Debug {
    /// How many values of `Dense`, `Loose`, `Far` and `Mark` come along.
    const EACH: [usize; 4];
    fn new(value: u32) -> Self;
}

macro_rules! requirer {
    ($name:ident $each:expr, $(#[$attribute:meta])*) => {
        #[derive(Component, Debug, PartialEq, Clone)]
        $(#[$attribute])*
        struct $name(u32);

        impl Requirer for $name {
            const EACH: [usize; 4] = $each;
            fn new(value: u32) -> Self {
                Self(value)
            }
        }
    };
}

requirer!(InTable [1, 0, 1, 0], #[require(Dense = Dense::made())]);
requirer!(OfSparse [0, 1, 0, 1], #[require(Loose = Loose::made(), Mark)]);
requirer!(Both [1, 1, 1, 1], #[require(Loose::made(), Dense::made(), Mark)]);
requirer!(Sparse [1, 1, 1, 0], #[component(storage = "sparse")] #[require(Dense::made(), Loose::made())]);
requirer!(Nothing [0, 0, 0, 0],);

/// The values of `Dense`, `Loose` and `Far`, and whether there is a `Mark`.
fn found(world: &World, entity: Entity) -> (Option<u32>, Option<u32>, Option<u32>, bool) {
    let entity = world.entity(entity);
    (
        entity.get::<Dense>().map(|dense| dense.0),
        entity.get::<Loose>().map(|loose| loose.0),
        entity.get::<Far>().map(|far| far.0),
        entity.contains::<Mark>(),
    )
}

/// Returns the expected values if all required components were constructed.
fn made<R: Requirer>() -> (Option<u32>, Option<u32>, Option<u32>, bool) {
    let [dense, loose, far, mark] = R::EACH.map(|each| each != 0);
    (dense.then_some(MADE), loose.then_some(MADE), far.then_some(MADE), mark)
}
