import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import type { World } from '../support/world.js';

/** The OpenAPI document. */
export const document = resolve('docs/openapi.json');

/** Generates a client from the document into a folder. */
export type Generate = (folder: string, baseUrl: string) => Promise<void>;

/** Generates types for openapi-fetch. */
export const openapiTypescript: Generate = async (folder) => {
  const content = JSON.parse(await readFile(document, 'utf8')) as Parameters<typeof openapiTS>[0];
  await writeFile(`${folder}/api.ts`, astToString(await openapiTS(content)));
};

interface Program {
  useClient(baseUrl: string, token: string, of: object): Promise<{ hookId: string }>;
}

/**
 * Tests the named program of test/contract/client with a client that is generated for it.
 * @param world the service that it calls
 */
export function testProgram(world: World, name: string, generateInto: Generate): void {
  it(`compiles, posts a record, lists, searches by GET and POST, and creates a hook: ${name}`, async () => {
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
  }, 120_000);
}

/** Generates a client, compiles the program of test/contract/client that uses it in strict mode, and loads it. */
export async function compileProgram<Program>(name: string, baseUrl: string, generateInto: Generate): Promise<Program> {
  const folder = resolve('dist/client', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await generateInto(folder, baseUrl);
  await Promise.all(
    [`${name}.ts`, 'tsconfig.json'].map((file) => copyFile(`test/contract/client/${file}`, `${folder}/${file}`)),
  );
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]);
  return (await import(pathToFileURL(`${folder}/${name}.js`).href)) as Program;
}
