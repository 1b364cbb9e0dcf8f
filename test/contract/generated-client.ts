import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import { generate } from 'orval';

const document = resolve('docs/openapi.json');

/** Each writes what it generates from the OpenAPI document into a folder. */
export const generators = {
  async openapiTypescript(folder: string) {
    const content = JSON.parse(await readFile(document, 'utf8')) as Parameters<typeof openapiTS>[0];
    await writeFile(`${folder}/api.ts`, astToString(await openapiTS(content)));
  },
  async heyApi(folder: string) {
    await createClient({ input: document, output: `${folder}/api`, logs: { level: 'silent', file: false } });
  },
  /** With its own fetch client, which writes the address of the service into what it generates. */
  async orval(folder: string, baseUrl: string) {
    await generate({ input: { target: document }, output: { target: `${folder}/api.ts`, client: 'fetch', baseUrl } });
  },
};

/** Generates a client, compiles the program of test/contract/client that uses it, strictly, and loads the program. */
export async function compileProgram<Program>(
  name: string,
  baseUrl: string,
  generateInto: (folder: string, baseUrl: string) => Promise<void>,
): Promise<Program> {
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
