import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseDuration } from './duration.js';

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Parses a text into a value, or reports a fault with this sentence. */
export const parsedSetting = <T>(parse: (text: string) => T | undefined, sentence: string) =>
  z.string().transform((text, context): T => {
    const value = parse(text.trim());
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: sentence });
    return z.NEVER;
  });

/** Parses a list. Each part must parse. */
export const listSetting = <T>(parse: (text: string) => T | undefined, sentence: string) =>
  parsedSetting((text) => {
    const values = splitList(text).map(parse);
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
export const flagSetting = () => parsedSetting((text) => words[text.toLowerCase()], 'must be true or false');

/** Parses a flag, or a word that is more than true. */
export const flagOrSetting = <Word extends string>(word: Word) =>
  parsedSetting((text): 'on' | 'off' | Word | undefined => {
    const flag = words[text.toLowerCase()];
    if (flag !== undefined) return flag ? 'on' : 'off';
    return text.toLowerCase() === word ? word : undefined;
  }, `must be on, off or ${word}`);

export const wholeSetting = (min: number, max: number) =>
  parsedSetting(
    (text) => (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
    `must be a whole number from ${min} to ${max}`,
  );

export const durationSentence = 'a number and ms, s, m, h or d, such as 15s';
const positive = (text: string) => parseDuration(text) || undefined;
export const durationSetting = () => parsedSetting(positive, `must be ${durationSentence}`);

export const atMost = (milliseconds: number | undefined, max: number) =>
  milliseconds !== undefined && milliseconds <= max ? milliseconds : undefined;

/** Parses a deadline of at most an hour. Nobody waits longer, and timers hold no more than 24 days. */
export const deadlineSetting = () =>
  parsedSetting((text) => atMost(positive(text), 3_600_000), `must be ${durationSentence}, at most 1h`);

export const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

export function originOf(text: string): string | undefined {
  const url = urlOf(text);
  const bare = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  return bare && url.username === '' ? url.origin : undefined;
}

/**
 * Parses the address of a database. An address with several servers, as libpq accepts it
 * (`postgresql://user@a:5432,b:5432/ddp`), becomes that of the first server, with the list in the parameter `hosts`.
 */
export function databaseOf(text: string): string | undefined {
  const [, start = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(text) ?? [];
  const [first, ...others] = hosts.split(',');
  const url = urlOf(`${start}${first}${rest}`);
  if (url === undefined) return undefined;
  if (others.length === 0) return text;
  if (![first, ...others].every((host) => host && urlOf(`postgresql://${host}`)?.hostname)) return undefined;
  // The service only uses the server that accepts writes, whatever this option says.
  url.searchParams.delete('target_session_attrs');
  url.searchParams.set('hosts', hosts);
  return url.toString();
}

/** Parses the address of one server, which need not accept writes. */
export const standbyOf = (text: string): string | undefined =>
  /^postgres(ql)?:$/.test(urlOf(text)?.protocol ?? '') && urlOf(text)!.hostname !== '' ? text : undefined;

/** Whether no two addresses name the same server. */
export const areDifferentServers = (addresses: readonly string[]): boolean => {
  const servers = addresses.map((address) => {
    const { hostname, port } = new URL(address);
    return `${hostname.toLowerCase()}:${port || 5432}`;
  });
  return new Set(servers).size === servers.length;
};

/** Parses an http address that paths can be appended to. */
export function endpointOf(text: string): string | undefined {
  const url = urlOf(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined;
  return url.href.replace(/\/$/, '');
}

export const ratioOf = (text: string): number | undefined =>
  /^(0|1|0?\.\d+|[01]\.0+)$/.test(text) ? Number(text) : undefined;

/** Parses a network, or an address as the network that contains only that address. */
export function networkOf(text: string): string | undefined {
  // The library reads a shorthand such as `10/8` as another network than people expect.
  if (!text.includes(':') && !/^\d+(\.\d+){3}(\/|$)/.test(text)) return undefined;
  if (ipaddr.isValidCIDR(text)) return text;
  if (!ipaddr.isValid(text)) return undefined;
  return `${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}`;
}

const proxyNames = new Set(['loopback', 'linklocal', 'uniquelocal']);

export function proxiesOf(text: string): number | string[] | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const names = splitList(text);
  return names.every((name) => proxyNames.has(name) || networkOf(name) !== undefined) ? names : undefined;
}

/** Settings of earlier releases, and their replacements. */
const removed: Readonly<Record<string, string>> = {
  BYTES_IN_FLIGHT_PER_ORGANIZATION: 'it is a quarter of BYTES_IN_FLIGHT',
  BYTES_IN_FLIGHT_PER_TOKEN: 'it is an eighth of BYTES_IN_FLIGHT',
  GRAPHQL_TIMEOUT: 'it is twice SEARCH_TIMEOUT',
  INGEST_GROUPING: 'concurrent ingestion calls always share a commit',
  LIVE_SUBSCRIPTIONS_PER_CONNECTION: 'it is a fiftieth of LIVE_SUBSCRIPTIONS',
  LIVE_SUBSCRIPTIONS_PER_TOKEN: 'it is a tenth of LIVE_SUBSCRIPTIONS',
  MQTT_CONNECTIONS_PER_TOKEN: 'it is a quarter of MQTT_CONNECTIONS',
};

/** Returns a fault for each removed setting in an environment. */
export const removedFaultsOf = (environment: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(environment)
    .filter((name) => Object.hasOwn(removed, name))
    .map((name) => `${name} is no longer a setting: ${removed[name]}. Remove it.`);
