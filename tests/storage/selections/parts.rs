//! The components of these tests, the bundles that are made of them, and the selections.

use std::cell::Cell;

use strata_ecs::prelude::*;
use strata_ecs::selection::InsertColumnsError;
use strata_tests::drops::Token;

/// How many kinds of components there are.
pub(crate) const KINDS: usize = 9;

/// The expected components of an entity: the value of each component, which is zero for components without values.
pub(crate) type Row = [Option<u32>; KINDS];

thread_local! {
    static BELLS: Cell<isize> = const { Cell::new(0) };
}

/// How many zero-sized values with a destructor exist on this thread.
pub(crate) fn bells() -> isize {
    BELLS.get()
}

/// Zero-sized, and counts its drop.
pub(crate) struct Ring;

impl Ring {
    fn new() -> Self {
        BELLS.set(BELLS.get() + 1);
        Self
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        BELLS.set(BELLS.get() - 1);
    }
}

/// A bundle that is made of a number.
pub(crate) trait Make: Bundle + Clone {
    /// One bit for each component.
    const MASK: u32;
    /// Component number `i` gets `value + i`, if it has a value.
    fn make(value: u32) -> Self;
    /// Inserts the bundles of these values into a selection, as slices.
    fn insert_columns(selection: EntitySelection<'_>, values: &[u32]) -> Result<usize, InsertColumnsError>;
}

/// A component with a number.
pub(crate) trait Part: Component {
    fn value(&self) -> u32;
}

macro_rules! part {
    ($index:literal $name:ident |$number:ident| $make:expr, |$me:ident| $read:expr) => {
        impl $name {
            fn of($number: u32) -> Self {
                $make
            }
        }
        impl Part for $name {
            fn value(&self) -> u32 {
                let $me = self;
                $read
            }
        }
        impl Clone for $name {
            fn clone(&self) -> Self {
                Self::of(self.value())
            }
        }
        impl Make for $name {
            const MASK: u32 = 1 << $index;
            fn make(value: u32) -> Self {
                Self::of(value + $index)
            }
            fn insert_columns(selection: EntitySelection<'_>, values: &[u32]) -> Result<usize, InsertColumnsError> {
                let values: Vec<Self> = values.iter().map(|&value| Self::make(value)).collect();
                selection.insert_columns(&values[..])
            }
        }
    };
}

#[derive(Component)]
pub(crate) struct Plain(pub(crate) u32);
#[derive(Component)]
pub(crate) struct Heap(Box<u32>, Token);
#[derive(Component)]
pub(crate) struct Unit;
#[derive(Component)]
pub(crate) struct Bell(Ring);
#[derive(Component)]
#[repr(align(128))]
pub(crate) struct Wide(u32, Token);
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct Loose(String, Token);
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct Tag;
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct TagBell(Ring);
#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct Aside(u32);

part!(0 Plain |value| Self(value), |me| me.0);
part!(1 Heap |value| Self(Box::new(value), Token::new()), |me| *me.0);
part!(2 Unit |_value| Self, |_me| 0);
part!(3 Bell |_value| Self(Ring::new()), |_me| 0);
part!(4 Wide |value| Self(value, Token::new()), |me| {
    assert!(std::ptr::from_ref(me).addr().is_multiple_of(128), "a value is not aligned");
    me.0
});
part!(5 Loose |value| Self(value.to_string(), Token::new()), |me| me.0.parse().expect("it was a number"));
part!(6 Tag |_value| Self, |_me| 0);
part!(7 TagBell |_value| Self(Ring::new()), |_me| 0);
part!(8 Aside |value| Self(value), |me| me.0);

/// Whether component number `index` has a value.
fn carries(index: usize) -> bool {
    ![2, 3, 6, 7].contains(&index)
}

/// Applies the insertion of a bundle to a row.
pub(crate) fn give(row: &mut Row, mask: u32, value: u32) {
    for index in (0..KINDS).filter(|index| mask & (1 << index) != 0) {
        row[index] = Some(if carries(index) { value + index as u32 } else { 0 });
    }
}

/// Applies the removal of a bundle to a row.
pub(crate) fn take(row: &mut Row, mask: u32) {
    (0..KINDS).filter(|index| mask & (1 << index) != 0).for_each(|index| row[index] = None);
}

/// The values of an entity of the world.
pub(crate) fn row_of(world: &World, entity: Entity) -> Row {
    fn read<P: Part>(world: &World, entity: Entity) -> Option<u32> {
        world.get::<P>(entity).map(Part::value)
    }
    [
        read::<Plain>(world, entity),
        read::<Heap>(world, entity),
        read::<Unit>(world, entity),
        read::<Bell>(world, entity),
        read::<Wide>(world, entity),
        read::<Loose>(world, entity),
        read::<Tag>(world, entity),
        read::<TagBell>(world, entity),
        read::<Aside>(world, entity),
    ]
}

macro_rules! tuples {
    ($($part:ident $at:tt),*) => {
        impl<$($part: Make + Component),*> Make for ($($part,)*) {
            const MASK: u32 = 0 $(| $part::MASK)*;
            fn make(value: u32) -> Self {
                ($($part::make(value),)*)
            }
            fn insert_columns(selection: EntitySelection<'_>, values: &[u32]) -> Result<usize, InsertColumnsError> {
                let columns = ($(values.iter().map(|&value| $part::make(value)).collect::<Vec<_>>(),)*);
                selection.insert_columns(($(&columns.$at[..],)*))
            }
        }
    };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);

/// How many kinds of bundles [`with_bundle`] knows.
pub(crate) const BUNDLES: u8 = 16;

/// Does something with a bundle type chosen by number.
macro_rules! with_bundle {
    ($kind:expr, $bundle:ident => $action:expr) => {{
        macro_rules! act {
            ($type:ty) => {{
                type $bundle = $type;
                $action
            }};
        }
        match $kind {
            0 => act!(Plain),
            1 => act!(Heap),
            2 => act!(Unit),
            3 => act!(Bell),
            4 => act!(Wide),
            5 => act!(Loose),
            6 => act!(Tag),
            7 => act!(TagBell),
            8 => act!(Aside),
            9 => act!((Plain, Heap)),
            10 => act!((Wide, Bell, Unit)),
            11 => act!((Heap, Loose)),
            12 => act!((Tag, TagBell)),
            13 => act!((Loose, Plain, TagBell, Bell)),
            14 => act!((Unit, Heap)),
            _ => act!((Heap, Wide, Aside, Unit)),
        }
    }};
}
pub(crate) use with_bundle;

/// The components of a bundle chosen by number.
pub(crate) fn mask(kind: u8) -> u32 {
    with_bundle!(kind, B => B::MASK)
}

/// How many kinds of filters [`with_filter`] knows.
pub(crate) const FILTERS: u8 = 10;

/// Does something with a filter type chosen by number.
macro_rules! with_filter {
    ($kind:expr, $filter:ident => $action:expr) => {{
        macro_rules! act {
            ($type:ty) => {{
                type $filter = $type;
                $action
            }};
        }
        match $kind {
            0 => act!(()),
            1 => act!(With<Plain>),
            2 => act!((With<Heap>, Without<Unit>)),
            3 => act!(Or<(With<Plain>, With<Wide>)>),
            4 => act!(Without<Bell>),
            5 => act!(With<Loose>),
            6 => act!((With<Plain>, Without<TagBell>)),
            7 => act!(Or<(With<Unit>, With<Tag>)>),
            8 => act!((With<Bell>, With<Aside>)),
            _ => act!((Without<Tag>, Or<(Without<Wide>, With<Loose>)>)),
        }
    }};
}
pub(crate) use with_filter;

/// Whether an entity with these values matches a filter chosen by number.
pub(crate) fn matches(kind: u8, row: &Row) -> bool {
    let has = |index: usize| row[index].is_some();
    match kind {
        0 => true,
        1 => has(0),
        2 => has(1) && !has(2),
        3 => has(0) || has(4),
        4 => !has(3),
        5 => has(5),
        6 => has(0) && !has(7),
        7 => has(2) || has(6),
        8 => has(3) && has(8),
        _ => !has(6) && (!has(4) || has(5)),
    }
}
