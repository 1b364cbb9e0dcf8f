import { type MeasuredProductFragment, type SiteQuery, SiteSeriesDocument } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useRange } from '../../browser/use-range.js';
import { Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, Loading } from '../../components/state.js';
import { CombinedPart } from '../explore/combined.js';

type Site = NonNullable<SiteQuery['site']>;

/** The chart of a variable of the devices of a site together: how a level spreads, or how much counters count a day. */
export function SiteChart({ site, products }: { site: Site; products: readonly MeasuredProductFragment[] }) {
  const address = useAddress();
  const { from, to } = useRange(address, 'week');
  const { own, others } = variablesOf(site, products);
  const variable = address.get('variable') || own[0] || others[0];
  const isCounter = [...productsOf(site), ...products].some(({ settings }) =>
    settings.variables.some(({ name, counter }) => name === variable && counter !== null),
  );
  const look = [...productsOf(site), ...products]
    .flatMap(({ variables }) => variables)
    .find(({ name }) => name === variable);
  const timeZone = zoneOf(site);
  const how = isCounter
    ? ({ perDevice: 'increase', combine: 'sum', calendarInterval: 'day', timeZone } as const)
    : ({ perDevice: 'avg', combine: 'spread', points: 200 } as const);
  const asked = { organizationId: organizationId.value, siteId: site.id, from, to, ...how };
  const series = useQuery(SiteSeriesDocument, variable === undefined ? undefined : { ...asked, variable });
  return (
    <Section title="Values together" actions={<RangePicker address={address} fallback="week" />}>
      {variable === undefined ? (
        <Empty title="No variable">
          <p>
            Give the devices <a href="/console/products">products</a> with numbers: their values are drawn here.
          </p>
        </Empty>
      ) : (
        <>
          <div class="filters">
            <select
              aria-label="Variable"
              value={variable}
              onChange={({ currentTarget: { value } }) => address.set({ variable: value })}
            >
              {[...new Set([variable, ...own, ...others])].toSorted().map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
            <span class="quiet">{isCounter ? 'Increase by day, summed' : 'Lowest, average and highest'}</span>
          </div>
          <Loading of={series} rows={9}>
            {({ site: { groupSeries } }) => (
              <CombinedPart
                label="Values together"
                of={groupSeries.map((line) => ({ variable, line, look }))}
                isCounted={false}
                shape={isCounter ? 'bars' : 'lines'}
                size="tall"
                from={from}
                to={to}
              />
            )}
          </Loading>
        </>
      )}
    </Section>
  );
}

const productsOf = ({ measured }: Site): MeasuredProductFragment[] =>
  measured.items.flatMap(({ product }) => (product === null ? [] : [product]));

/**
 * Returns the variables with numbers of the devices that are read, and those of other products while not all devices are
 * read.
 */
const variablesOf = (site: Site, products: readonly MeasuredProductFragment[]) => ({
  own: numbersOf(productsOf(site)),
  others: (site.measured.totalCount ?? 0) > site.measured.items.length ? numbersOf(products) : [],
});

const numbersOf = (products: readonly MeasuredProductFragment[]): string[] => {
  const numbers = products.flatMap(({ variables }) => variables.filter(({ type }) => type !== 'TXT'));
  return [...new Set(numbers.map(({ name }) => name))].toSorted();
};

/** Returns the time zone of a site or of the nearest site above that has one; null for that of the organization. */
const zoneOf = (site: { timeZone: string | null; parent?: unknown }): string | null =>
  site.timeZone ?? (site.parent == null ? null : zoneOf(site.parent as typeof site));
