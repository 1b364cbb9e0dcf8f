import { expect } from '@jest/globals';
import { testGuide, useGuide } from './guide.js';
import type { Block } from './page.js';

const guide = useGuide();

/** Sends the query of an example, and returns its answer. */
async function ask({ text }: Block): Promise<unknown> {
  const { id, applicationId, token } = guide.first;
  const response = await fetch(`${guide.url}/ddp/v1/applications/${id}/${applicationId}/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{"ts":{"gte":0,"lte":4102444800},"queries":[{"products":[],${text.slice(1)}]}`,
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { responses: unknown[] }).responses[0];
}

testGuide(
  'docs/search.md',
  {
    runs: {
      // The next word is the number of matching records.
      async 'json search'(block) {
        const answer = await ask(block);
        expect(answer).toMatchObject({ status: 200, timed_out: false });
        const [, count] = block.words;
        if (count !== undefined)
          expect(answer).toMatchObject({ hits: { total: { value: Number(count), relation: 'eq' } } });
        return '';
      },
      // The next word is the type of the error.
      async 'json search-error'(block) {
        expect(await ask(block)).toMatchObject({ error: { type: block.words[1] } });
        return '';
      },
    },
  },
  guide,
);
