//! Decides which paths go to a later module.

use super::scan::{ModulePath, Reference, Scan, Spot};
use crate::tokens::Sources;

/// All complaints about `sources`, each with its file and line.
pub(super) fn check(sources: &Sources, name: &str, unsafe_files: &[&str]) -> Vec<String> {
    let mut scan = Scan::new(sources, name);
    scan.file("lib.rs", Vec::new());
    let mut judge = Judge { scan: &scan, complaints: Vec::new(), parent_uses: Vec::new(), child_uses: Vec::new() };
    for reference in &scan.references {
        judge.reference(reference);
    }
    judge.folders();
    let mut complaints = judge.complaints;
    complaints.extend(scan.complaints.iter().cloned());
    complaints.extend(scan.unreached());
    complaints.extend(scan.misplaced_unsafe(unsafe_files));
    complaints.dedup();
    complaints
}

/// Decides which references are wrong.
struct Judge<'a> {
    scan: &'a Scan<'a>,
    complaints: Vec<String>,
    /// A folder's own file that uses one of the files in the folder: folder, file, where.
    parent_uses: Vec<(ModulePath, String, Spot)>,
    /// A file that uses what its folder's own file defines.
    child_uses: Vec<(ModulePath, String, Spot)>,
}

impl Judge<'_> {
    fn reference(&mut self, reference: &Reference) {
        if !reference.home.is_empty() {
            self.path(reference, &reference.target, 0);
        }
    }

    fn path(&mut self, reference: &Reference, path: &[String], depth: usize) {
        let Reference { home, reexport, spot, .. } = reference;
        let (module, rest) = self.resolve(path);
        let target = &self.scan.modules[module].home;
        let common = target.iter().zip(home).take_while(|(a, b)| a == b).count();
        if target.is_empty() {
            let name = path.join("::");
            let fix = "name the module that defines it";
            self.complaints.push(format!("{spot}: `crate::{name}` goes through the crate root: {fix}"));
        } else if target == home || home[common..].first().is_some_and(|m| m == "tests") && common == target.len() {
        } else if common == target.len() {
            let exports = &self.scan.modules[module].reexports;
            match rest.first() {
                Some(name) if depth < 8 && exports.contains_key(name) => {
                    self.path(reference, &exports[name], depth + 1);
                }
                Some(name) if name == "*" => {
                    self.complaints.push(format!("{spot}: a glob import of the folder hides what is used"));
                }
                _ => self.child_uses.push((target.clone(), home[common].clone(), spot.clone())),
            }
        } else if common == home.len() {
            let only_passed_on = |name: &String| self.scan.words.get(home).is_none_or(|words| !words.contains(name));
            if !reexport.as_ref().is_some_and(only_passed_on) {
                self.parent_uses.push((home.clone(), target[common].clone(), spot.clone()));
            }
        } else {
            let folder = &home[..common];
            let (own, other) = (&home[common], &target[common]);
            if self.position(folder, other) > self.position(folder, own) {
                self.complaints.push(format!("{spot}: upward: `{own}` uses `{other}`, which comes after it"));
            }
        }
    }

    /// The innermost module on the way along `path`, and the rest of the path.
    fn resolve<'p>(&self, path: &'p [String]) -> (&'p [String], &'p [String]) {
        let known = |n: &usize| self.scan.modules.contains_key(&path[..*n]);
        path.split_at((0..=path.len()).take_while(known).last().unwrap_or(0))
    }

    fn position(&self, folder: &[String], child: &str) -> Option<usize> {
        self.scan.modules[folder].children.iter().position(|c| c == child)
    }

    /// A folder's own file stands after the files that it uses and before those that use it.
    fn folders(&mut self) {
        for (folder, used, spot) in &self.parent_uses {
            for (other, user, user_spot) in &self.child_uses {
                if folder == other && self.position(folder, used) >= self.position(folder, user) {
                    let name = folder.join("/");
                    let text = format!("`{name}` uses `{used}` here, and `{user}` uses `{name}` at {user_spot}");
                    self.complaints.push(format!("{spot}: cycle: {text}"));
                }
            }
        }
    }
}
