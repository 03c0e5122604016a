/// Rows of indices packed one after the other (compressed sparse rows): which elements touch each vertex, which
/// vertices are its neighbours, which vertices have each colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incidence {
    /// Row i is `item[offset[i]..offset[i + 1]]`; one more than there are rows (empty only by default).
    pub offset: Vec<u32>,
    /// The rows' contents.
    pub item: Vec<u32>,
}

impl Incidence {
    /// For each vertex the element corners that sit on it, as element·N + corner, in ascending order.
    pub fn new<const N: usize>(vertices: usize, stencils: &[[u32; N]]) -> Self {
        let corners = stencils.as_flattened();
        Self::grouped(vertices, corners.iter().enumerate().map(|(item, &vertex)| (vertex, item as u32)))
    }

    /// Packs (row, item) pairs by row; items of a row keep the order they come in.
    pub fn grouped(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let buckets = Buckets::unsorted(rows, pairs);
        Self { offset: buckets.offset.iter().map(|&o| o as u32).collect(), item: buckets.item }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offset.len().saturating_sub(1)
    }

    /// There are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `i`.
    #[inline]
    pub fn of(&self, i: usize) -> &[u32] {
        &self.item[self.offset[i] as usize..self.offset[i + 1] as usize]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[u32]> + ExactSizeIterator + Clone {
        (0..self.len()).map(|i| self.of(i))
    }

    /// Length of the longest row; 0 if there is none.
    pub fn max_degree(&self) -> usize {
        self.rows().map(<[u32]>::len).max().unwrap_or(0)
    }
}

/// The neighbours of each vertex, ascending and without repeats; an edge from a vertex to itself is ignored.
pub fn adjacency(vertices: usize, edges: &[[u32; 2]]) -> Incidence {
    let both = edges.iter().filter(|[a, b]| a != b).flat_map(|&[a, b]| [(a, b), (b, a)]);
    let buckets = Buckets::new(vertices, both);
    let mut graph = Incidence { offset: Vec::with_capacity(vertices + 1), item: Vec::with_capacity(buckets.len()) };
    graph.offset.push(0);
    for (_, neighbours) in buckets.iter() {
        let start = graph.item.len();
        for &n in neighbours {
            if graph.item[start..].last() != Some(&n) {
                graph.item.push(n);
            }
        }
        graph.offset.push(graph.item.len() as u32);
    }
    graph
}

/// Which connected piece each vertex belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// Number of pieces; a vertex without neighbours is one.
    pub count: usize,
    /// The piece of each vertex; pieces are numbered by their lowest vertex.
    pub label: Vec<u32>,
}

/// The connected pieces of a graph such as [`adjacency`] makes.
pub fn components(adjacency: &Incidence) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let mut found = Components { count: 0, label: vec![UNSEEN; adjacency.len()] };
    let mut open: Vec<u32> = Vec::new();
    for seed in 0..adjacency.len() {
        if found.label[seed] != UNSEEN {
            continue;
        }
        let label = found.count as u32;
        found.count += 1;
        found.label[seed] = label;
        open.push(seed as u32);
        while let Some(v) = open.pop() {
            for &n in adjacency.of(v as usize) {
                if found.label[n as usize] == UNSEEN {
                    found.label[n as usize] = label;
                    open.push(n);
                }
            }
        }
    }
    found
}

/// Values in numbered buckets, filled by counting. Offsets are wide: a big tet mesh has more half-edges than u32 counts.
pub(super) struct Buckets<T> {
    offset: Vec<usize>,
    item: Vec<T>,
}

impl<T: Copy + Default> Buckets<T> {
    /// In each bucket values keep the order they come in. Walks the pairs twice.
    fn unsorted(buckets: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut offset = vec![0; buckets + 1];
        for (bucket, _) in pairs.clone() {
            offset[bucket as usize + 1] += 1;
        }
        for i in 0..buckets {
            offset[i + 1] += offset[i];
        }
        let mut next = offset.clone();
        let mut item = vec![T::default(); offset[buckets]];
        for (bucket, value) in pairs {
            item[next[bucket as usize]] = value;
            next[bucket as usize] += 1;
        }
        Self { offset, item }
    }

    /// In each bucket values are sorted.
    pub(super) fn new(buckets: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self
    where
        T: Ord,
    {
        let mut filled = Self::unsorted(buckets, pairs);
        for i in 0..buckets {
            filled.item[filled.offset[i]..filled.offset[i + 1]].sort_unstable();
        }
        filled
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.item.len()
    }

    /// The buckets in order, with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[T])> {
        self.offset.windows(2).enumerate().map(|(i, w)| (i as u32, &self.item[w[0]..w[1]]))
    }
}
