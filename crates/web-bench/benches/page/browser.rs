//! What somebody in front of Chromium waits for.

#[path = "../../../web/tests/browser/chrome.rs"]
mod chrome;
#[allow(dead_code, unused_imports, reason = "the stories use more of it")]
#[path = "../../../web/tests/browser/page.rs"]
mod page;
#[allow(dead_code, unused_imports, reason = "the stories use more of it")]
#[path = "../../../web/tests/browser/parse.rs"]
mod parse;
#[allow(dead_code, unused_imports, reason = "the stories use more of it")]
#[path = "../../../web/tests/browser/story.rs"]
mod story;
#[allow(dead_code, unused_imports, reason = "the stories use more of it")]
#[path = "../../../web/tests/browser/words.rs"]
mod words;

use serde_json::json;

use self::{chrome::Chromedriver, page::Page, story::Size};

/// Notes how long it takes from a key to the drawn result, and when the page first was settled.
const WATCH: &str = "
    window.timed = [];
    let begun = null;
    const isIdle = () => document.documentElement?.dataset.busy === '0';
    const drawn = () => requestAnimationFrame(() => setTimeout(() => {
      if (!isIdle() || begun === null) return;
      timed.push(performance.now() - begun);
      begun = null;
    }));
    addEventListener('keydown', (event) => { begun = event.timeStamp; setTimeout(drawn); }, true);
    new MutationObserver(() => {
      if (!isIdle()) return;
      window.settledAt ??= performance.now();
      drawn();
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-busy'] });
";

pub(crate) fn measure(url: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the runtime starts").block_on(async {
        let chromedriver = Chromedriver::start();
        let driver = chromedriver.browser().await;
        let measured = look(&driver, url).await;
        driver.quit().await.expect("the browser ends");
        measured.unwrap_or_else(|error| panic!("{error}"));
    });
}

async fn look(driver: &thirtyfour::WebDriver, url: &str) -> Result<(), String> {
    let (origin, key) = url.split_once("/#").ok_or("the address has no key")?;
    let downloads = std::env::temp_dir();
    let mut page = Page::open(driver, origin, &downloads).await?;
    page.resize(Size::Desk).await?;
    page.ask("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH})).await?;
    let (mut painted, mut settled) = (Vec::new(), Vec::new());
    let address = format!(
        "{origin}/chess?fen=r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R+w+KQkq+-+0+1#{key}"
    );
    for _ in 0..20 {
        driver.goto("about:blank").await.map_err(page::said)?;
        driver.goto(address.as_str()).await.map_err(page::said)?;
        page.settle().await?;
        let script = "return [performance.getEntriesByName('first-contentful-paint')[0].startTime, \
                      window.settledAt]";
        let answer = driver.execute(script, Vec::new()).await.map_err(page::said)?;
        let times: [f64; 2] = answer.convert().map_err(page::said)?;
        painted.push(times[0]);
        settled.push(times[1]);
    }
    say("/chess, first paint", &mut painted);
    say("/chess, settled", &mut settled);
    steps(driver, &page, origin).await
}

/// Steps through the game of the server's directory, there and back.
async fn steps(driver: &thirtyfour::WebDriver, page: &Page, origin: &str) -> Result<(), String> {
    let address = format!("{origin}/chess?game=game.pgn&n=1&on=hanging,pins,forks");
    driver.goto(address).await.map_err(page::said)?;
    page.settle().await?;
    let before = driver.current_url().await.map_err(page::said)?;
    for key in ["ArrowRight", "ArrowLeft"].iter().cycle().take(10) {
        for _ in 0..20 {
            page.press(key).await?;
            page.settle().await?;
        }
        let now = driver.current_url().await.map_err(page::said)?;
        assert_eq!(now == before, *key == "ArrowLeft", "{key} leads from {before} to {now}");
    }
    let answer = driver.execute("return window.timed", Vec::new()).await.map_err(page::said)?;
    let mut times: Vec<f64> = answer.convert().map_err(page::said)?;
    say("a key to the redrawn board", &mut times);
    Ok(())
}

fn say(what: &str, times: &mut [f64]) {
    times.sort_unstable_by(f64::total_cmp);
    let part = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
    println!(
        "{what}, {} times: p50 {:.1} ms, p95 {:.1} ms, slowest {:.1} ms",
        times.len(),
        part(0.5),
        part(0.95),
        part(1.0)
    );
}
