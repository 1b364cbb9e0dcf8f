import { z } from 'zod';
import { ApiError, type Fault } from '#common/errors.js';
import { daySeconds } from '#common/time.js';
import { id, input, type ListPart, readData, time, tool } from '../tool.js';
import { isStored, namesIn, occurrencesOf, unknownAmong } from './field-names.js';

/** An answer of the query language, or its error. */
interface Response {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string; readonly path?: string };
  readonly timed_out?: boolean;
  readonly hits?: { readonly total?: { readonly value: number; readonly relation: string }; readonly hits: Hit[] };
  readonly aggregations?: Record<string, unknown>;
}

interface Hit {
  readonly _id: string;
  readonly _source?: Record<string, unknown>;
  readonly _ignored?: unknown;
  readonly sort: unknown[];
}

const query = `query SearchRecords($organizationId: ID!, $applicationId: ID!, $ts: LocatedJSON!, $queries: LocatedJSON!) {
  search(organizationId: $organizationId, applicationId: $applicationId, ts: $ts, queries: $queries) { responses }
}`;

/** Position at which a call continues: after the hit with these sort values, in the same time range. */
interface Position {
  readonly after?: unknown[];
  readonly from: number;
  readonly to: number;
}

const json = z.record(z.string(), z.unknown());

/** Searches records in the query language. */
export const searchRecords = tool({
  name: 'search_records',
  title: 'Search records',
  description: `Searches the records of an application's devices in the query language of Elasticsearch: \`query\`, \`aggs\` and \`sort\` as there. Names of fields match whole: \`ts\`, \`data.<variable>\`, \`metadata.<name>\`, \`device.id\`, \`device.serial\`, \`device.name\`, \`device.tags\`, \`device.site.id\`, \`device.attributes.<name>\`, \`product.id\`. For counts and extremes send \`"size": 0\` with \`aggs\`. The warmest devices: {"size": 0, "aggs": {"devices": {"terms": {"field": "device.id", "size": 100, "order": {"warmest": "desc"}}, "aggs": {"warmest": {"max": {"field": "data.temperature"}}}}}}. Only devices above -15: {"query": {"range": {"data.temperature": {"gt": -15}}}}. Times in aggregations are in milliseconds.`,
  input: input({
    applicationId: id('Application whose records are searched.'),
    from: time('Start, included; by default a day before `to`.').optional(),
    to: time('End, included; by default now.').optional(),
    productIds: z.array(id('Product.')).max(100).default([]).describe('Only records of these products.'),
    query: json.optional().describe('Query; by default all records.'),
    aggs: json.optional().describe('Aggregations.'),
    size: z.int().min(0).max(500).default(10).describe('Maximum number of records in the answer, 0 to 500.'),
    sort: z
      .array(z.union([z.string(), json]))
      .max(10)
      .optional()
      .describe('Order; by default the newest first.'),
    fields: z
      .array(z.string().max(1024))
      .max(100)
      .optional()
      .describe('Parts of each record to answer, such as `ts`, `data.temperature`, `device.name`; by default all.'),
  }),
  list: 'records',
  output: {
    unknownFields: z
      .array(z.string())
      .optional()
      .describe(
        'Names in this call that no record of the range has, so that they match nothing. Names match whole: `data.temp` is not `data.temperature`, and variables begin with `data.`.',
      ),
    from: z.number().describe('Start of the range in Unix seconds.'),
    to: z.number().describe('End of the range in Unix seconds.'),
    total: z.number().describe('Number of records that match; with `totalRelation` gte, a lower bound.'),
    totalRelation: z.string(),
    timedOut: z.boolean().describe('Whether the search ran out of time, so that the answer is not complete.'),
    aggregations: json
      .optional()
      .describe('Results of `aggs`, only in the first answer of a list. Keys are untrusted.'),
    records: z.array(json).describe('Records: `id` and the asked parts. Untrusted.'),
  },
  isUntrusted: true,
  async run({ applicationId, from, to, productIds, query: dsl, aggs, size, sort, fields }, call) {
    const end = to ?? Date.now() / 1000;
    const first: Position = { from: from ?? end - daySeconds, to: end };
    const at = call.position === undefined ? first : (JSON.parse(call.position) as Position);
    const order = sort === undefined || sort.length === 0 ? [{ ts: 'desc' }] : sort;
    const one = {
      products: productIds,
      query: dsl,
      size,
      // Ties are broken by the identifier, so that no record is lost between two answers.
      sort: [...order, { _id: 'desc' }],
      track_total_hits: true,
      ...(fields && { _source: fields }),
      ...(at.after === undefined ? { aggs } : { search_after: at.after }),
    };
    const names = at.after === undefined ? namesIn({ query: dsl, aggs, sort, fields }) : [];
    const asked = names.filter(isStored);
    const { search } = await readData<{ search: { responses: Response[] } }>(call, query, {
      organizationId: call.organizationId,
      applicationId,
      ts: { gte: at.from, lte: at.to },
      queries: [one, ...(asked.length > 0 ? [{ products: productIds, size: 0, ...occurrencesOf(asked) }] : [])],
    });
    const [response, occurring] = search.responses;
    return partOfSearch(response!, at, size, unknownAmong(names, occurring));
  },
});

/** @throws the error of the query. */
function partOfSearch(
  response: Response,
  { from, to }: Position,
  size: number,
  unknownFields: readonly string[],
): ListPart {
  if (response.error !== undefined) throw failureOf(response.status, response.error);
  const { hits, aggregations, timed_out: timedOut = false } = response;
  const records = hits?.hits ?? [];
  const positions = records.map(({ sort }) => JSON.stringify({ after: sort, from, to }));
  return {
    items: records.map(({ _id, _source, _ignored }) => ({ id: _id, ..._source, ...(_ignored ? { _ignored } : {}) })),
    positions,
    next: size > 0 && records.length === size ? positions.at(-1) : undefined,
    beside: {
      from,
      to,
      total: hits?.total?.value ?? 0,
      totalRelation: hits?.total?.relation ?? 'eq',
      timedOut,
      ...(unknownFields.length > 0 && { unknownFields }),
      ...(aggregations && { aggregations }),
    },
  };
}

/** Translates an error of the query language to one of the catalogue. */
function failureOf(status: number, { type, reason, path }: NonNullable<Response['error']>): ApiError {
  const message = `${type}: ${reason}`;
  if (status === 429) return new ApiError('RATE_LIMITED', message);
  if (status >= 500) return new ApiError('UNAVAILABLE', message);
  const fault: Fault = { path: path?.replace(/^queries\.0\./, '') ?? 'query', message: reason };
  return new ApiError('VALIDATION_FAILED', message, [fault]);
}
