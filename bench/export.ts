import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { furnish, nextItem } from './fleet.js';
import { resident } from './resident.js';
import { openStage, type Stage } from './stage.js';
import { storeMillions } from './store-millions.js';

/**
 * Exports all records of an application with 200 devices over HTTP in each format. Reports records and bytes per
 * second, and the service's resident memory over time. `--rows N` (1 million), `--formats csv,ndjson,parquet`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      formats: { type: 'string', default: 'csv,ndjson,parquet' },
    },
  });
  const rows = Number(values.rows);
  const stage = await openStage();
  try {
    const fleet = await furnish(stage, 200, 20);
    // The first record of a product assigns columns to its variables.
    await stage.post(fleet.serials.slice(0, 20).map(() => nextItem(fleet)));
    await storeMillions(stage, rows, Date.now());
    for (const format of values.formats.split(',')) await exportAs(stage, fleet.applicationId, format, rows);
  } finally {
    await stage.close();
  }
}

const exportAs = async (
  { base, organizationId, token, pid }: Stage,
  applicationId: string,
  format: string,
  rows: number,
) => {
  const begun = performance.now();
  const response = await fetch(`${base}/applications/${organizationId}/${applicationId}/export?format=${format}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let bytes = 0;
  const memory = [resident(pid)];
  const timer = setInterval(() => memory.push(resident(pid)), 100);
  for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length;
  clearInterval(timer);
  const seconds = (performance.now() - begun) / 1000;
  const most = tenths(memory).map((figure) => figure.toFixed(0));
  stdout.write(
    `  ${format.padEnd(8)} ${Math.round(rows / seconds).toLocaleString('en')} records/s, ${mebibytes(bytes)} MiB in ${seconds.toFixed(1)} s; resident memory ${memory[0]!.toFixed(0)} MiB at its beginning, at most ${most.join(', ')} MiB in each tenth of its time\n`,
  );
};

const mebibytes = (count: number) => (count / 2 ** 20).toFixed(0);

/** Returns the maximum of each tenth of a series. */
const tenths = (series: readonly number[]): number[] => {
  const size = Math.ceil(series.length / 10);
  return Array.from({ length: Math.ceil(series.length / size) }, (_, i) =>
    Math.max(...series.slice(i * size, (i + 1) * size)),
  );
};
