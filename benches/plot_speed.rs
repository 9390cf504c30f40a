//! Draws how long a loop takes in several libraries: the picture in the README.
//!
//! ```text
//! cargo bench --manifest-path benches/peers/Cargo.toml --features flecs --bench compare -- "simple_iter 10k" --csv=$PWD/docs/images/speed.csv
//! cargo run --release -p strata-benches --features plots --example plot_speed -- docs/images/speed.csv docs/images/speed.svg
//! ```

use std::error::Error;
use std::fmt::Write as _;

const BENCH: &str = "simple_iter 10k";

/// The contestants, in the words of the bench and in those of the picture.
const BARS: [(&str, &str); 8] = [
    ("row system", "strata, #[system]"),
    ("for_each", "strata, for_each"),
    ("slices by hand", "slices by hand"),
    ("plain for", "strata, for"),
    ("bevy_ecs: for_each", "bevy_ecs, for_each"),
    ("bevy_ecs: plain for", "bevy_ecs, for"),
    ("hecs: for_each", "hecs, for_each"),
    ("flecs_ecs: each", "flecs_ecs, each"),
];

const WIDTH: f64 = 760.0;
/// The left edge of the bars, and the fraction of the width that they may take.
const LEFT: f64 = 190.0;
const ROOM: f64 = WIDTH - LEFT - 70.0;
const STEP: f64 = 34.0;
const TOP: f64 = 56.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [figures, picture] = arguments.as_slice() else {
        return Err("usage: plot_speed FIGURES.csv PICTURE.svg".into());
    };
    std::fs::write(picture, draw(&read(figures)?)?)?;
    Ok(())
}

/// The label and the ratio of each bar that has figures, the shortest first.
fn read(file: &str) -> Result<Vec<(&'static str, f64)>, Box<dyn Error>> {
    let mut bars: Vec<(&str, f64)> = vec![("slices by hand", 1.0)];
    for line in csv::Reader::from_path(file)?.records() {
        let line = line?;
        let known = BARS.iter().find(|(contestant, _)| line.get(1) == Some(contestant));
        if let (Some(BENCH), Some((contestant, label)), Some(ratio)) = (line.get(0), known, line.get(2))
            && *contestant != "slices by hand"
        {
            bars.push((label, ratio.parse()?));
        }
    }
    bars.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    Ok(bars)
}

fn draw(bars: &[(&str, f64)]) -> Result<String, std::fmt::Error> {
    let highest = bars.iter().map(|(_, ratio)| *ratio).fold(1.0, f64::max);
    let height = TOP + STEP * bars.len() as f64 + 16.0;
    let mut svg = String::new();
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"Helvetica, Arial, sans-serif\">"
    )?;
    writeln!(svg, "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>")?;
    let title = "position += velocity, 10,000 entities: time as a multiple of slices by hand";
    writeln!(svg, "<text x=\"16\" y=\"30\" font-size=\"17\" fill=\"#282828\">{title}</text>")?;
    for (place, (label, ratio)) in bars.iter().enumerate() {
        let y = TOP + STEP * place as f64;
        let colour = match *label {
            label if label.starts_with("strata") => "#0b5fa5",
            "slices by hand" => "#787878",
            _ => "#d8a24a",
        };
        let (width, middle) = (ratio / highest * ROOM, y + 17.0);
        let end = LEFT + width + 8.0;
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{middle}\" font-size=\"15\" fill=\"#282828\" text-anchor=\"end\">{label}</text>",
            LEFT - 10.0
        )?;
        writeln!(svg, "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"22\" fill=\"{colour}\"/>")?;
        writeln!(svg, "<text x=\"{end:.1}\" y=\"{middle}\" font-size=\"15\" fill=\"#282828\">{ratio:.2}</text>")?;
    }
    let line = LEFT + ROOM / highest;
    writeln!(svg, "<path d=\"M{line:.1} {}V{}\" stroke=\"#282828\"/>", TOP - 8.0, height - 8.0)?;
    svg.push_str("</svg>\n");
    Ok(svg)
}
