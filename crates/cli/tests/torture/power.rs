//! Power cuts, simulated: the calls of a run are recorded with strace, and a directory is made as a
//! disk could have it if the power had gone after one of them. What was synced is there. Of the
//! rest, each write may be there, torn or not; and of the names of each directory, those of some
//! moment since its last sync.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Job, Random, writers::Writer};

const CALLS: &str = "trace=open,openat,creat,close,dup,dup2,dup3,fcntl,lseek,write,pwrite64,writev,\
                     pwritev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,\
                     mkdir,mkdirat,rmdir,copy_file_range,linkat,mmap";

/// A sector is written whole.
const SECTOR: usize = 512;

/// What a run did to its directory, in the order in which it was done.
pub(crate) struct Recording {
    steps: Vec<Step>,
    /// Where the directory was.
    root: PathBuf,
}

/// A file, whatever its name.
type File = usize;

#[derive(Debug)]
enum Step {
    Create(PathBuf, File),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    MakeDirectory(PathBuf),
    Write {
        file: File,
        at: u64,
        bytes: Vec<u8>,
    },
    Cut {
        file: File,
        length: u64,
    },
    /// Covers what was done before the step with this number.
    Sync {
        file: File,
        before: usize,
    },
    SyncDirectory {
        path: PathBuf,
        before: usize,
    },
}

pub(crate) fn can_trace() -> bool {
    let mut command = Command::new("strace");
    command.args(["-o", "/dev/null", "true"]);
    command.status().is_ok_and(|status| status.success())
}

impl Recording {
    pub(crate) fn of(writer: &Writer) -> Recording {
        let place = tempfile::tempdir().expect("there is room for a directory");
        let place = place.path().canonicalize().expect("it was just made");
        let (root, trace) = (place.join("out"), place.join("trace"));
        fs::create_dir(&root).expect("it was just made");
        let job = Job { writer, out: &root, address: String::new(), number: 0 };
        let traced = job.command(writer.words);
        let mut command = Command::new("strace");
        command.args(["-f", "-xx", "-s", "100000000", "-e", CALLS, "-o"]).arg(&trace);
        command.arg(traced.get_program()).args(traced.get_args());
        let ended = command.stdin(Stdio::null()).output().expect("strace is there");
        assert!(ended.status.success(), "{}: {}", writer.name, crate::told(&ended));
        let text = fs::read_to_string(&trace).expect("strace has written it");
        let steps = Reader::new(&root).read(&text);
        let recording = Recording { steps, root };
        // What was recorded must lead to what was written, or nothing here means anything.
        let found = recording.after_everything();
        for (name, bytes) in crate::files(&recording.root) {
            let same = found.get(&recording.root.join(&name)).is_some_and(|other| *other == bytes);
            // Databases also write through memory that they share, which no call shows.
            assert!(same || name.ends_with("-shm"), "{}: {name} was not recorded", writer.name);
        }
        recording
    }

    /// Makes a directory as it could be after a power cut. Says whether the cut was before the end.
    pub(crate) fn rebuild(&self, out: &Path, random: &mut Random) -> bool {
        let cut = random.below(self.steps.len() + 1);
        let files = self.names(cut, &mut |first, last| first + random.below(last - first + 1));
        // Sometimes nothing that was not synced is there, sometimes all.
        let chance = [0, 50, 100][random.below(3)];
        for (path, entry) in &files {
            let place = out.join(path.strip_prefix(&self.root).expect("only these are recorded"));
            match entry {
                Entry::Directory => fs::create_dir_all(&place).expect("a directory of ours"),
                Entry::File(file) => {
                    let mut kept = |bytes: usize| match random.below(100) < chance {
                        true => bytes,
                        // The head of a write may be there although its end is not.
                        false => {
                            random.below(bytes / SECTOR + 1) * SECTOR * usize::from(chance > 0)
                        }
                    };
                    let bytes = self.content(*file, cut, &mut kept);
                    fs::write(&place, bytes).expect("a directory of ours");
                }
            }
        }
        cut < self.steps.len()
    }

    fn after_everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let end = self.steps.len();
        let names = self.names(end, &mut |_, last| last);
        let files = names.into_iter().filter_map(|(path, entry)| match entry {
            Entry::Directory => None,
            Entry::File(file) => Some((path, self.content(file, end, &mut |bytes| bytes))),
        });
        files.collect()
    }

    /// The names that are there after a cut. `choose` is asked for each directory how many of its
    /// changes are, of which the first are synced.
    fn names(
        &self,
        cut: usize,
        choose: &mut dyn FnMut(usize, usize) -> usize,
    ) -> BTreeMap<PathBuf, Entry> {
        let mut directories: BTreeMap<&Path, (Vec<usize>, usize)> = BTreeMap::new();
        for (number, step) in self.steps[..cut].iter().enumerate() {
            if let Some(parent) = step.parent() {
                directories.entry(parent).or_default().0.push(number);
            }
            if let Step::SyncDirectory { path, before } = step
                && let Some((changes, synced)) = directories.get_mut(path.as_path())
            {
                *synced = changes.iter().take_while(|change| **change < *before).count();
            }
        }
        let mut there: Vec<usize> = Vec::new();
        for (changes, synced) in directories.values() {
            there.extend(&changes[..choose(*synced, changes.len())]);
        }
        there.sort_unstable();
        let mut names = BTreeMap::new();
        for number in there {
            match &self.steps[number] {
                Step::Create(path, file) => drop(names.insert(path.clone(), Entry::File(*file))),
                Step::MakeDirectory(path) => drop(names.insert(path.clone(), Entry::Directory)),
                Step::Remove(path) => drop(names.remove(path)),
                Step::Rename(from, to) => {
                    if let Some(entry) = names.remove(from) {
                        names.insert(to.clone(), entry);
                    }
                }
                _ => {}
            }
        }
        // What lies in a directory that is not there is not there.
        let root = self.root.clone();
        let is_there = |path: &Path, names: &BTreeMap<PathBuf, Entry>| {
            let above = path.ancestors().skip(1).take_while(|above| **above != *root);
            above.into_iter().all(|above| names.contains_key(above))
        };
        let found = names.clone();
        names.retain(|path, _| is_there(path, &found));
        names
    }

    /// The bytes of a file after a cut. `kept` is asked of each write that was not synced how many
    /// of its bytes are there.
    fn content(&self, file: File, cut: usize, kept: &mut dyn FnMut(usize) -> usize) -> Vec<u8> {
        let synced = self.steps[..cut].iter().filter_map(|step| match step {
            Step::Sync { file: of, before } if *of == file => Some(*before),
            _ => None,
        });
        let synced = synced.max().unwrap_or(0);
        let mut content = Vec::new();
        for (number, step) in self.steps[..cut].iter().enumerate() {
            match step {
                Step::Write { file: of, at, bytes } if *of == file => {
                    let length = if number < synced { bytes.len() } else { kept(bytes.len()) };
                    let bytes = &bytes[..length.min(bytes.len())];
                    let (start, end) = (*at as usize, *at as usize + bytes.len());
                    if content.len() < end && !bytes.is_empty() {
                        content.resize(end, 0);
                    }
                    if !bytes.is_empty() {
                        content[start..end].copy_from_slice(bytes);
                    }
                }
                Step::Cut { file: of, length }
                    if *of == file && (number < synced || kept(1) == 1) =>
                {
                    content.resize(*length as usize, 0);
                }
                _ => {}
            }
        }
        content
    }
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Directory,
    File(File),
}

impl Step {
    /// The directory whose names it changes.
    fn parent(&self) -> Option<&Path> {
        match self {
            Step::Create(path, _) | Step::Remove(path) | Step::MakeDirectory(path) => path.parent(),
            // Nothing here renames from one directory to another.
            Step::Rename(_, to) => to.parent(),
            _ => None,
        }
    }
}

/// Reads what strace has written.
struct Reader<'a> {
    root: &'a Path,
    steps: Vec<Step>,
    /// What is open, by the number that the process knows it by.
    open: BTreeMap<i64, usize>,
    opened: Vec<Open>,
    /// Files by their names at the moment.
    named: BTreeMap<PathBuf, File>,
    files: usize,
}

struct Open {
    what: What,
    at: u64,
}

#[derive(Clone)]
enum What {
    File(File),
    Directory(PathBuf),
}

impl<'a> Reader<'a> {
    fn new(root: &'a Path) -> Reader<'a> {
        Reader {
            root,
            steps: Vec::new(),
            open: BTreeMap::new(),
            opened: Vec::new(),
            named: BTreeMap::new(),
            files: 0,
        }
    }

    fn read(mut self, text: &str) -> Vec<Step> {
        // Calls that others overtook: what was said of them at first, and how many steps there were.
        let mut begun: BTreeMap<&str, (String, usize)> = BTreeMap::new();
        for line in text.lines() {
            let Some((process, rest)) = line.split_once(' ') else { continue };
            let rest = rest.trim_start();
            if let Some(first) = rest.strip_suffix(" <unfinished ...>") {
                begun.insert(process, (first.to_owned(), self.steps.len()));
            } else if let Some(resumed) = rest.strip_prefix("<... ") {
                let Some((first, before)) = begun.remove(process) else { continue };
                let end = resumed.split_once("resumed>").map_or("", |(_, end)| end);
                self.call(&(first + end), before);
            } else {
                self.call(rest, self.steps.len());
            }
        }
        self.steps
    }

    /// `name(arguments) = result`; `before` is how many steps there were when it began.
    fn call(&mut self, call: &str, before: usize) {
        let Some((name, rest)) = call.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        let result = result.split(' ').next().and_then(|result| result.parse::<i64>().ok());
        let Some(result) = result.filter(|result| *result >= 0) else { return };
        let arguments = arguments.trim_end().trim_end_matches(')');
        let texts = || arguments.split('"').skip(1).step_by(2).map(unescaped);
        let words: Vec<&str> = arguments.split(", ").collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<i64>().ok());
        let mut paths = texts()
            .map(|bytes| PathBuf::from(String::from_utf8(bytes).expect("our names are text")));
        match name {
            "open" | "openat" | "creat" => {
                if let Some(path) = paths.next() {
                    self.opens(path, arguments, result);
                }
            }
            "close" => drop(number(0).and_then(|number| self.open.remove(&number))),
            "dup" | "dup2" | "dup3" => self.doubles(number(0), result),
            "fcntl" if arguments.contains("F_DUPFD") => self.doubles(number(0), result),
            "lseek" => {
                if let Some(open) = self.opened_as(number(0)) {
                    open.at = result as u64;
                }
            }
            "write" | "writev" | "pwrite64" | "pwritev" => {
                let bytes: Vec<u8> = texts().flatten().take(result as usize).collect();
                let is_placed = name.starts_with('p');
                let place = is_placed.then(|| words.last().and_then(|word| word.parse().ok()));
                self.writes(number(0), bytes, place.flatten());
            }
            "copy_file_range" => {
                assert!(self.opened_as(number(2)).is_none(), "what is copied cannot be replayed");
            }
            "mmap" => self.maps(&words),
            "ftruncate" => {
                let length = number(1).unwrap_or(0) as u64;
                if let Some(What::File(file)) = self.what(number(0)) {
                    self.steps.push(Step::Cut { file, length });
                }
            }
            "fsync" | "fdatasync" => match self.what(number(0)) {
                Some(What::File(file)) => self.steps.push(Step::Sync { file, before }),
                Some(What::Directory(path)) => {
                    self.steps.push(Step::SyncDirectory { path, before });
                }
                None => {}
            },
            "rename" | "renameat" | "renameat2" => {
                if let (Some(from), Some(to)) = (paths.next(), paths.next())
                    && to.starts_with(self.root)
                {
                    if let Some(file) = self.named.remove(&from) {
                        self.named.insert(to.clone(), file);
                    }
                    self.steps.push(Step::Rename(from, to));
                }
            }
            "unlink" | "unlinkat" | "rmdir" => {
                if let Some(path) = paths.next().filter(|path| path.starts_with(self.root)) {
                    self.named.remove(&path);
                    self.steps.push(Step::Remove(path));
                }
            }
            "mkdir" | "mkdirat" => {
                if let Some(path) = paths.next().filter(|path| path.starts_with(self.root)) {
                    self.steps.push(Step::MakeDirectory(path));
                }
            }
            "linkat" => {
                let inside = paths.any(|path| path.starts_with(self.root));
                assert!(!inside, "links cannot be replayed");
            }
            _ => {}
        }
    }

    fn opens(&mut self, path: PathBuf, arguments: &str, result: i64) {
        self.open.remove(&result);
        if !path.starts_with(self.root) {
            return;
        }
        let known = self.named.get(&path).copied();
        let is_made = arguments.contains("O_CREAT");
        let what = match known {
            Some(file) => What::File(file),
            None if is_made => {
                let file = self.files;
                self.files += 1;
                self.named.insert(path.clone(), file);
                self.steps.push(Step::Create(path, file));
                What::File(file)
            }
            None => What::Directory(path),
        };
        if let (What::File(file), true) = (&what, arguments.contains("O_TRUNC")) {
            self.steps.push(Step::Cut { file: *file, length: 0 });
        }
        assert!(!arguments.contains("O_APPEND"), "what is appended to cannot be replayed");
        self.open.insert(result, self.opened.len());
        self.opened.push(Open { what, at: 0 });
    }

    fn doubles(&mut self, number: Option<i64>, result: i64) {
        match number.and_then(|number| self.open.get(&number).copied()) {
            Some(open) => drop(self.open.insert(result, open)),
            None => drop(self.open.remove(&result)),
        }
    }

    fn opened_as(&mut self, number: Option<i64>) -> Option<&mut Open> {
        let open = *self.open.get(&number?)?;
        self.opened.get_mut(open)
    }

    fn what(&mut self, number: Option<i64>) -> Option<What> {
        self.opened_as(number).map(|open| open.what.clone())
    }

    fn writes(&mut self, number: Option<i64>, bytes: Vec<u8>, place: Option<u64>) {
        let Some(open) = self.opened_as(number) else { return };
        let What::File(file) = open.what else { return };
        let at = place.unwrap_or(open.at);
        if place.is_none() {
            open.at += bytes.len() as u64;
        }
        self.steps.push(Step::Write { file, at, bytes });
    }

    /// Shared memory that can be written would change a file without a call.
    fn maps(&mut self, words: &[&str]) {
        let is_written = words.get(2).is_some_and(|word| word.contains("PROT_WRITE"))
            && words.get(3).is_some_and(|word| word.contains("MAP_SHARED"));
        let number = words.get(4).and_then(|word| word.parse().ok());
        if let (true, Some(What::File(file))) = (is_written, self.what(number)) {
            let name = self.named.iter().find(|(_, named)| **named == file);
            let name = name.map(|(path, _)| path.display().to_string()).unwrap_or_default();
            assert!(name.ends_with("-shm"), "{name} is written through memory");
        }
    }
}

/// The bytes of a text in which strace wrote each as `\x` and two digits.
fn unescaped(text: &str) -> Vec<u8> {
    let digits = text.split("\\x").skip(1);
    digits.filter_map(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok()).collect()
}
