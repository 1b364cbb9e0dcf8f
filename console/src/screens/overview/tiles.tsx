import type { OverviewQuery } from '../../api/documents.js';
import { Tile } from '../../components/tile.js';
import { secondsOf } from '../../format/time.js';

/** The figures of the overview. Those that need attention come first: failing hooks, silent devices and open alerts. */
export const Tiles = ({ data }: { data: OverviewQuery }) => {
  const { account, devices, silent } = data;
  const hooks = hooksOf(data);
  const alerts = account?.open.totalCount ?? 0;
  const critical = account?.open.items.filter(({ severity }) => severity === 'critical').length ?? 0;
  const quiet = silent?.totalCount ?? 0;
  return (
    <div class="tiles" role="group" aria-label="Figures">
      <Tile
        name="Failing hooks"
        href="/console/hooks?state=fails"
        tone={hooks.failing > 0 ? 'bad' : 'good'}
        note={`of ${hooks.all.toLocaleString()}, ${hooks.disabled.toLocaleString()} switched off`}
        trend={hooks.trend}
      >
        {hooks.failing.toLocaleString()}
      </Tile>
      <Tile
        name="Silent devices"
        href="/console/devices?silent=day"
        tone={quiet > 0 ? 'warn' : 'good'}
        note={`of ${(devices?.totalCount ?? 0).toLocaleString()}, silent for a day`}
      >
        {quiet.toLocaleString()}
      </Tile>
      <Tile
        name="Open alerts"
        href="/console/alerts?state=open"
        tone={critical > 0 ? 'bad' : alerts > 0 ? 'warn' : 'good'}
        note={`${critical > 0 ? `${critical} critical, ` : ''}${(account?.opened.totalCount ?? 0).toLocaleString()} opened in the range`}
        trend={countsOf(account?.opened.items.map(({ openedAt }) => secondsOf(openedAt)) ?? [], data)}
      >
        {alerts.toLocaleString()}
      </Tile>
      <Ingested of={account?.activity} />
    </div>
  );
};

/** Counts hooks, and the failed deliveries of those that fail, over the range. */
const hooksOf = ({ hooked }: OverviewQuery) => {
  const applications = hooked?.items ?? [];
  const count = (which: 'all' | 'disabled' | 'failing') =>
    applications.reduce((sum, application) => sum + (application[which]?.totalCount ?? 0), 0);
  const failed = new Map<number, number>();
  for (const { failing } of applications)
    for (const { activity } of failing?.items ?? [])
      for (const bucket of activity) failed.set(bucket.ts, (failed.get(bucket.ts) ?? 0) + bucket.failed);
  const trend = [...failed].sort(([a], [b]) => a - b).map(([, sum]) => sum);
  return { all: count('all'), failing: count('failing'), disabled: count('disabled'), trend };
};

/** Counts instants in the buckets of the range. */
const countsOf = (instants: readonly number[], { charted }: OverviewQuery): number[] => {
  const ts = charted?.items[0]?.activity.map((bucket) => bucket.ts) ?? [];
  if (instants.length === 0) return [];
  return ts.map((at, index) => instants.filter((one) => one >= at && one < (ts[index + 1] ?? Infinity)).length);
};

/** Shows what arrived in the range, by the time of arrival. Only owners receive these figures. */
const Ingested = ({ of }: { of: NonNullable<OverviewQuery['account']>['activity'] }) => {
  if (of == null) return null;
  const sum = (figure: 'stored' | 'rejected' | 'decodePartial' | 'decodeFailed') =>
    of.reduce((total, bucket) => total + bucket[figure], 0);
  const codes = new Map<string, number>();
  for (const { rejections } of of)
    for (const { code, count } of rejections) codes.set(code, (codes.get(code) ?? 0) + count);
  const reasons = [...codes].map(([code, count]) => `${count.toLocaleString()} ${wordsOf(code)}`).join(', ');
  const [partial, failed] = [sum('decodePartial'), sum('decodeFailed')];
  return (
    <>
      <Tile name="Records arrived" trend={of.map(({ stored }) => stored)} note="in the range, by the time of arrival">
        {sum('stored').toLocaleString()}
      </Tile>
      <Tile
        name="Rejected records"
        tone={sum('rejected') > 0 ? 'warn' : undefined}
        trend={sum('rejected') > 0 ? of.map(({ rejected }) => rejected) : []}
        note={reasons || `${partial.toLocaleString()} frames decoded in part, ${failed.toLocaleString()} not decoded`}
      >
        {sum('rejected').toLocaleString()}
      </Tile>
    </>
  );
};

/** Writes a code such as `UNKNOWN_DEVICE` in words. */
const wordsOf = (code: string): string => code.toLowerCase().replaceAll('_', ' ');
