//! Exchanging the entities inside of values.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use strata_ecs::entity::{EntityMap, EntityMapper, MapEntities};

use super::*;

/// Four entities.
fn entities() -> [Entity; 4] {
    let mut world = World::new();
    [(); 4].map(|()| world.spawn_empty().id())
}

/// The value with other entities inside, by the function of its descriptor.
fn mapped<C: Component>(mut value: C, mapper: &mut dyn EntityMapper) -> C {
    let map = ComponentDescriptor::of::<C>().functions().map_entities_fn().expect("it holds entities");
    // SAFETY: the function is that of the value's type.
    unsafe { map((&raw mut value).cast(), mapper) };
    value
}

fn is_mapped<C: Component>() -> bool {
    ComponentDescriptor::of::<C>().functions().map_entities_fn().is_some()
}

#[derive(Component, Debug, PartialEq)]
struct Bonds {
    parent: Entity,
    #[entities]
    friends: Vec<Option<Entity>>,
    kept: (Entity, u8),
}

#[derive(Component, Debug, PartialEq)]
enum Order {
    Follow(Entity, u8),
    Guard {
        #[entities]
        all: Vec<Entity>,
        from: Entity,
    },
    Wait,
}

#[test]
fn fields_with_entities_are_mapped() {
    let [a, b, c, d] = entities();
    let bonds = Bonds { parent: a, friends: vec![Some(b), None, Some(a)], kept: (a, 1) };
    let mut mapper = HashMap::from([(a, c), (b, d)]);
    let expected = Bonds { parent: c, friends: vec![Some(d), None, Some(c)], kept: (a, 1) };
    assert_eq!(mapped(bonds, &mut mapper), expected);
    assert_eq!(mapped(Order::Follow(a, 1), &mut mapper), Order::Follow(c, 1));
    assert_eq!(
        mapped(Order::Guard { all: vec![a, b], from: b }, &mut mapper),
        Order::Guard { all: vec![c, d], from: d }
    );
    assert_eq!(mapped(Order::Wait, &mut mapper), Order::Wait);
}

#[test]
fn only_types_with_entities_are_mapped() {
    mod other {
        #[derive(Debug, PartialEq)]
        pub(super) struct Entity(pub(super) u8);
    }
    #[derive(Component, Debug, PartialEq)]
    struct Foreign(other::Entity, Entity);
    #[derive(Component)]
    struct Unmarked(Vec<Entity>);
    assert!(!is_mapped::<Health>() && !is_mapped::<Unmarked>() && is_mapped::<Order>());
    let [a, b, ..] = entities();
    assert_eq!(mapped(Foreign(other::Entity(1), a), &mut (a, b)), Foreign(other::Entity(1), b));
    assert!(Unmarked(vec![]).0.is_empty());
}

#[test]
fn a_type_that_maps_itself_does_so_in_a_component() {
    #[derive(Component)]
    struct Itself(Entity, Entity);
    impl MapEntities for Itself {
        fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
            self.1 = mapper.get_mapped(self.1);
        }
    }
    #[derive(Component, MapEntities)]
    struct Derived(Entity);
    let [a, b, ..] = entities();
    let itself = mapped(Itself(a, a), &mut (a, b));
    assert_eq!((itself.0, itself.1), (a, b));
    assert_eq!(mapped(Derived(a), &mut (a, b)).0, b);
}

#[test]
fn an_option_says_what_maps_a_component() {
    #[derive(Component, Debug, PartialEq)]
    #[component(map_entities)]
    struct Inventory(BTreeMap<Entity, u8>);

    impl MapEntities for Inventory {
        fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
            self.0 =
                std::mem::take(&mut self.0).into_iter().map(|(of, count)| (mapper.get_mapped(of), count)).collect();
        }
    }

    // The type of the parameter is not known to be mapped unless the option demands it.
    #[derive(Component, Debug, PartialEq)]
    #[component(map_entities)]
    struct Kept<T: MapEntities + Send + Sync + 'static>(T);

    impl<T: MapEntities + Send + Sync + 'static> MapEntities for Kept<T> {
        fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
            self.0.map_entities(mapper);
        }
    }

    #[derive(Component, Debug, PartialEq)]
    #[component(map_entities = map_second)]
    struct Second(Entity, Entity);

    fn map_second<M: EntityMapper>(value: &mut Second, mapper: &mut M) {
        value.1 = mapper.get_mapped(value.1);
    }

    #[derive(Component, Debug, PartialEq)]
    #[component(map_entities = |value, mapper| value.0 = mapper.get_mapped(value.0))]
    struct First(Entity, Entity);

    let [a, b, ..] = entities();
    assert_eq!(mapped(Inventory([(a, 1)].into()), &mut (a, b)), Inventory([(b, 1)].into()));
    assert_eq!(mapped(Kept(Some(a)), &mut (a, b)), Kept(Some(b)));
    assert_eq!(mapped(Second(a, a), &mut (a, b)), Second(a, b));
    assert_eq!(mapped(First(a, a), &mut (a, b)), First(b, a));

    // By the trait, for code that has a value.
    let (mut second, mut health) = (Second(a, a), Health(3));
    Component::map_entities(&mut second, &mut (a, b));
    Component::map_entities(&mut health, &mut (a, b));
    assert!(second == Second(a, b) && health.0 == 3);
}

#[test]
fn generic_types_and_resources_are_mapped() {
    #[derive(Component)]
    struct Generic<T: MapEntities + Send + Sync>(#[entities] T, Entity);
    #[derive(Resource)]
    struct Selected(#[entities] Option<Entity>);
    let [a, b, ..] = entities();
    let generic = mapped(Generic(vec![a], a), &mut (a, b));
    assert_eq!((generic.0, generic.1), (vec![b], b));
    let mut selected = Selected(Some(a));
    let map = ComponentDescriptor::of_resource::<Selected>().functions().map_entities_fn().expect("it holds an entity");
    // SAFETY: the function is that of the value's type.
    unsafe { map((&raw mut selected).cast(), &mut (a, b)) };
    assert_eq!(selected.0, Some(b));
}

#[test]
fn derived_types_are_mapped_inside_of_others() {
    #[derive(MapEntities)]
    struct Slot<T> {
        owner: Entity,
        _content: T,
    }
    #[derive(MapEntities)]
    struct Nothing;
    #[derive(MapEntities)]
    enum Never {}
    #[derive(Component)]
    struct Inventory(#[entities] [Option<Box<Slot<u8>>>; 2], #[entities] Nothing, #[entities] Option<Never>);
    let [a, b, ..] = entities();
    let slot = Some(Box::new(Slot { owner: a, _content: 1 }));
    let inventory = mapped(Inventory([slot, None], Nothing, None), &mut (a, b));
    assert!(inventory.0[0].as_ref().is_some_and(|slot| slot.owner == b) && inventory.0[1].is_none());
}

#[test]
fn collections_are_mapped() {
    let [a, b, c, d] = entities();
    let mapper = &mut BTreeMap::from([(a, c), (b, d)]);
    fn map<T: MapEntities>(mut value: T, mapper: &mut BTreeMap<Entity, Entity>) -> T {
        value.map_entities(mapper);
        value
    }
    assert_eq!(map(VecDeque::from([a, b]), mapper), [c, d]);
    assert_eq!(map(BTreeSet::from([a, d]), mapper), BTreeSet::from([c, d]));
    assert_eq!(map(HashSet::<Entity>::from([a, d]), mapper), HashSet::from([c, d]));
    assert_eq!(map(BTreeMap::from([(a, vec![b])]), mapper), BTreeMap::from([(c, vec![d])]));
    assert_eq!(map(HashMap::<Entity, _>::from([(a, [b])]), mapper), HashMap::from([(c, [d])]));
    let mut slice = [a, b];
    slice[..1].map_entities(mapper);
    assert_eq!(slice, [c, b]);
}

#[test]
fn mappers_answer_and_are_told() {
    fn check(mapper: &mut dyn EntityMapper, [a, b, c, d]: [Entity; 4]) {
        assert_eq!(mapper.get_mapped(c), c);
        mapper.set_mapped(c, d);
        mapper.set_mapped(a, b);
        assert_eq!((mapper.get_mapped(a), mapper.get_mapped(d)), (b, d));
    }
    let all = entities();
    check(&mut HashMap::<Entity, Entity>::new(), all);
    check(&mut BTreeMap::new(), all);
    check(&mut EntityMap::default(), all);
    check(&mut (all[1], all[0]), all);
    let mut map = EntityMap::default();
    for (from, to) in [(all[2], all[0]), (all[0], all[1]), (all[2], all[3])] {
        map.set_mapped(from, to);
    }
    assert!(map.iter().eq([(all[0], all[1]), (all[2], all[3])]));
    ().set_mapped(all[0], all[1]);
    assert_eq!(().get_mapped(all[0]), all[0]);
}
