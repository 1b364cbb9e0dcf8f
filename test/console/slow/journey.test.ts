import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { minuteSeconds } from '#common/time.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, type Opened, useBrowser, violationsOf } from '../browser.js';

/** A person's actions in the console. The mouse and the keyboard each do all of them. */
interface Hand {
  /** Opens a screen of the navigation. */
  go(screen: string): Promise<void>;
  press(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  choose(field: Locator, option: string): Promise<void>;
  /** Selects the only suggestion of a field. */
  take(suggestion: Locator): Promise<void>;
  /** Moves a panel to the left end of the first row. */
  arrange(page: Page, panel: string): Promise<void>;
  /**
   * Points into the gap of a line. The mouse moves to the given part of the chart's width; the keyboard moves left from
   * the right end until the line has no value.
   */
  point(chart: Locator, part: number, line: Locator): Promise<void>;
  /** Number of clicks, drags or keys, and number of texts that were typed. */
  readonly count: { pressed: number; written: number };
}

const mouse = (page: Page): Hand => {
  const count = { pressed: 0, written: 0 };
  const press = async (target: Locator) => {
    await target.click();
    count.pressed++;
  };
  return {
    count,
    press,
    go: (screen) =>
      press(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true })),
    async write(field, text) {
      await press(field);
      await page.keyboard.type(text);
      count.written++;
    },
    async choose(field, option) {
      await field.selectOption(option);
      count.pressed += 2;
    },
    take: press,
    async arrange(on, panel) {
      const head = (await on.getByRole('heading', { name: panel }).boundingBox())!;
      await on.mouse.move(head.x + 5, head.y + 5);
      await on.mouse.down();
      await on.mouse.move(210, 250, { steps: 10 });
      await on.mouse.up();
      count.pressed++;
    },
    async point(chart, part) {
      const box = (await chart.locator('.u-over').boundingBox())!;
      await page.mouse.move(box.x + box.width * part, box.y + 30);
    },
  };
};

/** A person without a mouse: uses only the keyboard, and moves the focus by Tab. */
const keyboard = (page: Page): Hand => {
  const count = { pressed: 0, written: 0 };
  const key = async (name: string) => {
    await page.keyboard.press(name);
    count.pressed++;
  };
  const reach = async (target: Locator) => {
    await target.waitFor();
    for (let tabs = 0; tabs < 60; tabs++) {
      // The focused element shows that it has the focus.
      if (await target.evaluate((element) => element.matches(':focus-visible'))) return;
      await key('Tab');
    }
    throw new Error('Tab does not reach what is to be pressed or filled.');
  };
  const type = async (text: string) => {
    await page.keyboard.type(text);
    count.written++;
  };
  return {
    count,
    async go(screen) {
      await key('Control+k');
      await page.getByRole('combobox', { name: 'Find' }).waitFor();
      await type(screen);
      await page.getByRole('option', { name: screen }).first().waitFor();
      await key('Enter');
    },
    async press(target) {
      await reach(target);
      await key('Enter');
    },
    async write(field, text) {
      await reach(field);
      await type(text);
    },
    async choose(field, option) {
      await reach(field);
      await type(option);
      expect(await field.evaluate((element) => (element as HTMLSelectElement).selectedOptions[0]!.text)).toBe(option);
    },
    async take(suggestion) {
      await suggestion.waitFor();
      await key('ArrowDown');
      await key('Enter');
    },
    async arrange(on, panel) {
      await reach(on.getByRole('button', { name: `Arrange ${panel}` }));
      for (let steps = 0; steps < 20; steps++) await key('ArrowUp');
      for (let steps = 0; steps < 8; steps++) await key('ArrowLeft');
    },
    async point(chart, _part, line) {
      await reach(chart);
      await key('End');
      await line.waitFor();
      for (let points = 0; points < 120 && (await line.count()) > 0; points++) await key('ArrowLeft');
    },
  };
};

describeInBrowser('console: from an empty organization to a wall', () => {
  const world = useWorld();
  const browser = useBrowser();

  const travel = async ({ page, context, faults }: Opened, hand: Hand) => {
    const owner = await world.organization();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const open = page.locator('dialog[open]').last();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const inDialog = (name: string) => open.getByRole('button', { name, exact: true });
    const field = (name: string) => open.getByRole('textbox', { name, exact: true });
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const send = (serial: string, ages: readonly number[], temperature: (age: number) => number) => {
      const now = Math.floor(Date.now() / 1000);
      const records = ages.map((age) => ({ serial, ts: now - age, data: { temperature: temperature(age) } }));
      return owner.post(`/organizations/${owner.id}/records`, records);
    };

    await hand.write(page.getByLabel('Token'), owner.token!);
    await hand.press(button('Sign in'));
    await heading('Overview');
    await hand.press(page.getByRole('link', { name: 'create a product', exact: true }));
    await heading('Products');
    await hand.press(button('Create a product'));
    await hand.write(field('Name'), 'Cold room');
    await hand.write(field('Name of variable 1'), 'temperature');
    await hand.write(field('Unit of variable 1'), '°C');
    await hand.press(inDialog('Create'));
    await heading('Cold room 1.0');

    for (const [application, name, serial] of [
      ['Stores', 'Larder', 'c0-02'],
      ['Cold rooms', 'Freezer', 'c0-01'],
    ] as const) {
      await hand.go('Devices');
      await hand.press(button('Register a device'));
      await hand.write(field('Serial'), serial);
      await hand.write(field('Name'), name);
      await hand.choose(open.getByRole('combobox', { name: 'Product' }), 'Cold room 1.0');
      await hand.press(inDialog('Register'));
      await heading(name);
      await hand.go('Applications');
      await hand.press(button('Create an application'));
      await hand.write(field('Name'), application);
      await hand.press(inDialog('Create'));
      await heading(application);
      await hand.press(button('Link a device'));
      await hand.write(open.getByRole('combobox', { name: 'Device' }), name);
      await hand.take(open.getByRole('option', { name }));
      await hand.press(inDialog('Link'));
      await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name }).waitFor();
    }

    const ages = Array.from({ length: 250 }, (_, index) => index * 5 * minuteSeconds);
    await send('c0-01', ages, (age) => -18 + (age % 1500) / 500);
    // The larder was silent from nine to six hours ago.
    const heard = ages.filter((age) => age < 6 * 3600 || age > 9 * 3600);
    await send('c0-02', heard, (age) => 6 + (age % 1500) / 500);

    await hand.press(page.getByRole('main').getByRole('link', { name: 'Dashboard', exact: true }));
    await hand.press(button('Make a first dashboard'));
    await page.getByRole('article', { name: 'temperature', exact: true }).getByRole('figure').waitFor();
    await hand.press(button('Edit'));
    await hand.press(button('Add a panel'));
    await hand.press(open.getByRole('button', { name: 'Chart' }));
    await hand.write(field('Title'), 'Both rooms');
    await hand.press(inDialog('Add a device of another application'));
    // Waits for the dialog, because the dialog below has a field of the same name.
    await page.getByRole('dialog', { name: 'Link a device' }).waitFor();
    await hand.write(open.getByRole('combobox', { name: 'Device' }), 'Larder');
    await hand.take(open.getByRole('option', { name: 'Larder' }));
    await hand.press(inDialog('Link'));
    await open.getByRole('group', { name: 'Preview' }).getByRole('button', { name: 'Larder' }).waitFor();
    await hand.press(inDialog('Add'));
    await hand.arrange(page, 'Both rooms');
    await page
      .getByRole('status', { name: 'Arrangement' })
      .getByText(/^Both rooms: .*column 1 of 12, row 1,/)
      .waitFor({ state: 'attached' });
    await hand.press(button('Save'));
    await button('Edit').waitFor();

    const panel = page.getByRole('article', { name: 'Both rooms' });
    await panel.getByRole('button', { name: 'Larder' }).waitFor();
    const reading = panel.getByLabel('Values at the cursor');
    await hand.point(panel.getByRole('figure'), 16.5 / 24, reading.getByText('Larder'));
    await reading.getByText('Freezer').waitFor();
    expect(await reading.getByText('Larder').count()).toBe(0);

    await hand.press(page.locator('summary', { hasText: 'More' }));
    await hand.press(button('Links for wall displays'));
    await hand.press(inDialog('Create a link'));
    await hand.write(field('Name'), 'Lobby');
    await hand.press(inDialog('Create'));
    await hand.press(inDialog('Copy'));
    await inDialog('Copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await hand.press(inDialog('Close'));

    const wall = await browser.open(link, { viewport: { width: 1600, height: 900 } });
    const shown = wall.page.getByRole('article', { name: 'Both rooms' });
    await shown.getByRole('button', { name: 'Larder' }).waitFor();
    await send('c0-02', [0], () => 77);
    await wall.page.getByText('77 °C').first().waitFor();
    expect(await violationsOf(wall.page)).toEqual([]);
    expect([...faults, ...wall.faults]).toEqual([]);
    return hand.count;
  };

  it('leads a person with a mouse', async () => {
    // The window is high enough to drag the new panel from the last row to the first.
    const opened = await browser.open(`${world.url}/console/`, { viewport: { width: 1280, height: 1600 } });
    const { pressed, written } = await travel(opened, mouse(opened.page));
    // Each step costs a person some seconds, and ten minutes are enough.
    expect(pressed + written).toBeLessThan(90);
  }, 300_000);

  it('leads a person with a keyboard alone', async () => {
    const opened = await browser.open(`${world.url}/console/`);
    const { pressed, written } = await travel(opened, keyboard(opened.page));
    expect(written).toBeLessThan(40);
    expect(pressed).toBeLessThan(500);
  }, 300_000);
});
