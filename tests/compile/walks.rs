//! How much code a reader has to go through from a public call to the bytes, and how much code structural changes are.
//!
//! `walks.txt` lists the functions of each walk and the files of structural changes; its head says by which rules. The test fails if a
//! file or function of the lists does not exist, if a number is not right, or if a function is missing from a walk.
//! `STRATA_OVERWRITE=1 cargo test -p strata-compile-tests walks::` rewrites the numbers.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use self::sources::{Function, Sources};

/// The separator between the parts of an entry.
const SEPARATOR: &str = " :: ";

/// The lists and the complaints about them.
#[derive(Default)]
struct Lists {
    walks: Vec<Walk>,
    /// Functions that are called in walks and are no part of them: the name, and whether it was needed.
    not_part: BTreeMap<String, bool>,
    /// The files of storage, where walks end: functions that these files call are not listed.
    ends: BTreeSet<String>,
    /// Files of structural changes, and files that could be taken for such.
    structural: BTreeSet<String>,
    not_structural: BTreeSet<String>,
    /// Folders whose files are all in one of the two lists.
    folders: Vec<String>,
    complaints: Vec<String>,
    /// The text with the right numbers.
    text: String,
}

/// One walk.
struct Walk {
    name: String,
    /// The functions: file and path.
    functions: Vec<(String, String)>,
}

impl Walk {
    fn functions<'s>(&self, sources: &'s Sources) -> Vec<&'s Function> {
        let found = self.functions.iter().flat_map(|(file, path)| named(sources, file, path));
        found.collect()
    }

    fn files(&self) -> BTreeSet<&str> {
        self.functions.iter().map(|(file, _)| file.as_str()).collect()
    }

    fn sum(&self, sources: &Sources) -> String {
        let functions = self.functions(sources);
        let lines: usize = functions.iter().map(|function| function.lines).sum();
        let nouns = sources.nouns(functions.iter().copied()).len();
        format!("sum: {} files, {} functions, {lines} lines, {nouns} nouns", self.files().len(), functions.len())
    }

    /// Complaints about functions that are called and not listed, or listed and not called.
    fn check(&self, sources: &Sources, ends: &BTreeSet<String>, not_part: &mut BTreeMap<String, bool>) -> Vec<String> {
        let functions = self.functions(sources);
        let inner = self.functions.iter().filter(|(file, _)| !ends.contains(file));
        let inner: Vec<&Function> = inner.flat_map(|(file, path)| named(sources, file, path)).collect();
        let listed: BTreeSet<&str> = functions.iter().map(|function| function.name.as_str()).collect();
        let files = self.files();
        let mut defined: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (path, file) in sources.files.iter().filter(|(path, _)| files.contains(path.as_str())) {
            for function in &file.functions {
                defined.entry(&function.name).or_default().push(format!("{path}{SEPARATOR}{}", function.path()));
            }
        }
        let mut complaints = Vec::new();
        for function in &inner {
            for call in function.calls.iter().filter(|call| !listed.contains(call.as_str())) {
                let Some(definitions) = defined.get(call.as_str()) else { continue };
                match not_part.get_mut(call) {
                    Some(needed) => *needed = true,
                    None => complaints.push(format!(
                        "walk {}: `{}` calls `{call}`, which is neither listed nor under `not part`; it may be {}",
                        self.name,
                        function.path(),
                        definitions.join(" or ")
                    )),
                }
            }
        }
        let called: BTreeSet<&str> = inner.iter().flat_map(|f| f.calls.iter().map(String::as_str)).collect();
        let never = functions.iter().skip(1).filter(|f| f.name != "drop" && !called.contains(f.name.as_str()));
        complaints.extend(never.map(|f| format!("walk {}: no function of the walk calls `{}`", self.name, f.path())));
        complaints
    }
}

/// The functions of a file with this path; a macro and the unit type may each have one.
fn named<'s>(sources: &'s Sources, file: &str, path: &str) -> Vec<&'s Function> {
    let functions = sources.files.get(file).into_iter().flat_map(|file| &file.functions);
    functions.filter(|function| function.path() == path).collect()
}

/// Returns the number of lines of a file in a list, or the reason why it cannot be counted.
fn code_lines(sources: &Sources, file: &str) -> Result<usize, String> {
    match sources.files.get(file) {
        Some(file) => Ok(file.code_lines),
        None => Err(format!("there is no file `{file}`: name the files that have its code now")),
    }
}

/// Returns the number of lines of a function in a walk, or the reason why they cannot be counted.
fn function_lines(sources: &Sources, file: &str, path: &str) -> Result<usize, String> {
    let found = named(sources, file, path);
    if !found.is_empty() {
        return Ok(found.iter().map(|function| function.lines).sum());
    }
    code_lines(sources, file)?;
    let name = path.rsplit("::").next().unwrap_or(path);
    let elsewhere = sources.files.iter().flat_map(|(file, content)| {
        content.functions.iter().filter(|f| f.name == name).map(move |f| format!("`{file}{SEPARATOR}{}`", f.path()))
    });
    let elsewhere: Vec<String> = elsewhere.take(5).collect();
    let hint =
        if elsewhere.is_empty() { "no function of the crate has this name".to_owned() } else { elsewhere.join(", ") };
    Err(format!("`{file}` has no function `{path}`: remove the line, or name what does its work now ({hint})"))
}

/// The part of the file that a line belongs to.
enum Section {
    Head,
    Walk,
    NotPart,
    Ends,
    Structural,
    NotStructural,
}

impl Lists {
    fn read(text: &str, sources: &Sources) -> Self {
        let mut lists = Self::default();
        let mut section = Section::Head;
        let mut lines = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let parts: Vec<&str> = line.split(SEPARATOR).collect();
            let written = match (&section, &parts[..]) {
                _ if line.starts_with('#') || line.is_empty() => Ok(line.to_owned()),
                (_, [entry]) if entry.starts_with("walk ") => {
                    section = Section::Walk;
                    lists.walks.push(Walk { name: entry["walk ".len()..].to_owned(), functions: Vec::new() });
                    Ok(line.to_owned())
                }
                (_, ["not part"]) => lists.begin(&mut section, Section::NotPart, line),
                (_, ["ends"]) => lists.begin(&mut section, Section::Ends, line),
                (_, ["structural change"]) => lists.begin(&mut section, Section::Structural, line),
                (_, ["not structural change"]) => lists.begin(&mut section, Section::NotStructural, line),
                (Section::Walk, [entry]) if entry.starts_with("sum:") => {
                    Ok(lists.walks[lists.walks.len() - 1].sum(sources))
                }
                (Section::Walk, [file, path, ..]) => {
                    let walk = lists.walks.last_mut().expect("the section has begun");
                    walk.functions.push(((*file).to_owned(), (*path).to_owned()));
                    function_lines(sources, file, path).map(|lines| [file, path, &*lines.to_string()].join(SEPARATOR))
                }
                (Section::NotPart, [name, _reason]) => {
                    lists.not_part.insert((*name).to_owned(), false);
                    Ok(line.to_owned())
                }
                (Section::Ends, [file]) => {
                    lists.ends.insert((*file).to_owned());
                    code_lines(sources, file).map(|_| line.to_owned())
                }
                (Section::Structural, [entry]) if entry.starts_with("sum:") => {
                    Ok(format!("sum: {} files, {lines} lines", lists.structural.len()))
                }
                (Section::Structural, [file, ..]) => {
                    lists.structural.insert((*file).to_owned());
                    code_lines(sources, file).map(|count| {
                        lines += count;
                        [file, &*count.to_string()].join(SEPARATOR)
                    })
                }
                (Section::NotStructural, ["each file of", folders]) => {
                    lists.folders = folders.split(' ').map(str::to_owned).collect();
                    Ok(line.to_owned())
                }
                (Section::NotStructural, [file, _reason]) => {
                    lists.not_structural.insert((*file).to_owned());
                    code_lines(sources, file).map(|_| line.to_owned())
                }
                _ => Err("not an entry of this part of the file".to_owned()),
            };
            let written = written.unwrap_or_else(|complaint| {
                lists.complaints.push(format!("walks.txt:{number}: {complaint}"));
                line.to_owned()
            });
            lists.text += &written;
            lists.text.push('\n');
        }
        lists.check(sources);
        lists
    }

    #[expect(clippy::unnecessary_wraps, reason = "an arm among others that can fail")]
    fn begin(&mut self, section: &mut Section, new: Section, line: &str) -> Result<String, String> {
        *section = new;
        Ok(line.to_owned())
    }

    /// Complaints about what is missing.
    fn check(&mut self, sources: &Sources) {
        for walk in &self.walks {
            self.complaints.extend(walk.check(sources, &self.ends, &mut self.not_part));
        }
        let unneeded = self.not_part.iter().filter(|(_, needed)| !**needed);
        self.complaints.extend(unneeded.map(|(name, _)| format!("not part: no walk calls `{name}` any more")));
        let in_folder = |file: &&String| self.folders.iter().any(|folder| file.starts_with(&format!("{folder}/")));
        let of_walks = self.walks.iter().flat_map(|walk| walk.functions.iter().map(|(file, _)| file));
        let files: BTreeSet<&String> = sources.files.keys().filter(in_folder).chain(of_walks).collect();
        for file in files {
            if self.structural.contains(file) == self.not_structural.contains(file) {
                self.complaints.push(format!(
                    "`{file}` has to be in one of the lists `structural change` and `not structural change`"
                ));
            }
        }
    }
}

/// The sources of the core, by their paths in `ecs/src`.
fn read_folder(folder: &Path, prefix: &str, texts: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("the folder of the core is readable") {
        let entry = entry.expect("its entries are readable");
        let (path, name) = (entry.path(), entry.file_name().into_string().expect("names are UTF-8"));
        if path.is_dir() {
            read_folder(&path, &format!("{prefix}{name}/"), texts);
        } else if name.ends_with(".rs") {
            texts.insert(format!("{prefix}{name}"), fs::read_to_string(&path).expect("sources are UTF-8"));
        }
    }
}

#[test]
fn the_walks_and_the_size_of_structural_changes_are_those_of_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = BTreeMap::new();
    read_folder(&root.join("ecs/src"), "", &mut texts);
    let sources = Sources::new(&texts);
    let path = root.join("tests/compile/walks.txt");
    let text = fs::read_to_string(&path).expect("the list is there");
    let lists = Lists::read(&text, &sources);
    for line in lists.text.lines().filter(|line| line.starts_with("walk ") || line.starts_with("sum:")) {
        println!("{line}");
    }
    if env::var_os("STRATA_OVERWRITE").is_some() {
        fs::write(&path, &lists.text).expect("the list can be written");
    }
    let text = fs::read_to_string(&path).expect("the list is there");
    let mut complaints = lists.complaints;
    for (number, (found, right)) in (1..).zip(text.lines().zip(lists.text.lines())) {
        if found != right {
            complaints
                .push(format!("walks.txt:{number}: `{found}` should be `{right}`: STRATA_OVERWRITE=1 writes numbers"));
        }
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate of two files.
    fn sample() -> Sources {
        let store = "
//! Not code.
struct Store;
/// Not code.
impl<'a, T: Fn() -> u8> Make<T> for Store {
    // Not code.
    fn make(&self) {
        row(Plan::new());

        self.end::<Vec<(u8, Plan)>>();
    }
    fn end(&self) {}
}
fn row(_: Plan) {}
#[cfg(test)]
mod tests {
    fn of_tests() {}
}
#[cfg(test)]
mod outside;
";
        let plan = "
pub(crate) struct Plan;
impl Plan { fn new() -> Self { text() } }
fn text() -> &'static str { \"a
b\" }
macro_rules! tuples { ($($T:ident)*) => { impl<$($T: Put),*> Put for ($($T,)*) { fn put(self) {} } } }
";
        let texts = [("store.rs", store), ("store/outside.rs", "fn of_tests() {}"), ("plan.rs", plan)];
        Sources::new(&texts.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    }

    fn complaints(text: &str) -> String {
        Lists::read(text, &sample()).complaints.join("\n")
    }

    const RIGHT: &str = "\
# A comment :: with the separator.
walk one
store.rs :: Store::make :: 4
store.rs :: Store::end :: 1
store.rs :: row :: 1
plan.rs :: Plan::new :: 1
sum: 2 files, 4 functions, 7 lines, 2 nouns

not part
text :: makes a text

ends

structural change
store.rs :: 9
sum: 1 files, 9 lines

not structural change
each file of :: none
plan.rs :: small
";

    #[test]
    fn functions_are_found_with_their_lines_and_calls() {
        let sources = sample();
        let paths: Vec<String> = sources.files["store.rs"].functions.iter().map(Function::path).collect();
        assert_eq!(paths, ["Store::make", "Store::end", "row"]);
        let make = named(&sources, "store.rs", "Store::make")[0];
        assert_eq!((make.lines, make.calls.iter().map(String::as_str).collect()), (4, vec!["end", "new", "row"]));
        assert_eq!(sources.files.keys().map(String::as_str).collect::<Vec<_>>(), ["plan.rs", "store.rs"]);
        assert_eq!(sources.files["store.rs"].code_lines, 9);
        assert_eq!(named(&sources, "plan.rs", "text")[0].lines, 2);
        assert_eq!(named(&sources, "plan.rs", "(..)::put").len(), 1);
    }

    #[test]
    fn a_right_list_is_not_complained_about() {
        let lists = Lists::read(RIGHT, &sample());
        assert_eq!((lists.complaints, lists.text), (vec![], RIGHT.to_owned()));
    }

    #[test]
    fn wrong_numbers_are_rewritten() {
        let wrong = RIGHT.replace(":: 4", ":: 5").replace("7 lines", "5 lines").replace(" 9", " 1");
        assert_eq!(Lists::read(&wrong, &sample()).text, RIGHT);
    }

    #[test]
    fn a_function_that_is_gone_is_named() {
        let gone = complaints(&RIGHT.replace("store.rs :: row :: 1", "plan.rs :: row :: 1"));
        assert!(gone.contains("walks.txt:5: `plan.rs` has no function `row`: remove the line"), "{gone}");
        assert!(gone.contains("(`store.rs :: row`)"), "{gone}");
    }

    #[test]
    fn a_function_that_is_called_must_be_listed_or_excluded() {
        let missing = complaints(&RIGHT.replace("store.rs :: Store::end :: 1\n", ""));
        assert!(
            missing.contains("`Store::make` calls `end`, which is neither listed nor under `not part`"),
            "{missing}"
        );
        assert!(complaints(&RIGHT.replace("text :: ", "other :: ")).contains("`Plan::new` calls `text`"));
    }

    #[test]
    fn what_is_called_at_the_end_of_a_walk_is_not_listed() {
        let text = RIGHT.replace("text :: makes a text\n", "").replace("ends\n", "ends\nplan.rs\n");
        assert_eq!(complaints(&text), "");
    }

    #[test]
    fn what_is_listed_and_not_needed_is_named() {
        let text = complaints(&RIGHT.replace("text :: makes a text", "text :: a\nother :: b"));
        assert_eq!(text, "not part: no walk calls `other` any more");
        let text = complaints(&RIGHT.replace("sum: 2", "plan.rs :: (..)::put :: 1\nsum: 2"));
        assert_eq!(text, "walk one: no function of the walk calls `(..)::put`");
    }

    #[test]
    fn each_file_is_classified() {
        let text = complaints(&RIGHT.replace("plan.rs :: small\n", ""));
        assert!(text.contains("`plan.rs` has to be in one of the lists"), "{text}");
    }
}
