import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Log } from '#common/log.js';
import { createEncryption } from './certificate.js';
import { type ConnectionOptions, MqttConnection } from './connection.js';
import { ConnectionSlots, type PlaceLimits } from './connection-count.js';
import { createMqttMetrics } from './metrics.js';
import { Paces } from './pace.js';
import { RepeatedEvents } from './repeated-events.js';

/** A server for MQTT 3.1.1 and 5. Clients publish to it; nobody subscribes. */
export interface MqttServer {
  /** Its address, with the actual port. */
  readonly url: string;
  /** Leaves new connections to the other processes that listen at the address. */
  leave(): void;
  /**
   * Stops accepting connections. Messages in progress may finish within `timeout` milliseconds; then connections are
   * cut off.
   */
  close(timeout: number): Promise<void>;
}

/** Functions of the service that the server uses. */
export interface MqttOptions extends Omit<ConnectionOptions, 'takePlace' | 'metrics' | 'paces' | 'refused'> {
  limits: PlaceLimits;
  tls: { certFile: string; keyFile: string } | undefined;
  /** Listens. Resolves with the servers, and with host and port. */
  listen: (server: Server, take: (socket: Socket) => void) => Promise<{ servers: readonly Server[]; place: string }>;
  /** Returns whether a new connection is accepted; false if its address has too many without a token. */
  accept: (socket: Socket) => boolean;
  /** Stops accepting. Resolves when none of the servers has a connection any more. */
  endListening: (servers: readonly Server[]) => Promise<void>;
  registry: Registry;
  log: Log;
}

/** Number of connections beyond the maximum, for clients that have not yet sent CONNECT. */
const spare = 1000;

/** Starts the server. Rejects with a sentence for the operator if it cannot listen. */
export async function startMqtt(options: MqttOptions): Promise<MqttServer> {
  const { limits, tls, log, registry } = options;
  const places = new ConnectionSlots(limits);
  const encryption = tls && createEncryption(tls, log);
  const metrics = createMqttMetrics(registry, () => places.size);
  const refused = new RepeatedEvents(log);
  const connectionOptions = { ...options, metrics, takePlace: places.take.bind(places), paces: new Paces(), refused };
  const open = new Set<MqttConnection>();
  const take = (socket: Socket) => {
    // The socket may break before another handler is set.
    socket.on('error', () => undefined);
    if (open.size >= limits.connections + spare || !options.accept(socket)) {
      metrics.connected('address');
      const address = socket.remoteAddress;
      refused.note(`${address} address`, { address, reason: 'address' }, 'MQTT connection refused');
      return void socket.destroy();
    }
    const stream = encryption?.wrap(socket) ?? socket;
    const connection = new MqttConnection(socket, stream, connectionOptions);
    open.add(connection);
    stream.once('close', () => open.delete(connection));
  };
  const { servers, place } = await options.listen(createServer({ allowHalfOpen: true, noDelay: true }, take), take);
  let ended: Promise<void> | undefined;
  const stopListening = () => (ended ??= options.endListening(servers));
  return {
    url: `${tls === undefined ? 'mqtt' : 'mqtts'}://${place}`,
    leave: () => void stopListening(),
    async close(timeout) {
      const over = new AbortController();
      const accepted = stopListening();
      for (const connection of open) connection.stop();
      await Promise.race([accepted, delay(timeout, undefined, { signal: over.signal })]);
      over.abort();
      for (const connection of open) connection.destroy();
      await accepted;
      refused.tell();
      encryption?.close();
    },
  };
}
