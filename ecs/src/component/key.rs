//! A number for each component type that is known at compile time.

/// Distinguishes component types in const evaluation, where `TypeId`s cannot be compared.
///
/// The derive macro hashes the place of the definition: crate, version, module, name, line and column. Two types can have the same key by a
/// hash collision. A key is *inexact* if different types may share it: the key of a generic type over types without a key, and the key of a
/// type that a macro defines. So a comparison of keys must be confirmed by another check at run time.
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
    /// Whether this is the key of the resource that contains the messages of the type.
    pub(crate) messages: bool,
}

impl ComponentKey {
    /// The key of a type that has no key at compile time. This key is inexact.
    pub const UNKNOWN: Self = Self { bits: 0, exact: false, name: "_", messages: false };

    /// Returns the key of a type, computed from the place of its definition.
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

    /// Adds the place of a derive to the key of its type. `place` is the line and column of the derive in the source, and `seen` is where
    /// the compiler sees the item. If the two differ, a macro wrote the item and may have written others at the same place, so the key
    /// becomes inexact. `copy` is the number of earlier derives at this place. `binary` is the name of the program, which may have modules
    /// with the same names as its library.
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

    /// Returns the key of this type with one more const parameter.
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

    /// Marks the key as inexact, for a type that has parameters without a key.
    #[must_use]
    pub const fn inexact(self) -> Self {
        Self { exact: false, ..self }
    }

    /// Returns the key of the resource that contains the messages of this type.
    pub(crate) const fn messages(self) -> Self {
        Self { bits: text(self.bits, "Messages"), messages: true, ..self }
    }

    /// Returns whether this key is exact: no other type has it, except by a hash collision.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.exact
    }

    /// Returns whether two keys belong to the same type, except for hash collisions: they are equal, and both are exact.
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

    /// Returns whether two keys may belong to the same type: they are equal. They may be inexact.
    pub(crate) const fn may_be(self, other: Self) -> bool {
        self.bits == other.bits
    }

    /// Returns the name of the type, without its module.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the hash of the key.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

/// Adds eight bytes to a hash: it computes a product and folds its halves, as in foldhash (<https://github.com/orlp/foldhash>). Const
/// evaluation interprets this code for each component type of a program; taking eight bytes at a time limits the number of steps.
const fn word(bits: u64, word: u64) -> u64 {
    let product = (bits ^ word) as u128 * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

/// Adds all bytes of a text and a terminator to a hash. By the terminator, `"ab", "c"` and `"a", "bc"` have different hashes.
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
