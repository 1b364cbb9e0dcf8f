import pg from 'pg';

/** OID of the type `text[]`. */
const textArray = 1009;

/** Returns the parser of a column type for all connections. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format !== 'binary' && oid === pg.types.builtins.TIMESTAMPTZ) return isoTimestamp;
    if (format !== 'binary' && Number(oid) === textArray) return texts;
    return pg.types.getTypeParser(oid, format) as (value: string) => unknown;
  },
};

const anyTexts = (pg.types.getTypeParser as (oid: number) => (text: string) => unknown)(textArray);
/** Matches quotes, nulls and nested arrays. */
const unusualTexts = /["\\]|NULL|.\{/;

/**
 * Parses an array as PostgreSQL writes it. Most arrays, such as tags, need no quotes and are parsed in a tenth of the
 * time.
 */
function texts(text: string): unknown {
  if (text === '{}') return [];
  return unusualTexts.test(text) ? anyTexts(text) : text.slice(1, -1).split(',');
}

/** Length of `2026-11-20 12:13:36.120+00`. */
const usualLength = 26;
const space = 0x20;

const utcTimestamp = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,3})\d*)?\+00$/;

/**
 * Converts PostgreSQL's text of a `timestamptz` (in a session in UTC) to ISO 8601 with milliseconds
 * (`2026-11-20T12:13:36.120Z`). Values without such a form (`infinity`, years past 9999) stay as they are.
 */
export function isoTimestamp(text: string): string {
  // This form needs no regular expression, which matters because every row has such times.
  if (text.length === usualLength && text.endsWith('+00') && text.charCodeAt(10) === space)
    return `${text.slice(0, 10)}T${text.slice(11, usualLength - 3)}Z`;
  const parts = utcTimestamp.exec(text);
  if (parts === null) return text;
  const [, day, time, fraction = ''] = parts;
  return `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
}
