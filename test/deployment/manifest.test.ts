import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { parse, parseAllDocuments } from 'yaml';

const checkout = new URL('../../../', import.meta.url).pathname;
const read = (path: string): Promise<string> => readFile(join(checkout, path), 'utf8');

/** The settings that the README lists. */
const settings = async (): Promise<Set<string>> => {
  const rows = (await read('README.md')).matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm);
  return new Set([...rows].flatMap(([, names = '']) => names.replaceAll('`', '').split(', ')));
};

const unknownSettings = async (names: readonly string[]): Promise<string[]> => {
  const known = await settings();
  return names.filter((name) => !known.has(name));
};

interface Manifest {
  kind: string;
  apiVersion: string;
  metadata: { labels?: object };
}

describe('the manifests of Kubernetes', () => {
  const manifests = async (): Promise<Manifest[]> => {
    const files = ['deployment', 'service', 'disruption', 'secret.example'];
    const texts = await Promise.all(files.map((name) => read(`ops/kubernetes/${name}.yaml`)));
    return texts.flatMap((text) => parseAllDocuments(text).map((each) => each.toJS() as Manifest));
  };
  const kinds = { Deployment, Ingress, PodDisruptionBudget, Secret, Service };
  const ofKind = async <Kind extends keyof typeof kinds>(kind: Kind) => {
    const found = (await manifests()).find((each) => each.kind === kind);
    return new kinds[kind](found as never) as InstanceType<(typeof kinds)[Kind]>;
  };

  it('are as their schemas want them', async () => {
    const all = await manifests();
    expect(all.map(({ kind }) => kind).sort()).toEqual(Object.keys(kinds).sort());
    for (const { kind } of all) (await ofKind(kind as keyof typeof kinds)).validate();
    const wrong = { ...all[0], spec: { replicas: 'two' } };
    expect(() => new Deployment(wrong as never).validate()).toThrow(/replicas|selector|template/);
  });

  it('replace processes without a moment when fewer serve, and give each time to end', async () => {
    const { spec } = await ofKind('Deployment');
    expect(spec?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    const [container] = spec!.template.spec!.containers;
    expect(container?.readinessProbe?.httpGet?.path).toBe('/readyz');
    expect(container?.livenessProbe?.httpGet?.path).toBe('/healthz');
    const delay = Number.parseInt(container?.env?.find(({ name }) => name === 'STOP_DELAY')?.value ?? '', 10);
    expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(delay + 16);
    // It is seen not to be ready before it stops to take requests.
    expect(container!.readinessProbe!.periodSeconds! + container!.readinessProbe!.timeoutSeconds!).toBeLessThan(delay);
  });

  it('select the pods of the deployment, by its port', async () => {
    const [deployment, service, budget] = [
      await ofKind('Deployment'),
      await ofKind('Service'),
      await ofKind('PodDisruptionBudget'),
    ];
    const labels = deployment.spec?.template.metadata?.labels;
    expect(deployment.spec?.selector.matchLabels).toEqual(labels);
    expect(service.spec?.selector).toEqual(labels);
    expect(budget.spec?.selector?.matchLabels).toEqual(labels);
    const ports = deployment.spec?.template.spec?.containers[0]?.ports?.map(({ name }) => name);
    expect(ports).toContain(service.spec?.ports?.[0]?.targetPort);
  });

  it('name the image of this release', async () => {
    const { version } = JSON.parse(await read('package.json')) as { version: string };
    const { initContainers = [], containers } = (await ofKind('Deployment')).spec!.template.spec!;
    const images = [...initContainers, ...containers].map(({ image }) => image);
    expect(new Set(images)).toEqual(new Set([`device-data-platform:${version}`]));
  });

  it('run as nobody who may do anything, and set what is a setting', async () => {
    const pod = (await ofKind('Deployment')).spec!.template.spec!;
    expect(pod.securityContext?.runAsNonRoot).toBe(true);
    for (const { securityContext, env = [] } of [...pod.initContainers!, ...pod.containers]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(await unknownSettings(env.map(({ name }) => name))).toEqual([]);
    }
    expect(await unknownSettings(Object.keys((await ofKind('Secret')).stringData ?? {}))).toEqual([]);
  });
});

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

  it('runs two processes, not as root and read-only, which Caddy knows by their names', async () => {
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

  it('asks for no setting that its example lacks, and sets what is a setting', async () => {
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

describe('the unit of systemd', () => {
  const program = 'systemd-analyze';
  const analyze = promisify(execFile);
  const isInstalled = spawnSync(program, ['--version']).error === undefined;

  (isInstalled ? it : it.skip)('is found without fault by systemd-analyze', async () => {
    const unit = await read('ops/systemd/ddp@.service');
    const [, command] = /^ExecStart=(\S+)/m.exec(unit) ?? [];
    const root = await mkdtemp(join(tmpdir(), 'ddp-unit-'));
    // Its program, which is not installed here.
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

  it('sets what is a setting, and gives the service time to end', async () => {
    const unit = await read('ops/systemd/ddp@.service');
    const names = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((each) => each.split('=')[0]!),
    );
    expect(await unknownSettings(names.filter((name) => !['PATH', 'NODE_ENV'].includes(name)))).toEqual([]);
    expect(unit).toMatch(/^TimeoutStopSec=30$/m);
  });
});
