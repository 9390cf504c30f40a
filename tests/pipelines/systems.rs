//! Systems of random descriptions: most go through rows, the others are those of the tests of determinism.
//!
//! A loop over rows has no log of its own for the values that it sees, so it records them in components, resources, messages and commands.
//! The records depend on the order of the rows where possible.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleConfigs;
use strata_ecs::system::NonSendMarker;

use super::parts::{A, B, C, D, E, Extra, F, Link, Note, One, S, T, mix};
use super::plain;
use super::plan::Leaf;
use super::probe::Probe;

/// A sum that depends on the order of its terms.
#[derive(Resource, Default)]
pub(crate) struct Sum1(pub(crate) u64);
#[derive(Resource, Default)]
pub(crate) struct Sum2(pub(crate) u64);
#[derive(Resource, Default)]
pub(crate) struct Sum3(pub(crate) u64);
/// A sum that depends on the order, as all of this kind.
#[derive(Resource, Default)]
pub(crate) struct Float(pub(crate) f64);

/// All that is to be known of when a value was changed.
fn ticks(value: &impl DetectChanges) -> u64 {
    let new = u64::from(value.is_added()) * 2 + u64::from(value.is_changed());
    mix(new, mix(u64::from(value.added().get()), u64::from(value.last_changed().get())))
}

#[system]
fn a_by_b(a: &mut A, b: &B) {
    a.0 = mix(a.0, b.0);
}

#[system]
fn b_by_a(b: &mut B, a: &A) {
    b.0 = mix(b.0, a.0);
}

#[system]
fn a_alone(a: &mut A) {
    a.0 = mix(a.0, 1);
}

#[system]
fn c_by_a(c: &mut C, a: &A, entity: Entity) {
    c.0 = mix(c.0, mix(a.0, entity.to_bits()));
}

#[system]
fn d_if_there(d: Option<&mut D>, a: &A) {
    if let Some(d) = d {
        d.0 = mix(d.0, a.0);
    }
}

#[system]
fn a_by_c_if_there(a: &mut A, c: Option<&C>, t: Has<T>) {
    a.0 = mix(a.0, c.map_or(3, |c| c.0) ^ u64::from(t));
}

#[system(with(T))]
fn a_with_t(a: &mut A) {
    a.0 = mix(a.0, 2);
}

#[system(without(T))]
fn b_without_t(b: &mut B, d: Option<&D>) {
    b.0 = mix(b.0, d.map_or(5, |d| d.0));
}

#[system(with(S))]
fn a_with_s(a: &mut A) {
    a.0 = mix(a.0, 4);
}

#[system(without(S))]
fn b_without_s(b: &mut B, a: &A) {
    b.0 = mix(b.0, a.0 ^ 1);
}

#[system]
fn write_some_a(mut a: Mut<A>, b: &B) {
    if !mix(a.0, b.0).is_multiple_of(7) {
        a.0 = mix(ticks(&a), mix(a.0, b.0));
    }
}

#[system]
fn write_few_b(mut b: Mut<B>) {
    if mix(b.0, 3).is_multiple_of(31) {
        b.0 = mix(b.0, 6);
    }
}

#[system]
fn write_few_a(mut a: Mut<A>, c: &C) {
    if mix(a.0, c.0).is_multiple_of(29) {
        a.0 = mix(ticks(&a), c.0);
    }
}

#[system]
fn tell_of_a(c: &mut C, a: Ref<A>) {
    c.0 = mix(c.0, mix(ticks(&a), a.0));
}

#[system]
fn tell_of_b(d: &mut D, b: Ref<B>, a: &A) {
    d.0 = mix(d.0, mix(ticks(&b), mix(b.0, a.0)));
}

#[system]
fn tell_of_d(a: &A, d: Option<Ref<D>>, mut sum: ResMut<Sum3>) {
    sum.0 = mix(sum.0, d.map_or(a.0, |d| ticks(&d)));
}

#[system(changed(A))]
fn after_a(b: &mut B, a: &A) {
    b.0 = mix(b.0, a.0 ^ 2);
}

#[system(added(B))]
fn after_new_b(a: &mut A, b: &B) {
    a.0 = mix(a.0, b.0 ^ 3);
}

#[system]
fn a_by_one(a: &mut A, one: Res<One>) {
    a.0 = mix(a.0, mix(one.0, ticks(&one)));
}

#[system]
fn add_up_a(a: &A, mut sum: ResMut<Sum1>) {
    sum.0 = mix(sum.0, a.0);
}

#[system]
fn add_up_b(b: &mut B, mut sum: ResMut<Sum2>) {
    sum.0 = mix(sum.0, b.0);
    b.0 = mix(b.0, ticks(&sum) ^ sum.0);
}

#[system]
fn add_up_to_one(a: &mut A, d: Option<&D>, mut one: ResMut<One>) {
    one.0 = mix(one.0, mix(a.0, d.map_or(0, |d| d.0)));
    a.0 = one.0;
}

#[system]
fn add_up_floats(a: &A, b: &mut B, mut sum: ResMut<Float>) {
    sum.0 += 1.0 / (a.0 >> 20) as f64 * if b.0.is_multiple_of(2) { 1e9 } else { -1.0 };
    b.0 = mix(b.0, sum.0.to_bits());
}

#[system]
fn number_rows(a: &mut A, mut rows: Local<u64>) {
    *rows += 1;
    a.0 = mix(a.0, *rows);
}

#[system]
fn number_rows_of_c(c: &mut C, d: Option<&mut D>, mut rows: Local<u64>) {
    *rows += 1;
    c.0 = mix(c.0, *rows);
    if let Some(d) = d {
        d.0 = mix(d.0, *rows);
    }
}

#[system]
fn spawn_by_a(a: &A, b: &mut B, mut commands: Commands) {
    if mix(a.0, b.0).is_multiple_of(40) {
        let new = commands.spawn((C(a.0), E(b.0))).id();
        b.0 = mix(b.0, new.to_bits());
    }
}

#[system]
fn spawn_by_c(c: &mut C, mut last: Local<u64>, mut commands: Commands) {
    if mix(c.0, *last).is_multiple_of(50) {
        let new = commands.spawn(D(c.0)).id();
        c.0 = mix(c.0, new.to_bits());
        *last = c.0;
    }
}

#[system]
fn change_by_a(entity: Entity, a: &mut A, mut commands: Commands) {
    let mut entity = commands.entity(entity);
    match mix(a.0, 8) % 128 {
        0 => _ = entity.insert((T, C(a.0))),
        1 => _ = entity.remove::<T>(),
        2 => _ = entity.insert(S).remove::<B>(),
        3 => _ = entity.insert((B(a.0), D(a.0))),
        4 => _ = entity.remove::<(S, C)>(),
        _ => {}
    }
    a.0 = mix(a.0, 9);
}

#[system]
fn despawn_by_b(entity: Entity, b: &B, mut commands: Commands) {
    if mix(b.0, 10).is_multiple_of(100) {
        commands.entity(entity).despawn();
    }
}

#[system]
fn tell_notes(a: &mut A, mut notes: MessageWriter<Note>) {
    if mix(a.0, 11).is_multiple_of(16) {
        let id = notes.write(Note(a.0));
        a.0 = mix(a.0, id.id);
    }
}

#[system]
fn hear_notes(c: &mut C, a: &A, notes: Res<Messages<Note>>) {
    let heard = notes.iter_current_update_messages().take(2).fold(a.0, |heard, note| mix(heard, note.0));
    c.0 = mix(c.0, heard);
}

#[system]
fn look_at_c(a: &mut A, of_c: Query<&C>) {
    a.0 = of_c.iter().skip((a.0 % 80) as usize).take(2).fold(a.0, |number, c| mix(number, c.0));
}

#[system]
fn look_at_b(a: &A, d: &mut D, of_b: Query<Ref<B>, Without<C>>) {
    let seen = of_b.iter().skip((a.0 % 80) as usize).take(1);
    d.0 = seen.fold(d.0, |number, b| mix(number, mix(b.0, ticks(&b))));
}

#[system]
fn look_at_changes(a: &mut A, changed: Query<(Entity, &C), Changed<C>>) {
    a.0 = changed.iter().take(2).fold(a.0, |number, (entity, c)| mix(number, mix(entity.to_bits(), c.0)));
}

#[system]
fn look_at_changes_too(b: &mut B, changed: Query<(Entity, &C), (Changed<C>, With<D>)>) {
    b.0 = changed.iter().take(1).fold(b.0, |number, (entity, c)| mix(number, mix(entity.to_bits(), c.0)));
}

#[system]
fn follow_links(b: &mut B, link: Option<&Link>, of_d: Lookup<&D>) {
    let Some(link) = link else { return };
    b.0 = mix(b.0, of_d.get(link.0).map_or(link.0.to_bits(), |d| d.0));
}

#[system]
fn succeed(a: &mut A, b: &B) -> Result {
    a.0 = mix(a.0, b.0 ^ 4);
    Ok(())
}

#[system]
fn sometimes_fail(b: &mut B, a: &A) -> Result {
    if mix(a.0, b.0).is_multiple_of(500) {
        return Err(format!("stops at {}", a.0).into());
    }
    b.0 = mix(b.0, a.0 ^ 5);
    Ok(())
}

#[system(par)]
fn par_a_by_b(a: &mut A, b: &B) {
    a.0 = mix(a.0, b.0 ^ 6);
}

#[system(par)]
fn par_b_by_a(b: &mut B, a: &A, one: Res<One>) {
    b.0 = mix(b.0, mix(a.0, one.0));
}

#[system(par)]
fn par_c_if_there(c: Option<&mut C>, b: &B, entity: Entity) {
    if let Some(c) = c {
        c.0 = mix(c.0, mix(b.0, entity.to_bits()));
    }
}

#[system(par)]
fn par_write_some_a(mut a: Mut<A>, b: &B) {
    if mix(a.0, b.0).is_multiple_of(13) {
        a.0 = mix(ticks(&a), b.0);
    }
}

#[system(par, without(T))]
fn par_tell_of_a(d: &mut D, a: Ref<A>, of_c: Query<&C>) {
    d.0 = of_c.iter().take(1).fold(mix(ticks(&a), a.0), |number, c| mix(number, c.0));
}

#[system(par)]
fn par_spawn(a: &A, b: &mut B, mut commands: Commands) {
    if mix(a.0, b.0).is_multiple_of(60) {
        b.0 = mix(b.0, commands.spawn(E(a.0)).id().to_bits());
    }
}

#[system(par)]
fn par_tell_notes(a: &mut A, mut notes: MessageWriter<Note>) {
    if mix(a.0, 12).is_multiple_of(20) {
        notes.write(Note(a.0));
        a.0 = mix(a.0, 13);
    }
}

/// It reads values of other rows that the systems before and after it write.
#[system]
fn a_by_all_b(a: &mut A, of_b: Query<&B>) {
    if a.0.is_multiple_of(4) {
        a.0 = of_b.iter().nth((a.0 % 150) as usize).map_or(1, |b| mix(a.0, b.0));
    }
}

#[system]
fn b_by_all_a(b: &mut B, of_a: Query<&A>) {
    if b.0.is_multiple_of(4) {
        b.0 = of_a.iter().nth((b.0 % 150) as usize).map_or(1, |a| mix(b.0, a.0));
    }
}

#[system]
fn add_to_all_d(a: &A, mut of_d: Query<&mut D, Without<A>>) {
    for mut d in of_d.iter_mut().skip((a.0 % 50) as usize).take(1) {
        d.0 = mix(d.0, a.0);
    }
}

/// It and the next one write to other rows of one column.
#[system]
fn write_those_with_s(a: &A, b: &mut B, mut of_d: Query<&mut D, With<S>>) {
    for mut d in of_d.iter_mut().skip((a.0 % 20) as usize).take(1) {
        d.0 = mix(d.0, a.0);
        b.0 = d.0;
    }
}

#[system]
fn write_those_without_s(a: &A, c: &mut C, mut of_d: Query<&mut D, Without<S>>) {
    for mut d in of_d.iter_mut().skip((a.0 % 20) as usize).take(1) {
        d.0 = mix(d.0, a.0);
        c.0 = d.0;
    }
}

#[system]
fn write_e_with_t(a: &mut A, mut of_e: Query<&mut E, With<T>>) {
    for mut e in of_e.iter_mut().take(1) {
        e.0 = mix(e.0, a.0);
    }
}

#[system]
fn write_e_without_t(a: &mut A, mut of_e: Query<&mut E, Without<T>>) {
    for mut e in of_e.iter_mut().take(1) {
        e.0 = mix(e.0, a.0);
    }
}

#[system]
fn look_at_world(a: &A, #[param] world: &World, mut sum: Local<u64>) {
    *sum = mix(*sum, a.0);
    if sum.is_multiple_of(64) {
        let _ = world.reserve_entity();
    }
}

#[system]
fn by_the_only_f(a: &mut A, only: Single<(Entity, &F)>) {
    let (entity, f) = *only;
    a.0 = mix(a.0, mix(entity.to_bits(), f.0));
}

#[system]
fn by_some_d(b: &mut B, of_d: Populated<&D>) {
    b.0 = of_d.iter().take(1).fold(b.0, |number, d| mix(number, d.0));
}

#[system]
fn need_extra(a: &mut A, extra: Res<Extra>) {
    a.0 = mix(a.0, extra.0);
}

#[system]
fn use_extra(b: &mut B, a: &A, extra: Option<Res<Extra>>) {
    b.0 = mix(b.0, mix(a.0, extra.map_or(7, |extra| mix(extra.0, ticks(&extra)))));
}

#[system]
fn number_entities(entity: Entity, a: &A, mut sum: ResMut<Sum3>) {
    sum.0 = mix(sum.0, mix(entity.to_bits(), a.0));
}

#[system]
fn ask_for_s(s: Has<S>, b: &mut B) {
    b.0 = mix(b.0, u64::from(s));
}

#[system]
fn sparse_e(e: &mut E, a: &A) {
    e.0 = mix(e.0, a.0);
}

#[system(any(C, D))]
fn any_of_two(a: &mut A, c: Option<&C>, d: Option<&D>) {
    a.0 = mix(a.0, c.map_or(1, |c| c.0) ^ d.map_or(2, |d| d.0));
}

#[system]
fn count_notes(a: &mut A, notes: Res<Messages<Note>>) {
    a.0 = mix(a.0, notes.len() as u64);
}

#[system]
fn stay_here(a: &mut A, _marker: NonSendMarker) {
    a.0 = mix(a.0, 14);
}

/// Calls a macro with all loops over rows.
macro_rules! all_rows {
    ($call:ident) => {
        $call!(
            a_by_b b_by_a a_alone c_by_a d_if_there a_by_c_if_there a_with_t b_without_t a_by_one add_up_a add_up_b add_up_to_one
            add_up_floats number_rows number_rows_of_c spawn_by_a spawn_by_c change_by_a despawn_by_b tell_notes hear_notes
            a_by_all_b b_by_all_a add_to_all_d look_at_c follow_links by_the_only_f by_some_d need_extra use_extra number_entities any_of_two count_notes
            write_some_a write_few_a write_few_b tell_of_a tell_of_b tell_of_d look_at_b look_at_changes look_at_changes_too
            write_those_with_s write_those_without_s write_e_with_t write_e_without_t look_at_world
            par_a_by_b par_b_by_a par_c_if_there par_write_some_a par_tell_of_a
            a_with_s b_without_s after_a after_new_b succeed sometimes_fail par_spawn par_tell_notes ask_for_s sparse_e stay_here
        )
    };
}

/// How many of them, from the first on, may well be in a pipeline.
const FIT: usize = 52;

/// Calls one of several functions.
macro_rules! nth {
    ($which:expr; $($name:ident)*) => {{
        let all: &[fn() -> ScheduleConfigs] = &[$(|| $name.into_configs()),*];
        all[$which % all.len()]()
    }};
}

fn rows(which: usize) -> ScheduleConfigs {
    macro_rules! of_all {
        ($($name:ident)*) => { nth!(which; $($name)*) };
    }
    all_rows!(of_all)
}

/// Those that are in each other's way in many ways, and look as if they were not.
fn treacherous(which: usize) -> ScheduleConfigs {
    nth!(
        which;
        a_by_b b_by_a a_by_all_b b_by_all_a a_by_one add_up_to_one add_up_b write_those_with_s write_those_without_s
        write_some_a tell_of_b sometimes_fail
    )
}

fn is_last_a_odd(of_a: Query<'_, '_, &A>) -> bool {
    of_a.iter().last().is_none_or(|a| !a.0.is_multiple_of(2))
}

fn is_any_b_new(of_b: Query<'_, '_, (), Changed<B>>) -> bool {
    !of_b.is_empty()
}

fn is_sum_odd(sum: Res<'_, Sum2>) -> bool {
    !sum.0.is_multiple_of(2)
}

fn is_one_even(one: Res<'_, One>) -> bool {
    one.0.is_multiple_of(2)
}

/// A system of the schedule.
pub(crate) fn system(leaf: &Leaf, probe: Probe) -> ScheduleConfigs {
    let system = without_conditions(leaf, probe);
    match leaf.seed % 32 {
        0 | 1 => system.run_if(is_last_a_odd),
        2 => system.run_if(is_any_b_new),
        3 => system.run_if(is_sum_odd),
        4 => system.run_if(is_one_even),
        _ => system,
    }
}

fn without_conditions(leaf: &Leaf, probe: Probe) -> ScheduleConfigs {
    let which = usize::from(leaf.types.0);
    match leaf.shape {
        // Those that are the most alike, so that there are long pipelines.
        0..50 => rows(which % 10),
        50..90 => treacherous(which),
        90..150 => rows(which % FIT),
        // These are `par` and fit.
        150..180 => rows(FIT - 5 + which % 5),
        180..215 => rows(FIT + which % 11),
        _ => plain::system(leaf, probe),
    }
}
