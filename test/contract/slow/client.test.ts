import { describe, expect, it } from '@jest/globals';
import { useService } from '../../support/service.js';
import { createTenant } from '../../support/tenant.js';
import { compileProgram, openapiTypescript } from '../generated-client.js';

interface Program {
  lifeOfATeam(baseUrl: string, token: string): Promise<object>;
}

describe('TypeScript client generated from docs/openapi.json', () => {
  const service = useService();

  it('compiles, then creates, changes and deletes a team', async () => {
    const { owner } = await createTenant(service);
    const program = await compileProgram<Program>('life-of-a-team', owner.base, openapiTypescript);
    expect(await program.lifeOfATeam(owner.base, owner.token!)).toEqual({
      granted: ['Pumps'],
      slug: 'depot',
      description: 'Those who visit the pumps.',
      listed: ['Depot'],
      faults: ['name'],
      deleted: 204,
      gone: 'NOT_FOUND',
    });
  }, 180_000);
});
