import { OverviewDocument, type OverviewQuery } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { isUnderWay } from '../../api/use-job-updates.js';
import { usePanels } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useNow } from '../../browser/use-now.js';
import { Ago } from '../../components/ago.js';
import { JobState, jobNames } from '../../components/job.js';
import { Page, Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, Loading } from '../../components/state.js';
import { endsOf, parseRange, secondsOf } from '../../format/time.js';
import { OpenEpisodes } from '../alerts/open-panel.js';
import { HookState, percent } from '../hooks/hook-state.js';
import { FirstRun } from './first-run.js';
import { Arriving } from './record-rate.js';
import { Tiles } from './tiles.js';

/** Time without records that makes a device silent, in seconds. */
const silence = 24 * 3600;
const mostShown = 8;

/** The overview: arriving data, silent devices, failing hooks and running jobs. */
export function OverviewScreen() {
  const address = useAddress();
  const now = useNow(15);
  const { from, to } = endsOf(parseRange(address.get('range'), 'hour'), now);
  const overview = usePanels(OverviewDocument, {
    organizationId: organizationId.value,
    silentSince: now - silence,
    from,
    to,
    owns: isOwner.value,
  });
  return (
    <Page title="Overview">
      <Loading of={overview} rows={20}>
        {(data) =>
          isUnheard(data) ? (
            <FirstRun product={data.products?.items[0]} device={data.devices?.items[0]} heard={overview.reload} />
          ) : (
            <>
              <Tiles data={data} />
              <Section title="Records arriving" actions={<RangePicker address={address} fallback="hour" />}>
                <Arriving data={data} from={from} to={to} />
              </Section>
              <div class="panels">
                <Alerts data={data} now={now} />
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

/** Whether no record has arrived yet, as far as the caller can see. */
const isUnheard = ({ devices, unheard }: OverviewQuery): boolean =>
  devices !== null && unheard !== null && unheard.totalCount === devices.totalCount;

const Alerts = ({ data: { account }, now }: { data: OverviewQuery; now: number }) => (
  <Section title="Open alerts" actions={<a href="/console/alerts">History</a>}>
    <OpenEpisodes
      items={account?.open.items ?? []}
      total={account?.open.totalCount ?? 0}
      all="/console/alerts?state=open"
      now={now}
    />
  </Section>
);

const Silent = ({ data: { devices, silent }, now }: { data: OverviewQuery; now: number }) => (
  <Section title="Silent devices">
    <p class="quiet">
      {silent?.totalCount?.toLocaleString()} of {devices?.totalCount?.toLocaleString()} silent for a day
    </p>
    {silent === null || silent.items.length === 0 ? (
      <Empty title="Every device has reported" />
    ) : (
      <ul class="lines ends">
        {silent.items.map(({ id, name, serial, lastRecordAt }) => (
          <li key={id}>
            <a href={`/console/devices/${id}`}>{name ?? serial}</a>{' '}
            <span class="quiet">
              {lastRecordAt === null ? 'never' : <Ago at={secondsOf(lastRecordAt)} now={now} />}
            </span>
          </li>
        ))}
        {(silent.totalCount ?? 0) > silent.items.length && (
          <li>
            <a href="/console/devices?silent=day">All {silent.totalCount?.toLocaleString()}</a>
          </li>
        )}
      </ul>
    )}
  </Section>
);

const Hooks = ({ data: { hooked } }: { data: OverviewQuery }) => {
  const applications = hooked?.items ?? [];
  const count = (which: 'all' | 'disabled' | 'failing') =>
    applications.reduce((sum, application) => sum + (application[which]?.totalCount ?? 0), 0);
  const wrong = applications.flatMap((application) =>
    [...(application.failing?.items ?? []), ...(application.disabled?.items ?? [])].map((hook) => ({
      hook,
      application,
    })),
  );
  const [all, failing, disabled] = [count('all'), count('failing'), count('disabled')];
  return (
    <Section title="Hooks that fail">
      <p class="quiet">
        {failing.toLocaleString()} of {all.toLocaleString()} fail, {disabled.toLocaleString()} are switched off
      </p>
      {wrong.length === 0 ? (
        <Empty title={all === 0 ? 'No hook' : 'Every hook delivers'}>
          {all === 0 && (
            <p>
              <a href="/console/hooks">Hooks</a> send records on, to an address of yours.
            </p>
          )}
        </Empty>
      ) : (
        <ul class="lines">
          {wrong.slice(0, mostShown).map(({ hook, application }) => (
            <li key={hook.id}>
              <a href={`/console/hooks/${application.id}/${hook.id}`}>{hook.url}</a>
              <span>
                <HookState hook={hook} />{' '}
                <span class="quiet">
                  · {hook.stats.successRate !== null && `${percent(hook.stats.successRate)} succeeded, `}
                  {hook.stats.pending.toLocaleString()} wait
                </span>
              </span>
            </li>
          ))}
          {failing + disabled > mostShown && (
            <li>
              <a href="/console/hooks">All hooks</a>
            </li>
          )}
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
              {jobNames[job.kind]} <JobState job={job} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};
