import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { compileProgram, generators } from './generated-client.js';

interface Program {
  useClient(baseUrl: string, token: string, of: object): Promise<{ hookId: string }>;
}

describe('a program over a client generated from the OpenAPI document', () => {
  const world = useWorld();

  it.each([
    ['openapi-typescript', generators.openapiTypescript],
    ['hey-api', generators.heyApi],
    ['orval', generators.orval],
  ] as const)(
    'compiles, posts a record, lists, searches by GET and POST, and makes a hook: %s',
    async (name, generateInto) => {
      const owner = await world.organization();
      const program = await compileProgram<Program>(name, owner.base, generateInto);
      const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Pumps' });
      const otherId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Valves' });
      await owner.make(`/organizations/${owner.id}/applications`, { name: 'Fans' });
      const deviceId = await owner.make(`/organizations/${owner.id}/devices/aa`);
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
      const of = { organizationId: owner.id, applicationId, otherId, serial: 'aa' };
      const { hookId, ...seen } = await program.useClient(owner.base, owner.token!, of);
      const found = { hits: [{ _source: { data: { temperature: 21.5 } } }] };
      expect(seen).toMatchObject({ accepted: 1, listed: ['Pumps', 'Valves'], found, foundByGet: found });
      const { body } = await owner.get(`/applications/${owner.id}/${applicationId}/hooks/${hookId}`);
      expect(body).toMatchObject({
        url: 'https://receiver.example/records',
        application: { id: applicationId },
        authentication: { header: { name: 'Authorization', value: 'Bearer 3c9d' } },
      });
    },
    120_000,
  );
});
