//! Tests of the ticks of a column.

use super::*;
use crate::util::origin::SystemOrigin;

#[test]
fn a_log_leads_to_what_changed_since_the_last_look() {
    let tick = Tick::new;
    let tracking = Tracking::new(1000, 1000, tick(5)).unwrap();
    let moment = |number| WriteStamp { tick: tick(number), by: Origin::UNKNOWN };
    let run_ticks = |last, now| RunTicks { last_run: tick(last), this_run: tick(now), system: SystemOrigin::NONE };
    tracking.note_consumer(tick(6));
    tracking.visit(tick(7));
    tracking.mark_range(3, 1, moment(7));
    tracking.mark_range(900, 1, moment(7));
    let logged = tracking.log(TickKind::Changed, run_ticks(6, 8)).unwrap();
    assert_eq!((logged.len(), logged.is_exact()), (2, true));
    tracking.note_consumer(tick(8));
    tracking.mark_range(3, 1, moment(9));
    assert_eq!(tracking.log(TickKind::Changed, run_ticks(8, 10)).unwrap().len(), 1);
}

#[test]
fn readers_of_one_stage_may_look_in_any_order() {
    let tick = Tick::new;
    let moment = |number| WriteStamp { tick: tick(number), by: Origin::UNKNOWN };
    let run_ticks = |last, now| RunTicks { last_run: tick(last), this_run: tick(now), system: SystemOrigin::NONE };
    for order in [[6, 7], [7, 6]] {
        let tracking = Tracking::new(1000, 1000, tick(5)).unwrap();
        order.into_iter().for_each(|number| tracking.note_consumer(tick(number)));
        tracking.mark_range(900, 1, moment(8));
        assert!(tracking.log(TickKind::Changed, run_ticks(7, 9)).unwrap().is_exact());
    }
}
