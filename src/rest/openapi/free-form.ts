import type { JsonSchema } from '#schema/rules.js';
import {
  chirpStackExample,
  deviceFileExample,
  deviceRecordExample,
  recordExample,
  recordFileExample,
  recordLineExample,
  searchExample,
  sigfoxExample,
  theThingsStackExample,
  thingsBoardExample,
} from './body-example.js';

/* Types that the GraphQL schema declares only as JSON: the query language of searches, and records as they are
   posted. They are described here by hand. The search itself checks and documents what a query may contain. */

const anything = (description: string): JsonSchema => ({ description });
const list = (description: string, items: JsonSchema = {}): JsonSchema => ({ type: 'array', description, items });
const text = (description: string): JsonSchema => ({ type: 'string', description });
const amount = (description: string): JsonSchema => ({ type: 'number', description });
const object = (description: string): JsonSchema => ({ type: 'object', description, additionalProperties: true });
const json = (schema: JsonSchema, example: unknown): JsonSchema => ({ 'application/json': { schema, example } });

const timeRange: JsonSchema = {
  type: 'object',
  description: 'Time range, both bounds included: Unix time in seconds, or in milliseconds from 1e11 on.',
  required: ['gte', 'lte'],
  properties: { gte: amount('Lower bound.'), lte: amount('Upper bound.') },
  additionalProperties: false,
};

const query: JsonSchema = {
  type: 'object',
  description: 'One query. Its fields and its answer follow those of search engines.',
  required: ['products'],
  properties: {
    products: list('Products whose records are searched; an empty list searches all records.', { type: 'string' }),
    includes: list('Fields of the source to return.', { type: 'string' }),
    _source: anything('Fields of the source to return, in the form of search engines.'),
    fields: list('Fields to return besides the source.'),
    docvalue_fields: list('Fields to return besides the source.'),
    search_after: list('Sort values of the last hit on the previous page.'),
    size: { type: ['integer', 'string'], description: 'Number of hits, at most 10000.', default: 10 },
    from: { type: ['integer', 'string'], description: 'Number of hits to skip.' },
    sort: anything('Order of the hits.'),
    aggs: object('Aggregations.'),
    aggregations: object('The same as `aggs`.'),
    query: object('Query that records must match.'),
    post_filter: object('Filter of the hits, applied after the aggregations.'),
    track_total_hits: anything('Whether hits are counted, or the number up to which they are counted.'),
    timeout: text('Timeout of the query, such as `2s`.'),
  },
};

const searchBody: JsonSchema = {
  required: true,
  description: 'The search.',
  content: json(
    {
      type: 'object',
      required: ['ts', 'queries'],
      properties: {
        ts: timeRange,
        queries: { ...list('Queries, each with a separate answer.', query), maxItems: 100 },
      },
      additionalProperties: false,
    },
    searchExample,
  ),
};

const frame: JsonSchema = {
  type: 'object',
  description: "Bytes or text to decode with the product's variables.",
  properties: {
    streamId: { type: 'integer', description: 'Number of the stream.' },
    streamType: { type: 'string', enum: ['BIN', 'RAW', 'TXT'], description: 'Layout of the stream.' },
    payload: text('The bytes.'),
    encoding: { type: 'string', enum: ['hex', 'base64', 'utf8'], description: 'Encoding of the bytes.' },
  },
};

const record: JsonSchema = {
  type: 'object',
  description: 'A record. The answer reports its faults separately from other records.',
  properties: {
    serial: text('Serial number of the device.'),
    deviceId: text('Identifier of the device, instead of its serial number.'),
    ts: {
      type: ['number', 'null'],
      description: 'Unix time in seconds, or in milliseconds from 1e11 on; by default now.',
    },
    metadata: object('Data about the transmission.'),
    data: object('Values of variables.'),
    frame,
    key: text('Deduplication key. A record with the same device and key within 48 hours is a duplicate.'),
  },
};

const recordsBody = (example: object): JsonSchema => ({
  required: true,
  description:
    'One record, an array, or one record per line. At most 10 MiB decompressed and 10,000 records; gzip is allowed.',
  content: {
    ...json({ anyOf: [record, { type: 'array', items: record, maxItems: 10_000 }] }, example),
    'application/x-ndjson': { schema: { type: 'string' }, example: JSON.stringify(example) },
  },
});

const networkServerBody = (server: string, example: unknown): JsonSchema => ({
  required: true,
  description: `The body as ${server} sends it.`,
  content: json({ type: ['object', 'array'], items: {}, additionalProperties: true }, example),
});

const fileBody = (
  description: string,
  examples: Readonly<Record<string, string>>,
  ...binaryTypes: readonly string[]
): JsonSchema => ({
  required: true,
  description,
  content: {
    ...Object.fromEntries(
      Object.entries(examples).map(([type, example]) => [type, { schema: { type: 'string' }, example }]),
    ),
    ...Object.fromEntries(binaryTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  },
});

/** Bodies that do not consist of the operation's arguments, by operation. */
export const freeBodies: Readonly<Record<string, JsonSchema>> = {
  search: searchBody,
  ingestRecords: recordsBody(recordExample),
  ingestDeviceRecords: recordsBody(deviceRecordExample),
  importDevices: fileBody(
    'The unchanged file in UTF-8. At most 64 MiB decompressed and 100,000 lines; gzip is allowed.',
    {
      'text/csv': deviceFileExample,
    },
  ),
  importRecords: fileBody(
    'The unchanged file. At most 256 MiB decompressed (Parquet 64 MiB) and 5,000,000 lines; gzip is allowed.',
    { 'text/csv': recordFileExample, 'application/x-ndjson': recordLineExample },
    'application/vnd.apache.parquet',
  ),
  ingestTheThingsStack: networkServerBody('The Things Stack', theThingsStackExample),
  ingestChirpStack: networkServerBody('ChirpStack', chirpStackExample),
  ingestSigfox: networkServerBody('Sigfox', sigfoxExample),
  ingestThingsBoard: networkServerBody('a ThingsBoard device', thingsBoardExample),
};

/**
 * Describes a JSON value in the query string as the text that is sent, because each client generator writes objects
 * into a query string differently or not at all. The parameter is required, because a client that cannot send a body
 * with GET has no other place for it.
 */
const inQuery = (name: keyof typeof searchExample, description: string, value: JsonSchema): JsonSchema => ({
  name,
  in: 'query',
  description,
  required: true,
  schema: { type: 'string', contentMediaType: 'application/json', contentSchema: value },
  example: JSON.stringify(searchExample[name]),
});

/** Parameters that replace such a body, by operation. */
export const freeParameters: Readonly<Record<string, readonly JsonSchema[]>> = {
  search: [
    inQuery(
      'ts',
      'Time range as the text of a JSON object. Equivalent forms are brackets (`ts[gte]=1&ts[lte]=2`), and a body as in POST with both keys.',
      timeRange,
    ),
    inQuery('queries', 'Queries as the text of a JSON array, or in brackets.', { type: 'array', items: query }),
  ],
};

const searchAnswer: JsonSchema = {
  type: 'object',
  description: 'One response per query, in the order of the queries.',
  required: ['took', 'responses'],
  properties: {
    took: { type: 'integer', description: 'Duration in milliseconds.' },
    responses: list('Hits and aggregations, or the error of that query.', {
      type: 'object',
      required: ['status'],
      properties: {
        status: { type: 'integer', description: 'Status of this query.' },
        took: { type: 'integer', description: 'Duration in milliseconds.' },
        timed_out: { type: 'boolean', description: 'Whether the query timed out.' },
        _shards: object('Shard counts, in the form of search engines.'),
        hits: object('Number of hits, and this page of them.'),
        aggregations: object('Results of the aggregations by name.'),
        error: object('Error of the query.'),
      },
      additionalProperties: true,
    }),
  },
};

/** First lines of an exported file. */
const exportExample = `ts,device.serial,device.name,data.temperature\r\n2026-11-18T11:06:40.250Z,70b3d57ed005abcd,Pump 7,21.5\r\n`;

/** Media types of exported files. */
export const fileContent: JsonSchema = {
  'text/csv': {
    schema: { type: 'string', description: 'CSV (RFC 4180): a line of column names, then one line per row.' },
    example: exportExample,
  },
  'application/x-ndjson': { schema: { type: 'string', description: 'NDJSON: one JSON object per line.' } },
  'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary', description: 'A Parquet file.' } },
};

/** Components that describe a type in more detail than the graph does. */
export const freeComponents: JsonSchema = { SearchAnswer: searchAnswer };
