//! Copies of entities, and which components can be copied.

use std::cell::Cell;

use strata_ecs::component::{ComponentKey, Description, Mutable, StorageType};
use strata_ecs::entity::EntityError;
use strata_ecs::prelude::*;
use strata_ecs::store::CloneError;
use strata_tests::drops::{self, Token};
use strata_tests::panics;

#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Flag;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[repr(align(256))]
struct Wide(u8);
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Aside(String);
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Parent(Entity);

#[derive(Component, Debug, PartialEq)]
struct Unique;
#[derive(Component)]
#[component(storage = "sparse")]
struct UniqueAside;
#[derive(Component, Clone)]
#[component(clone = "never")]
struct Secret;
#[derive(Component, Clone)]
#[component(clone)]
struct Demanded(u8);
#[derive(Component, Clone)]
struct Generic<T>(T);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(clone)]
struct GenericClone<T, const N: usize>([T; N]);

/// By hand: not cloned unless the impl says so.
#[derive(Clone)]
struct ByHand;

impl Component for ByHand {
    type Mutability = Mutable;
    const STORAGE_TYPE: StorageType = StorageType::Table;
    const KEY: ComponentKey = ComponentKey::new(None, None, "cloning", "ByHand", 1, 1);
}

#[derive(Clone, Debug, PartialEq)]
struct ByHandClone(u8);

impl Component for ByHandClone {
    type Mutability = Mutable;
    const STORAGE_TYPE: StorageType = StorageType::Sparse;
    const KEY: ComponentKey = ComponentKey::new(None, None, "cloning", "ByHandClone", 1, 1);
    const DESCRIPTION: Description<Self> = Description::new().with_clone();
}

thread_local! {
    /// How many clones of the counted components succeed before one panics.
    static CLONES: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A clone that counts down, and panics at the end.
fn counted_clone() -> Token {
    let left = CLONES.get();
    assert!(left > 0, "this clone panics");
    CLONES.set(left - 1);
    Token::new()
}

macro_rules! counted {
    ($($(#[$option:meta])* $Name:ident)*) => { $(
        #[derive(Component)]
        $(#[$option])*
        struct $Name(Token);

        impl Clone for $Name {
            fn clone(&self) -> Self {
                Self(counted_clone())
            }
        }
    )* };
}

counted!(First Second #[component(storage = "sparse")] Third #[component(storage = "sparse")] Fourth);

fn counted() -> (First, Second, Third, Fourth) {
    (First(Token::new()), Second(Token::new()), Third(Token::new()), Fourth(Token::new()))
}

#[test]
fn every_component_is_copied() {
    let mut world = World::new();
    let parent = world.spawn_empty().id();
    let components = (Name("ann".into()), Flag, Wide(7), Aside("aside".into()), Tag, Parent(parent));
    let entity = world.spawn((components, GenericClone([1, 2]), ByHandClone(3), Demanded(4))).id();
    let copy = world.clone_entity(entity).expect("all can be cloned");
    assert_ne!(copy, entity);
    assert_eq!(world.get::<Name>(copy), Some(&Name("ann".into())));
    assert_eq!(world.get::<Wide>(copy), Some(&Wide(7)));
    assert_eq!(world.get::<Aside>(copy), Some(&Aside("aside".into())));
    assert_eq!(world.get::<Parent>(copy), Some(&Parent(parent)));
    assert_eq!(world.get::<GenericClone<i32, 2>>(copy), Some(&GenericClone([1, 2])));
    assert_eq!(world.get::<ByHandClone>(copy), Some(&ByHandClone(3)));
    assert_eq!(world.get::<Demanded>(copy).map(|demanded| demanded.0), Some(4));
    assert!(world.entity(copy).contains::<Flag>() && world.entity(copy).contains::<Tag>());
    assert_eq!(world.entity(copy).components().count(), 9);
    assert_eq!(world.entity(copy).location().table, world.entity(entity).location().table);
    world.get_mut::<Name>(copy).expect("copied").0.push('a');
    assert_eq!(world.get::<Name>(entity), Some(&Name("ann".into())));
    world.check_invariants();
}

#[test]
fn an_entity_without_components_is_copied() {
    let mut world = World::new();
    let copy = world.spawn_empty().clone_and_spawn().expect("nothing to clone");
    assert_eq!((world.len(), world.entity(copy).components().count()), (2, 0));
    let reserved = world.reserve_entity();
    world.clone_entity(reserved).expect("the entity is flushed first");
    assert_eq!(world.len(), 4);
    world.check_invariants();
}

#[test]
fn components_that_cannot_be_cloned_are_all_named() {
    let mut world = World::new();
    let entity = world.spawn((Unique, Name("ann".into()), UniqueAside, Secret, Tag, Generic(1_u8), ByHand)).id();
    let error = world.clone_entity(entity).expect_err("some cannot be cloned");
    assert_eq!(
        error.to_string(),
        format!(
            "entity {entity} cannot be cloned, since these of its components cannot: \
             component `storage::cloning::Unique`, which is not known to be `Clone`; \
             component `storage::cloning::Secret`, which is not known to be `Clone`; \
             component `storage::cloning::Generic<u8>`, which is not known to be `Clone`: the bounds of its parameters do not say so. \
             Write `#[component(clone)]` above `Generic`, or `Clone` as a bound of the parameters; \
             component `storage::cloning::ByHand`, which is not known to be `Clone`; \
             component `storage::cloning::UniqueAside`, which is not known to be `Clone`"
        )
    );
    assert_eq!(world.entity_mut(entity).clone_components().err(), Some(error.clone()));
    assert_eq!(world.entity_mut(entity).clone_and_spawn(), Err(error));
    assert_eq!(world.len(), 1);
    world.entity_mut(entity).remove::<(Unique, UniqueAside, Secret, Generic<u8>, ByHand)>();
    assert!(world.clone_entity(entity).is_ok());
    world.check_invariants();
}

#[test]
fn an_entity_that_is_gone_is_an_error() {
    let mut world = World::new();
    let entity = world.spawn(Flag).id();
    world.despawn(entity);
    let error = CloneError::Entity(EntityError::Despawned(entity.into()));
    assert_eq!(world.clone_entity(entity), Err(error.clone()));
    assert_eq!(error.to_string(), EntityError::Despawned(entity.into()).to_string());
    let mut handle = world.spawn(Flag);
    let id = handle.id();
    handle.world_scope(|world| world.despawn(id));
    assert!(matches!(handle.clone_components(), Err(CloneError::Entity(_))));
    assert!(matches!(handle.clone_and_spawn(), Err(CloneError::Entity(_))));
}

#[test]
fn a_panic_in_a_clone_leaves_no_trace_wherever_it_comes() {
    for clones in 0..=4 {
        drops::reset();
        let mut world = World::new();
        let entity = world.spawn(counted()).id();
        CLONES.set(clones);
        let copied = panics::catch(|| world.clone_entity(entity));
        assert_eq!(copied.is_ok(), clones == 4);
        assert_eq!((world.len(), drops::alive()), if clones == 4 { (2, 8) } else { (1, 4) });
        world.check_invariants();
        // The world works as before.
        CLONES.set(usize::MAX);
        assert!(world.clone_entity(entity).is_ok());
        world.check_invariants();
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn clones_in_a_builder_belong_to_it() {
    drops::reset();
    CLONES.set(usize::MAX);
    let (mut here, mut there) = (World::new(), World::new());
    let mut entity = here.spawn(counted());
    let mut builder = entity.clone_components().expect("all can be cloned");
    assert_eq!((builder.len(), drops::alive()), (4, 8));
    drop(entity.clone_components());
    assert_eq!(drops::alive(), 8);
    there.spawn_dynamic(&mut builder);
    let twin = entity.clone_and_spawn().expect("all can be cloned");
    entity.insert(Flag);
    assert!(here.entity(twin).contains::<Third>());
    here.check_invariants();
    there.check_invariants();
    drop(here);
    assert_eq!(drops::alive(), 4);
    drop(there);
    drops::assert_all_dropped_once();
}

#[test]
fn a_copy_of_a_copy_of_many_is_right() {
    let mut world = World::new();
    let mut ids = vec![world.spawn((Name("0".into()), Aside("0".into()), Tag)).id()];
    for round in 0..100 {
        let copy = world.clone_entity(ids[round / 2]).expect("all can be cloned");
        ids.push(copy);
        if round % 3 == 0 {
            world.entity_mut(copy).remove::<Tag>().insert(Name(round.to_string()));
        }
    }
    assert_eq!(world.query::<(&Name, &Aside)>().iter(&world).count(), 101);
    world.check_invariants();
}

/// Clones of some components, onto an entity that is there or a new one.
mod some_components {
    use strata_ecs::bundle::InsertMode;
    use strata_ecs::entity::{EntityCloner, EntityClonerBuilder, OptOut};
    use strata_ecs::prelude::*;
    use strata_ecs::world::CloneError;

    #[derive(Component, Clone, Debug, PartialEq, Default)]
    struct Health(u32);
    #[derive(Component, Clone, Debug, PartialEq)]
    #[require(Health)]
    struct Monster(String);
    #[derive(Component, Clone, Debug, PartialEq)]
    #[component(storage = "sparse")]
    struct Burning(u32);
    #[derive(Component)]
    struct Connection;

    fn source(world: &mut World) -> Entity {
        world.spawn((Monster("orc".into()), Health(3), Burning(2), Connection)).id()
    }

    #[test]
    fn what_is_denied_stays_as_the_target_had_it() {
        let mut world = World::new();
        let source = source(&mut world);
        let target = world.spawn((Health(9), Burning(8))).id();
        let mut source_mut = world.entity_mut(source);
        let without_requiring = |builder: &mut EntityClonerBuilder<'_, OptOut>| {
            builder.deny::<Connection>().without_required_by_components(|builder| _ = builder.deny::<Health>());
        };
        source_mut.clone_with_opt_out(target, without_requiring).unwrap();
        assert_eq!(world.get(target), Some(&Health(9)));
        assert_eq!(world.get(target), Some(&Burning(2)));
        assert_eq!(world.get(target), Some(&Monster("orc".into())));
        assert_eq!(world.get(source), Some(&Monster("orc".into())), "the source keeps its own");
    }

    #[test]
    fn what_requires_a_denied_component_is_denied() {
        #[derive(Component, Clone)]
        #[require(Monster(String::from("kobold")))]
        struct Boss;

        let mut world = World::new();
        let source = source(&mut world);
        // The cloner is made before the world has met `Boss`, which requires `Health` through `Monster`.
        let mut cloner = EntityCloner::build_opt_out(&mut world).deny::<(Health, Connection)>().finish();
        world.entity_mut(source).insert(Boss);
        let clone = cloner.spawn_clone(&mut world, source).unwrap();
        assert_eq!((world.get(clone), world.entity(clone).components().count()), (Some(&Burning(2)), 1));
    }

    #[test]
    fn what_is_required_is_made_unless_it_is_cloned_or_there() {
        let mut world = World::new();
        let source = source(&mut world);
        let bare = world.entity_mut(source).clone_and_spawn_with_opt_in(|builder| {
            builder.without_required_components(|builder| _ = builder.allow::<Monster>());
        });
        assert_eq!(world.get(bare.unwrap()), Some(&Health(0)));
        let whole = world.entity_mut(source).clone_and_spawn_with_opt_in(|builder| _ = builder.allow::<Monster>());
        assert_eq!(world.get(whole.unwrap()), Some(&Health(3)));
        let target = world.spawn(Health(7)).id();
        world.entity_mut(source).clone_with_opt_in(target, |builder| _ = builder.allow::<Monster>()).unwrap();
        assert_eq!(world.get(target), Some(&Health(7)), "the target has its own");
        world.entity_mut(source).clone_with_opt_in(target, |builder| _ = builder.allow::<(Monster, Health)>()).unwrap();
        assert_eq!(world.get(target), Some(&Health(3)), "allowed by name");
    }

    #[test]
    fn an_exact_copy_lacks_what_the_source_lacks() {
        let mut world = World::new();
        let source = source(&mut world);
        world.entity_mut(source).remove::<(Health, Connection)>();
        let copies = [world.clone_entity(source).unwrap(), world.commands().entity(source).clone_and_spawn().id()];
        world.flush();
        let told = EntityCloner::build_opt_out(&mut world).finish().spawn_clone(&mut world, source).unwrap();
        assert!(copies.iter().all(|&copy| world.get::<Health>(copy).is_none() && world.get::<Monster>(copy).is_some()));
        assert_eq!(world.get(told), Some(&Health(0)), "one that is told what to clone keeps what `require` promises");
    }

    #[test]
    fn what_is_required_is_cloned_only_along_with_what_requires_it() {
        let mut world = World::new();
        let source = world.spawn(Health(3)).id();
        let target = world.spawn_empty().id();
        let mut cloner = EntityCloner::build_opt_in(&mut world).allow_if_new::<Monster>().finish();
        cloner.clone_entity(&mut world, source, target).unwrap();
        assert_eq!(world.entity(target).components().count(), 0, "the source is no monster");
        world.entity_mut(source).insert(Monster("orc".into()));
        world.entity_mut(target).insert(Monster("elf".into())).remove::<Health>();
        cloner.clone_entity(&mut world, source, target).unwrap();
        assert_eq!((world.get(target), world.get::<Health>(target)), (Some(&Monster("elf".into())), None));
    }

    #[test]
    fn what_the_target_has_can_be_kept() {
        let mut world = World::new();
        let source = source(&mut world);
        let targets = [(); 3].map(|()| world.spawn((Monster("elf".into()), Health(7))).id());
        let [all, one, both] = targets;
        let keep = |builder: &mut EntityClonerBuilder<'_, OptOut>| {
            builder.deny::<Connection>().insert_mode(InsertMode::Keep);
        };
        let mut source_mut = world.entity_mut(source);
        source_mut.clone_with_opt_out(all, keep).unwrap();
        source_mut.clone_with_opt_in(one, |builder| _ = builder.allow_if_new::<Monster>().allow::<Health>()).unwrap();
        source_mut.clone_with_opt_in(both, |builder| _ = builder.allow::<Monster>().allow_if_new::<Monster>()).unwrap();
        let seen = targets.map(|it| (world.get::<Monster>(it).unwrap().0.as_str(), world.get::<Health>(it).unwrap().0));
        assert_eq!(seen, [("elf", 7), ("elf", 3), ("orc", 7)]);
        assert_eq!((world.get(all), world.get::<Burning>(one)), (Some(&Burning(2)), None));
    }

    #[test]
    fn nothing_happens_if_something_cannot_be_cloned() {
        let mut world = World::new();
        let source = source(&mut world);
        let target = world.spawn(Health(7)).id();
        let error = world.entity_mut(source).clone_with_opt_out(target, |_| {}).unwrap_err();
        assert!(matches!(error, CloneError::NotClone { components, .. } if components[0].ends_with("Connection")));
        assert_eq!((world.get(target), world.entity(target).components().count()), (Some(&Health(7)), 1));
        let mut cloner = EntityCloner::build_opt_out(&mut world).deny::<Connection>().finish();
        world.despawn(target);
        assert!(matches!(cloner.clone_entity(&mut world, source, target), Err(CloneError::Entity(_))));
        assert!(matches!(cloner.clone_entity(&mut world, target, source), Err(CloneError::Entity(_))));
        assert_eq!(world.len(), 1);
        let twin = cloner.spawn_clone(&mut world, source).unwrap();
        assert_eq!(world.get(twin), Some(&Burning(2)));
    }

    #[test]
    fn an_entity_can_be_its_own_target() {
        let mut world = World::new();
        let source = source(&mut world);
        world
            .entity_mut(source)
            .clone_with_opt_in(source, |builder| _ = builder.allow::<(Monster, Burning)>())
            .unwrap();
        assert_eq!((world.get(source), world.get(source)), (Some(&Monster("orc".into())), Some(&Burning(2))));
    }

    #[test]
    fn commands_clone_and_report() {
        let mut world = World::new();
        let source = source(&mut world);
        let mut commands = world.commands();
        let mut entity = commands.entity(source);
        let good =
            entity.clone_and_spawn_with_opt_out(|builder| _ = builder.deny::<Connection>()).insert(Health(5)).id();
        let empty = entity.clone_and_spawn().id();
        let allowed = entity.clone_and_spawn_with_opt_in(|builder| _ = builder.allow::<Burning>()).id();
        entity.clone_with_opt_in(allowed, |builder| _ = builder.allow::<Health>());
        world.flush();
        assert_eq!((world.get(good), world.get(good)), (Some(&Health(5)), Some(&Burning(2))));
        assert_eq!(world.entity(empty).components().count(), 0);
        assert_eq!((world.get(allowed), world.get(allowed)), (Some(&Health(3)), Some(&Burning(2))));
        let errors = world.take_command_errors().0;
        assert!(errors.len() == 1 && errors[0].to_string().contains("Connection"), "{errors:?}");
    }
}

/// Several components of one entity at a time.
mod components_of_one {
    use strata_ecs::prelude::*;

    #[derive(Component, Debug, PartialEq)]
    struct Health(u32);
    #[derive(Component, Debug, PartialEq)]
    #[component(storage = "sparse")]
    struct Burning(u32);
    #[derive(Component, Debug, PartialEq)]
    struct Unknown;

    #[test]
    fn they_are_borrowed_as_by_a_query() {
        let mut world = World::new();
        let mut entity = world.spawn((Health(1), Burning(2)));
        let (mut health, mut burning) = entity.get_components_mut::<(&mut Health, &mut Burning)>().unwrap();
        std::mem::swap(&mut health.0, &mut burning.0);
        assert_eq!(entity.get_components::<(&Health, &Burning)>(), Some((&Health(2), &Burning(1))));
        assert!(entity.get_components_mut::<(&mut Health, &Unknown)>().is_none());
        let mut entity = entity.into_mutable();
        assert!(entity.get_components_mut::<(&mut Health, &Unknown)>().is_none());
        entity.get_components_mut::<&mut Health>().unwrap().0 = 7;
        assert_eq!(entity.into_components_mut::<&mut Health>().unwrap().0, 7);
    }

    #[test]
    fn what_is_changed_through_them_has_changed() {
        let mut world = World::new();
        let mut changed = world.query_filtered::<Entity, Changed<Health>>();
        let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
        let count = changed.iter(&world).count();
        assert_eq!(count, 2);
        world.clear_trackers();
        world.entity_mut(a).get_components_mut::<&mut Health>().unwrap().0 = 5;
        assert_eq!(changed.iter(&world).collect::<Vec<_>>(), [a]);
        assert_ne!(a, b);
    }
}
