//! Stories in a real Chromium: `stories/*.txt`, each run by mouse or keyboard, at the size of a
//! desk or a phone, in the light or the dark, as its first lines say.
//!
//! `EVERYPLY_STORIES` runs only those whose names have this text, or one file;
//! `EVERYPLY_STORIES_REPEAT` runs each so many times; `EVERYPLY_STORIES_URL` takes a server that is
//! already running; and `EVERYPLY_PICTURES=1` writes the pictures of the guide.

mod accessible;
mod check;
mod chrome;
mod everyply;
mod house;
mod page;
mod parse;
mod player;
mod small;
mod story;
mod words;

use std::{
    fs,
    panic::{AssertUnwindSafe, resume_unwind},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use thirtyfour::WebDriver;

use self::{
    chrome::Chromedriver,
    house::{House, Launch},
    page::Outcome,
    player::{Player, root},
    story::{Story, Way},
};

/// Browsers at a time. They wait most of the time, for frames and for each other's answers.
const BROWSERS: usize = 2;

#[test]
fn every_story_holds() {
    let (apart, together): (Vec<Story>, Vec<Story>) =
        stories().into_iter().partition(Story::needs_a_process);
    let failures = [
        run(&together, BROWSERS, everyply::launch),
        run(&apart, BROWSERS, everyply::launch_process),
    ]
    .concat();
    assert!(failures.is_empty(), "{} stories fail:\n{}", failures.len(), failures.join("\n"));
}

/// Runs the stories in so many browsers, each with a server of its own, and returns what fails.
fn run(stories: &[Story], browsers: usize, launch: fn() -> Launch) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let browser = async |driver: &WebDriver| {
        let mut house = House::new(launch());
        let mut failures = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(story) = stories.get(number) else { break };
            failures.extend(play(driver, &mut house, story, &ways(story, number)).await.err());
        }
        failures
    };
    let browsers = browsers.min(stories.len());
    thread::scope(|scope| {
        let started: Vec<_> =
            (0..browsers).map(|_| scope.spawn(|| with_browser(browser))).collect();
        started.into_iter().flat_map(|browser| browser.join().expect("a browser")).collect()
    })
}

/// The stories that are asked for.
fn stories() -> Vec<Story> {
    let directory = root().join("crates/web/tests/stories");
    let wanted = std::env::var("EVERYPLY_STORIES").unwrap_or_default();
    if wanted.ends_with(".txt") {
        return vec![read(Path::new(&wanted))];
    }
    let mut paths: Vec<_> = fs::read_dir(&directory)
        .expect("the stories are there")
        .map(|entry| entry.expect("the stories can be listed").path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    paths.sort();
    let stories = paths.iter().map(|path| read(path));
    let stories: Vec<Story> = stories.filter(|story| story.name.contains(&wanted)).collect();
    assert!(!stories.is_empty(), "no story has {wanted:?} in its name");
    stories
}

fn read(path: &Path) -> Story {
    let name = path.file_stem().and_then(|name| name.to_str()).expect("names are text");
    let text = fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Story::parse(name, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The ways in which a story is run: all if it is asked for or if there is time, else one, and of
/// the next story another.
fn ways(story: &Story, number: usize) -> Vec<Way> {
    let ways = story.ways();
    let is_asked_for = |name| std::env::var_os(name).is_some();
    if ["EVERYPLY_STORIES", "EVERYPLY_SLOW", "EVERYPLY_PICTURES"].into_iter().any(is_asked_for) {
        return ways;
    }
    vec![ways[number % ways.len()]]
}

/// Runs a story in these ways, as often as asked for. Who asks for repeats looks for stories that
/// hold only sometimes. Otherwise a story has a second try.
async fn play(driver: &WebDriver, house: &mut House, story: &Story, ways: &[Way]) -> Outcome<()> {
    let times = std::env::var("EVERYPLY_STORIES_REPEAT").ok().and_then(|times| times.parse().ok());
    for &way in ways {
        let start = Instant::now();
        for _ in 0..times.unwrap_or(1) {
            match times {
                Some(_) => Player::play(driver, house, story, way).await?,
                None => try_twice(driver, house, story, way).await?,
            }
        }
        let times: usize = times.unwrap_or(1);
        eprintln!("{} ({way}): {times} times in {:.1?}", story.name, start.elapsed());
    }
    Ok(())
}

/// Runs a story, and once more if it fails. That it needed a second try is said: a machine that
/// does much else beside is no fault of the page.
async fn try_twice(driver: &WebDriver, house: &mut House, story: &Story, way: Way) -> Outcome<()> {
    let Err(error) = Player::play(driver, house, story, way).await else { return Ok(()) };
    eprintln!("{} ({way}): a second try after: {error}", story.name);
    Player::play(driver, house, story, way).await
}

/// Calls the function with a browser that ends afterwards.
fn with_browser<T>(work: impl AsyncFnOnce(&WebDriver) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the runtime starts").block_on(async {
        let chromedriver = Chromedriver::start();
        let driver = chromedriver.browser().await;
        // A browser whose test has failed must end, too.
        let result = AssertUnwindSafe(work(&driver)).catch_unwind().await;
        driver.quit().await.expect("the browser ends");
        result.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Runs the lines of a story on small pages and returns what is said of it.
async fn told(driver: &WebDriver, lines: &str) -> Outcome<()> {
    let story = Story::parse("told", lines)?;
    let mut house = House::new(small::launch());
    for way in story.ways() {
        Player::play(driver, &mut house, &story, way).await?;
    }
    Ok(())
}

#[test]
fn the_driver_does_what_stories_say() {
    let lines = r#"
run by mouse, keyboard
run at desk, phone
run in light, dark
open "/"
expect title "Small*"
remember board as picture of @board
click button "Add one"
expect @sum text "1"
click @add
expect url "/?sum=2"
remember two as text of @sum
reload
expect @sum text "{two}"
click checkbox "Tick"
expect @tick checked
type "hello*" into textbox "Words"
press Enter
expect @said text "hello\*"
fill @words "new"
press Enter
expect @said text "new"
reload
expect @words value "new"
choose "two" of combobox "Kind"
expect @kind value "two"
drag gridcell "a1*" to gridcell "c2*"
expect text "a1 to c2"
drop "LICENSE-MIT" on @board
expect @said text "LICENSE-MIT: * characters"
expect 6 gridcell in grid "Board"
expect no button "Remove"
click link "Other page"
expect url "/other"
expect @board same board
back
expect url "/?sum=2"
expect fits
accessible
allow "*ERR_CONNECTION_REFUSED*"
server stop
server start
open "/"
expect @sum text "0"
await idle
meanwhile expect no alert
"#;
    let story = Story::parse("told", lines).unwrap();
    let mut house = House::new(small::launch());
    with_browser(async |driver| {
        for way in story.ways() {
            try_twice(driver, &mut house, &story, way).await.unwrap();
        }
    });
}

#[test]
fn the_driver_finds_faults() {
    let faults = [
        (
            "open \"/inline\"\nexpect title \"*\"",
            "the browser complains: *Content Security Policy*",
        ),
        ("open \"/console\"\nexpect title \"*\"", "the browser complains: *oh no*"),
        ("open \"/thrown\"\nexpect title \"*\"", "the browser complains: *nothing is not defined*"),
        ("open \"/missing\"\nexpect title \"*\"", "the browser complains: *404*"),
        ("open \"/covered\"\nclick button \"Under\"", "at its place there is <div*"),
        ("open \"/wide\"\nexpect fits", "the page is 20* pixels wide in a window of 1440: <div*"),
        ("open \"/unnamed\"\naccessible", "no name: gridcell <i role=\"gridcell\">"),
        ("open \"/pale\"\naccessible", "text_contrast_sufficient*"),
        ("open \"/busy\"\nexpect title \"*\"", "the page is not settled: data-busy is 1*"),
        ("open \"/\"\nclick button \"Subtract\"", "there is no such element"),
        ("open \"/\"\nclick gridcell", "there are 6 such elements*"),
        ("open \"/\"\nexpect @sum text \"1\"", "found \"0\", expected \"1\""),
        ("open \"/\"\nexpect @tick checked", "it is not checked"),
    ];
    with_browser(async |driver: &WebDriver| {
        let patience = Duration::from_secs(3);
        driver.set_script_timeout(patience).await.expect("it can be set");
        for (lines, expected) in faults {
            let error = told(driver, lines).await.expect_err(lines);
            let pattern = story::Pattern(format!("crates/web/tests/stories/told.txt:*{expected}*"));
            assert!(pattern.matches(&error), "{error}");
        }
    });
}
