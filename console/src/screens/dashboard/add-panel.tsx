import { useState } from 'preact/hooks';
import { DashboardsToAddToDocument, UpdateDashboardDocument } from '../../api/documents.js';
import { ask, GraphError } from '../../api/graph.js';
import { mayOwn, mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { textOf } from '../../browser/form.js';
import { Field, FormDialog } from '../../components/dialog.js';
import { Failure } from '../../components/state.js';
import { linkDevice } from '../link-device.js';
import { freeId, mostPanels, type SeriesPanel } from './document.js';
import { storedDashboard } from './read.js';
import { freePlace } from './settle.js';
import { turnOn } from './turn-on.js';

/** A chart that can be added to a dashboard. */
export type Chart = Pick<SeriesPanel, 'title' | 'sources' | 'draw' | 'aggregate' | 'combine'>;

/** Maximum number of attempts to save when other people save at the same time. */
const attempts = 3;

interface Props {
  /** Applications that have the devices of the chart. */
  readonly applicationIds: readonly string[];
  readonly chart: Chart;
  /** The device of the chart, which owners may link to further applications. */
  readonly device?: { readonly id: string; readonly linked: () => void };
}

/** Adds a chart to the dashboard of an application, in two clicks. */
export function AddPanel(props: Props) {
  const [isOpen, setOpen] = useState(false);
  const { applicationIds, chart, device } = props;
  const links = device !== undefined && mayOwn.value;
  if (!mayWrite.value || chart.sources.length === 0 || (applicationIds.length === 0 && !links)) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add to dashboard
      </button>
      {isOpen && <AddDialog {...props} links={links} close={() => setOpen(false)} />}
    </>
  );
}

function AddDialog({ applicationIds, chart, device, links, close }: Props & { links: boolean; close: () => void }) {
  const found = useQuery(DashboardsToAddToDocument, {
    organizationId: organizationId.value,
    applicationIds: links ? null : [...applicationIds],
  });
  const isLinked = (id: string) => applicationIds.includes(id);
  const offered = (found.data?.applications.items ?? [])
    .filter(({ permission, hasDashboard }) => permission === 'write' && (hasDashboard || mayOwn.value))
    .sort((a, b) => Number(isLinked(b.id)) - Number(isLinked(a.id)));
  return (
    <FormDialog
      title="Add to dashboard"
      action="Add"
      done="The chart was added to the dashboard."
      submit={async (form) => {
        const target = offered.find(({ id }) => id === textOf(form, 'application'));
        if (target === undefined) throw new GraphError('Choose a dashboard.', 'VALIDATION_FAILED', undefined);
        if (device !== undefined && !isLinked(target.id)) {
          await linkDevice(target.id, device.id);
          device.linked();
        }
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
              {isLinked(id) ? '' : ' (links the device)'}
              {hasDashboard ? '' : ' (creates its dashboard)'}
            </option>
          ))}
        </select>
      </Field>
      {found.data !== undefined && offered.length === 0 && (
        <p class="quiet">
          {links
            ? 'There is no application yet. A dashboard belongs to one.'
            : "You may change none of the applications that have this chart's devices."}
        </p>
      )}
      <Field label="Title">
        <input name="title" maxLength={200} defaultValue={chart.title} />
      </Field>
    </FormDialog>
  );
}

/**
 * Saves the dashboard with the chart. When another person saves at the same time, it adds the chart to their version.
 */
async function add(applicationId: string, chart: Chart): Promise<void> {
  const names = { organizationId: organizationId.value, applicationId };
  for (let attempt = 1; ; attempt++) {
    const { version, dashboard } = await storedDashboard(applicationId);
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
