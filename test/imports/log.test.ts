import { describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { useWorld } from '../support/world.js';
import { importing } from './imported.js';
import { dataPage, parquetFile, prefixed, run } from './parquet-file.js';

const lines: string[] = [];
const world = useWorld({ log: createLog('info', { write: (line) => void lines.push(line) }) });

describe('import of a broken file', () => {
  it('writes an info line with the same reason that the caller receives', async () => {
    const owner = await world.organization();
    const column = (name: string, value: string) => ({
      name,
      pages: [dataPage(1, prefixed(Buffer.from(value)))],
      isRequired: true,
    });
    const broken = parquetFile(1, [
      column('serial', 'f0-01'),
      column('ts', '2024-05-01T12:00:00Z'),
      { name: 'level', pages: [dataPage(1, prefixed(run(2 ** 27, 1)))] },
    ]);
    const sent = await importing({ id: owner.id, owner }).whole('/records', broken, {
      'content-type': 'application/vnd.apache.parquet',
    });
    expect(sent).toMatchObject({ state: 'failed', job: { error: expect.stringContaining('cannot be read') } });
    const written = lines.map((line) => JSON.parse(line) as { level: string; msg: string; reason?: string });
    expect(written.filter(({ msg }) => msg === 'Job refused')).toMatchObject([
      { level: 'info', reason: sent.job!.error },
    ]);
    expect(written.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});
