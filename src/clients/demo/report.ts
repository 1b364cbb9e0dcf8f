import type { Seen } from './demo.js';
import type { FleetResult } from './fleet/fleet.js';

/** Formats the results for people. */
export function report({ calls, delivery, averages }: Seen): string {
  const parts = calls.map(
    ({ headers, body }, i) =>
      `Call ${i + 1} of the hook, as its receiver got it:\n\n${indent(headersOf(headers))}\n\n${indent(pretty(JSON.parse(body)))}`,
  );
  parts.push(`The delivery of the second call, as it is listed:\n\n${indent(pretty(delivery))}`);
  const rows = averages.map(({ hour, temperature }) => `${hour}  ${temperature ?? '-'} °C`);
  parts.push(`The hourly average of data.temperature, as searched:\n\n${indent(rows.join('\n'))}`);
  return `\n${parts.join('\n\n')}\n\nEverything worked.\n`;
}

/** Describes the fleet for people: where to see it, and how to remove it. */
export const reportFleet = (origin: string, { devices, records, calls }: FleetResult): string => `
${devices} devices and ${records.toLocaleString('en')} records are stored; the working hook was called ${calls} times.
See them in the console: ${origin}/console/ (npm start has printed a token).
Remove them: npm run demo -- --fleet --remove
`;

const headersOf = (headers: NodeJS.Dict<string | string[]>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
