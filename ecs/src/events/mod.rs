//! Events, observers and hooks.
//!
//! This room stands after `world`: an observer is a system, and a trigger gets a world. The store collects and orders lifecycle events
//! below it and calls observers through functions that this room registers.
//!
//! Tests: tests/observers

pub mod event;
pub mod observer;
