import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { until } from '../../support/until.js';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: applications, people and jobs', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('creates an application, links a device by its serial, and shows why another device cannot be linked', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: '<img src=x onerror=alert(1)>' });
    const { page, faults } = await browser.open(`${world.url}/console/applications#token=${owner.token}`);
    await page.getByRole('button', { name: 'Create an application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Cold rooms');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('No device is linked').waitFor();
    await page.getByRole('button', { name: 'Link a device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link a device' });
    await dialog.getByRole('combobox', { name: 'Device' }).fill('ff-ff');
    await dialog.getByRole('button', { name: 'Link' }).click();
    await dialog.getByRole('alert').getByText('device').waitFor();
    await dialog.getByRole('combobox', { name: 'Device' }).fill('C0-01');
    await dialog.getByRole('button', { name: 'Link' }).click();
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('suggests devices to link by name, serial and tag, and links the chosen one by keyboard', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Fleet' });
    await owner.make(`/organizations/${owner.id}/devices/c0-01`, { name: 'Freezer (cold)', tags: ['north'] });
    await owner.make(`/organizations/${owner.id}/devices/c0-02`, { name: 'Cellar', tags: ['north', 'wet'] });
    await owner.make(`/organizations/${owner.id}/devices/d0-03`, { name: 'Attic' });
    const { page, faults } = await browser.open(
      `${world.url}/console/applications/${applicationId}#token=${owner.token}`,
    );
    await page.getByRole('button', { name: 'Link a device' }).click();
    const field = page.getByRole('dialog').getByRole('combobox', { name: 'Device' });
    const options = page.getByRole('listbox', { name: 'Suggested devices' }).getByRole('option');
    for (const [text, found] of Object.entries({
      'zer (c': ['Freezer (cold)'],
      'd0-0': ['Attic'],
      north: ['Cellar', 'Freezer (cold)'],
    })) {
      await field.fill(text);
      await options.filter({ hasText: found[0]! }).waitFor();
      await page.waitForFunction(
        (count) => document.querySelectorAll('[role="listbox"] [role="option"]').length === count,
        found.length,
      );
      expect((await options.allInnerTexts()).map((one) => found.find((name) => one.includes(name)))).toEqual(found);
    }
    expect(await violationsOf(page)).toEqual([]);
    await field.press('ArrowDown');
    expect(await options.first().getAttribute('aria-selected')).toBe('true');
    // The last of two suggestions is chosen, then only one is left.
    await field.fill('wet');
    await field.press('ArrowUp');
    await options.filter({ hasText: 'Freezer' }).waitFor({ state: 'detached' });
    expect(await options.first().getAttribute('aria-selected')).toBe('true');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('Cellar');
    await field.press('Enter');
    await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: 'Cellar' }).waitFor();

    await page.getByRole('button', { name: 'Link a device' }).click();
    await field.fill('Att');
    await options.filter({ hasText: 'Attic' }).waitFor();
    await field.press('Enter');
    expect(await field.inputValue()).toBe('Attic');
    await field.press('Enter');
    await page.getByRole('table', { name: 'Devices' }).getByRole('link', { name: 'Attic' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows the located devices on a map with links, and no map when none is located', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Fleet' });
    const link = async (serial: string, name: string, location?: object) => {
      const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`, {
        name,
        ...(location && { location }),
      });
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${id}`);
      return id;
    };
    await link('c0-00', 'Nowhere');
    const { page, faults } = await browser.open(
      `${world.url}/console/applications/${applicationId}#token=${owner.token}`,
    );
    await page.getByRole('link', { name: 'Nowhere' }).waitFor();
    const map = page.getByRole('group', { name: 'Map' });
    expect(await map.count()).toBe(0);
    await link('c0-01', 'Paris', { lat: 48.85, lon: 2.35 });
    const sydney = await link('c0-02', 'Sydney', { lat: -33.87, lon: 151.2 });
    await link('c0-03', 'North Pole', { lat: 90, lon: 0 });
    await page.reload();
    await map.getByRole('link').first().waitFor();
    const frame = (await map.boundingBox())!;
    const marks: Record<string, { x: number; y: number }> = {};
    for (const mark of await map.getByRole('link').all()) {
      const { x, y, width, height } = (await mark.boundingBox())!;
      marks[(await mark.getAttribute('aria-label'))!] = {
        x: (x + width / 2 - frame.x) / frame.width,
        y: (y + height / 2 - frame.y) / frame.height,
      };
    }
    expect(Object.keys(marks).sort()).toEqual(['North Pole', 'Paris', 'Sydney']);
    for (const { x, y } of Object.values(marks)) {
      expect(Math.min(x, y)).toBeGreaterThan(0);
      expect(Math.max(x, y)).toBeLessThan(1);
    }
    expect(marks['Paris']!.x).toBeLessThan(marks['Sydney']!.x);
    expect(marks['North Pole']!.y).toBeLessThan(marks['Paris']!.y);
    expect(marks['Paris']!.y).toBeLessThan(marks['Sydney']!.y);
    expect(await violationsOf(page)).toEqual([]);
    await map.getByRole('link', { name: 'Sydney' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sydney' }).waitFor();
    expect(page.url()).toContain(`/devices/${sydney}`);
    expect(faults).toEqual([]);
  });

  it('shows who may see an application, and why', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const chief = await world.member(owner, Role.owner);
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Night shift' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
    const { page } = await browser.open(`${world.url}/console/applications/${applicationId}#token=${owner.token}`);
    const seers = page.getByRole('table', { name: 'Who may see this, and why' });
    await seers.getByRole('row').filter({ hasText: 'owner of the organization' }).getByText('can edit').waitFor();
    await seers.getByRole('row').filter({ hasText: 'team Night shift (can read)' }).waitFor();
    expect(await seers.getByRole('row').count()).toBe(3);
    expect(chief.id).not.toBe(member.id);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('says what to do if only tokens may see an application', async () => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const { page } = await browser.open(`${world.url}/console/applications/${applicationId}#token=${owner.token}`);
    const seers = page.getByRole('region', { name: 'Who may see this, and why' });
    await seers.getByText("The organization's own tokens alone").waitFor();
    await seers.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { name: 'People' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('shows a heading that says so if an object does not exist', async () => {
    const owner = await world.organization();
    const { page } = await browser.open(`${world.url}/console/#token=${owner.token}`);
    const none = owner.id;
    const headings: Record<string, string> = {
      [`/devices/${none}`]: 'Device not found',
      [`/products/${none}`]: 'Product not found',
      [`/applications/${none}`]: 'Application not found',
      [`/hooks/${none}/${none}`]: 'Hook not found',
      [`/hooks/${none}/${none}/${none}`]: 'Delivery not found',
      [`/alerts/rules/${none}/${none}`]: 'Alert rule not found',
      '/nowhere': 'Not found',
    };
    for (const [path, name] of Object.entries(headings)) {
      await page.goto(`${world.url}/console${path}`);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      // The title follows the heading, once the screen has been drawn.
      await until(async () => (await page.title()) === `${name} · Device Data Platform`);
    }
    expect(await violationsOf(page)).toEqual([]);
  });

  it('grants a team an application and adds a member, who then sees it', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const member = await world.member(owner, Role.member);
    const { page } = await browser.open(`${world.url}/console/people#token=${owner.token}`);
    await page.getByText('No team yet').waitFor();
    await page.getByRole('button', { name: 'Create a team' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Night shift');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Applications' }).click();
    await page.getByRole('dialog').getByLabel('Cold rooms').selectOption('read');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Cold rooms (can read)' }).waitFor();
    await page.getByRole('table', { name: 'Members' }).getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Night shift').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('by team Night shift').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const seen = await member.get<{ name: string }[]>(`/organizations/${owner.id}/applications`);
    expect(seen.body.map(({ name }) => name)).toEqual(['Cold rooms']);
  });

  it('shows and revokes the 21st grant of a team, and says that it shows 50 of 51 teams', async () => {
    const owner = await world.organization();
    await world.pool.query(
      `insert into team select gen_random_uuid(), $1, 'Team ' || n, 'team-' || n, null, now(), now() from generate_series(1, 50) n`,
      [owner.id],
    );
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Night shift' });
    for (let number = 10; number <= 30; number++) {
      const id = await owner.make(`/organizations/${owner.id}/applications`, { name: `Room ${number}` });
      await owner.put(`/teams/${owner.id}/${teamId}/applications/${id}`, { permission: 'read' });
    }
    const { page } = await browser.open(`${world.url}/console/people#token=${owner.token}`);
    await page.getByText('Sorted by name, these are the first 50 of 51 teams.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Night shift' });
    await row.getByRole('button', { name: 'Applications' }).click();
    const last = page.getByRole('dialog').getByLabel('Room 30');
    expect(await last.inputValue()).toBe('read');
    await last.selectOption('nothing');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Room 30 (can read)').waitFor({ state: 'detached' });
    expect(await page.getByText('Room 29 (can read)').count()).toBe(1);
  });

  it('reports an unknown user when adding a member, and shows a member no buttons for changes', async () => {
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

  it('lists jobs, or explains them when there are none', async () => {
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
