//! The text form of lists of messages, including the state that determines when messages are dropped.
//!
//! Tests: tests/snapshots/apps.rs

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::{Message, Messages};
use crate::component::{Persistence, TextForm};

impl<M: Message> Messages<M> {
    /// The text form of the list. It is used if its messages have a text form.
    pub(super) const TEXT_FORM: TextForm<Self> = TextForm::new(write_list, read_list);
}

/// Writes the counters and lengths of a list, then each message, preceded by its length in bytes.
fn write_list<M: Message>(list: &Messages<M>, text: &mut String) {
    let Persistence::Text(form) = M::persistence() else { return };
    let [old, new] = list.lists();
    let (new_start, ages, [first, second], limit) = list.age_state();
    // Writing to a string does not fail.
    _ = write!(text, "{new_start} {ages} {first} {second} {limit} {} {}", old.len(), new.len());
    for message in old.iter().chain(new) {
        let mut one = String::new();
        form.write(message, &mut one);
        _ = write!(text, " {}:{one}", one.len());
    }
}

/// Reads the output of [`write_list`].
fn read_list<M: Message>(text: &str) -> Result<Messages<M>, String> {
    let Persistence::Text(form) = M::persistence() else { return Err("the messages have no text form".to_owned()) };
    let is_short = || "the text of a list of messages ends early".to_owned();
    let mut left = text;
    let mut number = || -> Result<u64, String> {
        let (token, rest) = left.split_once(' ').unwrap_or((left, ""));
        left = rest;
        token.parse().map_err(|error| alloc::format!("`{token}`: {error}"))
    };
    let numbers = [number()?, number()?, number()?, number()?, number()?, number()?, number()?];
    let [new_start, ages, first, second, limit, old_len, new_len] = numbers;
    let mut message = || -> Result<M, String> {
        let (len, rest) = left.split_once(':').ok_or_else(is_short)?;
        let len: usize = len.parse().map_err(|error| alloc::format!("`{len}`: {error}"))?;
        let one = rest.get(..len).ok_or_else(is_short)?;
        left = rest[len..].strip_prefix(' ').unwrap_or(&rest[len..]);
        form.read(one)
    };
    let old: Vec<M> = (0..old_len).map(|_| message()).collect::<Result<_, _>>()?;
    let new: Vec<M> = (0..new_len).map(|_| message()).collect::<Result<_, _>>()?;
    if !left.is_empty() {
        return Err("more follows than a list of messages has".to_owned());
    }
    let ages = u32::try_from(ages).map_err(|error| error.to_string())?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Messages::from_state(new_start, (ages, [first, second], limit), old, new)
        .ok_or_else(|| "no list of messages has such numbers".to_owned())
}
