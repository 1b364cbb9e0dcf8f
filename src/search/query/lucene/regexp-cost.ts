import type { Regexp, RegexpNode } from './regexp-node.js';

/** Maximum cost of compiling an expression: the engines' maximum number of states. */
export const maxRegexpCost = 10_000;

/** Factor for repeating something that may match the empty text (measured: PostgreSQL takes 3 s for `((a?){50}b?){10}`). */
const emptyFactor = 10;

/** State of a group, or of the whole expression, during the count. */
interface Group {
  cost: number;
  /** Whether the current alternative may match the empty text, apart from its last atom. */
  empty: boolean;
  /** Whether an earlier alternative may match the empty text. */
  anyEmpty: boolean;
  last: { cost: number; empty: boolean };
}

/**
 * Adds up the states of an automaton that matches an expression, part by part from its beginning, with repetitions
 * expanded.
 */
export class RegexpCost {
  private readonly groups = [newGroup()];

  /** Total cost so far. */
  get total(): number {
    return this.groups.reduce((sum, { cost }) => sum + cost, 0);
  }

  /** Number of open groups, including the whole expression. */
  get depth(): number {
    return this.groups.length;
  }

  private get group(): Group {
    return this.groups.at(-1)!;
  }

  /** Adds a character, or something of the same size. */
  atom(empty = false): void {
    this.add(1, empty);
  }

  open(): void {
    this.groups.push(newGroup());
  }

  close(): void {
    const { cost, anyEmpty, empty, last } = this.groups.pop()!;
    this.add(cost, anyEmpty || (empty && last.empty));
  }

  /** Begins another alternative. */
  or(): void {
    const { group } = this;
    group.anyEmpty ||= group.empty && group.last.empty;
    group.empty = true;
    group.last = { cost: 1, empty: true };
  }

  /** Repeats the last atom. For a repetition without a limit, `max` equals `min`. */
  repeat(min: number, max: number): void {
    const { group } = this;
    const { cost, empty } = group.last;
    const more = max > 1 ? cost * (empty ? emptyFactor : 1) * (max - 1) : 0;
    group.cost += more;
    group.last = { cost: cost + more, empty: empty || min === 0 };
  }

  private add(cost: number, empty: boolean): void {
    const { group } = this;
    group.empty &&= group.last.empty;
    group.last = { cost, empty };
    group.cost += cost;
  }
}

const newGroup = (): Group => ({ cost: 1, empty: true, anyEmpty: false, last: { cost: 1, empty: true } });

/** Returns the cost of an expression: what PostgreSQL pays to compile its translation. It takes linear time. */
export const regexpCost = (regexp: Regexp): number => {
  const cost = new RegexpCost();
  const end = () => cost.atom(true);
  const grouped = (add: () => void) => {
    cost.open();
    add();
    cost.close();
  };
  const last = regexp.at(-1)!;
  // All parts but the last become lookaheads, and so does the last if it is an opposite.
  const ahead = last.opposite ? regexp : regexp.slice(0, -1);
  cost.atom(true);
  for (const { of } of ahead) {
    grouped(() => {
      grouped(() => addNode(cost, of));
      end();
    });
  }
  if (last.opposite) anything(cost);
  else grouped(() => addNode(cost, last.of));
  end();
  return cost.total;
};

const anything = (cost: RegexpCost): void => {
  cost.atom();
  cost.repeat(0, 1);
};

const addNode = (cost: RegexpCost, node: RegexpNode): void => {
  switch (node.kind) {
    case 'character':
      // A character beyond the basic plane counts as two in PostgreSQL's cost, and so here.
      for (let unit = 0; unit < node.character.length; unit += 1) cost.atom();
      return;
    case 'any':
    case 'class':
      cost.atom();
      return;
    case 'anything':
    case 'nothing':
      cost.open();
      anything(cost);
      cost.close();
      return;
    case 'interval':
      addInterval(cost, node);
      return;
    case 'repeat':
      cost.open();
      addNode(cost, node.of);
      cost.close();
      cost.repeat(node.min, node.max ?? node.min);
      return;
    case 'group':
      cost.open();
      addNode(cost, node.of);
      cost.close();
      return;
    case 'sequence':
      for (const part of node.of) addNode(cost, part);
      return;
    case 'union':
      for (const [index, part] of node.of.entries()) {
        if (index > 0) cost.or();
        addNode(cost, part);
      }
  }
};

/** Adds the numbers of an interval one by one. */
const addInterval = (cost: RegexpCost, { from, to, width }: Extract<RegexpNode, { kind: 'interval' }>): void => {
  cost.open();
  for (let number = from; number <= to; number += 1) {
    if (number > from) cost.or();
    if (width === 0) anything(cost);
    for (let digit = 0; digit < Math.max(width, `${number}`.length); digit += 1) cost.atom();
  }
  cost.close();
};
