import { ErrorWithoutStack } from './error-without-stack.js';

/** One fault of an input: its place (dotted path into the arguments) and what is wrong. */
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

/** Codes of errors, on REST and in GraphQL `extensions`. */
export type ErrorCode = keyof typeof statuses;

/** All error codes, for documents that list them. */
export const errorCodes = Object.keys(statuses) as ErrorCode[];

/** Returns the HTTP status of an error code. */
export const httpStatusOf = (code: ErrorCode): number => statuses[code];

/** An error that the caller sees unchanged. Every other error is answered as a bare INTERNAL. */
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
    return httpStatusOf(this.code);
  }
}

/** 400: the request cannot be read. */
export const malformed = (message: string) => new ApiError('MALFORMED_REQUEST', message);

/** 401: the token is missing or invalid. The message is the same for every reason, so that it reveals nothing. */
export const unauthenticated = () =>
  new ApiError('UNAUTHENTICATED', 'Send a valid API token in the header "Authorization: Bearer <token>".', undefined, {
    'WWW-Authenticate': 'Bearer',
  });

/** 403: the caller may read this resource, but not do this to it. */
export const forbidden = (message: string) => new ApiError('FORBIDDEN', message);

/**
 * 404: used alike for a resource that does not exist, one of another organization, and one that the caller may not
 * read.
 */
export const notFound = (what = 'thing') => new ApiError('NOT_FOUND', `There is no such ${what}.`);

/** 404: the records are for a device that is not registered. `message` names the device as the caller did. */
export const unknownDevice = (message: string) => new ApiError('NOT_FOUND', message);

/** 405: the path exists, but does not support the verb. `allow` lists the supported verbs. */
export const methodNotAllowed = (allow: readonly string[]) =>
  new ApiError('METHOD_NOT_ALLOWED', `Call this path with one of ${allow.join(', ')}.`, undefined, {
    Allow: allow.join(', '),
  });

/** 409: the request is valid, but the current state forbids it. */
export const conflict = (message: string, errors?: readonly Fault[]) => new ApiError('CONFLICT', message, errors);

/** 413: the body exceeds its limit. */
export const tooLarge = (message: string) => new ApiError('TOO_LARGE', message);

/** 415: the path does not accept the media type of the body. */
export const unsupportedMediaType = (message: string) => new ApiError('UNSUPPORTED_MEDIA_TYPE', message);

/** 422: fields or parameters are missing, unknown, of the wrong type or out of range. Each fault has its path. */
export const invalid = (errors: readonly Fault[]) =>
  new ApiError(
    'VALIDATION_FAILED',
    errors.length === 1 ? sentence(errors[0]!) : 'Several fields are not valid; see errors.',
    errors,
  );

/**
 * 429: too many requests at once or within a time. `wait` is the number of seconds until the next attempt, when known.
 */
export const rateLimited = (message: string, wait?: number) =>
  new ApiError('RATE_LIMITED', message, undefined, wait === undefined ? undefined : { 'Retry-After': `${wait}` });

/**
 * The organization has used up a quota that the operator set. Unlike after a rate limit, retrying soon does not help.
 */
export class QuotaError extends ApiError {}

/** 429 when the quota is for a period that ends in `wait` seconds, otherwise 403. */
export const quotaExceeded = (message: string, wait?: number) =>
  wait === undefined
    ? new QuotaError('FORBIDDEN', message)
    : new QuotaError('RATE_LIMITED', message, undefined, { 'Retry-After': `${wait}` });

/** A quota of a day that a call exceeds. */
export interface DayFull {
  quota: number;
  /** Number that is left of the day. */
  left: number;
  /** Number that the call has. */
  items: number;
  /** End of the day in ISO 8601. */
  until: string;
}

/** Returns the sentence that says how a call exceeds a quota of a day. */
export const dayFull = (what: string, { quota, left, items, until }: DayFull): string => {
  const reached = left === 0 ? 'is reached' : `leaves ${left}, and this call has ${items}`;
  return `The quota of ${quota} ${what} a day ${reached}, until ${until}.`;
};

/** 500: an error outside the catalogue. The message reveals nothing of its cause. */
export const internal = () =>
  new ApiError('INTERNAL', 'An unexpected error occurred. Name the request when you report it.');

/** 503: by default, the database cannot be reached; `message` can give another reason. `cause` is only logged. */
export const unavailable = (message = 'The service cannot reach its database. Try again shortly.', cause?: unknown) =>
  new ApiError('UNAVAILABLE', message, undefined, { 'Retry-After': '1' }, { cause });

/**
 * Turns a fault into a sentence: `name must be a string.` when the message is a predicate, otherwise `name: message`.
 */
const sentence = ({ path, message }: Fault) => {
  if (path === '') return message;
  return /^(is|are|has|must|may) /.test(message) ? `${path} ${message}.` : `${path}: ${message}`;
};

/** 504: the request, or a statement of it, exceeded its timeout. Work in progress was cancelled. */
export const timedOut = (milliseconds?: number) => {
  const time =
    milliseconds === undefined
      ? 'a request may take'
      : `${milliseconds / 1000} s, which is as long as a request may take`;
  return new ApiError('TIMEOUT', `This took longer than ${time}. Ask for less at once, or try again.`);
};
