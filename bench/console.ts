import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../test/console/chromium.js';
import { report, timed } from './figures.js';
import { furnish } from './fleet.js';
import { openStage } from './stage.js';

/**
 * Measures the time from opening the console's address to the first row of the list of devices: with a cold cache (a
 * new browser profile in each round) and again with a warm one. The goal is 1,500 ms cold. `--devices N` (1,000),
 * `--rounds N` (7).
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
    for (let round = 0; round < Number(values.rounds); round++) {
      const context = await browser.newContext();
      for (const figures of [cold, warm]) {
        const page = await context.newPage();
        figures.push(
          await timed(async () => {
            await page.goto(address, { waitUntil: 'commit' });
            await page.getByRole('table', { name: 'Devices' }).getByRole('link').nth(25).waitFor();
          }),
        );
        await page.close();
      }
      await context.close();
    }
    report(`The console's list of ${values.devices} devices, from its address to its rows`, 'ms', [
      { name: 'with a cold cache', figures: cold },
      { name: 'with a warm cache', figures: warm },
    ]);
  } finally {
    await browser.close();
    await stage.close();
  }
}
