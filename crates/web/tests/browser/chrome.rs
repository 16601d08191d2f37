//! Chromium with its driver, started for the tests and stopped after them.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use thirtyfour::{
    ChromeCapabilities, ChromiumLikeCapabilities, LoggingPrefsLogLevel, TimeoutConfiguration,
    WebDriver, error::WebDriverResult,
};

use super::page::said;

const MISSING: &str = "Chromium and its driver are needed to test the page; on Debian: \
                       apt-get install chromium chromium-driver (`cargo xtask test setup` does it)";

/// How long the page may be busy after a command.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The program that drives browsers. It ends with this value.
pub(crate) struct Chromedriver {
    process: Child,
    port: u16,
}

impl Chromedriver {
    /// Starts it on a free port.
    pub(crate) fn start() -> Self {
        let started = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process = started.unwrap_or_else(|error| panic!("{MISSING}: {error}"));
        let output = process.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        // What it prints later must have a reader, or it would stop at a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let port = port.unwrap_or_else(|| panic!("chromedriver does not say its port; {MISSING}"));
        Chromedriver { process, port }
    }

    /// Starts a browser with a profile of its own.
    pub(crate) async fn browser(&self) -> WebDriver {
        let address = format!("http://127.0.0.1:{}", self.port);
        let wanted = wanted().expect("the arguments are text");
        let driver = WebDriver::new(address, wanted).await;
        let driver = driver.unwrap_or_else(|error| panic!("{MISSING}: {}", said(error)));
        let timeouts =
            TimeoutConfiguration::new(Some(PATIENCE), Some(PATIENCE), Some(Duration::ZERO));
        driver.update_timeouts(timeouts).await.expect("timeouts can be set");
        driver
    }
}

fn wanted() -> WebDriverResult<ChromeCapabilities> {
    let mut wanted = ChromeCapabilities::new();
    for argument in ARGUMENTS {
        wanted.add_arg(argument)?;
    }
    wanted.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    Ok(wanted)
}

impl Drop for Chromedriver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const ARGUMENTS: &[&str] = &[
    "--headless",
    // Tests often run as root, for whom Chromium has no sandbox.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    // Nothing but our server is asked for anything.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
    // Roles and names as assistive programs get them.
    "--enable-blink-features=ComputedAccessibilityInfo",
];
