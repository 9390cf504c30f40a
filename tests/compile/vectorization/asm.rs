//! Reads what the compiler writes with `--emit asm`, in Intel's syntax: functions, and the loops in them.
//!
//! Loops are found in the graph of basic blocks and not by the order of lines, since blocks that are seldom run stand at the end of their
//! function. The line tables (`.loc`) contain the source of each instruction.

use std::collections::{BTreeMap, BTreeSet};

/// The functions of a crate.
#[derive(Debug, Default)]
pub(crate) struct Listing<'a> {
    functions: Vec<Function<'a>>,
    /// The paths of sources, by their numbers.
    files: BTreeMap<u32, &'a str>,
}

/// A function, as it is written.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    /// The mangled name.
    pub(crate) symbol: &'a str,
    instructions: Vec<Instruction<'a>>,
    /// Before which instruction a label stands.
    labels: BTreeMap<&'a str, usize>,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instruction<'a> {
    pub(crate) mnemonic: &'a str,
    pub(crate) operands: &'a str,
    /// The number of the source, and the line in it.
    pub(crate) source: (u32, u32),
}

/// A loop that has no other one inside.
#[derive(Debug)]
pub(crate) struct Loop<'a> {
    /// The instructions, block by block.
    pub(crate) blocks: Vec<Vec<Instruction<'a>>>,
}

impl<'a> Listing<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut listing = Self::default();
        let mut source = (0, 0);
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(label) = line.strip_suffix(':') {
                if is_local(label) {
                    if let Some(function) = listing.functions.last_mut() {
                        function.labels.insert(label, function.instructions.len());
                    }
                } else {
                    listing.functions.push(Function {
                        symbol: label,
                        instructions: Vec::new(),
                        labels: BTreeMap::new(),
                    });
                    source = (0, 0);
                }
            } else if let Some(rest) = line.strip_prefix(".loc") {
                source = position(rest);
            } else if let Some(rest) = line.strip_prefix(".file") {
                listing.files.extend(file(rest));
            } else if !line.is_empty()
                && !line.starts_with('.')
                && let Some(function) = listing.functions.last_mut()
            {
                let (mnemonic, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                function.instructions.push(Instruction { mnemonic, operands: operands.trim(), source });
            }
        }
        // A function without instructions is data.
        listing.functions.retain(|function| !function.instructions.is_empty());
        listing
    }

    pub(crate) fn functions(&self) -> &[Function<'a>] {
        &self.functions
    }

    /// The number of the one source whose path ends so.
    pub(crate) fn file_number(&self, end: &str) -> Option<u32> {
        self.files.iter().find(|(_, path)| path.ends_with(end)).map(|(&number, _)| number)
    }
}

/// Whether a label is inside of something that has a name.
fn is_local(label: &str) -> bool {
    label.starts_with(".L") || label.starts_with('L')
}

/// `11 75 5 is_stmt 0`: the numbers of file and line.
fn position(rest: &str) -> (u32, u32) {
    let mut numbers = rest.split_whitespace().map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// `11 "/folder" "src/lib.rs" md5 0x..`: the number and the last of the names.
fn file(rest: &str) -> Option<(u32, &str)> {
    let number = rest.split_whitespace().next()?.parse().ok()?;
    Some((number, rest.split('"').skip(1).step_by(2).last()?))
}

impl<'a> Function<'a> {
    pub(crate) fn instructions(&self) -> &[Instruction<'a>] {
        &self.instructions
    }

    /// The loops that have no other ones inside, in the order of their first blocks.
    pub(crate) fn innermost_loops(&self) -> Vec<Loop<'a>> {
        let graph = Graph::of(self);
        let loops = graph.loops();
        let is_inside = |inner: &NaturalLoop, outer: &NaturalLoop| {
            outer.body.contains(&inner.head) && (inner.head != outer.head || inner.body.len() < outer.body.len())
        };
        let instructions = |&block: &usize| self.instructions[graph.starts[block]..graph.starts[block + 1]].to_vec();
        loops
            .iter()
            .filter(|outer| !loops.iter().any(|inner| is_inside(inner, outer)))
            .map(|NaturalLoop { body, .. }| Loop { blocks: body.iter().map(instructions).collect() })
            .collect()
    }
}

/// A loop in the graph of a function.
struct NaturalLoop {
    /// The block that it is entered by.
    head: usize,
    body: BTreeSet<usize>,
}

/// The basic blocks of a function.
struct Graph {
    /// At which instructions they begin, and the number of instructions.
    starts: Vec<usize>,
    /// Which may come after each.
    next: Vec<Vec<usize>>,
}

impl Graph {
    fn of(function: &Function<'_>) -> Self {
        let Function { instructions, labels, .. } = function;
        let mut starts = BTreeSet::from([0, instructions.len()]);
        for (at, instruction) in instructions.iter().enumerate() {
            starts.extend(instruction.jump_target().and_then(|label| labels.get(label)));
            if instruction.jump_target().is_some() || instruction.ends_here() {
                starts.insert(at + 1);
            }
        }
        let starts: Vec<usize> = starts.into_iter().collect();
        let block_at = |at: usize| starts.binary_search(&at).ok().filter(|&block| block + 1 < starts.len());
        let successors = |bounds: &[usize]| {
            let last = &instructions[bounds[1] - 1];
            let target = last.jump_target().and_then(|label| labels.get(label)).and_then(|&at| block_at(at));
            let below = if last.ends_here() { None } else { block_at(bounds[1]) };
            target.into_iter().chain(below).collect()
        };
        let next = starts.windows(2).map(successors).collect();
        Self { starts, next }
    }

    /// The loops, in the order of their first blocks.
    ///
    /// A loop over tables may lead straight into the loop over the rows of the next table: then both begin with one block. So if one of two
    /// paths back to a block contains all blocks of the other path and more, it closes an outer loop. A loop that continues early with its
    /// next iteration looks alike: its shortest path contains the branch for that, in addition to the jump that closes the loop.
    fn loops(&self) -> Vec<NaturalLoop> {
        let mut bodies = BTreeMap::<usize, Vec<BTreeSet<usize>>>::new();
        for (last, head) in self.backward_edges() {
            let mut body = BTreeSet::from([head]);
            // The blocks that lead to the last block without the first one.
            let mut open = vec![last];
            while let Some(block) = open.pop() {
                if body.insert(block) {
                    open.extend((0..self.next.len()).filter(|&before| self.next[before].contains(&block)));
                }
            }
            bodies.entry(head).or_default().push(body);
        }
        let mut loops = Vec::<NaturalLoop>::new();
        for (head, mut bodies) in bodies {
            bodies.sort_by_key(BTreeSet::len);
            for body in bodies {
                match loops.last_mut().filter(|inner| inner.head == head && !inner.body.is_subset(&body)) {
                    Some(inner) => inner.body.extend(body),
                    None => loops.push(NaturalLoop { head, body }),
                }
            }
        }
        loops
    }

    /// Edges to a block that is being visited: in what compilers make of structured programs, these close the loops.
    fn backward_edges(&self) -> Vec<(usize, usize)> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.next.len()];
        let mut edges = Vec::new();
        // The path to the block that is visited, and which of its edges comes next.
        let mut path = vec![(0, 0)];
        states[0] = State::Open;
        while let Some((block, edge)) = path.last_mut() {
            let block = *block;
            let Some(&to) = self.next[block].get(*edge) else {
                states[block] = State::Done;
                path.pop();
                continue;
            };
            *edge += 1;
            match states[to] {
                State::New => {
                    states[to] = State::Open;
                    path.push((to, 0));
                }
                State::Open => edges.push((block, to)),
                State::Done => {}
            }
        }
        edges
    }
}

/// How wide the registers of an instruction are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Width {
    /// General ones, or none.
    General,
    Xmm,
    Ymm,
    Zmm,
}

impl<'a> Instruction<'a> {
    /// Where a jump leads: a label, a function or a register.
    pub(crate) fn jump_target(&self) -> Option<&'a str> {
        self.mnemonic.starts_with('j').then_some(self.operands)
    }

    pub(crate) fn is_call(&self) -> bool {
        self.mnemonic == "call"
    }

    /// Whether it never goes on with the next instruction.
    fn ends_here(&self) -> bool {
        // No instruction follows a call of a function that does not return.
        let diverges =
            || ["panic", "_fail", "Unwind_Resume", "handle_error"].iter().any(|name| self.operands.contains(name));
        matches!(self.mnemonic, "jmp" | "ret" | "ud2") || self.is_call() && diverges()
    }

    /// Returns the mnemonic, which is the same for the SSE and the AVX form of the instruction.
    pub(crate) fn stem(&self) -> &'a str {
        // `verr` and its like are not made by compilers.
        self.mnemonic.strip_prefix('v').unwrap_or(self.mnemonic)
    }

    /// The widest registers that it names.
    pub(crate) fn width(&self) -> Width {
        [("zmm", Width::Zmm), ("ymm", Width::Ymm), ("xmm", Width::Xmm)]
            .into_iter()
            .find_map(|(name, width)| self.operands.contains(name).then_some(width))
            .unwrap_or(Width::General)
    }

    /// Whether it computes with one number in a vector register, conversions included.
    pub(crate) fn is_scalar_arithmetic(&self) -> bool {
        let stem = self.stem();
        let is_of_one = stem.ends_with("ss") || stem.ends_with("sd");
        // Those with `p` are packed integers: `pmaxsd` is the maximum of signed `dword`s.
        let moves = ["mov", "broadcast", "p"].iter().any(|start| stem.starts_with(start));
        let converts = stem.starts_with("cvts") || stem.starts_with("cvtts");
        self.width() != Width::General && (is_of_one && !moves || converts)
    }

    /// Whether it reads one number or address into a register, or compares two numbers that have been read.
    pub(crate) fn is_load_of_one(&self) -> bool {
        let is_load = self.operands.split_once(',').is_some_and(|(to, from)| !to.contains('[') && from.contains('['));
        let stem = self.stem();
        is_load && matches!(stem, "mov" | "movss" | "movsd" | "broadcastss" | "broadcastsd")
            || stem.starts_with("ucomis")
    }

    /// Whether a product and a sum are rounded once.
    pub(crate) fn is_contracted(&self) -> bool {
        ["vfm", "vfnm"].iter().any(|start| self.mnemonic.starts_with(start))
    }

    /// Whether it is one of AVX or later.
    pub(crate) fn is_wide(&self) -> bool {
        self.mnemonic.starts_with('v') || self.width() > Width::Xmm
    }

    /// How many bytes of memory it touches, apart from constants and the stack.
    pub(crate) fn bytes(&self) -> usize {
        let operand = self.operands.split(',').find(|operand| operand.contains('['));
        let Some(operand) = operand.filter(|operand| !operand.contains("rip") && !operand.contains("rsp")) else {
            return 0;
        };
        let size = operand.split_whitespace().next().unwrap_or_default();
        let sizes =
            [("zmmword", 64), ("ymmword", 32), ("xmmword", 16), ("qword", 8), ("dword", 4), ("word", 2), ("byte", 1)];
        sizes.iter().find(|(name, _)| *name == size).map_or(0, |&(_, bytes)| bytes)
    }
}

impl<'a> Loop<'a> {
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &Instruction<'a>> {
        self.blocks.iter().flatten()
    }

    /// How many bytes one turn touches.
    pub(crate) fn bytes(&self) -> usize {
        self.instructions().map(Instruction::bytes).sum()
    }
}

#[cfg(test)]
mod tests;
