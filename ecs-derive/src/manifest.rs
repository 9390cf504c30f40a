//! Finds the names that the crate that is being compiled gives `strata-ecs` and `strata-app` in its `Cargo.toml`.
//!
//! The manifest is parsed line by line, which suffices for dependencies in the usual forms. A dependency in any other form is not found;
//! macro output then names `::strata_ecs`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{Ident, Span, TokenStream};

use crate::hygiene::hygienic;

const CORE: &str = "strata-ecs";
const APP: &str = "strata-app";

/// Returns the path of the core crate. If the crate depends on `strata-app` alone, this is the path of the core in `strata-app`.
pub(crate) fn core_path() -> TokenStream {
    let Some(manifest) = Manifest::of_this_crate() else { return hygienic!(::strata_ecs) };
    for kind in KINDS {
        if let Some(name) = manifest.name_of(CORE, kind) {
            return hygienic!(::#name);
        }
        if let Some(name) = manifest.name_of(APP, kind) {
            return hygienic!(::#name::ecs);
        }
    }
    hygienic!(::strata_ecs)
}

/// Returns the path of `strata-app`.
pub(crate) fn app_path() -> TokenStream {
    let manifest = Manifest::of_this_crate();
    let name = manifest.and_then(|manifest| KINDS.iter().find_map(|kind| manifest.name_of(APP, kind)));
    name.map_or_else(|| hygienic!(::strata_app), |name| hygienic!(::#name))
}

/// The kinds of dependencies. Normal dependencies come first, because library code can use no others.
const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// A manifest: its text and its path.
struct Manifest {
    text: String,
    path: PathBuf,
}

impl Manifest {
    /// Returns the manifest of the crate that is being compiled; `None` outside of cargo, and for the core itself, which does not depend on
    /// itself.
    fn of_this_crate() -> Option<Self> {
        let in_folder = || Some(Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("Cargo.toml"));
        let path = env::var_os("CARGO_MANIFEST_PATH").map(PathBuf::from).or_else(in_folder)?;
        let manifest = Self { text: fs::read_to_string(&path).ok()?, path };
        env::var_os("CARGO_PKG_NAME").is_none_or(|name| name != CORE).then_some(manifest)
    }

    /// Returns the name that the crate gives a package, if the package is one of its dependencies of this kind.
    fn name_of(&self, package: &str, kind: &str) -> Option<Ident> {
        let found = dependencies(&self.text, kind, false).into_iter().find(|dependency| {
            let is_renamed = dependency.is_inherited && dependency.key != package;
            let inherited = || is_renamed.then(|| self.inherited_package(&dependency.key)).flatten();
            let named = dependency.package.clone().or_else(inherited);
            named.as_ref().unwrap_or(&dependency.key) == package
        })?;
        syn::parse_str::<Ident>(&found.key.replace('-', "_"))
            .ok()
            .map(|ident| Ident::new(&ident.to_string(), Span::mixed_site()))
    }

    /// Returns the name of the package of a dependency that the workspace declares under another name.
    fn inherited_package(&self, key: &str) -> Option<String> {
        let of_workspace = |folder: &Path| {
            let text = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
            text.lines().any(|line| line.trim().starts_with("[workspace")).then_some(text)
        };
        let text = self.path.parent()?.ancestors().find_map(of_workspace)?;
        dependencies(&text, KINDS[0], true).into_iter().find(|dependency| dependency.key == key)?.package
    }
}

/// The declaration of a dependency.
#[derive(Debug, Default, PartialEq, Eq)]
struct Dependency {
    /// The name that the crate gives the dependency; by default the name of the package.
    key: String,
    /// The name of the package, if the declaration has it.
    package: Option<String>,
    /// Whether the dependency is inherited from the workspace.
    is_inherited: bool,
}

impl Dependency {
    /// Reads the part of a line after the key: `.name = value`, or `= { name = value, .. }`.
    fn read(&mut self, rest: &str) {
        if let Some(at) = rest.find("package") {
            let value = rest[at + "package".len()..].trim_start().strip_prefix('=').map(str::trim_start);
            self.package = value.and_then(quoted).map(|(name, _)| name.to_owned());
        }
        self.is_inherited |= rest.replace(' ', "").contains("workspace=true");
    }
}

/// Returns the dependencies of a kind that a manifest declares, including dependencies for single targets. If `of_workspace` is set,
/// returns the dependencies that its workspace declares.
fn dependencies(manifest: &str, kind: &str, of_workspace: bool) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut table: Vec<String> = Vec::new();
    for line in manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            table = keys(header).0;
            if of_workspace && !table.is_empty() && table.remove(0) != "workspace" {
                table.clear();
            }
            if table.first().is_some_and(|key| key == "target") {
                table.drain(..table.len().min(2));
            }
            if let [of_kind, key] = &table[..]
                && of_kind == kind
            {
                found.push(Dependency { key: key.clone(), ..Dependency::default() });
            }
            continue;
        }
        match &table[..] {
            [of_kind] if of_kind == kind && line.contains('=') => {
                let (keys, rest) = keys(line);
                let Some(key) = keys.first() else { continue };
                let at = found.iter().position(|dependency| dependency.key == *key).unwrap_or_else(|| {
                    found.push(Dependency { key: key.clone(), ..Dependency::default() });
                    found.len() - 1
                });
                found[at].read(&(keys[1..].join(".") + rest));
            }
            [of_kind, _] if of_kind == kind => found.last_mut().expect("the header added one").read(line),
            _ => {}
        }
    }
    found
}

/// Parses the dotted key at the start of a text. Returns the parts of the key, without quotes, and the rest of the text.
fn keys(text: &str) -> (Vec<String>, &str) {
    let mut keys = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let (key, after) = quoted(rest).unwrap_or_else(|| {
            rest.split_at(rest.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len()))
        });
        keys.push(key.to_owned());
        match after.trim_start().strip_prefix('.') {
            Some(next) => rest = next.trim_start(),
            None => return (keys, after),
        }
    }
}

/// Parses the string literal at the start of a text. Returns its content and the rest of the text.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| ['"', '\''].contains(c))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::{Dependency, dependencies};

    /// Formats the dependencies as `key` or `key = package`, with `*` if they are inherited from the workspace.
    fn found(manifest: &str, kind: &str, of_workspace: bool) -> Vec<String> {
        let describe = |Dependency { key, package, is_inherited }: Dependency| {
            let package = package.map_or_else(String::new, |package| format!(" = {package}"));
            format!("{key}{package}{}", if is_inherited { "*" } else { "" })
        };
        dependencies(manifest, kind, of_workspace).into_iter().map(describe).collect()
    }

    #[test]
    fn dependencies_are_found_in_each_form() {
        let manifest = r#"
            [package]
            name = "strata-ecs"
            # strata-ecs = "0"
            [dependencies]
            strata-ecs = "0.1"
            one = { package = "strata-ecs", version = "0.1" }
            "two" = { version = "0.1", package = 'strata-ecs', features = [
                "serde",
            ] }
            three.workspace = true
            four = { workspace = true }
            five.version = "1"
            five.package = "strata-app"

            [dependencies.six]
            version = "0.1"
            package = "strata-ecs"
            [target.'cfg(unix)'.dependencies]
            seven = "1"
            [target.x86_64-unknown-linux-gnu.dependencies.eight]
            workspace = true
            [features]
            nine = []
        "#;
        assert_eq!(
            found(manifest, "dependencies", false),
            [
                "strata-ecs",
                "one = strata-ecs",
                "two = strata-ecs",
                "three*",
                "four*",
                "five = strata-app",
                "six = strata-ecs",
                "seven",
                "eight*",
            ]
        );
    }

    #[test]
    fn kinds_of_dependencies_are_kept_apart() {
        let manifest =
            "[dependencies]\na = \"1\"\n[dev-dependencies]\nb = \"1\"\n[workspace.dependencies]\nc = \"1\"\n";
        assert_eq!(found(manifest, "dependencies", false), ["a"]);
        assert_eq!(found(manifest, "dev-dependencies", false), ["b"]);
        assert_eq!(found(manifest, "build-dependencies", false), [""; 0]);
        assert_eq!(found(manifest, "dependencies", true), ["c"]);
    }
}
