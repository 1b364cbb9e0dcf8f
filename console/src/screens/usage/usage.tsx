import { useMemo } from 'preact/hooks';
import { type QuotaLineFragment, UsageDocument, type UsageQuery } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Chart } from '../../components/chart.js';
import { Facts, Page, Section } from '../../components/page.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { Tile } from '../../components/tile.js';
import { formatTime, secondsOf } from '../../format/time.js';

type Day = NonNullable<UsageQuery['usage']>['items'][number];
/** A figure of a day. */
type Figure = 'records' | 'bytes' | 'deliveries' | 'calls' | 'commands';

const daySeconds = 86_400;
const ranges = [30, 90, 365] as const;

/** The organization's usage by day, and its quotas. */
export function UsageScreen() {
  return (
    <Page title="Usage">
      {isOwner.value ? <Usage /> : <Empty title="Only owners of the organization see what it uses" />}
    </Page>
  );
}

function Usage() {
  const address = useAddress();
  const days = ranges.find((length) => String(length) === address.get('days')) ?? ranges[0];
  // Whole days in UTC, as usage is counted.
  const today = Math.floor(Date.now() / 1000 / daySeconds) * daySeconds;
  const from = today - (days - 1) * daySeconds;
  const usage = useQuery(UsageDocument, { organizationId: organizationId.value, fromDay: dayOf(from) });
  return (
    <Loading of={usage} rows={20}>
      {(data) => (
        <>
          <Totals of={data.usage.items} days={days} />
          <Section title="Quotas">
            <Facts
              of={[
                ['Records today', <Quota of={data.quota.recordsPerDay} shown={numberOf} />],
                ['Devices', <Quota of={data.quota.devices} shown={numberOf} />],
                ['Stored', <Quota of={data.quota.storedBytes} shown={bytesOf} />],
                ['Commands today', <Quota of={data.quota.commandsPerDay} shown={numberOf} />],
              ]}
            />
          </Section>
          <Section
            title="Days"
            actions={
              <SelectFilter
                address={address}
                name="days"
                label="Range"
                of={ranges.map((length) => ({ id: `${length}`, name: `${length} days` }))}
                value={`${days}`}
              />
            }
          >
            <Days of={data.usage.items} from={from} to={today} />
          </Section>
          <Parts
            title="By product"
            rows={data.byProduct.items.map(({ productId, ...row }) => ({ ...row, id: productId ?? '' }))}
            isWhole={isWhole(data.byProduct)}
            names={data.products.items}
          />
          <Parts
            title="By application"
            rows={data.byApplication.items.map(({ applicationId, ...row }) => ({ ...row, id: applicationId ?? '' }))}
            isWhole={isWhole(data.byApplication)}
            names={data.applications.items}
          />
        </>
      )}
    </Loading>
  );
}

const isWhole = ({ totalCount, items }: { totalCount: number | null; items: readonly unknown[] }) =>
  totalCount === items.length;

/** Shows the sums of the range. */
const Totals = ({ of, days }: { of: readonly Day[]; days: number }) => {
  const sum = (figure: Figure) => of.reduce((total, day) => total + (day[figure] ?? 0), 0);
  const note = `in ${days} days`;
  return (
    <div class="tiles" role="group" aria-label="Totals">
      <Tile name="Records" note={note}>
        {numberOf(sum('records'))}
      </Tile>
      <Tile name="Stored" note={note}>
        {bytesOf(sum('bytes'))}
      </Tile>
      <Tile name="Deliveries" note={note}>
        {numberOf(sum('deliveries'))}
      </Tile>
      <Tile name="Calls" note={note}>
        {numberOf(sum('calls'))}
      </Tile>
      <Tile name="Commands" note={note}>
        {numberOf(sum('commands'))}
      </Tile>
    </div>
  );
};

/** Draws each figure by day in a chart of its own, as records and calls cannot share an axis. */
const Days = ({ of, from, to }: { of: readonly Day[]; from: number; to: number }) => {
  const lines = useMemo(() => {
    const known = new Map(of.map((day) => [secondsOf(`${day.day}T00:00:00Z`), day]));
    const ts = Array.from(
      { length: Math.round((to - from) / daySeconds) + 1 },
      (_, index) => from + index * daySeconds,
    );
    // A day without a row had no usage: 0, not a gap.
    const line = (name: string, figure: Figure, unit: number = 1) => ({
      name,
      ts,
      values: ts.map((at) => (known.get(at)?.[figure] ?? 0) / unit),
    });
    return [
      line('Records', 'records'),
      line('MiB stored', 'bytes', 1024 ** 2),
      line('Deliveries', 'deliveries'),
      line('Calls', 'calls'),
      line('Commands', 'commands'),
    ];
  }, [of, from, to]);
  return (
    <div class="charts">
      {lines.map((line) => (
        <Chart
          key={line.name}
          label={`${line.name} a day`}
          lines={[line]}
          shape="bars"
          from={from}
          to={to + daySeconds}
          size="low"
        />
      ))}
    </div>
  );
};

const Quota = ({ of: { limit, used, until }, shown }: { of: QuotaLineFragment; shown: (value: number) => string }) => (
  <>
    {used !== null && `${shown(used)}${limit === null ? ', ' : ' of '}`}
    {limit === null ? 'no limit' : shown(limit)}{' '}
    {limit !== null && until !== null && <span class="quiet">until {formatTime(secondsOf(until))}</span>}
  </>
);

interface Part {
  id: string;
  records: number;
  bytes: number;
  deliveries: number;
}

const columnsOf = (names: readonly { id: string; name: string }[]): readonly Column<Part>[] => [
  // A deleted product or application has lost its name, but its usage still counts.
  { title: 'Name', cell: ({ id }) => names.find((one) => one.id === id)?.name ?? <code>{id}</code> },
  { title: 'Records', number: true, cell: ({ records }) => numberOf(records) },
  { title: 'Stored', number: true, cell: ({ bytes }) => bytesOf(bytes) },
  { title: 'Deliveries', number: true, cell: ({ deliveries }) => numberOf(deliveries) },
];

/** Lists the usage of each product or application in the range. */
const Parts = ({
  title,
  rows,
  isWhole,
  names,
}: {
  title: string;
  rows: readonly Part[];
  isWhole: boolean;
  names: readonly { id: string; name: string }[];
}) => {
  const address = useAddress();
  const parts = new Map<string, Part>();
  for (const { id, records, bytes, deliveries } of rows) {
    const part = parts.get(id) ?? { id, records: 0, bytes: 0, deliveries: 0 };
    parts.set(id, {
      id,
      records: part.records + records,
      bytes: part.bytes + bytes,
      deliveries: part.deliveries + deliveries,
    });
  }
  const sorted = [...parts.values()].sort((a, b) => b.records - a.records);
  return (
    <Section title={title}>
      {sorted.length === 0 ? (
        <Empty title="Nothing in this range" />
      ) : (
        <Table label={title} columns={columnsOf(names)} rows={sorted} address={address} />
      )}
      {!isWhole && <p class="quiet">Only the newest days of the range are in this table: there are too many rows.</p>}
    </Section>
  );
};

const dayOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
const numberOf = (value: number) => value.toLocaleString();

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

const bytesOf = (value: number): string => {
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(value) / Math.log(1024)));
  return `${(value / 1024 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${units[power]}`;
};
