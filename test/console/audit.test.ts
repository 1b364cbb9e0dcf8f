import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('the audit log', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('shows who changed what, filtered by the address, and says the difference of each field', async () => {
    const owner = await world.organization();
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Pump', tags: ['north'] });
    await owner.put(`/devices/${owner.id}/${deviceId}`, { name: 'Pump 7', tags: ['north', 'cold'] });
    const member = await world.member(owner, Role.member);
    await member.call('POST', `/organizations/${owner.id}/teams`, { name: 'No' });
    const { page, faults } = await browser.open(`${world.url}/console/audit#token=${owner.token}`);
    const table = page.getByRole('table', { name: 'Events' });
    const row = table.getByRole('row', { name: 'update device' });
    expect(await row.innerText()).toMatch(
      /the organization[^]*update device[^]*Pump 7[^]*name Pump Pump 7[^]*tags cold/,
    );
    expect(await row.locator('del').allInnerTexts()).toEqual(['Pump']);
    expect(await row.locator('ins').allInnerTexts()).toEqual(['Pump 7', 'cold']);
    expect(await table.getByRole('row', { name: 'create team' }).innerText()).toContain('refused');
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole('link', { name: 'Pump 7' }).click();
    await table.getByRole('row', { name: 'create team' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain(`target=${deviceId}`);
    expect(await table.getByRole('row').count()).toBe(3);
    await page.getByLabel('Outcome').selectOption('Refused');
    await page.getByText('No event matches').waitFor();
    await page.goto(`${world.url}/console/audit?page=9`);
    await page.getByText('Nothing on this page').waitFor();
    await page.getByRole('link', { name: 'Previous' }).click();
    await row.waitFor();
    expect(faults).toEqual([]);
  });

  it('shows the history on the page of a thing, to owners only', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const hook = await owner.make(`/applications/${owner.id}/${applicationId}/hooks`, {
      url: 'http://127.0.0.1:9/',
      authentication: { basic: { user: 'ada', pass: 'planted-pass' } },
    });
    const { page, faults } = await browser.open(
      `${world.url}/console/hooks/${applicationId}/${hook}#token=${owner.token}`,
    );
    await page.getByRole('button', { name: 'Show who changed it' }).click();
    const row = page.getByRole('table', { name: 'History' }).getByRole('row', { name: 'create application hook' });
    expect(await row.innerText()).toMatch(/basic user ada[^]*basic pass changed/);
    expect(await page.content()).not.toContain('planted-pass');
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    const member = await world.member(owner, Role.member);
    const other = await browser.open(`${world.url}/console/audit#token=${member.token}`);
    await other.page.getByText('Only owners of the organization read its audit log').waitFor();
    expect(other.faults).toEqual([]);
  });
});
