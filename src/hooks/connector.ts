import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';

/** How connections to receivers are made. */
export interface ConnectorOptions {
  guard: AddressGuard;
  /** Time to connect, name service and TLS included, in milliseconds. */
  timeout: number;
  /** Whether certificates are accepted that no known authority signed. */
  allowUnverified: boolean;
}

/**
 * A connector that checks what it connects to, three times over: a literal before it dials (literals never reach a
 * lookup), every address that a name has as it dials (so a name cannot answer differently to a check and to the
 * call), and the address of the socket once it is open.
 */
export function createConnector({ guard, timeout, allowUnverified }: ConnectorOptions): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    guard.resolve(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => done(error, []),
    );
  };
  const dial = buildConnector({ timeout, lookup, rejectUnauthorized: !allowUnverified, allowH2: false });

  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    try {
      if (isIP(host)) guard.check(host);
    } catch (error) {
      done(error as Error, null);
      return;
    }
    dial(options, (error, socket) => {
      if (error || !socket) {
        done(error ?? new Error('No connection was made.'), null);
        return;
      }
      try {
        guard.check(socket.remoteAddress ?? 'unknown');
        done(null, socket);
      } catch (refusal) {
        socket.destroy();
        done(refusal as Error, null);
      }
    });
  };
}
