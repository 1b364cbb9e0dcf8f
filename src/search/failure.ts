import { ErrorWithoutStack } from '../error-without-stack.js';
import type { Position } from '../json.js';

/** A fault as the engines describe it; `caused_by` is the more specific one below it. */
export interface Cause {
  readonly type: string;
  readonly reason: string;
  readonly caused_by?: Cause;
}

/** The answer to one query that failed, as the engines give it, without their wrappers. */
export interface ErrorAnswer {
  status: number;
  error: Cause & { root_cause: Cause[]; path?: string; line?: number; col?: number; max_buckets?: number };
}

/** Where in the request a fault is: its place in the text, if it came as text, and its dotted path. */
export interface Place extends Position {
  readonly path: string;
}

/** What is wrong with one query. It fails that query alone. */
export class SearchFailure extends ErrorWithoutStack {
  constructor(
    readonly status: number,
    readonly type: string,
    readonly reason: string,
    readonly place?: Place,
    readonly causedBy?: Cause,
    readonly extra?: Readonly<Record<string, number>>,
  ) {
    super(reason);
    this.name = 'SearchFailure';
  }

  /** The failure as the engines write it. */
  toAnswer(): ErrorAnswer {
    const { type, reason, place } = this;
    const position = place !== undefined && place.line > 0 ? { line: place.line, col: place.col } : {};
    return {
      status: this.status,
      error: {
        root_cause: [{ type, reason }],
        type,
        reason,
        ...(place === undefined ? {} : { path: place.path }),
        ...position,
        ...this.extra,
        ...(this.causedBy === undefined ? {} : { caused_by: this.causedBy }),
      },
    };
  }
}

const at = ({ line, col }: Position) => (line > 0 ? `[${line}:${col}] ` : '');

/** A value of a kind that its key does not take. Objects that the engines read by a table name the key in another sentence. */
export class WrongKind extends SearchFailure {
  constructor(
    reason: string,
    place: Place,
    readonly kind: string,
  ) {
    super(400, 'parsing_exception', reason, place);
  }
}

/** The text is no query: an unknown clause, a value of the wrong shape. The place is in fields of its own. */
export const parsing = (reason: string, place: Place, causedBy?: Cause) =>
  new SearchFailure(400, 'parsing_exception', reason, place, causedBy);

/** An object has a key that it may not have, or one with a bad value. The place leads the text. */
export const xContent = (reason: string, place: Place, causedBy?: Cause) =>
  new SearchFailure(400, 'x_content_parse_exception', `${at(place)}${reason}`, place, causedBy);

/** An unknown name where names are looked up: queries, aggregations. */
export const unknownName = (reason: string, name: string, place: Place) =>
  parsing(reason, place, { type: 'named_object_not_found_exception', reason: `${at(place)}unknown field [${name}]` });

/** A number where there is none, or a boolean: the engines' words come from the parser of the text. */
export const notOfKind = (kind: string, reason: string, place?: Place) =>
  new SearchFailure(400, 'json_parse_exception', `Current token (${kind}): ${reason}`, place);

/** A value that cannot be. */
export const illegalArgument = (reason: string, place?: Place, causedBy?: Cause) =>
  new SearchFailure(400, 'illegal_argument_exception', reason, place, causedBy);

/** A clause that does not fit the field it names. */
export const queryShard = (reason: string, place: Place, causedBy?: Cause) =>
  new SearchFailure(400, 'query_shard_exception', reason, place, causedBy);

/** A date, or date math, that cannot be read. */
export const parseFailure = (reason: string, place: Place, causedBy?: Cause) =>
  new SearchFailure(400, 'parse_exception', reason, place, causedBy);

/** A pipeline that names no aggregation, or stands where it cannot. */
export const invalidPipelines = (reasons: readonly string[], place: Place) =>
  new SearchFailure(
    400,
    'action_request_validation_exception',
    `Validation Failed: ${reasons.map((reason, index) => `${index + 1}: ${reason};`).join('')}`,
    place,
  );

/** An aggregation that may not stand where it does. */
export const badAggregation = (reason: string, place: Place) =>
  new SearchFailure(400, 'aggregation_initialization_exception', reason, place);

/** The cause that a number of this text has. */
export const numberFormat = (text: string): Cause => ({
  type: 'number_format_exception',
  reason: `For input string: "${text}"`,
});

/** More is asked for at once than there are turns for. */
export const rejected = (reason: string) =>
  new SearchFailure(429, 'rejected_execution_exception', `rejected execution: ${reason}`);

/** How many buckets one query may make. */
export const maxBuckets = 65_535;

/** How many answers aggregations may make in all buckets of one query. */
export const maxAnswers = 500_000;

/** More answers of aggregations in buckets than one query may make; the engines have no such limit, only that of buckets. */
export const tooManyAnswers = (count: number) =>
  new SearchFailure(
    503,
    'too_many_buckets_exception',
    `Trying to create too many answers of aggregations in buckets. Must be less than or equal to: [${maxAnswers}] but was [${count}].`,
    undefined,
    undefined,
    { max_buckets: maxBuckets },
  );

/** How many values the windows of moving functions may look at in one query, each window's counted anew. */
export const maxWindowValues = 10_000_000;

/** Windows of moving functions that look at more values than one query may; the engines have no such limit. */
export const tooManyWindowValues = (count: number, place: Place) =>
  illegalArgument(
    `Windows of moving functions may look at [${maxWindowValues}] values in one query but would look at [${count}]: ask for fewer buckets or a smaller window`,
    place,
  );

/** More bytes of results than all searches, or those of one organization, may hold at once. */
export const dataTooLarge = (whose: string, wanted: number, limit: number) =>
  new SearchFailure(
    429,
    'circuit_breaking_exception',
    `[${whose}] Data too large, data for [<search results>] would be [${wanted}b], which is larger than the limit of [${limit}b]`,
    undefined,
    undefined,
    { bytes_wanted: wanted, bytes_limit: limit },
  );

/** More buckets than one query may make (503, as OpenSearch 2.4 has it; Elasticsearch 8 says 400). */
export const tooManyBuckets = (count: number) =>
  new SearchFailure(
    503,
    'too_many_buckets_exception',
    `Trying to create too many buckets. Must be less than or equal to: [${maxBuckets}] but was [${count}].`,
    undefined,
    undefined,
    { max_buckets: maxBuckets },
  );
