//! Conditions that many programs need, for [`run_if`](crate::schedule::IntoScheduleConfigs::run_if).
//!
//! A condition that tests for changes or messages sees those since it was last evaluated. Each place where the program uses such a
//! condition is a condition of its own. If a condition is evaluated rarely, `on_message` and `any_component_removed` miss entries
//! that were dropped since the last evaluation.
// Tests: tests/systems/params/conditions.rs

use super::base::BoxedSystem;
use super::combine::pipe;
use super::condition::SystemCondition;
pub use super::condition::not;
use super::input::In;
use super::into::IntoSystem;
use super::params::{Local, MessageReader, RemovedComponents, Res};
use crate::component::Component;
use crate::query::change::DetectChanges;
use crate::query::{Query, QueryFilter, With};
use crate::storage::message::Message;
use crate::storage::resource::Resource;

/// Holds the first time it is evaluated, and never again.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(run_once));
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn run_once(mut has_run: Local<'_, bool>) -> bool {
    !core::mem::replace(&mut *has_run, true)
}

/// Holds while the resource exists.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_exists::<Score>));
/// schedule.run(&mut world);
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn resource_exists<R: Resource>(resource: Option<Res<'_, R>>) -> bool {
    resource.is_some()
}

/// Holds while the resource equals `value`.
///
/// # Panics
///
/// The schedule fails while the resource does not exist: see [`resource_exists_and_equals`].
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_equals(Score(3))));
/// world.insert_resource(Score(2));
/// schedule.run(&mut world);
/// world.insert_resource(Score(3));
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
pub fn resource_equals<R: Resource + PartialEq>(value: R) -> impl FnMut(Res<'_, R>) -> bool {
    move |resource: Res<'_, R>| *resource == value
}

/// Holds while the resource exists and equals `value`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_exists_and_equals(Score(3))));
/// schedule.run(&mut world);
/// world.insert_resource(Score(3));
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
pub fn resource_exists_and_equals<R: Resource + PartialEq>(value: R) -> impl FnMut(Option<Res<'_, R>>) -> bool {
    move |resource: Option<Res<'_, R>>| resource.is_some_and(|resource| *resource == value)
}

/// Holds while the resource exists and satisfies `condition`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_exists_and(|score: &Score| score.0 > 2)));
/// schedule.run(&mut world);
/// world.insert_resource(Score(3));
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
pub fn resource_exists_and<R: Resource>(condition: impl Fn(&R) -> bool) -> impl FnMut(Option<Res<'_, R>>) -> bool {
    move |resource: Option<Res<'_, R>>| resource.is_some_and(|resource| condition(&resource))
}

/// Holds if the resource exists and was added since the condition was last evaluated.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_added::<Score>));
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// world.insert_resource(Score(2)); // Another value is a change.
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn resource_added<R: Resource>(resource: Option<Res<'_, R>>) -> bool {
    resource.is_some_and(|resource| resource.is_added())
}

/// Holds if the resource was added or changed since the condition was last evaluated.
///
/// # Panics
///
/// The schedule fails while the resource does not exist: see [`resource_exists_and_changed`].
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_changed::<Score>));
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// world.resource_mut::<Score>().0 += 1;
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 2);
/// ```
#[must_use]
pub fn resource_changed<R: Resource>(resource: Res<'_, R>) -> bool {
    resource.is_changed()
}

/// Holds if the resource exists and was added or changed since the condition was last evaluated.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_exists_and_changed::<Score>));
/// schedule.run(&mut world);
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn resource_exists_and_changed<R: Resource>(resource: Option<Res<'_, R>>) -> bool {
    resource.is_some_and(|resource| resource.is_changed())
}

/// Holds if the resource was added, changed or removed since the condition was last evaluated.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_changed_or_removed::<Score>));
/// schedule.run(&mut world); // There never was one.
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// world.remove_resource::<Score>();
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 2);
/// ```
#[must_use]
pub fn resource_changed_or_removed<R: Resource>(resource: Option<Res<'_, R>>, mut existed: Local<'_, bool>) -> bool {
    let before = core::mem::replace(&mut *existed, resource.is_some());
    resource.map_or(before, |resource| resource.is_changed())
}

/// Holds if the resource existed when the condition was last evaluated, and no longer exists.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(resource_removed::<Score>));
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// world.remove_resource::<Score>();
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn resource_removed<R: Resource>(resource: Option<Res<'_, R>>, mut existed: Local<'_, bool>) -> bool {
    let before = core::mem::replace(&mut *existed, resource.is_some());
    before && resource.is_none()
}

/// Holds if there are messages that the condition has not read. The condition has its own cursor.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// # #[derive(Message)] struct Hit;
/// schedule.add_systems(count.run_if(on_message::<Hit>));
/// schedule.run(&mut world);
/// world.write_message(Hit);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn on_message<M: Message>(mut messages: MessageReader<'_, '_, M>) -> bool {
    let any = !messages.is_empty();
    messages.clear();
    any
}

/// Holds while any entity has the component.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// # #[derive(Component)] struct Enemy;
/// schedule.add_systems(count.run_if(any_with_component::<Enemy>));
/// schedule.run(&mut world);
/// world.spawn(Enemy);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn any_with_component<C: Component>(query: Query<'_, '_, (), With<C>>) -> bool {
    !query.is_empty()
}

/// Holds if any entity has lost the component since the condition was last evaluated.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// # #[derive(Component)] struct Enemy;
/// schedule.add_systems(count.run_if(any_component_removed::<Enemy>));
/// let enemy = world.spawn(Enemy).id();
/// schedule.run(&mut world);
/// world.despawn(enemy);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn any_component_removed<C: Component>(mut removed: RemovedComponents<'_, '_, C>) -> bool {
    let any = !removed.is_empty();
    removed.clear();
    any
}

/// Holds while any entity matches the filter. `Added` and `Changed` compare with the last time the condition was evaluated.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// # #[derive(Component)] struct Enemy;
/// schedule.add_systems(count.run_if(any_match_filter::<Changed<Enemy>>));
/// world.spawn(Enemy);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
#[must_use]
pub fn any_match_filter<F: QueryFilter>(query: Query<'_, '_, (), F>) -> bool {
    !query.is_empty()
}

/// Holds if the answer of `condition` differs from its previous answer. Before the first evaluation, the previous answer counts as
/// `false`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(condition_changed(resource_exists::<Score>)));
/// schedule.run(&mut world);
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// world.remove_resource::<Score>();
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 2);
/// ```
pub fn condition_changed<Marker>(condition: impl SystemCondition<Marker>) -> BoxedSystem<(), bool> {
    let changed = |In(new): In<bool>, mut old: Local<'_, bool>| core::mem::replace(&mut *old, new) != new;
    pipe(condition.into_condition(), IntoSystem::into_system(changed))
}

/// Holds if the answer of `condition` is `to` and its previous answer was not. Before the first evaluation, the previous answer
/// counts as `false`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource, Default, PartialEq)] struct Score(u32);
/// # #[derive(Resource, Default)] struct Runs(u32);
/// # fn count(mut runs: ResMut<Runs>) { runs.0 += 1; }
/// # let mut world = World::new();
/// # world.init_resource::<Runs>();
/// # let mut schedule = Schedule::default();
/// schedule.add_systems(count.run_if(condition_changed_to(false, resource_exists::<Score>)));
/// world.insert_resource(Score(1));
/// schedule.run(&mut world);
/// world.remove_resource::<Score>();
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Runs>().0, 1);
/// ```
pub fn condition_changed_to<Marker>(to: bool, condition: impl SystemCondition<Marker>) -> BoxedSystem<(), bool> {
    let changed =
        move |In(new): In<bool>, mut old: Local<'_, bool>| core::mem::replace(&mut *old, new) != new && new == to;
    pipe(condition.into_condition(), IntoSystem::into_system(changed))
}
