//! `everyply serve`

mod browser;

use std::{
    env, fs,
    io::Write,
    net::IpAddr,
    path::{Path, PathBuf},
};

use sources::printable;
use web::{Config, Server, WebError};

use self::browser::Opened;
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input, say},
    files, interrupt,
};

/// Look at everything in a browser: chess, four-player chess, Kalah, KenKen and SQL
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply serve
  everyply serve game.pgn
  everyply serve everyply-demo
  everyply serve --root data --store sqlite:kalah-4x3-std_either.sqlite
  everyply serve --no-open --port 8080
  everyply serve --bind 192.168.1.20 --allow-host chess.example

Prints one line with the address. Whoever has the address may ask, because it holds a key; nobody
else may. The server answers to this machine only, reads files below --root only, and writes
nothing but the tables that the search of Kalah needs, in the cache. Ctrl-C ends it.
The guide is docs/page.md.")]
pub(crate) struct Args {
    /// Files or one directory to open
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Show only files below this directory [default: the directory to open, or the current one]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Offer this solved game of Kalah: a store URL, as for 'kalah value'. May be repeated
    #[arg(long = "store", value_name = "URL")]
    stores: Vec<String>,
    /// Port to listen on [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Listen on this address instead of this machine alone
    #[arg(long, value_name = "ADDRESS", requires = "allow_hosts")]
    bind: Option<IpAddr>,
    /// Answer to this host name. May be repeated
    #[arg(long = "allow-host", value_name = "NAME", id = "allow_hosts", value_parser = host)]
    allow_hosts: Vec<String>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    ::sql::quiet_panics();
    let server = Server::bind(args.config()?).map_err(told)?;
    // Statements look relative names up in the current directory.
    env::set_current_dir(server.root())?;
    let url = server.url_of(&args.page(server.root()));
    let mut out = files::stdout();
    writeln!(out, "{url}")?;
    out.flush()?;
    drop(out);
    let opened = if args.no_open { None } else { Opened::new(&url) };
    let served = server.run(interrupt::requested);
    drop(opened);
    served.map_err(told)?;
    Ok(Exit::Fine)
}

impl Args {
    fn config(&self) -> anyhow::Result<Config> {
        for file in &self.files {
            if let Err(error) = fs::metadata(file) {
                return Err(bad_input(format_args!("cannot open {}: {error}", file.display())));
            }
        }
        let directories = self.files.iter().filter(|file| file.is_dir()).count();
        if directories > 0 && self.files.len() > 1 {
            return Err(bad_command("open one directory, or files, but not both"));
        }
        let mut config = Config::new(self.chosen_root()?);
        config.opened = self.files.iter().filter(|file| !file.is_dir()).cloned().collect();
        config.opened = config.opened.iter().map(fs::canonicalize).collect::<Result<_, _>>()?;
        config.stores = self.stores.iter().map(|url| placed(url)).collect();
        config.port = self.port;
        if let Some(address) = self.bind {
            config.addresses = vec![address];
        }
        config.allowed_hosts = self.allow_hosts.clone();
        Ok(config)
    }

    /// The directory whose files are shown.
    fn chosen_root(&self) -> anyhow::Result<PathBuf> {
        if let Some(root) = &self.root {
            return Ok(root.clone());
        }
        let here = env::current_dir()?;
        let Some(first) = self.files.first() else { return Ok(here) };
        let first = first.canonicalize()?;
        if first.is_dir() {
            return Ok(first);
        }
        // A file elsewhere is opened with what lies beside it.
        let is_here = here.canonicalize().is_ok_and(|here| first.starts_with(here));
        Ok(if is_here { here } else { first.parent().map_or(here, Path::to_owned) })
    }

    /// The page that shows what was opened.
    fn page(&self, root: &Path) -> String {
        let [file] = &self.files[..] else { return "/".to_owned() };
        let name = file.canonicalize().ok();
        let name = name.as_deref().and_then(|file| file.strip_prefix(root).ok()?.to_str());
        match (name, file.extension().and_then(|ending| ending.to_str())) {
            (Some(name), Some("pgn")) => format!("/chess?game={}", escaped(name)),
            (Some(name), Some("pgn4")) => format!("/fourchess?game={}", escaped(name)),
            _ => "/".to_owned(),
        }
    }
}

/// The name of a host, which is printed as a part of the address.
fn host(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_alphanumeric() || "-._:[]".contains(c);
    match !text.is_empty() && text.chars().all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("expected the name of a host".to_owned()),
    }
}

/// A store URL that means the same from any directory.
fn placed(url: &str) -> String {
    for scheme in ["sqlite:", "file:"] {
        if let Some(path) = url.strip_prefix(scheme)
            && !path.starts_with("//")
            && let Ok(path) = std::path::absolute(path)
            && let Some(path) = path.to_str()
        {
            return format!("{scheme}{path}");
        }
    }
    url.to_owned()
}

/// A name as a value in a query.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

fn told(error: WebError) -> anyhow::Error {
    match error {
        WebError::Root { .. } | WebError::Opened { .. } => bad_input(error),
        WebError::Open(_) => bad_command(error),
        other => other.into(),
    }
}

/// Says why no browser was opened.
fn not_opened(why: impl std::fmt::Display) {
    say(format_args!("no browser was opened: {}", printable(&why.to_string())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_in_addresses() {
        assert_eq!(escaped("games/a b&c#d.pgn"), "games/a%20b%26c%23d.pgn");
        assert_eq!(escaped("é"), "%C3%A9");
    }

    #[test]
    fn stores_in_files_do_not_depend_on_the_directory() {
        let here = env::current_dir().unwrap();
        assert_eq!(placed("sqlite:k.sqlite"), format!("sqlite:{}/k.sqlite", here.display()));
        assert_eq!(placed("postgres://host/db"), "postgres://host/db");
        assert_eq!(placed("memory:"), "memory:");
    }
}
