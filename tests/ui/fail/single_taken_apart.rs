use strata_ecs::prelude::*;
use strata_ecs::system::ParamSource;

#[derive(Component)]
struct A(u32);

/// What is fetched for a `Single` is one value: not an item, and a query that yields it again.
struct Twice<'w>(Mut<'w, A>, Mut<'w, A>);

impl SystemParam for Twice<'_> {
    type Source = <Single<'static, 'static, &'static mut A> as SystemParam>::Source;
    type Item<'w, 's> = Twice<'w>;

    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        let (item, query) = got;
        Twice(item, query.single_inner().unwrap())
    }
}

fn main() {
    World::new().run_system_once(|twice: Twice| assert_eq!(twice.0.0, twice.1.0)).unwrap();
}
