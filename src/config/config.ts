import { z } from 'zod';
import { type ClusterConfig, clusterOf, clusterSettings } from './cluster-setting.js';
import { type HookConfig, hookSettings, hooksOf, threads } from './hook-setting.js';
import { type HttpConfig, httpOf, httpSettings } from './http-setting.js';
import { type MailConfig, mailFaultsOf, mailOf, mailSettings } from './mail-setting.js';
import { type MqttConfig, mqttFaultsOf, mqttOf, mqttSettings } from './mqtt-setting.js';
import { type OidcProviderSettings, oidcOf } from './oidc-setting.js';
import {
  areDifferentServers,
  atMost,
  databaseOf,
  deadlineSetting,
  durationSetting,
  endpointOf,
  flagOrSetting,
  flagSetting,
  listSetting,
  originOf,
  parsedSetting,
  proxiesOf,
  ratioOf,
  removedFaultsOf,
  splitList,
  standbyOf,
  wholeSetting,
} from './setting.js';

/** Log levels, from everything to nothing. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Use of blocks, which hold finished days of records in columns.
 *
 * - `off`: none are made, and days in blocks alone get their rows again.
 * - `on`: they are made beside the rows.
 * - `alone`: rows that have been in blocks for a week are deleted.
 */
export type BlockMode = 'off' | 'on' | 'alone';

/** All settings of the service, validated. Durations are in milliseconds. */
export interface Config {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Undefined: the embedded server. */
  databaseUrl: string | undefined;
  /** Standbys of the database that answer reads. */
  databaseReadUrls: readonly string[];
  /** Maximum number of connections of one process to the primary; undefined: as many as it uses and the database allows. */
  databaseConnections: number | undefined;
  dataDir: string;
  /** Origin of links and avatars, without a slash at the end; undefined: that of the request. */
  publicUrl: string | undefined;
  /**
   * Keys that encrypt stored secrets, the newest first. Empty on the embedded database, which keeps a key in `dataDir`.
   */
  secretKeys: readonly string[];
  /** Requests per second and token; 0 is no limit. */
  rateLimit: number;
  ingestRateLimit: number;
  /**
   * Maximum number of running requests per organization and kind (GraphQL, REST, search; ingestion may run four times
   * as many).
   */
  requestsAtOnce: number;
  hooks: HookConfig;
  /** Retention of events in the audit log, in milliseconds. */
  auditRetention: number;
  corsOrigins: readonly string[];
  metricsToken: string | undefined;
  search: { timeout: number; rollups: boolean };
  /** The store that answers searches. */
  recordIndex: 'postgres' | 'opensearch';
  /** Use of blocks of finished days of records; undefined: `usualBlockMode` of the database. */
  recordBlocks: BlockMode | undefined;
  /** Set when `recordIndex` is opensearch. Otherwise only commands that move records use it. */
  cluster: ClusterConfig | undefined;
  /** Timeout of one GraphQL request. */
  graph: { timeout: number };
  /** Maximum of concurrent subscriptions per process, per token and per connection. */
  live: LiveLimits;
  /** Trusted proxies in Express's format: a number of hops, or addresses and networks; undefined trusts none. */
  trustProxy: number | readonly string[] | undefined;
  http: HttpConfig;
  /** Undefined: tracing is off. */
  tracing: TracingConfig | undefined;
  /** Undefined: no e-mail is sent. */
  mail: MailConfig | undefined;
  /** Providers of OpenID Connect by which people sign in. */
  oidc: readonly OidcProviderSettings[];
  /** Undefined: devices cannot publish over MQTT. */
  mqtt: MqttConfig | undefined;
  /**
   * Number of processes that serve the address together; undefined: chosen by the kind of database and the number of
   * processors.
   */
  workers: number | 'auto' | undefined;
  /** Limits of request bodies in memory at once, in bytes. Answers may take twice as many. */
  inFlight: { perProcess: number; perOrganization: number; perToken: number };
  logLevel: LogLevel;
}

export interface TracingConfig {
  /** Address of a collector that accepts OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  /** Sampling ratio of traces that start here, from 0 to 1. Other traces follow their caller's decision. */
  ratio: number;
}

/** Limits of concurrent subscriptions. */
export interface LiveLimits {
  perProcess: number;
  perToken: number;
  perConnection: number;
}

/** The environment has invalid settings. The message has one sentence for each. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not valid.\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const mebibyte = 2 ** 20;
const settings = z.object({
  PORT: wholeSetting(0, 65_535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: parsedSetting(
    databaseOf,
    'must be an address such as postgresql://user:password@host:5432/database',
  ).optional(),
  DATABASE_READ_URL: listSetting(
    standbyOf,
    'must be addresses such as postgresql://user:password@standby:5432/database, separated by commas',
  )
    .refine(areDifferentServers, 'names a server twice; each address must be a different server')
    .default([]),
  DATABASE_CONNECTIONS: wholeSetting(18, 62).optional(),
  DATA_DIR: z.string().default('.data'),
  PUBLIC_URL: parsedSetting(originOf, 'must be an origin such as https://iot.example.com').optional(),
  SECRET_KEY: parsedSetting(
    (text) => (splitList(text).length > 0 ? splitList(text) : undefined),
    'must hold a key',
  ).optional(),
  RATE_LIMIT: wholeSetting(0, 1_000_000).default(500),
  INGEST_RATE_LIMIT: wholeSetting(0, 1_000_000).default(0),
  REQUESTS_AT_ONCE: wholeSetting(1, 1_000_000).default(16),
  CORS_ORIGINS: listSetting(
    (text) => (text === '*' ? text : originOf(text)),
    'must be origins such as https://app.example.com, separated by commas',
  ).default([]),
  METRICS_TOKEN: z.string().optional(),
  AUDIT_RETENTION: durationSetting().default(400 * 86_400_000),
  SEARCH_TIMEOUT: deadlineSetting().default(10_000),
  SEARCH_ROLLUPS: flagSetting().default(true),
  RECORD_BLOCKS: flagOrSetting('alone').optional(),
  ...hookSettings,
  ...httpSettings,
  ...clusterSettings,
  ...mqttSettings,
  ...mailSettings,
  LIVE_SUBSCRIPTIONS: wholeSetting(0, 1_000_000).default(1000),
  TRUST_PROXY: parsedSetting(proxiesOf, 'must be a number of hops, or addresses, networks and loopback').optional(),
  WORKERS: parsedSetting(
    (text) => (text === 'auto' ? text : /^\d+$/.test(text) ? atMost(Number(text), 256) || undefined : undefined),
    'must be auto or a whole number from 1 to 256',
  ).optional(),
  BYTES_IN_FLIGHT: wholeSetting(128, 1_000_000).default(256),
  OTEL_EXPORTER_OTLP_ENDPOINT: parsedSetting(endpointOf, 'must be an address such as http://collector:4318').optional(),
  OTEL_TRACES_SAMPLER_ARG: parsedSetting(ratioOf, 'must be a number from 0 to 1').default(1),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/**
 * Reads the settings from an environment. An empty value counts as absent. A command that never decrypts a stored
 * secret works without SECRET_KEY (`needsSecrets: false`).
 * @throws {@link ConfigError} with all faults.
 */
export function readConfig(environment: NodeJS.ProcessEnv, { needsSecrets = true } = {}): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const { data, error } = settings.safeParse(given);
  const faults = (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`);
  faults.push(...removedFaultsOf(given));
  if (needsSecrets && given['DATABASE_URL'] !== undefined && given['SECRET_KEY'] === undefined) {
    faults.push('SECRET_KEY must be set if DATABASE_URL is set: it encrypts the secrets stored there.');
  }
  if (data?.RECORD_INDEX === 'opensearch' && data.OPENSEARCH_URL.length === 0) {
    faults.push('OPENSEARCH_URL must be set if RECORD_INDEX is opensearch.');
  }
  if (data !== undefined) faults.push(...mqttFaultsOf(data), ...mailFaultsOf(data));
  const oidc = oidcOf(given);
  faults.push(...oidc.faults);
  if (data === undefined || faults.length > 0) throw new ConfigError(faults);
  return {
    host: data.HOST,
    port: data.PORT,
    databaseUrl: data.DATABASE_URL,
    databaseReadUrls: data.DATABASE_READ_URL,
    databaseConnections: data.DATABASE_CONNECTIONS,
    dataDir: data.DATA_DIR,
    publicUrl: data.PUBLIC_URL,
    secretKeys: data.SECRET_KEY ?? [],
    rateLimit: data.RATE_LIMIT,
    ingestRateLimit: data.INGEST_RATE_LIMIT,
    requestsAtOnce: data.REQUESTS_AT_ONCE,
    hooks: hooksOf(data),
    auditRetention: data.AUDIT_RETENTION,
    corsOrigins: data.CORS_ORIGINS,
    metricsToken: data.METRICS_TOKEN,
    search: { timeout: data.SEARCH_TIMEOUT, rollups: data.SEARCH_ROLLUPS },
    recordIndex: data.RECORD_INDEX,
    recordBlocks: data.RECORD_BLOCKS,
    cluster: clusterOf(data),
    // A request may run one search after the other.
    graph: { timeout: 2 * data.SEARCH_TIMEOUT },
    live: {
      perProcess: data.LIVE_SUBSCRIPTIONS,
      perToken: Math.ceil(data.LIVE_SUBSCRIPTIONS / 10),
      perConnection: Math.ceil(data.LIVE_SUBSCRIPTIONS / 50),
    },
    trustProxy: data.TRUST_PROXY,
    http: httpOf(data),
    tracing: data.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: data.OTEL_TRACES_SAMPLER_ARG }
      : undefined,
    mail: mailOf(data),
    oidc: oidc.providers,
    mqtt: mqttOf(data),
    workers: data.WORKERS,
    inFlight: {
      perProcess: data.BYTES_IN_FLIGHT * mebibyte,
      perOrganization: (data.BYTES_IN_FLIGHT * mebibyte) / 4,
      perToken: (data.BYTES_IN_FLIGHT * mebibyte) / 8,
    },
    logLevel: data.LOG_LEVEL,
  };
}

/**
 * Reads the settings of this process. Only this module reads the environment. With the embedded database it removes the
 * variables of libpq, such as `PGOPTIONS` and `PGSSLMODE`: they are meant for another server, and the client and
 * PostgreSQL's programs would follow them.
 */
export function readEnvironment(needsSecrets: boolean): Config {
  const config = readConfig(process.env, { needsSecrets });
  if (config.databaseUrl === undefined) {
    for (const name of Object.keys(process.env)) if (/^PG[A-Z]/.test(name)) delete process.env[name];
  }
  return config;
}

/** Variables that the guides export in a shell, and `DDP_TOKEN`, which takes precedence over `TOKEN`. */
export interface ShellVariables {
  origin: string | undefined;
  token: string | undefined;
  organization: string | undefined;
}

/** Reads the shell variables for the demonstration. Empty counts as absent. */
export const readShell = ({ ORIGIN, DDP_TOKEN, TOKEN, ORGANIZATION } = process.env): ShellVariables => ({
  origin: ORIGIN || undefined,
  token: DDP_TOKEN || TOKEN || undefined,
  organization: ORGANIZATION || undefined,
});

/**
 * Raises the size of libuv's thread pool from four, as the system's resolver, files, compression and hashes share it.
 * Call this before any of them is used.
 */
export const widenThreadPool = (): void => {
  process.env['UV_THREADPOOL_SIZE'] ??= String(threads);
};
