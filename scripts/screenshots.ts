import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { createApi } from '../src/clients/demo/api.js';
import { runFleet } from '../src/clients/demo/fleet/fleet.js';
import { chromiumOptions } from '../test/console/chromium.js';
import { loaded } from '../test/console/screens.js';

/* npm run screenshots: takes a picture of every screen of the console into docs/console, from a temporary service
   with the demonstration fleet. With --url and --token it uses a running service that has a fleet. --theme, --width
   and --folder change the defaults. */

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    theme: { type: 'string', default: 'light' },
    width: { type: 'string', default: '1200' },
    folder: { type: 'string', default: 'docs/console' },
    only: { type: 'string' },
  },
});

interface Session {
  readonly origin: string;
  readonly token: string;
}

const query = `{
  "query": { "range": { "data.temperature": { "gt": -20 } } },
  "size": 0,
  "aggs": {
    "time": {
      "date_histogram": { "field": "ts", "fixed_interval": "3h" },
      "aggs": {
        "average": { "avg": { "field": "data.temperature" } },
        "highest": { "max": { "field": "data.temperature" } }
      }
    }
  }
}`;

/** Returns the addresses of the screens, by the names of their pictures. */
async function screensOf({ origin, token }: Session): Promise<Record<string, string>> {
  const api = createApi(origin, token);
  const { id } = await api.call<{ id: string }>('GET', '/account');
  const first = async (path: string): Promise<string> => (await api.call<{ id: string }[]>('GET', path))[0]!.id;
  const organization = `/organizations/${id}`;
  const device = await first(`${organization}/devices?q=de-f1-ee-70-00-00-00-05`);
  const meter = await first(`${organization}/devices?q=de-f1-ee-70-00-00-00-20`);
  const product = await first(`${organization}/products?q=${encodeURIComponent('Demo water meter')}`);
  const cold = await first(`${organization}/applications?q=${encodeURIComponent('Demo cold chain')}`);
  const buildings = await first(`${organization}/applications?q=${encodeURIComponent('Demo buildings')}`);
  const hook = await first(`/applications/${id}/${cold}/hooks`);
  const failing = await first(`/applications/${id}/${buildings}/hooks`);
  // The oldest delivery has been attempted several times.
  const delivery = await first(`/applications/${id}/${buildings}/hooks/${failing}/deliveries?sort=createdAt&limit=1`);
  return {
    overview: '/?range=day',
    dashboard: `/dashboards/${cold}`,
    devices: '/devices?sort=name',
    device: `/devices/${device}?range=day`,
    frame: `/devices/${meter}?range=day`,
    alerts: '/alerts',
    rules: `/alerts/rules?application=${cold}`,
    live: `/live?application=${cold}`,
    explore: `/explore?application=${cold}&variable=temperature&range=day`,
    query: `/explore?application=${cold}&by=query&range=week&query=${encodeURIComponent(query)}`,
    products: '/products',
    product: `/products/${product}?frame=0002c9cd41480000ff&layout=RAW&stream=3`,
    hooks: '/hooks',
    hook: `/hooks/${cold}/${hook}`,
    delivery: `/hooks/${buildings}/${failing}/${delivery}`,
    applications: '/applications',
    application: `/applications/${cold}`,
    people: '/people',
    jobs: '/jobs',
    tokens: '/tokens',
  };
}

async function picture(browser: Browser, { origin, token }: Session, name: string, path: string): Promise<void> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    viewport: { width: Number(values.width), height: 780 },
    colorScheme: values.theme === 'dark' ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
  await page.goto(`${origin}/console${path}#token=${token}`);
  await loaded(page);
  // The live screen keeps a stream open, so its network never becomes idle.
  await Promise.race([page.waitForLoadState('networkidle'), page.waitForTimeout(4000)]);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(values.folder, `${name}.png`) });
  await context.close();
}

async function pictures(place: Session): Promise<void> {
  mkdirSync(values.folder, { recursive: true });
  const browser = await chromium.launch(chromiumOptions()!);
  try {
    for (const [name, path] of Object.entries(await screensOf(place)))
      if (values.only === undefined || values.only.split(',').includes(name)) await picture(browser, place, name, path);
  } finally {
    await browser.close();
  }
}

/** Runs a service with the demonstration fleet in a temporary folder while `work` runs. */
async function withService(work: (place: Session) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ddp-screenshots-'));
  const env = { PATH: process.env['PATH'], PORT: '4698', DATA_DIR: folder, HOOK_ALLOW_CIDRS: '127.0.0.0/8' };
  const child = spawn(process.execPath, ['dist/src/main.js', 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    for await (const line of createInterface(child.stdout)) {
      const [, origin, token] = /(http:\S+)\/console\/#token=(\S+)/.exec(line) ?? [];
      if (origin === undefined || token === undefined) continue;
      const place = { origin, token };
      await runFleet(origin, token, console.error, { now: Date.now });
      await work(place);
      break;
    }
  } finally {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const { url, token } = values;
if (url !== undefined && token !== undefined) await pictures({ origin: url, token });
else await withService(pictures);
