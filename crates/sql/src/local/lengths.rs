//! The lengths that stand in an Arrow file, and its end.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use arrow::ipc::{Message, RecordBatch, reader::FileReader, root_as_footer, root_as_message};

const MAGIC: &[u8; 6] = b"ARROW1";
const CONTINUES: [u8; 4] = [0xff; 4];
const CUT: &str = "the end of the stream is missing";
/// The most that a buffer unpacks to. Offsets of texts and lists end there, too.
const MOST: i64 = i32::MAX as i64;

/// A length that reaches beyond the end of a file, or an end that is missing or damaged, in words.
/// What is wrong in other ways is left to the reader.
pub(super) fn beyond(file: &File) -> Option<String> {
    let mut file = file.try_clone().ok()?;
    let found = Lengths::new(&mut file).and_then(|mut lengths| lengths.beyond());
    // Whoever reads next shares the place in the file.
    file.rewind().ok()?;
    found.ok().flatten()
}

struct Lengths<'a> {
    file: &'a mut File,
    size: u64,
}

impl Lengths<'_> {
    fn new(file: &mut File) -> io::Result<Lengths<'_>> {
        let size = file.seek(SeekFrom::End(0))?;
        Ok(Lengths { file, size })
    }

    fn beyond(&mut self) -> io::Result<Option<String>> {
        if !self.bytes(0, 6).is_ok_and(|start| start[..] == MAGIC[..]) {
            return self.in_messages();
        }
        if let Some(what) = self.in_blocks()? {
            return Ok(Some(what));
        }
        // Whoever cannot open it as a file takes it for a stream next, and its first letters for
        // a length of 1.3 GB.
        self.file.rewind()?;
        Ok(FileReader::try_new(&mut *self.file, None).err().map(|error| error.to_string()))
    }

    /// Bytes that are there; an error where they are not.
    fn bytes(&mut self, at: u64, count: u64) -> io::Result<Vec<u8>> {
        if at.checked_add(count).is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; count as usize];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Of a file with a footer.
    fn in_blocks(&mut self) -> io::Result<Option<String>> {
        let Some(end) = self.size.checked_sub(10) else { return Ok(None) };
        let length = u64::from(number(&self.bytes(end, 4)?));
        let Some(start) = end.checked_sub(length) else {
            return Ok(Some(format!("a footer of {length} bytes in a file of {}", self.size)));
        };
        let footer = self.bytes(start, length)?;
        let Ok(footer) = root_as_footer(&footer) else { return Ok(None) };
        let blocks = footer.dictionaries().into_iter().flatten();
        for block in blocks.chain(footer.recordBatches().into_iter().flatten()) {
            let (at, meta, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
            let end = at.checked_add(meta.into()).and_then(|end| end.checked_add(body));
            if at < 0 || meta < 0 || body < 0 || end.is_none_or(|end| end as u64 > self.size) {
                return Ok(Some(format!("a block of {body} bytes in a file of {}", self.size)));
            }
            let (at, meta) = (at as u64, meta as u64);
            let head = self.bytes(at, meta)?;
            let skipped = if head.starts_with(&CONTINUES) { 8 } else { 4 };
            let Some(message) = head.get(skipped..) else { continue };
            if let Some(what) = self.in_message(message, at + meta, body)? {
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    /// Of a stream, message by message.
    fn in_messages(&mut self) -> io::Result<Option<String>> {
        let mut at = 0;
        loop {
            // Every writer ends a stream; without its end, rows may be missing behind any message.
            let Ok(mut head) = self.bytes(at, 4) else { return Ok(Some(CUT.to_owned())) };
            at += 4;
            if head[..] == CONTINUES[..] {
                let Ok(length) = self.bytes(at, 4) else { return Ok(Some(CUT.to_owned())) };
                head = length;
                at += 4;
            }
            let length = u64::from(number(&head));
            if length == 0 {
                break;
            }
            let Ok(head) = self.bytes(at, length) else {
                return Ok(Some(format!("a message of {length} bytes in a file of {}", self.size)));
            };
            at += length;
            let Ok(message) = root_as_message(&head) else { break };
            let body = message.bodyLength();
            if body < 0 || body as u64 > self.size - at {
                return Ok(Some(format!("a body of {body} bytes in a file of {}", self.size)));
            }
            if let Some(what) = self.in_message(&head, at, body)? {
                return Ok(Some(what));
            }
            at += body as u64;
        }
        Ok(None)
    }

    /// Of the buffers that a message describes.
    fn in_message(&mut self, head: &[u8], at: u64, body: i64) -> io::Result<Option<String>> {
        let Ok(message) = root_as_message(head) else { return Ok(None) };
        let Some(batch) = batch(&message) else { return Ok(None) };
        let is_packed = batch.compression().is_some();
        for buffer in batch.buffers().into_iter().flatten() {
            let (offset, length) = (buffer.offset(), buffer.length());
            let end = offset.checked_add(length);
            if offset < 0 || length < 0 || end.is_none_or(|end| end > body) {
                return Ok(Some(format!("a buffer of {length} bytes in a body of {body}")));
            }
            if is_packed && length >= 8 {
                let prefix = self.bytes(at + offset as u64, 8)?;
                let unpacked = i64::from_le_bytes(prefix.try_into().unwrap_or_default());
                if unpacked > MOST {
                    return Ok(Some(format!("a buffer that unpacks to {unpacked} bytes")));
                }
            }
        }
        Ok(None)
    }
}

fn batch<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    let dictionary = || message.header_as_dictionary_batch().and_then(|batch| batch.data());
    message.header_as_record_batch().or_else(dictionary)
}

fn number(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn no_damaged_file_is_taken_for_a_stream() {
        let mut damaged: Vec<Vec<u8>> = (1..40).map(|size| vec![b'A'; size]).collect();
        damaged.extend((0..40).map(|size| [&MAGIC[..], &vec![0; size]].concat()));
        damaged.push([&MAGIC[..], &[0; 40], MAGIC].concat());
        for bytes in damaged {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            assert!(beyond(&file).is_some(), "{}", bytes.escape_ascii());
        }
    }
}
