use strata_ecs::prelude::*;
use strata_ecs::system::{ParamSource, ReadOnlySystemParam};

#[derive(Component)]
struct A(u32);

struct Innocent<'w, 's>(Query<'w, 's, &'static mut A>);

impl SystemParam for Innocent<'_, '_> {
    type Source = <Query<'static, 'static, &'static mut A> as SystemParam>::Source;
    type Item<'w, 's> = Innocent<'w, 's>;

    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        Innocent(Query::item(got))
    }
}

impl ReadOnlySystemParam for Innocent<'_, '_> {}

fn main() {
    let mut world = World::new();
    let [mut one, mut two] = [(); 2].map(|()| SystemState::<Innocent>::new(&mut world));
    let _both = (one.get(&world), two.get(&world));
}
