import { isIP, isIPv6 } from 'node:net';
import type { Express, Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network as which an IP address is counted: the first 64 bits of an IPv6 address, because one client has
 * all addresses below them, and the whole of an IPv4 address.
 */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
};

/**
 * Makes `request.ip` an IP address always. Some proxies append the client's port (Azure: `203.0.113.5:50123`), with
 * which every connection would count as another client. Where a proxy forwards text that is no address, the nearest
 * proxy before it counts. Call it after `trust proxy` is set.
 */
export const readAddresses = (app: Express): void => {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(addressOf(address) ?? address, hop));
  Object.defineProperty(app.request, 'ip', {
    get(this: Request) {
      const given = [...this.ips, this.socket.remoteAddress ?? ''];
      return given.map(addressOf).find((address) => address !== undefined);
    },
  });
};

const withPort = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/;

/** Parses `address`, `ipv4:port`, `[ipv6]` and `[ipv6]:port`; undefined if it is none of them. */
const addressOf = (text: string): string | undefined => {
  if (isIP(text) !== 0) return text;
  const [, bracketed, bare] = withPort.exec(text) ?? [];
  const address = bracketed ?? bare ?? '';
  return isIP(address) === 0 ? undefined : address;
};
