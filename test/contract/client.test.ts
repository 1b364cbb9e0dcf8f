import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import { useService } from '../support/service.js';
import { createTenant } from '../support/tenant.js';

interface Client {
  lifeOfATeam(baseUrl: string, token: string): Promise<object>;
}

describe('a TypeScript client made from the OpenAPI document', () => {
  const service = useService();

  it('compiles and leads a team through its life', async () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Parameters<typeof openapiTS>[0];
    writeFileSync('test/contract/client/api.ts', astToString(await openapiTS(document)));
    await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'test/contract/client']);
    const compiled = (await import(pathToFileURL('dist/client/life-of-a-team.js').href)) as Client;
    const { owner } = await createTenant(service);
    expect(await compiled.lifeOfATeam(owner.base, owner.token!)).toEqual({
      granted: ['Pumps'],
      slug: 'depot',
      description: 'Those who visit the pumps.',
      listed: ['Depot'],
      faults: ['name'],
      deleted: 204,
      gone: 'NOT_FOUND',
    });
  }, 60_000);
});
