import { useState } from 'preact/hooks';
import { DashboardsToAddToDocument, DashboardToAddToDocument, UpdateDashboardDocument } from '../../api/documents.js';
import { ask, GraphError } from '../../api/graph.js';
import { mayOwn, mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { textOf } from '../../browser/form.js';
import { Field, FormDialog } from '../../components/dialog.js';
import { Failure } from '../../components/state.js';
import { freeId, mostPanels, type SeriesPanel } from './document.js';
import { readDashboard } from './read.js';
import { freePlace } from './settle.js';
import { turnOn } from './turn-on.js';

/** A chart that can be added to a dashboard. */
export type Chart = Pick<SeriesPanel, 'title' | 'sources' | 'draw' | 'aggregate'>;

/** Times that a save is tried when others save at the same time. */
const attempts = 3;

/** Adds a chart to the dashboard of an application, in two clicks. */
export function AddPanel({ applicationIds, chart }: { applicationIds: readonly string[]; chart: Chart }) {
  const [isOpen, setOpen] = useState(false);
  if (!mayWrite.value || applicationIds.length === 0 || chart.sources.length === 0) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add to dashboard
      </button>
      {isOpen && <AddDialog applicationIds={applicationIds} chart={chart} close={() => setOpen(false)} />}
    </>
  );
}

function AddDialog({
  applicationIds,
  chart,
  close,
}: {
  applicationIds: readonly string[];
  chart: Chart;
  close: () => void;
}) {
  const found = useQuery(DashboardsToAddToDocument, {
    organizationId: organizationId.value,
    applicationIds: [...applicationIds],
  });
  const all = found.data?.applications.items ?? [];
  const offered = all.filter(
    ({ permission, hasDashboard }) => permission === 'write' && (hasDashboard || mayOwn.value),
  );
  return (
    <FormDialog
      title="Add to dashboard"
      action="Add"
      done="The chart was added to the dashboard."
      submit={async (form) => {
        const target = offered.find(({ id }) => id === textOf(form, 'application'));
        if (target === undefined) throw new GraphError('Choose a dashboard.', 'VALIDATION_FAILED', undefined);
        if (!target.hasDashboard) await turnOn(target.id);
        await add(target.id, { ...chart, title: textOf(form, 'title') });
      }}
      close={close}
    >
      {found.error && <Failure error={found.error} retry={found.reload} />}
      <Field label="Dashboard">
        <select name="application" required>
          {offered.map(({ id, name, hasDashboard }) => (
            <option key={id} value={id}>
              {name}
              {hasDashboard ? '' : ' (creates its dashboard)'}
            </option>
          ))}
        </select>
      </Field>
      {found.data !== undefined && offered.length === 0 && (
        <p class="quiet">You may change none of the applications that have this chart's devices.</p>
      )}
      <Field label="Title">
        <input name="title" maxLength={200} defaultValue={chart.title} />
      </Field>
    </FormDialog>
  );
}

/** Saves the dashboard with the chart. Where somebody saves at the same time, it is added to what they saved. */
async function add(applicationId: string, chart: Chart): Promise<void> {
  const names = { organizationId: organizationId.value, applicationId };
  for (let attempt = 1; ; attempt++) {
    const { application } = await ask(DashboardToAddToDocument, names);
    const { version = 0, document = {} } = application.dashboard ?? {};
    const dashboard = readDashboard(document);
    const { panels } = dashboard;
    if (panels.length >= mostPanels)
      throw new GraphError(`The dashboard has ${mostPanels} panels already.`, 'VALIDATION_FAILED', undefined);
    const panel: SeriesPanel = { id: freeId(panels), kind: 'series', ...chart, ...freePlace(panels, 6, 8) };
    try {
      await ask(UpdateDashboardDocument, { ...names, version, document: { ...dashboard, panels: [...panels, panel] } });
      return;
    } catch (cause) {
      if (attempt === attempts || !(cause instanceof GraphError) || cause.code !== 'CONFLICT') throw cause;
    }
  }
}
