//! Makes one module of each program in `pass` and of each `works.rs` in `errors`, for `pass.rs`.
//!
//! A module is a copy of the file with a test below it that calls `main`. Attributes at the head of the file are those of
//! the module. What the compiler says of a copy has the line numbers of the file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// By its full path: a program may have turned the prelude off.
const TEST: &str = "\n#[::core::prelude::v1::test]\nfn the_program_runs() {\n    main();\n}\n";

fn main() {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the folder for what is generated"));
    let mut list = String::new();
    // Programs that show how an error is mended hold values that nothing reads.
    for (folder, file, lints) in [("pass", None, ""), ("errors", Some("works.rs"), "#[allow(dead_code)]\n")] {
        println!("cargo::rerun-if-changed={folder}");
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).expect("a folder of cases").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_stem().expect("a case has a name").to_string_lossy().into_owned();
            let source = file.map_or_else(|| path.clone(), |file| path.join(file));
            write_module(&source, &output.join(format!("{folder}_{name}.rs")));
            writeln!(list, "{lints}#[path = \"{folder}_{name}.rs\"]\nmod {folder}_{name};")
                .expect("strings take everything");
        }
    }
    fs::write(output.join("cases.rs"), list).expect("the list of modules is written");
}

fn write_module(source: &Path, module: &Path) {
    println!("cargo::rerun-if-changed={}", source.display());
    let program = fs::read_to_string(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    fs::write(module, program + TEST).expect("the module is written");
}
