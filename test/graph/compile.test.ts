import { afterAll, expect, it } from '@jest/globals';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import type { GraphContext } from '#graph/context.js';
import { createPrepare } from '#graph/execute.js';
import { RequestBudget } from '#graph/request-budget.js';

/** Counts the iterations of the event loop. */
let iteration = 0;
let next = setImmediate(count);
function count() {
  iteration += 1;
  next = setImmediate(count);
}
afterAll(() => clearImmediate(next));

it('compiles each operation of a GraphQL batch in a separate iteration of the event loop', async () => {
  const schema = buildSchema('type Query { iteration: Int }');
  // A compiled operation runs at once, in the iteration that compiled it.
  schema.getQueryType()!.getFields()['iteration']!.resolve = () => iteration;
  const prepare = createPrepare(schema);
  const context = { budget: new RequestBudget(20_000), reserve: () => undefined } as unknown as GraphContext;
  const documents = Array.from({ length: 20 }, (_, index) => parse(`{ at${index}: iteration }`));
  const runs = documents.map((document) => prepare(document, document.definitions[0] as OperationDefinitionNode));
  const answers = await Promise.all(runs.map((run) => run(context, {})));
  const compiledAt = answers.flatMap(({ data }) => Object.values(data!));
  expect(compiledAt).toHaveLength(20);
  expect(new Set(compiledAt).size).toBe(20);
  // A cached operation does not wait.
  const now = iteration;
  expect((await runs[0]!(context, {})).data).toEqual({ at0: now });
});
