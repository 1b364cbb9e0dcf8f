import { expect, it } from '@jest/globals';
import { describeIf } from '../support/conditional.js';
import { useService } from '../support/service.js';
import { hasTools, runTool } from './tool.js';

const service = useService({});
const promtool = 'usr/bin/promtool';

describeIf(hasTools, 'OPS_TOOLS is not set')('Prometheus', () => {
  it('accepts the alert rules, and passes their unit tests', async () => {
    expect(await runTool(promtool, ['check', 'rules', 'ops/prometheus/alerts.yml'])).toContain('SUCCESS');
    expect(await runTool(promtool, ['test', 'rules', 'ops/prometheus/alerts.test.yml'])).toContain('SUCCESS');
  });

  it('parses the metrics of a running service', async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text();
    // promtool exits with 3 for names that it dislikes, and with 1 for metrics that it cannot parse.
    const outcome = await runTool(promtool, ['check', 'metrics'], page).catch(String);
    expect(outcome).not.toMatch(/error while (linting|parsing)/i);
  });
});
