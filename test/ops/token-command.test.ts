import { expect, it } from '@jest/globals';
import { describeInBrowser, useBrowser } from '../console/browser.js';
import { mqttConfig } from '../mqtt/mqtt-world.js';
import { describeIf } from '../support/conditional.js';
import { useWorld } from '../support/world.js';
import { freePort, hasTools, runTool } from './tool.js';

const port = await freePort();

describeIf(hasTools, 'OPS_TOOLS is not set')('a new token of a device', () => {
  describeInBrowser('console', () => {
    const world = useWorld({ config: mqttConfig({ MQTT_PORT: String(port) }) });
    const browser = useBrowser();

    it('comes with a line for mosquitto_pub that stores a record', async () => {
      const owner = await world.organization();
      const deviceId = await owner.make(`/organizations/${owner.id}/devices/c0-01`);
      const { page } = await browser.open(`${world.url}/console/devices/${deviceId}#token=${owner.token}`);
      await page.getByRole('tab', { name: 'Tokens' }).click();
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      const line = (await page.getByLabel('Publish a record with it').textContent())!;
      const [program, ...args] = line.replaceAll('\\\n', ' ').split(/\s+/);
      expect(program).toBe('mosquitto_pub');
      await runTool(
        'usr/bin/mosquitto_pub',
        args.map((arg) => arg.replaceAll("'", '')),
      );
      const { body } = await owner.get<{ values: object[] }>(`/devices/${owner.id}/${deviceId}/latest`);
      expect(body.values).toMatchObject([{ name: 'temperature', value: 21.5 }]);
    });
  });
});
