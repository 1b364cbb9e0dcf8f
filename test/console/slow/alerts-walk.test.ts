import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import sql from 'sql-template-tag';
import { doorLeftOpen, fleetDevices, recordsOfTurn, unplugged } from '../../../src/clients/demo/fleet/device.js';
import { runFleet } from '../../../src/clients/demo/fleet/fleet.js';
import { useMailWorld } from '../../alerts/mail-world.js';
import { describeInBrowser, useBrowser } from '../browser.js';

/** Returns the words that the steps of the guide mark, in order: labels in bold, entered and shown values as code. */
const wordsOfGuide = (): string[] => {
  const steps = readFileSync('docs/alerts-walk.md', 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  return [
    ...steps.slice(steps.indexOf('## Call a hook'), steps.indexOf('## Remove it')).matchAll(/\*\*(.+?)\*\*|`(.+?)`/g),
  ]
    .map(([, bold, code]) => bold ?? code!)
    .filter((word) => word !== 'npm run mailbox');
};

describeInBrowser('console: walk-through of docs/alerts-walk.md', () => {
  const world = useMailWorld({ allowCidrs: ['127.0.0.0/8'] });
  const browser = useBrowser();
  const words = wordsOfGuide();
  const over = new AbortController();
  afterAll(() => over.abort());

  /** Returns the next word of the guide, so that the test does exactly what the page says. */
  const next = (word: string): string => {
    expect(words.shift()).toBe(word);
    return word;
  };

  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const compare = async (page: Page, part: string, operator: string, value: string) => {
    const field = (name: string) => page.getByLabel(`${part}, comparison 1: ${name}`);
    await page.getByRole('group', { name: next(part) }).waitFor();
    await field('variable').fill(next('temperature'));
    await field('operator').selectOption(next(operator));
    await field('value').fill(next(value));
  };
  const hookOf = async (page: Page) => {
    await follow(page, next('Hooks'));
    const row = page.getByRole('row').filter({ hasText: next('Demo cold chain') });
    await row.getByRole('link').first().click();
  };
  const episode = (page: Page, rule: string, device: string) =>
    page
      .getByRole('table', { name: 'Episodes' })
      .getByRole('row')
      .filter({ hasText: rule })
      .filter({ hasText: device });

  it('leads from the preview of a rule to mails, webhook calls and an acknowledgement', async () => {
    const owner = await world.organization();
    const end = Math.floor(Date.now() / 1000);
    const sending = Promise.withResolvers<void>();
    const tell = (step: string) => step.startsWith('Sending a record') && sending.resolve();
    const fleet = runFleet(world.url, owner.token!, tell, { now: () => end * 1000, until: over.signal });
    await Promise.race([sending.promise, fleet]);
    const { page, context, faults } = await browser.open(`${world.url}/console/#token=${owner.token}`);

    page.setDefaultTimeout(60_000);

    await hookOf(page);
    await press(page, next('Settings'));
    const settings = page.getByRole('dialog', { name: 'Settings of the hook' });
    await settings.getByRole('group', { name: next('Called for') }).waitFor();
    await settings.getByRole('checkbox', { name: `${next('records')} record` }).uncheck();
    await settings.getByLabel(next('alerts that open')).check();
    await settings.getByLabel(next('alerts that close')).check();
    await settings.getByRole('button', { name: next('Save') }).click();
    await page.getByText('alerts that open, alerts that close').waitFor();

    await page.getByRole('link', { name: next('Alerts') }).click();
    await follow(page, next('Rules'));
    await page.getByLabel('Application').selectOption(next('Demo cold chain'));
    await page.getByText('of Demo cold chain').waitFor();
    await follow(page, next('Create a rule'));
    await page.getByLabel(next('Name')).fill(next('Unplugged'));
    await page.getByLabel(next('Opens when')).selectOption(next('A device falls silent'));
    await page.getByLabel(next('Silent for'), { exact: true }).fill(next('3'));
    await page.getByLabel('Unit of silent for').selectOption(next('minutes'));
    const recipients = page.getByLabel(next('Recipients'));
    const address = next('you@example.com');
    await recipients.fill(address);
    await press(page, next('Create the rule'));
    const [ask] = await world.mailsTo(address, 1);
    const confirming = await context.newPage();
    await confirming.goto(world.linkOf(ask!, 'confirm'));
    await press(confirming, next('Send me alerts'));
    await confirming.getByRole('heading', { name: 'Confirmed' }).waitFor();
    await follow(page, next('Unplugged'));
    await page.getByText(next('you@example.com: gets notices')).waitFor();

    await follow(page, next('Rules of Demo cold chain'));
    await follow(page, next('Create a rule'));
    await page.getByLabel(next('Name')).fill(next('Too warm'));
    await page.getByLabel(next('Severity')).selectOption(next('critical'));
    await compare(page, 'When', 'above', '8');
    await press(page, next('Preview'));
    await page.getByText(/^\d+ times on \d devices$/).waitFor();
    await page.getByLabel('When, comparison 1: value').fill(next('11'));
    await press(page, next('Preview'));
    await page.getByText(next('once on 1 device')).waitFor();
    await page.getByLabel(next('Close on another condition')).check();
    await compare(page, 'Until', 'below', '8');
    await page.getByLabel(next('Recipients')).fill(next('you@example.com'));
    await press(page, next('Create the rule'));

    await follow(page, next('Episodes'));
    await page.getByLabel('Application').waitFor();
    const [rule, warm] = [next('Too warm'), next('Cold room 03 Gothenburg')];
    expect(fleetDevices[doorLeftOpen.number - 1]!.name).toBe(warm);
    await episode(page, rule, warm).getByText('temperature').waitFor();
    await page.getByRole('link', { name: 'Alerts 1 open' }).waitFor();
    const [, notice] = await world.mailsTo(address, 2);
    expect(notice!.header('Subject')).toBe(next('Critical: Too warm, Cold room 03 Gothenburg'));
    await follow(page, next(warm));
    await page.getByRole('figure', { name: 'temperature' }).getByText('critical alert open').waitFor();
    await page.getByRole('link', { name: next('Alerts') }).click();
    const acknowledge = next('Acknowledge');
    await episode(page, next(rule), warm).getByRole('button', { name: acknowledge }).click();
    await episode(page, rule, warm).getByRole('button', { name: acknowledge }).waitFor({ state: 'detached' });

    const [silent, unpluggedName, longSilent] = [
      next('Unplugged'),
      next('Cold room 06 Lyon'),
      next('Cold room 07 Rotterdam'),
    ];
    expect(fleetDevices[unplugged - 1]!.name).toBe(unpluggedName);
    // Moves the episodes back by three minutes.
    await world.pool.query(sql`
      update alert_state s set started_at = now() - interval '181 s', due_at = now() - interval '1 s' from device d
       where d.id = s.device_id and d.organization_id = ${owner.id} and d.name in (${unpluggedName}, ${longSilent})`);
    await world.pool.query(sql`
      update alert_device a set arrived_at = now() - interval '181 s' from device d
       where d.id = a.device_id and d.organization_id = ${owner.id} and d.name in (${unpluggedName}, ${longSilent})`);
    await episode(page, silent, unpluggedName).getByText('nothing arrived').waitFor();
    await episode(page, silent, longSilent).getByText('nothing arrived').waitFor();

    await hookOf(page);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByText(next('Headers'), { exact: true }).first().click();
    await page.getByText(next('x-service-event'), { exact: true }).waitFor();
    await page.getByText(next('alert.opened'), { exact: true }).waitFor();
    await page.getByText('200', { exact: true }).first().waitFor();

    over.abort();
    await fleet;
    // After ten minutes the fleet closes the door and plugs the device in. These are the records of that moment.
    const after = recordsOfTurn(unplugged - 1, end + 610, end);
    expect(after).toHaveLength(2);
    await owner.post(`/organizations/${owner.id}/records`, after);
    await page.getByRole('link', { name: next('Alerts') }).click();
    await episode(page, rule, warm).getByText(next('a record cleared it')).waitFor();
    await episode(page, silent, unpluggedName).getByText(next('a record arrived')).waitFor();
    expect([words, faults]).toEqual([[], []]);
  }, 300_000);
});
