import { type ChildProcess, spawn } from 'node:child_process';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { hourSeconds } from '#common/time.js';
import { type Api, createApi } from '../src/clients/demo/api.js';
import { runFleet } from '../src/clients/demo/fleet/fleet.js';
import { chromiumOptions } from '../test/console/chromium.js';
import { median } from './figures.js';
import { spentBy } from './processor.js';
import { openStage, type Stage } from './stage.js';

const perCall = 1000;

/**
 * Measures the console's screens: the largest request of each, replayed (milliseconds, processor time of the
 * service and PostgreSQL, kB), and the time from a click on
 * a link to the screen's content in a browser. First quiet, then beside busy loops. The organization has the
 * demonstration's fleet and `--devices N` (10,000) more devices with a day of hourly records. `--loops N` (8),
 * `--rounds N` (7).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      devices: { type: 'string', default: '10000' },
      loops: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '7' },
    },
  });
  const options = chromiumOptions();
  if (options === undefined) throw new Error('No Chromium here: set CHROMIUM_PATH.');
  const stage = await openStage({ HOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  const browser = await chromium.launch(options);
  try {
    const screens = await furnish(stage, Number(values.devices));
    const requests = await record(browser, stage, screens);
    for (const loops of [0, Number(values.loops)]) {
      stdout.write(`\n${loops === 0 ? 'Quiet' : `Beside ${loops} busy loops`}\n`);
      const busy = startLoops(loops);
      try {
        await measure(browser, stage, screens, requests, Number(values.rounds));
      } finally {
        for (const one of busy) one.kill('SIGKILL');
      }
    }
  } finally {
    await browser.close();
    await stage.close();
  }
}

/** Path of each screen, and the text that it shows once its data is there. */
type Screens = Readonly<Record<string, { path: string; shows: (page: Page) => Promise<unknown> }>>;

/** Fills the organization, and waits until the rollups of its records are made. */
async function furnish(stage: Stage, devices: number): Promise<Screens> {
  const origin = new URL(stage.base).origin;
  await runFleet(origin, stage.token, (step) => stdout.write(`${step}\n`), { now: Date.now });
  const api = createApi(origin, stage.token);
  const organization = `/organizations/${stage.organizationId}`;
  const first = async (q: string): Promise<string> =>
    (await api.call<{ id: string }[]>('GET', `${organization}/applications?q=${encodeURIComponent(q)}`))[0]!.id;
  const variables = [{ name: 'temperature', type: 'FLOAT32', unit: '°C' }];
  const product = await idOf(api, `${organization}/products`, { name: 'Sensor', version: '1', variables });
  const application = await idOf(api, `${organization}/applications`, { name: 'Many' });
  const now = Math.floor(Date.now() / 1000);
  for (let from = 0; from < devices; from += perCall) {
    const serials = Array.from({ length: Math.min(perCall, devices - from) }, (_, index) => `5e${from + index + 1e6}`);
    await put(stage, product, application, serials);
    for (let age = 23; age >= 0; age--)
      await stage.post(
        serials.map((serial, index) => ({
          serial,
          ts: now - age * hourSeconds - (index % 3000),
          data: { temperature: 15 + ((index + age) % 70) / 7 },
        })),
      );
  }
  await rolledUp(stage);
  const heading = (name: string) => (page: Page) =>
    page.getByRole('table', { name }).getByRole('link').first().waitFor();
  return {
    Dashboard: {
      path: `/dashboards/${await first('Demo cold chain')}`,
      shows: (page) => page.getByRole('article', { name: 'Doors' }).getByRole('listitem').first().waitFor(),
    },
    Devices: { path: '/devices', shows: heading('Devices') },
    Overview: { path: '/', shows: (page) => page.getByText('Records arriving').first().waitFor() },
    Explore: {
      path: `/explore?application=${await first('Demo cold chain')}&variable=temperature&range=week`,
      shows: (page) => page.getByRole('figure').first().locator('canvas').waitFor(),
    },
  };
}

const idOf = async (api: Api, path: string, body: object): Promise<string> =>
  (await api.call<{ id: string }>('POST', path, body)).id;

const put = async (stage: Stage, product: string, application: string, serials: readonly string[]): Promise<void> => {
  const query =
    'mutation ($o: ID!, $devices: [DeviceInput!]!, $linkTo: [ID!]) { putDevices(organizationId: $o, devices: $devices, linkTo: $linkTo) { created } }';
  const devices = serials.map((serial) => ({ serial, name: `Sensor ${serial}`, product: { id: product } }));
  const { text } = await send(stage, { query, variables: { o: stage.organizationId, devices, linkTo: [application] } });
  if (text.includes('"errors"')) throw new Error(text.slice(0, 500));
};

const rolledUp = async ({ pool }: Stage): Promise<void> => {
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `select count(*)::int as left from record_dirty where hour < now() - interval '2 hours'`,
    );
    if (rows[0]!.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
};

/** Returns the largest request of each screen. */
async function record(browser: Browser, stage: Stage, screens: Screens): Promise<ReadonlyMap<string, object>> {
  const largest = new Map<string, object>();
  for (const [name, { path, shows }] of Object.entries(screens)) {
    const page = await open(browser, stage, path);
    let most = 0;
    page.on('requestfinished', (request) => {
      if (!request.url().endsWith('/graphql')) return;
      void request.sizes().then(({ responseBodySize }) => {
        if (responseBodySize > most) largest.set(name, request.postDataJSON() as object);
        most = Math.max(most, responseBodySize);
      });
    });
    await page.reload();
    await shows(page);
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
    await page.context().close();
  }
  return largest;
}

const open = async (browser: Browser, stage: Stage, path: string): Promise<Page> => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${new URL(stage.base).origin}/console${path}#token=${stage.token}`);
  return page;
};

const startLoops = (count: number): ChildProcess[] =>
  Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', detached: false }),
  );

async function measure(
  browser: Browser,
  stage: Stage,
  screens: Screens,
  requests: ReadonlyMap<string, object>,
  rounds: number,
): Promise<void> {
  const page = await open(browser, stage, '/tokens');
  await page.getByRole('heading', { name: 'Tokens' }).first().waitFor();
  for (const [name, { path, shows }] of Object.entries(screens)) {
    const [times, clicks]: [number[], number[]] = [[], []];
    let bytes = (await send(stage, requests.get(name)!)).text.length;
    const before = await spentBy(stage);
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      bytes = (await send(stage, requests.get(name)!)).text.length;
      times.push(performance.now() - began);
    }
    const after = await spentBy(stage);
    const processor = after.service + after.database - before.service - before.database;
    for (let round = 0; round < rounds; round++) {
      clicks.push(await goTo(page, path, shows));
      await goTo(page, '/tokens', () => page.getByRole('heading', { name: 'Tokens' }).first().waitFor());
    }
    const figures = [
      `${Math.round(median(times))} ms a request (at most ${Math.round(Math.max(...times))})`,
      `${Math.round(processor / 1000 / rounds)} ms of processor time`,
      `${Math.round(bytes / 1000)} kB`,
      `${Math.round(median(clicks))} ms from a click to the content (at most ${Math.round(Math.max(...clicks))})`,
    ];
    stdout.write(`  ${name.padEnd(12)} ${figures.join(', ')}\n`);
  }
  await page.context().close();
}

/** Goes to a screen as a link does, and returns the time until it shows its content, in milliseconds. */
const goTo = async (page: Page, path: string, shows: (page: Page) => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await page.evaluate((href) => {
    const link = document.createElement('a');
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
  }, `/console${path}`);
  await shows(page);
  return performance.now() - began;
};

const send = async (stage: Stage, body: object): Promise<{ text: string }> => {
  const response = await fetch(new URL('/graphql', stage.base), {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { text: await response.text() };
};
