import { type FaultPosition, SearchFailure } from '../search-failure.js';

/**
 * Returns how many of `count` optional clauses must match: `2`, `-1` (all but one), `75%` (rounded down), `-25%`, and
 * conditions `3<90%` (all up to three clauses, else 90 %), of which several are separated by blanks. Blanks around `<`
 * have no effect.
 */
export const requiredOf = (text: string, count: number, place: FaultPosition): number => {
  if (!text.includes('<')) return simple(text.trim(), count, place);
  let result = count;
  const trimmed = text.split('<').map((part) => part.trim());
  for (const condition of trimmed.join('<').split(/\s+/)) {
    const [limit, then] = condition.split('<');
    if (limit === undefined || then === undefined || !/^-?\d+$/.test(limit)) throw bad(text, place);
    if (count <= Number(limit)) return result;
    result = simple(then, count, place);
  }
  return result;
};

const simple = (text: string, count: number, place: FaultPosition): number => {
  const match = /^([+-]?\d+)(%?)$/.exec(text);
  if (match === null) throw bad(text, place);
  const amount = Number(match[1]);
  if (Math.abs(amount) > 2_147_483_648) throw bad(text, place);
  const required = match[2] === '%' ? Math.trunc((amount * count) / 100) : amount;
  return Math.max(0, amount < 0 ? count + required : required);
};

const bad = (text: string, place: FaultPosition) =>
  new SearchFailure(400, 'number_format_exception', `For input string: "${text}"`, place);
