import { type ErrorCode, errorCodes, statusOf } from '../../errors.js';
import type { JsonSchema } from '../../schema/rules.js';

const descriptions: Readonly<Record<ErrorCode, string>> = {
  MALFORMED_REQUEST: 'The request cannot be read: the body is not JSON, or the address does not decode.',
  UNAUTHENTICATED: 'No token, or one that is unknown, expired or revoked.',
  FORBIDDEN: "Readable, but not for this caller to change; or the token's scope does not cover it.",
  NOT_FOUND: 'There is no such thing for this caller.',
  METHOD_NOT_ALLOWED: 'The path exists, the verb does not.',
  CONFLICT: 'The request is right, but the state of things forbids it.',
  TOO_LARGE: 'The body is over its limit.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is in a type that is not read here.',
  VALIDATION_FAILED: 'Fields or parameters are missing, unknown, repeated, of the wrong type or out of range.',
  RATE_LIMITED: 'Too many requests; wait as long as `Retry-After` says.',
  INTERNAL: 'Something unforeseen; the request id finds its cause in the log.',
  UNAVAILABLE: 'The database cannot be reached; try again.',
  TIMEOUT: 'It took too long, waiting for another change included, and was cancelled; try again.',
};

const messages: Readonly<Record<ErrorCode, string>> = {
  MALFORMED_REQUEST: 'The body is not JSON: Unexpected end of JSON input.',
  UNAUTHENTICATED: 'Send a valid API token in the header "Authorization: Bearer <token>".',
  FORBIDDEN: 'Only owners of the organization may do this: ask one of them.',
  NOT_FOUND: 'There is no such team.',
  METHOD_NOT_ALLOWED: 'This path answers GET, HEAD, OPTIONS.',
  CONFLICT: 'This username is taken.',
  TOO_LARGE: 'Send at most 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as JSON, with the header "Content-Type: application/json".',
  VALIDATION_FAILED: 'name is required.',
  RATE_LIMITED: 'Too many requests. Try again in 1 s.',
  INTERNAL: 'Something went wrong here. Say which request it was when you ask.',
  UNAVAILABLE: 'The service cannot reach its database. Try again shortly.',
  TIMEOUT: 'This took longer than a request may take.',
};

/** Headers of answers, as components. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': { description: 'Name of this request in the log.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests allowed in two seconds.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Seconds until they are all there again.', schema: { type: 'integer' } },
  'X-Delivery-Error': {
    description: 'Why the call got no answer: a code and a sentence, such as `REFUSED: The connection was refused.`',
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
  description: 'What went wrong.',
  required: ['message', 'code', 'requestId'],
  properties: {
    message: { type: 'string', description: 'A sentence that says what is wrong and what to do.' },
    code: { type: 'string', enum: errorCodes, description: 'What kind of error it is, for programs.' },
    errors: {
      type: 'array',
      description: 'Each fault with its place.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'Where, joined by dots.' },
          message: { type: 'string', description: 'What is wrong with it.' },
        },
      },
    },
    requestId: { type: 'string', description: 'Name of this request in the log.' },
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
    codes.map((code) => [`${statusOf(code)}`, { $ref: `#/components/responses/${componentName(code)}` }]),
  );
