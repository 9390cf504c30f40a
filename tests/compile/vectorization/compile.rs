//! Compiles the kernels, and hands out what the compiler made of them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::asm::Listing;

/// The assembly of the kernels. They are compiled once for all tests, and again only if they or the library have changed.
pub(crate) fn kernels() -> &'static Listing<'static> {
    static LISTING: OnceLock<Listing<'static>> = OnceLock::new();
    LISTING.get_or_init(|| Listing::parse(assembly().leak()))
}

/// As a user's release build makes it, whatever the flags that this test is built with.
fn assembly() -> String {
    // A folder of its own: cargo locks it, and another cargo does not wait for the lock.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("assembly");
    let file = folder.join(format!("{:016x}.s", identity()));
    let settings = [
        ("CARGO_ENCODED_RUSTFLAGS", ""),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
        ("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only"),
        ("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "false"),
        ("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "false"),
        // There is nothing to link.
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ];
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["rustc", "--quiet", "--offline", "--release", "--lib", "--package", "strata-assembly-kernels"])
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("vectorization/kernels/Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        // One unit has all kernels; what they depend on has as many as in a user's build. The names of systems are found in names of the
        // second form only.
        .args(["--", "-Ccodegen-units=1", "-Csymbol-mangling-version=v0", "-Cllvm-args=-x86-asm-syntax=intel"])
        .arg(format!("--emit=asm={}", file.display()))
        .envs(settings)
        // The machine code of what they depend on is not looked at.
        .env("RUSTC_WRAPPER", env!("CARGO_BIN_EXE_without_passes"))
        .env_remove("CARGO_BUILD_TARGET")
        // Units that are compiled one by one are optimised less.
        .env_remove("CARGO_INCREMENTAL")
        // See `.ci/with_times`.
        .env_remove("RUSTC_BOOTSTRAP")
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "the kernels do not compile:\n{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(&file).expect("the compiler has written the assembly")
}

/// Identifies the location of the sources and the compiler, because builds of different ones share a folder.
fn identity() -> u64 {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-vV").output().expect("rustc can be started").stdout;
    let mut hasher = DefaultHasher::new();
    (version, env!("CARGO_MANIFEST_DIR")).hash(&mut hasher);
    hasher.finish()
}
