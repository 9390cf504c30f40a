//! A number for each component type that is known at compile time.

/// Distinguishes component types in const evaluation, where `TypeId`s cannot be compared.
///
/// The derive macro hashes the place of the definition: crate, version, module, name, line and column. A type always has the same
/// key. Two types could share a key by a hash collision. A generic type over types without a key, and a type that a macro
/// defines, have an *inexact* key. So a comparison of keys must be confirmed by another check at run time.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// assert_eq!(Health::KEY, <Health as Component>::KEY);
/// assert_ne!(Health::KEY, Mana::KEY);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComponentKey {
    bits: u64,
    exact: bool,
    name: &'static str,
    /// Whether it is the key of the messages of the type.
    pub(crate) messages: bool,
}

impl ComponentKey {
    /// The key of a type that has no key at compile time. It is not exact.
    pub const UNKNOWN: Self = Self { bits: 0, exact: false, name: "_", messages: false };

    /// The key of a type from the place of its definition.
    ///
    /// ```
    /// use strata_ecs::component::ComponentKey;
    ///
    /// const KEY: ComponentKey = ComponentKey::new(None, None, "game", "Health", 1, 1);
    /// assert_ne!(KEY, ComponentKey::new(None, None, "game", "Health", 2, 1));
    /// ```
    #[must_use]
    pub const fn new(
        package: Option<&str>,
        version: Option<&str>,
        module: &str,
        name: &'static str,
        line: u32,
        column: u32,
    ) -> Self {
        let mut bits = 0xcbf2_9ce4_8422_2325;
        bits = text(
            bits,
            match package {
                Some(package) => package,
                None => "",
            },
        );
        bits = text(
            bits,
            match version {
                Some(version) => version,
                None => "",
            },
        );
        bits = text(text(bits, module), name);
        Self { bits: word(bits, (line as u64) << 32 | column as u64), exact: true, name, messages: false }
    }

    /// The key of a type from the place of its derive in the source. If the compiler sees the item at another place, a macro
    /// wrote it, and may have written another one at the same place: then the key is not exact. `copy` is the number of derives
    /// that were at that place before, and `binary` the program, which may have modules with the same names as its library.
    #[doc(hidden)]
    #[must_use]
    pub const fn derived_at(self, seen: [u32; 2], place: [u32; 2], copy: u32, binary: Option<&str>) -> Self {
        let is_written_out = seen[0] == place[0] && seen[1] == place[1];
        let [line, column, copy] = [place[0] as u128, place[1] as u128, copy as u128];
        let key = self.mix(line << 64 | column << 32 | copy);
        let bits = match binary {
            Some(binary) => text(key.bits, binary),
            None => key.bits,
        };
        Self { bits, exact: key.exact && is_written_out, ..key }
    }

    /// The key of this type with one more const parameter.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let key = Health::KEY;
    /// assert_ne!(key.mix(1), key.mix(2));
    /// ```
    #[must_use]
    pub const fn mix(self, value: u128) -> Self {
        Self { bits: word(word(self.bits, value as u64), (value >> 64) as u64), ..self }
    }

    /// The key of a type that has parameters without a key.
    #[must_use]
    pub const fn inexact(self) -> Self {
        Self { exact: false, ..self }
    }

    /// The key of the resource that contains the messages of this type.
    pub(crate) const fn messages(self) -> Self {
        Self { bits: text(self.bits, "Messages"), messages: true, ..self }
    }

    /// Whether different types have different keys, except for hash collisions.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.exact
    }

    /// Whether two keys are certainly of one type: they are equal, and both are exact.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// assert!(Health::KEY.is_same(Health::KEY) && !Health::KEY.is_same(Mana::KEY));
    /// assert!(!Health::KEY.inexact().is_same(Health::KEY.inexact()));
    /// ```
    #[must_use]
    pub const fn is_same(self, other: Self) -> bool {
        self.bits == other.bits && self.exact && other.exact
    }

    /// Whether two keys may belong to one type: they are equal, exact or not.
    pub(crate) const fn may_be(self, other: Self) -> bool {
        self.bits == other.bits
    }

    /// The name of the type, without its module.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The hash.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

/// One step of the hash: a product whose halves are folded, as in foldhash (<https://github.com/orlp/foldhash>). Const evaluation
/// interprets it for each component type of a program, so it takes eight bytes at a time.
const fn word(bits: u64, word: u64) -> u64 {
    let product = (bits ^ word) as u128 * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

/// Adds all bytes of a text and a terminator, so that adjacent texts cannot be confused.
const fn text(mut bits: u64, text: &str) -> u64 {
    let mut bytes = text.as_bytes();
    while let [a, b, c, d, e, f, g, h, rest @ ..] = bytes {
        bits = word(bits, u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]));
        bytes = rest;
    }
    let mut last = 0xff;
    while let [byte, rest @ ..] = bytes {
        last = last << 8 | *byte as u64;
        bytes = rest;
    }
    word(bits, last)
}

#[cfg(test)]
mod tests {
    use super::ComponentKey;

    #[test]
    fn every_part_of_the_place_counts() {
        const KEY: ComponentKey = ComponentKey::new(Some("a"), None, "m", "T", 1, 2);
        let others = [
            ComponentKey::new(Some("b"), None, "m", "T", 1, 2),
            ComponentKey::new(Some("a"), Some("1"), "m", "T", 1, 2),
            ComponentKey::new(Some("a"), None, "n", "T", 1, 2),
            ComponentKey::new(Some("a"), None, "mT", "", 1, 2),
            ComponentKey::new(Some("a"), None, "m", "T", 2, 1),
            KEY.mix(0),
            KEY.inexact(),
        ];
        assert_eq!(KEY, ComponentKey::new(Some("a"), None, "m", "T", 1, 2));
        assert!(others.iter().all(|other| *other != KEY));
    }
}
