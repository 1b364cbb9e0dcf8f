import { useState } from 'preact/hooks';
import { DashboardDocument, UpdateDashboardDocument } from '../../../api/documents.js';
import { ask, type GraphError, refusalOf } from '../../../api/graph.js';
import { organizationId } from '../../../api/session.js';
import { toast } from '../../../browser/toast.js';
import { Ago } from '../../../components/ago.js';
import { secondsOf } from '../../../format/time.js';
import type { Dashboard, Panel } from '../document.js';
import type { Application } from '../facts.js';
import { readDashboard } from '../read.js';
import { titleOf } from './edit-grid.js';
import { Modal } from './modal.js';
import { dropDraft, type History } from './use-history.js';

type Stored = NonNullable<Application['dashboard']>;

/** Saves the changes. If another person saved in the meantime, it shows who and what before anything is lost. */
export function SaveButton({
  application: { id: applicationId },
  version,
  base,
  history: { now, isChanged },
  saved,
}: {
  application: Application;
  version: number;
  /** The dashboard that the changes were made from. */
  base: Dashboard;
  history: History;
  saved: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<GraphError | undefined>();
  const [theirs, setTheirs] = useState<Stored | undefined>();
  const names = { organizationId: organizationId.value, applicationId };
  const save = async (from: number) => {
    setBusy(true);
    setError(undefined);
    setTheirs(undefined);
    try {
      await ask(UpdateDashboardDocument, { ...names, version: from, document: now });
      dropDraft(applicationId);
      toast('The dashboard was saved.');
      saved();
    } catch (cause) {
      const failure = refusalOf(cause);
      const stored = failure.code === 'CONFLICT' ? await storedNow(names) : undefined;
      if (stored === undefined) setError(failure);
      else setTheirs(stored);
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="primary" disabled={!isChanged || isBusy} onClick={() => void save(version)}>
        Save
      </button>
      {error !== undefined && (
        <Modal title="The dashboard was not saved" close={() => setError(undefined)}>
          <div role="alert">
            <p>{error.message}</p>
            <ul>
              {error.faults.map(({ path, message }) => (
                <li key={path}>
                  {placeOf(path, now)} {message}
                </li>
              ))}
            </ul>
          </div>
          <div class="actions end">
            <button type="button" class="primary" autoFocus onClick={() => setError(undefined)}>
              Back to the editor
            </button>
          </div>
        </Modal>
      )}
      {theirs !== undefined && (
        <Conflict
          theirs={theirs}
          base={base}
          mine={now}
          reload={() => {
            dropDraft(applicationId);
            saved();
          }}
          overwrite={() => void save(theirs.version)}
          close={() => setTheirs(undefined)}
        />
      )}
    </>
  );
}

const storedNow = async (names: { organizationId: string; applicationId: string }): Promise<Stored | undefined> => {
  try {
    return (await ask(DashboardDocument, names)).application.dashboard ?? undefined;
  } catch {
    return undefined;
  }
};

/** Names the panel that a path of the document leads to. */
const placeOf = (path: string, { panels }: Dashboard): string => {
  const [, index, field = ''] = /^document\.panels\.(\d+)\.?(.*)$/.exec(path) ?? [];
  const panel = panels[Number(index)];
  return panel === undefined ? path : `${titleOf(panel)}${field === '' ? '' : `, ${field}`}:`;
};

/** Shows the changes that another person saved in the meantime, and lets the user choose. */
const Conflict = ({
  theirs,
  base,
  mine,
  reload,
  overwrite,
  close,
}: {
  theirs: Stored;
  base: Dashboard;
  mine: Dashboard;
  reload: () => void;
  overwrite: () => void;
  close: () => void;
}) => {
  const { updatedBy, updatedAt, document } = theirs;
  const who = updatedBy === null ? 'A token of the organization' : (updatedBy.name ?? updatedBy.username);
  return (
    <Modal title="Somebody saved this dashboard meanwhile" close={close}>
      <p role="alert">
        {who} saved it {updatedAt !== null && <Ago at={secondsOf(updatedAt)} />}, after you began. Your changes are
        still in the editor.
      </p>
      <Differences title={`What ${who} changed`} from={base} to={readDashboard(document)} />
      <Differences title="What you changed" from={base} to={mine} />
      <div class="actions end">
        <button type="button" autoFocus onClick={close}>
          Back to the editor
        </button>
        <button type="button" onClick={reload}>
          Take theirs, drop mine
        </button>
        <button type="button" class="primary danger" onClick={overwrite}>
          Overwrite with mine
        </button>
      </div>
    </Modal>
  );
};

const Differences = ({ title, from, to }: { title: string; from: Dashboard; to: Dashboard }) => {
  const lines = differencesOf(from, to);
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.slice(0, 8).map((line) => (
          <li key={line}>{line}</li>
        ))}
        {lines.length > 8 && <li>and {lines.length - 8} more</li>}
        {lines.length === 0 && <li>Nothing</li>}
      </ul>
    </>
  );
};

const differencesOf = (from: Dashboard, to: Dashboard): string[] => {
  const [before, after] = [from, to].map(({ panels }) => new Map(panels.map((panel) => [panel.id, panel])));
  const content = ({ x, y, w, h, ...rest }: Panel) => JSON.stringify(rest);
  const lines = [...after!.values()].flatMap((panel) => {
    const old = before!.get(panel.id);
    if (old === undefined) return [`Added ${titleOf(panel)}`];
    if (content(old) !== content(panel)) return [`Changed ${titleOf(panel)}`];
    return JSON.stringify(old) === JSON.stringify(panel) ? [] : [`Moved ${titleOf(panel)}`];
  });
  for (const panel of before!.values()) if (!after!.has(panel.id)) lines.push(`Removed ${titleOf(panel)}`);
  if (from.range !== to.range) lines.push('Changed the range');
  if (JSON.stringify(from.variables) !== JSON.stringify(to.variables)) lines.push('Changed the variables');
  return lines;
};
