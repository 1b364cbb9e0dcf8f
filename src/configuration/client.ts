import { setTimeout as delay } from 'node:timers/promises';

/** Sends operations to the graph of a running service. */
export interface Graph {
  /** Runs one operation. @throws a sentence when the service refuses. */
  ask<Data>(query: string, variables: object): Promise<Data>;
  /** Runs operations in batches. Returns, per operation and in order, the error message or undefined. */
  askAll(operations: readonly { query: string; variables: object }[]): Promise<(string | undefined)[]>;
}

interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { errors?: { path: string; message: string }[] } }[];
}

/** Number of operations per batch. */
const batchSize = 100;

/** Creates the client of a service. It waits as long as `Retry-After` says. */
export function createGraphClient(origin: string, token: string): Graph {
  const send = async (body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = () =>
      fetch(`${origin}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) }).catch((cause: unknown) => {
        throw new Error(`There is no service at ${origin}. Start it, or say where it is with --url.`, { cause });
      });
    let response = await request();
    for (let wait = waitOf(response); wait !== undefined; wait = waitOf(response)) {
      await delay(wait * 1000);
      response = await request();
    }
    const answer = (await response.json()) as unknown;
    if (!response.ok) throw new Error(failureOf(answer as Answer) ?? `The service answered ${response.status}.`);
    return answer;
  };
  return {
    async ask<Data>(query: string, variables: object) {
      const answer = (await send({ query, variables })) as Answer;
      const failure = failureOf(answer);
      if (failure !== undefined) throw new Error(failure);
      return answer.data as Data;
    },
    async askAll(operations) {
      const failures: (string | undefined)[] = [];
      for (let from = 0; from < operations.length; from += batchSize) {
        const answers = (await send(operations.slice(from, from + batchSize))) as Answer[];
        failures.push(...answers.map(failureOf));
      }
      return failures;
    },
  };
}

const waitOf = ({ status, headers }: Response): number | undefined => {
  const wait = headers.get('retry-after');
  return status === 429 && wait !== null ? Number(wait) : undefined;
};

const failureOf = ({ errors }: Answer): string | undefined =>
  errors?.[0] && [errors[0].message, ...(errors[0].extensions?.errors ?? []).map(faultText)].join(' ');

/** Returns a fault as text. */
export const faultText = ({ path, message }: { path: string; message: string }): string => `(${path}: ${message})`;
