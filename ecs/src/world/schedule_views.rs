//! Views of a schedule together with the world on which it runs.
//!
//! Tests: tests/schedules/schedule_views

use super::cast::World;
use crate::schedule::{Schedule, ScheduleBuildError, ScheduleDiagram, ScheduleReport};

impl Schedule {
    /// Describes the schedule: the systems in their order, the sets and stages, and the conflicts that order two
    /// systems without a constraint. It also shows which row systems can run block by block, as a pipeline. Initializes
    /// the schedule for the world if necessary. `O(n * n)` in systems.
    ///
    /// # Errors
    ///
    /// If the ordering constraints contradict each other: see [`ScheduleBuildError`].
    ///
    /// # Panics
    ///
    /// If two parameters of a system conflict.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Sum(u32);
    ///
    /// fn double(mut sum: ResMut<Sum>) {
    ///     sum.0 *= 2;
    /// }
    ///
    /// fn add_one(mut sum: ResMut<Sum>) {
    ///     sum.0 += 1;
    /// }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((double, add_one));
    /// let diagram = schedule.diagram(&mut World::new()).unwrap();
    /// assert!(diagram.to_string().contains("add_one  not beside double (resource `Sum`)"));
    /// assert!(diagram.to_mermaid().contains("s0 -.->|\"resource #96;Sum#96;\"| s1"));
    /// ```
    ///
    /// This shows consecutive row systems, and the reason why one of them is in no pipeline:
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Speed(f32);
    /// # #[derive(Component)] struct Height(f32);
    ///
    /// #[system]
    /// fn gravity(speed: &mut Speed) {
    ///     speed.0 -= 1.0;
    /// }
    ///
    /// #[system]
    /// fn fall(height: &mut Height, speed: &Speed) {
    ///     height.0 += speed.0;
    /// }
    ///
    /// #[system]
    /// fn land(height: &Height) -> Result {
    ///     if height.0 < 0.0 { Err("below the ground".into()) } else { Ok(()) }
    /// }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((gravity, fall, land).chain());
    /// assert_eq!(
    ///     schedule.diagram(&mut World::new()).unwrap().to_string(),
    ///     "\
    /// a schedule of 3 systems
    /// stage 1
    ///      pipeline 1, on one thread: gravity, fall
    ///   1  gravity
    ///   2  fall     after gravity
    ///   3  land     after fall
    /// in no pipeline
    ///   3  land     it may fail
    /// "
    /// );
    /// ```
    #[doc(alias("graphviz", "dot", "mermaid", "visualize"))]
    pub fn diagram(&mut self, world: &mut World) -> Result<ScheduleDiagram, ScheduleBuildError> {
        self.diagram_on(&mut world.store)
    }

    /// Reports the last run: what the systems did, why some did not run, and the measured costs. The world is used only
    /// for the numbers of rows. `O(systems * tables)`.
    ///
    /// If the schedule has not run, the report only lists its systems.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Speed(f32);
    /// # #[derive(Component)] struct Height(f32);
    ///
    /// #[system]
    /// fn gravity(speed: &mut Speed) {
    ///     speed.0 -= 1.0;
    /// }
    ///
    /// #[system]
    /// fn fall(height: &mut Height, speed: &Speed) {
    ///     height.0 += speed.0;
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..1500).map(|height| (Speed(0.0), Height(height as f32))));
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((gravity, fall).chain());
    /// schedule.run(&mut world);
    /// let text = schedule.report(&world).to_string();
    /// assert_eq!(
    ///     text,
    ///     "\
    /// a schedule of 2 systems, run 1
    /// commands: of the last run; in all: commands of all runs; times: of the last measured runs
    /// ##  system   rows now  commands  in all  min  median  max  outcome
    /// stage 1: one after the other
    /// pipeline 1, systems 1 to 2: one after the other, since the rows fit into the cache
    /// 1  gravity     1,500         -       -    -       -    -  ran
    /// 2  fall        1,500         -       -    -       -    -  ran
    /// "
    /// );
    /// ```
    #[must_use]
    #[doc(alias("profiler", "stats"))]
    pub fn report(&self, world: &World) -> ScheduleReport {
        self.report_on(&world.store)
    }
}
