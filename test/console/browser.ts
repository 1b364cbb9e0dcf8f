import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumOptions } from './chromium.js';

const options = chromiumOptions();
const suite = options === undefined ? describe.skip : describe;

/** Describes tests that need a browser. Without one they are skipped, and the title says why. */
export const describeInBrowser = (title: string, tests: () => void): void => {
  suite(options === undefined ? `${title} (skipped: no Chromium here, set CHROMIUM_PATH)` : title, tests);
};

/** An open page and its errors. */
export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Script errors and violations of the content security policy; tests expect none. */
  faults: string[];
}

/**
 * Connects to the browser that all files of a run share; the file's pages close with the file. With `own`, the file
 * gets its own browser, since a browser records one trace at a time.
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
    /** Opens a page in a new context, by default with English, the time zone of Paris and a wide screen. */
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

/** Returns the accessibility rules that a page violates, as text. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  // The rules of WCAG 2.2 are off unless asked for.
  const rules = { 'target-size': { enabled: true } };
  const { violations } = await new AxeBuilder({ page }).options({ rules }).analyze();
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`);
};
