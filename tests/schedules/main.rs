//! Schedules: order, conditions, threads, pipelines, determinism, and their views.

mod determinism;
mod schedule;
mod schedule_views;
mod streams;
