//! Random operations, and the components that they are done with.

use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::removal::{RemovedComponentReader, RemovedValueReader};
use strata_tests::drops::Token;

/// A component whose values have numbers.
pub(crate) trait Numbered: Component {
    fn make(number: u32) -> Self;
    fn number(&self) -> u32;
}

/// In tables, with a `Drop`.
#[derive(Component)]
pub(crate) struct A(u32, #[expect(dead_code, reason = "only dropped")] Token);
/// In tables, to be forgotten.
#[derive(Component)]
pub(crate) struct B(u32);
/// Sparse, with a `Drop`.
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct S(u32, #[expect(dead_code, reason = "only dropped")] Token);
/// Sparse, to be forgotten.
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct P(u32);
/// A tag.
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct M;
/// A column without bytes.
#[derive(Component)]
pub(crate) struct Z;

macro_rules! numbered {
    ($($C:ident: |$n:ident| $make:expr, |$this:ident| $number:expr;)*) => {
        $(impl Numbered for $C {
            fn make($n: u32) -> Self {
                $make
            }

            fn number(&self) -> u32 {
                let $this = self;
                $number
            }
        })*
    };
}

numbered! {
    A: |n| Self(n, Token::new()), |this| this.0;
    B: |n| Self(n), |this| this.0;
    S: |n| Self(n, Token::new()), |this| this.0;
    P: |n| Self(n), |this| this.0;
    M: |_n| Self, |_this| 0;
    Z: |_n| Self, |_this| 0;
}

/// The components whose values have a token.
pub(crate) const WITH_TOKENS: [usize; 2] = [0, 2];

/// A bundle of some of them.
pub(crate) trait Bunch: Bundle {
    /// Which.
    const OF: &'static [usize];
    /// Whether some lie in tables.
    fn moves(row: &super::naive::Row) -> bool {
        Self::OF.iter().any(|&kind| [0, 1, 5].contains(&kind) && row[kind].is_some())
    }
    /// Whether an entity has one of them.
    fn is_on(world: &World, entity: Entity) -> bool;
    fn make(number: u32) -> Self;
}

macro_rules! bunches {
    ($($B:ident = ($($C:ident $at:literal),*);)*) => {
        $(pub(crate) type $B = ($($C,)*);

        impl Bunch for $B {
            const OF: &'static [usize] = &[$($at),*];

            fn is_on(world: &World, entity: Entity) -> bool {
                let entity = world.entity(entity);
                false $(|| entity.contains::<$C>())*
            }

            fn make(number: u32) -> Self {
                ($($C::make(number),)*)
            }
        })*
    };
}

bunches! {
    B0 = (A 0);
    B1 = (B 1);
    B2 = (S 2);
    B3 = (P 3);
    B4 = (M 4);
    B5 = (A 0, S 2);
    B6 = (A 0, B 1, Z 5);
    B7 = (S 2, P 3, M 4);
    B8 = (Z 5);
    B9 = (A 0, B 1, S 2, P 3, M 4, Z 5);
}

/// Does something for the bundle with a number, which it calls `$T`.
macro_rules! with_bunch {
    ($number:expr, $T:ident => $action:expr) => {
        match $number {
            0 => {
                type $T = $crate::operations::B0;
                $action
            }
            1 => {
                type $T = $crate::operations::B1;
                $action
            }
            2 => {
                type $T = $crate::operations::B2;
                $action
            }
            3 => {
                type $T = $crate::operations::B3;
                $action
            }
            4 => {
                type $T = $crate::operations::B4;
                $action
            }
            5 => {
                type $T = $crate::operations::B5;
                $action
            }
            6 => {
                type $T = $crate::operations::B6;
                $action
            }
            7 => {
                type $T = $crate::operations::B7;
                $action
            }
            8 => {
                type $T = $crate::operations::B8;
                $action
            }
            _ => {
                type $T = $crate::operations::B9;
                $action
            }
        }
    };
}
pub(crate) use with_bunch;

/// What is read: entities, and the numbers of values if there are any.
pub(crate) type Read = Vec<(Entity, Option<u32>)>;

/// A reader of either kind.
pub(crate) trait Reader {
    fn read(&mut self, world: &World, count: usize) -> Read;
    fn len(&self, world: &World) -> usize;
    fn clear(&mut self, world: &World);
    fn missed(&self, world: &World) -> u64;
}

impl<C: Numbered> Reader for RemovedComponentReader<C> {
    fn read(&mut self, world: &World, count: usize) -> Read {
        Self::read(self, world).take(count).map(|entity| (entity, None)).collect()
    }

    fn len(&self, world: &World) -> usize {
        Self::len(self, world)
    }

    fn clear(&mut self, world: &World) {
        Self::clear(self, world);
    }

    fn missed(&self, world: &World) -> u64 {
        Self::missed(self, world)
    }
}

impl<C: Numbered> Reader for RemovedValueReader<C> {
    fn read(&mut self, world: &World, count: usize) -> Read {
        Self::read(self, world).take(count).map(|(entity, value)| (entity, Some(value.number()))).collect()
    }

    fn len(&self, world: &World) -> usize {
        Self::len(self, world)
    }

    fn clear(&mut self, world: &World) {
        Self::clear(self, world);
    }

    fn missed(&self, world: &World) -> u64 {
        Self::missed(self, world)
    }
}

fn reader_of<C: Numbered>(world: &mut World, values: bool) -> Box<dyn Reader> {
    if values { Box::new(world.removed_value_reader::<C>()) } else { Box::new(world.removed_reader::<C>()) }
}

/// A reader of one of the components.
pub(crate) fn reader(world: &mut World, kind: usize, values: bool) -> Box<dyn Reader> {
    match kind {
        0 => reader_of::<A>(world, values),
        1 => reader_of::<B>(world, values),
        2 => reader_of::<S>(world, values),
        3 => reader_of::<P>(world, values),
        4 => reader_of::<M>(world, values),
        _ => reader_of::<Z>(world, values),
    }
}

pub(crate) fn set_limit(world: &mut World, kind: usize, limit: usize) {
    match kind {
        0 => world.set_removed_limit::<A>(limit),
        1 => world.set_removed_limit::<B>(limit),
        2 => world.set_removed_limit::<S>(limit),
        3 => world.set_removed_limit::<P>(limit),
        4 => world.set_removed_limit::<M>(limit),
        _ => world.set_removed_limit::<Z>(limit),
    }
}

/// One step of commands for an entity.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Insert(usize),
    InsertIfNew(usize),
    Remove(usize),
    Despawn,
}

/// Entities are chosen by numbers, bundles too.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn(usize, usize, usize),
    Despawn(usize),
    Insert(usize, usize),
    Remove(usize, usize),
    Retain(usize, usize),
    Take(usize, usize),
    Replace(usize, usize, usize),
    Exchange(usize, usize, usize),
    TakeAll(usize),
    Clear(usize),
    RemoveAll(usize),
    RemoveMany(Vec<usize>, usize),
    DespawnAll,
    DespawnMany(Vec<usize>),
    MoveMany(Vec<usize>),
    Commands(Vec<usize>, Vec<Command>),
    ClearEntities,
    Shrink,
    RunSchedule,
    AddReader(usize, bool),
    DropReader(usize),
    Read(usize, usize),
    Skip(usize),
    Limit(usize, usize),
}

fn bunch() -> impl Strategy<Value = usize> {
    0..10usize
}

fn entity() -> impl Strategy<Value = usize> {
    0..1000usize
}

fn some() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(entity(), 0..20)
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        3 => bunch().prop_map(Command::Insert),
        1 => bunch().prop_map(Command::InsertIfNew),
        4 => bunch().prop_map(Command::Remove),
        1 => Just(Command::Despawn),
    ]
}

pub(crate) fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (1..14usize, bunch(), bunch()).prop_map(|(count, a, b)| Operation::Spawn(count, a, b)),
        3 => entity().prop_map(Operation::Despawn),
        3 => (entity(), bunch()).prop_map(|(e, b)| Operation::Insert(e, b)),
        4 => (entity(), bunch()).prop_map(|(e, b)| Operation::Remove(e, b)),
        1 => (entity(), bunch()).prop_map(|(e, b)| Operation::Retain(e, b)),
        2 => (entity(), bunch()).prop_map(|(e, b)| Operation::Take(e, b)),
        2 => (entity(), bunch(), bunch()).prop_map(|(e, a, b)| Operation::Replace(e, a, b)),
        2 => (entity(), bunch(), bunch()).prop_map(|(e, a, b)| Operation::Exchange(e, a, b)),
        1 => entity().prop_map(Operation::TakeAll),
        1 => entity().prop_map(Operation::Clear),
        2 => bunch().prop_map(Operation::RemoveAll),
        2 => (some(), bunch()).prop_map(|(e, b)| Operation::RemoveMany(e, b)),
        1 => Just(Operation::DespawnAll),
        2 => some().prop_map(Operation::DespawnMany),
        2 => some().prop_map(Operation::MoveMany),
        4 => (some(), prop::collection::vec(command(), 1..5)).prop_map(|(e, c)| Operation::Commands(e, c)),
        1 => Just(Operation::ClearEntities),
        1 => Just(Operation::Shrink),
        1 => Just(Operation::RunSchedule),
        6 => (0..6usize, any::<bool>()).prop_map(|(kind, values)| Operation::AddReader(kind, values)),
        1 => entity().prop_map(Operation::DropReader),
        8 => (entity(), prop_oneof![Just(usize::MAX), 0..4usize]).prop_map(|(r, n)| Operation::Read(r, n)),
        1 => entity().prop_map(Operation::Skip),
        1 => (0..6usize, 0..12usize).prop_map(|(kind, limit)| Operation::Limit(kind, limit)),
    ]
}
