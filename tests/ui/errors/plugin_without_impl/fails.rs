//! A plugin is a type with an implementation of `Plugin`, or a function that takes the `App`.
use strata_app::prelude::*;

struct Physics;

fn main() {
    let _ = MinimalPlugins.build().add(Physics);
}
