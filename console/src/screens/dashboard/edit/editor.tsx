import { useEffect, useState } from 'preact/hooks';
import { DashboardDocument } from '../../../api/documents.js';
import { ask } from '../../../api/graph.js';
import { organizationId } from '../../../api/session.js';
import { toast } from '../../../browser/toast.js';
import { Page } from '../../../components/page.js';
import { Empty } from '../../../components/state.js';
import { type Dashboard, freeId, mostPanels, type Panel } from '../document.js';
import { type Application, placesOf } from '../facts.js';
import { freePlace, settled } from '../settle.js';
import { useBoard } from '../use-board.js';
import { EditGrid, titleOf } from './edit-grid.js';
import { newPanel } from './kinds.js';
import { PanelDialog } from './panel-dialog.js';
import { PickKind } from './pick-kind.js';
import { SaveButton } from './save.js';
import { SettingsDialog } from './settings-dialog.js';
import { dropDraft, type History, hasDraft, useHistory } from './use-history.js';
import { useShortcuts } from './use-shortcuts.js';

export interface EditorProps {
  readonly application: Application;
  readonly dashboard: Dashboard;
  /** Version that the changes are made from. */
  readonly version: number;
  /** Shows the dashboard as it is stored. */
  readonly leave: () => void;
}

/** Changes a dashboard. Nothing is stored before *Save*. */
export function Editor({ application: given, dashboard, version, leave }: EditorProps) {
  const [application, setApplication] = useState(given);
  const history = useHistory(application.id, version, dashboard);
  const [open, setOpen] = useState<Open>();
  const [said, setSaid] = useState('');
  const { now } = history;
  useShortcuts(history, setSaid);
  const board = useBoard(application, now);
  useEffect(() => {
    if (hasDraft(application.id, version) && history.isChanged) toast('Your unsaved changes are still here.');
  }, []);
  const put = (panels: readonly Panel[]) => history.change({ ...now, panels });
  const arrange = (panels: readonly Panel[], id: string) => {
    const panel = panels.find((one) => one.id === id)!;
    const isSame = JSON.stringify(panels) === JSON.stringify(settled(now.panels));
    const place = `column ${panel.x + 1} of 12, row ${panel.y + 1}, ${panel.w} wide, ${panel.h} high`;
    setSaid(`${titleOf(panel)}: ${isSame ? 'no further that way, ' : ''}${place}`);
    if (!isSame) put(panels);
  };
  const keep = (panel: Panel) => {
    const isNew = !now.panels.some(({ id }) => id === panel.id);
    const placed = isNew ? { ...panel, ...freePlace(now.panels, panel.w, panel.h) } : panel;
    put(isNew ? [...now.panels, placed] : now.panels.map((one) => (one.id === panel.id ? panel : one)));
    setSaid(`${titleOf(panel)} was ${isNew ? 'added' : 'changed'}`);
    setOpen(undefined);
  };
  // The changes are still made from the version that the editor began with.
  const reload = async () => {
    const names = { organizationId: organizationId.value, applicationId: application.id };
    const found = await ask(DashboardDocument, names);
    setApplication({ ...found.application, sites: placesOf(found.sites?.items ?? []) });
  };
  const isFull = now.panels.length >= mostPanels;
  return (
    <Page
      title={application.name}
      actions={
        <>
          <Steps of={history} />
          <button
            type="button"
            onClick={() => {
              dropDraft(application.id);
              leave();
            }}
          >
            {history.isChanged ? 'Discard changes' : 'Close'}
          </button>
          <SaveButton application={application} version={version} history={history} base={dashboard} saved={leave} />
        </>
      }
    >
      <div class="board-head">
        <div class="actions">
          <button type="button" disabled={isFull} onClick={() => setOpen('pick')}>
            Add a panel
          </button>
          <button type="button" onClick={() => setOpen('settings')}>
            Range and variables
          </button>
          {isFull && <span class="quiet">A dashboard has at most {mostPanels} panels.</span>}
        </div>
        <p class="quiet" id="arrange-keys">
          Drag a title to move, a corner to resize. By keyboard: arrows on ⠿, with Shift for the size.
        </p>
      </div>
      <p class="visually-hidden" role="status" aria-label="Arrangement">
        {said}
      </p>
      {now.panels.length === 0 ? (
        <Empty title="No panel yet">
          <p>Add a panel: a chart, a figure, a map and more.</p>
        </Empty>
      ) : (
        <EditGrid
          panels={now.panels}
          shown={board.shown}
          arrange={arrange}
          edit={setOpen}
          copy={(panel) => !isFull && keep({ ...panel, id: freeId(now.panels) })}
          remove={(panel) => {
            put(now.panels.filter(({ id }) => id !== panel.id));
            setSaid(`${titleOf(panel)} was removed`);
            toast(`${titleOf(panel)} was removed.`);
          }}
        />
      )}
      <Dialogs open={open} setOpen={setOpen} application={application} history={history} keep={keep} reload={reload} />
    </Page>
  );
}

/** The undo and redo buttons. */
const Steps = ({ of: { undo, redo } }: { of: History }) => (
  <>
    <button type="button" disabled={undo === undefined} onClick={undo} aria-keyshortcuts="Control+Z">
      Undo
    </button>
    <button type="button" disabled={redo === undefined} onClick={redo} aria-keyshortcuts="Control+Y">
      Redo
    </button>
  </>
);

type Open = 'pick' | 'settings' | Panel | undefined;

const Dialogs = ({
  open,
  setOpen,
  application,
  history: { now, change },
  keep,
  reload,
}: {
  open: Open;
  setOpen: (open: Open) => void;
  application: Application;
  history: History;
  keep: (panel: Panel) => void;
  reload: () => Promise<void>;
}) => {
  const close = () => setOpen(undefined);
  if (open === undefined) return null;
  if (open === 'pick')
    return <PickKind close={close} pick={(kind) => setOpen(newPanel(application, kind, freeId(now.panels)))} />;
  if (open === 'settings')
    return <SettingsDialog application={application} dashboard={now} change={change} close={close} />;
  return (
    <PanelDialog
      key={open.id}
      application={application}
      dashboard={now}
      panel={open}
      keep={keep}
      reload={reload}
      close={close}
    />
  );
};
