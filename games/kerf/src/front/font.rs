//! A font of lines with round ends, drawn by the game itself.

use macroquad::color::Color;
use macroquad::math::Vec2;

use super::shapes::polyline;

/// The lines of a letter: points as column and row of a grid of 5 by 7, lines apart by spaces.
fn lines(letter: char) -> &'static str {
    match letter.to_ascii_uppercase() {
        'A' => "0602204246 0444",
        'B' => "00063645443303 0030414233",
        'C' => "4130100105163645",
        'D' => "00062644422000",
        'E' => "40000646 0333",
        'F' => "400006 0333",
        'G' => "41301001051636454323",
        'H' => "0006 4046 0343",
        'I' => "2026",
        'J' => "4045361605",
        'K' => "0006 400346",
        'L' => "000646",
        'M' => "0600234046",
        'N' => "06004640",
        'O' | '0' => "103041453616050110",
        'P' => "06003041423303",
        'Q' => "103041453616050110 2446",
        'R' => "06003041423303 2346",
        'S' => "413010010213334445361605",
        'T' => "0040 2026",
        'U' => "000516364540",
        'V' => "002640",
        'W' => "0016233640",
        'X' => "0046 4006",
        'Y' => "002340 2326",
        'Z' => "00400646",
        '1' => "112026 1636",
        '2' => "01103041420646",
        '3' => "0110304142334445361605 1333",
        '4' => "36300444",
        '5' => "400003334445361605",
        '6' => "4130100105163645443303",
        '7' => "004016",
        '8' => "103041423313020110 1304051636454433",
        '9' => "4313020110304145361605",
        '.' => "2626",
        ',' => "2517",
        '!' => "2024 2626",
        '?' => "01103041422324 2626",
        '\'' => "2021",
        '-' => "1333",
        ':' => "2222 2525",
        '/' => "0640",
        _ => "",
    }
}

/// The width of a letter in columns, with the space after it.
fn advance(letter: char) -> f32 {
    match letter {
        'I' | 'i' | '.' | ',' | '!' | '\'' | ':' => 3.2,
        ' ' => 3.6,
        _ => 6.2,
    }
}

/// The width of a text of this height.
pub(crate) fn width(text: &str, height: f32) -> f32 {
    text.chars().map(advance).sum::<f32>() * height / 6.0 - 2.2 * height / 6.0
}

/// Draws a text with its center at a point, with letters of a height and lines of a thickness.
pub(crate) fn draw(text: &str, center: Vec2, height: f32, thickness: f32, color: Color) {
    let unit = height / 6.0;
    let mut pen = center - Vec2::new(0.5 * width(text, height), 0.5 * height);
    for letter in text.chars() {
        let narrow = if advance(letter) == 3.2 { 1.35 } else { 0.0 };
        for line in lines(letter).split(' ') {
            let point = |pair: &[u8]| {
                let [column, row] = [pair[0], pair[1]].map(|digit| f32::from(digit - b'0'));
                pen + Vec2::new(column - narrow, row) * unit
            };
            let points: Vec<Vec2> = line.as_bytes().chunks_exact(2).map(point).collect();
            polyline(&points, thickness, color);
        }
        pen.x += advance(letter) * unit;
    }
}

/// A text with an outline.
pub(crate) fn draw_outlined(text: &str, center: Vec2, height: f32, fill: Color, ink: Color) {
    draw(text, center, height, 0.34 * height, ink);
    draw(text, center, height, 0.17 * height, fill);
}
