use std::rc::Rc;

use strata_ecs::prelude::*;

struct Table<T>(Rc<Vec<T>>);

type Names = Table<String>;

#[system]
fn of_one_type_by_two_names(names: Option<NonSend<Names>>, mut table: NonSendMut<Table<String>>) {
    table.0 = names.map_or_else(Rc::default, |names| names.0.clone());
}

fn main() {
    Schedule::default().add_systems(of_one_type_by_two_names);
}
