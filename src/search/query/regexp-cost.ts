/** The most that compiling an expression may cost: as many states as the engines let one have. */
export const mostRegexpCost = 10_000;

/** What repeating something that may be empty costs more (measured: PostgreSQL takes 3 s for `((a?){50}b?){10}`). */
const emptyFactor = 10;

/** The larger parts of an expression around the place that is looked at: a group, or the whole. */
interface Group {
  cost: number;
  /** Whether what came before in this alternative, the last atom left out, may be empty. */
  empty: boolean;
  /** Whether an alternative before may be empty. */
  anyEmpty: boolean;
  last: { cost: number; empty: boolean };
}

/** What PostgreSQL pays for compiling an expression of its advanced form: its states, repetitions written out. Linear. */
export const regexpCost = (expression: string): number => {
  const groups = [newGroup()];
  for (let index = 0; index < expression.length; ) {
    const group = groups.at(-1)!;
    const character = expression[index]!;
    index += 1;
    if (character === '\\') {
      index += 1;
      add(group, 1, false);
    } else if (character === '[') {
      index = afterBrackets(expression, index - 1);
      add(group, 1, false);
    } else if (character === '(') {
      index += lookLength(expression, index);
      groups.push(newGroup());
    } else if (character === ')' && groups.length > 1) {
      groups.pop();
      add(groups.at(-1)!, group.cost, group.anyEmpty || (group.empty && group.last.empty));
    } else if (character === '|') {
      group.anyEmpty ||= group.empty && group.last.empty;
      group.empty = true;
      group.last = { cost: 1, empty: true };
    } else if (character === '{') {
      const [least, most] = boundsAt(expression, index);
      repeat(group, least, most);
      index = Math.max(index, expression.indexOf('}', index) + 1);
    } else if ('*+?'.includes(character)) repeat(group, character === '+' ? 1 : 0, 1);
    else add(group, 1, character === '^' || character === '$');
  }
  return groups.reduce((sum, { cost }) => sum + cost, 0);
};

const newGroup = (): Group => ({ cost: 1, empty: true, anyEmpty: false, last: { cost: 1, empty: true } });

const add = (group: Group, cost: number, empty: boolean): void => {
  group.empty &&= group.last.empty;
  group.last = { cost, empty };
  group.cost += cost;
};

const repeat = (group: Group, least: number, most: number): void => {
  const { cost, empty } = group.last;
  const more = most > 1 ? cost * (empty ? emptyFactor : 1) * (most - 1) : 0;
  group.cost += more;
  group.last = { cost: cost + more, empty: empty || least === 0 };
};

/** How much of `(?:`, `(?=`, `(?!`, `(?<=` and `(?<!` stands behind the bracket. */
const lookLength = (expression: string, index: number): number => {
  if (expression[index] !== '?') return 0;
  return expression[index + 1] === '<' ? 3 : 2;
};

/** The numbers of `{2}`, `{2,}` or `{2,5}`; PostgreSQL refuses what is none of these. */
const boundsAt = (expression: string, index: number): [least: number, most: number] => {
  const [least = '', most] = expression
    .slice(index, index + 10)
    .split('}', 1)[0]!
    .split(',')
    .map(Number);
  const numbers = [Number(least) || 0, Number(most ?? least) || 0] as const;
  return [numbers[0], Math.max(...numbers)];
};

/** Where a bracket expression ends: `[]abc]` and `[^]abc]` hold a bracket, `[[:alpha:]]` a class. */
const afterBrackets = (expression: string, start: number): number => {
  let index = start + (expression[start + 1] === '^' ? 2 : 1);
  if (expression[index] === ']') index += 1;
  for (; index < expression.length && expression[index] !== ']'; index += 1) {
    if (expression[index] === '\\') index += 1;
    else if (expression[index] === '[' && '.:='.includes(expression[index + 1] ?? ' ')) {
      const end = expression.indexOf(`${expression[index + 1]}]`, index + 2);
      index = end < 0 ? expression.length : end + 1;
    }
  }
  return index + 1;
};
