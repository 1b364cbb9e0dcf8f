import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { itIf } from '../support/conditional.js';
import { read, unknownSettings } from './deployed.js';

describe('compose.yaml', () => {
  interface Compose {
    services: Record<
      string,
      {
        environment: Record<string, string>;
        read_only?: boolean;
        cap_drop?: string[];
        volumes?: string[];
        stop_grace_period?: string;
      }
    >;
    volumes: object;
  }
  const compose = async () => parse(await read('compose.yaml'), { merge: true }) as Compose;

  it('runs two read-only processes without capabilities, under the names that Caddy uses', async () => {
    const { services } = await compose();
    const upstreams = services['caddy']!.environment['DDP_UPSTREAMS']!.split(' ');
    expect(upstreams).toEqual(['ddp-1:4000', 'ddp-2:4000']);
    for (const upstream of upstreams) {
      expect(services[upstream.split(':')[0]!]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        stop_grace_period: '30s',
      });
    }
  });

  it('requires only settings that its example has, and sets only known settings', async () => {
    const text = await read('compose.yaml');
    const required = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
    const example = await read('ops/compose.env.example');
    expect(required).toContain('POSTGRES_PASSWORD');
    for (const name of required) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
    const { services } = await compose();
    for (const name of ['migrate', 'ddp-1', 'ddp-2']) {
      expect(await unknownSettings(Object.keys(services[name]!.environment))).toEqual([]);
    }
  });
});

describe('systemd unit', () => {
  const program = 'systemd-analyze';
  const analyze = promisify(execFile);
  const isInstalled = spawnSync(program, ['--version']).error === undefined;

  itIf(isInstalled, 'systemd-analyze is not installed')('passes systemd-analyze', async () => {
    const unit = await read('ops/systemd/ddp@.service');
    const [, command] = /^ExecStart=(\S+)/m.exec(unit) ?? [];
    const root = await mkdtemp(join(tmpdir(), 'ddp-unit-'));
    // A placeholder for the program, which is not installed here.
    const units = join(root, 'etc/systemd/system');
    await mkdir(units, { recursive: true });
    await mkdir(join(root, dirname(command!)), { recursive: true });
    await writeFile(join(root, command!), '#!/bin/sh\n');
    await chmod(join(root, command!), 0o755);
    await writeFile(join(units, 'ddp@.service'), unit.replace(command!, join(root, command!)));
    const { stderr } = await analyze(program, ['verify', join(units, 'ddp@4001.service')]).catch(
      (error: { stderr: string }) => error,
    );
    expect(stderr.split('\n').filter((line) => line.includes('ddp@'))).toEqual([]);
    await rm(root, { recursive: true, force: true });
  });

  it('sets only known settings, and allows 30 s to stop', async () => {
    const unit = await read('ops/systemd/ddp@.service');
    const names = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((each) => each.split('=')[0]!),
    );
    expect(await unknownSettings(names.filter((name) => !['PATH', 'NODE_ENV'].includes(name)))).toEqual([]);
    expect(unit).toMatch(/^TimeoutStopSec=30$/m);
  });
});
