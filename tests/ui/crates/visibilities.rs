#![deny(warnings)]
mod outer {
    pub mod inner {
        use strata_ecs::event::Event;
        use strata_ecs::prelude::*;

        #[derive(Component)]
        struct Private(u8);
        #[derive(Component)]
        pub(crate) struct InCrate(pub(super) u8);
        #[derive(Component)]
        pub(in crate::outer) struct InOuter(pub(in crate::outer) u8);

        #[derive(Bundle)]
        pub(in crate::outer) struct Both {
            pub(in crate::outer) outer: InOuter,
            pub(crate) in_crate: InCrate,
        }

        #[derive(QueryData)]
        #[query_data(mutable)]
        pub(in crate::outer) struct Read {
            pub(in crate::outer) outer: &'static mut InOuter,
            private: Option<&'static Private>,
        }

        #[derive(QueryData)]
        #[query_data(mutable)]
        #[allow(private_interfaces)]
        pub(in crate::outer) enum Any {
            Private(&'static mut Private),
            Outer { outer: &'static InOuter, private: Option<&'static Private> },
            Other,
        }
        #[derive(QueryData)]
        pub struct Everywhere(&'static Private);
        #[derive(QueryData)]
        #[allow(private_interfaces)]
        pub enum EverywhereToo {
            Private(&'static Private),
        }

        #[derive(Message, Event)]
        pub(in crate::outer) struct Hit(Private);
        #[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
        pub(super) struct Label(Inner);
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        struct Inner;

        pub(in crate::outer) fn label() -> Label {
            let Hit(Private(_)) = Hit(Private(1));
            Label(Inner)
        }

        #[derive(QueryFilter)]
        pub struct Hidden(With<Private>);

        #[system]
        fn private(a: &mut Private) {
            a.0 += 1;
        }
        #[system]
        pub(super) fn outer(a: &mut InOuter) {
            a.0 += 1;
        }
        #[system]
        pub(crate) fn everywhere(a: &mut InCrate) {
            a.0 += 1;
        }

        pub fn add_private(world: &mut World, schedule: &mut Schedule) {
            schedule.add_systems(private);
            world.spawn(Private(1));
        }
        pub(in crate::outer) fn private_values(reads: Query<Read>) -> usize {
            reads.iter().filter(|read| read.private.is_some()).count()
        }
        pub(in crate::outer) fn private_rows(
            any: Query<AnyReadOnly>,
            all: Query<(Everywhere, EverywhereToo)>,
        ) -> usize {
            for (EverywhereItem(one), EverywhereTooItem::Private(two)) in all {
                assert_eq!(one.0, two.0);
            }
            any.iter().filter(|item| matches!(item, AnyReadOnlyItem::Private(_))).count()
        }
    }

    use strata_ecs::prelude::*;

    pub fn run() {
        assert_eq!(SystemSet::intern(&inner::label()), SystemSet::intern(&inner::label()));
        let mut world = World::new();
        let mut schedule = Schedule::default();
        inner::add_private(&mut world, &mut schedule);
        schedule.add_systems((inner::outer, inner::everywhere));
        world.spawn(inner::Both { outer: inner::InOuter(1), in_crate: inner::InCrate(1) });
        schedule.run(&mut world);
        assert_eq!(world.query::<&inner::InOuter>().single(&world).unwrap().0, 2);
        assert_eq!(world.query::<&inner::InCrate>().single(&world).unwrap().0, 2);
        assert_eq!(world.query::<inner::Read>().single(&world).unwrap().outer.0, 2);
        assert_eq!(world.run_system_once(inner::private_values).unwrap(), 0);
        assert_eq!(world.query_filtered::<Entity, inner::Hidden>().iter(&world).count(), 1);
        assert_eq!(world.run_system_once(inner::private_rows).unwrap(), 1);
    }
}

fn main() {
    outer::run();
}
