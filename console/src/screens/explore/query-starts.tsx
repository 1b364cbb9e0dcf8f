import { useKept } from '../../browser/kept.js';
import { Ago } from '../../components/ago.js';
import { templateQuery, templateTitles } from './query.js';

/** A query that was run. */
interface Run {
  readonly text: string;
  /** Unix seconds. */
  readonly at: number;
}

/** Maximum number of queries that the browser keeps. */
const mostKept = 20;

/** Returns the queries that this account ran in this browser, the newest first, and the function that adds one. */
export function useHistory(): [readonly Run[], (text: string) => void] {
  const [runs, keep] = useKept<readonly Run[]>('queries', []);
  const add = (text: string) => {
    const others = runs.filter((run) => run.text !== text);
    keep([{ text, at: Math.floor(Date.now() / 1000) }, ...others].slice(0, mostKept));
  };
  return [runs, add];
}

/** Queries to begin with: templates, and those that ran before. */
export const QueryStarts = ({
  variable,
  runs,
  write,
}: {
  variable: string | undefined;
  runs: readonly Run[];
  /** Puts a query into the editor. */
  write: (text: string) => void;
}) => (
  <div class="filters">
    <select
      aria-label="Template"
      value=""
      onChange={({ currentTarget }) => {
        write(templateQuery(currentTarget.value, variable));
        currentTarget.value = '';
      }}
    >
      <option value="">Templates</option>
      {templateTitles.map((title) => (
        <option key={title} value={title}>
          {title}
        </option>
      ))}
    </select>
    <details class="choices">
      <summary>History</summary>
      <fieldset>
        <legend class="visually-hidden">Queries that you ran, kept in this browser</legend>
        {runs.length === 0 && <p class="quiet">The queries that you run are kept here, in this browser.</p>}
        <div class="options">
          {runs.map(({ text, at }) => (
            <button key={text} type="button" class="plain run" onClick={() => write(text)}>
              <code class="cut">{text.replaceAll(/\s+/g, ' ')}</code>
              <span class="quiet">
                <Ago at={at} />
              </span>
            </button>
          ))}
        </div>
      </fieldset>
    </details>
  </div>
);
