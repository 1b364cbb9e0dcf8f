import { type JobLineFragment, OverviewDocument, type OverviewQuery, UnheardDocument } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { isUnderWay } from '../../api/use-job-updates.js';
import { type LoadedParts, usePanels, useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useNow } from '../../browser/use-now.js';
import { Ago } from '../../components/ago.js';
import { JobState, jobNames } from '../../components/job.js';
import { Page, Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, Loading, Part } from '../../components/state.js';
import { endsOf, parseRange } from '../../format/range.js';
import { secondsOf } from '../../format/time.js';
import { countOf } from '../../format/value.js';
import { OpenEpisodes } from '../alerts/open-panel.js';
import { HookState, percent } from '../hooks/hook-state.js';
import { FirstRun } from './first-run.js';
import { Arriving } from './record-rate.js';
import { hooksOf, Tiles } from './tiles.js';

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
  // Only where no device that is shown ever sent are all devices looked up.
  const asksUnheard = overview.data !== undefined && mayBeUnheard(overview.data);
  const unheard = useQuery(UnheardDocument, asksUnheard ? { organizationId: organizationId.value } : undefined);
  const found = unheard.data;
  const isUnheard = asksUnheard && (found === undefined || found.unheard.totalCount === found.devices.totalCount);
  return (
    <Page title="Overview">
      <Loading of={overview} rows={20}>
        {(data) =>
          isUnheard ? (
            <FirstRun product={data.products?.items[0]} device={data.devices?.items[0]} heard={overview.reload} />
          ) : (
            <>
              <Tiles data={data} />
              <Section title="Records arriving" actions={<RangePicker address={address} fallback="hour" />}>
                <Part of={overview} name="charted">
                  {() => <Arriving data={data} from={from} to={to} />}
                </Part>
              </Section>
              <div class="panels">
                <Alerts of={overview} now={now} />
                <Silent of={overview} now={now} />
                <Hooks of={overview} />
                <Jobs of={overview} />
              </div>
            </>
          )
        }
      </Loading>
    </Page>
  );
}

/** Whether no record may have arrived yet, as far as the answer shows. */
const mayBeUnheard = ({ devices, silent }: OverviewQuery): boolean =>
  devices !== null &&
  silent !== null &&
  silent.totalCount === devices.totalCount &&
  silent.items.every(({ lastRecordAt }) => lastRecordAt === null) &&
  devices.items.every(({ latest }) => latest.length === 0);

type Overview = LoadedParts<OverviewQuery>;

const Alerts = ({ of, now }: { of: Overview; now: number }) => (
  <Section title="Open alerts" actions={<a href="/console/alerts">History</a>}>
    <Part of={of} name="account">
      {({ open: { items, totalCount } }) => (
        <OpenEpisodes items={items} total={totalCount} all="/console/alerts?state=open" now={now} />
      )}
    </Part>
  </Section>
);

const Silent = ({ of, now }: { of: Overview; now: number }) => (
  <Section title="Silent devices">
    <Part of={of} name="silent">
      {(silent) => (
        <>
          <p class="quiet">
            {countOf(silent)} of {countOf(of.data?.devices)} silent for a day
          </p>
          {silent.items.length === 0 ? (
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
        </>
      )}
    </Part>
  </Section>
);

const Hooks = ({ of }: { of: Overview }) => (
  <Section title="Hooks that fail">
    <Part of={of} name="hooked">
      {(hooked) => <FailingHooks of={hooked} />}
    </Part>
  </Section>
);

const FailingHooks = ({ of }: { of: NonNullable<OverviewQuery['hooked']> }) => {
  const { all, failing, disabled, cut } = hooksOf(of);
  const wrong = of.items.flatMap((application) =>
    [...(application.failing?.items ?? []), ...(application.disabled?.items ?? [])].map((hook) => ({
      hook,
      application,
    })),
  );
  return (
    <>
      <p class="quiet">
        {failing.toLocaleString()} of {all.toLocaleString()} fail, {disabled.toLocaleString()} are switched off{cut}
      </p>
      {wrong.length === 0 ? (
        <Empty title={all === 0 ? 'No hook' : 'Every hook delivers'}>
          {all === 0 && (
            <p>
              <a href="/console/hooks">Hooks</a> send records to an address of yours.
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
    </>
  );
};

const Jobs = ({ of }: { of: Overview }) => (
  <Section title="Jobs under way">
    <Part of={of} name="account">
      {({ jobs }) => <JobsUnderWay of={jobs.items.filter(isUnderWay)} />}
    </Part>
  </Section>
);

const JobsUnderWay = ({ of }: { of: readonly JobLineFragment[] }) =>
  of.length === 0 ? (
    <Empty title="No job is under way">
      <p>
        <a href="/console/jobs">Jobs that ended</a>
      </p>
    </Empty>
  ) : (
    <ul class="lines">
      {of.map((job) => (
        <li key={job.id}>
          {jobNames[job.kind]} <JobState job={job} />
        </li>
      ))}
    </ul>
  );
