import { useRoute } from 'preact-iso';
import { HookDocument, type HookQuery } from '../../api/documents.js';
import { mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useNow } from '../../browser/use-now.js';
import { Ago } from '../../components/ago.js';
import { Chart } from '../../components/chart.js';
import { CopyText } from '../../components/copy.js';
import { ExportButton } from '../../components/export-button.js';
import { JobProgress } from '../../components/job.js';
import { Facts, Page, Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, headingWithout, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { endsOf, parseRange } from '../../format/range.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { counted } from '../../format/value.js';
import { History } from '../audit/history.js';
import { HookActions, HookDanger } from './hook-actions.js';
import { fares, HookState, millis, percent } from './hook-state.js';
import type { Hook } from './hook-type.js';
import { Outcome } from './outcome.js';
import { Again } from './redeliver-range.js';
import { eventNames } from './settings-fields.js';

type Delivery = NonNullable<HookQuery['applicationHookLedger']>['items'][number];

const limit = 25;
const outcomes: Readonly<Record<string, boolean>> = { succeeded: true, failed: false };
const outcomeNames = [
  { id: 'succeeded', name: 'Succeeded' },
  { id: 'failed', name: 'Failed or waiting' },
];

/** The screen of one hook: its state, its actions and its deliveries. */
export function HookScreen() {
  const { params } = useRoute();
  const address = useAddress();
  const now = useNow(10);
  const { from, to } = endsOf(parseRange(address.get('range'), 'week'), now);
  const names = {
    organizationId: organizationId.value,
    applicationId: params['applicationId'] ?? '',
    applicationHookId: params['hookId'] ?? '',
  };
  const hook = useQuery(HookDocument, {
    ...names,
    limit,
    page: Number(address.get('page')) || 1,
    successful: outcomes[address.get('outcome')] ?? null,
    from,
    to,
  });
  const found = hook.data?.applicationHook;
  const job = address.get('job');
  return (
    <Page
      title={found === undefined ? headingWithout(hook, 'Hook') : titleOf(found.url)}
      actions={found !== undefined && mayWrite.value && <HookActions hook={found} names={names} reload={hook.reload} />}
    >
      <Loading of={hook} rows={20}>
        {({ applicationHook, applicationHookLedger: { items, totalCount } }) => (
          <>
            <HookBanner hook={applicationHook} now={now} />
            <HookFacts hook={applicationHook} />
            <Section
              title="Deliveries"
              actions={
                <>
                  <RangePicker address={address} fallback="week" />
                  <ExportButton
                    label="Download CSV"
                    applicationId={names.applicationId}
                    parameters={{
                      of: 'deliveries',
                      applicationHookId: names.applicationHookId,
                      from: `${from}`,
                      to: `${to}`,
                      // The column `successful` distinguishes failed deliveries from waiting ones.
                      state: address.get('outcome') === 'succeeded' ? 'succeeded' : undefined,
                    }}
                  />
                  {mayWrite.value && <Again names={names} from={from} to={to} />}
                </>
              }
            >
              {job !== '' && <JobProgress jobId={job} ended={hook.reload} />}
              <Activity of={applicationHook.activity} from={from} to={to} />
              <div class="filters">
                <SelectFilter
                  address={address}
                  name="outcome"
                  label="Outcome"
                  every="Every outcome"
                  of={outcomeNames}
                />
              </div>
              {items.length === 0 ? (
                <Empty title="No delivery">
                  <p>None matches in this range. Ping the hook to see whether its receiver answers.</p>
                </Empty>
              ) : (
                <Table
                  label="Deliveries"
                  columns={columnsOf(`/console/hooks/${names.applicationId}/${names.applicationHookId}`)}
                  rows={items}
                  address={address}
                  busy={hook.loading}
                />
              )}
              <Pager address={address} limit={limit} total={totalCount} />
            </Section>
            <History of={applicationHook.id} />
            {mayWrite.value && <HookDanger names={names} reload={hook.reload} />}
          </>
        )}
      </Loading>
    </Page>
  );
}

const outcomeColors = { failed: '--bad', pending: '--quiet', succeeded: '--good' } as const;

/** Returns the host and path of an address, which tell hooks of one host apart. */
const titleOf = (url: string): string => {
  const { host, pathname, search } = new URL(url);
  return host + (pathname === '/' ? '' : pathname) + search;
};

/** Says the state of a hook in a sentence: what it does, how many deliveries wait, and when it tries next. */
const HookBanner = ({ hook, now }: { hook: Hook; now: number }) => {
  const { settings, stats, disabledAt } = hook;
  const state = fares(hook);
  const waiting = `${stats.pending.toLocaleString()} waiting`;
  const until = settings.circuitUntil === null ? undefined : secondsOf(settings.circuitUntil);
  return (
    <div class={`banner ${{ delivers: 'good', fails: 'warn', stands: 'bad' }[state]}`} role="status" aria-label="State">
      <strong>
        <HookState hook={hook} begins />
      </strong>
      <span>
        {waiting}
        {state === 'stands' && disabledAt !== null && `, since ${formatTime(secondsOf(disabledAt))}`}
        {state === 'fails' && settings.circuit === 'open' && until !== undefined && (
          <>, next try {until > now ? <Ago at={until} now={now} /> : 'now'}</>
        )}
      </span>
    </div>
  );
};

/** Draws deliveries over time by their present state. */
const Activity = ({ of, from, to }: { of: Hook['activity']; from: number; to: number }) => {
  const ts = of.map((bucket) => bucket.ts);
  const [first, second] = ts;
  const lines = (['failed', 'pending', 'succeeded'] as const).map((name) => ({
    name: name === 'pending' ? 'waiting' : name,
    color: outcomeColors[name],
    interval: first === undefined || second === undefined ? null : second - first,
    ts,
    unit: 'deliveries',
    values: of.map((bucket) => bucket[name]),
  }));
  if (lines.every(({ values }) => values.every((value) => value === 0))) return null;
  return <Chart label="Deliveries by outcome" lines={lines} shape="bars" from={from} to={to} size="low" zooms />;
};

/** Describes the user and the header that a hook's calls authenticate with. */
const authenticationOf = (authentication: Hook['authentication']) =>
  [
    authentication?.basic && `user ${authentication.basic.user}`,
    authentication?.header && `header ${authentication.header.name}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');

const columnsOf = (base: string): readonly Column<Delivery>[] => [
  {
    title: 'Stored',
    cell: ({ id, createdAt }) => <a href={`${base}/${id}`}>{formatTime(secondsOf(createdAt))}</a>,
  },
  { title: 'Outcome', cell: (delivery) => <Outcome of={delivery} /> },
  {
    title: 'Attempts',
    number: true,
    cell: ({ attemptsMade, maxNumberAttempts }) => `${attemptsMade} of ${maxNumberAttempts}`,
  },
  {
    title: 'Device',
    cell: ({ device }) =>
      device === null ? (
        <span class="quiet">ping</span>
      ) : (
        <a href={`/console/devices/${device.id}`}>{device.name ?? device.serial}</a>
      ),
  },
];

/** Says in words which records a hook is called for. */
const filterOf = ({ products, tags, query }: NonNullable<Hook['settings']['filter']>): string =>
  [
    products != null && products.length > 0 && `of ${counted(products.length, 'product')}`,
    tags != null && tags.length > 0 && `of devices with a tag of ${tags.join(', ')}`,
    query != null && `that match ${JSON.stringify(query)}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');

const HookFacts = ({ hook }: { hook: Hook }) => {
  const { settings, stats, authentication, application } = hook;
  return (
    <Facts
      of={[
        ['Address', <CopyText text={hook.url} what="the address" />],
        ['Application', <a href={`/console/applications/${application.id}`}>{application.name}</a>],
        ['Success', percent(stats.successRate)],
        ['Response time', `${millis(stats.p50)} (median), ${millis(stats.p95)} (95 %)`],
        ['Waiting', `${stats.pending.toLocaleString()} and ${stats.running.toLocaleString()} under way`],
        ['Last failure', stats.lastFailureAt && formatTime(secondsOf(stats.lastFailureAt))],
        ['Authentication', authenticationOf(authentication)],
        [
          'User and password',
          settings.basicReplacedByHeader && 'not sent: the header Authorization is sent in their place',
        ],
        ['Signed', settings.signed ? 'yes' : 'no'],
        ['Concurrent calls', settings.concurrency],
        ['Calls per second', settings.maxPerSecond],
        ['Called for', settings.events.map((kind) => eventNames[kind] ?? kind).join(', ')],
        ['In order', settings.ordered ? 'yes, for each device' : 'no'],
        ['Filter', settings.filter && filterOf(settings.filter)],
        ['Identifier', <CopyText text={hook.id} what="the identifier" />],
        [
          'Filter switched off',
          settings.filterDisabledAt &&
            `${formatTime(secondsOf(settings.filterDisabledAt))}: ${settings.filterDisabledReason}`,
        ],
      ]}
    />
  );
};
