import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { routes } from '#rest/routes.js';
import { checkAnswer } from '../support/contract.js';
import { useWorld } from '../support/world.js';

type Send = (url: string, init: { method: string }) => Promise<Response>;

/** The exports of the compiled example. */
interface Example {
  createClient(base: string, token: string, send: Send): Promise<object>;
  tour(client: object, serial: string, receiver: string): Promise<string[]>;
}

const world = useWorld();

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'examples/rest']);
});

const load = async (name: string) => (await import(pathToFileURL(`dist/examples/rest/${name}.js`).href)) as Example;

/** Returns the path template as routes write it. */
const templateOf = (method: string, path: string): string | undefined =>
  routes.find((route) => route.verb === method && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
    ?.path;

describe('examples/rest', () => {
  it('calls each of the 46 operations and receives answers that match docs/openapi.json', async () => {
    const owner = await world.organization();
    await world.user();
    const base = `${world.url}/ddp/v1`;
    const called = new Set<string>();
    const send: Send = async (url, init) => {
      const response = await fetch(url, init);
      const path = new URL(url).pathname.slice('/ddp/v1'.length);
      called.add(`${init.method} ${templateOf(init.method, path)}`);
      const { status, headers } = response;
      checkAnswer({ method: init.method, path, status, headers, body: await response.clone().text() });
      return response;
    };
    const { createClient } = await load('client');
    const { tour } = await load('tour');
    const told = await tour(await createClient(base, owner.token!, send), 'E0-A1-44-01', 'http://127.0.0.1:9/');
    expect(told).toContain('the device E0-A1-44-01 is of it');
    expect(told).toContain('1 member of 1 team sees 1 application');
    expect(told).toContain('the ping is listed, not answered');
    expect([...called].filter((operation) => operation.endsWith('undefined'))).toEqual([]);
    expect(called.size).toBe(46);
  });
});
