//! Beginning and ending frames: see `frames`.
//!
//! Tests: tests/changes/frames.rs

use core::sync::atomic::Ordering::Relaxed;

use super::Store;
use super::frames::{FrameGuard, RanSchedule, ScheduleSlot};
use crate::util::guard::for_each_until_all_had_their_turn;

/// Begins the run of a schedule. `schedule` contains the number of the schedule's label, if it has one, and its slot; it is `None` if the
/// schedule does not count for frames. If a system in the schedule may access the store mutably, the caller has to [count the
/// run](super::frames::Frames::enter).
///
/// # Panics
///
/// If a frame ends and the `Drop` of a value panics. The frame has ended.
#[inline]
pub(crate) fn begin_run_in_frame(store: &mut Store, schedule: Option<(Option<u64>, &ScheduleSlot)>) {
    notice_ended_frame(store);
    if let Some((label, seat)) = schedule {
        let at = store.frames.members.iter().position(|member| member.is(label, seat));
        if !store.frames.goes_on() && store.frames.ends_before(at) {
            end_frame(store);
        }
        store.frames.any_ran = true;
        match at {
            Some(at) => store.frames.members[at].ran = store.frames.number,
            None => store.frames.add_member(label, seat),
        }
    }
}

/// Begins an explicit frame. Returns `None` if a run or a frame is in progress: the new frame belongs to it.
///
/// # Panics
///
/// As [`end_frame`]: an implicit frame in which schedules have run ends here.
pub(crate) fn begin_frame(store: &mut Store) -> Option<FrameGuard> {
    notice_ended_frame(store);
    if store.frames.goes_on() {
        return None;
    }
    if store.frames.any_ran {
        end_frame(store);
    }
    Some(store.frames.enter())
}

/// If commands are pending until the end of the frame and the next frame begins now: ends the open implicit frame and returns true; the
/// caller has to apply the commands. The next frame begins explicitly, or with the run of the schedule that `schedule` identifies by its
/// label and slot.
///
/// # Panics
///
/// As [`end_frame`].
#[inline]
pub(crate) fn end_frame_for_commands(
    store: &mut Store,
    schedule: Option<(Option<u64>, Option<&ScheduleSlot>)>,
) -> bool {
    !store.commands.after_frame.is_empty() && end_implicit_frame(store, schedule)
}

#[cold]
fn end_implicit_frame(store: &mut Store, schedule: Option<(Option<u64>, Option<&ScheduleSlot>)>) -> bool {
    notice_ended_frame(store);
    if store.frames.goes_on() {
        return false;
    }
    if let Some((label, seat)) = schedule {
        let is_it = |member: &RanSchedule| match seat {
            Some(seat) => member.is(label, seat),
            None => label.is_some() && member.label == label,
        };
        let at = store.frames.members.iter().position(is_it);
        if store.frames.any_ran && !store.frames.ends_before(at) {
            return false;
        }
    }
    if store.frames.any_ran {
        end_frame(store);
    }
    true
}

pub(super) fn notice_ended_frame(store: &mut Store) {
    // A schedule run that is in progress belongs to the frame, so the frame ends after it.
    if store.frames.shared.has_ended.load(Relaxed) && !store.frames.goes_on() {
        store.frames.shared.has_ended.store(false, Relaxed);
        end_frame(store);
    }
}

/// Ends the frame: everything that is kept for a number of frames ages by one frame.
///
/// # Panics
///
/// If the `Drop` of a removed value panics. Everything else has been done.
pub(crate) fn end_frame(store: &mut Store) {
    store.frames.number += 1;
    store.frames.any_ran = false;
    if !store.resources.has_messages() {
        return store.events.tidy_removals(&mut store.structure.archetypes);
    }
    let both: [fn(&mut Store); 2] = [
        |store| store.frames.age_messages(&mut store.resources),
        |store| store.events.tidy_removals(&mut store.structure.archetypes),
    ];
    for_each_until_all_had_their_turn(both.into_iter(), |part| part(store));
}
