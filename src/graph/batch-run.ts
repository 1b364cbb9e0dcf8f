import { requireAtomic, runAtomic } from './atomic.js';
import { isAtomic, isQuery, runsOf, type SentOperation } from './batch.js';
import { createTurns, type GraphContext, type Turn } from './context.js';
import type { HttpAnswer } from './fast-path.js';
import { OwnObjects } from './object-budget.js';

export interface BatchOptions {
  createContext: () => GraphContext;
  run: (operation: unknown, context: GraphContext) => Promise<HttpAnswer>;
}

/** Maximum number of mutations of one batch that run side by side. */
const mutationsAtOnce = 8;

/** Runs the operations of a batch. Returns their answers in order. */
export async function runBatch(operations: readonly SentOperation[], options: BatchOptions): Promise<HttpAnswer[]> {
  if (isAtomic(operations)) {
    requireAtomic(operations);
    return runAtomic(operations, options);
  }
  const answers: HttpAnswer[] = [];
  for (const run of runsOf(operations)) answers.push(...(await runTogether(run, options)));
  return answers;
}

/** Runs operations side by side. Queries share what they load; each mutation has a unit of work of its own. */
function runTogether(
  operations: readonly SentOperation[],
  { createContext, run }: BatchOptions,
): Promise<HttpAnswer[]> {
  const shared = createContext();
  const turns = createTurns(operations.length, shared.budget.cost, shared.budget.objects.came);
  const enter = createGate(mutationsAtOnce);
  const runs = operations.map(async (sent, index) => {
    const turn = turns[index]!;
    const leave = isQuery(sent) ? undefined : await enter();
    const context = withTurn(isQuery(sent) ? shared : createContext(), turn);
    try {
      return await run(sent.body, context);
    } finally {
      // An operation that cannot be parsed has no cost. It must not block the operations after it.
      turn.pass();
      turn.end(context.objects.came);
      leave?.();
    }
  });
  return Promise.all(runs);
}

/** Returns a context with the position of one operation of the batch, which counts the objects of that operation. */
const withTurn = (context: GraphContext, turn: Turn): GraphContext & { objects: OwnObjects } =>
  Object.assign(Object.create(context) as GraphContext, { turn, objects: new OwnObjects(context.budget.objects) });

/** Creates a semaphore. Its slots are taken in the order of the calls. */
const createGate = (slots: number) => {
  let free = slots;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async (): Promise<() => void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
};
