use strata_ecs::prelude::*;

#[derive(SystemSet)]
union Bits {
    float: f32,
    integer: u32,
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Named<'a>(&'a str);

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
#[system_set(krate = strata_ecs)]
struct Misspelt;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
enum Inside {
    #[schedule_label(crate = strata_ecs)]
    One,
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
#[schedule_label]
struct Empty;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
#[systemset(crate = strata_ecs)]
struct NoSuchAttribute;

fn main() {
    let _ = (Misspelt.intern(), Inside::One.intern(), Empty.intern());
}
