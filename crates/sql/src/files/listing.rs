//! Which files a path means.

use std::{mem::discriminant, sync::Arc};

use datafusion::{
    catalog::Session,
    datasource::listing::ListingTableUrl,
    error::{DataFusionError, Result},
};
use futures_util::TryStreamExt;
use object_store::{ObjectMeta, ObjectStore};
use tables::Notation;

use super::{failed, plan_error, text::TextFile};
use crate::kinds::{KNOWN, Kind, Named};

/// What begins a pattern in a path. In a URL a question mark begins a query, unless a pattern is
/// sure to be meant.
const PATTERN: [char; 3] = ['*', '?', '['];
const PATTERN_IN_URL: [char; 2] = ['*', '['];

/// Where a path leads: to a file, a directory, or what a pattern matches. DataFusion knows patterns
/// in paths of this machine; in URLs they are the same.
pub(crate) fn located(path: &str) -> Result<ListingTableUrl> {
    let wrong = |error: DataFusionError| plan_error(path, error.message().as_ref());
    let Some(host) = path.find("://").filter(|_| path.contains(PATTERN_IN_URL)) else {
        return ListingTableUrl::parse(path).map_err(wrong);
    };
    let pattern = path.find(PATTERN).unwrap_or(path.len());
    let base = path[..pattern].rfind('/').map_or(0, |end| end + 1);
    if !path[host + 3..].starts_with('/') && base <= host + 3 {
        return Err(plan_error(path, "a pattern comes after the name of the bucket"));
    }
    let url = ListingTableUrl::parse(&path[..base]).map_err(wrong)?;
    url.with_glob(&path[base..]).map_err(wrong)
}

/// The URL of a file that was found.
pub(super) fn url_of(url: &ListingTableUrl, file: &ObjectMeta) -> Result<ListingTableUrl> {
    let mut alone = url.get_url().clone();
    // What looks like an escape in a name is none.
    alone.set_path(&format!("/{}", file.location.as_ref().replace('%', "%25")));
    ListingTableUrl::try_new(alone, None)
}

/// The files of a table.
pub(super) struct Listed {
    pub(super) files: Vec<ObjectMeta>,
    pub(super) kind: Kind,
    pub(super) ending: String,
}

/// Finds the files that a path means. All must be of one kind; files of other kinds are skipped in
/// a directory, where manifests, locks and unfinished parts lie about.
pub(super) async fn list(
    session: &dyn Session,
    url: &ListingTableUrl,
    store: &Arc<dyn ObjectStore>,
    path: &str,
) -> Result<Listed> {
    let mut files = found(session, url, store, path).await?;
    let is_alone = is_alone(url);
    let mut kinds: Vec<Named<'_>> = Vec::new();
    for file in &files {
        match Named::of(file.location.filename().unwrap_or_default()) {
            Some(named) if !kinds.iter().any(|other| named.is_like(*other)) => kinds.push(named),
            None if is_alone => {
                return Err(plan_error(path, format!("unknown file format, expected {KNOWN}")));
            }
            _ => {}
        }
    }
    match kinds[..] {
        [Named { kind, ending, .. }] => {
            let ending = ending.to_owned();
            // Files of games are looked for when they are read, whatever packs them.
            if kind.is_chess() {
                return Ok(Listed { files, kind, ending });
            }
            files.retain(|file| file.location.as_ref().ends_with(&ending) && file.size > 0);
            if files.is_empty() {
                return Err(plan_error(path, "the file is empty"));
            }
            Ok(Listed { files, kind, ending })
        }
        [] if is_alone => Err(plan_error(path, "there is no such file")),
        [] if url.get_glob().is_some() && files.is_empty() => {
            Err(plan_error(path, "no file matches"))
        }
        [] => {
            Err(plan_error(path, format!("there is no file of a known format, expected {KNOWN}")))
        }
        [first, second, ..] => {
            let (first, second) = (first.ending, second.ending);
            let what = format!(
                "there are both {first} and {second} files; select one format with a pattern like \
                 *{first}"
            );
            Err(plan_error(path, what))
        }
    }
}

/// Everything that lies where a path leads, in the order of names.
pub(crate) async fn found(
    session: &dyn Session,
    url: &ListingTableUrl,
    store: &Arc<dyn ObjectStore>,
    path: &str,
) -> Result<Vec<ObjectMeta>> {
    let found = async { url.list_all_files(session, store, "").await?.try_collect().await };
    let mut files: Vec<ObjectMeta> = match found.await {
        Ok(files) => files,
        Err(error) if is_missing(&error) => return Err(plan_error(path, "there is no such file")),
        Err(error) => return Err(failed(path, &error)),
    };
    files.sort_by(|a, b| a.location.cmp(&b.location));
    Ok(files)
}

fn is_missing(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ObjectStore(error)
        if matches!(**error, object_store::Error::NotFound { .. }))
}

/// Whether a path means one file.
pub(crate) fn is_alone(url: &ListingTableUrl) -> bool {
    !url.is_collection() && url.get_glob().is_none()
}

/// Where the text files of a table are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    url: ListingTableUrl,
    path: String,
    notation: Notation,
}

impl Place {
    pub(super) fn new(url: ListingTableUrl, path: &str, notation: Notation) -> Place {
        Place { url, path: path.to_owned(), notation }
    }

    /// The files that are there now.
    pub(super) async fn files(&self, session: &dyn Session) -> Result<Vec<TextFile>> {
        Ok(self.find(session).await?.into_iter().map(|(file, _)| file).collect())
    }

    /// The files that are there now, and what is known of them. In a directory, files whose names
    /// say that they are something else are skipped.
    pub(super) async fn find(&self, session: &dyn Session) -> Result<Vec<(TextFile, ObjectMeta)>> {
        let Place { url, path, notation } = self;
        let store = session.runtime_env().object_store(url)?;
        let mut files = found(session, url, &store, path).await?;
        let is_ours = |file: &ObjectMeta| {
            let named = Named::of(file.location.filename().unwrap_or_default());
            let kind = named.and_then(|named| named.kind.notation());
            kind.is_some_and(|kind| discriminant(&kind) == discriminant(notation))
        };
        files.retain(|file| file.size > 0 && (is_alone(url) || is_ours(file)));
        Ok(files.into_iter().map(|meta| (self.named(&meta), meta)).collect())
    }

    /// A file, called as whoever wrote the path would call it.
    fn named(&self, meta: &ObjectMeta) -> TextFile {
        named(&self.url, &self.path, meta)
    }
}

/// A file that a path leads to, called as whoever wrote the path would call it.
pub(crate) fn named(url: &ListingTableUrl, path: &str, meta: &ObjectMeta) -> TextFile {
    let name = if is_alone(url) {
        path.to_owned()
    } else {
        let below: Vec<&str> = url.strip_prefix(&meta.location).into_iter().flatten().collect();
        let pattern = path.find(PATTERN).unwrap_or(path.len());
        let base = match url.get_glob() {
            Some(_) => path[..pattern].rfind('/').map_or("", |end| &path[..=end]),
            None => path,
        };
        let slash = if base.is_empty() || base.ends_with('/') { "" } else { "/" };
        format!("{base}{slash}{}", below.join("/"))
    };
    let store = url.object_store().as_str().to_owned();
    TextFile { store, location: meta.location.to_string(), name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_in_urls_are_those_of_paths() {
        let parts = |path: &str| {
            let url = located(path).unwrap();
            let pattern = url.get_glob().as_ref().map(|pattern| pattern.as_str().to_owned());
            (url.get_url().to_string(), pattern)
        };
        let pattern = |url: &str, pattern: &str| (url.to_owned(), Some(pattern.to_owned()));
        for (path, expected) in [
            ("s3://b/games/2024-*.pgn.zst", pattern("s3://b/games/", "2024-*.pgn.zst")),
            ("s3://b/*.csv", pattern("s3://b/", "*.csv")),
            ("s3://b/a?/x[12]*/y.csv", pattern("s3://b/", "a?/x[12]*/y.csv")),
            ("file:///a%20b/*.csv", pattern("file:///a%20b/", "*.csv")),
            ("/a b/*.csv", pattern("file:///a%20b/", "*.csv")),
            ("s3://b/a.csv?x=1", ("s3://b/a.csv?x=1".to_owned(), None)),
            ("s3://b/a/", ("s3://b/a/".to_owned(), None)),
        ] {
            assert_eq!(parts(path), expected, "{path}");
        }
        let error = located("s3://b*/a.csv").unwrap_err().to_string();
        assert!(error.contains("after the name of the bucket"), "{error}");
    }

    #[test]
    fn the_url_of_a_file_leads_to_it() {
        let url = located("s3://b/a*").unwrap();
        for name in ["a b.csv", "a%20b.csv", "a#?.csv", "x/é.csv"] {
            let location = object_store::path::Path::parse(name).unwrap();
            let file = ObjectMeta {
                location: location.clone(),
                last_modified: std::time::SystemTime::UNIX_EPOCH.into(),
                size: 1,
                e_tag: None,
                version: None,
            };
            assert_eq!(*url_of(&url, &file).unwrap().prefix(), location, "{name}");
        }
    }
}
