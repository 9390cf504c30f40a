use strata_ecs::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Physics;
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Startup;

fn takes_set(set: impl SystemSet) {
    let _ = set.intern();
}
fn takes_label(label: impl ScheduleLabel) {
    let _ = label.intern();
}

fn main() {
    takes_set(Physics);
    takes_label(Startup);
}
