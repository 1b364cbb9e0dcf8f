import { describe, expect, it } from '@jest/globals';
import { delayDuring } from '../attack/delay.js';
import { send, useField } from './field.js';

// A service in this process, whose event loop is measured.
const field = useField({});
const many = (count: number) => Array.from({ length: count }, () => '**').join('.');
const at = (paths: string, token = field.token) =>
  send({ ...field, token }, 'GET', `/_search?filter_path=${encodeURIComponent(paths)}`);

describe('filter_path', () => {
  it('blocks the event loop for less than 50 ms with 1,600 stars from an unknown caller', async () => {
    const { result, longest } = await delayDuring(() => at(`${many(1600)}.x`, 'ddp_unknown'));
    expect(result.status).toBe(401);
    expect(longest).toBeLessThan(50);
  });

  it('leaves the error of an unknown caller whole', async () => {
    const answer = await at('status', 'ddp_unknown');
    expect(Object.keys(answer.body)).toEqual(['error', 'status']);
  });

  it('filters the error of a known caller', async () => {
    const answer = await send(field, 'GET', '/_search?filter_path=status&from=x');
    expect(answer.body).toEqual({ status: 400 });
  });

  it('treats neighbouring ** as one', async () => {
    const { result, longest } = await delayDuring(() => at(`${many(1600)}.label`));
    expect(result.body.hits.hits).toHaveLength(3);
    expect(longest).toBeLessThan(100);
  });

  it.each([
    ['paths', Array.from({ length: 101 }, (_, index) => `a${index}`).join()],
    ['names', Array.from({ length: 401 }, () => '*').join('.')],
    ['characters', 'x'.repeat(8193)],
  ])('returns 400 for too many %s', async (what, paths) => {
    const answer = await at(paths);
    expect([answer.status, answer.body.error.type]).toEqual([400, 'illegal_argument_exception']);
    expect(answer.body.error.reason).toContain(what);
  });

  it('matches * between many ** within 100 ms', async () => {
    const { result, longest } = await delayDuring(() => at(Array.from({ length: 190 }, () => '**.*').join('.')));
    expect(result.body).toEqual({});
    expect(longest).toBeLessThan(100);
  });
});
