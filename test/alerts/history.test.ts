import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '#entities/id.js';
import { useWorld } from '../support/world.js';
import { decision, expectedOf, histories, spansOf } from './history.js';

const world = useWorld();

it('opens the same episodes of a threshold rule however records are split, reordered within a batch or repeated', async () => {
  const owner = await world.organization();
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  await owner.make(`/applications/${owner.id}/${applicationId}/alert-rules`, { name: 'Too warm', ...decision });
  const order = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
  await fc.assert(
    fc.asyncProperty(histories, order, async (batches, random) => {
      const serial = newId().slice(-12);
      const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
      const draw = () => random.next().value;
      for (const batch of batches) {
        const shuffled = batch
          .map((point) => ({ at: draw(), record: { serial, ts: point.ts, data: { t: point.t } } }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ record }) => record);
        const sends = draw() < 0.3 ? 2 : 1;
        const send = () => owner.post(`/organizations/${owner.id}/records`, shuffled);
        await Promise.all(Array.from({ length: sends }, send));
      }
      expect(await spansOf(world.pool, deviceId)).toEqual(expectedOf(batches));
    }),
    { numRuns: 20 },
  );
});
