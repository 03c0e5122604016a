//! Aligned text for people.

use pliant::counted::counted;
pub(crate) use pliant::counted::short;

/// Rows under a header; columns of numbers are aligned to the right.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|cell| cell.to_string()).collect()] }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The rows, columns two blanks apart, a line under the header.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let numeric: Vec<bool> = (0..columns).map(|c| self.is_numeric(c)).collect();
        let mut text = String::new();
        for (r, row) in self.rows.iter().enumerate() {
            let cells = row.iter().enumerate().map(|(c, cell)| {
                let gap = " ".repeat(widths[c] - cell.chars().count());
                if numeric[c] { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
            if r == 0 {
                text.push_str(&"-".repeat(widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1)));
                text.push('\n');
            }
        }
        text
    }

    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().skip(1).filter_map(|row| row.get(column)).filter(|c| !c.is_empty()).peekable();
        let number = |c: &String| c == "-" || c.split(' ').next().is_some_and(|word| word.parse::<f64>().is_ok());
        cells.peek().is_some() && cells.all(number)
    }
}

/// Names and values, one pair a line.
pub(crate) fn pairs(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    pairs.iter().map(|(name, value)| format!("  {name:width$}  {value}\n")).collect()
}

/// Numbers with the words for what they count, singular and plural: `1 frame, 6 steps`.
pub(crate) fn counts(of: &[(u64, &str, &str)]) -> String {
    of.iter().map(|(count, one, many)| counted(*count, one, many)).collect::<Vec<_>>().join(", ")
}

/// What a mesh is made of.
pub(crate) fn mesh_counts(vertices: usize, triangles: usize, tets: usize) -> String {
    counts(&[
        (vertices as u64, "vertex", "vertices"),
        (triangles as u64, "triangle", "triangles"),
        (tets as u64, "tetrahedron", "tetrahedra"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_numbers_end_at_the_same_place() {
        let mut table = Table::new(&["name", "ms"]);
        table.row(["a".to_string(), "1.5".to_string()]);
        table.row(["längst".to_string(), "120".to_string()]);
        table.row(["none".to_string(), "-".to_string()]);
        assert_eq!(table.text(), "name     ms\n-----------\na       1.5\nlängst  120\nnone      -\n");
    }
}
