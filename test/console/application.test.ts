import { expect, it } from '@jest/globals';
import { Role } from '../../src/entities/enums.js';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('applications, people and jobs', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('makes an application, links a device by its serial, and says why another is not linked', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: '<img src=x onerror=alert(1)>' });
    const { page, faults } = await browser.open(`${world.url}/console/applications#token=${owner.token}`);
    await page.getByRole('button', { name: 'Make an application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Cold rooms');
    await page.getByRole('dialog').getByRole('button', { name: 'Make' }).click();
    await page.getByText('No device is linked').waitFor();
    await page.getByRole('button', { name: 'Link a device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link a device' });
    await dialog.getByLabel('Serial').fill('ff-ff');
    await dialog.getByRole('button', { name: 'Link' }).click();
    await dialog.getByRole('alert').getByText('device').waitFor();
    await dialog.getByLabel('Serial').fill('C0-01');
    await dialog.getByRole('button', { name: 'Link' }).click();
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('says who may see an application, and why', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const chief = await world.member(owner, Role.owner);
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Night shift' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
    const { page } = await browser.open(`${world.url}/console/applications/${applicationId}#token=${owner.token}`);
    const seers = page.getByRole('table', { name: 'Who may see this, and why' });
    await seers.getByRole('row').filter({ hasText: 'owner of the organization' }).getByText('write').waitFor();
    await seers.getByRole('row').filter({ hasText: 'team Night shift (read)' }).waitFor();
    expect(await seers.getByRole('row').count()).toBe(3);
    expect(chief.id).not.toBe(member.id);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('gives a team an application and puts a member into it, who then sees it', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const member = await world.member(owner, Role.member);
    const { page } = await browser.open(`${world.url}/console/people#token=${owner.token}`);
    await page.getByText('No team yet').waitFor();
    await page.getByRole('button', { name: 'Make a team' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Night shift');
    await page.getByRole('dialog').getByRole('button', { name: 'Make' }).click();
    await page.getByRole('button', { name: 'Applications' }).click();
    await page.getByRole('dialog').getByLabel('Cold rooms').selectOption('read');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Cold rooms (read)' }).waitFor();
    await page.getByRole('table', { name: 'Members' }).getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Night shift').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('by team Night shift').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const seen = await member.get<{ name: string }[]>(`/organizations/${owner.id}/applications`);
    expect(seen.body.map(({ name }) => name)).toEqual(['Cold rooms']);
  });

  it('says that there is no such user to add, and offers a member no change', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.member);
    const { page } = await browser.open(`${world.url}/console/people#token=${owner.token}`);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('dialog').getByLabel('User name').fill('nobody-at-all');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').getByText('There is no user nobody-at-all.').waitFor();
    const { page: other } = await browser.open(`${world.url}/console/people#token=${member.token}`);
    await other.getByRole('table', { name: 'Members' }).waitFor();
    expect(await other.getByRole('main').getByRole('button').count()).toBe(0);
  });

  it('lists jobs, and says what they are where there is none', async () => {
    const owner = await world.organization();
    const { page } = await browser.open(`${world.url}/console/jobs#token=${owner.token}`);
    await page.getByText('No job yet').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const product = { name: 'Thermometer', version: '1', variables: [] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    await owner.post(`/products/${owner.id}/${productId}/redecode`, {});
    await page.reload();
    await page.getByRole('cell', { name: 'Decoding again' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
