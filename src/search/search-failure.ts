import { ErrorWithoutStack } from '#common/error-without-stack.js';
import type { TextPosition } from '#json/json.js';

/** A fault as the engines describe it. `caused_by` is a more specific fault. */
export interface Cause {
  readonly type: string;
  readonly reason: string;
  readonly caused_by?: Cause;
}

/** The answer to a failed query, in the engines' format without their wrappers. */
export interface ErrorAnswer {
  status: number;
  error: Cause & { root_cause: Cause[]; path?: string; line?: number; col?: number; max_buckets?: number };
}

/** Position of a fault in the request: in the text, if it came as text, and its dotted path. */
export interface FaultPosition extends TextPosition {
  readonly path: string;
}

/** A fault of one query, which fails that query alone. */
export class SearchFailure extends ErrorWithoutStack {
  constructor(
    readonly status: number,
    readonly type: string,
    readonly reason: string,
    readonly place?: FaultPosition,
    readonly causedBy?: Cause,
    readonly extra?: Readonly<Record<string, number>>,
  ) {
    super(reason);
    this.name = 'SearchFailure';
  }

  /** Returns the failure in the engines' format. */
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

const at = ({ line, col }: TextPosition) => (line > 0 ? `[${line}:${col}] ` : '');

/**
 * A value of a kind that its key does not accept. For objects that the engines parse by a table of keys, the error
 * message names the key differently.
 */
export class WrongKind extends SearchFailure {
  constructor(
    reason: string,
    place: FaultPosition,
    readonly kind: string,
  ) {
    super(400, 'parsing_exception', reason, place);
  }
}

/**
 * Creates the error of an invalid query: an unknown clause, a value of the wrong shape. The position is in separate
 * fields.
 */
export const parsing = (reason: string, place: FaultPosition, causedBy?: Cause) =>
  new SearchFailure(400, 'parsing_exception', reason, place, causedBy);

/** Creates the error of an object with an unknown key or a bad value. The text begins with the position. */
export const xContent = (reason: string, place: FaultPosition, causedBy?: Cause) =>
  new SearchFailure(400, 'x_content_parse_exception', `${at(place)}${reason}`, place, causedBy);

/** Creates the error of an unknown query or aggregation. */
export const unknownName = (reason: string, name: string, place: FaultPosition) =>
  parsing(reason, place, { type: 'named_object_not_found_exception', reason: `${at(place)}unknown field [${name}]` });

/** Creates the error of a value that is not a number, or not a boolean, in the words of the engines' JSON parser. */
export const notOfKind = (kind: string, reason: string, place?: FaultPosition) =>
  new SearchFailure(400, 'json_parse_exception', `Current token (${kind}): ${reason}`, place);

/** Creates the error of an invalid value. */
export const illegalArgument = (reason: string, place?: FaultPosition, causedBy?: Cause) =>
  new SearchFailure(400, 'illegal_argument_exception', reason, place, causedBy);

/** Creates the error of a clause that does not fit its field. */
export const queryShard = (reason: string, place: FaultPosition, causedBy?: Cause) =>
  new SearchFailure(400, 'query_shard_exception', reason, place, causedBy);

/** Creates the error of an unreadable date or date math. */
export const parseFailure = (reason: string, place: FaultPosition, causedBy?: Cause) =>
  new SearchFailure(400, 'parse_exception', reason, place, causedBy);

/** Creates the error of pipelines with an invalid path or position. */
export const invalidPipelines = (reasons: readonly string[], place: FaultPosition) =>
  new SearchFailure(
    400,
    'action_request_validation_exception',
    `Validation Failed: ${reasons.map((reason, index) => `${index + 1}: ${reason};`).join('')}`,
    place,
  );

/** Creates the error of an aggregation in an invalid position. */
export const badAggregation = (reason: string, place: FaultPosition) =>
  new SearchFailure(400, 'aggregation_initialization_exception', reason, place);

/** Returns the cause for a text that is not a number. */
export const numberFormat = (text: string): Cause => ({
  type: 'number_format_exception',
  reason: `For input string: "${text}"`,
});

/** Creates the error of a full queue. */
export const rejected = (reason: string) =>
  new SearchFailure(429, 'rejected_execution_exception', `rejected execution: ${reason}`);

/** Maximum number of buckets of one query. */
export const maxBuckets = 65_535;

/** Maximum number of answers of aggregations in all buckets of one query. */
export const maxAnswers = 500_000;

/** Creates the error of too many answers. The engines have no such limit, only that of buckets. */
export const tooManyAnswers = (count: number) =>
  new SearchFailure(
    503,
    'too_many_buckets_exception',
    `Trying to create too many answers of aggregations in buckets. Must be less than or equal to: [${maxAnswers}] but was [${count}].`,
    undefined,
    undefined,
    { max_buckets: maxBuckets },
  );

/**
 * Maximum number of values that windows of moving functions may read in one query. Overlapping windows count
 * repeatedly.
 */
export const maxWindowValues = 10_000_000;

/** Creates the error of windows that read too many values. The engines have no such limit. */
export const tooManyWindowValues = (count: number, place: FaultPosition) =>
  illegalArgument(
    `Windows of moving functions may look at [${maxWindowValues}] values in one query but would look at [${count}]: ask for fewer buckets or a smaller window`,
    place,
  );

/** Creates the error of results that exceed the memory limit of all searches, or of one organization's. */
export const dataTooLarge = (whose: string, wanted: number, limit: number) =>
  new SearchFailure(
    429,
    'circuit_breaking_exception',
    `[${whose}] Data too large, data for [<search results>] would be [${wanted}b], which is larger than the limit of [${limit}b]`,
    undefined,
    undefined,
    { bytes_wanted: wanted, bytes_limit: limit },
  );

/** Creates the error of too many buckets (503, as in OpenSearch 2.4; Elasticsearch 8 returns 400). */
export const tooManyBuckets = (count: number) =>
  new SearchFailure(
    503,
    'too_many_buckets_exception',
    `Trying to create too many buckets. Must be less than or equal to: [${maxBuckets}] but was [${count}].`,
    undefined,
    undefined,
    { max_buckets: maxBuckets },
  );
