//! A proxy that fails on purpose.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// How the proxy treats what comes from a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mood {
    /// It hands everything on.
    Fair,
    /// It hands everything on, a little at a time.
    Slow,
    /// The same, at 80 KiB a second.
    Crawling,
    /// It takes everything and answers nothing.
    Silent,
    /// It ends the connection, so many times; then it is fair.
    Cut(usize),
    /// It hands on so many bytes of an answer that has more, and ends the connection, so many times;
    /// then it is fair.
    CutAfter(usize, usize),
    /// It answers so itself and ends the connection, so many times; then it is fair.
    Says(&'static [u8], usize),
}

pub(crate) const BUSY: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
pub(crate) const DOWN: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The same in frames of HTTP/2: settings, and the headers of the first answer.
pub(crate) const BUSY_FRAMES: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\x05\x01\x05\0\0\0\x01\x08\x03429";
pub(crate) const DOWN_FRAMES: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\x05\x01\x05\0\0\0\x01\x08\x03503";

/// What PostgreSQL answers when it has too many clients.
pub(crate) const TOO_MANY_CLIENTS: &[u8] =
    b"E\0\0\0\x30SFATAL\0VFATAL\0C53300\0Mtoo many clients now\0\0";

pub(crate) struct Proxy {
    port: u16,
    mood: Arc<Mutex<Mood>>,
}

impl Proxy {
    /// A proxy before the server at this address.
    pub(crate) fn before(address: &str) -> Proxy {
        Proxy::between("127.0.0.1:0", address)
    }

    /// The same, with an address of its own.
    pub(crate) fn between(own: &str, address: &str) -> Proxy {
        let listener = TcpListener::bind(own).expect("the port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let mood = Arc::new(Mutex::new(Mood::Fair));
        let (address, shared) = (address.to_owned(), mood.clone());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(&address) else { continue };
                let twins = (client.try_clone(), server.try_clone());
                let (Ok(client_twin), Ok(server_twin)) = twins else { continue };
                let [there, back] = [shared.clone(), shared.clone()];
                let answered = Arc::new(AtomicUsize::new(0));
                let again = answered.clone();
                thread::spawn(move || pump(client, server, &there, Way::There, &again));
                thread::spawn(move || pump(server_twin, client_twin, &back, Way::Back, &answered));
            }
        });
        Proxy { port, mood }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn set(&self, mood: Mood) {
        *self.mood.lock().expect("nobody panics with it") = mood;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    There,
    Back,
}

/// Hands on what comes one way. `answered` counts the bytes of the answer to what was asked last.
fn pump(
    mut from: TcpStream,
    mut to: TcpStream,
    mood: &Mutex<Mood>,
    way: Way,
    answered: &AtomicUsize,
) {
    let mut buffer = [0; 1 << 14];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = &buffer[..length];
        let before = match way {
            Way::There => answered.swap(0, Ordering::SeqCst),
            Way::Back => answered.fetch_add(length, Ordering::SeqCst),
        };
        let now = next(mood, way, before + length);
        let slowly = |to: &mut TcpStream, pause| {
            bytes.chunks(1 << 10).try_for_each(|bytes| {
                thread::sleep(Duration::from_millis(pause));
                to.write_all(bytes)
            })
        };
        let handed = match now {
            Mood::Fair => to.write_all(bytes),
            Mood::Slow => slowly(&mut to, 5),
            Mood::Crawling => slowly(&mut to, 12),
            Mood::Silent => Ok(()),
            Mood::Cut(_) => break,
            Mood::CutAfter(most, _) => {
                // Whether it arrives is not asked: the connection ends now.
                let _ = to.write_all(&bytes[..most.saturating_sub(before).min(length)]);
                break;
            }
            Mood::Says(answer, _) => {
                // Whoever has not read it all would reset what was answered.
                let _ = from.write_all(answer);
                thread::sleep(Duration::from_millis(100));
                break;
            }
        };
        if handed.is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// The mood for what comes next. What happens so many times is counted on the way there, and cuts
/// of answers on the way back, where an answer has more than the bytes that it may have.
fn next(mood: &Mutex<Mood>, way: Way, answered: usize) -> Mood {
    let mut mood = mood.lock().expect("nobody panics with it");
    let now = *mood;
    let left = match (now, way) {
        (Mood::Cut(times), Way::There) if times > 1 => Mood::Cut(times - 1),
        (Mood::Says(answer, times), Way::There) if times > 1 => Mood::Says(answer, times - 1),
        (Mood::CutAfter(most, times), Way::Back) if answered > most && times > 1 => {
            Mood::CutAfter(most, times - 1)
        }
        (Mood::Cut(_) | Mood::Says(..), Way::There) => Mood::Fair,
        (Mood::CutAfter(most, _), Way::Back) if answered > most => Mood::Fair,
        (Mood::Cut(_) | Mood::Says(..) | Mood::CutAfter(..), _) => return Mood::Fair,
        (Mood::Fair | Mood::Slow | Mood::Crawling | Mood::Silent, _) => now,
    };
    *mood = left;
    now
}
