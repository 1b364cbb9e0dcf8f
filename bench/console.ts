import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumOptions } from '../test/console/chromium.js';
import { report, timed } from './figures.js';
import { furnish } from './fleet.js';
import { openStage } from './stage.js';

/** A slow line: bytes a second, and the delay of each request in milliseconds. */
const slowLine = { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 300, offline: false };

/**
 * Measures the time from opening the console's address to the first row of the list of devices: with a cold cache (a
 * new browser profile in each round), again with a warm one, and with a cold one on a slow line (50 kB/s, 300 ms). The
 * goal is 1,500 ms cold, 2,000 on the slow line. Prints the requests of the first screen and their bytes, too.
 * `--devices N` (1,000), `--rounds N` (7).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { devices: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '7' } },
  });
  const options = chromiumOptions();
  if (options === undefined) throw new Error('No Chromium here: set CHROMIUM_PATH.');
  const stage = await openStage();
  const browser = await chromium.launch(options);
  try {
    await furnish(stage, Number(values.devices));
    const address = `${new URL(stage.base).origin}/console/devices#token=${stage.token}`;
    const cold: number[] = [];
    const warm: number[] = [];
    const slow: number[] = [];
    const open = async (page: Page) => {
      await page.goto(address, { waitUntil: 'commit' });
      await page.getByRole('table', { name: 'Devices' }).getByRole('link').nth(25).waitFor();
    };
    for (let round = 0; round < Number(values.rounds); round++) {
      const context = await browser.newContext();
      for (const figures of [cold, warm]) {
        const page = await context.newPage();
        figures.push(await timed(() => open(page)));
        await page.close();
      }
      await context.close();
      slow.push(await onSlowLine(browser, open));
    }
    report(`The console's list of ${values.devices} devices, from its address to its rows`, 'ms', [
      { name: 'with a cold cache', figures: cold },
      { name: 'with a warm cache', figures: warm },
      { name: 'on a slow line', figures: slow },
    ]);
    const loaded = await loadedBy(browser, open);
    stdout.write(`  ${loaded.requests} requests, ${loaded.scripts} of them scripts; ${loaded.bytes} bytes\n`);
  } finally {
    await browser.close();
    await stage.close();
  }
}

const onSlowLine = async (browser: Browser, open: (page: Page) => Promise<void>): Promise<number> => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', slowLine);
  const duration = await timed(() => open(page));
  await context.close();
  return duration;
};

/** Returns the requests of the first screen with a cold cache, and their bytes as transferred. */
const loadedBy = async (browser: Browser, open: (page: Page) => Promise<void>) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const found = { requests: 0, scripts: 0, bytes: 0 };
  page.on('requestfinished', async (request) => {
    found.requests++;
    if (request.url().endsWith('.js')) found.scripts++;
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    found.bytes += responseBodySize + responseHeadersSize;
  });
  await open(page);
  await page.waitForLoadState('networkidle');
  await context.close();
  return found;
};
