//! Views of a schedule: diagrams, and reports of its runs.

mod diagrams;
mod dot;
mod farm;
mod golden;
mod mermaid;
mod physics;
mod pipelines;
mod reports;
