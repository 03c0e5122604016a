use rayon::prelude::*;

/// A sparse matrix by rows, columns sorted within a row. Square and symmetric, but for interpolation between levels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    /// Row i is `offset[i]..offset[i + 1]` of the two arrays below.
    pub offset: Vec<u32>,
    /// Column of each entry.
    pub column: Vec<u32>,
    /// Value of each entry.
    pub value: Vec<f64>,
}

impl Csr {
    /// Sums duplicates. Every diagonal entry is present, even when it is zero.
    pub fn from_triplets(n: usize, triplets: impl Iterator<Item = (u32, u32, f64)> + Clone) -> Self {
        let diagonal = (0..n as u32).map(|i| (i, i, 0.0));
        let all = triplets.chain(diagonal);
        let mut start = vec![0u32; n + 1];
        for (row, ..) in all.clone() {
            start[row as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut entries = vec![(0u32, 0.0); start[n] as usize];
        for (row, column, value) in all {
            let at = &mut next[row as usize];
            entries[*at as usize] = (column, value);
            *at += 1;
        }
        let mut matrix = Self { offset: vec![0; n + 1], column: Vec::new(), value: Vec::new() };
        for row in 0..n {
            let entries = &mut entries[start[row] as usize..start[row + 1] as usize];
            // Stable: equal columns keep their order, so the sum does not depend on the sort.
            entries.sort_by_key(|entry| entry.0);
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                matrix.column.push(group[0].0);
                matrix.value.push(group.iter().map(|entry| entry.1).sum());
            }
            matrix.offset[row + 1] = matrix.column.len() as u32;
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offset.len().saturating_sub(1)
    }

    /// Entries of a row as (column, value).
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offset[i] as usize..self.offset[i + 1] as usize;
        self.column[range.clone()].iter().map(|&j| j as usize).zip(self.value[range].iter().copied())
    }

    /// Where the values hold the diagonal entry of row `i`.
    pub fn diagonal_at(&self, i: usize) -> Option<usize> {
        let range = self.offset[i] as usize..self.offset[i + 1] as usize;
        self.column[range.clone()].binary_search(&(i as u32)).ok().map(|k| range.start + k)
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows()).map(|i| self.diagonal_at(i).map_or(0.0, |at| self.value[at])).collect()
    }

    /// The product with a matrix of `columns` columns.
    pub fn times(&self, other: &Self, columns: usize) -> Self {
        // Rows in chunks: each chunk has its own accumulator, and the order of sums does not depend on threads.
        const CHUNK: usize = 4096;
        let chunks: Vec<_> = (0..self.rows().div_ceil(CHUNK)).collect();
        let parts: Vec<(Vec<u32>, Vec<u32>, Vec<f64>)> = chunks
            .into_par_iter()
            .map(|chunk| {
                let mut sums = vec![0.0; columns];
                let mut seen = vec![u32::MAX; columns];
                let mut touched: Vec<u32> = Vec::new();
                let (mut lengths, mut column, mut value) = (Vec::new(), Vec::new(), Vec::new());
                for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.rows()) {
                    touched.clear();
                    for (j, a) in self.row(i) {
                        for (k, b) in other.row(j) {
                            if seen[k] != i as u32 {
                                seen[k] = i as u32;
                                sums[k] = 0.0;
                                touched.push(k as u32);
                            }
                            sums[k] += a * b;
                        }
                    }
                    touched.sort_unstable();
                    lengths.push(touched.len() as u32);
                    column.extend_from_slice(&touched);
                    value.extend(touched.iter().map(|&k| sums[k as usize]));
                }
                (lengths, column, value)
            })
            .collect();
        let mut out = Self { offset: vec![0], ..Self::default() };
        for (lengths, column, value) in parts {
            for length in lengths {
                out.offset.push(out.offset[out.offset.len() - 1] + length);
            }
            out.column.extend(column);
            out.value.extend(value);
        }
        out
    }

    /// The transpose of a matrix of `columns` columns.
    pub fn transposed(&self, columns: usize) -> Self {
        let mut offset = vec![0u32; columns + 1];
        self.column.iter().for_each(|&j| offset[j as usize + 1] += 1);
        for j in 0..columns {
            offset[j + 1] += offset[j];
        }
        let mut next = offset.clone();
        let (mut column, mut value) = (vec![0; self.column.len()], vec![0.0; self.value.len()]);
        for i in 0..self.rows() {
            for (j, a) in self.row(i) {
                let at = next[j] as usize;
                (column[at], value[at]) = (i as u32, a);
                next[j] += 1;
            }
        }
        Self { offset, column, value }
    }

    /// Largest eigenvalue of D⁻¹A by power iteration from a fixed start, where D is the diagonal; slightly below the
    /// true one. Rows with a zero diagonal are left out.
    pub fn largest_jacobi_eigenvalue(&self, iterations: usize) -> f64 {
        let n = self.rows();
        let diagonal = self.diagonal();
        // The extreme eigenvector oscillates from vertex to vertex, so an irregular start has a share of it.
        let mut v: Vec<f64> =
            (0..n as u64).map(|i| ((i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64) - 8388608.0).collect();
        let mut eigenvalue = 0.0;
        for _ in 0..iterations {
            // Rayleigh quotient in the D inner product, in which D⁻¹A is symmetric.
            let norm = v.iter().zip(&diagonal).map(|(v, d)| v * v * d).sum::<f64>().sqrt();
            if norm == 0.0 {
                return 0.0;
            }
            v.iter_mut().for_each(|v| *v /= norm);
            let product: Vec<f64> = (0..n).map(|i| self.row(i).map(|(j, a)| a * v[j]).sum()).collect();
            eigenvalue = v.iter().zip(&product).map(|(v, p)| v * p).sum();
            for i in 0..n {
                v[i] = if diagonal[i] > 0.0 { product[i] / diagonal[i] } else { 0.0 };
            }
        }
        eigenvalue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_summed_and_the_diagonal_is_always_there() {
        let triplets = [(0, 1, 2.0), (1, 0, 3.0), (0, 1, 4.0), (2, 0, 1.0)];
        let matrix = Csr::from_triplets(3, triplets.iter().copied());
        assert_eq!(matrix.row(0).collect::<Vec<_>>(), [(0, 0.0), (1, 6.0)]);
        assert_eq!(matrix.row(2).collect::<Vec<_>>(), [(0, 1.0), (2, 0.0)]);
        assert_eq!(matrix.diagonal(), [0.0; 3]);
    }

    #[test]
    fn power_iteration_finds_the_largest_eigenvalue_of_a_path() {
        // D⁻¹A of a free path of n springs has the eigenvalues 1 − cos(πk/n), the largest being 2.
        let n = 20;
        let triplets = (0..n - 1).flat_map(|i| [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)]);
        let largest = Csr::from_triplets(n as usize, triplets).largest_jacobi_eigenvalue(2000);
        assert!((largest - 2.0).abs() < 1e-3, "{largest}");
    }
}
