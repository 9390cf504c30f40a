//! Worlds as compressed bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use strata_save::{LoadError, Problem};

use super::histories::{Game, format, step};

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(24), ..ProptestConfig::default() })]

    #[test]
    fn compressed_bytes_are_the_same_world(before in vec(step(), 0..60), after in vec(step(), 0..30)) {
        let mut game = Game::new();
        game.play(&before);
        let format = format(&game.alive);
        let plain = format.save(&mut game.world).unwrap();
        let compressed = format.clone().with_compression().save(&mut game.world).unwrap();

        // Whatever the format says of new bytes, old ones are read.
        let [mut one, mut other] = [Game::of_another_process(), Game::new()];
        format.load(&mut one.world, &compressed).unwrap();
        format.clone().with_compression().load(&mut other.world, &plain).unwrap();
        prop_assert_eq!(&format.save(&mut one.world).unwrap(), &plain);
        prop_assert_eq!(&format.clone().with_compression().save(&mut other.world).unwrap(), &compressed);
        format.clone().with_compression().verify(&mut game.world).unwrap();
        let expected = game.play(&after);
        prop_assert_eq!(&one.play(&after), &expected);
        prop_assert_eq!(&other.play(&after), &expected);
    }
}

/// A world with rows that are alike, compressed.
fn bytes() -> Vec<u8> {
    let mut game = Game::new();
    game.world.spawn_batch((0..200).map(|_| ())).for_each(drop);
    format(&game.alive).with_compression().save(&mut game.world).unwrap()
}

/// Returns the error about bytes, from which nothing is loaded.
#[track_caller]
fn refused(bytes: &[u8]) -> LoadError {
    let mut game = Game::new();
    let error = format(&game.alive).load(&mut game.world, bytes).unwrap_err();
    assert!(game.world.is_empty());
    error
}

#[test]
fn damage_is_noticed() {
    let bytes = bytes();
    assert!(bytes.len() < 200 * 12);
    for at in strata_tests::effort::places(0..bytes.len()) {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            refused(&damaged);
        }
        refused(&bytes[..at]);
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    refused(&longer);
}

#[test]
fn no_memory_is_taken_for_a_lying_length() {
    for len in [u64::MAX, u64::MAX / 2, 1 << 40] {
        let mut lying = bytes();
        lying[12..20].copy_from_slice(&len.to_le_bytes());
        let sum = crc32fast::hash(&lying[12..]);
        lying[8..12].copy_from_slice(&sum.to_le_bytes());
        let error = refused(&lying);
        assert!(matches!(error, LoadError::Bytes { offset: 12, problem: Problem::Ended, .. }), "{error}");
    }
}
