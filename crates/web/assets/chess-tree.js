// The moves of a game with its variations, as nodes that know their parents. What is legal, and
// what a move leads to, comes from the server.

/**
 * @typedef {Object} Node
 * @property {?Node} parent
 * @property {Node[]} children the first one is the main continuation
 * @property {number} ply how many moves lead here
 * @property {string} fen
 * @property {?Object} move what the server says of the move that led here
 * @property {string[]} before what is said before the first move of a variation
 * @property {string[]} text what is said about the move
 * @property {Object[]} arrows
 * @property {Object[]} circles
 * @property {Object} marks
 * @property {boolean} own whether the reader of the page has added it
 */

/** The start of a game. */
export function rootOf(fen, said = {}) {
  return {
    parent: null, children: [], ply: 0, fen, move: null, before: [], text: said.text ?? [],
    arrows: said.arrows ?? [], circles: said.circles ?? [], marks: said.marks ?? null, own: false,
    drawn: [],
  };
}

/** The tree of a game as the server writes it. */
export function treeOf(game) {
  const root = rootOf(game.start, game);
  addLine(root, game.line, false);
  return root;
}

/** Adds the plies of a line behind a node and returns the last node. */
export function addLine(start, plies, own) {
  let at = start;
  for (const ply of plies) {
    const node = add(at, ply, own);
    for (const branch of ply.variations ?? []) addBranch(at, branch, own);
    at = node;
  }
  return at;
}

function addBranch(parent, branch, own) {
  addLine(parent, branch.line, own);
  const first = parent.children.find((child) => child.move.uci === branch.line[0]?.uci);
  if (first) first.before = branch.text ?? [];
}

function add(parent, ply, own) {
  const known = parent.children.find((child) => child.move.uci === ply.uci);
  if (known) return known;
  const node = {
    parent, children: [], ply: parent.ply + 1, fen: ply.fen, move: ply, before: [],
    text: ply.text ?? [], arrows: ply.arrows ?? [], circles: ply.circles ?? [], marks: ply.marks,
    own, drawn: [],
  };
  parent.children.push(node);
  return node;
}

/** The nodes from the root to a node. */
export function pathTo(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.unshift(at);
  return path;
}

/** The path to a node and what follows it by first continuations. */
export function lineThrough(node) {
  const line = pathTo(node);
  for (let at = node; at.children.length > 0;) {
    at = at.children[0];
    line.push(at);
  }
  return line;
}

/** The first node of the variation a node belongs to; the root for the main line. */
export function branchOf(node) {
  let at = node;
  while (at.parent && at.parent.children[0] === at) at = at.parent;
  return at;
}

/**
 * A node as a place in an address: plies on the main line of the text, then the moves that leave
 * it.
 */
export function placeOf(node) {
  const path = pathTo(node);
  let base = 0;
  while (path[base + 1] && !path[base + 1].own && path[base].children[0] === path[base + 1]) base += 1;
  return { base, moves: path.slice(base + 1).map((at) => at.move.uci) };
}

/** As much of a place as there is, and the moves that are missing behind it. */
export function follow(root, base, moves) {
  let at = root;
  for (let ply = 0; ply < base && at.children.length > 0; ply += 1) at = at.children[0];
  let used = 0;
  for (const uci of moves) {
    const next = at.children.find((child) => child.move.uci === uci);
    if (!next) break;
    at = next;
    used += 1;
  }
  return { at, missing: moves.slice(used) };
}

/** The ends of all lines the reader has added, each as a place. */
export function ownLines(root) {
  const lines = [];
  const stack = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    if (node.own && !node.children.some((child) => child.own)) lines.push(placeOf(node));
    stack.push(...[...node.children].reverse());
  }
  return lines.slice(-50);
}

/** Takes a node and what follows it out of the tree. */
export function remove(node) {
  const siblings = node.parent.children;
  siblings.splice(siblings.indexOf(node), 1);
}
