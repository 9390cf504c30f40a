//! Removals: what is recorded, for whom, and what becomes of the values.

mod drops;
mod model;
mod naive;
mod operations;
mod params;
mod paths;
mod readers;
