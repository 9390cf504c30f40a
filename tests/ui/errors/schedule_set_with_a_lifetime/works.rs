use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Physics(&'static str);

fn main() {
    assert_eq!(Physics("a").intern(), Physics("a").intern());
}
