//! Row systems of all forms, divided among threads.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![no_implicit_prelude]

use ::strata_ecs::prelude as ecs;

/// A component.
#[derive(ecs::Component)]
pub struct Number<const N: u32>(pub u32);

/// A resource.
#[derive(ecs::Resource)]
pub struct Factor(pub u32);

/// A message.
#[derive(ecs::Message)]
pub struct Told;

/// Parameters.
#[derive(ecs::SystemParam)]
pub struct Both<'w, 's, const N: u32> {
    commands: ecs::Commands<'w, 's>,
    others: ecs::Query<'w, 's, &'static Number<N>, ecs::With<Number<2>>>,
}

/// Has parameters of its own.
#[ecs::system(par, without(Number<7>))]
pub fn generic<const N: u32>(number: &mut Number<N>, both: Both<'_, '_, 9>) {
    number.0 += both.others.is_empty() as u32;
}

/// A row is an entity.
#[ecs::system(par, with(Number<1>))]
pub fn entities(id: ecs::Entity, mut commands: ecs::Commands<'_, '_>) {
    commands.entity(id).insert(Number::<3>(1));
}

/// Returns something.
#[ecs::system(par)]
pub fn fails(
    number: ecs::Ref<'_, Number<1>>,
    has: ecs::Has<Number<2>>,
    (factor, mut told): (::core::option::Option<ecs::Res<'_, Factor>>, ecs::MessageWriter<'_, Told>),
    lookup: ecs::Lookup<'_, '_, &Number<4>>,
    id: ecs::Entity,
) -> ::core::result::Result<(), ::std::string::String> {
    if has || factor.is_none() || lookup.contains(id) {
        return ::core::result::Result::Err(::std::string::String::new());
    }
    if number.0 == 3 {
        told.write(Told);
    }
    ::core::result::Result::Ok(())
}

/// In an `impl`.
pub struct Inside;

impl Inside {
    /// A system.
    #[ecs::system(par, associated, run_if(always))]
    pub fn adds(mut number: ecs::Mut<'_, Number<1>>, factor: ecs::Res<'_, Factor>, mut both: Both<'_, '_, 6>) {
        number.0 += factor.0;
        both.commands.spawn(Number::<5>(1));
    }
}

fn always() -> bool {
    true
}

fn main() {
    use ecs::RunSystemOnce as _;
    let mut world = ecs::World::new();
    world.insert_resource(Factor(2));
    let entity = world.spawn(Number::<1>(1)).id();
    world.run_system_once(entities).unwrap();
    world.run_system_once(fails).unwrap().unwrap();
    world.run_system_once(Inside::adds).unwrap();
    ::core::assert_eq!(world.get::<Number<1>>(entity).unwrap().0, 3);
}
