//! Exchanging the entities inside of values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::sync::{Arc, Mutex};

use strata_ecs::entity::{EntityHashMap, EntityHashSet, EntityMap, EntityMapper, MapEntities, UniqueEntityVec};

use super::*;

/// Four entities.
fn entities() -> [Entity; 4] {
    let mut world = World::new();
    [(); 4].map(|()| world.spawn_empty().id())
}

/// The value with other entities inside, by the function of its descriptor.
fn mapped<C: Component>(mut value: C, mapper: &mut dyn EntityMapper) -> C {
    let map = ComponentDescriptor::of::<C>().functions().map_entities_fn().expect("it holds entities");
    // SAFETY: the function belongs to the type of the value.
    unsafe { map((&raw mut value).cast(), mapper) };
    value
}

fn is_mapped<C: Component>() -> bool {
    ComponentDescriptor::of::<C>().functions().map_entities_fn().is_some()
}

type Target = Entity;
type Targets = Vec<Option<Target>>;

#[derive(Component, Debug, PartialEq)]
struct Bonds {
    parent: Target,
    friends: Targets,
    #[entities]
    rivals: Option<Entity>,
    ranks: (Entity, u8),
    #[entities(ignore)]
    origin: Entity,
}

#[derive(Component, Debug, PartialEq)]
enum Order {
    Follow(Entity, u8),
    Guard {
        all: Targets,
        from: Entity,
        #[entities(ignore)]
        by: Entity,
    },
    Wait,
}

#[test]
fn fields_with_entities_are_mapped() {
    let [a, b, c, d] = entities();
    let bonds = Bonds { parent: a, friends: vec![Some(b), None, Some(a)], rivals: Some(b), ranks: (a, 1), origin: a };
    let mut mapper = HashMap::from([(a, c), (b, d)]);
    let expected =
        Bonds { parent: c, friends: vec![Some(d), None, Some(c)], rivals: Some(d), ranks: (c, 1), origin: a };
    assert_eq!(mapped(bonds, &mut mapper), expected);
    assert_eq!(mapped(Order::Follow(a, 1), &mut mapper), Order::Follow(c, 1));
    assert_eq!(
        mapped(Order::Guard { all: vec![Some(a), Some(b)], from: b, by: b }, &mut mapper),
        Order::Guard { all: vec![Some(c), Some(d)], from: d, by: b }
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
    struct Foreign(other::Entity, Vec<other::Entity>, Entity);
    #[derive(Component)]
    struct Ignoring(#[entities(ignore)] Vec<Entity>);
    #[derive(Component)]
    struct Without {
        _list: Vec<Option<u32>>,
        _named: HashMap<String, (bool, Box<str>)>,
        _marker: std::marker::PhantomData<Entity>,
        _function: Option<fn(Entity) -> Entity>,
        _boxed: Box<dyn Fn(Entity) + Send + Sync>,
    }
    assert!(!is_mapped::<Health>() && !is_mapped::<Ignoring>() && !is_mapped::<Without>() && is_mapped::<Order>());
    let [a, b, ..] = entities();
    let foreign = mapped(Foreign(other::Entity(1), vec![other::Entity(2)], a), &mut (a, b));
    assert_eq!(foreign, Foreign(other::Entity(1), vec![other::Entity(2)], b));
    assert!(Ignoring(vec![]).0.is_empty());
}

#[test]
fn user_types_that_can_be_mapped_need_no_attribute() {
    #[derive(MapEntities, Debug, PartialEq)]
    struct Slot {
        owner: Option<Target>,
        count: u32,
        #[entities(ignore)]
        maker: Entity,
    }
    #[derive(MapEntities, Debug, PartialEq)]
    struct Node {
        of: Entity,
        below: Vec<Node>,
    }
    #[derive(Component, Debug, PartialEq)]
    struct Inventory {
        slots: HashMap<String, Slot>,
        tree: Option<Box<Node>>,
    }
    let [a, b, ..] = entities();
    let inventory = |entity: Entity| Inventory {
        slots: [("sword".to_owned(), Slot { owner: Some(entity), count: 2, maker: a })].into(),
        tree: Some(Box::new(Node { of: a, below: vec![Node { of: entity, below: vec![] }] })),
    };
    let mut expected = inventory(b);
    expected.tree.as_mut().unwrap().of = b;
    assert_eq!(mapped(inventory(a), &mut (a, b)), expected);
}

#[test]
fn parameters_are_mapped_by_their_bounds_or_as_common_types() {
    #[derive(Component, Debug, PartialEq)]
    struct Holder<T>(T);
    #[derive(Component, Debug, PartialEq)]
    struct Bounded<T: MapEntities>(Vec<T>, std::marker::PhantomData<T>);
    #[derive(MapEntities, Debug, PartialEq)]
    struct Slot(Entity, Option<Entity>);
    let [a, b, ..] = entities();
    assert_eq!(mapped(Holder(a), &mut (a, b)), Holder(b));
    assert_eq!(mapped(Holder(Some(a)), &mut (a, b)), Holder(Some(b)));
    assert_eq!(mapped(Holder(vec![a]), &mut (a, b)), Holder(vec![b]));
    assert_eq!(mapped(Holder(3), &mut (a, b)), Holder(3));
    let slots = mapped(Bounded(vec![Slot(a, Some(a))], std::marker::PhantomData), &mut (a, b));
    assert_eq!(slots.0, [Slot(b, Some(b))]);
    assert!(!is_mapped::<Bounded<u32>>());
}

#[test]
fn a_resource_that_cannot_be_saved_may_hold_entities_that_are_not_mapped() {
    struct Kind;
    #[derive(Resource)]
    struct Seen(Vec<(Entity, Kind)>);
    assert!(ComponentDescriptor::of_resource::<Seen>().functions().map_entities_fn().is_none());
    assert_eq!(Seen(vec![(Entity::PLACEHOLDER, Kind)]).0.len(), 1);
}

#[test]
fn relations_are_mapped_without_an_attribute() {
    #[derive(Relation, Clone, Debug, PartialEq)]
    struct Owes {
        since: Vec<Entity>,
    }
    let mut source = World::new();
    let [a, b] = [(); 2].map(|()| source.spawn_empty().id());
    source.relate(a, Owes { since: vec![a, b] }, b);
    let mut world = World::new();
    world.spawn_empty();
    let map = world.move_entities_from(source);
    let [a, b] = [a, b].map(|old| map.get(old).unwrap());
    assert_eq!(world.get_pair::<Owes>(a, b), Some(&Owes { since: vec![a, b] }));
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
    struct Opaque<T>(T);
    /// It knows what to do with a field that could not be mapped otherwise.
    #[derive(Component)]
    struct Around(Opaque<Entity>);
    impl MapEntities for Around {
        fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
            self.0.0 = mapper.get_mapped(self.0.0);
        }
    }
    let [a, b, ..] = entities();
    let itself = mapped(Itself(a, a), &mut (a, b));
    assert_eq!((itself.0, itself.1), (a, b));
    assert_eq!(mapped(Derived(a), &mut (a, b)).0, b);
    assert_eq!(mapped(Around(Opaque(a)), &mut (a, b)).0.0, b);
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
    // SAFETY: the function belongs to the type of the value.
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
    assert_eq!(map(LinkedList::from([a, b]), mapper), LinkedList::from([c, d]));
    assert_eq!(map(BinaryHeap::from([a, b]), mapper).into_sorted_vec(), BinaryHeap::from([c, d]).into_sorted_vec());
    assert_eq!(map(HashMap::<_, _>::from([("a", a)]), mapper), HashMap::from([("a", c)]));
    assert_eq!(map(BTreeMap::from([(1, (a, 'x'))]), mapper), BTreeMap::from([(1, (c, 'x'))]));
    assert_eq!(map(EntityHashMap::from([(a, vec![b])]), mapper), EntityHashMap::from([(c, vec![d])]));
    assert_eq!(map(EntityHashSet::from([a]), mapper), EntityHashSet::from([c]));
    assert_eq!(map(a..b, mapper), c..d);
    assert_eq!(map(a..=b, mapper), c..=d);
    assert_eq!(map(Ok::<_, String>(a), mapper), Ok(c));
    assert_eq!(map(Cow::<[Entity]>::Owned(vec![a]), mapper).as_ref(), [c]);
    assert_eq!(map(Mutex::new(a), mapper).into_inner().unwrap(), c);
    assert_eq!(map(UniqueEntityVec::try_new([a, b]).unwrap(), &mut BTreeMap::from([(a, b)])).into_inner(), [b]);
    // Other owners keep the entities that they have.
    let shared: Arc<[Entity]> = Arc::new([a, b]);
    assert_eq!(*map(Arc::clone(&shared), mapper), [c, d]);
    assert_eq!(*shared, [a, b]);
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
