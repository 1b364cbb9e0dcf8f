import { expect, it } from '@jest/globals';
import { Actor } from '../support/actor.js';
import { useWorld } from '../support/world.js';

const rounds = 12;
const world = useWorld({ config: { rateLimit: rounds } });

it('counts attempts to register a device, even successful ones, with unknown tokens of the same address', async () => {
  const owner = await world.organization();
  const product = { name: 'Meter', version: '1', variables: [] };
  const productId = await owner.make(`/organizations/${owner.id}/products`, product);
  const newToken = async () => {
    const { body } = await owner.post<{ token: string }>(`/products/${owner.id}/${productId}/provisioning-tokens`, {
      deviceLimit: 100,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    return new Actor(world.url, body.token);
  };
  const [one, other, unknown] = [await newToken(), await newToken(), new Actor(world.url, `ddp_${'x'.repeat(43)}`)];
  const calls = (round: number) => [
    () => one.post(`/provision/a${round}`),
    () => other.post(`/provision/a${round}`),
    () => unknown.get('/account'),
  ];
  // Each attempt lowers the remaining allowance by one. When a window ends between two attempts, the test repeats.
  const seen: number[][] = [];
  const stepsOf = (left: readonly number[]) => left.slice(1).map((each, index) => left[index]! - each);
  while (seen.length < rounds && !seen.some((left) => stepsOf(left).every((step) => step === 1))) {
    const left: number[] = [];
    for (const call of calls(seen.length)) left.push(Number((await call()).headers.get('x-ratelimit-remaining')));
    seen.push(left);
  }
  expect(seen.map(stepsOf)).toContainEqual([1, 1]);
});
