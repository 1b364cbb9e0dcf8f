import { expect } from '@jest/globals';
import { testGuide, useGuide } from './guide.js';
import { blocksOf } from './page.js';

const path = 'docs/dashboards.md';
const guide = useGuide();

/** Sends the document that the page shows to the mutation that the page shows. */
async function save(query: string): Promise<string> {
  const { id, applicationId, token } = guide.first;
  const document = blocksOf(path).find(({ words }) => words[0] === 'document')!;
  const variables = { organizationId: id, applicationId, version: 0, document: JSON.parse(document.text) as unknown };
  const response = await fetch(`${guide.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const answer = await response.json();
  expect(answer).toEqual({ data: { updateDashboard: { version: 1 } } });
  return JSON.stringify(answer);
}

testGuide(
  path,
  {
    runs: {
      'graphql save': ({ text }) => save(text),
      'json document': async () => '',
    },
  },
  guide,
);
