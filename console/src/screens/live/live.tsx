import { useMemo, useState } from 'preact/hooks';
import { LiveDocument, type LiveQuery } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { LazyEditor } from '../../components/editor/lazy-editor.js';
import { Page } from '../../components/page.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Failure, Loading } from '../../components/state.js';
import { parseObject } from '../../format/value.js';
import { fieldsOf } from '../explore/query-part.js';
import { type HistoryAnswer, historyOf } from './history.js';
import { type LookOf, Stream } from './stream.js';

type Application = NonNullable<LiveQuery['chosen']>['items'][number];

/** Number of records from before the page was opened. */
const history = 50;
/** Time span of the history, in seconds. */
const past = 7 * 86_400;

/** Shows records as they arrive, filtered by a clause of the query language, and earlier records below. */
export function LiveScreen() {
  const address = useAddress();
  const query = address.get('query');
  // The same object in every rendering, as another one opens the stream again without its cursor.
  const clause = useMemo(() => parseObject(query), [query]);
  const [{ opened, wasLost }, setOpened] = useState({ opened: Date.now() / 1000, wasLost: false });
  const applicationId = address.get('application');
  const live = useQuery(LiveDocument, {
    organizationId: organizationId.value,
    applicationIds: applicationId === '' ? null : [applicationId],
    ts: { gte: opened - past, lte: opened + 86_400 },
    queries: [{ products: [], size: history, track_total_hits: false, ...(clause && { query: clause }) }],
  });
  return (
    <Page title="Live">
      <Loading of={live}>
        {({ applications, chosen }) => {
          const [application] = chosen.items;
          if (application === undefined)
            return (
              <Empty title="No application">
                <p>Records are shown to those who may see an application: create one, and link devices to it.</p>
              </Empty>
            );
          const response = application.search.responses[0] as HistoryAnswer | undefined;
          return (
            <>
              <div class="filters">
                <SelectFilter
                  address={address}
                  name="application"
                  label="Application"
                  of={applications.items}
                  value={application.id}
                />
              </div>
              <Filter key={application.id} application={application} />
              {response?.error !== undefined ? (
                <Failure error={{ message: response.error.reason ?? 'The filter was refused.' }} />
              ) : (
                <Stream
                  key={`${application.id} ${opened} ${query}`}
                  applicationId={application.id}
                  query={clause}
                  lookOf={looksOf(application)}
                  history={historyOf(response)}
                  wasLost={wasLost}
                  restart={() => setOpened({ opened: Date.now() / 1000, wasLost: true })}
                />
              )}
            </>
          );
        }}
      </Loading>
    </Page>
  );
}

/** Returns the function that finds how a variable of a product is shown. */
const looksOf = ({ products }: Application): LookOf => {
  const looks = new Map(
    products.items.flatMap(({ id, variables }) => variables.map((look) => [`${id} ${look.name}`, look])),
  );
  return (productId, name) => looks.get(`${productId} ${name}`);
};

const example = '{ "range": { "data.temperature": { "gt": 30 } } }';

/** Edits the clause that filters records, as JSON. */
function Filter({ application }: { application: Application }) {
  const address = useAddress();
  const query = address.get('query');
  const [text, setText] = useState(query || example);
  const isJson = parseObject(text) !== undefined;
  const names = application.products.items.flatMap(({ variables }) => variables.map(({ name }) => name));
  const filter = () => {
    if (isJson) address.set({ query: text });
  };
  return (
    <details class="query" open={query !== ''}>
      <summary>Filter{query !== '' && ': on'}</summary>
      <div class="small">
        <LazyEditor
          label="Filter"
          text={text}
          fields={fieldsOf([...new Set(names)])}
          root="clause"
          change={setText}
          run={filter}
        />
      </div>
      <div class="actions">
        <button type="button" disabled={!isJson} onClick={filter}>
          Filter
        </button>
        {query !== '' && (
          <button type="button" onClick={() => address.set({ query: '' })}>
            Every record
          </button>
        )}
        <span class="quiet">A clause of the query language. {!isJson && 'This is not JSON yet.'}</span>
      </div>
    </details>
  );
}
