import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '#config/config.js';

describe('readConfig', () => {
  it('returns defaults that let the service start', () => {
    const config = readConfig({ PUBLIC_URL: '' });
    expect(config).toMatchObject({ host: '127.0.0.1', port: 4000, dataDir: '.data', rateLimit: 500, logLevel: 'info' });
    expect(config.databaseUrl).toBeUndefined();
    expect(config.publicUrl).toBeUndefined();
    expect(config.hooks.retrySchedule).toHaveLength(9);
  });

  it('accepts values with units', () => {
    const config = readConfig({
      DATABASE_URL: 'postgres://u:p@db/ddp',
      SECRET_KEY: 'new, old',
      HOOK_RETRY_SCHEDULE: '0.5s,2m, 24h',
      HOOK_ALLOW_CIDRS: '10.0.0.0/8,127.0.0.1,fd00::1',
      DELIVERY_RETENTION: '7d',
      SEARCH_ROLLUPS: 'off',
      TRUST_PROXY: 'loopback, 10.0.0.0/8',
      CORS_ORIGINS: 'https://app.example.com',
    });
    expect(config).toMatchObject({
      secretKeys: ['new', 'old'],
      trustProxy: ['loopback', '10.0.0.0/8'],
      corsOrigins: ['https://app.example.com'],
      search: { rollups: false },
      hooks: {
        retrySchedule: [500, 120_000, 86_400_000],
        allowCidrs: ['10.0.0.0/8', '127.0.0.1/32', 'fd00::1/128'],
        deliveryRetention: 604_800_000,
      },
    });
  });

  it('reports all faults at once by name', () => {
    const wrong = {
      PORT: '70000',
      DATABASE_URL: 'mysql://db/x',
      DATABASE_READ_URL: 'standby',
      PUBLIC_URL: 'example.com',
      RATE_LIMIT: 'fast',
      HOOK_TIMEOUT: '15',
      SEARCH_TIMEOUT: '30d',
      HOOK_DENY_CIDRS: '10.0.0.0/40',
      HOOK_RETRY_SCHEDULE: '5s,soon',
      HOOK_HTTPS_ONLY: 'perhaps',
      CORS_ORIGINS: 'https://app.example.com/path',
      TRUST_PROXY: 'everyone',
      LOG_LEVEL: 'loud',
      RECORD_INDEX: 'elsewhere',
      RECORD_BLOCKS: 'sometimes',
      OPENSEARCH_URL: 'tcp://db:9200',
      OPENSEARCH_REPLICAS: 'many',
      OPENSEARCH_INDEX_PREFIX: 'Ddp',
      JOURNAL_MAX_BYTES: '5',
      SEARCH_FRESHNESS: 'soon',
      MAX_CONNECTIONS: 'all',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_TRACES_SAMPLER_ARG: '2',
    };
    const faults = faultsOf(wrong);
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([...Object.keys(wrong), 'SECRET_KEY'].sort());
  });

  it('refuses a removed setting by name, and says what replaces it', () => {
    expect(faultsOf({ INGEST_GROUPING: 'off', GRAPHQL_TIMEOUT: '30s', MQTT_CONNECTIONS_PER_TOKEN: '' })).toEqual([
      'INGEST_GROUPING is no longer a setting: concurrent ingestion calls always share a commit. Remove it.',
      'GRAPHQL_TIMEOUT is no longer a setting: it is twice SEARCH_TIMEOUT. Remove it.',
    ]);
  });

  it.each(['10/8', '10.0.0', '10.0/8', '10.0.0.0/33', 'fd00'])('refuses the incomplete network %s', (network) => {
    expect(faultsOf({ HOOK_DENY_CIDRS: network })).toEqual([expect.stringMatching(/^HOOK_DENY_CIDRS must be/)]);
  });

  it.each([
    ['', undefined],
    ['true', 'on'],
    ['off', 'off'],
    ['Alone', 'alone'],
  ])('reads %j as the use of blocks', (RECORD_BLOCKS, recordBlocks) => {
    expect(readConfig({ RECORD_BLOCKS })).toMatchObject({ recordBlocks });
    expect(faultsOf({ RECORD_BLOCKS: 'sometimes' })).toEqual(['RECORD_BLOCKS must be on, off or alone.']);
  });

  it('accepts several servers for one database', () => {
    const settings = { SECRET_KEY: 'k', DATABASE_URL: 'postgres://u:p@a:5432,b/ddp?target_session_attrs=read-write' };
    expect(readConfig(settings).databaseUrl).toBe('postgres://u:p@a:5432/ddp?hosts=a%3A5432%2Cb');
    expect(faultsOf({ ...settings, DATABASE_URL: 'postgres://u:p@a,:x/ddp' })).toEqual([
      expect.stringMatching(/^DATABASE_URL must be/),
    ]);
  });

  it('accepts one standby or several', () => {
    expect(readConfig({}).databaseReadUrls).toEqual([]);
    const settings = { DATABASE_READ_URL: 'postgresql://u:p@a:5432/ddp, postgres://u:p@b/ddp' };
    expect(readConfig(settings).databaseReadUrls).toEqual(['postgresql://u:p@a:5432/ddp', 'postgres://u:p@b/ddp']);
    expect(faultsOf({ DATABASE_READ_URL: 'postgresql://a/ddp,mysql://b/ddp' })).toEqual([
      expect.stringMatching(/^DATABASE_READ_URL must be addresses/),
    ]);
  });

  it.each([
    'postgresql://a/ddp,postgresql://a/ddp',
    'postgresql://u@A:5432/ddp, postgres://other@a/second',
    'postgresql://[::1]/ddp,postgresql://b/ddp,postgresql://[::1]:5432/ddp',
  ])('refuses a standby that is named twice: %s', (DATABASE_READ_URL) => {
    expect(faultsOf({ DATABASE_READ_URL })).toEqual([
      'DATABASE_READ_URL names a server twice; each address must be a different server.',
    ]);
    expect(faultsOf({ DATABASE_READ_URL: 'postgresql://a:5432/ddp,postgresql://a:5433/ddp' })).toEqual([]);
  });

  it('accepts the address and sampling ratio for traces', () => {
    expect(readConfig({}).tracing).toBeUndefined();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(readConfig(settings).tracing).toEqual({ endpoint: 'http://collector:4318', ratio: 0.25 });
  });

  it('accepts the addresses of an OpenSearch cluster', () => {
    expect(readConfig({})).toMatchObject({ recordIndex: 'postgres', cluster: undefined });
    const settings = { RECORD_INDEX: 'opensearch', OPENSEARCH_URL: 'https://u:p@a:9200, http://b:9200' };
    expect(readConfig(settings)).toMatchObject({
      recordIndex: 'opensearch',
      cluster: { nodes: ['https://u:p@a:9200', 'http://b:9200'], replicas: 2, prefix: 'ddp', strict: false },
    });
    expect(faultsOf({ RECORD_INDEX: 'opensearch' })).toEqual([expect.stringMatching(/^OPENSEARCH_URL must be set/)]);
  });

  it('requires SECRET_KEY for a database of the operator', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://db/ddp' })).toEqual([expect.stringMatching(/^SECRET_KEY must be set/)]);
    expect(readConfig({ DATABASE_URL: 'postgres://db/ddp' }, { needsSecrets: false }).secretKeys).toEqual([]);
  });
});

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
