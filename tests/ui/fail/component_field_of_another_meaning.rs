//! The derive describes a field by its type as it is written. Where that means another type in what the derive writes, the field would
//! be read as that one: it does not compile.

use strata_ecs::prelude::*;

mod __strata {
    pub struct Option<T>(pub [usize; 3], pub core::marker::PhantomData<T>);
}

#[derive(Component)]
struct Name {
    text: __strata::Option<String>,
}

fn main() {}
