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
    'compiles, posts a record, searches and makes a hook: %s',
    async (name, generateInto) => {
      const program = await compileProgram<Program>(name, generateInto);
      const owner = await world.organization();
      const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Pumps' });
      const deviceId = await owner.make(`/organizations/${owner.id}/devices/aa`);
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
      const of = { organizationId: owner.id, applicationId, serial: 'aa' };
      const { hookId, ...seen } = await program.useClient(owner.base, owner.token!, of);
      expect(seen).toEqual({
        accepted: 1,
        found: expect.objectContaining({
          hits: [expect.objectContaining({ _source: expect.objectContaining({ data: { temperature: 21.5 } }) })],
        }),
      });
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
