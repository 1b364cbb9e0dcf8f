import sql, { join, type Sql } from 'sql-template-tag';

const digits = [sql`0`, sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`, sql`7`, sql`8`, sql`9`] as const;
const letters = {
  key: sql`k`,
  value: sql`v`,
  filter: sql`f`,
  column: sql`c`,
  many: sql`m`,
  number: sql`n`,
  text: sql`t`,
  json: sql`j`,
} as const;

/** Purpose of a generated name. */
export type NameOf = keyof typeof letters;

/** Name of a column or alias: a letter and an index. Names chosen by callers never become SQL names. */
export const name = (of: NameOf, index: number): Sql => join([letters[of], ...ordinal(index)], '');

const ordinal = (index: number): Sql[] => [...`${index}`].map((digit) => digits[Number(digit)]!);
