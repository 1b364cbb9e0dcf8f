import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumOptions } from './chromium.js';

const options = chromiumOptions();
const suite = options === undefined ? describe.skip : describe;

/** A suite that needs a browser; where there is none it is skipped, and its title says why. */
export const describeInBrowser = (title: string, tests: () => void): void => {
  suite(options === undefined ? `${title} (skipped: no Chromium here, set CHROMIUM_PATH)` : title, tests);
};

/** A page that was opened, and what went wrong on it. */
export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Errors that scripts threw, and violations of the page's policy: none is expected. */
  faults: string[];
}

/**
 * Connects the tests of a file to the browser that all files of a run share; their pages close with the file. A file that
 * traces has a browser of its own: a browser traces for one at a time.
 */
export const useBrowser = ({ own = false } = {}) => {
  let browser: Browser;
  beforeAll(async () => {
    if (own) {
      browser = await chromium.launch(options!);
      return;
    }
    const response = await fetch(`${process.env['DDP_TEST_SHARED']}/browser`);
    if (!response.ok) throw new Error(await response.text());
    browser = await chromium.connect(((await response.json()) as { endpoint: string }).endpoint);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    /** Opens a page in a fresh context: an English person in Paris, on a wide screen unless told otherwise. */
    async open(url: string, context: BrowserContextOptions = {}): Promise<Opened> {
      const made = await browser.newContext({
        locale: 'en-GB',
        timezoneId: 'Europe/Paris',
        viewport: { width: 1280, height: 800 },
        ...context,
      });
      const page = await made.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (/Content Security Policy|Trusted Type/.test(message.text())) faults.push(message.text());
      });
      await page.goto(url);
      return { page, context: made, faults };
    },
  };
};

/** The accessibility rules that a page breaks, as texts to read: none is expected. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`);
};
