//! Pictures of sparse matrices: which vertices are neighbours, in the order of the mesh and sorted by colour
//! ("Vivace" figure 2).

use super::Image;
use super::font::{HEIGHT, text_width};
use super::palette::chart_colour;
use crate::colouring::{Colouring, Graph};

/// One matrix of a picture.
#[derive(Clone, Copy, Debug)]
pub struct MatrixPanel<'a> {
    /// Above the matrix.
    pub title: &'a str,
    /// Below the matrix.
    pub caption: &'a str,
    /// Rows and columns are sorted by its colours; `None`: as they are.
    pub sorted_by: Option<&'a Colouring>,
}

/// Side of a matrix, pixels.
const SIDE: usize = 640;
/// Around each matrix, pixels; texts stand in it above and below.
const MARGIN: usize = 44;
/// Pixels per dot of the letters.
const SCALE: usize = 2;
const INK: [u8; 3] = [45, 50, 56];
const FRAME: [u8; 3] = [90, 96, 104];

/// Draws the adjacency matrix of a graph, a dot for every pair of neighbours, in every order asked for: up to three side
/// by side. Where it is sorted, the squares of the colours on the diagonal are tinted; nothing is in them if the colouring
/// is valid. The colourings must be of this graph.
pub fn matrix_picture(graph: &Graph, panels: &[MatrixPanel]) -> Image {
    let pictures: Vec<Image> = panels.iter().map(|panel| draw(graph, panel)).collect();
    Image::sheet(&pictures, if pictures.len() == 4 { 2 } else { 3 })
}

fn draw(graph: &Graph, panel: &MatrixPanel) -> Image {
    let size = SIDE + 2 * MARGIN;
    let mut image = Image::new(size, size, [255; 3]);
    if let Some(colouring) = panel.sorted_by {
        tint(&mut image, colouring);
    }
    dots(&mut image, graph, &places(graph.len(), panel.sorted_by));
    let (near, far) = (MARGIN as f64 - 1.0, (MARGIN + SIDE) as f64 + 1.0);
    for [from, to] in [[[near, near], [far, near]], [[near, far], [far, far]], [[near, near], [near, far]]] {
        image.line(from, to, 2.0, FRAME);
    }
    image.line([far, near], [far, far], 2.0, FRAME);
    let mut centred = |text: &str, top: usize| {
        let left = (size as i64 - text_width(text, SCALE) as i64) / 2;
        image.text(left, top as i64, SCALE, INK, text);
    };
    centred(panel.title, (MARGIN - HEIGHT * SCALE) / 2);
    centred(panel.caption, MARGIN + SIDE + (MARGIN - HEIGHT * SCALE) / 2);
    image
}

/// The row of each vertex.
fn places(vertices: usize, sorted_by: Option<&Colouring>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..vertices).collect();
    if let Some(colouring) = sorted_by {
        colouring.classes.item.iter().enumerate().for_each(|(place, &v)| places[v as usize] = place);
    }
    places
}

/// From which pixel to which a row reaches, inside the frame: at least one pixel, and several rows may share one.
fn pixels(place: usize, vertices: usize) -> std::ops::Range<usize> {
    let first = (place * SIDE / vertices).min(SIDE - 1);
    first..((place + 1) * SIDE / vertices).max(first + 1)
}

fn tint(image: &mut Image, colouring: &Colouring) {
    let vertices = colouring.colour.len();
    for (c, ends) in colouring.classes.offset.windows(2).enumerate() {
        let [from, to] = [ends[0], ends[1]].map(|end| end as usize * SIDE / vertices.max(1));
        let colour = chart_colour(c).map(|part| 255 - (255 - part) / 4);
        let (corner, side) = ((MARGIN + from) as i64, (to - from) as i64);
        image.fill_rectangle(corner, corner, side, side, colour);
    }
}

fn dots(image: &mut Image, graph: &Graph, places: &[usize]) {
    let mut count = vec![0u32; SIDE * SIDE];
    for (v, row) in graph.rows().enumerate() {
        for &n in row.iter().filter(|&&n| n as usize != v) {
            for y in pixels(places[v], places.len()) {
                for x in pixels(places[n as usize], places.len()) {
                    count[y * SIDE + x] += 1;
                }
            }
        }
    }
    let most = f64::from(count.iter().copied().max().unwrap_or(0).max(1));
    for (i, &count) in count.iter().enumerate().filter(|(_, count)| **count > 0) {
        // One pair among millions is still seen.
        let dark = 0.45 + 0.55 * (f64::from(count) / most).sqrt();
        image.blend((MARGIN + i % SIDE) as i64, (MARGIN + i / SIDE) as i64, INK, dark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::{mesh_graph, vivace};
    use crate::mesh::topology::adjacency;

    fn panel<'a>(sorted_by: Option<&'a Colouring>) -> MatrixPanel<'a> {
        MatrixPanel { title: "title", caption: "caption", sorted_by }
    }

    fn is_dark(image: &Image, row: usize, column: usize, vertices: usize) -> bool {
        let middle = |place: usize| MARGIN + (2 * place + 1) * SIDE / (2 * vertices);
        image.pixel(middle(column), middle(row)).unwrap().iter().all(|&part| part < 150)
    }

    #[test]
    fn dots_are_where_neighbours_are_in_both_orders() {
        let graph = adjacency(4, &[[0, 1], [1, 2], [2, 3]]);
        let colouring = Colouring::new(vec![0, 1, 0, 1], 1);
        let [plain, sorted] = [None, Some(&colouring)].map(|by| matrix_picture(&graph, &[panel(by)]));
        let dark = |image: &Image| -> Vec<[usize; 2]> {
            let all = (0..16).map(|i| [i / 4, i % 4]);
            all.filter(|[row, column]| is_dark(image, *row, *column, 4)).collect()
        };
        assert_eq!(dark(&plain), [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2]]);
        // Rows are now the vertices 0, 2, 1, 3.
        assert_eq!(dark(&sorted), [[0, 2], [1, 2], [1, 3], [2, 0], [2, 1], [3, 1]]);
    }

    #[test]
    fn the_squares_of_the_colours_are_empty() {
        let mesh = crate::mesh::generate::grid([1.0, 1.0], [40, 40], crate::scene::Triangulation::Uniform).unwrap();
        let graph = mesh_graph(&mesh);
        let colouring = vivace(&graph, 0);
        let image = matrix_picture(&graph, &[panel(Some(&colouring))]);
        for ends in colouring.classes.offset.windows(2) {
            let inside = ends[0] as usize * SIDE / 1600 + 2..ends[1] as usize * SIDE / 1600 - 2;
            for y in inside.clone() {
                for x in inside.clone() {
                    assert!(image.pixel(MARGIN + x, MARGIN + y).unwrap().iter().any(|&part| part > 150));
                }
            }
        }
    }

    #[test]
    fn panels_stand_side_by_side_and_nothing_can_be_drawn() {
        let graph = Graph::default();
        let none = Colouring::default();
        let image = matrix_picture(&graph, &[panel(None), panel(Some(&none))]);
        assert!(image.width > 2 * SIDE && image.height < 2 * SIDE);
        assert!(image.pixels.contains(&INK), "the texts");
        let six = matrix_picture(&adjacency(1, &[]), &[panel(None); 6]);
        assert!(six.width > 3 * SIDE && six.height > 2 * SIDE);
    }
}
