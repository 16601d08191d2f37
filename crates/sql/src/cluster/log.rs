//! What happens in a scheduler or an executor, told line by line.

use super::{Detail, Log};

/// Has everything told from here on. The first who asks is told; a process has one log.
pub(super) fn begin(log: Log) {
    let detail = match log.detail {
        Detail::Warnings => ::log::LevelFilter::Warn,
        Detail::Steps => ::log::LevelFilter::Info,
        Detail::Everything => ::log::LevelFilter::Debug,
    };
    if ::log::set_boxed_logger(Box::new(Told(log))).is_ok() {
        ::log::set_max_level(detail);
    }
}

struct Told(Log);

impl ::log::Log for Told {
    fn enabled(&self, about: &::log::Metadata<'_>) -> bool {
        // The libraries below tell of every packet.
        about.level() <= ::log::Level::Warn || about.target().starts_with("ballista")
    }

    fn log(&self, record: &::log::Record<'_>) {
        if self.enabled(record.metadata()) {
            let level = record.level().as_str().to_ascii_lowercase();
            (self.0.write)(format_args!("{level}: {}", record.args()));
        }
    }

    fn flush(&self) {}
}
