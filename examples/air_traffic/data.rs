//! Reading the three data files, and saying in one line what is wrong with them.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::NaiveDateTime;
use glam::DVec3;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::geo;

/// An airport as `airports.csv` describes it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AirportRecord {
    #[serde(rename = "iata")]
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) city: String,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

impl AirportRecord {
    /// Where the airport is, as a unit vector.
    pub(crate) fn place(&self) -> DVec3 {
        geo::place(self.latitude, self.longitude)
    }
}

/// A flight as `flights-20k.json` records it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FlightRecord {
    /// When it left, in local time of the origin: the delay is already in it.
    #[serde(rename = "date", deserialize_with = "date_and_minute")]
    pub(crate) departure: NaiveDateTime,
    /// Minutes that it arrived late, negative when early.
    pub(crate) delay: i32,
    /// Statute miles.
    pub(crate) distance: u32,
    pub(crate) origin: String,
    pub(crate) destination: String,
}

/// A route and how often it was flown, from `flights-airport.csv`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RouteRecord {
    pub(crate) origin: String,
    pub(crate) destination: String,
    pub(crate) count: u32,
}

/// A data file that cannot be used: which one, where in it, and why.
#[derive(Debug)]
pub(crate) struct DataError {
    file: PathBuf,
    place: Place,
    problem: String,
}

/// Where in a file, in the unit that a user can look up.
#[derive(Clone, Copy, Debug)]
enum Place {
    File,
    Line(u64),
    Record(usize),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        let problem = &self.problem;
        match self.place {
            Place::File => write!(f, "{file}: {problem}"),
            Place::Line(line) => write!(f, "{file}, line {line}: {problem}"),
            Place::Record(record) => write!(f, "{file}, record {record}: {problem}"),
        }
    }
}

impl Error for DataError {}

/// Reads `airports.csv` in `dir`.
pub(crate) fn airports(dir: &Path) -> Result<Vec<AirportRecord>, DataError> {
    let file = dir.join("airports.csv");
    let columns = ["iata", "name", "city", "latitude", "longitude"];
    let mut lines_by_code = HashMap::new();
    let mut airports = Vec::new();
    for (line, airport) in csv_records::<AirportRecord>(&file, &columns)? {
        let wrong = |problem| Err(error(&file, Place::Line(line), problem));
        if airport.code.is_empty() {
            return wrong("the code of the airport is empty".into());
        }
        if !(-90.0..=90.0).contains(&airport.latitude) {
            return wrong(format!("latitude {} is not between -90 and 90", airport.latitude));
        }
        if !(-180.0..=180.0).contains(&airport.longitude) {
            return wrong(format!("longitude {} is not between -180 and 180", airport.longitude));
        }
        if let Some(first) = lines_by_code.insert(airport.code.clone(), line) {
            return wrong(format!("airport {} is already on line {first}", airport.code));
        }
        airports.push(airport);
    }
    not_empty(airports, &file, "airport")
}

/// Reads `flights-airport.csv` in `dir`. Routes that were flown 0 times are skipped.
pub(crate) fn routes(dir: &Path) -> Result<Vec<RouteRecord>, DataError> {
    let file = dir.join("flights-airport.csv");
    let records = csv_records(&file, &["origin", "destination", "count"])?;
    let routes = records.into_iter().map(|(_, route)| route);
    let flown = routes.filter(|route: &RouteRecord| route.count > 0).collect();
    not_empty(flown, &file, "route that was flown")
}

/// Reads `flights-20k.json` in `dir`.
pub(crate) fn flights(dir: &Path) -> Result<Vec<FlightRecord>, DataError> {
    let file = dir.join("flights-20k.json");
    let text = read(&file)?;
    // Two passes, first the list and then each record: an error names the record, not a column of one endless line.
    let records: Vec<&RawValue> = serde_json::from_str(&text).map_err(|e| error(&file, Place::File, e.to_string()))?;
    let flights = records.iter().zip(1..).map(|(record, number)| {
        serde_json::from_str(record.get()).map_err(|e| {
            // The position that serde_json appends counts from the start of the record: of no use to the user.
            let problem = e.to_string();
            let problem = problem.split(" at line ").next().unwrap_or_default();
            error(&file, Place::Record(number), problem.into())
        })
    });
    not_empty(flights.collect::<Result<_, _>>()?, &file, "flight")
}

/// The records of a CSV file that has a header with (at least) `columns`, each with its line.
fn csv_records<T: DeserializeOwned>(file: &Path, columns: &[&str]) -> Result<Vec<(u64, T)>, DataError> {
    let text = read(file)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| csv_error(file, &e, None))?.clone();
    if let Some(missing) = columns.iter().find(|column| !header.iter().any(|name| name == **column)) {
        return Err(error(file, Place::Line(1), format!("there is no column `{missing}`")));
    }
    let parse = |record: csv::Result<csv::StringRecord>| {
        let record = record.map_err(|e| csv_error(file, &e, None))?;
        let line = record.position().map_or(0, csv::Position::line);
        let parsed = record.deserialize(Some(&header)).map_err(|e| csv_error(file, &e, Some((&header, &record))))?;
        Ok((line, parsed))
    };
    reader.records().map(parse).collect()
}

/// Turns an error of the csv crate into ours; `row` is the header and the record that could not be understood.
fn csv_error(file: &Path, e: &csv::Error, row: Option<(&csv::StringRecord, &csv::StringRecord)>) -> DataError {
    let place = e.position().map_or(Place::File, |position| Place::Line(position.line()));
    let problem = match e.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let field = err.field().and_then(|field| usize::try_from(field).ok());
            match field.zip(row).and_then(|(i, (header, record))| header.get(i).zip(record.get(i))) {
                Some((column, value)) => format!("`{value}` is not a {column}: {}", err.kind()),
                None => err.kind().to_string(),
            }
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields where the header has {expected_len}")
        }
        _ => e.to_string(),
    };
    error(file, place, problem)
}

fn date_and_minute<'de, D: serde::Deserializer<'de>>(from: D) -> Result<NaiveDateTime, D::Error> {
    use serde::de::Error as _;
    let text = String::deserialize(from)?;
    // chrono takes years of any length and single digits; with the length given there is one way to write a minute.
    NaiveDateTime::parse_from_str(&text, "%Y/%m/%d %H:%M")
        .ok()
        .filter(|_| text.len() == "2001/01/31 23:59".len())
        .ok_or_else(|| D::Error::custom(format!("`{text}` is not a date of the form 2001/01/31 23:59")))
}

fn read(file: &Path) -> Result<String, DataError> {
    fs::read_to_string(file).map_err(|e| error(file, Place::File, format!("cannot be read: {e}")))
}

fn not_empty<T>(records: Vec<T>, file: &Path, what: &str) -> Result<Vec<T>, DataError> {
    if records.is_empty() {
        return Err(error(file, Place::File, format!("holds no {what}")));
    }
    Ok(records)
}

fn error(file: &Path, place: Place, problem: String) -> DataError {
    DataError { file: file.into(), place, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    /// Returns the error about a folder in which the file `file` contains `text`, without the path of the folder.
    fn complaint<T>(load: fn(&Path) -> Result<T, DataError>, file: &str, text: impl AsRef<[u8]>) -> String {
        let dir = Scratch::new();
        fs::write(dir.path().join(file), text).unwrap();
        let complaint = load(dir.path()).err().unwrap().to_string();
        assert!(!complaint.contains('\n'), "more than one line: {complaint}");
        let (folder, complaint) = complaint.split_once(file).unwrap();
        assert!(folder.starts_with(dir.path().to_str().unwrap()));
        format!("{file}{complaint}")
    }

    fn airports_complaint(rows: &str) -> String {
        let text = format!("iata,name,city,state,country,latitude,longitude\n{rows}");
        complaint(airports, "airports.csv", text)
    }

    fn flights_complaint(text: &str) -> String {
        complaint(flights, "flights-20k.json", text)
    }

    const GOOD_AIRPORT: &str = "ATL,Hartsfield,Atlanta,GA,USA,33.6,-84.4\n";
    const GOOD_FLIGHT: &str =
        r#"{"date":"2001/01/01 00:47","delay":66,"distance":1750,"origin":"DTW","destination":"LAS"}"#;

    #[test]
    fn the_bundled_files_are_read_whole() {
        let dir = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data"));
        assert_eq!(airports(dir).unwrap().len(), 3_376);
        assert_eq!(flights(dir).unwrap().len(), 20_000);
        assert_eq!(routes(dir).unwrap().len(), 5_366);
    }

    #[test]
    fn a_missing_file_is_named() {
        let dir = Scratch::new();
        let complaint = airports(dir.path()).unwrap_err().to_string();
        assert!(complaint.contains("airports.csv: cannot be read: "), "{complaint}");
    }

    #[test]
    fn text_in_another_encoding_is_reported() {
        let said = complaint(airports, "airports.csv", b"iata,name\nZRH,Z\xfcrich\n");
        assert!(said.starts_with("airports.csv: cannot be read: "), "{said}");
    }

    #[test]
    fn a_missing_column_is_named() {
        let said = complaint(airports, "airports.csv", "iata,name,city,latitude\nATL,Hartsfield,Atlanta,33.6\n");
        assert_eq!(said, "airports.csv, line 1: there is no column `longitude`");
    }

    #[test]
    fn a_row_that_is_too_short_is_located() {
        let said = airports_complaint(&format!("{GOOD_AIRPORT}LAX,Los Angeles\n"));
        assert_eq!(said, "airports.csv, line 3: 2 fields where the header has 7");
    }

    #[test]
    fn a_coordinate_that_is_no_number_is_located() {
        let said = airports_complaint(&format!("{GOOD_AIRPORT}LAX,Intl,Los Angeles,CA,USA,north,-118.4\n"));
        assert_eq!(said, "airports.csv, line 3: `north` is not a latitude: invalid float literal");
    }

    #[test]
    fn a_coordinate_off_the_earth_is_refused() {
        for (latitude, longitude, problem) in [
            ("91", "0", "latitude 91 is not between -90 and 90"),
            ("NaN", "0", "latitude NaN is not between -90 and 90"),
            ("0", "-180.5", "longitude -180.5 is not between -180 and 180"),
        ] {
            let said = airports_complaint(&format!("OFF,Off,Nowhere,XX,XXX,{latitude},{longitude}\n"));
            assert_eq!(said, format!("airports.csv, line 2: {problem}"));
        }
    }

    #[test]
    fn an_airport_that_stands_twice_is_refused() {
        let said = airports_complaint(&format!("{GOOD_AIRPORT}{GOOD_AIRPORT}"));
        assert_eq!(said, "airports.csv, line 3: airport ATL is already on line 2");
    }

    #[test]
    fn an_airport_needs_a_code() {
        let said = airports_complaint(",Hartsfield,Atlanta,GA,USA,33.6,-84.4\n");
        assert_eq!(said, "airports.csv, line 2: the code of the airport is empty");
    }

    #[test]
    fn files_without_records_are_refused() {
        assert_eq!(airports_complaint(""), "airports.csv: holds no airport");
        assert_eq!(flights_complaint("[]"), "flights-20k.json: holds no flight");
        let said = complaint(routes, "flights-airport.csv", "origin,destination,count\nATL,LAX,0\n");
        assert_eq!(said, "flights-airport.csv: holds no route that was flown");
    }

    #[test]
    fn a_count_below_zero_is_located() {
        let said = complaint(routes, "flights-airport.csv", "origin,destination,count\nATL,LAX,-5\n");
        assert_eq!(said, "flights-airport.csv, line 2: `-5` is not a count: invalid digit found in string");
    }

    #[test]
    fn json_that_ends_early_is_located() {
        let said = flights_complaint(&format!("[{GOOD_FLIGHT},\n{GOOD_FLIGHT}"));
        assert!(said.starts_with("flights-20k.json: "), "{said}");
        assert!(said.contains("line 2 column"), "{said}");
    }

    #[test]
    fn a_field_that_is_missing_or_of_another_kind_is_named_with_its_record() {
        let missing = GOOD_FLIGHT.replace(r#","destination":"LAS""#, "");
        let said = flights_complaint(&format!("[{GOOD_FLIGHT},{missing}]"));
        assert_eq!(said, "flights-20k.json, record 2: missing field `destination`");
        let text = GOOD_FLIGHT.replace("1750", "\"far\"");
        let said = flights_complaint(&format!("[{text}]"));
        assert_eq!(said, "flights-20k.json, record 1: invalid type: string \"far\", expected u32");
    }

    #[test]
    fn a_date_has_one_form() {
        for date in
            ["2001-01-01 00:47", "2001/02/30 00:47", "2001/01/01 24:00", "+12001/01/01 00:47", "2001/1/1 0:47", ""]
        {
            let said = flights_complaint(&format!("[{}]", GOOD_FLIGHT.replace("2001/01/01 00:47", date)));
            let expected = format!("`{date}` is not a date of the form 2001/01/31 23:59");
            assert_eq!(said, format!("flights-20k.json, record 1: {expected}"));
        }
    }
}
