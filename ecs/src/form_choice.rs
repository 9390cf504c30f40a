//! Which form of a loop is the fastest one, found out when it runs.
//!
//! Wide registers make most loops faster and some slower, and so do blocks of rows: a long body that calls a library, or one whose numbers
//! have to be sorted into registers first. No rule about columns tells them apart. So a system over rows is timed in each form when it has
//! run a few times, on the rows of the program, and keeps the fastest one; later, when there may be other rows, it is timed once
//! more. What it computes does not depend on the form.

use crate::simd::{Form, ONE_FORM, Variants};

/// How often each form is timed before one is chosen.
const TIMES: usize = 5;
/// A loop over fewer rows takes no longer than looking at the clock.
const LEAST_ROWS: usize = 512;
/// The runs before the first comparison, in which caches fill.
const BEFORE: u32 = 2;
/// The runs between the first comparison and the second one.
const BETWEEN: u32 = 1000;
/// The runs until it is seen whether there are more rows, after there were too few.
const TOO_FEW: u32 = 200;
/// How often the forms are compared.
const COMPARISONS: u8 = 2;
/// Instead of a number of runs: all comparisons have been made.
const NEVER: u32 = u32::MAX;

/// The form that one loop takes.
#[derive(Debug)]
pub(crate) struct Choice {
    chosen: Form,
    /// Those that are compared. The same ones in all runs.
    forms: &'static [Form],
    /// The comparisons that are to come, and the runs until the next timed one.
    comparisons: u8,
    runs: u32,
    /// How many runs have been timed in this comparison, in turns; and what they took, by form, in picoseconds a row.
    timed: usize,
    took: [[u64; TIMES]; Form::COUNT],
}

impl Choice {
    /// For a loop that has not run.
    pub(crate) const fn new() -> Self {
        Self {
            chosen: Form::Widest,
            forms: ONE_FORM,
            comparisons: COMPARISONS,
            runs: BEFORE,
            timed: 0,
            took: [[0; TIMES]; Form::COUNT],
        }
    }

    /// The form that has been found to be the fastest one so far.
    pub(crate) fn chosen(&self) -> Form {
        self.chosen
    }

    /// Before a run of a loop that has the variants `V`: in which form. `rows` says over how many rows it goes.
    #[inline]
    pub(crate) fn start<V: Variants>(&mut self, rows: impl FnOnce() -> usize) -> Timing {
        if const { V::FORMS.len() > 1 } {
            match self.runs {
                NEVER => {}
                0 => return self.start_timing(V::FORMS, rows()),
                runs => self.runs = runs - 1,
            }
        }
        Timing { form: self.chosen, rows: 0, since: None }
    }

    #[cold]
    #[inline(never)]
    fn start_timing(&mut self, forms: &'static [Form], rows: usize) -> Timing {
        self.forms = forms;
        match self.form_to_time(rows) {
            Some(form) => Timing { form, rows, since: Clock::now() },
            None => Timing { form: self.chosen, rows, since: None },
        }
    }

    /// After the run.
    #[inline]
    pub(crate) fn finish(&mut self, timing: Timing) {
        if let Some(since) = timing.since {
            self.finish_timing(timing.form, timing.rows, since);
        }
    }

    #[cold]
    #[inline(never)]
    fn finish_timing(&mut self, form: Form, rows: usize, since: Clock) {
        self.note(form, since.nanoseconds() * 1000 / rows as u64);
    }

    /// The form in which this run is timed, if it is.
    fn form_to_time(&mut self, rows: usize) -> Option<Form> {
        if rows < LEAST_ROWS {
            self.runs = TOO_FEW;
            return None;
        }
        Some(self.forms[self.timed % self.forms.len()])
    }

    /// Notes what a run in one of the forms took, and chooses when there is enough to compare.
    fn note(&mut self, form: Form, took: u64) {
        let forms = self.forms;
        self.took[form as usize][self.timed / forms.len()] = took;
        self.timed += 1;
        if self.timed == forms.len() * TIMES {
            let median = |form: Form| {
                let mut took = self.took[form as usize];
                took.sort_unstable();
                took[TIMES / 2]
            };
            let first = forms[0];
            let fastest = forms[1..].iter().copied().min_by_key(|&form| median(form)).unwrap_or(first);
            // What is nearly as fast is not worth a change: clocks differ by as much.
            self.chosen = if median(fastest) < median(first) - median(first) / 32 { fastest } else { first };
            self.comparisons -= 1;
            (self.timed, self.runs) = (0, if self.comparisons == 0 { NEVER } else { BETWEEN });
        }
    }
}

/// A run that begins.
pub(crate) struct Timing {
    pub(crate) form: Form,
    rows: usize,
    since: Option<Clock>,
}

/// A moment.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[derive(Clone, Copy)]
struct Clock(std::time::Instant);

#[cfg(all(feature = "std", target_arch = "x86_64"))]
impl Clock {
    fn now() -> Option<Self> {
        Some(Self(std::time::Instant::now()))
    }

    fn nanoseconds(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// Without a clock, nothing is timed.
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
#[derive(Clone, Copy)]
enum Clock {}

#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
impl Clock {
    fn now() -> Option<Self> {
        None
    }

    fn nanoseconds(self) -> u64 {
        match self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Narrow, Wide};

    const TWO: &[Form; 2] = &[Form::Widest, Form::Plain];
    const THREE: &[Form; 3] = &[Form::Widest, Form::Whole, Form::Plain];

    /// Goes through the runs until the next comparison.
    fn wait(choice: &mut Choice) {
        while choice.runs != 0 {
            let chosen = choice.chosen();
            assert_eq!(choice.start::<Wide>(|| panic!("nobody asks for the rows")).form, chosen);
        }
    }

    /// Goes through a comparison in which the forms take so long, one run of each of which takes ten times as long.
    fn compare<const N: usize>(choice: &mut Choice, forms: &'static [Form; N], took: [u64; N]) {
        wait(choice);
        choice.forms = forms;
        for turn in 0..N * TIMES {
            let form = choice.form_to_time(LEAST_ROWS).unwrap();
            assert_eq!(form, forms[turn % N], "the forms take turns");
            let took = took[turn % N];
            choice.note(form, if turn / N == 3 { 10 * took } else { took });
        }
    }

    #[test]
    fn the_fastest_form_is_chosen_and_the_choice_is_made_once_more() {
        let mut choice = Choice::new();
        compare(&mut choice, TWO, [1000, 500]);
        assert_eq!((choice.chosen(), choice.runs), (Form::Plain, BETWEEN));
        compare(&mut choice, TWO, [400, 500]);
        assert_eq!((choice.chosen(), choice.runs), (Form::Widest, NEVER));
        (0..10).for_each(|_| assert_eq!(choice.start::<Wide>(|| panic!("nobody asks")).form, Form::Widest));
        assert_eq!(choice.runs, NEVER);
    }

    #[test]
    fn the_widest_form_is_kept_unless_the_other_one_is_clearly_faster() {
        let mut choice = Choice::new();
        compare(&mut choice, TWO, [1000, 990]);
        assert_eq!(choice.chosen(), Form::Widest);
    }

    #[test]
    fn the_fastest_of_three_forms_is_chosen() {
        let mut choice = Choice::new();
        compare(&mut choice, THREE, [1000, 500, 900]);
        assert_eq!(choice.chosen(), Form::Whole);
        compare(&mut choice, THREE, [1000, 980, 900]);
        assert_eq!((choice.chosen(), choice.runs), (Form::Plain, NEVER));
    }

    #[test]
    fn few_rows_are_not_timed_and_seldom_counted() {
        let (mut choice, mut counted) = (Choice::new(), 0);
        for _ in 0..10 * TOO_FEW {
            let rows = || {
                counted += 1;
                LEAST_ROWS - 1
            };
            let timing = choice.start::<Wide>(rows);
            assert!(timing.since.is_none());
            choice.finish(timing);
        }
        assert!((1..=10).contains(&counted), "{counted} times");
        assert_eq!(choice.timed, 0);
    }

    #[test]
    fn a_loop_with_one_form_is_never_timed() {
        let mut choice = Choice::new();
        for _ in 0..10 {
            assert!(choice.start::<Narrow>(|| panic!("nobody asks for the rows")).since.is_none());
        }
    }
}
