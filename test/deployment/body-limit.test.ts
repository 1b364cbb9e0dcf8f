import { describe, expect, it } from '@jest/globals';
import { maxBytes } from '#imports/imports.js';
import { read } from './deployed.js';

const mebibyte = 2 ** 20;
const largestFile = Math.max(...Object.values(maxBytes).flatMap((formats) => Object.values(formats)));
const largestCall = 10 * mebibyte;

/** Returns the limits in a proxy's file, in bytes. */
const limitsIn = async (path: string, pattern: RegExp): Promise<number[]> =>
  [...(await read(path)).matchAll(pattern)].map(([, size]) => Number(size) * mebibyte);

describe('largest body', () => {
  it.each([
    ['ops/nginx/ddp.conf', /client_max_body_size (\d+)m;/g],
    ['ops/caddy/Caddyfile', /max_size (\d+)MiB/g],
  ])('exceeds the limit of the service in %s, for calls and for files', async (path, pattern) => {
    const [calls, files, ...others] = (await limitsIn(path, pattern)).toSorted((one, other) => one - other);
    expect(others).toEqual([]);
    expect(calls).toBeGreaterThan(largestCall);
    expect(files).toBeGreaterThan(largestFile);
  });

  it('exceeds every limit of the service at the Ingress', async () => {
    expect(await limitsIn('ops/kubernetes/service.yaml', /proxy-body-size: (\d+)m/g)).toEqual([
      expect.closeTo(largestFile + mebibyte),
    ]);
  });

  it('matches the figures in the documents', async () => {
    expect(await read('docs/import.md')).toContain(`5,000,000, ${largestFile / mebibyte} MiB`);
    expect(await read('docs/contract.md')).toContain(`for ingestion ${largestCall / mebibyte} MiB`);
  });
});
