import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';

const world = useWorld();

it("Relay's compiler makes a query of a fragment that is refetchable, and the service answers it", async () => {
  const owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const product = await owner.make(`${at}/products`, { name: 'P', version: '1', variables: [] });
  const device = await owner.make(`${at}/devices/aa-01`, { product: { id: product }, name: 'Freezer' });
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  try {
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'schema.graphql'), await readFile('docs/schema.graphql', 'utf8'));
    const fragment =
      'fragment Card_device on Device @refetchable(queryName: "CardRefetchQuery") { serial name product { name } }';
    await writeFile(join(folder, 'src/Card.js'), `import { graphql } from 'react-relay';\ngraphql\`${fragment}\`;\n`);
    const config = { src: './src', schema: './schema.graphql', language: 'javascript' };
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
    const compiler: unknown = createRequire(import.meta.url)('relay-compiler');
    await promisify(execFile)(String(compiler), ['relay.config.json'], { cwd: folder });
    const made = await readFile(join(folder, 'src/__generated__/CardRefetchQuery.graphql.js'), 'utf8');
    const [, text] = /"text": ("(?:[^"\\]|\\.)*")/.exec(made)!;
    const { body } = await owner.graph(JSON.parse(text!) as string, { id: device });
    expect(body.errors).toBeUndefined();
    expect(body.data!.node).toMatchObject({ serial: 'aa-01', name: 'Freezer', product: { name: 'P' } });
  } finally {
    await rm(folder, { recursive: true });
  }
});
