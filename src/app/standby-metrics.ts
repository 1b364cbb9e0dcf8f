import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReadFigures, ReadServers } from '#database/standby/read-servers.js';

/** Registers the metrics of standbys, if there are any. Their names come from the settings. */
export function observeStandbys(registry: Registry, servers: ReadServers): void {
  if (servers.figures().standbys.length === 0) return;
  const gauge = (name: string, help: string, value: (standby: ReadFigures['standbys'][number]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['standby'],
      registers: [registry],
      // Each worker measures the same standbys, so that values are not added up.
      aggregator: 'max',
      collect() {
        for (const standby of servers.figures().standbys) this.set({ standby: standby.name }, value(standby));
      },
    });
  gauge('ddp_standby_lag_seconds', 'Time by which a standby is behind the primary.', ({ lag }) => lag);
  gauge('ddp_standby_away', '1 while a standby answers no reads, because it lags or is away.', ({ isReady }) =>
    Number(!isReady),
  );
  const counter = (name: string, help: string, labelNames: string[], collect: (to: Counter) => void) =>
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        collect(this);
      },
    });
  counter(
    'ddp_standby_reads_total',
    'Reads that a standby could answer, by the server asked first.',
    ['server'],
    (to) => {
      const { primary, standbys } = servers.figures();
      to.inc({ server: 'primary' }, primary);
      for (const { name, reads } of standbys) to.inc({ server: name }, reads);
    },
  );
  counter(
    'ddp_standby_repeated_total',
    'Reads that failed on a standby and were repeated on the primary.',
    ['standby'],
    (to) => {
      for (const { name, repeated } of servers.figures().standbys) to.inc({ standby: name }, repeated);
    },
  );
}
