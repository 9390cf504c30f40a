//! Draws the gain of each stage of a row system: the picture in `docs/row-system-speed.md`.
//!
//! ```text
//! cargo bench -p strata-benches --bench pipelines -- stages --csv=$PWD/docs/images/row-systems.csv
//! cargo run --release -p strata-benches --features plots --example plot_row_systems -- docs/images/row-systems.csv docs/images/row-systems.svg
//! ```

use std::error::Error;

use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The workloads that are drawn, in the words of the bench and in those of the picture.
const GROUPS: [(&str, &str); 3] = [
    ("stages: pos += vel * dt, 10k", "one system, 10,000 rows"),
    ("stages: pos += vel * dt, 1M", "one system, 1,000,000 rows"),
    ("stages: chain of 4, 1M", "four systems, 1,000,000 rows"),
];

/// The stages, in the words of the bench and in those of the legend, and their colours: blues for what
/// the loop is compiled to, and two others for what a schedule does. Red-green colour blindness does not hide the difference.
const STAGES: [(&str, &str, RGBColor); 5] = [
    ("plain loop", "plain loop (simd = off)", RGBColor(120, 120, 120)),
    ("loop shape", "+ loop shape", RGBColor(8, 64, 129)),
    ("dispatch", "+ dispatch", RGBColor(78, 170, 220)),
    ("pipeline", "+ pipeline", RGBColor(230, 130, 20)),
    ("two threads", "+ two threads", RGBColor(150, 60, 130)),
];

/// A stage of a workload.
struct Bar {
    stage: usize,
    /// The middle of the bar.
    at: f64,
    ratio: f64,
}

/// The stages of a workload, side by side.
struct Group {
    title: &'static str,
    /// The time of the loop by hand, in nanoseconds a row.
    by_hand: f64,
    bars: Vec<Bar>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [figures, picture] = arguments.as_slice() else {
        return Err("usage: plot_row_systems FIGURES.csv PICTURE.svg".into());
    };
    draw(&read(figures)?, picture)
}

/// The groups, from left to right. Missing stages take no space.
fn read(file: &str) -> Result<Vec<Group>, Box<dyn Error>> {
    let lines: Vec<csv::StringRecord> = csv::Reader::from_path(file)?.records().collect::<Result<_, _>>()?;
    let figure = |bench: &str, contestant: &str, column: usize| -> Result<Option<f64>, Box<dyn Error>> {
        let line = lines.iter().find(|line| line.get(0) == Some(bench) && line.get(1) == Some(contestant));
        Ok(line.and_then(|line| line.get(column)).map(str::parse).transpose()?)
    };
    let mut groups = Vec::new();
    let mut at = 0.5;
    for (bench, title) in GROUPS {
        let by_hand = figure(bench, "by hand", 3)?.ok_or_else(|| format!("{file}: nothing on `{bench}`"))?;
        let mut bars = Vec::new();
        for (stage, (name, ..)) in STAGES.into_iter().enumerate() {
            if let Some(ratio) = figure(bench, name, 2)? {
                bars.push(Bar { stage, at: at + 0.5, ratio });
                at += 1.0;
            }
        }
        at += 1.0;
        groups.push(Group { title, by_hand, bars });
    }
    Ok(groups)
}

const SIZE: (u32, u32) = (960, 560);
const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
/// The fraction of its slot that a bar fills.
const WIDTH: f64 = 0.8;

fn text(size: i32) -> TextStyle<'static> {
    TextStyle::from((FONT, size).into_font()).color(&INK)
}

fn draw(groups: &[Group], file: &str) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(file, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let bars = || groups.iter().flat_map(|group| &group.bars);
    let right = bars().map(|bar| bar.at).fold(0.0, f64::max) + 1.0;
    let highest = bars().map(|bar| bar.ratio).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .margin_top(84)
        .x_label_area_size(60)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..right, 0.0..highest * 1.08)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_labels(7)
        .y_label_formatter(&|value| format!("{value:.1}"))
        .y_desc("time, as a multiple of the same loops by hand")
        .axis_desc_style(text(17))
        .label_style(text(16))
        .bold_line_style(RGBColor(225, 225, 225))
        .light_line_style(TRANSPARENT)
        .draw()?;
    chart.draw_series([PathElement::new([(0.0, 1.0), (right, 1.0)], INK.stroke_width(1))])?;
    for (stage, (.., colour)) in STAGES.into_iter().enumerate() {
        let bars = || bars().filter(|bar| bar.stage == stage);
        let corners = |bar: &Bar| [(bar.at - WIDTH / 2.0, 0.0), (bar.at + WIDTH / 2.0, bar.ratio)];
        chart.draw_series(bars().map(|bar| Rectangle::new(corners(bar), colour.filled())))?;
        let above = text(15).pos(Pos::new(HPos::Center, VPos::Bottom));
        let number = |bar: &Bar| Text::new(format!("{:.2}", bar.ratio), (bar.at, bar.ratio + 0.012), above.clone());
        chart.draw_series(bars().map(number))?;
    }
    for group in groups {
        let middle = group.bars.iter().map(|bar| bar.at).sum::<f64>() / group.bars.len() as f64;
        let (x, y) = chart.backend_coord(&(middle, 0.0));
        let under = Pos::new(HPos::Center, VPos::Top);
        root.draw_text(group.title, &text(17).pos(under), (x, y + 10))?;
        let unit = format!("1.0 is {:.2} ns a row", group.by_hand);
        root.draw_text(&unit, &text(15).pos(under), (x, y + 32))?;
    }
    let drawn = (0..STAGES.len()).filter(|stage| bars().any(|bar| bar.stage == *stage));
    draw_legend(&root, drawn)?;
    root.present()?;
    Ok(())
}

/// Above the bars, so that it covers none of them: stages in their order, in lines of three.
fn draw_legend<B: DrawingBackend>(
    root: &DrawingArea<B, Shift>,
    stages: impl Iterator<Item = usize>,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    for (place, stage) in stages.enumerate() {
        let (_, legend, colour) = STAGES[stage];
        let (x, y) = (90 + 280 * (place as i32 % 3), 18 + 26 * (place as i32 / 3));
        root.draw(&Rectangle::new([(x, y), (x + 16, y + 12)], colour.filled()))?;
        root.draw_text(legend, &text(17).pos(Pos::new(HPos::Left, VPos::Center)), (x + 24, y + 6))?;
    }
    Ok(())
}
