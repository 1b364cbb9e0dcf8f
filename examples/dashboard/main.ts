import { dashboard } from './dashboard.js';

/*
 * npm run example: shows an application of a running service on a terminal. The first start of the service prints the
 * line that sets these variables.
 */

const { ORIGIN = 'http://127.0.0.1:4000', TOKEN, ORGANIZATION, APPLICATION } = process.env;

/** Values as bars of eight heights, from the lowest to the highest. */
function sparkline(values: readonly number[]): string {
  const low = Math.min(...values);
  const step = (Math.max(...values) - low) / 7 || 1;
  return values.map((value) => '▁▂▃▄▅▆▇█'[Math.round((value - low) / step)]).join('');
}

if (TOKEN === undefined || ORGANIZATION === undefined || APPLICATION === undefined) {
  console.error('Set TOKEN, ORGANIZATION and APPLICATION, and ORIGIN where it is not http://127.0.0.1:4000.');
  process.exitCode = 1;
} else {
  const screen = await dashboard({ url: ORIGIN, token: TOKEN }, ORGANIZATION, APPLICATION);
  console.log(screen.devices === 1 ? '1 device' : `${screen.devices} devices`);
  for (const { device, name, value, unit } of screen.gauges) console.log(`${device}  ${name}  ${value} ${unit}`);
  for (const { label, points } of screen.lines) {
    if (points.length > 0) console.log(`${label}  ${sparkline(points.map(([, value]) => value))}`);
  }
}
