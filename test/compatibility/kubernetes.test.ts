import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';
import { read, unknownSettings } from '../deployment/deployed.js';

interface Manifest {
  kind: string;
  apiVersion: string;
  metadata: { labels?: object };
}

describe('Kubernetes deployment', () => {
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

  it('conforms to the schemas of Kubernetes', async () => {
    const all = await manifests();
    expect(all.map(({ kind }) => kind).sort()).toEqual(Object.keys(kinds).sort());
    for (const { kind } of all) (await ofKind(kind as keyof typeof kinds)).validate();
    const wrong = { ...all[0], spec: { replicas: 'two' } };
    expect(() => new Deployment(wrong as never).validate()).toThrow(/replicas|selector|template/);
  });

  it('replaces pods without losing capacity, and leaves each time to finish', async () => {
    const { spec } = await ofKind('Deployment');
    expect(spec?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    const [container] = spec!.template.spec!.containers;
    expect(container?.readinessProbe?.httpGet?.path).toBe('/readyz');
    expect(container?.livenessProbe?.httpGet?.path).toBe('/healthz');
    const delay = Number.parseInt(container?.env?.find(({ name }) => name === 'STOP_DELAY')?.value ?? '', 10);
    expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(delay + 16);
    // The pod is marked unready before it stops accepting requests.
    expect(container!.readinessProbe!.periodSeconds! + container!.readinessProbe!.timeoutSeconds!).toBeLessThan(delay);
  });

  it('has labels and a port that its service and disruption budget select', async () => {
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

  it('names the image of this release, or of the last one before it', async () => {
    const { version } = JSON.parse(await read('package.json')) as { version: string };
    const [, last] = /^## (\d\S+) - /m.exec(await read('CHANGELOG.md'))!;
    const released = version.includes('-') ? last : version;
    const { initContainers = [], containers } = (await ofKind('Deployment')).spec!.template.spec!;
    const images = [...initContainers, ...containers].map(({ image }) => image);
    expect(new Set(images)).toEqual(new Set([`device-data-platform:${released}`]));
  });

  it('runs without privileges, and contains only known settings', async () => {
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
