import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseDuration } from './duration.js';

/** How much is logged, from everything to nothing. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** A level of logging. */
export type LogLevel = (typeof logLevels)[number];

/** Every setting of the service, checked. Durations are milliseconds. */
export interface Config {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Undefined: the embedded server. */
  databaseUrl: string | undefined;
  dataDir: string;
  /** Origin for links and avatars, without a slash at its end; undefined: that of the request. */
  publicUrl: string | undefined;
  /** Keys for stored secrets, the newest first; empty on the embedded database, which keeps one in `dataDir`. */
  secretKeys: readonly string[];
  /** Requests per second and token; 0 is no limit. */
  rateLimit: number;
  ingestRateLimit: number;
  /** Whether calls that post records at the same time share a transaction; off only to measure what that gains. */
  ingestGrouping: boolean;
  hooks: HookConfig;
  corsOrigins: readonly string[];
  metricsToken: string | undefined;
  search: { timeout: number; rollups: boolean };
  /** How long one request of the graph may take. */
  graph: { timeout: number };
  /** Subscriptions at once: of this process, of one token and of one connection. */
  live: LiveLimits;
  /** As Express takes it: hops, or addresses and networks; undefined trusts nobody. */
  trustProxy: number | readonly string[] | undefined;
  logLevel: LogLevel;
}

/** Subscriptions at once, at most. */
export interface LiveLimits {
  perProcess: number;
  perToken: number;
  perConnection: number;
}

/** Settings of calls to hooks. */
export interface HookConfig {
  /** Networks in CIDR notation that may be called although they are private, and that may never be called. */
  allowCidrs: readonly string[];
  denyCidrs: readonly string[];
  /** Waits between attempts; the number of attempts is one more. */
  retrySchedule: readonly number[];
  timeout: number;
  httpsOnly: boolean;
  deliveryRetention: number;
}

/** The environment holds values that cannot be. One sentence for each, every one that there is. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not valid.\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A value made from text, or a fault with this sentence. */
const parsed = <T>(parse: (text: string) => T | undefined, sentence: string) =>
  z.string().transform((text, context): T => {
    const value = parse(text.trim());
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: sentence });
    return z.NEVER;
  });

/** A list, each of whose parts must parse. */
const listOf = <T>(parse: (text: string) => T | undefined, sentence: string) =>
  parsed((text) => {
    const values = list(text).map(parse);
    return values.every((value) => value !== undefined) ? values : undefined;
  }, sentence);

const words: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  yes: true,
  '1': true,
  false: false,
  off: false,
  no: false,
  '0': false,
};
const flag = () => parsed((text) => words[text.toLowerCase()], 'must be true or false');

const whole = (least: number, most: number) =>
  parsed(
    (text) => (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
    `must be a whole number from ${least} to ${most}`,
  );

const durationSentence = 'a number and ms, s, m, h or d, such as 15s';
const positive = (text: string) => parseDuration(text) || undefined;
const duration = () => parsed(positive, `must be ${durationSentence}`);

/** A deadline: timers hold no more than 24 days, and nobody waits for an hour. */
const deadline = () =>
  parsed((text) => {
    const milliseconds = positive(text);
    return milliseconds !== undefined && milliseconds <= 3_600_000 ? milliseconds : undefined;
  }, `must be ${durationSentence}, at most 1h`);

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

function originOf(text: string): string | undefined {
  const url = urlOf(text);
  const bare = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  return bare && url.username === '' ? url.origin : undefined;
}

/** A network, or an address as the network of itself. */
function networkOf(text: string): string | undefined {
  // Shorthand such as 10/8 is another network than it looks.
  if (!text.includes(':') && !/^\d+(\.\d+){3}(\/|$)/.test(text)) return undefined;
  if (ipaddr.isValidCIDR(text)) return text;
  if (!ipaddr.isValid(text)) return undefined;
  return `${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}`;
}

const proxyNames = new Set(['loopback', 'linklocal', 'uniquelocal']);

function proxiesOf(text: string): number | string[] | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const names = list(text);
  return names.every((name) => proxyNames.has(name) || networkOf(name) !== undefined) ? names : undefined;
}

const settings = z.object({
  PORT: whole(0, 65_535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: parsed(
    (text) => (/^postgres(ql)?:$/.test(urlOf(text)?.protocol ?? '') ? text : undefined),
    'must be an address such as postgresql://user:password@host:5432/database',
  ).optional(),
  DATA_DIR: z.string().default('.data'),
  PUBLIC_URL: parsed(originOf, 'must be an origin such as https://iot.example.com').optional(),
  SECRET_KEY: parsed((text) => (list(text).length > 0 ? list(text) : undefined), 'must hold a key').optional(),
  RATE_LIMIT: whole(0, 1_000_000).default(50),
  INGEST_RATE_LIMIT: whole(0, 1_000_000).default(0),
  INGEST_GROUPING: flag().default(true),
  HOOK_ALLOW_CIDRS: listOf(networkOf, 'must be networks such as 10.0.0.0/8, separated by commas').default([]),
  HOOK_DENY_CIDRS: listOf(networkOf, 'must be networks such as 10.0.0.0/8, separated by commas').default([]),
  HOOK_RETRY_SCHEDULE: listOf(parseDuration, `must be waits separated by commas, each ${durationSentence}`).default(
    ['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'].map((wait) => parseDuration(wait) ?? 0),
  ),
  HOOK_TIMEOUT: deadline().default(15_000),
  CORS_ORIGINS: listOf(
    (text) => (text === '*' ? text : originOf(text)),
    'must be origins such as https://app.example.com, separated by commas',
  ).default([]),
  METRICS_TOKEN: z.string().optional(),
  HOOK_HTTPS_ONLY: flag().default(false),
  DELIVERY_RETENTION: duration().default(30 * 86_400_000),
  SEARCH_TIMEOUT: deadline().default(10_000),
  SEARCH_ROLLUPS: flag().default(true),
  GRAPHQL_TIMEOUT: duration().default(20_000),
  LIVE_SUBSCRIPTIONS: whole(0, 1_000_000).default(1000),
  LIVE_SUBSCRIPTIONS_PER_TOKEN: whole(0, 1_000_000).default(100),
  LIVE_SUBSCRIPTIONS_PER_CONNECTION: whole(0, 1_000_000).default(20),
  TRUST_PROXY: parsed(proxiesOf, 'must be a number of hops, or addresses, networks and loopback').optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/**
 * Reads the settings from an environment; an empty value counts as absent. Throws {@link ConfigError} with every fault.
 * A command that never opens a stored secret does without SECRET_KEY (`needsSecrets: false`).
 */
export function readConfig(environment: NodeJS.ProcessEnv, { needsSecrets = true } = {}): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const { data, error } = settings.safeParse(given);
  const faults = (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`);
  if (needsSecrets && given['DATABASE_URL'] !== undefined && given['SECRET_KEY'] === undefined) {
    faults.push('SECRET_KEY must be set where DATABASE_URL is: it encrypts the secrets stored there.');
  }
  if (data === undefined || faults.length > 0) throw new ConfigError(faults);
  return {
    host: data.HOST,
    port: data.PORT,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    publicUrl: data.PUBLIC_URL,
    secretKeys: data.SECRET_KEY ?? [],
    rateLimit: data.RATE_LIMIT,
    ingestRateLimit: data.INGEST_RATE_LIMIT,
    ingestGrouping: data.INGEST_GROUPING,
    hooks: {
      allowCidrs: data.HOOK_ALLOW_CIDRS,
      denyCidrs: data.HOOK_DENY_CIDRS,
      retrySchedule: data.HOOK_RETRY_SCHEDULE,
      timeout: data.HOOK_TIMEOUT,
      httpsOnly: data.HOOK_HTTPS_ONLY,
      deliveryRetention: data.DELIVERY_RETENTION,
    },
    corsOrigins: data.CORS_ORIGINS,
    metricsToken: data.METRICS_TOKEN,
    search: { timeout: data.SEARCH_TIMEOUT, rollups: data.SEARCH_ROLLUPS },
    graph: { timeout: data.GRAPHQL_TIMEOUT },
    live: {
      perProcess: data.LIVE_SUBSCRIPTIONS,
      perToken: data.LIVE_SUBSCRIPTIONS_PER_TOKEN,
      perConnection: data.LIVE_SUBSCRIPTIONS_PER_CONNECTION,
    },
    trustProxy: data.TRUST_PROXY,
    logLevel: data.LOG_LEVEL,
  };
}

/** Reads the settings of this process. The only place that looks at its environment. */
export const readEnvironment = (needsSecrets: boolean): Config => readConfig(process.env, { needsSecrets });
