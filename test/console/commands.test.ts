import { expect, it } from '@jest/globals';
import { Actor } from '../support/actor.js';
import { useWorld } from '../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from './browser.js';

describeInBrowser('console: commands', () => {
  const world = useWorld();
  const browser = useBrowser();

  it('declares a command, sends it by a form, and shows the evidence and the state that the device reports', async () => {
    const owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    const productId = await owner.make(`${at}/products`, { name: 'Cooler', version: '1', variables: [] });
    const deviceId = await owner.make(`${at}/devices/c0-01`, { name: 'Cold room 1', product: { id: productId } });
    const path = `/devices/${owner.id}/${deviceId}`;
    const { body } = await owner.post<{ token: string }>(`${path}/tokens`);
    const self = new Actor(world.url, body.token);
    const { page, faults } = await browser.open(`${world.url}/console/products/${productId}#token=${owner.token}`);

    await page.getByRole('button', { name: 'Declare a command' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('setPoint');
    await dialog.getByLabel('Parameters').fill('celsius FLOAT32 °C\nboost BOOL');
    await dialog.getByLabel('Stream').fill('10');
    await dialog.getByLabel('Layout').selectOption('BIN');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const declared = page.getByRole('table', { name: 'Commands' });
    await declared.getByText('celsius FLOAT32 °C, boost BOOL').waitFor();
    await page.getByRole('button', { name: 'Edit the state' }).click();
    await dialog.getByLabel('Parts').fill('setPoint FLOAT32 °C');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('State: setPoint (FLOAT32, °C)').waitFor();
    await declared.getByText('stream 10, BIN').waitFor();

    await page.goto(`${world.url}/console/devices/${deviceId}?tab=commands`);
    await page.getByRole('button', { name: 'Send a command' }).click();
    await dialog.getByLabel('celsius (°C)').fill('21.5');
    await dialog.getByLabel('boost').selectOption('false');
    await dialog.getByRole('button', { name: 'Send' }).click();
    const row = page.getByRole('table', { name: 'Commands' }).getByRole('row', { name: 'setPoint' });
    await row.getByText('waits').waitFor();
    expect(await row.innerText()).toContain('celsius 21.5, boost false');

    const { commands } = (await self.get<{ commands: { id: string; payload: string }[] }>(`${path}/commands`)).body;
    expect(commands).toMatchObject([{ payload: '0441ac00000800' }]);
    await row.getByText('handed over').first().waitFor();
    await self.post(`${path}/commands/${commands[0]!.id}/result`, { result: { was: 19 } });
    await row.getByText('{"result":{"was":19}}').waitFor();

    const state = page.getByRole('table', { name: 'State' }).getByRole('row', { name: 'setPoint' });
    await state.getByRole('button', { name: 'Set' }).click();
    await dialog.getByLabel('setPoint (°C)').fill('21.5');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await state.getByText('waits for the device').waitFor();
    await self.post(`${path}/state`, { reported: { setPoint: 21.5 } });
    await state.getByText('settled').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
