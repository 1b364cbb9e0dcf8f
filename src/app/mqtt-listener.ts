import { isConnectionLoss } from '#database/connection-loss.js';
import type { Caller } from '#entities/caller.js';
import type { Admission } from '#http/admission.js';
import { endListening, listeningAddress, listenTogether } from '#http/listen.js';
import { createReport } from '#http/report.js';
import type { MqttServer } from '#mqtt/server.js';
import type { Services, ServicesOptions } from './services.js';

/** Services, authentication and admission control, which MQTT shares with HTTP. */
interface Shared {
  services: Services;
  admission: Admission;
  authenticate: (authorization: string | undefined) => Promise<Caller>;
}

/** Connects and messages count as ingestion calls, but MQTT has no headers for the rate limit. */
const withoutHeaders = { setHeader: () => undefined };

/** Listens for devices that publish over MQTT; undefined when MQTT is off. */
export async function listenForMqtt(
  { config, log }: Pick<ServicesOptions, 'config' | 'log'>,
  { services, admission, authenticate }: Shared,
): Promise<MqttServer | undefined> {
  if (config.mqtt === undefined) return undefined;
  const [{ createRefusalOf }, { startMqtt }] = await Promise.all([
    import('#mqtt/refusal.js'),
    import('#mqtt/server.js'),
  ]);
  const { port, tls, ...limits } = config.mqtt;
  const { admitIngest, enter, inFlight, limit } = admission;
  const { downlink, records, reader, registry } = services;
  const { requestTimeout } = config.http;
  return startMqtt({
    limits,
    tls,
    registry,
    log,
    async listen(server, take) {
      const servers = await listenTogether(server, take, { host: config.host, port }, 'MQTT_PORT');
      return { servers, place: listeningAddress(server) };
    },
    endListening,
    accept: limit.accept,
    admit: (authorization, socket) =>
      admitIngest({ headers: { authorization }, socket, ip: socket.remoteAddress }, withoutHeaders),
    authenticate,
    store: { records, downlink, read: reader.read, enter, hold: inFlight.body },
    refusalOf: createRefusalOf(isConnectionLoss, createReport(log, isConnectionLoss)),
    times: { connect: Math.min(10_000, requestTimeout), packet: requestTimeout },
  });
}
