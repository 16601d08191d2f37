//! Reads passwords from the same places as PostgreSQL's own programs: `PGPASSWORD`, or a line in
//! the file that `PGPASSFILE` names, by default `.pgpass` in the home directory.

use std::{fs, path::PathBuf};

use tokio_postgres::{Config, config::Host};

/// The password for a connection, if there is one.
pub(super) fn password(config: &Config) -> Option<String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some(password);
    }
    let named = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    let file = named.or_else(|| Some(std::env::home_dir()?.join(".pgpass")))?;
    let lines = fs::read_to_string(file).ok()?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.as_str(),
        _ => "localhost",
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    find(&lines, [host, &port, database, user])
}

/// The password of the first line whose four fields match. `*` matches everything, and a backslash
/// escapes a colon.
fn find(lines: &str, wanted: [&str; 4]) -> Option<String> {
    let lines = lines.lines().filter(|line| !line.starts_with('#')).map(fields);
    let fits = |fields: &Vec<String>| {
        fields.len() == 5
            && fields.iter().zip(wanted).all(|(field, want)| field == "*" || field == want)
    };
    lines.into_iter().find(fits).and_then(|mut fields| fields.pop())
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let field = fields.last_mut().expect("there is always one");
        match character {
            '\\' => field.extend(characters.next()),
            ':' => fields.push(String::new()),
            _ => field.push(character),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let lines = "# host:port:database:user:password\nh:5432:d:me:one\nh:*:*:me:t\\:w\\\\o\n*:*:*:*:three\n";
        let cases = [
            (["h", "5432", "d", "me"], "one"),
            (["h", "5433", "d", "me"], "t:w\\o"),
            (["g", "5432", "d", "me"], "three"),
        ];
        for (wanted, password) in cases {
            assert_eq!(find(lines, wanted).as_deref(), Some(password));
        }
        assert_eq!(find("h:1:d:me:x\nshort:line\n", ["g", "1", "d", "me"]), None);
    }
}
