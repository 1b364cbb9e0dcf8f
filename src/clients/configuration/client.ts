import { setTimeout as delay } from 'node:timers/promises';

/** An operation of the graph with its variables. */
export interface GraphOperation {
  query: string;
  variables: object;
}

/** Sends operations to the graph of a running service. */
export interface Graph {
  /** Runs one operation. @throws RequestRefusal when the service refuses. */
  ask<Data>(query: string, variables: object): Promise<Data>;
  /**
   * Runs mutations in one transaction. Returns their data, in order.
   * @throws RequestRefusal with the index of the one that failed. Nothing is changed then.
   */
  askAtomic(operations: readonly GraphOperation[]): Promise<unknown[]>;
}

/** A refused operation: a sentence for people, the code of its first error, and its index in a batch. */
export class RequestRefusal extends Error {
  constructor(
    message: string,
    readonly code: string | undefined,
    readonly faults: readonly Fault[] = [],
    readonly index?: number,
  ) {
    super(message);
  }
}

export interface Fault {
  path: string;
  message: string;
}

interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: string; errors?: Fault[] } }[];
}

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
    const { status } = response;
    const answer = answerOf(await response.text());
    if (answer === undefined)
      throw new Error(
        `There is no Device Data Platform at ${origin}: it answered with status ${status}, and not as a GraphQL service does. Say where the service is with --url or ORIGIN, without a path.`,
      );
    if (!response.ok && !Array.isArray(answer))
      throw refusalOf(answer as Answer) ?? new RequestRefusal(`The service answered ${status}.`, undefined);
    return answer;
  };
  return {
    async ask<Data>(query: string, variables: object) {
      const answer = (await send({ query, variables })) as Answer;
      const refusal = refusalOf(answer);
      if (refusal !== undefined) throw refusal;
      return answer.data as Data;
    },
    async askAtomic(operations) {
      const [first, ...others] = operations;
      const answers = (await send([{ ...first, extensions: { atomic: true } }, ...others])) as Answer[];
      // One operation of an atomic batch fails with its own error. The errors of the others name it by its number.
      const named = answers.map(({ errors }) =>
        /operation (\d+) of this atomic batch/.exec(errors?.[0]?.message ?? ''),
      );
      const failed = named.find((each) => each !== null);
      const index = failed ? Number(failed[1]) : answers.findIndex(({ errors }) => errors !== undefined);
      const refusal = answers[index] && refusalOf(answers[index], index);
      if (refusal !== undefined) throw refusal;
      return answers.map(({ data }) => data);
    },
  };
}

/** Parses the answer of a graph; undefined for anything else. */
function answerOf(text: string): Answer | Answer[] | undefined {
  try {
    const answer = JSON.parse(text) as unknown;
    const isAnswer = (each: unknown) =>
      typeof each === 'object' && each !== null && ('data' in each || Array.isArray((each as Answer).errors));
    if (Array.isArray(answer) ? answer.every(isAnswer) : isAnswer(answer)) return answer as Answer | Answer[];
  } catch {
    // It is no JSON.
  }
  return undefined;
}

const waitOf = ({ status, headers }: Response): number | undefined => {
  const wait = headers.get('retry-after');
  return status === 429 && wait !== null ? Number(wait) : undefined;
};

function refusalOf({ errors: [error] = [] }: Answer, index?: number): RequestRefusal | undefined {
  if (error === undefined) return undefined;
  const { message, extensions: { code, errors = [] } = {} } = error;
  // The fault of a variable repeats the message.
  return new RequestRefusal(
    message,
    code,
    errors.filter((fault) => fault.message !== message),
    index,
  );
}
