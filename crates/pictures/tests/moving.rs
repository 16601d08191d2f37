//! Animated GIFs, decoded again.

use gif::{ColorOutput, DecodeOptions};
use pictures::{PictureError, Size, gif, image};

/// A dot on a ground of two colours, with soft edges.
fn board(x: u32) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90\" height=\"60\">\
         <rect width=\"90\" height=\"60\" fill=\"#b58863\"/>\
         <rect width=\"45\" height=\"60\" fill=\"#f0d9b5\"/>\
         <circle cx=\"{x}\" cy=\"30\" r=\"9\" fill=\"#d23b3b\"/></svg>"
    )
}

/// The pictures that a viewer would show, with the hundredths of a second of each.
fn shown(bytes: &[u8], width: usize, height: usize) -> Vec<(Vec<u8>, u16)> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    assert_eq!((decoder.width() as usize, decoder.height() as usize), (width, height));
    let (mut canvas, mut frames) = (vec![0; 3 * width * height], Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let (left, top, wide) = (frame.left as usize, frame.top as usize, frame.width as usize);
        for (at, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let place = (top + at / wide) * width + left + at % wide;
            canvas[3 * place..][..3].copy_from_slice(&pixel[..3]);
        }
        frames.push((canvas.clone(), frame.delay));
    }
    frames
}

#[test]
fn a_gif_shows_every_picture_as_it_is_painted() {
    let boards = [20, 21, 21, 70].map(board);
    let bytes = gif(&boards, Size::Width(180), 25).unwrap();
    let expected = boards.each_ref().map(|svg| image(svg, Size::Width(180)).unwrap());
    let colors: std::collections::HashSet<&[u8]> =
        expected.iter().flat_map(|image| image.rgb.chunks_exact(3)).collect();
    assert!(colors.len() < 256, "all colours can be exact");
    let frames = shown(&bytes, 180, 120);
    assert_eq!(frames.len(), 4);
    for (at, (image, (pixels, delay))) in expected.iter().zip(&frames).enumerate() {
        assert!(image.rgb == *pixels, "picture {at}");
        assert_eq!(*delay, if at == 3 { 100 } else { 25 });
    }
    assert_eq!(bytes, gif(&boards, Size::Width(180), 25).unwrap(), "the same bytes again");
}

#[test]
fn many_colours_become_near_ones() {
    let shades: String = (0..600)
        .map(|at| {
            let (red, green, blue) = (at % 256, at * 7 % 256, at / 3 % 256);
            format!(
                "<rect x=\"{at}\" width=\"1\" height=\"2\" fill=\"rgb({red},{green},{blue})\"/>"
            )
        })
        .collect();
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"40\">\
         <rect width=\"600\" height=\"40\" fill=\"#123456\"/>{shades}</svg>"
    );
    let expected = image(&svg, Size::Scale(1.0)).unwrap();
    let frames = shown(&gif([&svg], Size::Scale(1.0), 10).unwrap(), 600, 40);
    let far = |(one, other): (&u8, &u8)| one.abs_diff(*other);
    let worst = expected.rgb.iter().zip(&frames[0].0).map(far).max();
    assert!(worst <= Some(43), "{worst:?}");
    let (flat, painted) = (&expected.rgb[3 * 600 * 10..], &frames[0].0[3 * 600 * 10..]);
    assert!(flat == painted, "flat areas are exact");
}

#[test]
fn pictures_of_a_gif_must_be_there_and_fit() {
    let none: [&str; 0] = [];
    assert!(matches!(gif(none, Size::Scale(1.0), 10), Err(PictureError::NoFrames)));
    let other = board(20).replacen("height=\"60\"", "height=\"70\"", 1);
    let error = gif([board(20), other], Size::Scale(1.0), 10).unwrap_err().to_string();
    assert_eq!(
        error,
        "a GIF of pictures of 90 x 60 and 90 x 70 pixels: all must have the same size"
    );
}
