import { useRef, useState } from 'preact/hooks';
import { UpdateDashboardDocument } from '../../api/documents.js';
import { ask, GraphError } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { toastError } from '../../browser/toast.js';
import { closeByEscape } from '../../components/choices.js';
import { FormDialog } from '../../components/dialog.js';
import { saveBlob } from '../../format/csv.js';
import { counted, parseObject } from '../../format/value.js';
import { type Dashboard, emptyDashboard } from './document.js';
import type { Application } from './facts.js';
import { Links } from './links.js';

interface Props {
  readonly application: Application;
  readonly dashboard: Dashboard;
  readonly version: number;
  readonly mayChange: boolean;
  readonly reload: () => void;
}

/** Further actions of a dashboard: full screen, its document as a file, and its links. */
export function More({ application, dashboard, version, mayChange, reload }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const [text, setText] = useState<string | undefined>();
  const [isLinked, setLinked] = useState(false);
  const close = () => {
    if (menu.current === null) return;
    menu.current.open = false;
    // The menu's buttons are hidden now, and one of them had the focus.
    menu.current.querySelector('summary')?.focus();
  };
  const save = () => {
    close();
    const json = JSON.stringify(dashboard, undefined, 2);
    saveBlob(`${application.name.slice(0, 80)}.dashboard.json`, new Blob([json], { type: 'application/json' }));
  };
  return (
    <>
      <button type="button" onClick={() => void document.getElementById('main')?.requestFullscreen()}>
        Full screen
      </button>
      <details class="choices menu-box" ref={menu} onKeyDown={closeByEscape}>
        <summary>More</summary>
        <fieldset>
          <legend class="visually-hidden">Further actions</legend>
          <button type="button" onClick={save}>
            Export as a file
          </button>
          {mayChange && (
            <button type="button" onClick={() => file.current?.click()}>
              Import a file
            </button>
          )}
          {mayOwn.value && (
            <button
              type="button"
              onClick={() => {
                close();
                setLinked(true);
              }}
            >
              Links for wall displays
            </button>
          )}
          <a href={`/console/applications/${application.id}`}>Open the application</a>
        </fieldset>
      </details>
      <input
        ref={file}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label="File of a dashboard"
        onChange={({ currentTarget }) => {
          close();
          const [chosen] = currentTarget.files ?? [];
          void chosen?.text().then(setText, toastError);
          currentTarget.value = '';
        }}
      />
      {isLinked && <Links applicationId={application.id} close={() => setLinked(false)} />}
      {text !== undefined && (
        <Import
          text={text}
          count={dashboard.panels.length}
          save={async (imported) => {
            const names = { organizationId: organizationId.value, applicationId: application.id };
            await ask(UpdateDashboardDocument, { ...names, version, document: imported });
            reload();
          }}
          close={() => setText(undefined)}
        />
      )}
    </>
  );
}

/** Asks before a file replaces a dashboard. The service reports what is wrong with a file. */
const Import = ({
  text,
  count,
  save,
  close,
}: {
  text: string;
  /** Number of panels that the file would replace. */
  count: number;
  save: (document: unknown) => Promise<void>;
  close: () => void;
}) => {
  const document = parseObject(text);
  const panels = document?.['panels'];
  return (
    <FormDialog
      title="Import a dashboard"
      action="Import"
      danger={count > 0}
      done="The dashboard was imported."
      submit={async () => {
        if (document === undefined)
          throw new GraphError(
            'The file is not a dashboard: it does not hold a JSON object.',
            'VALIDATION_FAILED',
            undefined,
          );
        await save({ ...emptyDashboard, ...document });
      }}
      close={close}
    >
      <p>
        The file has {Array.isArray(panels) ? counted(panels.length, 'panel') : 'no panels'}.{' '}
        {count > 0 &&
          `It replaces the ${counted(count, 'panel')} of this dashboard. Export the dashboard first to keep a copy.`}
      </p>
    </FormDialog>
  );
};
