import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let ids: { organization: string; application: string; hook: string; device: string };

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const product = await owner.make(`${at}/products`, { name: 'P', version: '1', variables: [] });
  const device = await owner.make(`${at}/devices/aa-01`, { product: { id: product }, name: 'Freezer' });
  const application = await owner.make(`${at}/applications`, { name: 'A' });
  const inside = `/applications/${owner.id}/${application}`;
  await owner.put(`${inside}/devices/${device}`);
  const hook = await owner.make(`${inside}/hooks`, { url: 'http://127.0.0.1:9/', disabled: true });
  await owner.post(`${inside}/hooks/${hook}/ping`);
  await owner.post(`${at}/records`, { serial: 'aa-01', data: { t: 1 } });
  ids = { organization: owner.id, application, hook, device };
});

/** Compiles the documents of a source text with Relay, and returns the named queries. */
async function compile(source: string, names: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  try {
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'schema.graphql'), await readFile('docs/schema.graphql', 'utf8'));
    await writeFile(join(folder, 'src/Card.js'), `import { graphql } from 'react-relay';\n${source}\n`);
    const config = { src: './src', schema: './schema.graphql', language: 'javascript' };
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
    const compiler: unknown = createRequire(import.meta.url)('relay-compiler');
    await promisify(execFile)(String(compiler), ['relay.config.json'], { cwd: folder });
    const made = names.map((name) => readFile(join(folder, `src/__generated__/${name}.graphql.js`), 'utf8'));
    return (await Promise.all(made)).map((text) => JSON.parse(/"text": ("(?:[^"\\]|\\.)*")/.exec(text)![1]!) as string);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("Relay's compiler", () => {
  it('creates a refetch query that the service answers', async () => {
    const fragment =
      'fragment Card_device on Device @refetchable(queryName: "CardRefetchQuery") { serial name product { name } }';
    const [text] = await compile(`graphql\`${fragment}\`;`, ['CardRefetchQuery']);
    const { body } = await owner.graph(text!, { id: ids.device });
    expect(body.errors).toBeUndefined();
    expect(body.data!.node).toMatchObject({ serial: 'aa-01', name: 'Freezer', product: { name: 'P' } });
  });

  it('creates a pagination query for each connection that the service answers', async () => {
    const connections = [
      ['Organization', 'devices', ids.organization],
      ['Organization', 'applications', ids.organization],
      ['Organization', 'products', ids.organization],
      ['Organization', 'members', ids.organization],
      ['Application', 'devices', ids.application],
      ['Application', 'hooks', ids.application],
      ['Application', 'records', ids.application],
      ['Hook', 'deliveries', ids.hook],
      ['Device', 'records', ids.device],
    ] as const;
    const names = connections.map(([type, page]) => `Card${type}${page}Query`);
    const fragments = connections.map(
      ([type, page], nth) => `graphql\`fragment Card_${type}${page} on ${type}
        @refetchable(queryName: "${names[nth]}") @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, cursor: { type: "String" }) {
          ${page}Connection(first: $count, after: $cursor) @connection(key: "Card_${type}_${page}Connection") { edges { node { id } } }
        }\`;`,
    );
    const texts = await compile(fragments.join('\n'), names);
    for (const [nth, [, page, id]] of connections.entries()) {
      const { body } = await owner.graph(texts[nth]!, { id, count: 5, cursor: null });
      expect([names[nth], body.errors]).toEqual([names[nth], undefined]);
      const { edges, pageInfo } = body.data!.node[`${page}Connection`];
      // The organization has no members, since it calls with its own token.
      expect(edges).toHaveLength(page === 'members' ? 0 : 1);
      expect(pageInfo.hasNextPage).toBe(false);
    }
  });
});
