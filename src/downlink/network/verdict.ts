import type { CallOutcome } from '#calls/caller.js';

/** Reason why a network server did not take a command, and what to do about it. */
export interface Refusal {
  code: string;
  message: string;
}

const meanings: Readonly<Record<number, Refusal>> = {
  401: {
    code: 'API_KEY_REFUSED',
    message: 'The network server does not accept the API key for this application. Give it another key.',
  },
  403: {
    code: 'API_KEY_RIGHTS',
    message: 'The API key may not send downlinks for this application. Give it that right, or another key.',
  },
  404: {
    code: 'NOT_AT_NETWORK_SERVER',
    message:
      'The network server has no such application or device, or this is not the address of its API. Correct the address or the application.',
  },
  429: {
    code: 'NETWORK_SERVER_BUSY',
    message: 'The network server takes no more calls now. Nothing needs to be done: they are repeated.',
  },
};

/** Maximum number of characters of a server's own words that are kept. */
const maxWords = 300;

/**
 * Says why a network server did not take something. The answer's own words are kept, if it has any.
 * @param hide removes secrets from a text
 */
export function explain({ answer, fault }: CallOutcome, hide: (text: string) => string): Refusal & { status?: number } {
  if (answer === undefined)
    return {
      code: fault?.code === 'BLOCKED' ? 'ADDRESS_BLOCKED' : 'NETWORK_SERVER_UNREACHABLE',
      message: `The network server cannot be reached: ${fault?.message ?? 'this service stopped.'} Check its address.`,
    };
  const { statusCode: status, body } = answer;
  const { code, message } = meanings[status] ?? {
    code: status >= 500 ? 'NETWORK_SERVER_FAILS' : 'NETWORK_SERVER_REFUSED',
    message: `The network server answered ${status}.`,
  };
  const words = wordsOf(body);
  return {
    status,
    code,
    message: words === undefined ? message : `${message} It says: ${hide(words).slice(0, maxWords)}`,
  };
}

/** Returns the message of an error of grpc-gateway, which both kinds of servers send. */
const wordsOf = (body: Buffer): string | undefined => {
  const json = jsonOf(body);
  const message = typeof json === 'object' && json !== null && 'message' in json ? json.message : undefined;
  return typeof message === 'string' && message !== ''
    ? message
        .toWellFormed()
        .replaceAll('\0', '\uFFFD')
        .slice(0, 2 * maxWords)
    : undefined;
};

/** Parses a body; undefined if it is not JSON. */
export const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};
