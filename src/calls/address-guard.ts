import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { blocked, CallFault } from './fault.js';

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The operator's rules about the addresses that calls may go to. */
export interface AddressRules {
  /** Ranges (CIDR) that may be called although they are not public. */
  allow: readonly string[];
  /** Ranges (CIDR) that may not be called although they are public. They win over `allow`. */
  deny: readonly string[];
}

/** Decides whether an address may be called. */
export interface AddressGuard {
  /** @throws CallFault with the code BLOCKED, unless the address may be called */
  check(address: string): void;
  /**
   * Returns the addresses of a host, or the literal address itself.
   * @throws CallFault with the code BLOCKED when *any* of the addresses is refused
   */
  resolve(hostname: string): Promise<readonly string[]>;
}

/** Resolves names by the operating system, as a connection would. */
export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Addresses of the metadata services of clouds (AWS, Azure, GCP and most others; Azure's wire server; Alibaba; Oracle;
 * AWS over IPv6). A rule allows one of them only by naming exactly that address, so that no wide range opens them by
 * accident.
 */
const metadata = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
]);

/** All address space that is routed in IPv6 (RFC 4291, section 2.4). Addresses outside it are never public. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Subnet = [Address, number];

/**
 * Creates a guard that allows public unicast addresses only, apart from the operator's rules. The registries of RFC
 * 6890 decide which addresses are unicast. An IPv4 address mapped into IPv6 counts as the IPv4 address; NAT64, 6to4 and
 * Teredo addresses are refused.
 */
export function createAddressGuard({ allow, deny }: AddressRules, resolve: Resolve = systemResolve): AddressGuard {
  const allowed = allow.map(range);
  const denied = deny.map(range);

  const check = (text: string) => {
    if (!ipaddr.isValid(text)) throw blocked(text);
    const address = ipaddr.process(text);
    const within = (ranges: readonly Subnet[]) => ranges.some(([net, bits]) => contains(net, bits, address));
    if (within(denied)) throw blocked(text);
    const open = address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(...globalUnicast, address));
    const named = allowed.some(([net, bits]) => bits === lengthOf(net) && contains(net, bits, address));
    if (metadata.has(address.toString())) {
      if (!named) throw blocked(text);
    } else if (!open && !within(allowed)) {
      throw blocked(text);
    }
  };

  return {
    check,
    async resolve(hostname) {
      const host = hostname.replace(/^\[|\]$/g, '');
      const addresses = ipaddr.isValid(host) ? [ipaddr.process(host).toString()] : await resolve(host);
      if (addresses.length === 0) throw new CallFault('DNS', `The host name ${host} has no address.`);
      for (const address of addresses) check(address);
      return addresses;
    },
  };
}

const lengthOf = (address: Address) => (address.kind() === 'ipv4' ? 32 : 128);

function range(text: string): Subnet {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, lengthOf(address)];
}

const contains = (net: Address, bits: number, address: Address) =>
  net.kind() === address.kind() && address.match(net, bits);
