import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { buildLiveWorld } from './live-world.js';

const world = useWorld();

/** Returns the example of docs/graphql.md in this language that contains `part`. */
async function example(language: string, part: string): Promise<string> {
  const text = await readFile('docs/graphql.md', 'utf8');
  const found = [...text.matchAll(new RegExp(`\`\`\`${language}\n([^]+?)\`\`\``, 'g'))].find(([, code]) =>
    code!.includes(part),
  );
  return found![1]!;
}

/** Runs an example against a service, posts a record once the example listens, and returns its output. */
async function run(command: string, args: string[]): Promise<string> {
  const place = await buildLiveWorld(world);
  await place.send({ temperature: 1 });
  const { owner, applicationId } = place;
  const child = spawn(command, args, {
    env: {
      ...environment(),
      ORIGIN: world.url,
      TOKEN: owner.token!,
      ORGANIZATION: owner.id,
      APPLICATION: applicationId,
    },
  });
  let text = '';
  const ended = once(child, 'close');
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('21.5')) break;
    if (text.includes('"records":[]')) await place.send({ temperature: 21.5 });
  }
  child.kill();
  await ended;
  return text;
}

const environment = () => ({ PATH: `${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin` });

it('shows records with the curl example of docs/graphql.md', async () => {
  const text = await run('sh', ['-c', `exec ${await example('sh', 'event-stream')}`]);
  expect(text).toMatch(/event: next\ndata: \{"data":\{"recordReceived":\{"missed":0,"records":\[\]\}\}\}/);
  expect(text).toMatch(/"data":\{"temperature":21\.5\}/);
});

it('shows records with the graphql-ws example of docs/graphql.md', async () => {
  // A folder inside the project, so that the example finds its packages.
  const folder = await mkdtemp(join(import.meta.dirname, 'example-'));
  const file = join(folder, 'live.mjs');
  await writeFile(file, await example('js', 'graphql-ws'));
  const text = await run(process.execPath, [file]);
  await rm(folder, { recursive: true });
  expect(text).toMatch(/"device":\{"name":null,"serial":"[0-9a-f]+"\},"data":\{"temperature":21\.5\}/);
});
