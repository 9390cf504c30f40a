//! Row systems of all forms whose loops are compiled once, or are part of no pipeline.

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

/// Compiled once.
#[ecs::system(simd = off)]
pub fn narrow(number: &mut Number<1>, factor: ecs::Res<'_, Factor>) {
    number.0 += factor.0;
}

/// In no pipeline.
#[ecs::system(pipeline = off)]
pub fn alone(number: &mut Number<1>, factor: ecs::Res<'_, Factor>) {
    number.0 += factor.0;
}

/// Both, with parameters of its own, on several threads.
#[ecs::system(par, pipeline = off, simd = off, without(Number<7>))]
pub fn generic<const N: u32>(mut number: ecs::Mut<'_, Number<N>>, other: ::core::option::Option<&Number<9>>) {
    number.0 += other.is_none() as u32;
}

/// Both, and it may fail.
#[ecs::system(simd = off, pipeline = off, run_if(always))]
pub fn fails(number: &Number<1>, id: ecs::Entity) -> ::core::result::Result<(), ::std::string::String> {
    if number.0 > 1000 {
        return ::core::result::Result::Err(::std::format!("{id}"));
    }
    ::core::result::Result::Ok(())
}

fn always() -> bool {
    true
}

/// Both, without any values among the rows.
#[ecs::system(simd = off, pipeline = off, with(Number<1>))]
pub fn ids(id: ecs::Entity, mut commands: ecs::Commands<'_, '_>) {
    commands.entity(id).insert(Number::<3>(1));
}

/// In an `impl`.
pub struct Inside;

impl Inside {
    /// A system.
    #[ecs::system(associated, simd = off, pipeline = off)]
    pub fn adds(number: &mut Number<1>) {
        number.0 += 1;
    }
}

macro_rules! off {
    ($name:ident, $option:ident = $value:ident) => {
        /// A system.
        #[ecs::system($option = $value)]
        pub fn $name(number: &mut Number<1>) {
            number.0 += 1;
        }
    };
}

off!(emitted, simd = off);

fn main() {
    use ecs::RunSystemOnce as _;
    let mut world = ecs::World::new();
    world.insert_resource(Factor(2));
    let entity = world.spawn(Number::<1>(1)).id();
    world.run_system_once(narrow).unwrap();
    world.run_system_once(alone).unwrap();
    world.run_system_once(generic::<1>).unwrap();
    world.run_system_once(fails).unwrap().unwrap();
    world.run_system_once(ids).unwrap();
    world.run_system_once(Inside::adds).unwrap();
    world.run_system_once(emitted).unwrap();
    ::core::assert_eq!(world.get::<Number<1>>(entity).unwrap().0, 8);
    ::core::assert!(world.entity(entity).contains::<Number<3>>());
}
