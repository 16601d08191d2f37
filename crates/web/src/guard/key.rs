//! The key: who has it was told the address.

use std::fmt;

use axum::http::HeaderMap;
use subtle::ConstantTimeEq;

/// The header that carries it.
const HEADER: &str = "x-everyply-key";
/// Its length in random bytes.
const BYTES: usize = 16;

/// Random digits that every request below `/api/` carries. They are in no log.
pub(crate) struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    pub(crate) fn new() -> Result<Key, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Key(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The digits, for the address that is printed.
    pub(crate) fn digits(&self) -> &str {
        &self.0
    }

    /// Whether a request carries it. The comparison takes the same time whatever it carries.
    pub(crate) fn opens(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(HEADER).map_or(&b""[..], |given| given.as_bytes());
        given.ct_eq(self.0.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_key_opens_only_by_itself() {
        let (key, other) = (Key::new().unwrap(), Key::new().unwrap());
        assert_eq!(key.digits().len(), 32);
        let carrying = |digits: &str| {
            HeaderMap::from_iter([(
                HEADER.parse().unwrap(),
                HeaderValue::try_from(digits).unwrap(),
            )])
        };
        assert!(key.opens(&carrying(key.digits())));
        assert!(!key.opens(&carrying(other.digits())));
        assert!(!key.opens(&carrying(&key.digits()[..31])));
        assert!(!key.opens(&HeaderMap::new()));
        assert!(!format!("{key:?}").contains(key.digits()));
    }
}
