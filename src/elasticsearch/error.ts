import type { ApiError, ErrorCode } from '#common/errors.js';
import type { TextPosition } from '#json/json.js';
import type { Cause, ErrorAnswer } from '#search/search-failure.js';
import { indexName, nodeName } from './call.js';

/** An error in the engines' format: the body of a response with `status`. */
export interface EngineError {
  readonly status: number;
  readonly error: Cause & { readonly root_cause: readonly object[] };
}

/** Creates an error in the engines' format. */
export const engineError = (
  status: number,
  type: string,
  reason: string,
  causedBy?: Cause,
  place?: TextPosition,
): EngineError => {
  const cause = { type, reason, ...(place && { line: place.line, col: place.col }) };
  return { error: { root_cause: [cause], ...cause, ...(causedBy && { caused_by: causedBy }) }, status };
};

/** Types of errors that the engines raise on a shard, not while they parse the request. */
const ofShard: ReadonlySet<string> = new Set(['query_shard_exception', 'parse_exception']);

/** Converts a refused query to the engines' format, in which an error of a shard is wrapped. */
export const queryError = (answer: ErrorAnswer): EngineError => {
  const { root_cause: _cause, path, line, col, ...cause } = answer.error;
  if (!ofShard.has(cause.type)) return answer;
  const { status, error } = allShardsFailed(answer.status, cause);
  return { status, error: { ...error, ...(path !== undefined && { path }), ...(line !== undefined && { line, col }) } };
};

const allShardsFailed = (status: number, { type, reason, caused_by }: Cause): EngineError => {
  const cause = { type, reason, index: indexName };
  const failure = { shard: 0, index: indexName, node: nodeName, reason: { ...cause, ...(caused_by && { caused_by }) } };
  const error = {
    root_cause: [cause],
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    phase: 'query',
    grouped: true,
    failed_shards: [failure],
  };
  return { status, error };
};

/** The engines' type for each error code of the API, and its status if the engines' differs. */
const types: Readonly<Record<ErrorCode, readonly [type: string, status?: number]>> = {
  MALFORMED_REQUEST: ['parse_exception'],
  UNAUTHENTICATED: ['security_exception'],
  FORBIDDEN: ['security_exception'],
  NOT_FOUND: ['index_not_found_exception'],
  METHOD_NOT_ALLOWED: ['method_not_allowed_exception'],
  CONFLICT: ['version_conflict_engine_exception'],
  TOO_LARGE: ['content_too_long_exception'],
  UNSUPPORTED_MEDIA_TYPE: ['media_type_header_exception'],
  VALIDATION_FAILED: ['illegal_argument_exception', 400],
  RATE_LIMITED: ['rejected_execution_exception'],
  INTERNAL: ['exception'],
  UNAVAILABLE: ['no_shard_available_action_exception'],
  TIMEOUT: ['timeout_exception'],
};

/**
 * Converts an error of the API to the engines' format. Several faults are listed in the reason, because the engines
 * have no list of faults.
 */
export const toEngineError = ({ code, status, message, errors = [] }: ApiError): EngineError => {
  const [type, other] = types[code];
  const faults = errors.length > 1 ? errors.map((fault) => `${fault.path}: ${fault.message}`).join(' ') : '';
  return engineError(other ?? status, type, faults === '' ? message : faults);
};

/** Details of an engine's failure besides type and reason. */
interface FailureDetails {
  readonly headers?: Readonly<Record<string, string>>;
  readonly causedBy?: Cause | undefined;
  /** Position of the fault in the body. */
  readonly place?: TextPosition;
  /** Whether the engines raise it on a shard. */
  readonly ofShard?: boolean;
}

/** An error that only the engines have, such as a missing scroll. It is sent as it is. */
export class EngineFailure extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    reason: string,
    private readonly details: FailureDetails = {},
  ) {
    super(reason);
    this.name = 'EngineFailure';
  }

  get headers(): Readonly<Record<string, string>> {
    return this.details.headers ?? {};
  }

  /** Returns the failure as the cause of another. */
  toCause(): Cause {
    const { type, message, details } = this;
    return { type, reason: message, ...(details.causedBy && { caused_by: details.causedBy }) };
  }

  /** Returns the failure in the engines' format. */
  toAnswer(): EngineError {
    const { status, type, message, details } = this;
    if (details.ofShard) return allShardsFailed(status, this.toCause());
    return engineError(status, type, message, details.causedBy, details.place);
  }
}

/** 400: the path does not exist, in the engines' words. */
export const noHandler = (path: string, method: string) =>
  new EngineFailure(400, 'illegal_argument_exception', `no handler found for uri [${path}] and method [${method}]`);

/** 405: the path has other verbs. */
export const wrongMethod = (path: string, method: string, allow: readonly string[]) =>
  new EngineFailure(
    405,
    'method_not_allowed_exception',
    `Incorrect HTTP method for uri [${path}] and method [${method}], allowed: [${allow.join(', ')}]`,
    { headers: { Allow: allow.join(', ') } },
  );

/** 400: an invalid parameter or body. */
export const badArgument = (reason: string, causedBy?: Cause) =>
  new EngineFailure(400, 'illegal_argument_exception', reason, { causedBy });

/** 400: a required part of the request is missing, or its parts contradict each other. */
export const invalidRequest = (fault: string) =>
  new EngineFailure(400, 'action_request_validation_exception', `Validation Failed: 1: ${fault};`);

/** 504: counting exceeded the time limit of queries. A partial count would be wrong. */
export const countTimedOut = () =>
  new EngineFailure(504, 'timeout_exception', 'Counting the records took longer than a query may take.');
