import { join } from 'node:path';
import { dayMs, weekMs } from '#common/time.js';
import { variables } from './stores-data.js';
import type { Call, RivalStore } from './stores-rival.js';

interface Series {
  readonly tags?: Record<string, string>;
  readonly columns: readonly string[];
  /** Rows: the time in milliseconds, then the selected values. */
  readonly values: readonly [time: number, ...values: number[]][];
}

/** InfluxDB 1.x, asked in InfluxQL. */
export const influx: RivalStore = {
  name: 'InfluxDB',
  program: 'influxd',
  ready: '/ping',
  write: '/write?db=bench&precision=s',
  arguments: () => ['run', '-config', '/dev/null'],
  environment: (folder, port) => ({
    INFLUXDB_REPORTING_DISABLED: 'true',
    INFLUXDB_BIND_ADDRESS: '127.0.0.1:0',
    INFLUXDB_HTTP_BIND_ADDRESS: `127.0.0.1:${port}`,
    INFLUXDB_META_DIR: join(folder, 'meta'),
    INFLUXDB_DATA_DIR: join(folder, 'data'),
    INFLUXDB_DATA_WAL_DIR: join(folder, 'wal'),
    // The others write no measurements of their own and no log of all requests either.
    INFLUXDB_MONITOR_STORE_ENABLED: 'false',
    INFLUXDB_HTTP_LOG_ENABLED: 'false',
    INFLUXDB_DATA_QUERY_LOG_ENABLED: 'false',
    // By default it would write its cache after ten minutes, and compact all after four hours.
    INFLUXDB_DATA_CACHE_SNAPSHOT_WRITE_COLD_DURATION: '5s',
    INFLUXDB_DATA_COMPACT_FULL_WRITE_COLD_DURATION: '10s',
  }),
  prepare: (call) => call('POST', `/query?${new URLSearchParams({ q: 'create database bench' })}`),
  askers(call, { begun, days, devices }) {
    const end = begun + days * dayMs;
    const within = (from: number, to: number) => `time >= ${from}ms and time < ${to}ms`;
    const byTime = async (selected: string, condition: string, grouped = '') => {
      const [series] = await ask(call, `select ${selected} from bench where ${condition} ${grouped}`);
      return new Map(series!.values.map(([time, value]) => [`${time}`, value!]));
    };
    const byDevice = async (query: string) => {
      const answer = new Map<string, number>();
      for (const { tags, columns, values } of await ask(call, query))
        for (const [place, column] of columns.entries())
          if (place > 0) answer.set(`${tags!['device']} ${column}`, values[0]![place]!);
      return answer;
    };
    return {
      hourly: () => byTime('mean(temperature)', within(Math.max(begun, end - weekMs), end), 'group by time(1h)'),
      // Spares reading all days. All devices have sent within the last one.
      newest: () =>
        byDevice(
          `select ${variables.map(({ name }) => name).join()} from bench where ${within(end - dayMs, end)} group by device order by time desc limit 1`,
        ),
      devices: () =>
        byDevice(
          `select min(temperature), max(temperature), mean(temperature) as avg from bench where ${within(begun, end)} group by device`,
        ),
      daily: () => byTime('count(temperature)', within(begun, end), 'group by time(1d)'),
      raw: () => byTime('temperature', `device = '${devices[0]}' and ${within(begun, begun + dayMs)}`),
    };
  },
};

const ask = async (call: Call, q: string): Promise<Series[]> => {
  const text = await call('GET', `/query?${new URLSearchParams({ db: 'bench', epoch: 'ms', q })}`);
  const { results } = JSON.parse(text) as { results: { series?: Series[]; error?: string }[] };
  if (results[0]?.error !== undefined) throw new Error(results[0].error);
  return results[0]?.series ?? [];
};
