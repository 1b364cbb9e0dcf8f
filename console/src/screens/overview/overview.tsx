import { useAddress } from '../../address.js';
import { JobState, jobName } from '../../components/job.js';
import { Page, Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, Loading } from '../../components/state.js';
import { OverviewDocument, type OverviewQuery } from '../../documents.js';
import { organizationId } from '../../session.js';
import { ago, endsOf, parseRange } from '../../time.js';
import { useNow } from '../../use-now.js';
import { usePanels } from '../../use-query.js';
import { fares, HookState, percent } from '../hooks/hook-state.js';
import { isUnderWay } from '../jobs/jobs.js';
import { Arriving, histogramOf } from './arriving.js';
import { FirstRun } from './first-run.js';

/** Devices that were not heard for so long are silent, in seconds. */
const silence = 24 * 3600;
const mostShown = 8;

/** What one wants to know first: whether data arrives, who is silent, which hooks fail, which work goes on. */
export function OverviewScreen() {
  const address = useAddress();
  const now = useNow(15);
  const { from, to } = endsOf(parseRange(address.get('range'), 'hour'), now);
  const histogram = histogramOf(from, to);
  const overview = usePanels(OverviewDocument, {
    organizationId: organizationId.value,
    ts: { gte: from, lte: to },
    queries: [histogram.query],
  });
  return (
    <Page title="Overview">
      <Loading of={overview} rows={20}>
        {(data) =>
          isUnheard(data) ? (
            <FirstRun product={data.products?.items[0]} device={data.devices?.items[0]} heard={overview.reload} />
          ) : (
            <>
              <Section title="Records arriving" actions={<RangePicker address={address} fallback="hour" />}>
                <Arriving data={data} from={from} to={to} histogram={histogram} />
              </Section>
              <div class="panels">
                <Silent data={data} now={now} />
                <Hooks data={data} />
                <Jobs data={data} />
              </div>
            </>
          )
        }
      </Loading>
    </Page>
  );
}

/** Whether no record came yet, as far as can be seen. */
const isUnheard = ({ devices }: OverviewQuery): boolean =>
  devices !== null &&
  devices.items.length === (devices.totalCount ?? 0) &&
  devices.items.every(({ latest }) => latest.length === 0);

const Silent = ({ data: { devices }, now }: { data: OverviewQuery; now: number }) => {
  const items = devices?.items ?? [];
  const heard = items.map((device) => ({ device, at: Math.max(0, ...device.latest.map(({ ts }) => ts)) }));
  const silent = heard.filter(({ at }) => at < now - silence).sort((a, b) => a.at - b.at);
  const total = devices?.totalCount ?? items.length;
  return (
    <Section title="Silent devices">
      <p class="quiet">
        {silent.length.toLocaleString()} of {items.length.toLocaleString()} not heard for a day
        {total > items.length && ` (the newest ${items.length.toLocaleString()} of ${total.toLocaleString()} devices)`}
      </p>
      {silent.length === 0 ? (
        <Empty title="Every device was heard" />
      ) : (
        <ul class="lines">
          {silent.slice(0, mostShown).map(({ device: { id, name, serial }, at }) => (
            <li key={id}>
              <a href={`/console/devices/${id}`}>{name ?? serial}</a>{' '}
              <span class="quiet">{at === 0 ? 'never' : ago(at, now)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};

const Hooks = ({ data: { hooked } }: { data: OverviewQuery }) => {
  const hooks = (hooked?.items ?? []).flatMap((application) =>
    (application.hooks?.items ?? []).map((hook) => ({ hook, application })),
  );
  const wrong = hooks.filter(({ hook }) => fares(hook) !== 'delivers');
  const waiting = hooks.reduce((sum, { hook }) => sum + hook.stats.pending, 0);
  return (
    <Section title="Hooks that fail">
      <p class="quiet">
        {wrong.length.toLocaleString()} of {hooks.length.toLocaleString()}; {waiting.toLocaleString()} deliveries wait
      </p>
      {wrong.length === 0 ? (
        <Empty title={hooks.length === 0 ? 'No hook' : 'Every hook delivers'}>
          {hooks.length === 0 && (
            <p>
              <a href="/console/hooks">Hooks</a> send records on, to an address of yours.
            </p>
          )}
        </Empty>
      ) : (
        <ul class="lines">
          {wrong.slice(0, mostShown).map(({ hook, application }) => (
            <li key={hook.id}>
              <a href={`/console/hooks/${application.id}/${hook.id}`}>{hook.url}</a> <HookState hook={hook} />
              {hook.stats.successRate !== null && (
                <span class="quiet"> {percent(hook.stats.successRate)} succeeded</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};

const Jobs = ({ data: { account } }: { data: OverviewQuery }) => {
  const jobs = (account?.jobs.items ?? []).filter(isUnderWay);
  return (
    <Section title="Jobs under way">
      {jobs.length === 0 ? (
        <Empty title="No job is under way">
          <p>
            <a href="/console/jobs">Jobs that ended</a>
          </p>
        </Empty>
      ) : (
        <ul class="lines">
          {jobs.map((job) => (
            <li key={job.id}>
              {jobName(job.kind)} <JobState job={job} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};
