//! Slices with names, where names are the user's, items are more visible than components, and warnings are errors.
#![deny(warnings)]
#![allow(dead_code, non_upper_case_globals)]
use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

mod inner {
    use super::*;

    #[derive(Component)]
    struct Hidden(u8);

    #[derive(QueryData)]
    #[query_data(mutable, contiguous(all))]
    pub struct Public {
        hidden: &'static mut Hidden,
        pub entity: Entity,
    }

    #[derive(QueryData)]
    pub struct Unnamed {
        hidden: &'static Hidden,
    }

    pub fn spawn(world: &mut World) {
        world.spawn_batch([Hidden(1), Hidden(2)]);
    }

    pub fn sum(slices: &PublicReadOnlyContiguousItem<'_, '_>) -> u8 {
        slices.hidden.iter().map(|hidden| hidden.0).sum()
    }
}

#[derive(Component)]
struct Value(u8);
const value: u8 = 3;

#[derive(Component)]
struct Other;

#[derive(QueryData)]
#[query_data(contiguous(immutable, mutable), mutable)]
struct Names<T: Component<Mutability = Mutable>, W>
where
    W: Component,
{
    value: &'static mut T,
    w: Option<&'static W>,
    r#type: Has<W>,
}

/// A struct around an enum has no slices, and is query data all the same.
#[derive(QueryData)]
struct Around {
    either: Either,
}

#[derive(QueryData)]
enum Either {
    Value(&'static Value),
    Other,
}

fn main() {
    let mut world = World::new();
    inner::spawn(&mut world);
    world.spawn(Value(value));
    let mut all = world.query::<inner::Public>();
    let slices: Vec<_> = all.contiguous_iter(&world).collect();
    assert_eq!((slices.len(), inner::sum(&slices[0]), slices[0].entity.len()), (1, 3, 2));
    assert_eq!(world.query::<inner::Unnamed>().contiguous_iter(&world).count(), 1);
    world.spawn((Value(4), Other));
    for NamesContiguousItem { value: values, w, r#type } in
        world.query::<Names<Value, Other>>().contiguous_iter_mut(&mut world)
    {
        assert_eq!((values.len(), w.is_some()), (1, r#type));
    }
    assert_eq!(world.query::<Around>().iter(&world).count(), 4);
}
