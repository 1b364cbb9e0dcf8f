import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Log } from '#common/log.js';

/** TLS of the endpoint. */
export interface Encryption {
  wrap(socket: Socket): TLSSocket;
  close(): void;
}

/** Interval of checking the files, in milliseconds. A renewed certificate takes effect without a restart. */
const interval = 60_000;

/**
 * Creates TLS with a certificate and a key in files.
 * @throws Error if the files cannot be read or do not belong together
 */
export function createEncryption(files: { certFile: string; keyFile: string }, log: Log): Encryption {
  const read = () => {
    try {
      return createSecureContext({
        cert: readFileSync(files.certFile),
        key: readFileSync(files.keyFile),
        minVersion: 'TLSv1.2',
      });
    } catch (error) {
      throw new Error(`The files of MQTT_TLS_CERT and MQTT_TLS_KEY cannot be used: ${String(error)}`, { cause: error });
    }
  };
  let secureContext = read();
  const reread = () => {
    try {
      secureContext = read();
      log.info('Certificate of the MQTT endpoint reloaded');
    } catch (error) {
      // One of the two files may be written later.
      log.error({ err: error }, 'Certificate of the MQTT endpoint not reloaded; the previous one stays');
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval, persistent: false }, reread);
  return {
    wrap: (socket) => new TLSSocket(socket, { isServer: true, secureContext, allowHalfOpen: true } as object),
    close() {
      for (const path of paths) unwatchFile(path, reread);
    },
  };
}
