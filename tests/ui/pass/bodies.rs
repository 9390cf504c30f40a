#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

mod tools {
    pub fn clamp(value: u32) -> u32 {
        value.min(10)
    }
    pub const ZERO: u32 = 0;
}

#[system]
fn early_return(a: &mut A) {
    if a.0 == tools::ZERO {
        return;
    }
    a.0 += 1;
}
#[system]
fn question_mark(a: &mut A) -> Result {
    let value: u32 = "3".parse()?;
    let more = (|| -> Option<u32> { Some(Some(1)? + 1) })().ok_or("nothing")?;
    a.0 += value + more;
    Ok(())
}
#[system]
fn labels(a: &mut A) {
    'outer: for x in 0.. {
        for y in 0..5 {
            if x + y > 3 {
                break 'outer;
            }
            if y == 2 {
                continue 'outer;
            }
            a.0 += 1;
        }
    }
}
#[system]
fn globs(a: &mut A) {
    use tools::*;
    a.0 = clamp(a.0) + ZERO;
}
#[system]
fn items_inside(a: &mut A) {
    const STEP: u32 = 2;
    fn add(value: &mut u32) {
        *value += STEP;
    }
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {}
    }
    macro_rules! twice {
        ($e:expr) => {{
            $e;
            $e
        }};
    }
    let _guard = Guard;
    twice!(add(&mut a.0));
}
#[system]
fn empty(_a: &mut A) {}
#[system]
fn diverges(a: &mut A) {
    if a.0 > 1_000_000 {
        unreachable!("{}", a.0)
    }
}
#[system]
fn closures(a: &mut A) {
    let mut add = |by| a.0 += by;
    add(1);
    add(1);
}

fn main() {
    let mut world = World::new();
    world.spawn(A(0));
    let one = world.spawn(A(1)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((early_return, question_mark, labels, globs, items_inside, empty, diverges, closures));
    schedule.run(&mut world);
    assert_eq!(world.get::<A>(one).unwrap().0, 16);
}
