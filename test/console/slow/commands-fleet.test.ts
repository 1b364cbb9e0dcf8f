import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';

describeInBrowser('console: a command to many devices', () => {
  const world = useWorld();
  const browser = useBrowser();

  const level = { name: 'level', type: 'UINT8' };
  const dim = { name: 'dim', parameters: [level], streamId: 2, streamType: 'RAW' };

  /** Creates a product with commands, and `count` devices of it. Returns the identifiers of the devices. */
  const fleetOf = async (owner: AccountActor, name: string, commands: object[], count: number) => {
    const at = `/organizations/${owner.id}`;
    const id = await owner.make(`${at}/products`, { name, version: '1', variables: [] });
    const { body } = await owner.graph(
      `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) { putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`,
      { o: owner.id, p: id, s: { commands } },
    );
    expect(body.errors).toBeUndefined();
    const devices: string[] = [];
    for (let number = 1; number <= count; number++) {
      const serial = `${Buffer.from(name).toString('hex')}-0${number}`;
      devices.push(await owner.make(`${at}/devices/${serial}`, { name: `${name} ${number}`, product: { id } }));
    }
    return devices;
  };

  const shoot = async (page: Page, name: string) => {
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/fleet-command-${name}.png` });
  };

  const chooseAll = async (page: Page, count: string) => {
    await page.getByRole('button', { name: `Choose all ${count} that match` }).click();
    await page.getByRole('button', { name: 'Send a command' }).click();
    return page.getByRole('dialog', { name: `Send a command to ${count} devices` });
  };

  const sentBy = async (owner: AccountActor, name: string) =>
    (
      await owner.get<{ deviceId: string; payload: string }[]>(
        `/organizations/${owner.id}/commands?name=${name}&limit=99`,
      )
    ).body;

  it('counts the devices that can get it, says why others cannot, and sends it to the counted ones', async () => {
    const owner = await world.organization();
    const lamps = await fleetOf(owner, 'Lamp', [dim], 3);
    await fleetOf(owner, 'Sign', [{ ...dim, parameters: [level, { name: 'fade', type: 'BOOL' }] }], 1);
    await fleetOf(owner, 'Meter', [{ name: 'reset', parameters: [] }], 2);
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const dialog = await chooseAll(page, '6');
    await dialog.getByLabel('Command').selectOption('dim (Sign 1)');
    await dialog.getByLabel('fade').waitFor();
    await dialog.getByLabel('Command').selectOption('dim (Lamp 1)');
    await dialog.getByLabel('level').fill('300');
    await dialog.getByRole('button', { name: 'Count the devices' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('level').fill('7');
    await dialog.getByRole('button', { name: 'Count the devices' }).dblclick();
    await dialog.getByText('3 of 6 devices can get it.').waitFor();
    await dialog.getByText('3 devices cannot: their product does not declare it').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await shoot(page, '1280');
    await page.setViewportSize({ width: 1440, height: 900 });
    await shoot(page, '1440');
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot(page, '390');
    expect(await sentBy(owner, 'dim')).toEqual([]);

    await dialog.getByLabel('level').fill('8');
    expect(await dialog.getByRole('button', { name: 'Send to' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Count the devices' }).click();
    await dialog.getByRole('button', { name: 'Send to 3 devices' }).click();
    await page.getByText('The command was sent to 3 devices.').waitFor();
    await page.getByText('None chosen').waitFor();
    const sent = await sentBy(owner, 'dim');
    expect(new Set(sent.map(({ deviceId }) => deviceId))).toEqual(new Set(lamps));
    expect(sent.map(({ payload }) => payload)).toEqual(['08', '08', '08']);
    expect(faults).toEqual([]);
  });

  it('sends bytes to chosen devices, and to nobody while a thousand commands wait for one of them', async () => {
    const owner = await world.organization();
    const [first] = await fleetOf(owner, 'Lamp', [dim], 3);
    await world.pool.query(
      `insert into command (id, organization_id, device_id, name, confirmed, secret, expires_at)
       select gen_random_uuid(), $1, $2, 'full', false, false, now() + interval '1 day' from generate_series(1, 1000)`,
      [owner.id, first],
    );
    const { page } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const dialog = page.getByRole('dialog');
    const count = async () => {
      await page.getByRole('button', { name: 'Send a command' }).click();
      await dialog.getByLabel('Command').selectOption('raw');
      await dialog.getByLabel('Payload').fill('0aff');
      await dialog.getByRole('button', { name: 'Count the devices' }).click();
    };
    await page.getByLabel('Choose Lamp 1', { exact: true }).check();
    await page.getByLabel('Choose Lamp 2', { exact: true }).check();
    await count();
    await dialog.getByText('1 of 2 devices can get it.').waitFor();
    await dialog.getByText('1 device cannot, so that nobody gets it: a thousand commands wait there').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send to' }).count()).toBe(0);
    await shoot(page, 'full');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Choose Lamp 1', { exact: true }).uncheck();
    await count();
    await dialog.getByRole('button', { name: 'Send to 1 device' }).click();
    await page.getByText('The command was sent to 1 device.').waitFor();
    expect(await sentBy(owner, 'raw')).toMatchObject([{ payload: '0aff', streamId: 1 }]);
  });

  it('shows the progress of the job that sends it to more than a thousand', async () => {
    const owner = await world.organization();
    await world.pool.query(
      `insert into device (id, organization_id, serial, serial_key, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'ab' || lpad(n::text, 6, '0'), 'ab' || lpad(n::text, 6, '0'), 's', '{}', now(), now()
         from generate_series(1, 1100) n`,
      [owner.id],
    );
    const { page, faults } = await browser.open(`${world.url}/console/devices#token=${owner.token}`);
    const dialog = await chooseAll(page, '1,100');
    await dialog.getByLabel('Payload').fill('01');
    await dialog.getByRole('button', { name: 'Count the devices' }).click();
    await dialog.getByRole('button', { name: 'Send to 1,100 devices' }).click();
    const job = page.getByRole('status', { name: 'Job' });
    await job.getByText('Sending commands').waitFor();
    await job.getByText('1,100 of 1,100 processed, 1,100 changed').waitFor();
    await shoot(page, 'job');
    expect(faults).toEqual([]);
  });

  it('offers sending only to people who may send', async () => {
    const owner = await world.organization();
    const [lamp] = await fleetOf(owner, 'Lamp', [dim], 2);
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Lights' });
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${lamp}`);
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Night' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    const grant = (permission: string) =>
      owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission });
    await grant('read');
    const { page } = await browser.open(`${world.url}/console/devices#token=${member.token}`);
    await page.getByText('1–1 of 1').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Choose' }).count()).toBe(0);
    await grant('write');
    await page.reload();
    await page.getByLabel('Choose Lamp 1', { exact: true }).check();
    expect(await page.getByRole('button', { name: 'Tag', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send a command' }).click();
    await page.getByLabel('level').fill('1');
    await page.getByRole('button', { name: 'Count the devices' }).click();
    await page.getByRole('button', { name: 'Send to 1 device' }).click();
    await page.getByText('The command was sent to 1 device.').waitFor();
    expect(await sentBy(owner, 'dim')).toMatchObject([{ deviceId: lamp }]);
  });
});
