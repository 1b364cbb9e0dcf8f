import { useState } from 'preact/hooks';
import { useAddress } from '../../browser/address.js';
import { LazyEditor } from '../../components/editor/lazy-editor.js';
import { ExportButton } from '../../components/export-button.js';
import { Empty, Failure } from '../../components/state.js';
import { parseObject } from '../../format/value.js';
import { Answer, type Answered } from './answer.js';
import { variablesOf } from './chart-part.js';
import type { Explored } from './explored.js';
import { firstQuery } from './query.js';
import { QueryStarts, useHistory } from './query-starts.js';

/** Fields of every record. */
const commonFields = 'ts device.id device.serial device.name device.tags device.location product.id _id'.split(' ');

/** Returns the searchable fields of an application, for the editor. */
export const fieldsOf = (variables: readonly string[]): string[] => [
  ...variables.map((name) => `data.${name}`),
  ...commonFields,
];

/** A DSL query over the application's records, and its answer. */
export function QueryPart({
  application,
  query,
  from,
  to,
  busy,
}: {
  application: Explored;
  query: Record<string, unknown> | undefined;
  from: number;
  to: number;
  busy: boolean;
}) {
  const address = useAddress();
  const given = address.get('query');
  const [text, setText] = useState(() => given || firstQuery(variablesOf(application)[0]));
  const isJson = parseObject(text) !== undefined;
  const [runs, remember] = useHistory();
  // The editor reads its text only when it opens, so a new text needs a new editor.
  const [written, setWritten] = useState(0);
  const write = (query: string) => {
    setText(query);
    setWritten((count) => count + 1);
  };
  const run = () => {
    if (!isJson) return;
    remember(text);
    address.set({ query: text });
  };
  const names = application.products.items.flatMap(({ variables }) => variables.map(({ name }) => name));
  const response = application.search?.responses[0] as Answered | undefined;
  return (
    <>
      <QueryStarts variable={variablesOf(application)[0]} runs={runs} write={write} />
      <div class="query">
        <LazyEditor
          key={written}
          label="Query"
          text={text}
          fields={fieldsOf([...new Set(names)])}
          root="query"
          change={setText}
          run={run}
        />
        <div class="actions">
          <button type="button" class="primary" disabled={!isJson} onClick={run} aria-keyshortcuts="Control+Enter">
            Run
          </button>
          {query !== undefined && (
            <ExportButton
              label="Download the records"
              applicationId={application.id}
              parameters={{
                from: `${from}`,
                to: `${to}`,
                ...(query['query'] !== undefined && { query: JSON.stringify(query['query']) }),
              }}
            />
          )}
          <span class="quiet" role="status">
            {isJson ? (busy ? 'Running…' : 'Ctrl+Enter runs it, Ctrl+Space completes.') : 'This is not JSON yet.'}
          </span>
        </div>
      </div>
      {query === undefined || application.search == null ? (
        <Empty title="No query yet">
          <p>
            The query language is that of <a href="/ddp/v1/docs">searches</a>: a query, and aggregations over what it
            finds, within the range of time above.
          </p>
        </Empty>
      ) : response === undefined || response.error !== undefined ? (
        <Failure error={{ message: response?.error?.reason ?? 'The service did not answer.' }} />
      ) : (
        <Answer of={response} query={query} from={from} to={to} />
      )}
    </>
  );
}
