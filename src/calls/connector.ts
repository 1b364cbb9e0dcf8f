import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';

export interface ConnectorOptions {
  guard: AddressGuard;
  /** Maximum time to connect, including name service and TLS, in milliseconds. */
  timeout: number;
  /** Whether connections accept certificates that no known authority signed. */
  allowUnverified: boolean;
}

/**
 * Creates a connector that checks addresses three times: a literal before dialling (literals never reach a lookup),
 * every address of a name while dialling (so a name cannot answer the check and the call differently), and the address
 * of the socket once it is open.
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
