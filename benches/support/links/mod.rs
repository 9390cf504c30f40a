//! Links between entities: hierarchies, and pairs of a relation compared with two maps by hand.

pub(crate) mod alike_in_world;
mod by_hand;
mod down;
pub(crate) mod hunt;
mod hunt_in_world;
mod pairs;

use self::alike_in_world as world;
use super::{Bench, Contestant};

/// Trees, and what each root has.
pub(crate) const ROOTS: usize = 1_000;
pub(crate) const CHILDREN: usize = 10;
/// Children of one root.
pub(crate) const SIBLINGS: usize = 10_000;

/// Which of many siblings.
#[derive(Clone, Copy)]
pub(crate) enum Which {
    First,
    Middle,
    Last,
}

impl Which {
    pub(crate) fn place(self) -> usize {
        match self {
            Self::First => 0,
            Self::Middle => SIBLINGS / 2,
            Self::Last => SIBLINGS - 1,
        }
    }
}

/// Where a child goes that is the number `at` of all.
pub(crate) fn other_root(at: usize) -> usize {
    (at * 7 + 3) % ROOTS
}

pub(super) fn benches() -> Vec<Bench> {
    let bench = |name, rows, contestants| Bench { file: "links", name, rows, contestants };
    let mut benches = vec![
        bench(
            "hierarchy: spawn 1000 x 10",
            ROOTS * (CHILDREN + 1),
            vec![
                Contestant::new("vectors by hand", None, by_hand::spawn),
                Contestant::new("world.spawn, ChildOf", None, world::spawn),
            ],
        ),
        bench(
            "hierarchy: walk 1000 x 10",
            ROOTS * CHILDREN,
            vec![
                Contestant::new("vectors by hand", None, by_hand::walk),
                Contestant::new("&Children, query.get", None, world::walk),
            ],
        ),
        bench(
            "hierarchy: down 1000 x 10",
            ROOTS * (CHILDREN + 1),
            vec![
                Contestant::new("arrays by hand, sorted by depth", None, down::by_hand),
                Contestant::new("#[system(down = ChildOf)]", None, down::by_system),
            ],
        ),
        bench(
            "hierarchy: despawn 1000 x 10",
            ROOTS * (CHILDREN + 1),
            vec![
                Contestant::new("vectors by hand", None, by_hand::despawn),
                Contestant::new("world.despawn", None, world::despawn),
            ],
        ),
        bench(
            "hierarchy: re-parent 10k",
            ROOTS * CHILDREN,
            vec![
                Contestant::new("vectors by hand", None, by_hand::re_parent),
                Contestant::new("insert(ChildOf)", None, world::re_parent),
                Contestant::new("add_children, ten at once", None, world::re_parent_together),
            ],
        ),
        bench(
            "hierarchy: despawn one of 10k, read the rest",
            1,
            vec![
                Contestant::new("world.despawn without a parent, a list read", None, world::alone),
                Contestant::new("the first sibling", Some(2.0), || world::sibling(Which::First)),
                Contestant::new("the middle sibling", Some(2.0), || world::sibling(Which::Middle)),
                Contestant::new("the last sibling", Some(2.0), || world::sibling(Which::Last)),
            ],
        ),
        bench(
            "predator-prey 500 x 2000",
            hunt::PREDATORS + hunt::PREY,
            vec![
                Contestant::new("vectors and lists by hand", None, hunt::by_hand),
                Contestant::new("pairs", None, hunt_in_world::in_world),
            ],
        ),
    ];
    benches.extend(pairs::benches());
    benches
}
