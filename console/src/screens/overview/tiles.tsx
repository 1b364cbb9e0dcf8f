import type { OverviewQuery } from '../../api/documents.js';
import { Tile } from '../../components/tile.js';
import { secondsOf } from '../../format/time.js';
import { countOf, cutOf } from '../../format/value.js';

/** The figures of the overview. Those that need attention come first: failing hooks, silent devices and open alerts. */
export const Tiles = ({ data }: { data: OverviewQuery }) => {
  const { account, devices, silent } = data;
  const hooks = data.hooked && hooksOf(data.hooked);
  const hasCritical = account !== null && account.critical.totalCount !== 0;
  return (
    <div class="tiles" role="group" aria-label="Figures">
      <Tile
        name="Failing hooks"
        href="/console/hooks?state=fails"
        tone={toneOf(hooks?.failing, 'bad')}
        note={
          hooks
            ? `of ${hooks.all.toLocaleString()}, ${hooks.disabled.toLocaleString()} switched off${hooks.cut}`
            : undefined
        }
        trend={hooks?.trend ?? []}
      >
        {hooks?.failing.toLocaleString() ?? countOf(null)}
      </Tile>
      <Tile
        name="Silent devices"
        href="/console/devices?silent=day"
        tone={toneOf(silent?.totalCount, 'warn')}
        note={`of ${countOf(devices)}, silent for a day`}
      >
        {countOf(silent)}
      </Tile>
      <Tile
        name="Open alerts"
        href="/console/alerts?state=open"
        tone={toneOf(account?.open.totalCount, hasCritical ? 'bad' : 'warn')}
        note={`${hasCritical ? `${countOf(account.critical)} critical, ` : ''}${countOf(account?.opened)} opened in the range`}
        trend={countsOf(account?.opened.items.map(({ openedAt }) => secondsOf(openedAt)) ?? [], data)}
      >
        {countOf(account?.open)}
      </Tile>
      <Ingested of={account?.activity} />
    </div>
  );
};

/** Tone of a figure that should be 0. A figure that the service refused is undefined and has none. */
const toneOf = (count: number | null | undefined, otherwise: 'warn' | 'bad') =>
  count === undefined ? undefined : count === 0 ? 'good' : otherwise;

/**
 * Counts hooks, and the failed deliveries of those that fail, over the range. `cut` says which applications these are of
 * when others are left out.
 */
export const hooksOf = (hooked: NonNullable<OverviewQuery['hooked']>) => {
  const count = (which: 'all' | 'disabled' | 'failing') =>
    hooked.items.reduce((sum, application) => sum + (application[which]?.totalCount ?? 0), 0);
  const failed = new Map<number, number>();
  for (const { failing } of hooked.items)
    for (const { activity } of failing?.items ?? [])
      for (const bucket of activity) failed.set(bucket.ts, (failed.get(bucket.ts) ?? 0) + bucket.failed);
  const trend = [...failed].sort(([a], [b]) => a - b).map(([, sum]) => sum);
  const cut = cutOf(hooked, 'applications');
  return {
    all: count('all'),
    failing: count('failing'),
    disabled: count('disabled'),
    trend,
    cut: cut === undefined ? '' : `, in ${cut}`,
  };
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
