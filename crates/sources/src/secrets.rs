//! URLs as they may be shown: without user names, passwords, keys and tokens.
//!
//! Where it is not clear what is secret, more is hidden rather than less: a message that lacks a
//! part of a path is a nuisance, one with a password in it ends up in a log.

use std::borrow::Cow;

/// What stands in the place of a secret.
const HIDDEN: &str = "***";

/// Places that are no servers, and have nobody to log in.
const LOCAL: [&str; 3] = ["file", "memory", "sqlite"];

/// Places whose user names are no secrets: people are told who they are there.
const NAMED: [&str; 2] = ["postgres", "postgresql"];

/// Parameters of URLs whose values may be shown. All others are hidden, because no list of the
/// secret ones is ever complete.
const OPEN: [&str; 17] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "load_balance_hosts",
    "port",
    "schema",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// Words before a `=` that tell a secret, also where there is no URL.
const TELLTALE: [&str; 4] = ["password=", "passwd=", "secret=", "token="];

/// A URL as it may be shown: with its passwords, keys and tokens hidden, and the same otherwise.
///
/// ```
/// assert_eq!(sources::shown("postgres://me:pass/word@host/db"), "postgres://me:***@host/db");
/// assert_eq!(sources::shown("https://token@host/a.csv"), "https://***@host/a.csv");
/// assert_eq!(sources::shown("s3://bucket/games?sig=1f"), "s3://bucket/games?sig=***");
/// assert_eq!(sources::shown("sqlite:games.sqlite"), "sqlite:games.sqlite");
/// ```
pub fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once(':').unwrap_or(("", url));
    if LOCAL.iter().any(|local| scheme.eq_ignore_ascii_case(local)) {
        return hide_telltales(url).into_owned();
    }
    let start = url.len() - rest.trim_start_matches('/').len();
    let (before, rest) = url.split_at(start);
    let named = NAMED.iter().any(|named| scheme.eq_ignore_ascii_case(named));
    let rest = hide_user(rest, named);
    let (place, parameters) = rest.split_once('?').unwrap_or((&rest, ""));
    let question = if parameters.is_empty() { "" } else { "?" };
    let parameters: Vec<Cow<'_, str>> = parameters.split('&').map(hide_parameter).collect();
    let all = format!("{before}{place}{question}{}", parameters.join("&"));
    hide_telltales(&all).into_owned()
}

/// A text with every URL in it as it may be shown.
///
/// ```
/// let text = sources::redacted("no answer from 'https://me:secret@host/': time is up");
/// assert_eq!(text, "no answer from 'https://***@host/': time is up");
/// ```
pub fn redacted(text: &str) -> Cow<'_, str> {
    let mut told = String::with_capacity(text.len());
    for word in text.split_inclusive(ends_word) {
        let start = match (word.find("://"), word.find(':'), word.rfind('@')) {
            (Some(at), ..) => scheme_start(word, at),
            // A URL without its slashes, and a password all the same.
            (None, Some(colon), Some(at)) if colon < at => scheme_start(word, colon),
            // The end of a URL that somebody cut off.
            _ if word.split_once('?').is_some_and(|(_, rest)| rest.contains('=')) => 0,
            _ => word.len(),
        };
        let end = word.trim_end_matches(ends_word).len().max(start);
        told.push_str(&word[..start]);
        told.push_str(&shown(&word[start..end]));
        told.push_str(&word[end..]);
    }
    match hide_telltales(&told) {
        Cow::Borrowed(same) if same == text => Cow::Borrowed(text),
        hidden => Cow::Owned(hidden.into_owned()),
    }
}

/// Whether a URL in a text ends before this character.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || "'\"`".contains(c)
}

/// Where the scheme begins that ends here.
fn scheme_start(text: &str, end: usize) -> usize {
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    text[..end].trim_end_matches(is_scheme).len()
}

/// Hides who logs in and with what. A password may hold any character, so it ends at the last `@`.
fn hide_user(rest: &str, named: bool) -> Cow<'_, str> {
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let colon = rest.find(':');
    match (rest.rfind('@'), colon) {
        (Some(at), Some(colon)) if colon < at => {
            let user = if named { &rest[..=colon] } else { "" };
            Cow::Owned(format!("{user}{HIDDEN}{}", &rest[at..]))
        }
        _ => match rest[..authority].rfind('@') {
            Some(at) if !named => Cow::Owned(format!("{HIDDEN}{}", &rest[at..])),
            _ => Cow::Borrowed(rest),
        },
    }
}

fn hide_parameter(pair: &str) -> Cow<'_, str> {
    match pair.split_once('=') {
        Some((name, _)) if OPEN.contains(&name) => Cow::Borrowed(pair),
        Some((name, _))
            if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) =>
        {
            Cow::Owned(format!("{name}={HIDDEN}"))
        }
        None if pair.is_empty() => Cow::Borrowed(pair),
        _ => Cow::Borrowed(HIDDEN),
    }
}

/// Hides what follows a word that tells a secret, up to the next word or parameter.
fn hide_telltales(text: &str) -> Cow<'_, str> {
    let mut told = Cow::Borrowed(text);
    for word in TELLTALE {
        let mut from = 0;
        while let Some(at) = find_ignoring_case(&told[from..], word) {
            let start = from + at + word.len();
            let ends = |c: char| c == '&' || ends_word(c);
            let end = told[start..].find(ends).map_or(told.len(), |end| start + end);
            if &told[start..end] != HIDDEN {
                told.to_mut().replace_range(start..end, HIDDEN);
            }
            from = start + HIDDEN.len();
        }
    }
    told
}

fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    let windows = text.as_bytes().windows(word.len());
    windows.into_iter().position(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d3_no_secret_is_shown_wherever_it_stands() {
        let cases = [
            ("mysql://me:secret@host/db", "mysql://***@host/db"),
            ("postgres://me:secret@host/db", "postgres://me:***@host/db"),
            ("POSTGRES://me:secret@host/db", "POSTGRES://me:***@host/db"),
            ("postgres://me:se:c@ret@host", "postgres://me:***@host"),
            ("postgres://me:se/secret@host/db", "postgres://me:***@host/db"),
            ("postgres://me:se?secret@host/db?schema=a", "postgres://me:***@host/db?schema=a"),
            ("postgres://me:se?secret=x@host/db", "postgres://me:***@host/db"),
            ("postgres://me:se#secret@host/db", "postgres://me:***@host/db"),
            ("postgres:me:secret@host/db", "postgres:me:***@host/db"),
            ("postgres:/me:secret@host/db", "postgres:/me:***@host/db"),
            ("me:secret@host/db", "me:***@host/db"),
            ("postgres://me@host/db?PASSWORD=secret", "postgres://me@host/db?PASSWORD=***"),
            ("postgres://me@host/db?p%61ss=secret", "postgres://me@host/db?***"),
            (
                "postgres://host/db?sslpassword=secret&schema=a",
                "postgres://host/db?sslpassword=***&schema=a",
            ),
            (
                "postgres://host/db?password=a&secret&schema=a",
                "postgres://host/db?password=***&***&schema=a",
            ),
            ("host=h password=secret dbname=d", "host=h password=*** dbname=d"),
            ("s3://key:sec/ret@bucket/games", "s3://***@bucket/games"),
            ("s3://secret@bucket/games", "s3://***@bucket/games"),
            ("https://secret@host/a.csv", "https://***@host/a.csv"),
            ("https://h/a.csv?X-Amz-Signature=secret", "https://h/a.csv?X-Amz-Signature=***"),
            ("df://user:secret@host:50050", "df://***@host:50050"),
            ("df://secret@host:50050", "df://***@host:50050"),
            ("sqlite:a.db?password=secret", "sqlite:a.db?password=***"),
        ];
        for (url, expected) in cases {
            assert_eq!(shown(url), expected);
            assert_eq!(shown(expected), expected, "what is hidden stays so");
            let text = format!("no answer from '{url}'; again");
            assert!(!redacted(&text).contains("secret"), "{text}");
        }
    }

    #[test]
    fn d3_what_is_no_secret_is_shown() {
        let urls = [
            "",
            "memory:",
            "sqlite:a b.db",
            "file:///tmp/me:you@home",
            "postgres://me@host:5432/db?connect_timeout=3&sslmode=require",
            "s3://bucket/games/kalah@home",
            "gs://bucket/kalah",
            "bigtable://project/instance/table",
            "https://host:8080/a.csv",
            "df://[::1]:7",
            "games.csv",
        ];
        for url in urls {
            assert_eq!(shown(url), url);
            let text = format!("({url}) and «{url}», twice");
            assert_eq!(redacted(&text), text);
        }
    }

    #[test]
    fn d3_the_parameters_of_half_a_url_are_hidden() {
        let text = "no file format has the ending csv?sig=secret, or so";
        assert_eq!(redacted(text), "no file format has the ending csv?sig=*** or so");
        let text = "where a=? and b=?";
        assert_eq!(redacted(text), text);
    }

    #[test]
    fn texts_of_any_characters_are_taken() {
        for text in ["://", "é://é", "a://", "://@:", "p\u{301}assword=é", "PASSWORD=", "x=%&?@:"]
        {
            let once = redacted(text).into_owned();
            assert_eq!(redacted(&once), once, "{text}");
            shown(text);
        }
    }
}
