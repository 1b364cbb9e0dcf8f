import { RegexpCost } from '#search/query/lucene/regexp-cost.js';

/**
 * Returns the cost of compiling an advanced regular expression in PostgreSQL: its states, with repetitions expanded.
 * The computation is linear.
 */
export const patternCost = (expression: string): number => {
  const cost = new RegexpCost();
  for (let index = 0; index < expression.length; ) {
    const character = expression[index]!;
    index += 1;
    if (character === '\\') {
      index += 1;
      cost.atom();
    } else if (character === '[') {
      index = afterBrackets(expression, index - 1);
      cost.atom();
    } else if (character === '(') {
      index += lookLength(expression, index);
      cost.open();
    } else if (character === ')' && cost.depth > 1) cost.close();
    else if (character === '|') cost.or();
    else if (character === '{') {
      const [min, max] = boundsAt(expression, index);
      cost.repeat(min, max);
      index = Math.max(index, expression.indexOf('}', index) + 1);
    } else if ('*+?'.includes(character)) cost.repeat(character === '+' ? 1 : 0, 1);
    else cost.atom(character === '^' || character === '$');
  }
  return cost.total;
};

/** Returns the length of what follows the parenthesis in `(?:`, `(?=`, `(?!`, `(?<=` and `(?<!`. */
const lookLength = (expression: string, index: number): number => {
  if (expression[index] !== '?') return 0;
  return expression[index + 1] === '<' ? 3 : 2;
};

/** Returns the numbers of `{2}`, `{2,}` or `{2,5}`. PostgreSQL refuses any other form. */
const boundsAt = (expression: string, index: number): [least: number, most: number] => {
  const [least = '', most] = expression
    .slice(index, index + 10)
    .split('}', 1)[0]!
    .split(',')
    .map(Number);
  const numbers = [Number(least) || 0, Number(most ?? least) || 0] as const;
  return [numbers[0], Math.max(...numbers)];
};

/** Returns the end of a bracket expression: `[]abc]` and `[^]abc]` contain a bracket, `[[:alpha:]]` a class. */
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
