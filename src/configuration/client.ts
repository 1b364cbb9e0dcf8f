import { setTimeout as delay } from 'node:timers/promises';

/** Sends operations to the graph of a running service. */
export interface Graph {
  /** Runs one operation. @throws Refusal when the service refuses. */
  ask<Data>(query: string, variables: object): Promise<Data>;
  /** Runs operations side by side in batches. Returns, per operation and in order, the error message or undefined. */
  askAll(operations: readonly { query: string; variables: object }[]): Promise<(string | undefined)[]>;
}

/** A refused operation: a sentence for people, and the code of its first error. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: string; errors?: { path: string; message: string }[] } }[];
}

/** Number of operations per batch. A batch has to end within the timeout of a request, on a busy machine as well. */
const batchSize = 50;

/** Creates the client of a service. It waits as long as `Retry-After` says. */
export function createGraphClient(origin: string, token: string): Graph {
  const send = async (body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = () =>
      fetch(`${origin}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) }).catch((cause: unknown) => {
        throw new Error(`The service at ${origin} does not answer. Start it, or say where it is with --url.`, {
          cause,
        });
      });
    let response = await request();
    for (let wait = waitOf(response); wait !== undefined; wait = waitOf(response)) {
      await delay(wait * 1000);
      response = await request();
    }
    const answer = (await response.json()) as unknown;
    if (!response.ok)
      throw refusalOf(answer as Answer) ?? new Refusal(`The service answered ${response.status}.`, undefined);
    return answer;
  };
  return {
    async ask<Data>(query: string, variables: object) {
      const answer = (await send({ query, variables })) as Answer;
      const refusal = refusalOf(answer);
      if (refusal !== undefined) throw refusal;
      return answer.data as Data;
    },
    async askAll(operations) {
      const failures: (string | undefined)[] = [];
      for (let from = 0; from < operations.length; from += batchSize) {
        const batch = operations
          .slice(from, from + batchSize)
          .map((operation) => ({ ...operation, extensions: { concurrent: true } }));
        const answers = (await send(batch)) as Answer[];
        failures.push(...answers.map((each) => refusalOf(each)?.message));
      }
      return failures;
    },
  };
}

const waitOf = ({ status, headers }: Response): number | undefined => {
  const wait = headers.get('retry-after');
  return status === 429 && wait !== null ? Number(wait) : undefined;
};

function refusalOf({ errors: [error] = [] }: Answer): Refusal | undefined {
  if (error === undefined) return undefined;
  const { message, extensions: { code, errors = [] } = {} } = error;
  // The fault of a variable repeats the message.
  const faults = errors.filter((fault) => fault.message !== message);
  return new Refusal([message, ...faults.map(faultText)].join(' '), code);
}

/** Returns a fault as text. */
export const faultText = ({ path, message }: { path: string; message: string }): string => `(${path}: ${message})`;
