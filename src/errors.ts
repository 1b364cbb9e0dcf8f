import { ErrorWithoutStack } from './error-without-stack.js';

/** One fault of one input: where it is (dotted path into the arguments) and what is wrong with it. */
export interface Fault {
  path: string;
  message: string;
}

const statuses = {
  MALFORMED_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
} as const;

/** The codes that an error answer may carry, on REST and in GraphQL `extensions`. */
export type ErrorCode = keyof typeof statuses;

/** Every error code, for documents that list them. */
export const errorCodes = Object.keys(statuses) as ErrorCode[];

/** The HTTP status that goes with an error code. */
export const statusOf = (code: ErrorCode): number => statuses[code];

/** An error that a caller may see as it is. Whatever else is thrown is answered as a bare INTERNAL. */
export class ApiError extends ErrorWithoutStack {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly errors?: readonly Fault[],
    readonly headers?: Readonly<Record<string, string>>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
  }

  /** HTTP status of the answer. */
  get status(): number {
    return statusOf(this.code);
  }
}

/** 400: what arrived cannot be read as a request. */
export const malformed = (message: string) => new ApiError('MALFORMED_REQUEST', message);

/** 401: no token, or one that does not count. The same sentence for each reason, so that nothing can be guessed. */
export const unauthenticated = () =>
  new ApiError('UNAUTHENTICATED', 'Send a valid API token in the header "Authorization: Bearer <token>".', undefined, {
    'WWW-Authenticate': 'Bearer',
  });

/** 403: the caller may see this, but not do this to it. */
export const forbidden = (message: string) => new ApiError('FORBIDDEN', message);

/** 404: the same for what does not exist, what is another organization's and what the caller may not read. */
export const notFound = (what = 'thing') => new ApiError('NOT_FOUND', `There is no such ${what}.`);

/** 404: records for a device that is not registered; `message` names it by what the caller sent. */
export const unknownDevice = (message: string) => new ApiError('NOT_FOUND', message);

/** 405: the path exists, the verb does not. `allow` lists the verbs that do. */
export const methodNotAllowed = (allow: readonly string[]) =>
  new ApiError('METHOD_NOT_ALLOWED', `This path answers ${allow.join(', ')}.`, undefined, { Allow: allow.join(', ') });

/** 409: the request is right, but the state of things forbids it. */
export const conflict = (message: string, errors?: readonly Fault[]) => new ApiError('CONFLICT', message, errors);

/** 413: a body over its limit. */
export const tooLarge = (message: string) => new ApiError('TOO_LARGE', message);

/** 415: a body in a type that this path does not read. */
export const unsupportedMediaType = (message: string) => new ApiError('UNSUPPORTED_MEDIA_TYPE', message);

/** 422: fields or parameters that are missing, unknown, of a wrong type or out of range; each with its path. */
export const invalid = (errors: readonly Fault[]) =>
  new ApiError(
    'VALIDATION_FAILED',
    errors.length === 1 ? sentence(errors[0]!) : 'Several fields are not valid; see errors.',
    errors,
  );

/** 429: more than is allowed at once, or within a time; `wait` says after how many seconds to try again, where that is known. */
export const rateLimited = (message: string, wait?: number) =>
  new ApiError('RATE_LIMITED', message, undefined, wait === undefined ? undefined : { 'Retry-After': `${wait}` });

/** What the operator lets an organization use is used up: other than a rate, it is of no use to try again soon. */
export class QuotaError extends ApiError {}

/** 429 where the quota is of a time that ends after `wait` seconds, else 403. */
export const quotaExceeded = (message: string, wait?: number) =>
  wait === undefined
    ? new QuotaError('FORBIDDEN', message)
    : new QuotaError('RATE_LIMITED', message, undefined, { 'Retry-After': `${wait}` });

/** 503: the database cannot be reached, unless another reason is given. `cause` is for the log alone. */
export const unavailable = (message = 'The service cannot reach its database. Try again shortly.', cause?: unknown) =>
  new ApiError('UNAVAILABLE', message, undefined, { 'Retry-After': '1' }, { cause });

/** What is said of a field (`must be a string`) becomes a sentence with it; what is one already stands behind its path. */
const sentence = ({ path, message }: Fault) => {
  if (path === '') return message;
  return /^(is|are|has|must|may) /.test(message) ? `${path} ${message}.` : `${path}: ${message}`;
};

/** 504: the time for a request, or for one statement of it, is over; what was under way was cancelled. */
export const timedOut = (milliseconds?: number) => {
  const time =
    milliseconds === undefined
      ? 'a request may take'
      : `${milliseconds / 1000} s, which is as long as a request may take`;
  return new ApiError('TIMEOUT', `This took longer than ${time}.`);
};
