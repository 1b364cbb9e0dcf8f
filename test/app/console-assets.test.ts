import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keepConsoleAssets } from '#app/console-assets.js';
import { useWorld } from '../support/world.js';

const world = useWorld({});
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ddp-assets-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts a build that has only this script. */
async function start(name: string, minute: number): Promise<void> {
  const path = join(folder, `${name}.br`);
  await writeFile(path, brotliCompressSync(`console.log('${name}');`));
  await keepConsoleAssets(world.pool, new Date(Date.UTC(2026, 0, 1, 0, minute)), folder);
  await rm(path);
}

const get = async (name: string, encoding = 'br') => {
  const headers = { 'accept-encoding': encoding };
  const answer = await fetch(`${world.url}/console/assets/${name}`, { headers });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

describe('scripts of the console', () => {
  it('returns the scripts of earlier builds, with the content that their names stand for', async () => {
    await start('usage-AAAAAAAA.js', 1);
    await start('usage-BBBBBBBB.js', 2);
    for (const encoding of ['br', 'identity']) {
      const { status, type, text } = await get('usage-AAAAAAAA.js', encoding);
      expect([status, text]).toEqual([200, "console.log('usage-AAAAAAAA.js');"]);
      expect(type).toContain('text/javascript');
    }
  });

  it('deletes the scripts of a build when three later builds have started', async () => {
    for (const [index, name] of ['usage-CCCCCCCC.js', 'usage-DDDDDDDD.js'].entries()) await start(name, 3 + index);
    // The second build starts again, as when an upgrade is taken back.
    await start('usage-BBBBBBBB.js', 5);
    expect((await get('usage-AAAAAAAA.js')).status).toBe(404);
    for (const build of 'BCD') expect((await get(`usage-${build.repeat(8)}.js`)).status).toBe(200);
  });

  it.each(['nothing-AAAAAAAA.js', 'usage.html', '..%2f..%2fpackage.json', `${'x'.repeat(200)}.js`])(
    'returns 404, not the page of the console, for another name: %s',
    async (name) => {
      const { status, type } = await get(name);
      expect(status).toBe(404);
      expect(type).toContain('application/json');
    },
  );
});
