//! Components, resources and messages, of which each kind of storage and each kind of value is there.

use strata_ecs::component::HookContext;
use strata_ecs::entity::EntityHashSet;
use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;
use strata_tests::drops::Token;

/// In tables, without a `Drop`.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark(pub(crate) u32);

/// In tables. A value that is dropped twice is found by its token, one that is taken for another type by its text.
#[derive(Component, Debug)]
pub(crate) struct Held(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

/// The same for clones.
#[derive(Component, Debug)]
pub(crate) struct Title(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

impl Clone for Title {
    fn clone(&self) -> Self {
        Self(self.0.clone(), Token::new())
    }
}

/// In tables, larger than a cache line.
#[derive(Component, Debug)]
pub(crate) struct Page(
    #[expect(dead_code, reason = "only its alignment counts")] [u8; 128],
    #[expect(dead_code, reason = "counts its drop")] Token,
);

/// Sparse, with a `Drop`.
#[derive(Component, Debug)]
#[component(storage = "sparse")]
pub(crate) struct Aside(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

/// Sparse, without one, and it can be cloned.
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
pub(crate) struct Loose(#[expect(dead_code, reason = "only its place counts")] pub(crate) u64);

/// A tag.
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
pub(crate) struct Tag;

/// Requires components in both kinds of storage.
#[derive(Component, Debug, Default)]
#[require(Given, GivenAside)]
pub(crate) struct Needy(#[expect(dead_code, reason = "only its place counts")] pub(crate) u32);

#[derive(Component, Debug)]
pub(crate) struct Given(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

impl Default for Given {
    fn default() -> Self {
        Self(String::from("given"), Token::new())
    }
}

#[derive(Component, Debug)]
#[component(storage = "sparse")]
pub(crate) struct GivenAside(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

impl Default for GivenAside {
    fn default() -> Self {
        Self(String::from("given aside"), Token::new())
    }
}

/// The components that observers insert, in both kinds of storage.
#[derive(Component, Clone, Debug)]
pub(crate) struct Seal(#[expect(dead_code, reason = "only its place counts")] pub(crate) u32);
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
pub(crate) struct SealAside(pub(crate) String);
/// The number of calls of observers.
#[derive(Resource, Default, Debug)]
pub(crate) struct Seen(pub(crate) u32);

/// With hooks, which record commands.
#[derive(Component, Debug)]
#[component(on_add = seal, on_insert = seal, on_discard = count, on_remove = count, on_despawn = count)]
pub(crate) struct Hooked(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

fn seal(mut world: DeferredWorld<'_>, context: HookContext) {
    world.commands().entity(context.entity).insert(SealAside(String::from("seal of a hook")));
}

fn count(mut world: DeferredWorld<'_>, _: HookContext) {
    world.commands().queue(|world: &mut World| world.get_resource_or_init::<Seen>().0 += 1);
}

pub(crate) fn hooked(number: usize) -> Hooked {
    Hooked(format!("hooked {number}"), Token::new())
}

/// Pairs with values that are dropped.
#[derive(Relation, Debug)]
pub(crate) struct Owes(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);
#[derive(Relation, Debug)]
#[relation(exclusive, on_target_despawn = "cascade")]
pub(crate) struct Rides(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);
#[derive(Relation, Debug)]
#[relation(symmetric)]
pub(crate) struct Knows(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

pub(crate) fn owes(number: usize) -> Owes {
    Owes(format!("owes {number}"), Token::new())
}

pub(crate) fn rides(number: usize) -> Rides {
    Rides(format!("rides {number}"), Token::new())
}

pub(crate) fn knows(number: usize) -> Knows {
    Knows(format!("knows {number}"), Token::new())
}

/// Links with more than a target, to lists of each kind.
#[derive(Component, Debug)]
#[relationship(relationship_target = Crew)]
pub(crate) struct AboardOf(#[relationship] pub(crate) Entity, pub(crate) String);
#[derive(Component, Debug)]
#[relationship_target(relationship = AboardOf)]
pub(crate) struct Crew(Vec<Entity>);
#[derive(Component, Debug)]
#[relationship(relationship_target = Pilot)]
pub(crate) struct Flies(pub(crate) Entity);
#[derive(Component, Debug)]
#[relationship_target(relationship = Flies)]
pub(crate) struct Pilot(Entity);
#[derive(Component, Debug)]
#[relationship(relationship_target = Parts)]
pub(crate) struct PartOf(pub(crate) Entity);
#[derive(Component, Debug)]
#[relationship_target(relationship = PartOf, linked_spawn)]
pub(crate) struct Parts(EntityHashSet);

/// All of these links to one target.
pub(crate) fn links(target: Entity) -> impl Bundle {
    (AboardOf(target, String::from("aboard")), Flies(target), PartOf(target))
}

#[derive(Event)]
pub(crate) struct Rang;

/// Any number of components that no stage knows.
#[derive(Component, Debug)]
pub(crate) struct Newcomer<const N: u32>(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

#[derive(Component, Debug)]
#[component(storage = "sparse")]
pub(crate) struct NewcomerAside<const N: u32>(
    pub(crate) String,
    #[expect(dead_code, reason = "counts its drop")] Token,
);

#[derive(Bundle)]
pub(crate) struct Whole {
    mark: Mark,
    held: Held,
    page: Page,
    aside: Aside,
    tag: Tag,
}

#[derive(Resource, Debug)]
pub(crate) struct Store(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

impl Default for Store {
    fn default() -> Self {
        Self(String::from("store"), Token::new())
    }
}

#[derive(Resource, Debug)]
pub(crate) struct NewStore<const N: u32>(pub(crate) String, #[expect(dead_code, reason = "counts its drop")] Token);

impl<const N: u32> Default for NewStore<N> {
    fn default() -> Self {
        Self(format!("new store {N}"), Token::new())
    }
}

#[derive(Message, Debug)]
pub(crate) struct Note(pub(crate) String, Token);

#[derive(Message, Debug)]
pub(crate) struct NewNote<const N: u32>(String, Token);

pub(crate) fn held(number: usize) -> Held {
    Held(format!("held {number}"), Token::new())
}

pub(crate) fn name(number: usize) -> Title {
    Title(format!("name {number}"), Token::new())
}

pub(crate) fn page() -> Page {
    Page([7; 128], Token::new())
}

pub(crate) fn aside(number: usize) -> Aside {
    Aside(format!("aside {number}"), Token::new())
}

pub(crate) fn note(number: usize) -> Note {
    Note(format!("note {number}"), Token::new())
}

pub(crate) fn newcomer<const N: u32>() -> Newcomer<N> {
    Newcomer(format!("newcomer {N}"), Token::new())
}

pub(crate) fn newcomer_aside<const N: u32>() -> NewcomerAside<N> {
    NewcomerAside(format!("newcomer aside {N}"), Token::new())
}

pub(crate) fn new_note<const N: u32>() -> NewNote<N> {
    NewNote(format!("new note {N}"), Token::new())
}

pub(crate) fn whole(number: usize) -> Whole {
    Whole { mark: Mark(number as u32), held: held(number), page: page(), aside: aside(number), tag: Tag }
}
