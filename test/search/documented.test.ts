import { describe, expect, it } from '@jest/globals';
import { examplesOfPage, exampleWorld } from './example.js';
import { useWorld } from './world.js';

const world = useWorld(exampleWorld);
const examples = examplesOfPage();

describe('the examples of docs/search.md', () => {
  it.each(examples.filter(({ kind }) => kind === 'search'))('answers $text', async ({ expected, text }) => {
    const answer = await world.ask(JSON.parse(text) as never);
    expect(answer).toMatchObject({ status: 200, timed_out: false });
    if (expected !== '') expect(answer).toMatchObject({ hits: { total: { value: Number(expected), relation: 'eq' } } });
  });

  it.each(examples.filter(({ kind }) => kind === 'search-error'))('refuses $text', async ({ expected, text }) => {
    expect(await world.ask(JSON.parse(text) as never)).toMatchObject({ error: { type: expected } });
  });

  it('are some for every clause and aggregation', () => {
    expect(examples.length).toBeGreaterThan(60);
  });
});
