//! Tests of strata-app: one test program, with a module for each part.

mod apps;
mod derived;
mod frames;
mod histories;
mod plugins;
mod setup;
mod states;
mod steps;
mod timers;

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_app::prelude::*;

/// The records of systems, in order.
#[derive(Resource, Default)]
struct Log(Vec<String>);

/// A system that notes a text.
fn note(text: &'static str) -> impl FnMut(ResMut<'_, Log>) + Clone {
    move |mut log: ResMut<'_, Log>| log.0.push(text.to_owned())
}

/// Returns the records since the last call.
fn noted(app: &mut App) -> Vec<String> {
    std::mem::take(&mut app.world_mut().resource_mut::<Log>().0)
}

/// A program with a log.
fn logging() -> App {
    let mut app = App::new();
    app.init_resource::<Log>();
    app
}

/// The message of the panic of `what`.
fn panic_of<R>(what: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(what)) else { panic!("it did not panic") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_owned(),
    }
}
