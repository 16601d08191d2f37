"""Ours next to python-chess: the same final positions, the time for PGN, and the memory.

Run by `cargo xtask bench chess`, which installs python-chess in an environment of its own.
Exits with an error if an answer differs or the memory passes its limit; the times are only printed.
"""

import io
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import chess.pgn

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "fixtures/chess/pgn/lichess_438_games.pgn"
BENCH = ["cargo", "bench", "--quiet", "-p", "everyply-chess", "--bench", "chess", "--"]
SLICE_GAMES = 60
TIMED_BYTES = 50_000_000
LARGE_BYTES = 1_000_000_000
MOST_MEMORY = 64_000_000


def main():
    sample = SAMPLE.read_bytes()
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        failures = [
            compare_finals(sample),
            compare_speed(sample, directory),
            measure_memory(sample, directory),
        ]
    failures = [failure for failure in failures if failure]
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


def compare_finals(sample):
    """Every game ends in the same position; returns what is wrong."""
    ours = bench("finals", SAMPLE).splitlines()
    theirs = []
    for game in read_games(sample):
        if game.errors:
            return f"python-chess: {game.errors} in {game.headers.get('Site')}"
        theirs.append(game.end().board().fen(en_passant="legal"))
    if len(ours) != len(theirs):
        return f"{len(ours)} games, python-chess reads {len(theirs)}"
    for number, (us, them) in enumerate(zip(ours, theirs), start=1):
        if us != them:
            return f"game {number} ends in {us}, by python-chess in {them}"
    print(f"{'final positions':<28} {len(ours)} games end alike")
    return None


def compare_speed(sample, directory):
    """PGN with legal play of every move, CPU time of one thread; returns what is wrong."""
    part = slice_of(sample, SLICE_GAMES)
    times = []
    for _ in range(3):
        start = time.process_time()
        games = list(read_games(part))
        times.append(time.process_time() - start)
    plies = sum(1 for game in games for _ in game.mainline_moves())
    them = len(part) / min(times)

    repeats = TIMED_BYTES // len(part) + 1
    path = write_repeated(directory / "slice.pgn", part, repeats)
    seconds, our_games, our_plies = bench("pgn", path).split()
    us = len(part) * repeats / float(seconds)
    path.unlink()
    if (int(our_games), int(our_plies)) != (repeats * len(games), repeats * plies):
        return f"{our_games} games, {our_plies} plies; expected {repeats} times {len(games)}, {plies}"
    rates = f"{us / 1e6:.0f} MB/s, python-chess {them / 1e6:.2f} MB/s, ratio {us / them:.0f}"
    print(f"{'PGN with legal play':<28} {rates}")
    return None


def measure_memory(sample, directory):
    """The largest memory of our process while it reads a gigabyte; returns what is wrong."""
    path = write_repeated(directory / "large.pgn", sample, LARGE_BYTES // len(sample) + 1)
    size = path.stat().st_size
    # Without cargo in between, so that what is measured is ours.
    usage = peak_memory([executable(), "finals", str(path)])
    print(f"{'memory':<28} {usage / 1e6:.1f} MB at most for a file of {size / 1e9:.2f} GB")
    return f"more than {MOST_MEMORY} bytes of memory" if usage > MOST_MEMORY else None


def bench(*words):
    """What our bench prints when asked for one thing."""
    words = BENCH + [str(word) for word in words]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"error: {' '.join(run.args)}\n{run.stderr}")
    return run.stdout


def executable():
    """The bench as cargo has built it."""
    words = [*BENCH[:-1], "--no-run", "--message-format=json"]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    built = [json.loads(line).get("executable") for line in run.stdout.splitlines()]
    return next(path for path in reversed(built) if path)


def peak_memory(words):
    """The peak resident size of a child in bytes, asked for while it runs.

    What the system says after its end would count our own size before the child's start.
    """
    child = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None:
        status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
        lines = [line.split() for line in status.splitlines() if line.startswith("VmHWM:")]
        peak = max([peak] + [1024 * int(kilobytes) for _, kilobytes, _ in lines])
        time.sleep(0.02)
    if child.returncode != 0:
        sys.exit(f"error: {words} ended with {child.returncode}")
    return peak


def read_games(text):
    handle = io.StringIO(text.decode())
    while game := chess.pgn.read_game(handle):
        yield game


def slice_of(sample, games):
    """The first games of the sample."""
    end = 0
    for _ in range(games):
        end = sample.index(b"\n[Event ", end + 1)
    return sample[: end + 1]


def write_repeated(path, text, times):
    with open(path, "wb") as file:
        for _ in range(times):
            file.write(text)
    return path


if __name__ == "__main__":
    main()
