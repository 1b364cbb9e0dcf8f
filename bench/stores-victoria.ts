import { dayMs, hourMs, secondMs, weekMs } from '#common/time.js';
import { variables } from './stores-data.js';
import type { Call, RivalStore } from './stores-rival.js';

interface Series {
  readonly metric: Record<string, string>;
  readonly value?: [seconds: number, value: string];
  readonly values?: [seconds: number, value: string][];
}

/**
 * VictoriaMetrics, asked in MetricsQL. A window `[1h]` at a time covers what is later than an hour before, up to and
 * including the time. Other stores' buckets include their start and exclude their end. So all windows are evaluated a
 * millisecond before the end of a bucket, which makes both the same for times in whole seconds.
 */
export const victoria: RivalStore = {
  name: 'VictoriaMetrics',
  program: 'victoria-metrics',
  ready: '/health',
  write: '/write?precision=s',
  arguments: (folder, port) => [
    `-storageDataPath=${folder}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    // Its default keeps a month.
    '-retentionPeriod=100y',
    '-search.disableCache',
    '-loggerLevel=ERROR',
  ],
  environment: () => ({}),
  async flush(call) {
    await call('GET', '/internal/force_flush');
    await call('GET', '/internal/force_merge');
  },
  askers(call, { begun, days, devices }) {
    const end = begun + days * dayMs;
    const last = `${secondsOf(end - 1)}`;
    const weekBegun = Math.max(begun, end - weekMs);
    const byTime = async (query: string, from: number, step: number) => {
      const range = { start: `${secondsOf(from + step - 1)}`, end: last, step: `${step / secondMs}s`, nocache: '1' };
      const [series] = await ask(call, 'query_range', { query, ...range });
      return new Map(
        series!.values!.map(([seconds, value]) => [`${Math.round(seconds * secondMs) + 1 - step}`, Number(value)]),
      );
    };
    return {
      // Each device has as many values in each hour, so the mean of the devices' means is the mean of all values.
      hourly: () => byTime('avg(avg_over_time(bench_temperature[1h]))', weekBegun, hourMs),
      async newest() {
        // Spares reading all days. All devices have sent within the last one.
        const found = await ask(call, 'query', { query: 'last_over_time({__name__=~"bench_.+"}[1d])', time: last });
        return new Map(
          found.map(({ metric, value }) => [
            `${metric['device']} ${metric['__name__']?.slice('bench_'.length)}`,
            Number(value![1]),
          ]),
        );
      },
      async devices() {
        const found = await ask(call, 'query', { query: `rollup(bench_temperature[${days}d])`, time: last });
        return new Map(
          found.map(({ metric, value }) => [`${metric['device']} ${metric['rollup']}`, Number(value![1])]),
        );
      },
      daily: () => byTime('sum(count_over_time(bench_temperature[1d]))', begun, dayMs),
      async raw() {
        const text = await call(
          'GET',
          `/api/v1/export?${new URLSearchParams({
            'match[]': `bench_${variables[0]!.name}{device="${devices[0]}"}`,
            start: `${secondsOf(begun)}`,
            end: `${secondsOf(begun + dayMs - 1)}`,
          })}`,
        );
        const answer = new Map<string, number>();
        for (const line of text.split('\n').filter((each) => each !== '')) {
          const { timestamps, values } = JSON.parse(line) as { timestamps: number[]; values: number[] };
          for (const [index, ts] of timestamps.entries()) answer.set(`${ts}`, values[index]!);
        }
        return answer;
      },
    };
  },
};

const secondsOf = (ms: number): number => ms / secondMs;

const ask = async (
  call: Call,
  kind: 'query' | 'query_range',
  parameters: Record<string, string>,
): Promise<Series[]> => {
  const text = await call('GET', `/api/v1/${kind}?${new URLSearchParams(parameters)}`);
  return (JSON.parse(text) as { data: { result: Series[] } }).data.result;
};
