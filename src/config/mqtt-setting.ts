import { z } from 'zod';
import { wholeSetting } from './setting.js';

export interface MqttConfig {
  /** 0 takes any free port. */
  port: number;
  /** Files (PEM) of the certificate with its chain, and of its key; undefined: connections are not encrypted. */
  tls: TlsFiles | undefined;
  /** Maximum number of concurrent connections per process, and per token. */
  connections: number;
  perToken: number;
}

/** Files of certificate and key. */
export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

/** Settings of the MQTT endpoint in the environment. */
export const mqttSettings = {
  MQTT_PORT: wholeSetting(0, 65_535).optional(),
  MQTT_TLS_CERT: z.string().optional(),
  MQTT_TLS_KEY: z.string().optional(),
  MQTT_CONNECTIONS: wholeSetting(1, 1_000_000).default(20_000),
};

type Given = z.infer<z.ZodObject<typeof mqttSettings>>;

/** Returns faults in the combination of these settings. */
export const mqttFaultsOf = ({ MQTT_TLS_CERT, MQTT_TLS_KEY }: Given): string[] =>
  (MQTT_TLS_CERT === undefined) === (MQTT_TLS_KEY === undefined)
    ? []
    : ['MQTT_TLS_CERT and MQTT_TLS_KEY must be set together.'];

/** Returns the settings of the endpoint; undefined when it is off. */
export const mqttOf = (given: Given): MqttConfig | undefined =>
  given.MQTT_PORT === undefined
    ? undefined
    : {
        port: given.MQTT_PORT,
        tls:
          given.MQTT_TLS_CERT === undefined || given.MQTT_TLS_KEY === undefined
            ? undefined
            : { certFile: given.MQTT_TLS_CERT, keyFile: given.MQTT_TLS_KEY },
        connections: given.MQTT_CONNECTIONS,
        perToken: Math.ceil(given.MQTT_CONNECTIONS / 4),
      };
