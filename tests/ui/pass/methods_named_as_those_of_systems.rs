//! The traits of the prelude that give functions and tuples the methods of systems, for the sake of a message, hide no method of others.
use std::cell::RefCell;
use std::rc::Rc;

use strata_ecs::prelude::*;

#[derive(Default)]
struct Own(u32);

impl Own {
    fn after(&mut self, n: u32) {
        self.0 += n;
    }
    fn before(&self, n: u32) -> u32 {
        self.0 + n
    }
    fn and(self, n: u32) -> u32 {
        self.0 + n
    }
}

fn next(n: u32) -> u32 {
    n + 1
}

fn main() {
    assert!(World::new().is_empty());
    let mut own = Own::default();
    own.after(1);
    let mut boxed = Box::new(own);
    boxed.after(1);
    let shared = Rc::new(RefCell::new(*boxed));
    shared.borrow_mut().after(1);
    assert_eq!(shared.borrow().before(1), 4);
    assert_eq!(shared.take().and(1), 4);
    assert_eq!([1].iter().chain([2].iter()).map(|n| n + 1).sum::<i32>(), 5);
    assert_eq!(Some(1).map(next).and(Some(2)).and_then(Some).or(None), Some(2));
}
