import { locate } from '#json/json.js';
import { type Call, type Handle, type HttpAnswer, indexName, isSet, listParameter, parameter } from './call.js';
import { countTimedOut, EngineFailure } from './error.js';
import { askOne } from './query.js';

/** A line of a table, with its columns in order. */
type Row = Readonly<Record<string, string>>;

/**
 * Creates the handler of a `_cat` page: a table of text, with a header line for `v`, or JSON if `format` or `Accept`
 * asks for it.
 */
const cat =
  (rowsOf: (call: Call) => Promise<readonly Row[]>): Handle =>
  async (call): Promise<HttpAnswer> => {
    const rows = await rowsOf(call);
    const wanted = listParameter(call, 'h');
    const shown = wanted === undefined ? rows : rows.map((row) => pick(row, wanted));
    const format = parameter(call, 'format') ?? (call.acceptsJson ? 'json' : 'text');
    return { body: format === 'json' ? shown : table(shown, isSet(call, 'v')) };
  };

const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.flatMap((name): [string, string][] => (name in row ? [[name, row[name]!]] : [])));

const table = (rows: readonly Row[], head: boolean): string => {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => row[name]!));
  const all = head && names.length > 0 ? [names, ...lines] : lines;
  const widths = names.map((_name, column) => Math.max(...all.map((line) => line[column]!.length)));
  return all
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join(' ')
          .trimEnd()}\n`,
    )
    .join('');
};

/** `_cat/indices`. */
export const catIndices: Handle = cat(async (call) => {
  const count = await countOf(call);
  const { id } = await call.load();
  const docs = { 'docs.count': count, 'docs.deleted': '0' };
  return [{ health: 'green', status: 'open', index: indexName, uuid: id, pri: '1', rep: '0', ...docs }];
});

/** `_cat/health`. */
export const catHealth: Handle = cat(async ({ load }) => {
  const { id } = await load();
  return [{ cluster: id, status: 'green', 'node.total': '1', 'node.data': '1', shards: '1', pri: '1' }];
});

/** `_cat/count`. */
export const catCount: Handle = cat(async (call) => [{ count: await countOf(call) }]);

/** `_cat/aliases` and similar tables, which are always empty. */
export const catNothing: Handle = cat(async ({ load }) => {
  await load();
  return [];
});

/**
 * Counts the records.
 * @throws EngineFailure with the search's status, such as 429 if too many searches wait, or 504 if counting takes too
 * long
 */
const countOf = async (call: Call): Promise<string> => {
  const answer = await askOne(call, locate({ size: 0, track_total_hits: true }));
  if ('error' in answer) throw new EngineFailure(answer.status, answer.error.type, answer.error.reason);
  if (answer.timed_out) throw countTimedOut();
  return `${answer.hits.total?.value ?? 0}`;
};
