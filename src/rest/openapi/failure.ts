import { type ErrorCode, errorCodes, httpStatusOf } from '#common/errors.js';
import type { JsonSchema } from '#schema/rules.js';

const descriptions: Readonly<Record<ErrorCode, string>> = {
  MALFORMED_REQUEST: 'The request cannot be read: the body is not JSON, or the address does not decode.',
  UNAUTHENTICATED: 'The token is missing, unknown, expired or revoked.',
  FORBIDDEN: "The caller may read this but not change it, or the token's scope does not cover the operation.",
  NOT_FOUND: 'The resource does not exist, or the caller cannot read it.',
  METHOD_NOT_ALLOWED: 'The path exists, the verb does not.',
  CONFLICT: 'The request is valid, but the current state forbids it.',
  TOO_LARGE: 'The body or the answer exceeds its limit.',
  UNSUPPORTED_MEDIA_TYPE: 'The media type of the body is not supported here.',
  VALIDATION_FAILED: 'Fields or parameters are missing, unknown, repeated, of the wrong type or out of range.',
  RATE_LIMITED: 'Too many requests. Wait as long as `Retry-After` says.',
  INTERNAL: "An unexpected error. The log has its cause under the request's identifier.",
  UNAVAILABLE: 'The database cannot be reached. Try again.',
  TIMEOUT: 'The request took too long, possibly waiting for another change, and was cancelled. Try again.',
};

const messages: Readonly<Record<ErrorCode, string>> = {
  MALFORMED_REQUEST: 'The body is not JSON: Unexpected end of JSON input.',
  UNAUTHENTICATED: 'Send a valid API token in the header "Authorization: Bearer <token>".',
  FORBIDDEN: 'Only owners of the organization may do this: ask one of them.',
  NOT_FOUND: 'There is no such team.',
  METHOD_NOT_ALLOWED: 'Call this path with one of GET, HEAD, OPTIONS.',
  CONFLICT: 'This username is taken.',
  TOO_LARGE: 'The body is too large: send at most 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE:
    'The Content-Type is not supported: send the body as JSON, with the header "Content-Type: application/json".',
  VALIDATION_FAILED: 'name is required.',
  RATE_LIMITED: 'Too many requests. Try again in 1 s.',
  INTERNAL: 'An unexpected error occurred. Name the request when you report it.',
  UNAVAILABLE: 'The service cannot reach its database. Try again shortly.',
  TIMEOUT: 'This took longer than a request may take. Ask for less at once, or try again.',
};

/** Headers of answers, as components. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': { description: 'Identifier of this request in the log.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests allowed in two seconds.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Seconds until all requests are available again.', schema: { type: 'integer' } },
  'X-Delivery-Error': {
    description:
      'Reason why the call got no answer: a code and a sentence, such as `REFUSED: The connection was refused.`',
    schema: { type: 'string' },
  },
  'X-Total-Count': { description: 'Number of items on all pages.', schema: { type: 'integer' } },
  Link: { description: 'Addresses of the first, prev, next and last page (RFC 8288).', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'The scheme to authenticate with.', schema: { type: 'string' } },
};

/** Returns references to headers by name. */
export const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of every rate-limited answer. */
export const commonHeaders = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const ownHeaders: Partial<Record<ErrorCode, string[]>> = {
  UNAUTHENTICATED: ['WWW-Authenticate'],
  RATE_LIMITED: ['Retry-After'],
  UNAVAILABLE: ['Retry-After'],
};

const componentName = (code: ErrorCode) =>
  code
    .toLowerCase()
    .split('_')
    .map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`)
    .join('');

const faultExample = { path: 'name', message: 'is required' };

/** The body of every error, as a component. */
export const errorComponent: JsonSchema = {
  type: 'object',
  description: 'An error.',
  required: ['message', 'code', 'requestId'],
  properties: {
    message: { type: 'string', description: 'Description of the error and its remedy in a sentence.' },
    code: { type: 'string', enum: errorCodes, description: 'Code of the error, for programs.' },
    errors: {
      type: 'array',
      description: 'Faults, each with its path.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'Path of the fault, joined by dots.' },
          message: { type: 'string', description: 'Description of the fault.' },
        },
      },
    },
    requestId: { type: 'string', description: 'Identifier of this request in the log.' },
  },
};

/** One response component for each error code that an operation may return. */
export const failureComponents: JsonSchema = Object.fromEntries(
  errorCodes
    .filter((code) => code !== 'METHOD_NOT_ALLOWED')
    .map((code) => [
      componentName(code),
      {
        description: descriptions[code],
        headers: headerRefs([...commonHeaders, ...(ownHeaders[code] ?? [])]),
        content: {
          'application/json': {
            schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { const: code } } }] },
            example: {
              message: messages[code],
              code,
              ...(code === 'VALIDATION_FAILED' && { errors: [faultExample] }),
              requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
            },
          },
        },
      },
    ]),
);

/** Returns references to an operation's failure responses, by status. */
export const failures = (codes: readonly ErrorCode[]): JsonSchema =>
  Object.fromEntries(
    codes.map((code) => [`${httpStatusOf(code)}`, { $ref: `#/components/responses/${componentName(code)}` }]),
  );
