//! BLAKE3 as its paper specifies it (O'Connor, Aumasson, Neves and Wilcox-O'Hearn 2020, section 2),
//! without keys and without instructions of one processor.
//!
//! The hash is a binary tree over chunks of 1,024 bytes. A chunk is a chain of blocks of 64 bytes.

const BLOCK: usize = 64;
const CHUNK: usize = 1024;

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

/// Eight words that stand for a chunk or for a part of the tree.
type Chain = [u32; 8];

const IV: Chain = [
    0x6A09_E667,
    0xBB67_AE85,
    0x3C6E_F372,
    0xA54F_F53A,
    0x510E_527F,
    0x9B05_688C,
    0x1F83_D9AB,
    0x5BE0_CD19,
];

const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// The eight mixing steps of a round: four columns, then four diagonals.
const STEPS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// What the compression function takes.
#[derive(Clone, Copy)]
struct Node {
    chain: Chain,
    words: [u32; 16],
    counter: u64,
    length: u32,
    flags: u32,
}

impl Node {
    /// The parent of two parts of the tree.
    fn parent(left: Chain, right: Chain) -> Node {
        let words = std::array::from_fn(|at| if at < 8 { left[at] } else { right[at - 8] });
        Node { chain: IV, words, counter: 0, length: BLOCK as u32, flags: PARENT }
    }

    fn compress(&self) -> Chain {
        let mut state = [0; 16];
        state[..8].copy_from_slice(&self.chain);
        state[8..12].copy_from_slice(&IV[..4]);
        state[12..].copy_from_slice(&[
            self.counter as u32,
            (self.counter >> 32) as u32,
            self.length,
            self.flags,
        ]);
        let mut words = self.words;
        for _ in 0..7 {
            for (step, places) in STEPS.into_iter().enumerate() {
                mix(&mut state, places, words[2 * step], words[2 * step + 1]);
            }
            words = PERMUTATION.map(|at| words[at]);
        }
        std::array::from_fn(|at| state[at] ^ state[at + 8])
    }
}

fn mix(state: &mut [u32; 16], [a, b, c, d]: [usize; 4], first: u32, second: u32) {
    for (word, turns) in [(first, [16, 12]), (second, [8, 7])] {
        state[a] = state[a].wrapping_add(state[b]).wrapping_add(word);
        state[d] = (state[d] ^ state[a]).rotate_right(turns[0]);
        state[c] = state[c].wrapping_add(state[d]);
        state[b] = (state[b] ^ state[c]).rotate_right(turns[1]);
    }
}

/// A hash.
pub(super) struct Hash([u8; 32]);

impl Hash {
    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hashes bytes that come in parts.
pub(super) struct Hasher {
    /// The finished subtrees on the left, the largest first.
    stack: Vec<Chain>,
    /// Number of finished chunks.
    chunks: u64,
    chain: Chain,
    /// The bytes of the present chunk that are in `chain`.
    compressed: usize,
    block: [u8; BLOCK],
    filled: usize,
}

impl Hasher {
    pub(super) fn new() -> Hasher {
        Hasher {
            stack: Vec::new(),
            chunks: 0,
            chain: IV,
            compressed: 0,
            block: [0; BLOCK],
            filled: 0,
        }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // The last block stays, because it is compressed in another way.
            if self.filled == BLOCK {
                self.next_block();
            }
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.filled));
            self.block[self.filled..][..now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = later;
        }
    }

    pub(super) fn finalize(&self) -> Hash {
        let mut node = self.last_node();
        for left in self.stack.iter().rev() {
            node = Node::parent(*left, node.compress());
        }
        node.flags |= ROOT;
        // The counter of the root counts blocks of output.
        node.counter = 0;
        let chain = node.compress().map(u32::to_le_bytes);
        Hash(std::array::from_fn(|at| chain[at / 4][at % 4]))
    }

    fn next_block(&mut self) {
        let is_last = self.compressed + BLOCK == CHUNK;
        if is_last {
            let chunk = self.last_node().compress();
            self.add_chunk(chunk);
            (self.chain, self.compressed) = (IV, 0);
        } else {
            self.chain = self.node(0).compress();
            self.compressed += BLOCK;
        }
        (self.block, self.filled) = ([0; BLOCK], 0);
    }

    /// The node of the present block.
    fn node(&self, flags: u32) -> Node {
        let start = if self.compressed == 0 { CHUNK_START } else { 0 };
        let words = std::array::from_fn(|at| {
            u32::from_le_bytes(std::array::from_fn(|byte| self.block[4 * at + byte]))
        });
        Node {
            chain: self.chain,
            words,
            counter: self.chunks,
            length: self.filled as u32,
            flags: start | flags,
        }
    }

    /// The node that ends the present chunk.
    fn last_node(&self) -> Node {
        self.node(CHUNK_END)
    }

    /// Adds a finished chunk. Each zero at the end of the new number of chunks completes a subtree.
    fn add_chunk(&mut self, mut chain: Chain) {
        self.chunks += 1;
        for _ in 0..self.chunks.trailing_zeros() {
            let Some(left) = self.stack.pop() else { break };
            chain = Node::parent(left, chain).compress();
        }
        self.stack.push(chain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of the hash of the published test vector of this length: bytes that count up
    /// to 250.
    fn vector(length: usize) -> String {
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        // In parts of all sizes.
        let mut hasher = Hasher::new();
        let (mut rest, mut size) = (&bytes[..], 0);
        while !rest.is_empty() {
            let part = size.min(rest.len());
            hasher.update(&rest[..part]);
            rest = &rest[part..];
            size += 1;
        }
        let hash = hasher.finalize();
        let first: [u8; 8] = std::array::from_fn(|at| hash.as_bytes()[at]);
        format!("{:016x}", u64::from_be_bytes(first))
    }

    #[test]
    fn hashes_are_those_of_the_published_vectors() {
        for (length, hash) in [
            (0, "af1349b9f5f9a1a6"),
            (1, "2d3adedff11b61f1"),
            (1024, "42214739f095a406"),
            (1025, "d00278ae47eb27b3"),
            (2048, "e776b6028c7cd22a"),
            (31744, "62b6960e1a44bcc1"),
            (102_400, "bc3e3d41a1146b06"),
        ] {
            assert_eq!(vector(length), hash, "{length} bytes");
        }
    }

    #[cfg(feature = "fuzzing")]
    #[test]
    fn hashes_are_those_of_the_crate_blake3() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|at| ((at * at) >> 3) as u8).collect();
        let lengths = (0..200).chain((0..40).flat_map(|n| [n * 512, n * 512 + 1, n * 512 + 65]));
        for length in lengths.filter(|length| *length <= bytes.len()) {
            let mut hasher = Hasher::new();
            hasher.update(&bytes[..length]);
            let theirs = blake3::hash(&bytes[..length]);
            assert_eq!(hasher.finalize().as_bytes(), theirs.as_bytes(), "{length}");
        }
    }
}
