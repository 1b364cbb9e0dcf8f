/** Reasons for which a sign-in is refused. They are labels of a metric, so there are few. */
export type RefusalReason =
  /** The browser did not begin this sign-in, or it is over. */
  | 'state'
  /** The provider sent the person back with an error, or the person declined. */
  | 'denied'
  /** The provider does not accept the service as its client, such as for a wrong secret. */
  | 'client'
  /** The provider does not accept the code. */
  | 'code'
  | 'nonce'
  | 'audience'
  | 'issuer'
  | 'time'
  | 'signature'
  /** Another fault of the provider's answer. */
  | 'answer'
  | 'no-account'
  | 'disabled'
  /** A link of the operator or of an invitation that is not valid. */
  | 'link'
  /** The provider does not answer. */
  | 'unreachable'
  /** The settings of the service do not fit the provider. */
  | 'settings';

/** A sign-in is refused. The message is for people and contains no text of the provider; `detail` is for operators. */
export class SignInRefusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    readonly detail?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Returns the status of an answer: 503 for what another attempt or another setting can mend. */
export const refusalStatus = (reason: RefusalReason): number => {
  if (reason === 'state') return 400;
  return reason === 'unreachable' || reason === 'settings' ? 503 : 403;
};

/** Errors of openid-client and oauth4webapi, as far as they say what is wrong. */
interface LibraryError {
  code?: unknown;
  message?: unknown;
  error?: unknown;
  error_description?: unknown;
  status?: unknown;
  claim?: unknown;
  expected?: unknown;
  claims?: Record<string, unknown>;
  cause?: unknown;
}

/** Translates an error of a request to a provider, or of a check of its answer. */
export function signInRefusalOf(thrown: unknown): SignInRefusal {
  if (thrown instanceof SignInRefusal) return thrown;
  const error = (thrown ?? {}) as LibraryError;
  const make = (reason: RefusalReason, message: string) =>
    new SignInRefusal(reason, message, detailOf(error), { cause: thrown });
  switch (error.code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR': {
      const code = /^[a-z_]{1,60}$/.test(String(error.error)) ? String(error.error) : 'another reason';
      return make('denied', `The provider refused the sign-in: ${code}.`);
    }
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return make('client', ofClient);
    case 'OAUTH_RESPONSE_BODY_ERROR':
      return /^(invalid|unauthorized)_client$/.test(String(error.error))
        ? make('client', ofClient)
        : make('code', 'The provider refused the code of this sign-in.');
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return make(reasonOfClaim(error), notValid);
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return make('time', notValid);
    case 'OAUTH_KEY_SELECTION_FAILED':
      return make('signature', notValid);
    case 'OAUTH_INVALID_RESPONSE':
      return make(reasonOfAnswer(error), notValid);
    case 'OAUTH_MISSING_SERVER_METADATA':
    case 'OAUTH_INVALID_SERVER_METADATA':
    case 'OAUTH_HTTP_REQUEST_FORBIDDEN':
      return make('settings', notSetUp);
    case undefined:
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return make('unreachable', 'The provider of sign-ins cannot be reached. Try again shortly.');
    default:
      // Node's errors of a connection have codes of their own, such as ECONNREFUSED.
      return String(error.code).startsWith('OAUTH_')
        ? make('answer', notValid)
        : make('unreachable', 'The provider of sign-ins cannot be reached. Try again shortly.');
  }
}

const notValid = 'The answer of the provider is not valid.';
const ofClient = 'The provider does not accept this service. Tell the operator of the service.';
/** The message for a provider whose metadata does not fit the settings. */
export const notSetUp = 'Signing in by this provider is not set up correctly. Tell the operator of the service.';

const claims: Readonly<Record<string, RefusalReason>> = {
  nonce: 'nonce',
  aud: 'audience',
  azp: 'audience',
  iss: 'issuer',
};

const reasonOfClaim = (error: LibraryError): RefusalReason => {
  const claim = [...chainOf(error)].find((each) => typeof each.claim === 'string')?.claim;
  return claims[String(claim)] ?? 'answer';
};

const reasonOfAnswer = (error: LibraryError): RefusalReason => {
  const text = [...chainOf(error)].map(({ message }) => String(message)).join(' ');
  const named = /"(nonce|aud|iss)"/.exec(text)?.[1];
  if (named !== undefined) return claims[named]!;
  return /signature/.test(text) ? 'signature' : 'answer';
};

function* chainOf(error: LibraryError): Generator<LibraryError> {
  let each: unknown = error;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth++) {
    yield each;
    each = (each as LibraryError).cause;
  }
}

/** Describes an error for operators: its messages, the provider's error, and the claim at fault. */
function detailOf(error: LibraryError): string {
  const parts: string[] = [];
  for (const each of chainOf(error)) {
    if (typeof each.message === 'string') parts.push(each.message);
    if (typeof each.error === 'string') parts.push(`the provider says ${each.error} ${textOf(each.error_description)}`);
    if (Array.isArray(each)) parts.push(...(each as Challenge[]).slice(0, 3).map(challengeText));
    if (typeof each.status === 'number') parts.push(`status ${each.status}`);
    if (typeof each.claim !== 'string') continue;
    // The values of a nonce say nothing to an operator.
    const value = each.claims?.[each.claim];
    if (each.claim === 'nonce') parts.push(`claim nonce is ${value === undefined ? 'absent' : 'another'}`);
    else
      parts.push(
        `claim ${each.claim} is ${textOf(value)}${each.expected === undefined ? '' : `, expected ${textOf(each.expected)}`}`,
      );
  }
  return cleaned([...new Set(parts)].join('; '));
}

/** A challenge of the header `WWW-Authenticate`. */
interface Challenge {
  scheme?: string;
  parameters?: Readonly<Record<string, string>>;
}

const challengeText = ({ scheme, parameters: { error, error_description } = {} }: Challenge): string =>
  `the provider says ${[scheme, error, error_description].filter(Boolean).join(' ')}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Maximum number of characters of a detail. */
const longest = 500;

/** Text of a provider, for a log line and an event. */
const cleaned = (text: string): string =>
  text
    .replaceAll(/[\p{C}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .toWellFormed();
