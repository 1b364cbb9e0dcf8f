import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics of the MQTT endpoint. */
export interface MqttMetrics {
  /** Counts a connection that was accepted, or refused for this reason. */
  connected(outcome: string): void;
  /**
   * Counts a message that was stored (`success`), acknowledged and not stored (`ignored`), or refused for this reason,
   * with the seconds since it came.
   */
  settled(outcome: string, seconds: number): void;
  /** Counts a message to a device. */
  sent(what: 'command' | 'state'): void;
}

/**
 * Registers the metrics.
 * @param open returns the number of connections
 */
export function createMqttMetrics(registry: Registry, open: () => number): MqttMetrics {
  const registers = [registry];
  new Gauge({
    name: 'ddp_mqtt_connections',
    help: 'MQTT connections that are open.',
    registers,
    collect() {
      this.set(open());
    },
  });
  const connects = new Counter({
    name: 'ddp_mqtt_connects_total',
    help: 'MQTT connections that were let in (success), or refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const messages = new Counter({
    name: 'ddp_mqtt_messages_total',
    help: 'Messages that were stored (success), acknowledged and not stored (ignored), or refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const seconds = new Histogram({
    name: 'ddp_mqtt_message_seconds',
    help: 'Time of messages from their arrival until they are settled.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const sent = new Counter({
    name: 'ddp_mqtt_sent_total',
    help: 'Messages to devices: commands, repeated ones too, and desired state.',
    labelNames: ['what'],
    registers,
  });
  return {
    sent: (what) => sent.inc({ what }),
    connected: (reason) => connects.inc({ reason }),
    settled(reason, took) {
      messages.inc({ reason });
      seconds.observe(took);
    },
  };
}
