#!/usr/bin/env bash
# What the library costs to compile: a crate with 50 components and 50 systems over them, built with one job.
#
#   benches/compile_time.sh              strata
#   benches/compile_time.sh bevy         strata, and the same with bevy_ecs beside it, in turns
#   benches/compile_time.sh variants     what the variants of loops for several instruction sets cost
#   benches/compile_time.sh core         `strata-ecs` and `bevy_ecs`, without their dependencies
#
# Prints, for each: the crates that it pulls in, the CPU seconds of all dependencies in a release build, the wall seconds
# of a clean release build, and the least of five rebuilds (dev profile) after one line of one system has changed. With
# `variants`: the CPU seconds of the crate alone in a release build, the least of three, and the bytes of code in the program;
# with all variants, and with `simd = off` on each system. With `core`: the CPU seconds of `strata-ecs` and of `bevy_ecs` 0.20.1 in a release
# build with default features, in turns, the least of three each, and their ratio; dependencies are built before and do not count.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export CARGO_TERM_PROGRESS_WHEN=never

# The crate `$1` that uses a library: `$2` is the dependency line, `$3` the import, `$4` the attribute of systems, if they
# have one, and `$5`, if it is there, says that each system multiplies by another number: the code of functions that are
# equal is there once.
generate() {
    local folder="$work/$1" dependency="$2" import="$3" attribute="${4:-}"
    mkdir -p "$folder/src"
    cat >"$folder/Cargo.toml" <<TOML
[package]
name = "compiled-$1"
version = "0.0.0"
edition = "2024"

[dependencies]
$dependency

[workspace]
TOML
    {
        echo "$import"
        for n in $(seq 50); do
            echo "#[derive(Component, Default)] pub struct C$n { pub x: f32, pub y: f32 }"
        done
        for n in $(seq 50); do
            local other=$((n % 50 + 1)) factor=0.5
            [ -z "${5:-}" ] || factor="$n.5"
            if [ -n "$attribute" ]; then
                echo "$attribute pub fn s$n(a: &mut C$n, b: &C$other) { a.x += b.x * $factor; a.y += b.y; }"
            else
                echo "pub fn s$n(mut query: Query<(&mut C$n, &C$other)>) {"
                echo "    for (mut a, b) in &mut query { a.x += b.x * 0.5; a.y += b.y; }"
                echo "}"
            fi
        done
        echo "fn main() {"
        echo "    let mut world = World::new();"
        echo "    let mut schedule = Schedule::default();"
        for n in $(seq 50); do
            local other=$((n % 50 + 1))
            echo "    world.spawn((C$n::default(), C$other::default()));"
            echo "    schedule.add_systems(s$n);"
        done
        echo "    schedule.run(&mut world);"
        echo "}"
    } >"$folder/src/main.rs"
}

# Wall or CPU seconds of a command: `seconds %R cargo ..`, `seconds '%U %S' cargo ..`.
seconds() {
    local TIMEFORMAT="$1"
    shift
    { time "$@" >/dev/null 2>"$work/log" || { cat "$work/log" >&2; exit 1; }; } 2>&1
}

measure() {
    cd "$work/$1"
    cargo fetch --quiet
    local crates cpu clean least=999 taken
    crates="$(cargo tree --edges normal,build --prefix none --no-dedupe | sort -u | grep -c . || true)"
    # What comes from a registry is never built incrementally, so a library from a folder must not be either.
    clean="$(seconds %R env CARGO_INCREMENTAL=0 cargo build --release --jobs 1)"
    cp src/main.rs "$work/main.rs"
    rm -rf target
    printf 'fn main() {}\n' >src/main.rs
    cpu="$(seconds '%U %S' env CARGO_INCREMENTAL=0 cargo build --release --jobs 1 | awk '{ print $1 + $2 }')"
    cp "$work/main.rs" src/main.rs
    cargo build --quiet
    for n in 1 2 3 4 5; do
        sed "0,/0\.5/s/0\.5/0.5$n/" "$work/main.rs" >src/main.rs
        taken="$(seconds %R cargo build)"
        least="$(awk -v a="$least" -v b="$taken" 'BEGIN { print (b < a) ? b : a }')"
    done
    echo "| $1 | $((crates - 1)) | $cpu | $clean | $least |"
}

# What the crate costs without its dependencies, and how large its code is.
measure_variants() {
    cd "$work/$1"
    local least=999 taken
    cargo build --quiet --release --jobs 1
    for n in 1 2 3; do
        touch src/main.rs
        taken="$(seconds '%U %S' env CARGO_INCREMENTAL=0 cargo build --release --jobs 1 | awk '{ print $1 + $2 }')"
        least="$(awk -v a="$least" -v b="$taken" 'BEGIN { print (b < a) ? b : a }')"
    done
    # `size -A` says what `.text` alone takes.
    echo "| $1 | $least | $(size -A "$CARGO_TARGET_DIR/release/compiled-$1" | awk '$1 == ".text" { print $2 }') |"
}

# The CPU seconds of one crate `$2` of the folder `$1`, whose dependencies have been built.
measure_crate() {
    cd "$work/$1"
    cargo clean --quiet --release --package "$2"
    seconds '%U %S' env CARGO_INCREMENTAL=0 cargo build --release --jobs 1 --package "$2" | awk '{ print $1 + $2 }'
}

# The core and bevy_ecs alone.
measure_core() {
    local kind least="$work/least"
    for kind in strata bevy; do
        cd "$work/$kind"
        printf 'fn main() {}\n' >src/main.rs
        cargo fetch --quiet
        seconds %R env CARGO_INCREMENTAL=0 cargo build --release --jobs 1 >/dev/null
    done
    : >"$least"
    for n in 1 2 3; do
        echo "strata $(measure_crate strata strata-ecs)" >>"$least"
        echo "bevy $(measure_crate bevy bevy_ecs)" >>"$least"
    done
    echo "| | the crate alone, release, CPU s: least of three | all three |"
    echo "|---|---|---|"
    awk '!($1 in least) || $2 < least[$1] { least[$1] = $2 } { all[$1] = all[$1] " " $2 }
         END { printf "| strata-ecs | %.1f |%s |\n", least["strata"], all["strata"]
               printf "| bevy_ecs 0.20.1 | %.1f |%s |\n", least["bevy"], all["bevy"]
               printf "| ratio | %.2f | |\n", least["strata"] / least["bevy"] }' "$least"
}

strata="strata-ecs = { path = \"$root/ecs\" }"
if [ "${1:-}" = variants ]; then
    # One target folder, so that the dependencies are the same.
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$work/target}"
    echo "| | the crate, release, CPU s | code, bytes |"
    echo "|---|---|---|"
    for kind in all none; do
        [ "$kind" = all ] && attribute='#[system]' || attribute='#[system(simd = off)]'
        generate "$kind" "$strata" "use strata_ecs::prelude::*;" "$attribute" different
        measure_variants "$kind"
    done
    exit
fi
generate strata "$strata" "use strata_ecs::prelude::*;" "#[system]"
if [ "${1:-}" = core ]; then
    generate bevy 'bevy_ecs = "=0.20.1"' "use bevy_ecs::prelude::*;"
    measure_core
    exit
fi
echo "| | crates | dependencies, release, CPU s | clean release, wall s | rebuild after one edit, dev, wall s |"
echo "|---|---|---|---|---|"
measure strata
if [ "${1:-}" = bevy ]; then
    generate bevy 'bevy_ecs = "0.20"' "use bevy_ecs::prelude::*;"
    measure bevy
fi
