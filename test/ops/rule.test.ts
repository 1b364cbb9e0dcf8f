import { describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';
import { hasTools, runTool } from './tool.js';

const service = useService({});
const promtool = 'usr/bin/promtool';

(hasTools ? describe : describe.skip)('Prometheus', () => {
  it('reads the alert rules, and raises and does not raise them as their tests say', async () => {
    expect(await runTool(promtool, ['check', 'rules', 'ops/prometheus/alerts.yml'])).toContain('SUCCESS');
    expect(await runTool(promtool, ['test', 'rules', 'ops/prometheus/alerts.test.yml'])).toContain('SUCCESS');
  });

  it('reads the figures of a running service', async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text();
    // Its lint ends with 3 where names are not as it likes them, and with 1 where it cannot read them.
    const outcome = await runTool(promtool, ['check', 'metrics'], page).catch(String);
    expect(outcome).not.toMatch(/error while (linting|parsing)/i);
  });
});
