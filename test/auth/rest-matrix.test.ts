import { describe, expect, it } from '@jest/globals';
import { type Route, routes } from '#rest/routes.js';
import type { Actor } from '../support/actor.js';
import { cases, codes, expected, ok, useMatrix } from './matrix.js';
import type { Values } from './operations.js';

const matrix = useMatrix();

describe('access to REST operations', () => {
  const byName = new Map(routes.map((route) => [`${route.root}.${route.operation}`, route]));
  const calls = cases.flatMap((each) => {
    const route = byName.get(each.name);
    if (route === undefined) return [];
    const wanted = expected(each.who, each.name, each.access, route.root === 'Mutation');
    const status = wanted === ok ? (each.conflicts ? 409 : (route.status ?? ok)) : wanted;
    return [{ ...each, route, wanted, status }];
  });
  it.each(calls)('returns $status to $who for $name', async ({ name, who, route, wanted, status, values }) => {
    const answer = await request(matrix.actors[who], route, await values(matrix.things));
    expect([name, who, answer.status]).toEqual([name, who, status]);
    if (wanted !== ok) expect(answer.body).toMatchObject({ code: codes[wanted], message: expect.any(String) });
  });
});

/** Sends an operation: path parameters in the path, the others in the body or the query string. */
function request(actor: Actor, { verb, path, body }: Route, values: Values) {
  const rest = { ...values };
  const place = path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return value;
  });
  if (typeof body === 'object' && 'files' in body)
    return actor.request(verb, `${place}?dryRun=false`, {
      headers: { 'content-type': 'text/csv' },
      body: rest[body.argument],
    });
  if (typeof body === 'object') return actor.call(verb, place, rest[body.argument]);
  if (body === 'located') return actor.call('POST', place, rest);
  return verb === 'GET' || verb === 'DELETE' ? actor.call(verb, place) : actor.call(verb, place, rest);
}
