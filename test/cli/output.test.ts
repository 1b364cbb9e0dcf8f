import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ended } from '../support/command.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
let folder: string;
let owner: AccountActor;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'output-'));
  owner = await world.organization();
  const devices = Array.from({ length: 1000 }, (_, index) => ({
    serial: `a0-${index + 1000}`,
    name: `Freezer ${index} ${'x'.repeat(180)}`,
  }));
  await owner.graph(
    'mutation ($o: ID!, $devices: [DeviceInput!]!) { putDevices(organizationId: $o, devices: $devices) { created } }',
    { o: owner.id, devices },
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a line of the shell in the folder, where `$ddp` is the program. Returns the exit code of its first command. */
async function shell(line: string): Promise<number | null> {
  const env = {
    PATH: process.env['PATH'],
    ORIGIN: world.url,
    DDP_TOKEN: owner.token!,
    ddp: `${process.execPath} ${program}`,
  };
  const child = spawn('bash', ['-c', `${line}; exit \${PIPESTATUS[0]}`], { cwd: folder, env, stdio: 'ignore' });
  return ended(child);
}

const read = (name: string) => readFile(join(folder, name), 'utf8');

describe('the output of ddp', () => {
  it('reaches a pipe as a whole, whatever its length', async () => {
    expect(await shell('$ddp export-configuration --devices | cat > piped.yaml')).toBe(0);
    expect(await shell('$ddp export-configuration --devices > whole.yaml')).toBe(0);
    const [piped, whole] = [await read('piped.yaml'), await read('whole.yaml')];
    expect(piped.length).toBeGreaterThan(200_000);
    expect(piped).toBe(whole);
    expect(await shell('$ddp export-configuration --devices --json | cat > piped.json')).toBe(0);
    expect(Object.keys((JSON.parse(await read('piped.json')) as { devices: object }).devices)).toHaveLength(1000);
  });

  it('reaches a pipe as a whole when it consists of faults on stderr', async () => {
    const devices = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${'x'.repeat(100)}-${index}`, {}]));
    await writeFile(join(folder, 'faulty.json'), JSON.stringify({ devices }));
    expect(await shell('$ddp apply faulty.json --dry-run 2>&1 >plan.txt | cat > faults.txt')).toBe(1);
    expect((await read('plan.txt')).trimEnd().split('\n')).toHaveLength(1000);
    expect((await read('faults.txt')).trimEnd().split('\n')).toHaveLength(1000);
  });

  it('ends the command with 1 and without a stack trace if the reader goes away', async () => {
    expect(await shell('$ddp export-configuration --devices 2> errors.txt | head -n 1 > first.txt')).toBe(1);
    expect(await read('first.txt')).toBe('# Exported by ddp export-configuration\n');
    expect(await read('errors.txt')).toBe('');
  });

  it('ends the command with 1 and a sentence if the disk is full', async () => {
    expect(await shell('$ddp export-configuration > /dev/full 2> errors.txt')).toBe(1);
    expect(await read('errors.txt')).toBe('The output could not be written: ENOSPC: no space left on device, write\n');
  });
});

describe('ddp apply of a part of an export', () => {
  it.each([
    ['', ''],
    ['--prune', ''],
    ['--prune', '---\n# Reviewed\n'],
  ])('refuses it and deletes nothing (%s, after %j)', async (option, before) => {
    await shell('$ddp export-configuration --devices > whole.yaml');
    const whole = `${before}${await read('whole.yaml')}`;
    await writeFile(join(folder, 'whole.yaml'), whole);
    expect(whole.endsWith('\n# End of the export\n')).toBe(true);
    await writeFile(join(folder, 'part.yaml'), whole.slice(0, whole.lastIndexOf('\n', 65_536)));
    expect(await shell(`$ddp apply part.yaml ${option} 2> errors.txt | cat > out.txt`)).toBe(1);
    expect([await read('out.txt'), await read('errors.txt')]).toEqual(['', expect.stringContaining('is incomplete')]);
    expect(await shell(`$ddp apply whole.yaml ${option} | cat > out.txt`)).toBe(0);
    expect(await read('out.txt')).toBe('Nothing to do.\n');
  });
});
