use strata_ecs::prelude::*;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Fixed(&'static str);

fn main() {
    assert_eq!(Fixed("a").intern(), Fixed("a").intern());
}
