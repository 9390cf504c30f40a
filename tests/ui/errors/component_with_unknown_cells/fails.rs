//! A frame of a `SnapshotRing` shares values that have not changed, if they contain no cells. A type says so by `TypeCells`.
use strata_ecs::component::{Cells, TypeCells};

struct Sword(u32);

fn cells_of<T: TypeCells>() -> Cells {
    T::CELLS
}

fn main() {
    let _ = cells_of::<Sword>();
    let _ = Sword(3).0;
}
