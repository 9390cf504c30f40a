//! Events, observers and hooks.
//!
//! This module comes after `world`, because an observer is a system and a trigger gets a world. The store, a lower
//! module, collects and orders lifecycle events, and calls observers through functions that this module registers.
//!
//! Tests: tests/observers

pub mod event;
pub mod observer;
