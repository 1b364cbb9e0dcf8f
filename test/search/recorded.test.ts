import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld, type WorldRecord } from './world.js';

/**
 * Answers of OpenSearch 2.4.1 (`test/data/search/answers.jsonl`) over its documents, asked of ours after a mapping. The
 * documents of `month-documents.ndjson` are of several months, some of which lack a field.
 * - `deviceId` is `device.name`; `data.loc` is `device.location`: each document has a device of its own.
 * - `_id` is the document's number: `metadata.number` here, so `ids` asks for that.
 * - `_score`, `max_score`, `_index` and `took` are dropped; hits without `sort` are compared as sets.
 * - Sort values of `ts` are seconds here, milliseconds there.
 * - Of errors: the status, and the innermost type. Sub-aggregations under a metric are 400 here.
 */
interface Recorded {
  name: string;
  request: { [key: string]: PlainJson };
  response: { [key: string]: PlainJson };
}

interface Document {
  ts: string;
  deviceId: string;
  metadata: { [key: string]: PlainJson };
  data: { [key: string]: PlainJson; loc: { lat: number; lon: number } };
}

const linesOf = (name: string) =>
  readFileSync(new URL(`../../../test/data/search/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
const serialOf = (index: number) => `0${index + 1}`;

/** Creates a world with the documents of a file. */
const worldOf = (documents: readonly Document[]) =>
  useWorld({
    products: {
      probe: [
        { name: 't', type: VariableType.FLOAT32 },
        { name: 'n', type: VariableType.INT64 },
        { name: 'on', type: VariableType.BOOL },
        { name: 'txt', type: VariableType.TXT },
      ],
    },
    devices: documents.map(({ deviceId, data }, index) => ({
      serial: serialOf(index),
      name: deviceId,
      product: 'probe',
      location: data.loc,
    })),
    records: documents.map(
      ({ ts, metadata, data: { loc: _, ...data } }, index): WorldRecord => ({
        serial: serialOf(index),
        ts: Date.parse(ts) / 1000,
        metadata: { ...metadata, number: index + 1 },
        data,
      }),
    ),
  });

const rename = (value: PlainJson): PlainJson => {
  if (typeof value === 'string')
    return value.replaceAll('data.loc', 'device.location').replaceAll('deviceId', 'device.name');
  if (Array.isArray(value)) return value.map(rename);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'ids') return ['terms', { 'metadata.number': (inner as { values: PlainJson }).values }];
      return [rename(key) as string, rename(inner)];
    }),
  );
};

type Plain = { [key: string]: PlainJson };

/** Brings both answers into one form. With `theirs`, milliseconds become seconds and documents become records. */
const normalized = (answer: Plain, request: Plain, theirs: boolean): unknown => {
  if (answer['error'] !== undefined) return { status: answer['status'], type: innermost(answer['error'] as Plain) };
  const { took: _took, status: _status, ...rest } = answer;
  return normalizedHits(rest, request, theirs);
};

const innermost = (error: Plain): PlainJson => {
  const [shard] = (error['failed_shards'] ?? []) as Plain[];
  if (shard !== undefined) return innermost(shard['reason'] as Plain);
  return error['caused_by'] === undefined ? error['type']! : innermost(error['caused_by'] as Plain);
};

const sortFields = (request: Plain): string[] => {
  const sort = request['sort'];
  const keys = Array.isArray(sort) ? sort : sort === undefined ? [] : [sort];
  return keys.flatMap((key) => (typeof key === 'string' ? [key] : Object.keys(key as Plain)));
};

const normalizedHits = (value: unknown, request: Plain, theirs: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => normalizedHits(item, request, theirs));
  if (value === null || typeof value !== 'object') return value;
  const plain = value as Plain;
  if (plain['_id'] !== undefined) return normalizedHit(plain, request, theirs);
  const entries = Object.entries(plain)
    .filter(([key]) => key !== 'max_score')
    .map(([key, inner]) => {
      if (key === 'values') return [key, rounded(inner)];
      const mapped = normalizedHits(inner, key === 'th' ? { sort: [{ ts: 'desc' }] } : request, theirs);
      const isHits = key === 'hits' && Array.isArray(mapped);
      return [key, isHits && sortFields(request).length === 0 ? mapped.map(stable).sort() : mapped];
    });
  return Object.fromEntries(entries);
};

/** Rounds percentiles to twelve digits: the interpolation is the same, but its steps run in another order. */
const rounded = (value: PlainJson): unknown =>
  JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === 'number' ? Number(inner.toPrecision(12)) : inner,
  );

const normalizedHit = (hit: Plain, request: Plain, theirs: boolean): unknown => {
  const source = hit['_source'] as Plain | undefined;
  const fields = sortFields(request);
  const sort = (hit['sort'] as PlainJson[] | undefined)?.map((value, index) => {
    if (fields[index] === 'ts' && theirs) return (value as number) / 1000;
    return typeof value === 'number' ? value : Number.isNaN(Number(value)) || value === null ? value : Number(value);
  });
  const data = { ...(source?.['data'] as Plain) };
  delete data['loc'];
  const metadata = { ...(source?.['metadata'] as Plain) };
  delete metadata['number'];
  return { data, metadata, ...(sort && fields.length > 0 && { sort }) };
};

/** Serializes a value with sorted keys. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Intended differences: the request to send instead, and the answer to expect. */
const argued: Readonly<Record<string, { request?: Plain; response?: (theirs: Plain) => Plain }>> = {
  // OpenSearch answers this error of the request with 500.
  agg_sub_under_metric_err: { response: (theirs) => ({ ...theirs, status: 400 }) },
  // Without a sort we return the newest record first, while OpenSearch returns the oldest document.
  source_prefix_object: { request: { sort: [{ ts: 'asc' }] } },
  source_nomatch: { request: { sort: [{ ts: 'asc' }] } },
};

describe.each([
  ['answers', 'documents'],
  ['month-answers', 'month-documents'],
])('search answers recorded from OpenSearch in %s', (answers, file) => {
  const recorded = linesOf(`${answers}.jsonl`) as Recorded[];
  const world = worldOf(linesOf(`${file}.ndjson`).filter((_, index) => index % 2 === 1) as Document[]);

  it.each(recorded.map((entry) => [entry.name, entry] as const))(
    'returns the recorded answer for %s',
    async (name, { request, response }) => {
      const { request: instead, response: expected = (theirs: Plain) => theirs } = argued[name] ?? {};
      const asked = rename(request) as Plain;
      const answer = (await world.ask({ ...asked, ...instead })) as unknown as Plain;
      const theirs = rename(expected(response)) as Plain;
      expect(normalized(answer, asked, false)).toEqual(normalized(theirs, asked, true));
    },
  );
});
