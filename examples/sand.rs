//! Falling sand, water and fire: cells as entities, and change detection, so that only what changed is painted.
//!
//! ```text
//! cargo run --release --example sand
//! cargo run --release --example sand -- --steps 5000 --out long.gif
//! ```
//!
//! The program writes the animation `sand.gif`. The system `paint` runs for the cells that have changed and for no others,
//! so a frame holds only the part of the picture that differs from the frame before. Edit `SCENE` to build another place.

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use gif::{Encoder, Frame, Repeat};
use strata_ecs::prelude::*;

/// The scene, of which each letter stands for 4 by 4 cells: `#` stone, `w` wood, `~` water, and `s` and `r`, from which
/// sand and rain fall. At step `FIRE` the wood in the place of `f` catches fire.
const SCENE: &str = "
    ss    s     s     s     s     r
#                                      #
#                                      #
#  wwww wwwww wwww   www  wwwww  www   #
# w       w   w   w w   w   w   w   w  #
#  www    w   wwww  wwwww   w   wwwww  #
#     w   w   w  w  w   w   w   w   w  #
# wwww    w   w   w w   w   w   w   w  #
#   w     w   w     w       w   w      #
# wwfwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww  #
#                                      #
#          ####            ####        #
#                                      #
#                                      #
#~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~#
########################################";
const WIDTH: usize = 160;
const HEIGHT: usize = 60;
const FIRE: u32 = 450;
/// Pixels along each side of a cell.
const PIXELS: usize = 3;

/// The content of a cell.
#[derive(Clone, Copy, Component)]
enum Cell {
    Smoke,
    Air,
    Water,
    /// The number selects the colour.
    Sand(u8),
    /// The number of steps that the fire has left.
    Fire(u8),
    Wood,
    Stone,
}

impl Cell {
    /// Whether this cell changes places with `other` when it moves there.
    fn displaces(self, other: Cell) -> bool {
        use Cell::*;
        matches!((self, other), (Sand(_), Air | Smoke | Water) | (Water, Air | Smoke) | (Smoke, Air))
    }
}

/// Where a cell is: column and row, from the top left corner.
#[derive(Clone, Copy, Component)]
struct At(usize, usize);

/// The entity of each cell, row by row, and the cells that sand, water and fire come from.
#[derive(Default, Resource)]
struct Grid {
    cells: Vec<Entity>,
    spouts: Vec<(At, Cell)>,
}

#[derive(Resource)]
struct Step(u32);
#[derive(Resource)]
struct Random(oorandom::Rand32);

/// A system parameter that consists of other parameters, by which systems read and change cells.
#[derive(SystemParam)]
struct Cells<'w, 's> {
    grid: Res<'w, Grid>,
    cells: Query<'w, 's, &'static mut Cell>,
    random: ResMut<'w, Random>,
}

impl Cells<'_, '_> {
    fn entity(&self, x: usize, y: usize) -> Option<Entity> {
        (x < WIDTH && y < HEIGHT).then(|| self.grid.cells[y * WIDTH + x])
    }

    /// The cell, or stone beyond the edge.
    fn get(&self, x: usize, y: usize) -> Cell {
        self.entity(x, y).and_then(|cell| self.cells.get(cell).ok()).copied().unwrap_or(Cell::Stone)
    }

    /// Writes a cell. Change detection notices this, and not that `cells` could write others.
    fn set(&mut self, x: usize, y: usize, to: Cell) {
        if let Some(Ok(mut cell)) = self.entity(x, y).map(|cell| self.cells.get_mut(cell)) {
            *cell = to;
        }
    }

    /// Moves a cell by the first of `ways` that leads to a cell that it displaces.
    fn try_move(&mut self, x: usize, y: usize, ways: &[(isize, isize)]) {
        let here = self.get(x, y);
        let mut ends = ways.iter().map(|(dx, dy)| (x.wrapping_add_signed(*dx), y.wrapping_add_signed(*dy)));
        if let Some((to_x, to_y)) = ends.find(|(x, y)| here.displaces(self.get(*x, *y))) {
            self.set(x, y, self.get(to_x, to_y));
            self.set(to_x, to_y, here);
        }
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.random.0.rand_range(0..n) == 0
    }
}

/// New sand and water at the spouts, and fire when it is time.
#[system]
fn pour(mut step: ResMut<Step>, grid: Res<Grid>, mut cells: Cells) {
    step.0 += 1;
    for (At(x, y), spout) in &grid.spouts {
        match spout {
            Cell::Fire(_) if step.0 == FIRE => cells.set(*x, *y, *spout),
            // The sand changes its colour with time, so it settles in layers.
            Cell::Sand(_) if step.0 < FIRE && cells.one_in(5) => cells.set(*x, *y, Cell::Sand((step.0 / 70 % 4) as u8)),
            Cell::Water if cells.one_in(8) => cells.set(*x, *y, Cell::Water),
            _ => {}
        }
    }
}

/// Sand and water fall, from the bottom row up, so that a grain falls by one cell and makes room for the one above.
#[system]
fn fall(step: Res<Step>, mut cells: Cells) {
    let side = if step.0.is_multiple_of(2) { 1 } else { -1 };
    for y in (0..HEIGHT).rev() {
        for i in 0..WIDTH {
            // In the direction in which water flows, so that it may flow by several cells in a step.
            let x = if side > 0 { i } else { WIDTH - 1 - i };
            match cells.get(x, y) {
                Cell::Sand(_) => cells.try_move(x, y, &[(0, 1), (side, 1), (-side, 1)]),
                Cell::Water if !cells.one_in(4) => cells.try_move(x, y, &[(0, 1), (side, 1), (-side, 1), (side, 0)]),
                _ => {}
            }
        }
    }
}

/// Smoke rises and fire spreads, from the top row down.
#[system]
fn burn(step: Res<Step>, mut cells: Cells) {
    let side = if step.0.is_multiple_of(2) { 1 } else { -1 };
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            match cells.get(x, y) {
                Cell::Smoke if cells.one_in(40) => cells.set(x, y, Cell::Air),
                Cell::Smoke => cells.try_move(x, y, &[(0, -1), (side, -1), (-side, -1)]),
                Cell::Fire(left) => {
                    let mut next = if left == 0 { Cell::Air } else { Cell::Fire(left - 1) };
                    for (x, y) in (0..9).map(|i| ((x + i % 3).wrapping_sub(1), (y + i / 3).wrapping_sub(1))) {
                        match cells.get(x, y) {
                            Cell::Wood if cells.one_in(14) => cells.set(x, y, Cell::Fire(60)),
                            Cell::Air if cells.one_in(50) => cells.set(x, y, Cell::Smoke),
                            Cell::Water => next = Cell::Smoke,
                            _ => {}
                        }
                    }
                    cells.set(x, y, next);
                }
                _ => {}
            }
        }
    }
}

/// The picture, as indices of `PALETTE`, and the columns and rows between which it has changed since the last frame.
#[derive(Resource)]
struct Picture {
    pixels: Vec<u8>,
    dirty: Option<[usize; 4]>,
    painted: u64,
}

/// Air, smoke, water, four kinds of sand, three of fire, wood, stone.
#[rustfmt::skip]
const PALETTE: [[u8; 3]; 12] = [
    [16, 18, 30], [64, 66, 78], [52, 112, 190], [226, 190, 120], [190, 106, 62], [240, 224, 184], [132, 74, 58],
    [255, 214, 92], [250, 136, 40], [196, 52, 30], [116, 138, 84], [96, 100, 112],
];

/// A row system for changed cells: in a scene at rest it does nothing, however large the scene is.
#[system(changed(Cell))]
fn paint(cell: &Cell, &At(x, y): &At, mut picture: ResMut<Picture>) {
    picture.pixels[y * WIDTH + x] = match *cell {
        Cell::Air => 0,
        Cell::Smoke => 1,
        Cell::Water => 2,
        Cell::Sand(colour) => 3 + colour,
        Cell::Fire(left) => 9 - (left / 3 % 3),
        Cell::Wood => 10,
        Cell::Stone => 11,
    };
    picture.painted += 1;
    let [left, top, right, bottom] = picture.dirty.unwrap_or([x, y, x, y]);
    picture.dirty = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
}

impl Picture {
    /// The part that has changed as a frame of the animation.
    fn frame(&mut self) -> Frame<'static> {
        let [left, top, right, bottom] = self.dirty.take().unwrap_or([0; 4]);
        let mut pixels = Vec::new();
        for y in top * PIXELS..(bottom + 1) * PIXELS {
            pixels.extend((left * PIXELS..(right + 1) * PIXELS).map(|x| self.pixels[y / PIXELS * WIDTH + x / PIXELS]));
        }
        let size = |first, last| ((last - first + 1) * PIXELS) as u16;
        let mut frame = Frame::from_indexed_pixels(size(left, right), size(top, bottom), pixels, None);
        (frame.left, frame.top, frame.delay) = ((left * PIXELS) as u16, (top * PIXELS) as u16, 4);
        frame
    }
}

fn build(scene: &str) -> (World, Schedule) {
    let mut world = World::new();
    let rows: Vec<&[u8]> = scene.lines().skip(1).map(str::as_bytes).collect();
    let mut grid = Grid::default();
    for (x, y) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y))) {
        let letter = rows.get(y / 4).and_then(|row| row.get(x / 4)).copied().unwrap_or(b' ');
        let (cell, spout) = match letter {
            b'#' => (Cell::Stone, None),
            b'w' => (Cell::Wood, None),
            b'f' => (Cell::Wood, Some(Cell::Fire(60))),
            b'~' => (Cell::Water, None),
            b's' if y % 4 == 0 => (Cell::Air, Some(Cell::Sand(0))),
            b'r' if y % 4 == 0 => (Cell::Air, Some(Cell::Water)),
            _ => (Cell::Air, None),
        };
        grid.spouts.extend(spout.map(|spout| (At(x, y), spout)));
        grid.cells.push(world.spawn((cell, At(x, y))).id());
    }
    world.insert_resource(grid);
    world.insert_resource(Step(0));
    world.insert_resource(Random(oorandom::Rand32::new(3)));
    world.insert_resource(Picture { pixels: vec![0; WIDTH * HEIGHT], dirty: None, painted: 0 });
    let mut schedule = Schedule::default();
    schedule.add_systems((pour, fall, burn, paint).chain());
    (world, schedule)
}

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut steps, mut out) = (1_200_u32, String::from("sand.gif"));
    let mut options = lexopt::Parser::from_env();
    while let Some(option) = options.next()? {
        match option {
            Long("steps") => steps = options.value()?.parse()?,
            Long("out") => out = options.value()?.string()?,
            _ => return Err("the options are --steps N and --out FILE.gif".into()),
        }
    }

    let file = File::create(&out).map_err(|error| format!("{out}: cannot be written: {error}"))?;
    let mut film = Encoder::new(file, (WIDTH * PIXELS) as u16, (HEIGHT * PIXELS) as u16, PALETTE.as_flattened())?;
    film.set_repeat(Repeat::Infinite)?;
    let (mut world, mut schedule) = build(SCENE);
    let start = Instant::now();
    for step in 1..=steps {
        schedule.run(&mut world);
        if step % 5 == 0 {
            film.write_frame(&world.resource_mut::<Picture>().frame())?;
        }
        if step % 2_000 == 0 {
            eprintln!("  step {step} of {steps}");
        }
    }

    let (all, painted) = (u64::from(steps) * (WIDTH * HEIGHT) as u64, world.resource::<Picture>().painted);
    println!("{steps} steps of {} cells in {:.1} s", WIDTH * HEIGHT, start.elapsed().as_secs_f64());
    println!(
        "painted: {painted} cells, {:.1} %; the others had not changed",
        100.0 * painted as f64 / all.max(1) as f64
    );
    println!("\nThe film is in {out}. Next: edit `SCENE`, or let `fall` wash sand away with water.");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_scene_at_rest_is_painted_once() {
        let (mut world, mut schedule) = super::build("\n####\n");
        (0..3).for_each(|_| schedule.run(&mut world));
        assert_eq!(world.resource::<super::Picture>().painted, (super::WIDTH * super::HEIGHT) as u64);
    }
}
