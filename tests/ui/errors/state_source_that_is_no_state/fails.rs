//! Other states follow from states: from one, from an `Option` of one, which need not exist, or from a tuple of both.
//! Data in a resource or component are not a state.
use strata_app::prelude::*;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(u32 = 3..)]
struct Advanced;

fn main() {
    App::new().add_sub_state::<Advanced>();
}
