use strata_ecs::component::{Cells, Describe, TypeCells};

#[derive(Describe)]
struct Sword(u32);

fn cells_of<T: TypeCells>() -> Cells {
    T::CELLS
}

fn main() {
    let _ = cells_of::<Sword>();
    let _ = Sword(3).0;
}
