import type { ApiError, ErrorCode } from '../errors.js';
import type { Cause } from '../search/failure.js';

/** An error as the engines write it: the body of an answer with `status`. */
export interface EngineError {
  readonly status: number;
  readonly error: {
    readonly root_cause: readonly object[];
    readonly type: string;
    readonly reason: string;
    readonly caused_by?: Cause;
  };
}

/** An error in the engines' form. */
export const engineError = (status: number, type: string, reason: string, causedBy?: Cause): EngineError => ({
  error: { root_cause: [{ type, reason }], type, reason, ...(causedBy && { caused_by: causedBy }) },
  status,
});

/** The engines' type for each of our errors, and its status where the engines' differs. */
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

/** One of our errors in the engines' form; its faults are named in the reason, where the engines have no list. */
export const toEngineError = ({ code, status, message, errors = [] }: ApiError): EngineError => {
  const [type, other] = types[code];
  const faults = errors.length > 1 ? errors.map((fault) => `${fault.path}: ${fault.message}`).join(' ') : '';
  return engineError(other ?? status, type, faults === '' ? message : faults);
};

/** An answer that only the engines have, such as a cursor that is not there; it is written as it is. */
export class EngineFailure extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    reason: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly causedBy?: Cause,
  ) {
    super(reason);
    this.name = 'EngineFailure';
  }
}

/** 400: no such path, as the engines say it. */
export const noHandler = (path: string, method: string) =>
  new EngineFailure(400, 'illegal_argument_exception', `no handler found for uri [${path}] and method [${method}]`);

/** 405: the path has other verbs. */
export const wrongMethod = (path: string, method: string, allow: readonly string[]) =>
  new EngineFailure(
    405,
    'method_not_allowed_exception',
    `Incorrect HTTP method for uri [${path}] and method [${method}], allowed: [${allow.join(', ')}]`,
    { Allow: allow.join(', ') },
  );

/** 400: a parameter or a body that a request cannot have. */
export const badArgument = (reason: string, causedBy?: Cause) =>
  new EngineFailure(400, 'illegal_argument_exception', reason, {}, causedBy);

/** 400: what a request must have is missing, or what it has does not go together. */
export const invalidRequest = (fault: string) =>
  new EngineFailure(400, 'action_request_validation_exception', `Validation Failed: 1: ${fault};`);

/** 504: a count was not done in the time of a query; what was counted until then would be no count. */
export const countTimedOut = () =>
  new EngineFailure(504, 'timeout_exception', 'Counting the records took longer than a query may take.');
