import { isIPv6 } from 'node:net';
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
