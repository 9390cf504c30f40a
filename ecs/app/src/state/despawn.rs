//! Entities that are despawned when a state is entered or left.
//!
//! Tests: ecs/app/tests/states.rs

use strata_ecs::component::Component;
use strata_ecs::entity::Entity;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::query::Allow;
use strata_ecs::world::World;

use super::states::States;
use super::transitions::{StateTransitionEvent, current};

/// Despawns the entity when the program leaves this state, after the systems of [`OnExit`](crate::state::OnExit).
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # #[derive(Component)] struct Player;
///
/// fn spawn_player(mut commands: Commands) {
///     commands.spawn((Player, DespawnOnExit(Screen::Game)));
/// }
///
/// let mut app = App::new();
/// app.insert_state(Screen::Game).add_systems(OnEnter(Screen::Game), spawn_player);
/// app.update();
/// assert_eq!(app.world().len(), 1);
/// app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Menu);
/// app.update();
/// assert_eq!(app.world().len(), 0);
/// ```
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct DespawnOnExit<S: States>(pub S);

/// Despawns the entity when the program enters this state, before the systems of [`OnEnter`](crate::state::OnEnter).
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Game, Menu }
/// # #[derive(Component)] struct Score(u32);
///
/// let mut app = App::new();
/// app.init_state::<Screen>();
/// app.update();
/// app.world_mut().spawn((Score(3), DespawnOnEnter(Screen::Menu))); // Until the menu, through all other screens.
/// app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Menu);
/// app.update();
/// assert!(app.world().is_empty());
/// ```
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct DespawnOnEnter<S: States>(pub S);

/// Despawns the entities whose component contains this state, including disabled ones.
fn despawn<S: States, C: Component>(world: &mut World, state: Option<S>, of: fn(&C) -> &S) {
    let Some(state) = state else { return };
    let mut query = world.query_filtered::<(Entity, &C), Allow<Disabled>>();
    let named = query.iter(world).filter(|(_, component)| *of(component) == state);
    let entities: Vec<Entity> = named.map(|(entity, _)| entity).collect();
    world.many(&entities).despawn();
}

/// Despawns the entities with [`DespawnOnExit`] for the state that was left.
pub(super) fn despawn_on_exit<S: States>(world: &mut World) {
    let left = current::<S>(world).and_then(StateTransitionEvent::left).cloned();
    despawn(world, left, |component: &DespawnOnExit<S>| &component.0);
}

/// Despawns the entities with [`DespawnOnEnter`] for the state that was entered.
pub(super) fn despawn_on_enter<S: States>(world: &mut World) {
    let reached = current::<S>(world).and_then(StateTransitionEvent::reached).cloned();
    despawn(world, reached, |component: &DespawnOnEnter<S>| &component.0);
}
